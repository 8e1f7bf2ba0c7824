//! Facts that are true for a whole recording, and the parameters of its world.

use Kind::{Float64, Text, Uint};
use gametape_core::table::{Field, Kind, Lane, Rows, Table};
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::engine::World;
use crate::engine::own::Kinds;
use crate::tape::{info, world};
use crate::{Hash, Header, Stats};

/// The facts about a whole run.
pub(super) struct RunFacts<'a> {
    header: &'a Header<'a>,
    config_hash: Option<String>,
    space: Option<String>,
    /// Seconds per tick, if the world is known.
    dt: Option<f64>,
    stats: &'a Stats,
}

impl<'a> RunFacts<'a> {
    pub fn new(header: &'a Header<'a>, kinds: &Kinds, dt: Option<f64>, stats: &'a Stats) -> Self {
        let hash = header.config_hash;
        Self {
            config_hash: (hash != 0).then(|| Hash(hash).to_string()),
            space: match world::describe(header, kinds) {
                Json::String(text) => Some(text),
                _ => None,
            },
            header,
            dt,
            stats,
        }
    }

    fn seconds(&self) -> Option<f64> {
        self.dt.map(|dt| dt * self.stats.frames as f64)
    }

    fn commands_per_s(&self) -> Option<f64> {
        let seconds = self.seconds().filter(|seconds| *seconds > 0.0);
        seconds.map(|seconds| self.stats.commands as f64 / seconds)
    }

    fn kind(&self, tag: usize) -> u64 {
        self.stats.kinds.get(tag).copied().unwrap_or_default()
    }
}

impl Rows for RunFacts<'static> {
    type Row<'a> = RunFacts<'a>;
}

type Fact = Field<RunFacts<'static>>;

/// The number of commands of a type.
macro_rules! kind {
    ($name:literal, $tag:literal, $doc:literal) => {
        Fact::new(concat!("kinds_", $name), Uint, $doc, |row| {
            row.kind($tag).into()
        })
    };
}

/// The first column that is counted over all frames; those before it are in the header.
pub(super) const FIRST_COUNTED: usize = 9;

/// The header and the statistics.
pub(super) const RUN: Table<RunFacts<'static>> = Table {
    name: "run",
    lane: Lane::Facts,
    doc: "The run: its header, and the statistics of its ticks and commands.",
    fields: &[
        Fact::new(
            "build_toolchain",
            Text,
            "The compiler that built the recorder.",
            |row| row.header.build.toolchain.as_ref().into(),
        ),
        Fact::new(
            "build_target_triple",
            Text,
            "The target that the recorder was built for.",
            |row| row.header.build.target_triple.as_ref().into(),
        ),
        Fact::new("build_murk_version", Text, "The version of Murk.", |row| {
            row.header.build.murk_version.as_ref().into()
        }),
        Fact::new(
            "build_compile_flags",
            Text,
            "The flags that the recorder was built with.",
            |row| row.header.build.compile_flags.as_ref().into(),
        ),
        Fact::new("seed", Uint, "The seed of the world.", |row| {
            row.header.seed.into()
        })
        .wide(),
        Fact::new(
            "config_hash",
            Text,
            "The hash of the world's configuration, 16 hexadecimal digits.",
            |row| row.config_hash.as_deref().into(),
        ),
        Fact::new("fields", Uint, "Fields of the world.", |row| {
            row.header.field_count.into()
        }),
        Fact::new("cells", Uint, "Cells of the world.", |row| {
            row.header.cell_count.into()
        }),
        Fact::new(
            "space_descriptor",
            Text,
            "A description of the space descriptor.",
            |row| row.space.as_deref().into(),
        ),
        Fact::new("ticks", Uint, "Ticks that were recorded.", |row| {
            row.stats.frames.into()
        }),
        Fact::new("first_tick", Uint, "The first tick.", |row| {
            row.stats.first_tick.into()
        }),
        Fact::new("last_tick", Uint, "The last tick.", |row| {
            row.stats.last_tick.into()
        }),
        Fact::new(
            "duration_ms",
            Uint,
            "The time that the ticks take, in the world's time.",
            |row| row.dt.map(|dt| info::duration_ms(dt, row.stats)).into(),
        )
        .unit("ms"),
        Fact::new("commands", Uint, "Commands of all ticks.", |row| {
            row.stats.commands.into()
        }),
        Fact::new("commands_per_tick", Float64, "Commands per tick.", |row| {
            row.stats.commands_per_frame().into()
        }),
        Fact::new(
            "commands_per_s",
            Float64,
            "Commands per second of the world's time.",
            |row| row.commands_per_s().into(),
        )
        .unit("1/s"),
        Fact::new(
            "max_commands_in_a_tick",
            Uint,
            "The largest number of commands in a tick.",
            |row| row.stats.max_commands.into(),
        ),
        Fact::new("idle_ticks", Uint, "Ticks without commands.", |row| {
            row.stats.idle_frames.into()
        }),
        kind!("move", 0, "Commands that move an entity."),
        kind!("spawn", 1, "Commands that put an entity into the world."),
        kind!(
            "despawn",
            2,
            "Commands that take an entity out of the world."
        ),
        kind!("set_field", 3, "Commands that set a value in a cell."),
        kind!("custom", 4, "Commands of the recorder's own type."),
        kind!("set_parameter", 5, "Commands that set a parameter."),
        kind!(
            "set_parameter_batch",
            6,
            "Commands that set several parameters."
        ),
        Fact::new(
            "unreadable",
            Uint,
            "Commands whose payload has no typed form.",
            |row| row.stats.unreadable.into(),
        ),
        Fact::new("anonymous", Uint, "Commands without a source.", |row| {
            row.stats.anonymous.into()
        }),
        Fact::new(
            "other_sources",
            Uint,
            "Commands of sources that are not counted separately.",
            |row| row.stats.other_sources.into(),
        ),
        Fact::new("expiring", Uint, "Commands that can expire.", |row| {
            row.stats.expiring.into()
        }),
        Fact::new(
            "expired",
            Uint,
            "Commands that had expired when they were submitted.",
            |row| row.stats.expired.into(),
        ),
        Fact::new("payload_bytes", Uint, "The size of all payloads.", |row| {
            row.stats.payload_bytes.into()
        })
        .unit("bytes"),
    ],
};

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

type Parameter = Field<ParameterRows>;

/// The parameters of the world that a recording is replayed in.
pub(in crate::tape) const PARAMETERS: Table<ParameterRows> = Table {
    name: "parameters",
    lane: Lane::Facts,
    doc: "The parameters of the world, its space, fields and propagators, if the world is known. Commands that set a \
          parameter are in `commands`; the engine accepts none of them.",
    fields: &[
        Parameter::new(
            "part",
            Text,
            "The owner of the parameter: `world`, `space`, `field` or `propagator`.",
            |row| row.part.into(),
        )
        .key(),
        Parameter::new(
            "number",
            Uint,
            "The number of the field or propagator, from 0; 0 for the world and its space.",
            |row| row.number.into(),
        )
        .key(),
        Parameter::new(
            "parameter",
            Text,
            "Its name, as a world's file spells it.",
            |row| row.name.as_str().into(),
        )
        .key(),
        Parameter::new(
            "of",
            Text,
            "The name of the field, or the kind of the space or the propagator.",
            |row| row.of.as_str().into(),
        ),
        Parameter::new(
            "value",
            Text,
            "Its value, as a world's file spells it; defaults are filled in.",
            |row| row.value.as_str().into(),
        ),
        Parameter::new("amount", Float64, "Its value, if it is a number.", |row| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counted_columns_begin_with_the_ticks() {
        let column = RUN.def().column("ticks");
        assert_eq!(column, Some(FIRST_COUNTED));
    }
}
