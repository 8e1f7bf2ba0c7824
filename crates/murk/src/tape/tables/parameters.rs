//! The parameters of a recording's world.

use gametape_core::table::{Field, Kind, Lane, Rows, Table};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::engine::World;

use Kind::{Float64, Text, Uint};

/// A parameter of a world.
pub struct ParameterRow {
    part: &'static str,
    number: u64,
    name: String,
    of: String,
    value: String,
    amount: Option<f64>,
}

/// Rows of [`ParameterRow`].
pub struct ParameterRows;

impl Rows for ParameterRows {
    type Row<'a> = ParameterRow;
}

/// The parameters of the world that a recording is replayed in.
pub(in crate::tape) const PARAMETERS: Table<ParameterRows> = Table {
    name: "parameters",
    lane: Lane::Facts,
    doc: "The parameters of the world, its space, fields and propagators, if the world is known. Commands that set a \
          parameter are in `commands`; the engine accepts none of them.",
    fields: &[
        Field::<ParameterRows>::new(
            "part",
            Text,
            "The owner of the parameter: `world`, `space`, `field` or `propagator`.",
            |row| row.part.into(),
        )
        .key(),
        Field::<ParameterRows>::new(
            "number",
            Uint,
            "The number of the field or propagator, from 0; 0 for the world and its space.",
            |row| row.number.into(),
        )
        .key(),
        Field::<ParameterRows>::new(
            "parameter",
            Text,
            "Its name, as a world's file spells it.",
            |row| row.name.as_str().into(),
        )
        .key(),
        Field::<ParameterRows>::new(
            "of",
            Text,
            "The name of the field, or the kind of the space or the propagator.",
            |row| row.of.as_str().into(),
        ),
        Field::<ParameterRows>::new(
            "value",
            Text,
            "Its value, as a world's file spells it; defaults are filled in.",
            |row| row.value.as_str().into(),
        ),
        Field::<ParameterRows>::new("amount", Float64, "Its value, if it is a number.", |row| {
            row.amount.into()
        }),
    ],
};

/// The parts of a world's file that have parameters of their own.
const PARTS: [&str; 3] = ["space", "field", "propagator"];

/// Returns the parameters of a world, its space, its fields and its propagators.
pub(super) fn parameters(world: &World) -> Vec<ParameterRow> {
    let text = String::from_utf8_lossy(&world.canonical()).into_owned();
    // A written world can always be read; tests check that.
    let Ok(table) = DeTable::parse(&text) else {
        return Vec::new();
    };
    let table = table.get_ref();
    let text = &text;
    let of = |part: &'static str, number, called: &str, table: &DeTable<'_>| {
        let of = table.get(called).and_then(|of| of.get_ref().as_str());
        let of = of.unwrap_or_default().to_owned();
        let is_parameter =
            |name: &str| name != called && !(part.is_empty() && PARTS.contains(&name));
        let parameters = table.iter().map(|(name, value)| (name.get_ref(), value));
        let parameters = parameters.filter(|(name, _)| is_parameter(name));
        let row = |(name, value): (&DeString<'_>, &Spanned<DeValue<'_>>)| ParameterRow {
            part: if part.is_empty() { "world" } else { part },
            number,
            name: name.to_string(),
            of: of.clone(),
            value: spelled(text, value).to_owned(),
            amount: amount(text, value),
        };
        parameters.map(row).collect::<Vec<_>>()
    };
    let mut rows = of("", 0, "", table);
    for part in PARTS {
        let called = if part == "field" { "name" } else { "kind" };
        match table.get(part).map(Spanned::get_ref) {
            Some(DeValue::Table(table)) => rows.extend(of(part, 0, called, table)),
            Some(DeValue::Array(all)) => {
                let tables = (0..).zip(all.iter());
                let tables = tables.filter_map(|(at, one)| Some((at, one.get_ref().as_table()?)));
                rows.extend(tables.flat_map(|(at, table)| of(part, at, called, table)));
            }
            _ => {}
        }
    }
    rows
}

/// Returns a value as it is spelled; a string without its quotes.
fn spelled<'t>(text: &'t str, value: &'t Spanned<DeValue<'_>>) -> &'t str {
    let spelled = text.get(value.span()).unwrap_or_default();
    value.get_ref().as_str().unwrap_or(spelled)
}

fn amount(text: &str, value: &Spanned<DeValue<'_>>) -> Option<f64> {
    let is_number = value.get_ref().is_float() || value.get_ref().is_integer();
    spelled(text, value).parse().ok().filter(|_| is_number)
}
