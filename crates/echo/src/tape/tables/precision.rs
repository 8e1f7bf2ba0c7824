//! The columns that each format keeps, and how far the values of a .butter may be off.

use gametape_core::table::{ColumnDef, Filling, Kind, TableDef};

use super::frame::defs;
use crate::tape::frames::EchoFormat;

/// Columns that a .butter does not keep.
const NOT_IN_BUTTER: &[(&str, &[&str])] = &[
    ("match", &["tournament", "container", "files_in_zip"]),
    ("game", &["possession", "possession_player"]),
    ("disc", &["bounce_count"]),
    ("payload", &["multiplier"]),
];

/// Columns that only a .butter has.
const IN_BUTTER_ALONE: &[(&str, &[&str])] = &[(
    "match",
    &[
        "compression",
        "keyframe_every",
        "chunks",
        "keyframes",
        "written_by",
        "dialect",
    ],
)];

/// Returns the tables of a recording in this format.
pub fn tables(format: EchoFormat) -> Vec<TableDef> {
    let (mut tables, without) = match format {
        EchoFormat::Butter => (with_precision(defs()), NOT_IN_BUTTER),
        EchoFormat::Echoreplay => (defs(), IN_BUTTER_ALONE),
    };
    for table in &mut tables {
        let without = without.iter().find(|(name, _)| *name == table.name);
        for column in &mut table.columns {
            column.recorded = without.is_none_or(|(_, columns)| !columns.contains(&&*column.name));
        }
    }
    tables
}

/// Returns the largest step of half floats below a power of two: truncation takes away at most this much
/// from values and changes below it. After a keyframe values are more exact, because the change since the
/// frame before is truncated.
const fn half(below: u32) -> f64 {
    below as f64 / 2048.0
}

/// Returns the columns of a table that the recording does not contain.
pub fn missing(table: &TableDef) -> Vec<usize> {
    let columns = table.columns.iter().enumerate();
    let missing = columns.filter(|(_, column)| !column.recorded);
    missing.map(|(at, _)| at).collect()
}

/// Leaves out the columns that the recording does not contain: frames have defaults in their place.
pub fn kept<'r>(
    missing: &[usize],
    fill: impl Fn(usize, &mut Filling<'_, 'r>),
) -> impl Fn(usize, &mut Filling<'_, 'r>) {
    move |at, column| {
        if !missing.contains(&at) {
            fill(at, column);
        }
    }
}

/// Adds to each column how far it may be off in a .butter.
///
/// This is for a correct writer. The reference computes differences from the recorded values, not from
/// those of a reader, so its truncation adds up from keyframe to keyframe.
fn with_precision(mut tables: Vec<TableDef>) -> Vec<TableDef> {
    for table in &mut tables {
        for column in &mut table.columns {
            column.precision = of(&table.name, column);
        }
    }
    tables
}

fn of(table: &str, column: &ColumnDef) -> Option<f64> {
    if column.kind != Kind::Float32 {
        return None;
    }
    Some(match (table, &*column.name, &*column.unit) {
        // It is not kept.
        ("payload", "multiplier", _) => return None,
        // 14 bits from -2 to 2 m; a bone that moves by twelve steps or less in each coordinate stays where it was.
        // Plus the rounding of an f32.
        ("bones", _, "m") => 12.5 / 4096.0 + 1.0 / 1_048_576.0,
        // A quaternion and its opposite are the same rotation. A turn of up to five and a half degrees is
        // left out: a component is off by twice the sine of a fourth of it.
        ("bones", ..) => 0.049,
        // A sum of 32-bit differences.
        (_, "clock", _) => 1.0 / 8192.0,
        (_, "packet_loss", _) => half(1),
        // The whole time of a player in a match.
        (_, "possession_time", _) => half(512),
        // Of combat: a half each; in the arena they are whole.
        ("game", "blue_points" | "orange_points", _) => half(128),
        ("goals", "points", _) => 2.0 * half(128),
        (_, _, "m" | "s" | "deg") => half(256),
        (_, _, "m/s" | "1/s") => half(128),
        // Of unit vectors: three components of a quaternion are stored, the fourth follows from
        // them; that turns by 0.55° at most. As the API prints them they are no rotation by 0.1°.
        _ => 0.0125,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_is_a_column() {
        for (format, without) in [
            (EchoFormat::Butter, NOT_IN_BUTTER),
            (EchoFormat::Echoreplay, IN_BUTTER_ALONE),
        ] {
            let tables = tables(format);
            let columns = tables.iter().flat_map(|table| &table.columns);
            let missing = columns.filter(|column| !column.recorded).count();
            let named = without.iter().map(|(_, columns)| columns.len());
            assert_eq!(missing, named.sum::<usize>(), "{format:?}");
        }
    }

    #[test]
    fn every_number_with_a_fraction_says_how_far_it_may_be_off() {
        let tables = with_precision(defs());
        let columns = tables
            .iter()
            .flat_map(|table| table.columns.iter().map(move |column| (table, column)));
        let mut count = 0;
        for (table, column) in columns.filter(|(_, column)| column.kind == Kind::Float32) {
            let name = format!("{}.{}", table.name, column.name);
            assert_eq!(
                column.precision.is_none(),
                name == "payload.multiplier",
                "{name}"
            );
            count += 1;
        }
        assert!(count > 80, "{count}");
    }
}
