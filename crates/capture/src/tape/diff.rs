//! Compares two recordings of packets tick by tick, state by state.

use gametape_core::Time;
use gametape_core::tape::{Diff, Error, object};
use gametape_delta::wire::Header;
use gametape_delta::{Entity, Field, Part, Snapshot, Value};
use serde_json::{Map, json};

use crate::beside::beside;
use crate::clock::Clock;
use crate::cursor::Cursor;
use crate::layout::Role;
use crate::packet::Packet;
use crate::replay::Replay;
use crate::rule::{self, fault};
use crate::stream::Packets;

/// Compares two recordings tick by tick; faults of the second one are [`Error::Other`].
pub(super) fn diff(a: &Packets<'_>, b: &Packets<'_>) -> Result<Diff, Error> {
    let mut diff = Diff::default();
    if let (Some(a), Some(b)) = (a.tick_ns(), b.tick_ns())
        && a != b
    {
        diff.header
            .push(["tick_ns".into(), a.to_string(), b.to_string()]);
    }
    if a.schema().hash() == b.schema().hash() {
        compare_all(a, b, &mut diff)?;
        diff.same = diff.first.is_none() && diff.header.is_empty();
        return Ok(diff);
    }
    let [first, second] = [a, b].map(|packets| format!("{:016x}", packets.schema().hash()));
    let differences = a.schema().differences(b.schema());
    let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
    diff.header.push(["schema".into(), first, second]);
    diff.first = Some(format!(
        "the schemas differ, between the first (here) and the second (there): {}",
        differences.join("; ")
    ));
    diff.details.insert("schema".into(), differences.into());
    Ok(diff)
}

fn compare_all(a: &Packets<'_>, b: &Packets<'_>, diff: &mut Diff) -> Result<(), Error> {
    let mut clock = Clock::new(a.tick_ns().or_else(|| b.tick_ns()));
    let mut left = Steps::new(a)?;
    let mut right = Steps::new(b).map_err(of_other)?;
    left.start()?;
    right.start().map_err(of_other)?;
    loop {
        let (a, b) = (left.tick, right.tick);
        // Time starts at the first tick of all.
        let tick = a.into_iter().chain(b).min();
        let time = tick.and_then(|tick| clock.time(tick));
        let found = match (a, b, left.failed.take(), right.failed.take()) {
            (None, None, None, None) => break,
            (None, None, Some(error), Some(_)) => return Err(error.into()),
            (None, _, Some(error), _) => Some((Found::end("first", left.last, &error), true)),
            (_, None, _, Some(error)) => Some((Found::end("second", right.last, &error), true)),
            (Some(a), Some(b), ours, theirs) if a == b => {
                (left.failed, right.failed) = (ours, theirs);
                let states = left.replay.state().zip(right.replay.state());
                let found = states.and_then(|(a, b)| compare(a, b));
                found.map(|found| (found, false))
            }
            (a, b, ours, theirs) => {
                (left.failed, right.failed) = (ours, theirs);
                Some((Found::tick(a, b), false))
            }
        };
        if let Some((found, is_end)) = found {
            let step = if a == tick {
                left.made_by
            } else {
                right.made_by
            };
            found.note(step.filter(|_| tick.is_some()), tick, time, diff);
            if is_end {
                break;
            }
        }
        if b.is_none_or(|b| a.is_some_and(|a| a <= b)) {
            left.step()?;
        }
        if a.is_none_or(|a| b.is_some_and(|b| b <= a)) {
            right.step().map_err(of_other)?;
        }
    }
    Ok(())
}

/// An error of the second recording.
fn of_other(error: rule::Error) -> Error {
    Error::from(error).of_other()
}

/// Iterates over the states of a recording.
struct Steps<'a> {
    packets: &'a Packets<'a>,
    cursor: Cursor<'a>,
    replay: Replay,
    /// The next packet: its index, offset and role.
    ahead: Option<(u64, u64, Role)>,
    bytes: Vec<u8>,
    /// The tick of the state; `None` at the end.
    tick: Option<u32>,
    /// The index of the packet that led to the state.
    made_by: Option<u64>,
    /// The last tick that had a state.
    last: Option<u32>,
    /// Why the recording ends there.
    failed: Option<rule::Error>,
}

impl<'a> Steps<'a> {
    fn new(packets: &'a Packets<'_>) -> Result<Self, rule::Error> {
        Ok(Self {
            packets,
            cursor: packets.cursor(),
            replay: packets.replay()?,
            ahead: None,
            bytes: Vec::new(),
            tick: None,
            made_by: None,
            last: None,
            failed: None,
        })
    }

    /// Goes to the first state; without any state there is nothing to compare.
    fn start(&mut self) -> Result<(), rule::Error> {
        self.step()?;
        match (self.tick, self.failed.take()) {
            (None, Some(error)) => Err(error),
            (_, failed) => {
                self.failed = failed;
                Ok(())
            }
        }
    }

    /// Goes to the next tick; a full snapshot may have the same tick as the packet before it. The
    /// recording ends at a problem of its content; an error means that it cannot be read.
    fn step(&mut self) -> Result<(), rule::Error> {
        let before = self.tick.take();
        let result = self.try_step(before.is_none());
        self.last = self.tick.or(before);
        if let Err(error) = result {
            self.ahead = None;
            self.failed = Some(fault(error)?.into());
        } else if self.tick.is_none() {
            // A part that was cut off cannot be compared.
            self.failed = self.failed.take().or_else(|| self.packets.problem());
        }
        Ok(())
    }

    fn try_step(&mut self, is_first: bool) -> Result<(), rule::Error> {
        if is_first && self.ahead.is_none() {
            self.look()?;
        }
        while let Some((index, offset, role)) = self.ahead {
            let tick = Header::read(&self.bytes)
                .ok()
                .map(|(header, _)| header.tick);
            if self.tick.is_some() && tick != self.tick {
                break;
            }
            let packet = Packet {
                bytes: &self.bytes,
                index,
                offset,
                role,
                times: None,
            };
            self.tick = Some(self.replay.apply(&packet)?.tick());
            self.made_by = Some(index);
            self.look()?;
        }
        Ok(())
    }

    /// Reads the next packet.
    fn look(&mut self) -> Result<(), rule::Error> {
        self.ahead = None;
        while let Some(packet) = self.cursor.next_packet()? {
            if packet.role != Role::Added {
                self.bytes.clear();
                self.bytes.extend_from_slice(packet.bytes);
                self.ahead = Some((packet.index, packet.offset, packet.role));
                break;
            }
        }
        Ok(())
    }
}

struct Found {
    sentence: String,
    details: Map<String, serde_json::Value>,
}

impl Found {
    fn new(sentence: String, details: serde_json::Value) -> Self {
        let details = object(details);
        Self { sentence, details }
    }

    /// Reports the first difference and counts the others.
    fn note(self, step: Option<u64>, tick: Option<u32>, time: Option<Time>, diff: &mut Diff) {
        if diff.first.is_some() {
            diff.more += 1;
            return;
        }
        diff.step = step;
        diff.tick = tick.map(u64::from);
        diff.time_ms = time.map(Time::ms);
        diff.first = Some(self.sentence);
        diff.details = self.details;
    }

    /// A difference: one recording cannot be followed any further.
    fn end(which: &str, last: Option<u32>, error: &rule::Error) -> Self {
        let last = last.unwrap_or_default();
        Self::new(
            format!("behind tick {last} the {which} recording can't be followed: {error}"),
            json!({ "ends": which, "last_tick": last, "error": error.to_string() }),
        )
    }

    /// A difference: one recording does not have a tick.
    fn tick(a: Option<u32>, b: Option<u32>) -> Self {
        let sentence = match (a, b) {
            (Some(a), Some(b)) => {
                let (which, tick, next) = if a < b {
                    ("second", a, b)
                } else {
                    ("first", b, a)
                };
                format!(
                    "tick {tick}: the {which} recording has no packet of this tick, its next is of tick {next}"
                )
            }
            (Some(a), None) => format!("tick {a}: the second recording has ended"),
            (None, b) => format!(
                "tick {}: the first recording has ended",
                b.unwrap_or_default()
            ),
        };
        Self::new(sentence, json!({ "ticks": [a, b] }))
    }
}

/// The full name of a field: `component 1 (ship), field 2 (x)`.
fn field_name(part: &Part<'_>, field: &Field) -> String {
    format!(
        "component {}{}, field {}{}",
        part.id(),
        in_brackets(part.definition().name.as_deref()),
        field.id,
        in_brackets(field.name.as_deref())
    )
}

fn in_brackets(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" ({name})"))
}

/// The first difference between two states of the same tick, and the total number of different
/// values.
fn compare(a: &Snapshot, b: &Snapshot) -> Option<Found> {
    if a.same_entities(b) {
        return None;
    }
    let tick = a.tick();
    let mut first: Option<Found> = None;
    let mut entities = 0_u64;
    let mut values = 0_u64;
    for pair in beside(a, b) {
        let found = match pair {
            (Some(x), Some(y)) if x.same_values(&y) => continue,
            (Some(x), Some(y)) => of_entity(tick, &x, &y, &mut values),
            (one, other) => {
                let id = one.or(other).map_or(0, |entity| entity.id());
                let (has, lacks) = if one.is_some() {
                    ("first", "second")
                } else {
                    ("second", "first")
                };
                Some(Found::new(
                    format!("tick {tick}: entity {id} is in the {has} and not in the {lacks}"),
                    json!({ "tick": tick, "entity": id, "missing_in": lacks }),
                ))
            }
        };
        entities += 1;
        first = first.or(found);
    }
    let mut found = first?;
    found.details.insert("entities".into(), entities.into());
    found.details.insert("values".into(), values.into());
    let others = entities - 1;
    if others > 0 {
        let (of, differ) = if others == 1 {
            ("entity", "differs")
        } else {
            ("entities", "differ")
        };
        found.sentence = format!(
            "{}; at this tick {others} more {of} {differ}",
            found.sentence
        );
    }
    Some(found)
}

fn of_entity(tick: u32, x: &Entity<'_>, y: &Entity<'_>, values: &mut u64) -> Option<Found> {
    let id = x.id();
    let mut first = None;
    for part in x.components() {
        let component = part.id();
        let Some(other) = y.component(component) else {
            first.get_or_insert_with(|| lacking(tick, id, &part, "first", "second"));
            continue;
        };
        let fields = &part.definition().fields;
        for ((a, b), field) in part.values().zip(other.values()).zip(fields) {
            if a == b {
                continue;
            }
            *values += 1;
            first.get_or_insert_with(|| {
                let name = field_name(&part, field);
                Found::new(
                    format!(
                        "tick {tick}: entity {id}, {name} is {a} in the first, {b} in the second"
                    ),
                    json!({
                        "tick": tick,
                        "entity": id,
                        "component": component,
                        "field": field.id,
                        "name": field.name,
                        "first": number(a),
                        "second": number(b),
                    }),
                )
            });
        }
    }
    for part in y.components() {
        if x.component(part.id()).is_none() {
            first.get_or_insert_with(|| lacking(tick, id, &part, "second", "first"));
        }
    }
    first
}

fn lacking(tick: u32, entity: u32, part: &Part<'_>, has: &str, lacks: &str) -> Found {
    let component = part.id();
    let name = in_brackets(part.definition().name.as_deref());
    Found::new(
        format!(
            "tick {tick}: entity {entity} has component {component}{name} in the {has} and not in the {lacks}"
        ),
        json!({ "tick": tick, "entity": entity, "component": component, "missing_in": lacks }),
    )
}

fn number(value: Value) -> serde_json::Value {
    match value {
        Value::Bool(value) => value.into(),
        Value::UInt(value) => value.into(),
        Value::SInt(value) | Value::FixedPoint(value) => value.into(),
        Value::VarUInt(value) => value.into(),
        Value::VarSInt(value) => value.into(),
    }
}
