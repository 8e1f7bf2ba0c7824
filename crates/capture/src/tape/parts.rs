//! The table of parts: what the bits of each packet are for.

use gametape_core::Stamp;
use gametape_core::table::{Field, Kind, Lane, Position, Rows, Scanning, Table, TableDef};
use gametape_delta::{Decoder, Schema, Share, Tag};

use crate::decoder::decoder;
use crate::packet::Packet;
use crate::rule::{Error, Finding, fault};

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
pub(super) struct Part<'a> {
    number: u64,
    what: &'static str,
    section: Option<&'static str>,
    entity: Option<u32>,
    component: Option<&'a str>,
    bits: u64,
}

/// Rows of [`Part`].
pub(super) struct Parts;

impl Rows for Parts {
    type Row<'a> = Part<'a>;
}

pub(super) const PARTS: Table<Parts> = Table {
    name: "parts",
    lane: Lane::Events,
    doc: "The purposes of the bits of each packet. The bits of the parts of a packet add up to its bytes.",
    fields: &[
        Field::<Parts>::new(
            "number",
            Kind::Uint,
            "The place of the part in its packet, from 0.",
            |row| row.number.into(),
        )
        .key(),
        Field::<Parts>::new(
            "part",
            Kind::Text,
            "`header`; `framing` of a section: its tag, length and count; `entity`: its id and the mask of its components; `component`: the mask of its fields, and their values; `padding` at the end of a section; `unreadable`: the rest of a packet, from an error on.",
            |row| row.what.into(),
        )
        .values(&PARTS_OF),
        Field::<Parts>::new(
            "section",
            Kind::Text,
            "`create`, `destroy` or `update`; missing for what is in no section.",
            |row| row.section.into(),
        )
        .values(&SECTIONS),
        Field::<Parts>::new(
            "entity",
            Kind::Uint,
            "The number of the entity, if the part belongs to one.",
            |row| row.entity.into(),
        ),
        Field::<Parts>::new(
            "component",
            Kind::Text,
            "The component, by the name of its table, if the part belongs to one.",
            |row| row.component.into(),
        ),
        Field::<Parts>::new("bits", Kind::Uint, "Its size.", |row| row.bits.into()).unit("bits"),
    ],
};

/// The definition of the table.
pub(super) fn parts() -> TableDef {
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
pub(super) struct Parting {
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
            let nothing = Part::new(0, "header", 0);
            rows.row_of(&PARTS, stamp, &nothing);
            return Ok(());
        }
        let components = &self.components;
        let mut number = 0;
        let mut left = packet.bytes.len() as u64 * 8;
        let walked = self.decoder.shares(packet.bytes, |share, bits| {
            let bits = bits as u64;
            left = left.saturating_sub(bits);
            rows.row_of(&PARTS, stamp, &Part::of(number, share, components, bits));
            number += 1;
        });
        if let Err(error) = walked {
            if left > 0 {
                rows.row_of(&PARTS, stamp, &Part::new(number, "unreadable", left));
            }
            if self.problem.is_none() {
                self.problem = Some(fault(packet.error(error))?);
            }
        }
        Ok(())
    }
}

impl<'a> Part<'a> {
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
