//! The difference between two recordings: down to the cell, if both can be replayed.

use std::cell::Cell;

use gametape_core::ToDatum as _;
use gametape_core::tape::{Diff, Error, Work, object};
use gametape_core::text::Grouped;
use serde_json::{Map, Value, json};

use super::error::stopped;
use super::opened::MurkTape;
use super::world::{self, WorldFile};
use crate::engine::own::Kinds;
use crate::model::payload::ShownValue;
use crate::replay::diff::{diff_states_while, diff_while};
use crate::{
    Cause, CommandText, Difference, Frame, FrameDiff, Hash, Replay, StateDiff, VerifyError, read,
};

pub(super) fn diff(ours: &MurkTape, theirs: &MurkTape, work: &Work<'_>) -> Result<Diff, Error> {
    work.wanted()?;
    let given = ours.given();
    let kinds = ours.kinds();
    let dt = ours.tick_length(ours.reader().header()?)?;
    let (ours, theirs) = (&ours.input, &theirs.input);
    let a = ours.bytes().map_err(Error::Io)?;
    let a = read(&a)?;
    let b = theirs
        .bytes()
        .map_err(|error| Error::Io(error).of_other())?;
    let b = read(&b).map_err(|error| Error::from(error).of_other())?;
    let found = compare(&a, &b, (given, kinds), work);
    // The differences that were found until then are of no use.
    work.wanted()?;
    let found = found?;
    let first = found.first.as_ref();
    let tick = first.and_then(|first| first.tick.or(first.other_tick));
    let time = tick.zip(dt).map(|(tick, dt)| world::time_of(tick, dt).ms());
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
        ..Diff::default()
    })
}

fn compare(
    a: &Replay<'_>,
    b: &Replay<'_>,
    (given, kinds): (Option<&WorldFile>, &Kinds),
    work: &Work<'_>,
) -> Result<crate::Diff, Error> {
    // The frames are visited again when they are replayed; progress does not go back.
    let furthest = Cell::new(0);
    let goes_on = |frame: &Frame<'_>| {
        furthest.set(furthest.get().max(frame.offset));
        work.done(furthest.get()).is_ok()
    };
    // Reading one of them shows which one it is.
    let unreadable = |error: crate::Error| {
        let error = Error::from(error);
        if a.frames().any(|frame| frame.is_err()) {
            error
        } else {
            error.of_other()
        }
    };
    let worlds = [a, b].map(|replay| {
        let world = world::chosen(replay.header(), given, kinds)?;
        Some(world.map(|world| (world::misfit(replay.header(), &world).is_none(), world)))
    });
    match worlds {
        [Some(Ok((true, x))), Some(Ok((true, y)))] => {
            let given = given.map(|file| file.path.as_path());
            let mut x = world::build(&x, given)?;
            let mut y = world::build(&y, given).map_err(Error::of_other)?;
            diff_states_while([a, b], &mut x, &mut y, &goes_on).map_err(|error| match error {
                VerifyError::Read(error) => unreadable(error),
                error => stopped(error.to_string()),
            })
        }
        // A broken world file is an error.
        [Some(Err(error)), _] | [_, Some(Err(error))] if given.is_some() => Err(error.into()),
        _ => diff_while(a, b, &goes_on).map_err(unreadable),
    }
}

fn sentence(first: &FrameDiff) -> String {
    let frame = Grouped(first.frame);
    let place = match (first.tick, first.other_tick) {
        (Some(tick), None) => {
            let tick = Grouped(tick);
            return format!("frame {frame} (tick {tick}): the second recording has ended");
        }
        (None, other) => {
            let tick = Grouped(other.unwrap_or_default());
            return format!("frame {frame} (tick {tick}): the first recording has ended");
        }
        (Some(a), Some(b)) if a != b => {
            let [a, b] = [a, b].map(Grouped);
            format!("frame {frame}: tick {a} in the first, tick {b} in the second")
        }
        (Some(tick), _) => format!("frame {frame} (tick {})", Grouped(tick)),
    };
    let mut parts = Vec::new();
    if let Some((at, a, b)) = &first.command {
        let show = |command: &Option<CommandText>| {
            let nothing = || "nothing".to_owned();
            command.as_ref().map_or_else(nothing, ToString::to_string)
        };
        let (a, b) = (show(a), show(b));
        parts.push(format!(
            "command {at} is {a} in the first, {b} in the second"
        ));
    }
    if let Some((a, b)) = first.hashes {
        let (a, b) = (Hash(a), Hash(b));
        parts.push(format!("hash {a} in the first, {b} in the second"));
    }
    if let Some(states) = &first.states {
        put_states(states, &mut parts);
    }
    if parts.is_empty() {
        place
    } else {
        format!("{place}: {}", parts.join("; "))
    }
}

fn put_states(states: &StateDiff, parts: &mut Vec<String>) {
    match states {
        StateDiff::Values(values, count) if values.is_empty() => {
            let s = if *count == 1 { "" } else { "s" };
            parts.push(format!(
                "{count} value{s} differ: the worlds have other fields or other cells"
            ));
        }
        StateDiff::Values(values, count) => {
            parts.extend(values.iter().map(|value| {
                let (ours, theirs) = (ShownValue(value.replayed), ShownValue(value.recorded));
                let place = value.place();
                format!("{place} is {ours} in the first, {theirs} in the second")
            }));
            if *count > values.len() as u64 {
                parts.push(format!("{} more values", count - values.len() as u64));
            }
        }
        StateDiff::Hashes(a, b) => parts.extend([("first", a), ("second", b)].map(
            |(which, cause)| match cause {
                None => format!("the {which} has the hash of its replay"),
                Some(Cause::Value(value)) => format!(
                    "in the {which}, {} was {} where the replay has {}",
                    value.place(),
                    ShownValue(value.recorded),
                    ShownValue(value.replayed)
                ),
                Some(_) => format!(
                    "the {which} differs from its replay in more than one value, or the value can't be determined, or its hash is damaged"
                ),
            },
        )),
    }
}

fn value(value: &Difference, first: f32, second: f32) -> Value {
    json!({
        "field": value.field,
        "name": value.field_name,
        "element": value.element,
        "cell": value.location.as_ref().map(|location| location.coord.clone()),
        "component": value.location.as_ref().map(|location| location.component),
        "first": Value::from(ShownValue(first).to_datum()),
        "second": Value::from(ShownValue(second).to_datum()),
    })
}

/// Returns a value in which two states differ, with the first state as the replayed one.
pub(crate) fn of_both(difference: &Difference) -> Value {
    value(difference, difference.replayed, difference.recorded)
}

fn details(first: &FrameDiff, frames: (u64, u64)) -> Map<String, Value> {
    // If a recording has the hash of its replay, its values are those of the replay.
    let values: Vec<Value> = match &first.states {
        Some(StateDiff::Values(values, _)) => values.iter().map(of_both).collect(),
        Some(StateDiff::Hashes(a, b)) => {
            let a = a.as_ref().and_then(Cause::value);
            let b = b.as_ref().and_then(Cause::value);
            let in_first = a.map(|v| value(v, v.recorded, v.replayed));
            let in_second = b.map(|v| value(v, v.replayed, v.recorded));
            in_first.into_iter().chain(in_second).collect()
        }
        None => Vec::new(),
    };
    object(json!({
        "ticks": [first.tick, first.other_tick],
        "command": first.command.as_ref().map(|command| command.0),
        "hashes": first.hashes.map(|(a, b)| [a, b].map(|hash| Hash(hash).to_string())),
        "values": values,
        "frames": [frames.0, frames.1],
    }))
}
