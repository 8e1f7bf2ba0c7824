//! Tests of tables that only an attacker would make.

use gametape::{Batch, ColumnDef, Kind, Lane, Stamp, TableDef, Value};
use proptest::prelude::*;

use super::made::Made;
use super::{args, board, over, picture, pixels, stretch, written};
use crate::scene::board::{Board, Cells, Legend};
use crate::scene::views::{View, views};
use crate::subject::{Options, Show};
use crate::tiles::Tiles;
use crate::{grid, page};

#[test]
fn text_of_a_recording_stays_text() {
    let name = "<img src=x onerror=alert(1)>]]>&amp;\u{0}\u{1b}[2J\u{202e}";
    let mut made = Made::default().things("players");
    let values = [
        Value::Uint(1),
        Value::Text(name),
        Value::Text("</svg><script>"),
        Value::Float64(0.0),
        Value::Float64(0.0),
    ];
    made = made.row(0, &values).row(3, &values);
    for drawn in [picture(&made, &args()).unwrap(), over(&made).unwrap()] {
        let written = written(&drawn);
        assert!(
            written.iter().any(|text| text.starts_with("<img src")),
            "{written:?}"
        );
        assert!(!drawn.picture.svg.contains("<img") && !drawn.picture.svg.contains("<script"));
        assert!(
            !drawn.words.contains('\u{1b}') && !drawn.words.contains('\u{202e}'),
            "{}",
            drawn.words
        );
    }
    let cells = board(2, 2, |col, row| format!("<b>{col}&{row}\u{ffff}"));
    written(&picture(&cells, &args()).unwrap());
}

#[test]
fn a_name_of_a_megabyte_is_cut() {
    let name = "long ".repeat(1 << 18);
    let mut made = Made::default().things("players");
    let values = [
        Value::Uint(1),
        Value::Text(&name),
        Value::Text(&name),
        Value::Float64(0.0),
        Value::Float64(0.0),
    ];
    made = made.row(0, &values);
    let drawn = picture(&made, &args()).unwrap();
    written(&drawn);
    assert!(
        drawn.picture.svg.len() < 20_000,
        "{}",
        drawn.picture.svg.len()
    );
    assert!(drawn.words.len() < 1000, "{}", drawn.words.len());
    let cells = board(4, 4, |col, _| format!("{name}{col}"));
    let drawn = picture(&cells, &args()).unwrap();
    written(&drawn);
    assert!(
        drawn.picture.svg.len() < 20_000,
        "{}",
        drawn.picture.svg.len()
    );
    assert!(drawn.words.len() < 1000, "{}", drawn.words.len());
}

#[test]
fn places_that_are_none_and_places_out_of_sight() {
    let of = |x: f64, y: f64| {
        [
            Value::Uint(1),
            Value::Text("Ash"),
            Value::Null,
            Value::Float64(x),
            Value::Float64(y),
        ]
    };
    let nowhere = Made::default().things("players").row(0, &of(f64::NAN, 1.0));
    let fault = picture(&nowhere, &args()).err().unwrap();
    assert_eq!(fault, "made.up: nothing has a position at 0.000 s, step 0");
    let fault = over(&nowhere).err().unwrap();
    assert!(fault.contains("nothing has a position from"), "{fault}");
    let far = Made::default()
        .things("players")
        .row(0, &of(-f64::MAX, 1e-300))
        .row(1, &of(f64::MAX, f64::INFINITY))
        .row(2, &of(f64::MAX, 0.0));
    for drawn in [picture(&far, &args()), over(&far)] {
        written(&drawn.unwrap());
    }
    let empty = Made::default().things("players");
    assert!(picture(&empty, &args()).is_err());
}

#[test]
fn grids_without_cells_and_with_too_many() {
    let none = Made::default().grid("plate", &[("x", 4), ("y", 4)], &[("heat", Kind::Float32)]);
    let fault = picture(&none, &args()).err().unwrap();
    assert_eq!(fault, "made.up: there is nothing in it to draw");
    assert!(over(&none).is_err());
    // Two cells with the greatest possible distance.
    let far = none
        .clone()
        .row(0, &[Value::Uint(0), Value::Uint(0), Value::Float32(1.0)])
        .row(
            0,
            &[
                Value::Uint(u64::MAX),
                Value::Uint(1 << 40),
                Value::Float32(1.0),
            ],
        )
        .row(
            0,
            &[
                Value::Uint(1 << 60),
                Value::Uint(1 << 60),
                Value::Float32(f32::NAN),
            ],
        );
    let fault = picture(&far, &args()).err().unwrap();
    assert!(fault.contains("or more than can be drawn"), "{fault}");
}

/// Draws a plate with this many cells; returns the picture and its note.
fn plate(keys: &[(&'static str, u64)]) -> (page::Picture, String) {
    let mut table = TableDef::new("plate", Lane::Grid, "");
    for (name, _) in keys {
        table = table.with(ColumnDef::new(*name, Kind::Uint, "").key());
    }
    table = table.with(ColumnDef::new("heat", Kind::Float32, ""));
    let Some(View::Grid(grid)) = views(&[table.clone()]).into_iter().next() else {
        panic!("no grid");
    };
    let mut batch = Batch::new(table.columns.iter().map(|column| column.kind));
    let [across, down] = [0, 1].map(|key| keys.get(key).map_or(1, |(_, count)| *count));
    for y in 0..down {
        for x in 0..across {
            let heat = Value::Float32(((x * 7919 + y * 104_729) % 997) as f32);
            let place = [Value::Uint(x), Value::Uint(y)]
                .into_iter()
                .take(keys.len());
            batch.push(Stamp::default(), place.chain([heat]));
        }
    }
    let cells = Cells::new(&grid, &table, &batch);
    let mut legend = Legend::default();
    legend.learn(&grid, &batch);
    let drawing = grid::GridDrawing {
        tiles: Tiles::new(&grid, &table, &cells).unwrap(),
        board: Board {
            grid: &grid,
            table: &table,
            cells: &cells,
            legend: &legend,
            batch: &batch,
            cursor: None,
            value: keys.len(),
        },
    };
    let mut page = page::Page::new("plate", "large");
    drawing.at(&mut page);
    let note = drawing.note(drawing.merging()).unwrap_or_default();
    (page.finish("plate", "large", 800), note)
}

/// The file of a large grid is not larger than the visible tiles.
#[test]
fn large_grids_make_small_files() {
    for (keys, note) in [
        (&[("x", 256), ("y", 256)][..], ""),
        (
            &[("x", 1000), ("y", 1000)],
            "4 x 4 cells are drawn as one: their mean",
        ),
        (&[("x", 3000), ("y", 4)], ""),
        (
            &[("x", 4), ("y", 3000)],
            "7 x 7 cells are drawn as one: their mean",
        ),
        (
            &[("q", 1000), ("r", 1000)],
            "8 x 8 cells are drawn as one: their mean",
        ),
        (&[("i", 200)], ""),
        (&[("i", 100_000)], "74 cells are drawn as one: their mean"),
    ] {
        let (picture, said) = plate(keys);
        assert_eq!(said, note, "{keys:?}");
        let bytes = picture.svg.len();
        assert!(bytes < 2 << 20, "{keys:?}: {bytes} bytes");
        assert!(
            (100..1300).contains(&picture.height),
            "{keys:?}: {}",
            picture.height
        );
        roxmltree::Document::parse(&picture.svg).unwrap();
    }
}

/// Any value of a table.
fn value(kind: Kind) -> BoxedStrategy<Option<Said>> {
    let some = match kind {
        Kind::Text => any::<String>().prop_map(Said::Text).boxed(),
        Kind::Float64 => any::<f64>().prop_map(Said::Float).boxed(),
        _ => (0..6_u64).prop_map(Said::Uint).boxed(),
    };
    prop::option::weighted(0.9, some).boxed()
}

#[derive(Clone, Debug)]
enum Said {
    Text(String),
    Float(f64),
    Uint(u64),
}

fn said(said: Option<&Said>) -> Value<'_> {
    match said {
        None => Value::Null,
        Some(Said::Text(text)) => Value::Text(text),
        Some(Said::Float(value)) => Value::Float64(*value),
        Some(Said::Uint(value)) => Value::Uint(*value),
    }
}

/// The columns of a grid, and of entities.
const CELLS: [(&str, Kind, bool); 5] = [
    ("col", Kind::Uint, true),
    ("row", Kind::Uint, true),
    ("one", Kind::Text, false),
    ("other", Kind::Text, false),
    ("heat", Kind::Float64, false),
];
const THINGS: [(&str, Kind, bool); 6] = [
    ("number", Kind::Uint, true),
    ("name", Kind::Text, false),
    ("team", Kind::Text, false),
    ("x", Kind::Float64, false),
    ("y", Kind::Float64, false),
    ("z", Kind::Float64, false),
];
const CURSOR: [(&str, Kind, bool); 4] = [
    ("col", Kind::Uint, false),
    ("row", Kind::Uint, false),
    ("x", Kind::Float64, false),
    ("y", Kind::Float64, false),
];

fn rows(columns: &[(&'static str, Kind, bool)]) -> BoxedStrategy<Vec<(u64, Vec<Option<Said>>)>> {
    let row: Vec<BoxedStrategy<Option<Said>>> =
        columns.iter().map(|(_, kind, _)| value(*kind)).collect();
    let rows = prop::collection::vec((0..9_u64, row), 0..12);
    rows.prop_map(|mut rows| {
        rows.sort_by_key(|(step, _)| *step);
        rows
    })
    .boxed()
}

fn table(
    made: Made,
    name: &'static str,
    lane: Lane,
    columns: &[(&'static str, Kind, bool)],
    rows: &[(u64, Vec<Option<Said>>)],
) -> Made {
    let table = columns
        .iter()
        .fold(TableDef::new(name, lane, ""), |table, (name, kind, key)| {
            let column = ColumnDef::new(*name, *kind, "");
            table.with(if *key { column.key() } else { column })
        });
    rows.iter().fold(made.table(table), |made, (step, values)| {
        let values: Vec<Value<'_>> = values.iter().map(|value| said(value.as_ref())).collect();
        made.row(*step, &values)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// For any tables, there is a well-formed picture or a message.
    #[test]
    fn any_rows_make_a_picture_that_is_whole(
        cells in rows(&CELLS),
        things in rows(&THINGS),
        cursor in rows(&CURSOR),
        at in 0..9_u64,
        png in 0..32_u8,
    ) {
        let made = table(Made::default(), "board", Lane::Grid, &CELLS, &cells);
        let made = table(made, "things", Lane::State, &THINGS, &things);
        let made = table(made, "cursor", Lane::State, &CURSOR, &cursor);
        let stretch = || Some(stretch(&format!("step:{at}"), ""));
        for view in ["board", "map"] {
            for (over, show) in [
                (None, None),
                (stretch(), None),
                (stretch(), Some(Show::Changes)),
                (stretch(), Some(Show::Time)),
            ] {
                for column in [None, Some("heat".to_owned())] {
                    let args = Options {
                        at: over.is_none().then_some(gametape::At::Step(at).into()),
                        over: over.clone(),
                        show,
                        view: Some(view.to_owned()),
                        column,
                        ..args()
                    };
                    match picture(&made, &args) {
                        Ok(drawn) => {
                            written(&drawn);
                            prop_assert!(!drawn.words.is_empty());
                            if png == 0 {
                                pixels(&drawn.picture);
                            }
                        }
                        Err(sentence) => prop_assert!(sentence.contains("made.up: "), "{sentence}"),
                    }
                }
            }
        }
    }
}
