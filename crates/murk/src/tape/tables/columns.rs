//! The columns of the tables `ticks` and `commands`.

use gametape_core::table::{Field, Kind, Lane, Rows, Table};

use crate::engine::Outcome;
use crate::model::list::Coord;
use crate::{Command, Payload};

use Kind::{Float64, Text, Uint};

/// A tick: its hash as text, and the number of its commands.
pub(super) struct TickRow {
    pub hash: String,
    pub commands: u64,
    /// The hash of the replay, if that column is needed.
    pub replayed_hash: Option<String>,
}

impl Rows for TickRow {
    type Row<'a> = Self;
}

pub(super) const TICKS: Table<TickRow> = Table {
    name: "ticks",
    lane: Lane::Events,
    doc: "The ticks.",
    fields: &[
        Field::<TickRow>::new(
            "hash",
            Text,
            "The hash of the state after the tick, 16 hexadecimal digits.",
            |row| row.hash.as_str().into(),
        ),
        Field::<TickRow>::new(
            "commands",
            Uint,
            "The number of commands that were submitted.",
            |row| row.commands.into(),
        ),
        Field::<TickRow>::new(
            "replayed_hash",
            Text,
            "The hash of the state after the tick in the replay. From the first tick at which it is not the recorded \
             one, it is that of the replay, which goes on from its own states; missing without a world, and after a \
             tick that can't be replayed.",
            |row| row.replayed_hash.as_deref().into(),
        ),
    ],
};

/// A command.
pub(super) struct CommandRow<'a> {
    pub number: u64,
    pub command: Command<'a>,
    pub payload: Option<Payload<'a>>,
    /// The coordinate as text, if that column is needed.
    pub coord: String,
    pub outcome: Option<Outcome>,
}

/// Rows of [`CommandRow`].
pub(super) struct CommandRows;

impl Rows for CommandRows {
    type Row<'a> = CommandRow<'a>;
}

impl CommandRow<'_> {
    const fn entity(&self) -> Option<u64> {
        match self.payload {
            Some(Payload::Move { entity_id, .. } | Payload::Despawn { entity_id }) => {
                Some(entity_id)
            }
            _ => None,
        }
    }

    const fn value(&self) -> Option<f64> {
        match self.payload {
            Some(Payload::SetField { value, .. }) => Some(value as f64),
            Some(Payload::SetParameter { value, .. }) => Some(value),
            _ => None,
        }
    }
}

/// Returns the coordinate in a payload.
pub(super) fn coord<'a>(payload: Option<&Payload<'a>>) -> Option<Coord<'a>> {
    match payload? {
        Payload::Move { target: coord, .. }
        | Payload::Spawn { coord, .. }
        | Payload::SetField { coord, .. } => Some(*coord),
        _ => None,
    }
}

pub(super) const REPLAYED_HASH: usize = 2;
pub(super) const COORD: usize = 7;
pub(super) const OUTCOME: usize = 13;

pub(super) const COMMANDS: Table<CommandRows> = Table {
    name: "commands",
    lane: Lane::Events,
    doc: "The commands of each tick, in the order in which they were submitted.",
    fields: &[
        Field::<CommandRows>::new(
            "number",
            Uint,
            "The number of the command within its tick, from 0.",
            |row| row.number.into(),
        )
        .key(),
        Field::<CommandRows>::new(
            "kind",
            Text,
            "The kind of the command: `set_field`, `move`, `spawn` and so on; missing if its payload can't be read.",
            |row| row.payload.as_ref().map(Payload::name).into(),
        ),
        Field::<CommandRows>::new(
            "priority_class",
            Uint,
            "Lower classes are applied earlier.",
            |row| row.command.envelope.priority_class.into(),
        ),
        Field::<CommandRows>::new(
            "source_id",
            Uint,
            "The source that submitted the command.",
            |row| row.command.envelope.source_id.into(),
        )
        .wide(),
        Field::<CommandRows>::new("source_seq", Uint, "The source's own count.", |row| {
            row.command.envelope.source_seq.into()
        }),
        Field::<CommandRows>::new("arrival_seq", Uint, "The recorder's count.", |row| {
            row.command.envelope.arrival_seq.into()
        }),
        Field::<CommandRows>::new(
            "expires_after_tick",
            Uint,
            "The last tick at which the command is still applied; missing if it never expires.",
            |row| {
                let last = row.command.envelope.expires_after_tick;
                (last != u64::MAX).then_some(last).into()
            },
        )
        .unit("ticks"),
        Field::<CommandRows>::new(
            "coord",
            Text,
            "The cell that the command names, as numbers separated by commas.",
            |row| (!row.coord.is_empty()).then_some(row.coord.as_str()).into(),
        ),
        Field::<CommandRows>::new("field", Uint, "The field that the command sets.", |row| {
            let field = match row.payload {
                Some(Payload::SetField { field, .. }) => Some(field),
                _ => None,
            };
            field.into()
        }),
        Field::<CommandRows>::new(
            "value",
            Float64,
            "The value that the command sets.",
            |row| row.value().into(),
        ),
        Field::<CommandRows>::new("key", Uint, "The parameter that the command sets.", |row| {
            let key = match row.payload {
                Some(Payload::SetParameter { key, .. }) => Some(key),
                _ => None,
            };
            key.into()
        }),
        Field::<CommandRows>::new(
            "entity_id",
            Uint,
            "The entity that the command moves or removes.",
            |row| row.entity().into(),
        )
        .wide(),
        Field::<CommandRows>::new("payload_bytes", Uint, "The size of the payload.", |row| {
            (row.command.payload.len() as u64).into()
        })
        .unit("bytes"),
        Field::<CommandRows>::new(
            "outcome",
            Text,
            "The outcome in the replay: `applied`, `expired`, `unsupported`, `not_applied`, `refused` or `rolled_back`; missing without a world.",
            |row| row.outcome.map(Outcome::name).into(),
        ),
    ],
};
