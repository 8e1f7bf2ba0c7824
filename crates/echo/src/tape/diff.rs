//! The difference between two recordings of matches, in either format.

use gametape_core::tape::{Diff, Error, Precision, Rounded, Work, object};
use gametape_core::text::{Counted, Grouped};
use serde_json::{Map, Value, json};

use super::clients::{Clients, MOST, Moments};
use super::frames::{EchoFormat, Frames};
use super::opened::EchoTape;
use crate::diff::{Allowed, Diff as Found, Differ, Difference, Side, Tolerance};
use crate::{Error as ReadError, Field, Frame, Time};

/// Compares two recordings. Frames of two .echoreplay must be equal. Those of a .butter may differ by its
/// rounding, those of two .butter by more; members that a .butter does not keep are not compared.
pub(super) fn diff(first: &EchoTape, second: &EchoTape, work: &Work<'_>) -> Result<Diff, Error> {
    let [a_format, b_format] = [first.format, second.format];
    let tolerance = match (a_format, b_format) {
        (EchoFormat::Butter, EchoFormat::Butter) => Tolerance::TWO_BUTTERS,
        (EchoFormat::Echoreplay, EchoFormat::Echoreplay) => Tolerance::EXACT,
        _ => Tolerance::BUTTER,
    };
    if let Some(mut clients) = two_clients(first, second)? {
        return by_clients(&mut clients, [first, second], tolerance, work);
    }
    let mut a = Reading::open(first)?;
    let mut b = Reading::open(second).map_err(Error::of_other)?;
    // The .echoreplay comes first, as the original: it alone shows what a .butter has no code for.
    let swapped = (a_format, b_format) == (EchoFormat::Butter, EchoFormat::Echoreplay);
    let mut differ = Differ::new(tolerance);
    loop {
        let (x, y) = (a.next()?, b.next().map_err(Error::of_other)?);
        if x.is_none() && y.is_none() {
            break;
        }
        if swapped {
            differ.push(y, x);
        } else {
            differ.push(x, y);
        }
        first.done(&a.frames, work)?;
    }
    let mut found = differ.finish();
    if swapped {
        swap(&mut found);
    }
    // A recording that is not read to its end has not been compared to its end.
    if let Some(problem) = a.problem() {
        return Err(so_far(problem, &found));
    }
    if let Some(problem) = b.problem() {
        return Err(so_far(problem, &found).of_other());
    }
    let start = a.start.or(b.start);
    Ok(report(&found, start))
}

/// Returns whether the recordings are of one match, by two clients.
fn two_clients(first: &EchoTape, second: &EchoTape) -> Result<Option<Clients>, Error> {
    let (mut a, mut b) = (first.frames()?, second.frames().map_err(Error::of_other)?);
    let mut moments = [Moments::default(), Moments::default()];
    // What can't be read is told by the comparison itself.
    let (Ok(Some(x)), Ok(Some(y))) = (a.next(), b.next()) else {
        return Ok(None);
    };
    if !Clients::are_two(x, y) {
        return Ok(None);
    }
    for (moments, frames) in moments.iter_mut().zip([&mut a, &mut b]) {
        while moments.all.len() < MOST
            && let Ok(Some(frame)) = frames.next()
        {
            moments.push(frame);
        }
    }
    let [first, second] = &moments;
    Ok(Clients::of(&first.all, &second.all))
}

/// Compares the recordings of two clients: frame by frame of the game, whatever their clocks show.
fn by_clients(
    clients: &mut Clients,
    [first, second]: [&EchoTape; 2],
    tolerance: Tolerance,
    work: &Work<'_>,
) -> Result<Diff, Error> {
    let mut a = Reading::open(first)?;
    let mut b = Reading::open(second).map_err(Error::of_other)?;
    let mut differ = Differ::new(tolerance);
    clients.pair(
        |which, frame| {
            let next = match which {
                0 => a.next()?,
                _ => b.next().map_err(Error::of_other)?,
            };
            if let Some(next) = next {
                frame.clone_from(next);
            }
            let has_next = next.is_some();
            first.done(&a.frames, work)?;
            Ok(has_next)
        },
        |a, b| differ.push(Some(a), Some(b)),
    )?;
    let found = differ.finish();
    if let Some(problem) = a.problem() {
        return Err(so_far(problem, &found));
    }
    if let Some(problem) = b.problem() {
        return Err(so_far(problem, &found).of_other());
    }
    let mut diff = report(&found, a.start.or(b.start));
    diff.precision = Some(clients.precision());
    Ok(diff)
}

/// Adds to a problem what the comparison has shown before it.
fn so_far(mut problem: Error, found: &Found) -> Error {
    let known = match &found.first {
        Some(first) if matches!(first.what, Side::Both(_)) => {
            format!("frame {} differs", Grouped(first.frame))
        }
        _ => match found.frames.iter().min() {
            Some(0) | None => "nothing could be compared".to_owned(),
            Some(1) => "the one frame that could be read of both is the same".to_owned(),
            Some(frames) => format!(
                "the {} that could be read of both are the same",
                Counted(*frames, "frame")
            ),
        },
    };
    if let Error::Broken(finding) = &mut problem {
        finding.rule.sentence = format!("{} ({known})", finding.rule.sentence);
    }
    problem
}

/// Exchanges the sides of a difference.
fn swap(found: &mut Found) {
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

    /// Returns the next frame, or `None` at the end and after a problem.
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

fn report(found: &Found, start: Option<Time>) -> Diff {
    let mut diff = Diff {
        same: found.is_same(),
        more: found.more_frames,
        precision: (!found.allowed.is_empty()).then(|| precision(&found.allowed)),
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
        format!(
            "; the first has {}, the second {}",
            Counted(a, "frame"),
            Grouped(b)
        )
    };
    diff.first = Some(format!(
        "frame {} ({}): {what}{counts}",
        Grouped(first.frame),
        first.time
    ));
    diff.step = Some(first.frame);
    diff.time_ms = start.map(|start| first.time.since(start).ms());
    diff
}

/// Nothing but a .butter has a tolerance.
fn precision(allowed: &Allowed) -> Precision {
    let rounded = allowed.rounded.iter().map(|(field, apart)| Rounded {
        field: field.name().to_owned(),
        max_error: f64::from(*apart),
        unit: field.unit().to_owned(),
    });
    let uncoded = allowed.uncoded.iter();
    let uncoded = uncoded.map(|field| format!("{} without a code", field.name()));
    let not_kept = allowed.not_compared.iter();
    Precision {
        of: "a .butter".to_owned(),
        rounded: rounded.collect(),
        not_compared: not_kept
            .map(|field| field.name().to_owned())
            .chain(uncoded)
            .collect(),
    }
}

fn ended(which: &str) -> String {
    format!("the {which} recording has ended")
}

/// Formats a value for people: times, which are milliseconds, as dates.
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
