//! Compares two recordings of packets tick by tick, state by state.
//!
//! Their tables do not decide whether they are the same: the same states may come in other packets,
//! and an entity without components is in no table.

use std::iter::{self, Peekable};

use gametape_core::Time;
use gametape_core::tape::{Diff, Error, Work, object};
use gametape_core::text::{Counted, Grouped};
use gametape_delta::wire::Header;
use gametape_delta::{Entity, Field, Part, Snapshot, Value};
use serde_json::{Map, json};

use crate::layout::Role;
use crate::packets::{Clock, Packet, Packets};
use crate::replay::{Replay, beside};
use crate::rule::{self, Finding, fault};

/// Compares two recordings; faults of the second one are [`Error::Other`].
pub(super) fn diff(a: &Packets<'_>, b: &Packets<'_>, work: &Work<'_>) -> Result<Diff, Error> {
    let mut diff = Diff::default();
    if let (Some(a), Some(b)) = (a.tick_ns(), b.tick_ns())
        && a != b
    {
        diff.header
            .push(["tick_ns".into(), a.to_string(), b.to_string()]);
    }
    if a.schema().hash() == b.schema().hash() {
        compare_all(a, b, &mut diff, work)?;
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

fn compare_all(
    a: &Packets<'_>,
    b: &Packets<'_>,
    diff: &mut Diff,
    work: &Work<'_>,
) -> Result<(), Error> {
    let of_other = |error: rule::Error| Error::from(error).of_other();
    let mut clock = Clock::new(a.tick_ns().or_else(|| b.tick_ns()));
    let (mut ours, mut theirs) = (side(a)?, side(b).map_err(of_other)?);
    let (mut x, mut y) = (ours.next()?, theirs.next().map_err(of_other)?);
    let mut last = [None; 2];
    loop {
        let [at, other] = [&x, &y].map(|next| next.as_ref()?.as_ref().ok());
        let [a, b] = [at, other].map(|at| at.map(|(tick, _)| *tick));
        // Time starts at the first tick of all.
        let tick = a.into_iter().chain(b).min();
        let time = tick.and_then(|tick| clock.time(tick));
        let found = match (&x, &y, last) {
            (None, None, _) => return Ok(()),
            // Without any state there is nothing to compare.
            (Some(Err(error)), Some(Err(_)), _) | (Some(Err(error)), _, [None, _]) => {
                return Err(rule::Error::from(error.clone()).into());
            }
            (_, Some(Err(error)), [_, None]) => return Err(of_other(error.clone().into())),
            (Some(Err(error)), _, [Some(last), _]) => Some(Found::end("first", last, error)),
            (_, Some(Err(error)), [_, Some(last)]) => Some(Found::end("second", last, error)),
            _ if a == b => {
                let states = ours.replay.state().zip(theirs.replay.state());
                states.and_then(|(a, b)| compare(a, b))
            }
            _ => Some(Found::tick(a, b)),
        };
        match found {
            Some(_) if diff.first.is_some() => diff.more += 1,
            Some(found) => {
                let at = if a == tick { at } else { other };
                diff.step = at.map(|(_, step)| *step);
                diff.tick = tick.map(u64::from);
                diff.time_ms = time.map(Time::ms);
                diff.first = Some(found.sentence);
                diff.details = found.details;
            }
            None => {}
        }
        if matches!(x, Some(Err(_))) || matches!(y, Some(Err(_))) {
            return Ok(());
        }
        work.done(ours.offset)?;
        if a == tick {
            (x, last[0]) = (ours.next()?, tick);
        }
        if b == tick {
            (y, last[1]) = (theirs.next().map_err(of_other)?, tick);
        }
    }
}

/// A recording, read tick by tick.
struct Side<P: Iterator<Item = Read>> {
    packets: Peekable<P>,
    /// Has the state of the tick.
    replay: Replay,
    /// The offset of the last packet.
    offset: u64,
}

/// A packet: its index, offset, role and bytes.
type Read = Result<(u64, u64, Role, Vec<u8>), rule::Error>;
/// A tick, and the index of the last packet of this tick; or why the recording breaks off before it.
/// `None` at the end.
type Next = Option<Result<(u32, u64), Finding>>;

fn side(packets: &Packets<'_>) -> Result<Side<impl Iterator<Item = Read>>, rule::Error> {
    let mut cursor = packets.cursor();
    let owned = iter::from_fn(move || {
        loop {
            return match cursor.next_packet() {
                Ok(Some(packet)) if packet.role == Role::Added => continue,
                Ok(Some(packet)) => {
                    let bytes = packet.bytes.to_vec();
                    Some(Ok((packet.index, packet.offset, packet.role, bytes)))
                }
                // A part that was cut off cannot be compared.
                Ok(None) => packets.problem().map(Err),
                Err(error) => Some(Err(error)),
            };
        }
    });
    Ok(Side {
        packets: owned.peekable(),
        replay: packets.replay()?,
        offset: 0,
    })
}

impl<P: Iterator<Item = Read>> Side<P> {
    /// Goes to the next tick. A full snapshot may have the same tick as the packet before it. An
    /// error means that the recording cannot be read.
    fn next(&mut self) -> Result<Next, rule::Error> {
        let mut at = None;
        let is_of = |tick: u32, packet: &Read| {
            let header = packet.as_ref().ok().map(|packet| Header::read(&packet.3));
            matches!(header, Some(Ok((header, _))) if header.tick == tick)
        };
        while let Some(packet) = self
            .packets
            .next_if(|packet| at.is_none_or(|(tick, _)| is_of(tick, packet)))
        {
            let applied = packet.and_then(|(index, offset, role, bytes)| {
                self.offset = offset;
                let packet = Packet {
                    bytes: &bytes,
                    index,
                    offset,
                    role,
                    times: None,
                };
                Ok((self.replay.apply(&packet)?.tick(), index))
            });
            match applied {
                Ok(tick) => at = Some(tick),
                Err(error) => return Ok(Some(Err(fault(error)?))),
            }
        }
        Ok(at.map(Ok))
    }
}

/// A difference: the sentence, and its data.
struct Found {
    sentence: String,
    details: Map<String, serde_json::Value>,
}

impl Found {
    fn new(sentence: String, details: serde_json::Value) -> Self {
        let details = object(details);
        Self { sentence, details }
    }

    /// One recording cannot be followed any further.
    fn end(which: &str, last: u32, error: &Finding) -> Self {
        let error = rule::Error::from(error.clone()).to_string();
        Self::new(
            format!(
                "after tick {} the {which} recording can't be followed: {error}",
                Grouped(last.into())
            ),
            json!({ "ends": which, "last_tick": last, "error": error }),
        )
    }

    /// One recording does not have a tick.
    fn tick(a: Option<u32>, b: Option<u32>) -> Self {
        let is_first = a.is_some_and(|a| b.is_none_or(|b| a < b));
        let (lacks, [tick, next]) = if is_first {
            ("second", [a, b])
        } else {
            ("first", [b, a])
        };
        let tick = Grouped(tick.unwrap_or_default().into());
        let sentence = match next.map(|next| Grouped(next.into())) {
            Some(next) => format!(
                "tick {tick}: the {lacks} recording has no packet of this tick, its next is of tick {next}"
            ),
            None => format!("tick {tick}: the {lacks} recording has ended"),
        };
        Self::new(sentence, json!({ "ticks": [a, b] }))
    }
}

/// Returns the first difference between two states of the same tick, with the number of entities
/// and of values that differ.
fn compare(a: &Snapshot, b: &Snapshot) -> Option<Found> {
    if a.same_entities(b) {
        return None;
    }
    let tick = a.tick();
    let mut first = None;
    let (mut entities, mut values) = (0_u64, 0_u64);
    for pair in beside(a, b) {
        let found = match pair {
            (Some(x), Some(y)) if x.same_values(&y) => continue,
            (Some(x), Some(y)) => of_entity(tick, &x, &y, &mut values),
            (one, other) => {
                let id = one.or(other).map_or(0, |entity| entity.id());
                let details = json!({ "tick": tick, "entity": id });
                Some(lacking(
                    &format!("tick {}: entity {id} is", Grouped(tick.into())),
                    details,
                    one.is_some(),
                ))
            }
        };
        entities += 1;
        first = first.or(found);
    }
    let mut found = first?;
    found.details.insert("entities".into(), entities.into());
    found.details.insert("values".into(), values.into());
    let more = match entities {
        1 => return Some(found),
        2 => "1 more entity differs".to_owned(),
        _ => format!("{} differ", Counted(entities - 1, "more entity")),
    };
    found.sentence = format!("{}; at this tick {more}", found.sentence);
    Some(found)
}

fn of_entity(tick: u32, x: &Entity<'_>, y: &Entity<'_>, values: &mut u64) -> Option<Found> {
    let id = x.id();
    let mut first = None;
    let both = x.components().map(|part| (y.component(part.id()), part));
    let only_second = y
        .components()
        .filter(|part| x.component(part.id()).is_none());
    for (other, part) in both.chain(only_second.map(|part| (None, part))) {
        let component = part.id();
        let Some(other) = other else {
            first.get_or_insert_with(|| {
                let name = in_brackets(part.definition().name.as_deref());
                lacking(
                    &format!(
                        "tick {}: entity {id} has component {component}{name}",
                        Grouped(tick.into())
                    ),
                    json!({ "tick": tick, "entity": id, "component": component }),
                    x.component(component).is_some(),
                )
            });
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
    first
}

/// One state lacks what the sentence begins with.
fn lacking(what: &str, details: serde_json::Value, is_in_first: bool) -> Found {
    let (has, lacks) = if is_in_first {
        ("first", "second")
    } else {
        ("second", "first")
    };
    let mut found = Found::new(
        format!("{what} in the {has} and not in the {lacks}"),
        details,
    );
    found.details.insert("missing_in".into(), lacks.into());
    found
}

/// Returns the full name of a field: `component 1 (ship), field 2 (x)`.
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

fn number(value: Value) -> serde_json::Value {
    match value {
        Value::Bool(value) => value.into(),
        Value::UInt(value) => value.into(),
        Value::SInt(value) | Value::FixedPoint(value) => value.into(),
        Value::VarUInt(value) => value.into(),
        Value::VarSInt(value) => value.into(),
    }
}
