//! The difference between two recordings of matches, in any format; of one match recorded by two clients, by the
//! game clock.

use gametape_core::tape::{Diff, Error, Precision, Rounded, Work, object};
use gametape_core::text::{Counted, Grouped};
use serde_json::{Map, Value, json};

use super::frames::{EchoFormat, TapeFrames};
use super::opened::EchoTape;
use crate::diff::{Allowed, Diff as Found, Differ, Difference, Side, Tolerance};
use crate::{Field, Frame, Time};

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
    if let Some(problem) = a.frames.problem() {
        return Err(so_far(problem, &found));
    }
    if let Some(problem) = b.frames.problem() {
        return Err(so_far(problem, &found).of_other());
    }
    let start = a.start.or(b.start);
    Ok(report(&found, start))
}

/// Returns whether the recordings are of one match, by two clients.
fn two_clients(first: &EchoTape, second: &EchoTape) -> Result<Option<Clients>, Error> {
    let (mut a, mut b) = (first.frames()?, second.frames().map_err(Error::of_other)?);
    let mut moments = [ClockMoments::default(), ClockMoments::default()];
    // What can't be read is told by the comparison itself.
    let (Ok(Some(x)), Ok(Some(y))) = (a.next_frame(), b.next_frame()) else {
        return Ok(None);
    };
    if !Clients::are_two(x, y) {
        return Ok(None);
    }
    for (moments, frames) in moments.iter_mut().zip([&mut a, &mut b]) {
        while moments.all.len() < MOST
            && let Ok(Some(frame)) = frames.next_frame()
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
    if let Some(problem) = a.frames.problem() {
        return Err(so_far(problem, &found));
    }
    if let Some(problem) = b.frames.problem() {
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
    frames: TapeFrames<'static>,
    /// When the first frame was recorded.
    start: Option<Time>,
}

impl Reading {
    fn open(tape: &EchoTape) -> Result<Self, Error> {
        Ok(Self {
            frames: tape.frames()?,
            start: None,
        })
    }

    /// Returns the next frame, or `None` at the end and after a problem.
    fn next(&mut self) -> Result<Option<&Frame>, Error> {
        let frame = self.frames.next()?;
        if let Some(frame) = frame {
            self.start.get_or_insert(frame.time);
        }
        Ok(frame)
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

/// Frames whose game clocks are apart by less than this many seconds are of one moment.
const ONE_MOMENT: f32 = 0.01;
/// Frames of two clients are compared if they are apart by at most so many milliseconds.
const APART_MS: i64 = 16;

/// The clients of two recordings.
struct Clients {
    /// The milliseconds by which the clock of the second client is ahead.
    ahead: i64,
    /// The frames of each that the other has no frame for.
    alone: [u64; 2],
}

/// The number of frames of a recording in which a common moment is looked for.
const MOST: usize = 200_000;
/// The number of moments of the second recording that are looked for in the first.
const TRIES: usize = 32;

/// A moment at which the game clock runs.
struct ClockMoment {
    time: Time,
    clock: f32,
    points: [f32; 2],
    rounds: [i32; 2],
}

/// Finds the moments of a recording.
#[derive(Default)]
struct ClockMoments {
    before: Option<f32>,
    all: Vec<ClockMoment>,
}

impl ClockMoments {
    fn push(&mut self, frame: &Frame) {
        let session = &frame.session;
        let Some(clock) = session.clock() else {
            return;
        };
        if self
            .before
            .replace(clock)
            .is_some_and(|before| clock < before)
        {
            self.all.push(ClockMoment {
                time: frame.time,
                clock,
                points: [session.blue_points, session.orange_points],
                rounds: [session.blue_round_score, session.orange_round_score],
            });
        }
    }
}

impl ClockMoment {
    /// How far the clock of another client is ahead, if it shows the same moment of the game.
    fn ahead(&self, other: &Self) -> Option<i64> {
        let same = (self.clock - other.clock).abs() < ONE_MOMENT
            && self.points.map(f32::to_bits) == other.points.map(f32::to_bits)
            && self.rounds == other.rounds;
        same.then(|| other.time.0.saturating_sub(self.time.0))
    }
}

/// Which recording goes on.
enum Next {
    Both,
    First,
    Second,
}

impl Clients {
    /// Returns whether two recordings begin in one session, as two clients see it.
    fn are_two(a: &Frame, b: &Frame) -> bool {
        let [a, b] = [&a.session, &b.session];
        let same = a.sessionid == b.sessionid && !a.sessionid.is_empty();
        same && a.client_name != b.client_name
    }

    /// Aligns two recordings; `None` without a moment that both have.
    fn of(first: &[ClockMoment], second: &[ClockMoment]) -> Option<Self> {
        // Rounds have the same clock: clients' clocks are seldom far apart.
        let nearest = |moment: &ClockMoment| {
            let ahead = first.iter().filter_map(|first| first.ahead(moment));
            ahead.min_by_key(|ahead| ahead.unsigned_abs())
        };
        let ahead = second.iter().take(TRIES).find_map(nearest)?;
        Some(Self {
            ahead,
            alone: [0; 2],
        })
    }

    /// Passes pairs of frames, the second as the first client would have recorded it. `next` reads the next
    /// frame of the first recording (0) or the second.
    fn pair(
        &mut self,
        mut next: impl FnMut(usize, &mut Frame) -> Result<bool, Error>,
        mut take: impl FnMut(&Frame, &Frame),
    ) -> Result<(), Error> {
        let (mut a, mut b) = (Frame::default(), Frame::default());
        let (mut has_a, mut has_b) = (next(0, &mut a)?, next(1, &mut b)?);
        while has_a && has_b {
            match self.next(&a, &b) {
                Next::Both => {
                    b.time = a.time;
                    b.session.client_name.clone_from(&a.session.client_name);
                    take(&a, &b);
                    (has_a, has_b) = (next(0, &mut a)?, next(1, &mut b)?);
                }
                Next::First => {
                    self.alone[0] += 1;
                    has_a = next(0, &mut a)?;
                }
                Next::Second => {
                    self.alone[1] += 1;
                    has_b = next(1, &mut b)?;
                }
            }
        }
        while has_a {
            self.alone[0] += 1;
            has_a = next(0, &mut a)?;
        }
        while has_b {
            self.alone[1] += 1;
            has_b = next(1, &mut b)?;
        }
        Ok(())
    }

    fn next(&self, a: &Frame, b: &Frame) -> Next {
        let apart = b.time.0.saturating_sub(a.time.0);
        match apart.saturating_sub(self.ahead) {
            APART_MS.. => Next::First,
            off if off <= -APART_MS => Next::Second,
            _ => Next::Both,
        }
    }

    /// What the comparison allowed for.
    fn precision(&self) -> Precision {
        let ahead = self.ahead.unsigned_abs();
        let mut not_compared = vec!["the name of the client".to_owned()];
        let [a, b] = self.alone;
        for (alone, which) in [(a, "first"), (b, "second")] {
            if alone > 0 {
                not_compared.push(format!("{alone} frames that only the {which} has"));
            }
        }
        Precision {
            of: "two clients, by the game clock".to_owned(),
            rounded: vec![Rounded {
                field: "time".to_owned(),
                max_error: ahead as f64,
                unit: "ms".to_owned(),
            }],
            not_compared,
        }
    }
}
