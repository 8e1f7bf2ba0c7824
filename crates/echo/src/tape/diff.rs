//! The differences between two recordings of matches, in any encoding.
//!
//! Their tables do not decide whether they are the same: a .butter rounds rotations by their angle,
//! and a number the more, the faster it changes. The precision of a column says neither.

use gametape_core::tape::{Diff, Error, object};
use serde_json::{Map, Value, json};

use super::encoding::EchoFormat;
use super::frames::Frames;
use super::opened::EchoTape;
use crate::diff::{Diff as Found, Differ, Difference, Side, Tolerance};
use crate::{Error as ReadError, Field, Frame, Time};

/// Frames of two .echoreplay have to be equal. Those of a .butter may be as far off as it rounds, those
/// of two .butter further; values that a .butter does not keep are not compared.
pub(super) fn diff(first: &EchoTape, second: &EchoTape) -> Result<Diff, Error> {
    let [a_format, b_format] = [first.format, second.format];
    let tolerance = match (a_format, b_format) {
        (EchoFormat::Butter, EchoFormat::Butter) => Tolerance::TWO_BUTTERS,
        (EchoFormat::Echoreplay, EchoFormat::Echoreplay) => Tolerance::EXACT,
        _ => Tolerance::BUTTER,
    };
    let mut a = Reading::open(first)?;
    let mut b = Reading::open(second).map_err(Error::of_other)?;
    // What a .butter has no code for is known from the other one alone: that is the original.
    let turned = (a_format, b_format) == (EchoFormat::Butter, EchoFormat::Echoreplay);
    let mut differ = Differ::new(tolerance);
    loop {
        let (x, y) = (a.next()?, b.next().map_err(Error::of_other)?);
        if x.is_none() && y.is_none() {
            break;
        }
        if turned {
            differ.push(y, x);
        } else {
            differ.push(x, y);
        }
    }
    let mut found = differ.finish();
    if turned {
        turn(&mut found);
    }
    // As far as they can be read is not as far as they go.
    if let Some(problem) = a.problem() {
        return Err(so_far(problem, &found));
    }
    if let Some(problem) = b.problem() {
        return Err(so_far(problem, &found).of_other());
    }
    let start = a.start.or(b.start);
    Ok(told(&found, start))
}

/// Adds the result so far to the problem that ended a comparison.
fn so_far(mut problem: Error, found: &Found) -> Error {
    let known = match &found.first {
        Some(first) if matches!(first.what, Side::Both(_)) => {
            format!("frame {} differs", first.frame)
        }
        _ => match found.frames.iter().min() {
            Some(0) | None => "nothing could be compared".to_owned(),
            Some(1) => "the one frame that could be read of both is the same".to_owned(),
            Some(frames) => format!("the {frames} frames that could be read of both are the same"),
        },
    };
    if let Error::Broken(finding) = &mut problem {
        finding.rule.sentence = format!("{} ({known})", finding.rule.sentence);
    }
    problem
}

/// Turns the differences round: seen from the other recording.
fn turn(found: &mut Found) {
    found.frames.reverse();
    let Some(first) = &mut found.first else {
        return;
    };
    match &mut first.what {
        Side::Both(difference) => std::mem::swap(&mut difference.a, &mut difference.b),
        what @ Side::OnlyFirst => *what = Side::OnlySecond,
        what @ Side::OnlySecond => *what = Side::OnlyFirst,
    }
}

struct Reading {
    frames: Frames,
    /// When the first frame was recorded.
    start: Option<Time>,
    failed: Option<Error>,
}

impl Reading {
    fn open(tape: &EchoTape) -> Result<Self, Error> {
        Ok(Self {
            frames: tape.frames()?,
            start: None,
            failed: None,
        })
    }

    /// The next frame; `None` at the end, or where reading can't go on.
    fn next(&mut self) -> Result<Option<&Frame>, Error> {
        if self.failed.is_some() {
            return Ok(None);
        }
        let first = self.frames.count == 0;
        match self.frames.next() {
            Ok(frame) => {
                if let Some(frame) = frame {
                    self.start.get_or_insert(frame.time);
                }
                Ok(frame)
            }
            Err(error) if first || matches!(error, ReadError::Io { .. }) => Err(error.into()),
            Err(error) => {
                self.failed = Some(error.into());
                Ok(None)
            }
        }
    }

    fn problem(&mut self) -> Option<Error> {
        self.failed
            .take()
            .or_else(|| self.frames.findings().problem())
    }
}

fn told(found: &Found, start: Option<Time>) -> Diff {
    let mut diff = Diff {
        same: found.is_same(),
        more: found.more_frames,
        ..Diff::default()
    };
    let Some(first) = &found.first else {
        return diff;
    };
    diff.details = object(json!({
        "frames": found.frames,
        "values": found.values,
    }));
    let what = match &first.what {
        Side::Both(difference) => {
            put(difference, &mut diff.details);
            sentence(difference)
        }
        Side::OnlyFirst => ended("second"),
        Side::OnlySecond => ended("first"),
    };
    let [a, b] = found.frames;
    let counts = if a == b {
        String::new()
    } else {
        let s = if a == 1 { "" } else { "s" };
        format!("; the first has {a} frame{s}, the second {b}")
    };
    diff.first = Some(format!(
        "frame {} ({}): {what}{counts}",
        first.frame, first.time
    ));
    diff.step = Some(first.frame);
    diff.time_ms = start.map(|start| first.time.since(start).ms());
    diff
}

fn ended(which: &str) -> String {
    format!("the {which} recording has ended")
}

/// A value as people write it: times are milliseconds.
fn shown(difference: &Difference, value: &str) -> String {
    match value.parse() {
        Ok(ms) if difference.field == Field::Time => Time(ms).to_string(),
        _ => value.to_owned(),
    }
}

fn sentence(difference: &Difference) -> String {
    let unit = difference.field.unit();
    let apart = match difference.apart {
        Some(apart) if unit.is_empty() => format!(", {apart} apart"),
        Some(apart) => format!(", {apart} {unit} apart"),
        None => String::new(),
    };
    let more = match difference.more {
        0 => String::new(),
        1 => "; 1 more value of the frame differs".into(),
        more => format!("; {more} more values of the frame differ"),
    };
    format!(
        "{} is {} in the first, {} in the second{apart}{more}",
        difference.path,
        shown(difference, &difference.a),
        shown(difference, &difference.b)
    )
}

fn put(difference: &Difference, details: &mut Map<String, Value>) {
    details.insert("path".into(), difference.path.clone().into());
    details.insert("field".into(), difference.field.name().into());
    details.insert("first".into(), difference.a.clone().into());
    details.insert("second".into(), difference.b.clone().into());
    details.insert("apart".into(), json!(difference.apart));
    details.insert("unit".into(), difference.field.unit().into());
    details.insert("more_in_frame".into(), difference.more.into());
}
