mod passes;

use super::*;
use crate::clock::{Clocks, Stamp, Time};
use crate::table::kit::{Made, Row};
use crate::table::{ColumnDef, Kind, Lane, Owned, Value};
use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;

fn ships() -> TableDef {
    TableDef::new("ships", Lane::State, "Ships.")
        .with(ColumnDef::new("ship", Kind::Uint, "Its number.").key())
        .with(ColumnDef::new("x", Kind::Float64, "Where it is.").unit("m"))
        .with(ColumnDef::new("name", Kind::Text, "Its name."))
}

/// A step without tick and time.
fn step(step: u64) -> Stamp {
    Stamp {
        step,
        ..Stamp::default()
    }
}

fn row<'v>(at: Stamp, values: impl IntoIterator<Item = Value<'v>>) -> Row {
    Row::new(at, values)
}

fn ship(at: Stamp, ship: u64, x: f64) -> Row {
    row(at, [ship.into(), x.into(), "Ada".into()])
}

fn gone(at: Stamp, ship: u64) -> Row {
    Row::end(at, [ship.into()])
}

fn compared(ours: (TableDef, Vec<Row>), theirs: (TableDef, Vec<Row>)) -> TablesDiff {
    // Both recordings go on long after the last row.
    let late = Stamp {
        step: 1 << 40,
        tick: Some(1 << 40),
        time: Some(Time(1 << 60)),
    };
    let ends = || {
        let table = TableDef::new("ends", Lane::Events, "It ends.").with(ColumnDef::new(
            "how",
            Kind::Uint,
            "How.",
        ));
        (table, vec![row(late, [1_u64.into()])])
    };
    let made = |table| Made::new(Clocks::ticks(true), vec![table, ends()]);
    let [ours, theirs] = [ours, theirs].map(made);
    whole([ours.shared(), theirs.shared()])
}

fn whole([ours, theirs]: [Arc<dyn Tape>; 2]) -> TablesDiff {
    let found = diff_tables([&ours, &theirs], &Work::default()).unwrap();
    assert!(found.problem.is_none());
    found.value
}

fn said(ours: Vec<Row>, theirs: Vec<Row>) -> Vec<String> {
    let found = compared((ships(), ours), (ships(), theirs));
    found.tables.iter().map(ToString::to_string).collect()
}

#[test]
fn what_holds_is_compared_wherever_one_says_something_new() {
    let ours = vec![ship(step(0), 1, 0.0), ship(step(5), 1, 2.5)];
    let theirs = vec![ship(step(0), 1, 0.0), ship(step(7), 1, 2.5)];
    assert_eq!(
        said(ours.clone(), theirs),
        [
            "ships: 1 row differs (x in 1); first at step 5: ship 1: x is 2.5 m in the first, 0 m in the second"
        ]
    );
    // Repeating the same values is no change.
    let theirs = vec![
        ship(step(0), 1, 0.0),
        ship(step(3), 1, 0.0),
        ship(step(5), 1, 2.5),
    ];
    assert_eq!(said(ours, theirs), [""; 0]);
}

#[test]
fn who_comes_and_goes_is_compared() {
    let ours = vec![ship(step(0), 1, 0.0), gone(step(4), 1)];
    let theirs = vec![
        ship(step(0), 1, 0.0),
        ship(step(2), 2, 0.0),
        gone(step(4), 1),
    ];
    assert_eq!(
        said(ours.clone(), theirs.clone()),
        [
            "ships: 1 row only in the second; first at step 2: ship 2: is in the second, and not in the first"
        ]
    );
    assert_eq!(
        said(theirs, ours),
        [
            "ships: 1 row only in the first; first at step 2: ship 2: is in the first, and not in the second"
        ]
    );
}

#[test]
fn moments_are_ticks_before_times_before_steps() {
    let at = |step, tick, ms: Option<i64>| Stamp {
        step,
        tick,
        time: ms.map(Time::from_ms),
    };
    let same = |ours: Stamp, theirs: Stamp| {
        said(vec![ship(ours, 1, 0.5)], vec![ship(theirs, 1, 0.5)]).is_empty()
    };
    assert!(same(at(0, Some(7), Some(1)), at(3, Some(7), Some(2))));
    assert!(!same(at(3, Some(7), Some(2)), at(3, Some(8), Some(2))));
    assert!(same(at(0, None, Some(2)), at(3, Some(8), Some(2))));
    assert!(!same(at(3, None, Some(1)), at(3, None, Some(2))));
    assert!(same(at(3, None, None), at(3, None, Some(2))));
    // Times finer than a millisecond cannot be named.
    let fine = |ns| Stamp {
        time: Some(Time(ns)),
        ..at(0, None, None)
    };
    assert!(same(fine(1_000_001), fine(1_999_999)));
}

#[test]
fn events_of_a_moment_are_compared_one_by_one() {
    let clicks = || {
        TableDef::new("clicks", Lane::Events, "Clicks.")
            .with(ColumnDef::new("x", Kind::Int, "Where.").unit("px"))
    };
    let click = |at: u64, x: i64| row(step(at), [x.into()]);
    let ours = vec![click(1, 10), click(1, 20), click(2, 30)];
    let theirs = vec![click(1, 10), click(1, 21), click(1, 22), click(2, 30)];
    let found = compared((clicks(), ours), (clicks(), theirs));
    assert_eq!(
        found.tables[0].to_string(),
        "clicks: 1 row differs (x in 1); 1 row only in the second; first at step 1: x is 20 px in the first, 21 px in the second"
    );
    assert_eq!(found.steps, [1]);
}

#[test]
fn numbers_are_the_same_to_the_bit_or_within_both_precisions() {
    let table = |kind: Kind, within: Option<f64>| {
        let mut column = ColumnDef::new("heat", kind, "Heat.");
        column.precision = within;
        TableDef::new("heat", Lane::State, "Heat.").with(column)
    };
    let rows = |value: Value<'_>| vec![row(step(0), [value])];
    // One column is rounded, the other is not.
    let differ = |a: f32, b: f32, within: f64| {
        let ours = table(Kind::Float32, Some(within).filter(|within| *within > 0.0));
        let theirs = (table(Kind::Float32, None), rows(b.into()));
        !compared((ours, rows(a.into())), theirs).tables.is_empty()
    };
    assert!(!differ(1.0, 1.5, 0.5));
    assert!(differ(1.0, 1.501, 0.5));
    assert!(differ(1.0, 1.000_000_1, 0.0));
    assert!(differ(0.0, -0.0, 0.0));
    assert!(!differ(0.0, -0.0, 0.1));
    assert!(!differ(f32::NAN, f32::NAN, 0.0));
    assert!(differ(f32::NAN, f32::from_bits(0x7fc0_0001), 0.0));
    assert!(differ(f32::NAN, 1.0, 0.1));
    assert!(!differ(f32::INFINITY, f32::INFINITY, 0.1));
    // If both columns are rounded in the same way, one rounding step is a difference.
    let rounded = || table(Kind::Float32, Some(0.5));
    let same = |a: f32, b: f32| {
        let [ours, theirs] = [a, b].map(|value| (rounded(), rows(value.into())));
        compared(ours, theirs).tables.is_empty()
    };
    assert!(same(1.0, 1.0) && !same(1.0, 2.0));
    // Equal numbers of different kinds are equal.
    let kinds = [
        (Kind::Int, Value::Int(100)),
        (Kind::Uint, Value::Uint(100)),
        (Kind::Float32, Value::Float32(100.0)),
        (Kind::Float64, Value::Float64(100.0)),
    ];
    for (kind, value) in kinds {
        for (other_kind, other) in kinds {
            let found = compared(
                (table(kind, None), rows(value)),
                (table(other_kind, None), rows(other)),
            );
            assert_eq!(found.tables, [], "{kind} {other_kind}");
        }
    }
    let found = compared(
        (table(Kind::Int, None), rows(Value::Int(-1))),
        (table(Kind::Uint, None), rows(Value::Uint(u64::MAX))),
    );
    assert_eq!(found.tables[0].rows, 1);
}

#[test]
fn what_is_secret_is_compared_and_not_shown() {
    let mut table = ships();
    table.columns[2].secret = true;
    let name = |name: &'static str| vec![row(step(0), [1_u64.into(), 0.0.into(), name.into()])];
    let found = compared((table.clone(), name("Ada")), (table, name("Bob")));
    let text = found.tables[0].to_string();
    assert!(
        text.contains("name is <hidden> in the first, <hidden> in the second"),
        "{text}"
    );
    let json = serde_json::to_string(&found.tables).unwrap();
    assert!(!json.contains("Ada") && !json.contains("Bob"), "{json}");
}

#[test]
fn what_one_does_not_keep_is_said_and_is_no_difference_of_rows() {
    let mut without = ships();
    without.columns[1].recorded = false;
    let rows = || vec![ship(step(0), 1, 0.5)];
    let missing = || {
        let values = [1_u64.into(), Value::Null, "Ada".into()];
        vec![row(step(0), values)]
    };
    let found = compared((ships(), rows()), (without.clone(), missing()));
    let [table] = &found.tables[..] else {
        panic!("{:?}", found.tables);
    };
    assert!(
        table.to_string().contains("not recorded by the second: x"),
        "{table}"
    );
    assert!(
        !table.columns.iter().any(|(name, _)| name == "x"),
        "{table}"
    );
    let json = serde_json::to_value(table).unwrap();
    assert_eq!(json["not_recorded"], serde_json::json!({"x": "second"}));
    let found = compared((without.clone(), missing()), (ships(), rows()));
    let text = found.tables[0].to_string();
    assert!(text.contains("not recorded by the first: x"), "{text}");
    // A column that neither recording keeps is equal.
    let both = compared((without.clone(), missing()), (without, missing()));
    assert_eq!(both.tables, []);
}

#[test]
fn tables_and_columns_that_one_has_alone_are_named() {
    let mut other = ships().with(ColumnDef::new("hull", Kind::Uint, "Its hull."));
    other.columns[2].kind = Kind::Bool;
    let found = compared((ships(), vec![]), (other, vec![]));
    assert_eq!(
        found.tables[0].to_string(),
        "ships: not compared: name (text in the first, bool in the second), hull (only in the second)"
    );
    let mut keyed = ships();
    keyed.columns[2].key = true;
    let found = compared((ships(), vec![ship(step(0), 1, 0.0)]), (keyed, vec![]));
    assert_eq!(
        found.tables[0].to_string(),
        "ships: not compared: all of it (state by ship in the first, state by ship and name in the second)"
    );
    let none = Made::new(Clocks::STEPS, vec![]).shared();
    let some = Made::new(Clocks::STEPS, vec![(ships(), vec![])]).shared();
    let told = |tapes: [&Arc<dyn Tape>; 2]| whole(tapes.map(Arc::clone)).tables[0].to_string();
    assert_eq!(told([&some, &none]), "ships: only the first has this table");
    assert_eq!(
        told([&none, &some]),
        "ships: only the second has this table"
    );
}

#[test]
fn what_breaks_off_is_compared_as_far_as_it_goes() {
    let rows = |count: u64| {
        let rows = (0..count).map(|at| ship(step(at), 1, at as f64)).collect();
        vec![(ships(), rows)]
    };
    let whole = Made::new(Clocks::STEPS, rows(9)).shared();
    let broken = Made::new(Clocks::STEPS, rows(5))
        .broken(|| Error::Cancelled)
        .shared();
    let found = diff_tables([&broken, &whole], &Work::default()).unwrap();
    assert!(matches!(found.problem, Some(Error::Cancelled)));
    assert_eq!(found.value, TablesDiff::default());
    let found = diff_tables([&whole, &broken], &Work::default()).unwrap();
    assert!(matches!(found.problem, Some(Error::Other(_))));
    assert_eq!(found.value, TablesDiff::default());
    // A short recording that is intact is not cut off.
    let short = Made::new(Clocks::STEPS, rows(5)).shared();
    let found = diff_tables([&whole, &short], &Work::default()).unwrap();
    assert!(found.problem.is_none());
    assert_eq!(found.value.tables[0].only_first, 4);
}

#[test]
fn steps_of_one_time_and_a_clock_that_goes_back_hide_nothing() {
    let at = |step: u64, ms: i64| Stamp {
        step,
        tick: None,
        time: Some(Time::from_ms(ms)),
    };
    // All steps at one time; then one far ahead, followed by earlier ones.
    for ms in [[5; 5], [0, 9_000, 10, 20, 30]] {
        let rows = |off: u64| {
            let moments = (0..).zip(ms);
            let x = |step: u64| (step + u64::from(step == 3) * off) as f64;
            moments
                .map(|(step, ms)| ship(at(step, ms), 1, x(step)))
                .collect()
        };
        let told = said(rows(0), rows(10));
        assert_eq!(told.len(), 1, "{ms:?}");
        assert!(
            told[0].starts_with("ships: 1 row differs (x in 1); first at step 3, "),
            "{told:?}"
        );
    }
}

#[test]
fn facts_are_compared_whenever_they_are_told() {
    let run = || {
        TableDef::new("run", Lane::Facts, "The run.").with(ColumnDef::new(
            "seed",
            Kind::Uint,
            "Its seed.",
        ))
    };
    let rows = |at: u64, seed: u64| vec![row(step(at), [seed.into()])];
    assert_eq!(
        compared((run(), rows(0, 7)), (run(), rows(3, 7))).tables,
        []
    );
    let found = compared((run(), rows(0, 7)), (run(), rows(3, 8)));
    assert_eq!(
        found.tables[0].to_string(),
        "run: 1 row differs (seed in 1); seed is 7 in the first, 8 in the second"
    );
    assert_eq!(found.steps, [0; 0]);
}

#[test]
fn an_event_that_one_has_alone_is_told() {
    let goals = || {
        TableDef::new("goals", Lane::Events, "Goals.")
            .with(ColumnDef::new("team", Kind::Text, "Whose."))
            .with(ColumnDef::new("from", Kind::Text, "Whence."))
            .with(ColumnDef::new("points", Kind::Uint, "How many."))
    };
    let goal = vec![row(step(4), ["blue".into(), Value::Null, 2_u64.into()])];
    let found = compared((goals(), goal), (goals(), vec![]));
    assert_eq!(
        found.tables[0].to_string(),
        "goals: 1 row only in the first; first at step 4: team \"blue\", points 2: is in the first, and not in the second"
    );
}

/// For each step and ship: a position, an end, or no row.
type Tale = Vec<[Option<Option<i8>>; 3]>;

fn told(tale: &Tale) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, ships) in (0..).zip(tale) {
        for (number, said) in (0..).zip(ships) {
            match said {
                None => {}
                Some(None) => rows.push(gone(step(at), number)),
                Some(Some(x)) => rows.push(ship(step(at), number, f64::from(*x))),
            }
        }
    }
    rows
}

/// Computes the same by comparing the whole state at each step.
fn by_hand([ours, theirs]: [&Tale; 2]) -> ([u64; 3], BTreeSet<u64>) {
    let mut held = [BTreeMap::new(), BTreeMap::new()];
    let (mut counts, mut steps) = ([0; 3], BTreeSet::new());
    for at in 0..ours.len().max(theirs.len()) {
        let mut new = BTreeSet::new();
        for (held, tale) in held.iter_mut().zip([ours, theirs]) {
            for (number, said) in tale
                .get(at)
                .iter()
                .flat_map(|ships| ships.iter().enumerate())
            {
                match said {
                    None => continue,
                    Some(None) => held.remove(&number),
                    Some(Some(x)) => held.insert(number, *x),
                };
                new.insert(number);
            }
        }
        for number in new {
            let count = match (held[0].get(&number), held[1].get(&number)) {
                (Some(a), Some(b)) if a != b => 0,
                (Some(_), None) => 1,
                (None, Some(_)) => 2,
                _ => continue,
            };
            counts[count] += 1;
            steps.insert(at as u64);
        }
    }
    (counts, steps)
}

proptest! {
    #[test]
    fn states_differ_as_they_do_by_hand(
        ours: Vec<[Option<Option<bool>>; 3]>,
        changes in vec((any::<prop::sample::Index>(), 0..3_usize, any::<Option<Option<bool>>>()), 0..4),
    ) {
        let ours: Tale = ours
            .iter()
            .map(|ships| ships.map(|said| said.map(|x| x.map(i8::from))))
            .collect();
        let mut theirs = ours.clone();
        for (at, ship, said) in changes.iter().filter(|_| !ours.is_empty()) {
            let at = at.index(theirs.len());
            theirs[at][*ship] = said.map(|x| x.map(i8::from));
        }
        let found = compared((ships(), told(&ours)), (ships(), told(&theirs)));
        let (counts, steps) = by_hand([&ours, &theirs]);
        let table = found.tables.first().cloned().unwrap_or_default();
        prop_assert_eq!([table.rows, table.only_first, table.only_second], counts);
        prop_assert_eq!(&found.steps, &steps.iter().copied().collect::<Vec<_>>());
        let first = found.first().and_then(|(_, first)| Some(first.stamp?.step));
        prop_assert_eq!(first, steps.first().copied());
    }
}
