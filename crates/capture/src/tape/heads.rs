//! The table of packets, with the values of their headers.

use gametape_core::table::{Field, Kind, Lane, Rows, Table, TableDef, Value};
use gametape_delta::wire::{self, Header};

use crate::packet::Packet;

/// A packet's header and size.
pub(super) struct Head {
    header: Option<Header>,
    bytes: usize,
}

impl Head {
    pub fn of(packet: &Packet<'_>) -> Self {
        Self {
            header: Header::read(packet.bytes).ok().map(|(header, _)| header),
            bytes: packet.bytes.len(),
        }
    }
}

impl Rows for Head {
    type Row<'a> = Self;
}

pub(super) const PACKETS: Table<Head> = Table {
    name: "packets",
    lane: Lane::Events,
    doc: "The packets of the stream, as they were sent; what the recorder added is left out.",
    fields: &[
        Field::<Head>::new(
            "kind",
            Kind::Text,
            "`full` or `delta`; missing where the header can't be read.",
            |row| {
                let kind = row.header.as_ref().map(|header| match header.kind {
                    wire::Kind::Full => "full",
                    wire::Kind::Delta { .. } => "delta",
                });
                kind.into()
            },
        ),
        Field::<Head>::new(
            "baseline",
            Kind::Uint,
            "Of a delta the tick of the state that it builds on.",
            |row| row.header.as_ref().and_then(Header::baseline).into(),
        )
        .unit("ticks"),
        Field::<Head>::new("bytes", Kind::Uint, "Its size.", |row| {
            (row.bytes as u64).into()
        })
        .unit("bytes"),
    ],
};

/// The table of packets.
pub(super) fn packets() -> TableDef {
    PACKETS.def()
}

/// The value of a column of this table.
pub(super) fn head(packet: &Packet<'_>, column: usize) -> Value<'static> {
    let head = Head::of(packet);
    match PACKETS.value(&head, column) {
        Value::Text("full") => Value::Text("full"),
        Value::Text(_) => Value::Text("delta"),
        Value::Uint(value) => Value::Uint(value),
        _ => Value::Null,
    }
}
