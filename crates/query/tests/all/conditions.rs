//! Conditions, most of which decide what is read: the answer is that of looking at every row.

use std::sync::LazyLock;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use proptest::prelude::*;

use crate::samples::{Asked, fill};

struct World {
    asked: Asked,
    /// The rows: recording, step, time, player.
    rows: Vec<(String, i64, Option<f64>, i64)>,
    _folder: tempfile::TempDir,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    let sql = "SELECT recording, step, time_ms, player FROM echo.players";
    World {
        rows: rows(&asked, sql),
        asked,
        _folder: folder,
    }
});

fn rows(asked: &Asked, sql: &str) -> Vec<(String, i64, Option<f64>, i64)> {
    let mut rows = Vec::new();
    for batch in asked
        .batches(sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
    {
        let recording = batch
            .column(0)
            .as_dictionary::<datafusion::arrow::datatypes::Int32Type>();
        let recording = recording
            .downcast_dict::<datafusion::arrow::array::StringArray>()
            .unwrap();
        let step = batch.column(1).as_primitive::<Int64Type>();
        let time = batch.column(2).as_primitive::<Float64Type>();
        let player = batch.column(3).as_primitive::<Int64Type>();
        for (row, recording) in recording.into_iter().enumerate() {
            let time =
                (!datafusion::arrow::array::Array::is_null(time, row)).then(|| time.value(row));
            let recording = recording.unwrap().to_owned();
            rows.push((recording, step.value(row), time, player.value(row)));
        }
    }
    rows.sort_by(|a, b| (&a.0, a.1, a.3).cmp(&(&b.0, b.1, b.3)));
    rows
}

/// A condition in SQL, and what it says of a row.
type Condition = (
    String,
    Box<dyn Fn(&(String, i64, Option<f64>, i64)) -> bool>,
);

fn holds(operator: &str, order: std::cmp::Ordering) -> bool {
    match operator {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        "=" => order.is_eq(),
        _ => order.is_ne(),
    }
}

fn condition(
    column: usize,
    operator: &'static str,
    value: i64,
    tenths: i64,
    turned: bool,
) -> Condition {
    let turn = |name: &str, value: String| {
        let turned_operator = match operator {
            "<" => ">",
            "<=" => ">=",
            ">" => "<",
            ">=" => "<=",
            other => other,
        };
        if turned {
            format!("{value} {turned_operator} {name}")
        } else {
            format!("{name} {operator} {value}")
        }
    };
    match column {
        0 => (
            turn("step", value.to_string()),
            Box::new(move |row| holds(operator, row.1.cmp(&value))),
        ),
        1 => {
            let ms = value as f64 * 33.0 + tenths as f64 / 10.0;
            let holding = move |row: &(String, i64, Option<f64>, i64)| {
                row.2
                    .is_some_and(|time| holds(operator, time.total_cmp(&ms)))
            };
            (turn("time_ms", format!("{ms:?}")), Box::new(holding))
        }
        2 => {
            let player = value % 6;
            (
                turn("player", player.to_string()),
                Box::new(move |row| holds(operator, row.3.cmp(&player))),
            )
        }
        _ => {
            let like = if value % 2 == 0 {
                "%.butter"
            } else {
                "%match.echoreplay"
            };
            let end = like.trim_start_matches('%');
            (
                format!("recording LIKE '{like}'"),
                Box::new(move |row| row.0.ends_with(end)),
            )
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn conditions_that_decide_what_is_read_change_no_answer(
        parts in prop::collection::vec(
            (0_usize..4, prop::sample::select(vec!["<", "<=", ">", ">=", "=", "!="]), -2_i64..320, 0_i64..10, any::<bool>()),
            1..4,
        ),
        either in any::<bool>(),
    ) {
        let conditions: Vec<Condition> = parts
            .into_iter()
            .map(|(column, operator, value, tenths, turned)| condition(column, operator, value, tenths, turned))
            .collect();
        let texts: Vec<&str> = conditions.iter().map(|(text, _)| text.as_str()).collect();
        let sql = format!(
            "SELECT recording, step, time_ms, player FROM echo.players WHERE {}",
            texts.join(if either { " OR " } else { " AND " })
        );
        let wanted: Vec<_> = WORLD.rows.iter().filter(|row| {
            let mut holding = conditions.iter().map(|(_, holds)| holds(row));
            if either { holding.any(|holds| holds) } else { holding.all(|holds| holds) }
        }).cloned().collect();
        prop_assert_eq!(rows(&WORLD.asked, &sql), wanted, "{}", sql);
    }
}

#[test]
fn a_clock_that_a_recording_does_not_have_meets_no_condition() {
    let answer = WORLD
        .asked
        .value("SELECT count(*) FROM echo.players WHERE tick >= 0");
    assert_eq!(answer, "0");
    assert_eq!(WORLD.asked.archive.broken().len(), 0);
}
