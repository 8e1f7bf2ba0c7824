//! The table of sizes: what the bits of all packets are for, down to each field.

use gametape_core::Stamp;
use gametape_core::table::{Field, Kind, Lane, Rows, Scanning, Table, TableDef};
use gametape_delta::{Decoder, Schema, Size, Sizes};

use crate::decoder::decoder;
use crate::layout::Role;
use crate::packet::Packet;
use crate::rule::{Error, Finding, fault};
use crate::stream::Packets;

const PARTS: [&str; 6] = ["header", "framing", "entity", "mask", "field", "padding"];

/// All parts of the packets that are for the same.
pub(super) struct Sum<'a> {
    number: u64,
    what: &'static str,
    component: Option<&'a str>,
    field: Option<&'a str>,
    size: Size,
}

/// Rows of [`Sum`].
pub(super) struct Sums;

impl Rows for Sums {
    type Row<'a> = Sum<'a>;
}

pub(super) const BITS: Table<Sums> = Table {
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
        .values(&PARTS),
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
pub(super) fn bits() -> TableDef {
    BITS.def().on_request()
}

/// Measures packets.
pub(super) struct Sizing {
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
        let mut cursor = packets.cursor();
        loop {
            match cursor.next_packet() {
                Ok(Some(packet)) if packet.role == Role::Added => {}
                Ok(Some(packet)) => self.packet(&packet)?,
                Ok(None) => return Ok(self),
                Err(error) => {
                    fault(error)?;
                    return Ok(self);
                }
            }
        }
    }

    /// Adds the rows to those of a scan.
    pub fn give(&self, rows: &mut Scanning) {
        for sum in self.sums() {
            rows.row_of(&BITS, Stamp::default(), &sum);
        }
    }

    /// The rows.
    pub fn sums(&self) -> Vec<Sum<'_>> {
        let [header, framing, entity, mask, field, padding] = PARTS;
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
        let heads = sizes
            .entity_heads
            .iter()
            .fold(Size::default(), |all, of| Size {
                count: all.count + of.count,
                bits: all.bits + of.bits,
            });
        row(header, None, None, sizes.headers);
        row(framing, None, None, sizes.framing);
        row(entity, None, None, heads);
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
