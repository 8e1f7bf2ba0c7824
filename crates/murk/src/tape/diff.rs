//! What differs between two recordings, down to the cell where both can be replayed.

use std::fmt::Write as _;

use gametape_core::tape::{Diff, Error, object};
use serde_json::{Map, Value, json};

use super::MurkTape;
use super::error::stopped;
use super::json::single;
use super::world::{self, WorldFile};
use crate::{
    Cause, CommandText, Difference, FrameDiff, Replay, StateDiff, VerifyError, diff_states, read,
};

pub(super) fn diff(
    ours: &MurkTape,
    theirs: &MurkTape,
    given: Option<&WorldFile>,
) -> Result<Diff, Error> {
    let (ours, theirs) = (&ours.input, &theirs.input);
    let a = ours.bytes().map_err(Error::Io)?;
    let a = read(&a)?;
    let b = theirs
        .bytes()
        .map_err(|error| Error::Io(error).of_other())?;
    let b = read(&b).map_err(|error| Error::from(error).of_other())?;
    let found = compare(&a, &b, given)?;
    let first = found.first.as_ref();
    let tick = first.and_then(|first| first.tick.or(first.other_tick));
    let time = tick
        .zip(world::tick_length(a.header()))
        .map(|(tick, dt)| world::time_of(tick, dt).ms());
    Ok(Diff {
        same: found.is_same(),
        first: first.map(sentence),
        step: first.map(|first| first.frame),
        tick,
        time_ms: time,
        more: found.more,
        details: first
            .map(|first| details(first, found.frames))
            .unwrap_or_default(),
        header: found
            .header
            .into_iter()
            .map(|(what, a, b)| [what.to_owned(), a, b])
            .collect(),
        exhaustive: true,
    })
}

fn compare(
    a: &Replay<'_>,
    b: &Replay<'_>,
    given: Option<&WorldFile>,
) -> Result<crate::Diff, Error> {
    // Which of the two it is, plain reading tells.
    let unreadable = |error: crate::Error| {
        let error = Error::from(error);
        if a.frames().any(|frame| frame.is_err()) {
            error
        } else {
            error.of_other()
        }
    };
    let worlds = [a, b].map(|replay| {
        let world = world::chosen(replay.header(), given)?;
        Some(world.map(|world| (world::misfit(replay.header(), &world).is_none(), world)))
    });
    match worlds {
        [Some(Ok((true, x))), Some(Ok((true, y)))] => {
            let given = given.map(|file| file.path.as_path());
            let mut x = world::build(&x, given)?;
            let mut y = world::build(&y, given).map_err(Error::of_other)?;
            diff_states(a, b, &mut x, &mut y).map_err(|error| match error {
                VerifyError::Read(error) => unreadable(error),
                error => stopped(error.to_string()),
            })
        }
        // One that somebody named has to be right.
        [Some(Err(error)), _] | [_, Some(Err(error))] if given.is_some() => Err(error.into()),
        _ => crate::diff(a, b).map_err(unreadable),
    }
}

fn sentence(first: &FrameDiff) -> String {
    let mut text = match (first.tick, first.other_tick) {
        (Some(tick), None) => {
            return format!(
                "frame {} (tick {tick}): the second recording has ended",
                first.frame
            );
        }
        (None, other) => {
            return format!(
                "frame {} (tick {}): the first recording has ended",
                first.frame,
                other.unwrap_or_default()
            );
        }
        (Some(a), Some(b)) if a != b => {
            format!(
                "frame {}: tick {a} in the first, tick {b} in the second",
                first.frame
            )
        }
        (Some(tick), _) => format!("frame {} (tick {tick})", first.frame),
    };
    // The place, and what differs there: all that can be said of it.
    let mut colon = ": ";
    // Writing to a string does not fail.
    if let Some((at, a, b)) = &first.command {
        let show = |command: &Option<CommandText>| {
            command
                .as_ref()
                .map_or_else(|| "nothing".to_owned(), ToString::to_string)
        };
        let _ = write!(
            text,
            "{colon}command {at} is {} in the first, {} in the second",
            show(a),
            show(b)
        );
        colon = "; ";
    }
    if let Some((a, b)) = first.hashes {
        let _ = write!(
            text,
            "{colon}hash {a:016x} in the first, {b:016x} in the second"
        );
        colon = "; ";
    }
    match &first.states {
        None => {}
        Some(StateDiff::Values(values, count)) if values.is_empty() => {
            let s = if *count == 1 { "" } else { "s" };
            let _ = write!(
                text,
                "{colon}{count} value{s} differ: the worlds have other fields or other cells"
            );
        }
        Some(StateDiff::Values(values, count)) => {
            let shown: Vec<String> = values
                .iter()
                .map(|value| {
                    format!(
                        "{} is {} in the first, {} in the second",
                        value.place(),
                        shown_value(value.replayed),
                        shown_value(value.recorded)
                    )
                })
                .collect();
            let _ = write!(text, "{colon}{}", shown.join("; "));
            if *count > values.len() as u64 {
                let _ = write!(text, "; {} more values", count - values.len() as u64);
            }
        }
        Some(StateDiff::Hashes(a, b)) => {
            for (which, cause) in [("first", a), ("second", b)] {
                let _ = match cause {
                    None => write!(text, "{colon}the {which} has the hash of its replay"),
                    Some(Cause::Value(value)) => write!(
                        text,
                        "{colon}in the {which}, {} was {} where the replay has {}",
                        value.place(),
                        shown_value(value.recorded),
                        shown_value(value.replayed)
                    ),
                    Some(_) => write!(
                        text,
                        "{colon}the {which} differs from its replay in more than one value, or it can't be told in which, or its hash is damaged"
                    ),
                };
                colon = "; ";
            }
        }
    }
    text
}

/// A value for people: a NaN with its bits, as there are many.
fn shown_value(value: f32) -> String {
    if value.is_nan() {
        format!("NaN ({:#010x})", value.to_bits())
    } else {
        format!("{value:?}")
    }
}

/// A value as `dump` writes it: what JSON has no number for is a string of its bits.
fn json_value(value: f32) -> Value {
    serde_json::from_str(&single(value)).unwrap_or(Value::Null)
}

fn details(first: &FrameDiff, frames: (u64, u64)) -> Map<String, Value> {
    // A recording that is right has what its replay has.
    let value = |value: &Difference, first: f32, second: f32| {
        json!({
            "field": value.field,
            "name": value.field_name,
            "element": value.element,
            "cell": value.location.as_ref().map(|location| location.coord.clone()),
            "component": value.location.as_ref().map(|location| location.component),
            "first": json_value(first),
            "second": json_value(second),
        })
    };
    let values: Vec<Value> = match &first.states {
        Some(StateDiff::Values(values, _)) => values
            .iter()
            .map(|v| value(v, v.replayed, v.recorded))
            .collect(),
        Some(StateDiff::Hashes(a, b)) => {
            let a = a.as_ref().and_then(Cause::value);
            let b = b.as_ref().and_then(Cause::value);
            let in_first = a.map(|v| value(v, v.recorded, v.replayed));
            let in_second = b.map(|v| value(v, v.replayed, v.recorded));
            in_first.into_iter().chain(in_second).collect()
        }
        None => Vec::new(),
    };
    let hash = |hash: u64| format!("{hash:016x}");
    object(json!({
        "ticks": [first.tick, first.other_tick],
        "command": first.command.as_ref().map(|command| command.0),
        "hashes": first.hashes.map(|(a, b)| [hash(a), hash(b)]),
        "values": values,
        "frames": [frames.0, frames.1],
    }))
}
