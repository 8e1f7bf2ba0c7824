//! Invented tables: every kind of column, missing values, many batches.

use gametape_core::table::kit::{Made, Row, all_of, scanned};
use gametape_core::table::{ColumnDef, Kind, Lane, Owned, Scan, TableDef, Value};
use gametape_core::tape::Secrets;
use gametape_core::{At, Clocks, Stamp, Time};
use gametape_tables::ArrowTable;
use proptest::prelude::*;

use crate::told;

fn value(kind: Kind) -> BoxedStrategy<Owned> {
    let value = match kind {
        Kind::Bool => any::<bool>().prop_map(Owned::Bool).boxed(),
        Kind::Int => any::<i64>().prop_map(Owned::Int).boxed(),
        Kind::Uint => any::<u64>().prop_map(Owned::Uint).boxed(),
        Kind::Float32 => any::<u32>().prop_map(Owned::Float32).boxed(),
        Kind::Float64 => any::<u64>().prop_map(Owned::Float64).boxed(),
        Kind::Text => "[ab]{0,2}|\\PC{0,4}".prop_map(Owned::Text).boxed(),
    };
    prop_oneof![1 => Just(Owned::Null), 4 => value].boxed()
}

prop_compose! {
    fn column(at: usize)(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        wide in any::<bool>(),
        secret in any::<bool>(),
        known in any::<bool>(),
    ) -> ColumnDef {
        let mut column = ColumnDef::new(format!("c{at}"), kind, "A column.");
        column.wide = wide && kind == Kind::Uint;
        column.secret = secret;
        if known && kind == Kind::Text {
            column.values = vec!["a".into(), "b".into()];
        }
        column
    }
}

/// A table with rows; some have many.
fn table() -> impl Strategy<Value = (TableDef, Vec<Row>)> {
    let columns = (1_usize..5).prop_flat_map(|count| (0..count).map(column).collect::<Vec<_>>());
    let lane = prop::sample::select(vec![Lane::Events, Lane::State]);
    (columns, lane, 1_usize..40, 1_usize..300).prop_flat_map(|(columns, lane, rows, times)| {
        let values: Vec<_> = columns.iter().map(|column| value(column.kind)).collect();
        let row = (
            values,
            any::<Option<u32>>(),
            any::<Option<i32>>(),
            any::<bool>(),
        );
        let table = TableDef {
            columns,
            ..TableDef::new("t", lane, "A table.")
        };
        prop::collection::vec(row, rows).prop_map(move |rows| {
            let is_state = table.lane == Lane::State;
            let repeated = rows.iter().cycle().take(rows.len() * times).enumerate();
            let rows = repeated.map(|(at, (values, tick, ms, ended))| Row {
                stamp: Stamp {
                    step: (at / 3) as u64,
                    tick: tick.map(u64::from),
                    time: ms.map(|ms| Time::from_ms(ms.into())),
                },
                ended: *ended && is_state,
                values: values.clone(),
            });
            (table.clone(), rows.collect())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_value_is_there_up_to_the_first_that_does_not_fit((table, rows) in table()) {
        let clocks = Clocks::STEPS;
        let tape = Made::new(clocks, vec![(table.clone(), rows)]).shared();
        let rows = scanned(&*tape, &all_of(&table));
        for secrets in [Secrets::Hide, Secrets::Show] {
            let too_large = |row: &Row| {
                let mut columns = table.columns.iter().zip(&row.values);
                columns.any(|(column, value)| {
                    let shown = !column.secret || secrets == Secrets::Show;
                    let large = matches!(value, Owned::Uint(value) if *value > i64::MAX as u64);
                    shown && large && !column.wide
                })
            };
            let fit = rows.iter().take_while(|row| !too_large(row)).count();
            let arrow = ArrowTable::new(&table, secrets);
            let mut found = Vec::new();
            let mut error = None;
            for batch in arrow.reader("r", &tape, &Scan::table("t"), None).unwrap() {
                match batch {
                    Ok(batch) => found.extend(told::batch(&batch)),
                    Err(problem) => error = Some(problem.to_string()),
                }
            }
            prop_assert_eq!(found.len(), fit);
            prop_assert_eq!(error.is_some(), fit < rows.len(), "{:?}", error);
            for (found, row) in found.iter().zip(&rows) {
                prop_assert_eq!(found, &told::wanted("r", &table, secrets, row));
            }
        }
    }

    #[test]
    fn a_range_is_the_matching_part(from in 0_u64..50, length in 0_u64..50) {
        let column = ColumnDef::new("number", Kind::Int, "A number.");
        let table = TableDef::new("t", Lane::Events, "A table.").with(column);
        let row = |step: u64| {
            let stamp = Stamp { step, ..Stamp::default() };
            Row::new(stamp, [Value::Int(step as i64)])
        };
        let tape = Made::new(Clocks::STEPS, vec![(table.clone(), (0..60).map(row).collect())]);
        let scan = Scan::table("t").from(At::Step(from)).to(At::Step(from + length));
        let arrow = ArrowTable::new(&table, Secrets::Hide);
        let number = arrow.schema().index_of("number").unwrap();
        let rows = arrow.reader("r", &tape.shared(), &scan, Some(&[number])).unwrap();
        let found: Vec<_> = rows.flat_map(|batch| told::batch(&batch.unwrap())).collect();
        let wanted = (from..=(from + length).min(59)).map(|n| vec![("number".to_owned(), n.to_string())]);
        prop_assert!(found.into_iter().eq(wanted));
    }
}

#[test]
fn a_column_that_is_not_there_is_an_error() {
    let table = TableDef::new("t", Lane::Events, "A table.");
    let tape = Made::new(Clocks::STEPS, vec![(table.clone(), Vec::new())]).shared();
    let arrow = ArrowTable::new(&table, Secrets::Hide);
    assert!(
        arrow
            .reader("r", &tape, &Scan::table("t"), Some(&[9]))
            .is_err()
    );
    let error = arrow.grid_reader("r", &tape, None, None).err().unwrap();
    assert_eq!(error.to_string(), "Schema error: t is not a grid");
}
