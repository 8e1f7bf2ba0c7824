//! The tables about packets: the packets, the purposes of their bits, and the sums of these.

use std::ops::ControlFlow;

use gametape_core::Stamp;
use gametape_core::table::{Field, Kind, Lane, Position, Rows, Scanning, Table, TableDef, Value};
use gametape_delta::wire::{self, Header};
use gametape_delta::{Decoder, Schema, Share, Size, Sizes, Tag};

use crate::layout::Role;
use crate::limits::decoder;
use crate::packets::{Packet, Packets};
use crate::rule::{Error, Finding, fault};

/// A packet's header and size.
pub(crate) struct PacketHead {
    header: Option<Header>,
    bytes: usize,
}

impl PacketHead {
    pub fn of(packet: &Packet<'_>) -> Self {
        Self {
            header: Header::read(packet.bytes).ok().map(|(header, _)| header),
            bytes: packet.bytes.len(),
        }
    }
}

impl Rows for PacketHead {
    type Row<'a> = Self;
}

pub(crate) const PACKETS: Table<PacketHead> = Table {
    name: "packets",
    lane: Lane::Events,
    doc: "The packets of the stream, as they were sent; what the recorder added is left out.",
    fields: &[
        Field::<PacketHead>::new(
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
        Field::<PacketHead>::new(
            "baseline",
            Kind::Uint,
            "Of a delta the tick of the state that it builds on.",
            |row| row.header.as_ref().and_then(Header::baseline).into(),
        )
        .unit("ticks"),
        Field::<PacketHead>::new("bytes", Kind::Uint, "Its size.", |row| {
            (row.bytes as u64).into()
        })
        .unit("bytes"),
    ],
};

/// The table of packets.
pub(crate) fn packets() -> TableDef {
    PACKETS.def()
}

/// The value of a column of this table.
pub(crate) fn head(packet: &Packet<'_>, column: usize) -> Value<'static> {
    let head = PacketHead::of(packet);
    match PACKETS.value(&head, column) {
        Value::Text("full") => Value::Text("full"),
        Value::Text(_) => Value::Text("delta"),
        Value::Uint(value) => Value::Uint(value),
        _ => Value::Null,
    }
}

const PARTS_OF: [&str; 6] = [
    "header",
    "framing",
    "entity",
    "component",
    "padding",
    "unreadable",
];
const SECTIONS: [&str; 3] = ["create", "destroy", "update"];

/// A part of a packet.
pub(crate) struct PacketPart<'a> {
    number: u64,
    what: &'static str,
    section: Option<&'static str>,
    entity: Option<u32>,
    component: Option<&'a str>,
    bits: u64,
}

/// Rows of [`PacketPart`].
pub(crate) struct PacketParts;

impl Rows for PacketParts {
    type Row<'a> = PacketPart<'a>;
}

pub(crate) const PARTS: Table<PacketParts> = Table {
    name: "parts",
    lane: Lane::Events,
    doc: "The purposes of the bits of each packet. The bits of the parts of a packet add up to its bytes.",
    fields: &[
        Field::<PacketParts>::new(
            "number",
            Kind::Uint,
            "The place of the part in its packet, from 0.",
            |row| row.number.into(),
        )
        .key(),
        Field::<PacketParts>::new(
            "part",
            Kind::Text,
            "`header`; `framing` of a section: its tag, length and count; `entity`: its id and the mask of its components; `component`: the mask of its fields, and their values; `padding` at the end of a section; `unreadable`: the rest of a packet, from an error on.",
            |row| row.what.into(),
        )
        .values(&PARTS_OF),
        Field::<PacketParts>::new(
            "section",
            Kind::Text,
            "`create`, `destroy` or `update`; missing for what is in no section.",
            |row| row.section.into(),
        )
        .values(&SECTIONS),
        Field::<PacketParts>::new(
            "entity",
            Kind::Uint,
            "The number of the entity, if the part belongs to one.",
            |row| row.entity.into(),
        ),
        Field::<PacketParts>::new(
            "component",
            Kind::Text,
            "The component, by the name of its table, if the part belongs to one.",
            |row| row.component.into(),
        ),
        Field::<PacketParts>::new("bits", Kind::Uint, "Its size.", |row| row.bits.into()).unit("bits"),
    ],
};

/// The definition of the table.
pub(crate) fn parts() -> TableDef {
    PARTS.def().on_request()
}

const fn section(tag: Tag) -> &'static str {
    match tag {
        Tag::Create => "create",
        Tag::Destroy => "destroy",
        Tag::Update => "update",
    }
}

/// Takes packets apart.
pub(crate) struct Parting {
    decoder: Decoder,
    /// The names of the tables of the components.
    components: Vec<String>,
    /// The first packet that could not be read.
    pub problem: Option<Finding>,
}

impl Parting {
    /// Starts for packets of this schema; `tables` are those of its components.
    pub fn new(schema: &Schema, tables: &[TableDef]) -> Self {
        let names = tables.iter().map(|table| table.name.to_string());
        Self {
            decoder: decoder(schema),
            components: names.collect(),
            problem: None,
        }
    }

    /// Adds a row for each part of a packet.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        stamp: Stamp,
        rows: &mut Scanning,
    ) -> Result<(), Error> {
        if rows.is_over() {
            return Ok(());
        }
        // Packets outside of the range need not be taken apart.
        if rows.position(stamp) != Position::Within {
            let nothing = PacketPart::new(0, "header", 0);
            rows.row_of(&PARTS, stamp, &nothing);
            return Ok(());
        }
        let components = &self.components;
        let mut number = 0;
        let mut left = packet.bytes.len() as u64 * 8;
        let walked = self.decoder.shares(packet.bytes, |share, bits| {
            let bits = bits as u64;
            left = left.saturating_sub(bits);
            rows.row_of(
                &PARTS,
                stamp,
                &PacketPart::of(number, share, components, bits),
            );
            number += 1;
        });
        if let Err(error) = walked {
            if left > 0 {
                rows.row_of(&PARTS, stamp, &PacketPart::new(number, "unreadable", left));
            }
            if self.problem.is_none() {
                self.problem = Some(fault(packet.error(error))?);
            }
        }
        Ok(())
    }
}

impl<'a> PacketPart<'a> {
    const fn new(number: u64, what: &'static str, bits: u64) -> Self {
        Self {
            number,
            what,
            section: None,
            entity: None,
            component: None,
            bits,
        }
    }

    fn of(number: u64, share: Share, components: &'a [String], bits: u64) -> Self {
        let [header, framing, head, component, padding, _] = PARTS_OF;
        let (what, entity, at) = match share {
            Share::Header => (header, None, None),
            Share::Framing(_) => (framing, None, None),
            Share::Padding(_) => (padding, None, None),
            Share::Entity { entity, .. } => (head, Some(entity), None),
            Share::Component {
                entity,
                component: at,
                ..
            } => (component, Some(entity), Some(at)),
        };
        Self {
            section: share.tag().map(section),
            entity,
            component: at.and_then(|at| components.get(at)).map(String::as_str),
            ..Self::new(number, what, bits)
        }
    }
}

const PURPOSES: [&str; 6] = ["header", "framing", "entity", "mask", "field", "padding"];

/// All parts of the packets that are for the same.
pub(crate) struct Sum<'a> {
    number: u64,
    what: &'static str,
    component: Option<&'a str>,
    field: Option<&'a str>,
    size: Size,
}

/// Rows of [`Sum`].
pub(crate) struct Sums;

impl Rows for Sums {
    type Row<'a> = Sum<'a>;
}

pub(crate) const BITS: Table<Sums> = Table {
    name: "bits_by_field",
    lane: Lane::Facts,
    doc: "What the bits of all packets are for, down to each field. Those of packets that can be read add up to their bytes.",
    fields: &[
        Field::<Sums>::new("number", Kind::Uint, "The place of the row, from 0.", |row| {
            row.number.into()
        })
        .key(),
        Field::<Sums>::new(
            "part",
            Kind::Text,
            "`header`; `framing` of a section: its tag, length and count; `entity`: its id and the mask of its components; `mask`: the mask of a component's fields; `field`: values; `padding` at the end of a section.",
            |row| row.what.into(),
        )
        .values(&PURPOSES),
        Field::<Sums>::new(
            "component",
            Kind::Text,
            "The component of a mask or a field, by the name of its table.",
            |row| row.component.into(),
        ),
        Field::<Sums>::new(
            "field",
            Kind::Text,
            "The field, by the name of its column in that table.",
            |row| row.field.into(),
        ),
        Field::<Sums>::new(
            "times",
            Kind::Uint,
            "How often there is one in the packets.",
            |row| row.size.count.into(),
        ),
        Field::<Sums>::new("bits", Kind::Uint, "The size of all of them.", |row| {
            row.size.bits.into()
        })
        .unit("bits"),
    ],
};

/// The definition of the table. All packets have to be read for it.
pub(crate) fn bits() -> TableDef {
    BITS.def().on_request()
}

/// Measures packets.
pub(crate) struct Sizing {
    decoder: Decoder,
    sizes: Sizes,
    /// The tables of the components.
    tables: Vec<TableDef>,
    /// The first packet that could not be read.
    pub problem: Option<Finding>,
}

impl Sizing {
    /// Starts for packets of this schema; `tables` are those of its components.
    pub fn of(schema: &Schema, tables: &[TableDef]) -> Self {
        Self {
            decoder: decoder(schema),
            sizes: Sizes::new(schema),
            tables: tables.to_vec(),
            problem: None,
        }
    }

    pub fn packet(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        if let Err(error) = self.sizes.add(&self.decoder, packet.bytes)
            && self.problem.is_none()
        {
            self.problem = Some(fault(packet.error(error))?);
        }
        Ok(())
    }

    /// Adds all packets of a recording, up to the damage of a broken one.
    pub fn all(mut self, packets: &Packets<'_>) -> Result<Self, Error> {
        packets.cursor().each(|packet| {
            if packet.role != Role::Added {
                self.packet(packet)?;
            }
            Ok::<_, Error>(ControlFlow::Continue(()))
        })?;
        Ok(self)
    }

    /// Adds the rows to those of a scan.
    pub fn give(&self, rows: &mut Scanning) {
        for sum in self.sums() {
            rows.row_of(&BITS, Stamp::default(), &sum);
        }
    }

    /// The rows.
    pub fn sums(&self) -> Vec<Sum<'_>> {
        let [header, framing, entity, mask, field, padding] = PURPOSES;
        let sizes = &self.sizes;
        let mut sums = Vec::new();
        let mut row = |what, component, field, size| {
            sums.push(Sum {
                number: sums.len() as u64,
                what,
                component,
                field,
                size,
            });
        };
        row(header, None, None, sizes.headers);
        row(framing, None, None, sizes.framing);
        row(entity, None, None, sizes.entity_heads.into_iter().sum());
        row(padding, None, None, sizes.padding);
        for (table, size) in self.tables.iter().zip(&sizes.components) {
            row(mask, Some(&*table.name), None, size.masks);
            // The first column is the number of the entity.
            let columns = table.columns.iter().skip(1);
            for (column, (_, size)) in columns.zip(&size.fields) {
                row(field, Some(&*table.name), Some(&*column.name), *size);
            }
        }
        sums
    }
}
