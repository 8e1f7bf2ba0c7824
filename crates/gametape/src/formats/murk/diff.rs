//! What differs between two recordings, down to the cell where both can be replayed.

use std::fmt::Write as _;
use std::path::Path;

use gametape_murk::{self as format, Cause, Difference, FrameDiff, StateDiff};
use serde_json::{Map, Value, json};

use super::{broken, world};
use crate::source::Source;
use crate::{Check, Diff, Error};

pub(super) fn diff(paths: [&Path; 2], sources: [&Source; 2], check: &Check) -> Result<Diff, Error> {
    let [path, other] = paths;
    let [ours, theirs] = sources;
    let a = format::read(ours).map_err(|error| broken(path, error))?;
    let b = format::read(theirs).map_err(|error| broken(other, error))?;
    let found = match (
        world::chosen(a.header(), check),
        world::chosen(b.header(), check),
    ) {
        (Some(Ok(x)), Some(Ok(y))) => {
            let mut x = world::build(path, &x)?;
            let mut y = world::build(other, &y)?;
            format::diff_states(&a, &b, &mut x, &mut y).map_err(|error| match error {
                // Which of the two it is, plain reading tells.
                format::VerifyError::Read(error) => {
                    let first = a.frames().find_map(Result::err);
                    broken(if first.is_some() { path } else { other }, error)
                }
                error => Error::Simulation {
                    path: path.to_owned(),
                    message: error.to_string(),
                },
            })?
        }
        (Some(Err(message)), _) | (_, Some(Err(message))) if check.world.is_some() => {
            return Err(Error::World {
                path: path.to_owned(),
                message,
            });
        }
        _ => format::diff(&a, &b).map_err(|error| {
            let first = a.frames().find_map(Result::err);
            broken(if first.is_some() { path } else { other }, error)
        })?,
    };
    let same = found.is_same();
    let first = found.first.as_ref().map(sentence);
    Ok(Diff {
        same,
        first,
        tick: found
            .first
            .as_ref()
            .and_then(|first| first.tick.or(first.other_tick)),
        more: found.more,
        header: found
            .header
            .into_iter()
            .map(|(what, a, b)| [what.to_owned(), a, b])
            .collect(),
        details: found
            .first
            .as_ref()
            .map(|first| details(first, found.frames))
            .unwrap_or_default(),
    })
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
    // Writing to a string does not fail.
    if let Some((at, a, b)) = &first.command {
        let show = |command: &Option<format::CommandText>| {
            command
                .as_ref()
                .map_or_else(|| "nothing".to_owned(), ToString::to_string)
        };
        let _ = write!(
            text,
            ": command {at} is {} in the first, {} in the second",
            show(a),
            show(b)
        );
    }
    if let Some((a, b)) = first.hashes {
        let _ = write!(text, ": hash {a:016x} in the first, {b:016x} in the second");
    }
    match &first.states {
        None => {}
        Some(StateDiff::Values(values, count)) => {
            let shown: Vec<String> = values
                .iter()
                .map(|value| {
                    format!(
                        "{} is {:?} in the first, {:?} in the second",
                        value.place(),
                        value.replayed,
                        value.recorded
                    )
                })
                .collect();
            let _ = write!(text, ": {}", shown.join("; "));
            if *count > values.len() as u64 {
                let _ = write!(text, "; {} more values", count - values.len() as u64);
            }
        }
        Some(StateDiff::Hashes(a, b)) => {
            for (which, cause) in [("first", a), ("second", b)] {
                let _ = match cause {
                    None => write!(text, ": the {which} has the hash of its replay"),
                    Some(Cause::Value(value)) => write!(
                        text,
                        ": in the {which}, {} was {:?} where the replay has {:?}",
                        value.place(),
                        value.recorded,
                        value.replayed
                    ),
                    Some(_) => write!(
                        text,
                        ": the {which} differs from its replay in more than one value, or it can't be told in which"
                    ),
                };
            }
        }
    }
    text
}

fn details(first: &FrameDiff, frames: (u64, u64)) -> Map<String, Value> {
    let value = |value: &Difference| {
        json!({
            "field": value.field,
            "name": value.field_name,
            "element": value.element,
            "cell": value.location.as_ref().map(|location| location.coord.clone()),
            "component": value.location.as_ref().map(|location| location.component),
        })
    };
    let values: Vec<Value> = match &first.states {
        Some(StateDiff::Values(values, _)) => values.iter().map(value).collect(),
        Some(StateDiff::Hashes(a, b)) => [a, b]
            .into_iter()
            .flatten()
            .filter_map(Cause::value)
            .map(value)
            .collect(),
        None => Vec::new(),
    };
    let hash = |hash: u64| format!("{hash:016x}");
    let object = json!({
        "frame": first.frame,
        "ticks": [first.tick, first.other_tick],
        "command": first.command.as_ref().map(|command| command.0),
        "hashes": first.hashes.map(|(a, b)| [hash(a), hash(b)]),
        "values": values,
        "frames": [frames.0, frames.1],
    });
    match object {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
