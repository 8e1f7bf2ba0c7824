//! Random tables.

use gametape_core::table::kit::{self, Made, Row, assert_same, holding};
use gametape_core::table::{ColumnDef, Kind, Lane, Owned, Scan, TableDef};
use gametape_core::tape::{Options, Secrets, Work};
use gametape_core::{At, Clocks, Stamp, Time};
use proptest::prelude::*;

use super::{capture, column, open, scanned, sorted};

/// Difficult numbers and ordinary ones.
fn float() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        -1000.0..1000.0_f64,
        any::<f64>(),
    ]
}

fn value(kind: Kind) -> BoxedStrategy<Owned> {
    match kind {
        Kind::Bool => any::<bool>().prop_map(Owned::Bool).boxed(),
        Kind::Int => prop_oneof![Just(i64::MIN), Just(i64::MAX), -9..9_i64, any::<i64>()]
            .prop_map(Owned::Int)
            .boxed(),
        Kind::Uint => prop_oneof![Just(u64::MAX), 0..9_u64, any::<u64>()]
            .prop_map(Owned::Uint)
            .boxed(),
        Kind::Float32 => float()
            .prop_map(|value| Owned::Float32((value as f32).to_bits()))
            .boxed(),
        Kind::Float64 => float()
            .prop_map(|value| Owned::Float64(value.to_bits()))
            .boxed(),
        Kind::Text => prop_oneof![Just(String::new()), "[a-c]", any::<String>()]
            .prop_map(Owned::Text)
            .boxed(),
    }
}

fn or_null(kind: Kind) -> BoxedStrategy<Owned> {
    prop_oneof![1 => Just(Owned::Null), 5 => value(kind)].boxed()
}

/// So few different keys that they repeat.
fn key(kind: Kind, lane: Lane, size: u64) -> BoxedStrategy<Owned> {
    match (lane, kind) {
        (Lane::Grid, Kind::Int) => (0..size).prop_map(|at| Owned::Int(at as i64 - 3)).boxed(),
        (Lane::Grid, _) => (0..size).prop_map(Owned::Uint).boxed(),
        (_, Kind::Bool) => any::<bool>().prop_map(Owned::Bool).boxed(),
        (_, Kind::Int) => prop_oneof![Just(i64::MIN), -2..3_i64]
            .prop_map(Owned::Int)
            .boxed(),
        (_, Kind::Uint) => prop_oneof![Just(u64::MAX), 0..4_u64]
            .prop_map(Owned::Uint)
            .boxed(),
        _ => "[a-c]|速度|\"|".prop_map(Owned::Text).boxed(),
    }
}

/// Columns, and for each key the number of its cells.
fn columns(lane: Lane) -> impl Strategy<Value = (Vec<ColumnDef>, Vec<u64>)> {
    let keys = match lane {
        Lane::Grid => 1..4_usize,
        Lane::State => 0..3,
        _ => 0..1,
    };
    let of_keys = match lane {
        Lane::Grid => prop_oneof![Just(Kind::Int), Just(Kind::Uint)].boxed(),
        _ => prop_oneof![
            Just(Kind::Bool),
            Just(Kind::Int),
            Just(Kind::Uint),
            Just(Kind::Text)
        ]
        .boxed(),
    };
    let keys = prop::collection::vec((of_keys, 1..12_u64), keys);
    let precision = prop_oneof![
        Just(None),
        Just(Some(0.005)),
        Just(Some(0.5)),
        Just(Some(1e-12)),
        (1e-6..10.0_f64).prop_map(Some),
    ];
    let others = prop::collection::vec((prop::sample::select(&Kind::ALL), precision), 1..5);
    (keys, others).prop_map(|(keys, others)| {
        let name = |letter: &str, at: usize| -> &'static str {
            let names = ["a", "b", "c", "d", "e"];
            let of_keys = ["ka", "kb", "kc"];
            if letter == "k" {
                of_keys[at]
            } else {
                names[at]
            }
        };
        let sizes = keys.iter().map(|(_, size)| *size).collect();
        let keys = keys.iter().enumerate();
        let keys = keys.map(|(at, (kind, _))| column(name("k", at), *kind).key());
        let others = others.into_iter().enumerate();
        let others = others.map(|(at, (kind, precision))| ColumnDef {
            precision,
            ..column(name("v", at), kind)
        });
        (keys.chain(others).collect(), sizes)
    })
}

fn lane() -> impl Strategy<Value = Lane> {
    prop_oneof![
        1 => Just(Lane::Facts),
        4 => Just(Lane::State),
        2 => Just(Lane::Events),
        4 => Just(Lane::Grid),
    ]
}

/// A step has the same stamp in every table.
fn stamp(step: u64) -> Stamp {
    Stamp {
        step,
        tick: (step % 5 != 3).then_some(step * 7 + 1000),
        time: (step % 6 != 5).then_some(Time(step as i64 * 16_666_667 - 20_000_000)),
    }
}

fn table(name: &'static str) -> impl Strategy<Value = (TableDef, Vec<Row>)> {
    let of_lane = |lane| columns(lane).prop_map(move |(columns, sizes)| (lane, columns, sizes));
    let def = lane().prop_flat_map(of_lane);
    def.prop_flat_map(move |(lane, columns, sizes)| {
        let values: Vec<BoxedStrategy<Owned>> = columns
            .iter()
            .enumerate()
            .map(|(at, column)| match (column.key, sizes.get(at)) {
                (true, Some(size)) => key(column.kind, lane, *size),
                _ => or_null(column.kind),
            })
            .collect();
        let rows = if lane == Lane::Facts {
            0..2_usize
        } else {
            0..40
        };
        let row = (0..30_u64, prop::bool::weighted(0.2), values);
        let def = TableDef {
            columns,
            ..TableDef::new(name, lane, "It.")
        };
        let def = if lane == Lane::Grid {
            def.shape(sizes)
        } else {
            def
        };
        prop::collection::vec(row, rows).prop_map(move |rows| rows_of(&def, rows))
    })
}

fn rows_of(def: &TableDef, mut rows: Vec<(u64, bool, Vec<Owned>)>) -> (TableDef, Vec<Row>) {
    rows.sort_by_key(|(step, ..)| *step);
    let mut there = std::collections::BTreeSet::new();
    let mut made = Vec::new();
    for (step, ends, values) in rows {
        let mut row = Row {
            stamp: stamp(if def.lane == Lane::Facts { 0 } else { step }),
            ended: false,
            values,
        };
        if ends && def.lane == Lane::State {
            // A key can end only if it exists.
            if !there.remove(&row.key(def)) {
                continue;
            }
            row.ended = true;
            for (column, value) in def.columns.iter().zip(&mut row.values) {
                if !column.key {
                    *value = Owned::Null;
                }
            }
        } else {
            there.insert(row.key(def));
        }
        made.push(row);
    }
    (def.clone().rows(made.len() as u64), made)
}

fn tables() -> impl Strategy<Value = Vec<(TableDef, Vec<Row>)>> {
    let all = (table("one"), table("two"), table("three"), 0..4_usize);
    all.prop_map(|(one, two, three, count)| {
        let mut tables = vec![one, two, three];
        tables.truncate(count);
        tables
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_tables_come_back(tables in tables(), every in 1..20_u64, at in 0..30_u64) {
        let tape = Made::new(Clocks::ticks(true), tables);
        let mut options = Options::new();
        options.set("keyframe-every", gametape_core::tape::OptionValue::Count(every));
        let copy = open(capture(&tape, &options));
        let audit = copy.audit(&Options::new(), &Work::default()).unwrap();
        prop_assert!(audit.findings.iter().all(|f| f.rule.code == "capture.empty"), "{:?}", audit.findings);
        let defs = copy.tables().unwrap();
        let packets = tape.tables.len();
        prop_assert_eq!(defs.len(), packets + 1);
        for ((def, rows), copied) in tape.tables.iter().zip(&defs) {
            prop_assert_eq!(def, copied);
            let rows = sorted(def, rows.clone());
            assert_same(def, &rows, &sorted(def, scanned(&*copy, def)));
            if def.lane == Lane::Events || def.lane == Lane::Facts {
                continue;
            }
            let mut play = copy.playback().unwrap();
            let Ok(now) = play.seek(At::Step(at)) else { continue };
            prop_assert!(now.step <= at);
            let scan = Scan { secrets: Secrets::Show, ..Scan::table(&*def.name) };
            let state = play.state(&scan).unwrap();
            let held = sorted(def, kit::rows_of(&state).collect());
            let wanted: Vec<Row> = holding(def, rows.iter().filter(|row| row.stamp.step <= now.step)).into_iter().map(|row| Row { stamp: now, ..row }).collect();
            assert_same(def, &wanted, &held);
        }
        // A recording whose facts are at a step that no other row has is not valid.
        let first = |facts: bool| {
            let of = tape.tables.iter().filter(|(def, _)| (def.lane == Lane::Facts) == facts);
            of.filter_map(|(_, rows)| rows.first()).map(|row| row.stamp.step).min()
        };
        if first(false).is_some() && first(true).is_none_or(|facts| first(false) == Some(facts)) {
            kit::check(&copy);
        }
    }
}
