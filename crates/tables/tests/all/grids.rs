//! Grids as lists of cells, beside the state that a playback holds.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use gametape_core::table::kit::{Row, all_of, by_key, rows_of};
use gametape_core::table::{Batch, ColumnDef, Kind, Lane, Owned, TableDef, Value};
use gametape_core::tape::Secrets;
use gametape_core::{At, Stamp};
use gametape_tables::ArrowTable;

use crate::real::recordings;
use crate::told;

/// The keys of a cell.
fn keys(table: &TableDef, row: &Row) -> Vec<i64> {
    let key = |key: Owned| match key {
        Owned::Int(key) => key,
        Owned::Uint(key) => key as i64,
        other => panic!("{other:?}"),
    };
    row.key(table).into_iter().map(key).collect()
}

/// The place of a cell in its list. Keys start at the smallest that there is, if they go beyond the shape.
fn cell(table: &TableDef, all: &[Row], row: &Row) -> usize {
    let mut cell = 0;
    for (at, edge) in table.shape.iter().enumerate() {
        let along: Vec<i64> = all.iter().map(|row| keys(table, row)[at]).collect();
        let least = *along.iter().min().unwrap();
        let is_within = least >= 0 && along.iter().all(|key| (*key as u64) < *edge);
        let start = if is_within { 0 } else { least };
        cell = cell * *edge as usize + (keys(table, row)[at] - start) as usize;
    }
    cell
}

#[test]
fn a_grid_holds_at_each_step_what_a_playback_holds() {
    let (mut grids, mut longest) = (0, 0);
    for recording in recordings() {
        let tape = recording.tape();
        for table in recording.tables().unwrap() {
            if table.lane != Lane::Grid {
                continue;
            }
            grids += 1;
            let arrow = ArrowTable::new(&table, Secrets::Hide);
            let others: Vec<usize> = (0..table.columns.len())
                .filter(|at| !table.columns[*at].key)
                .collect();
            let mut play = tape.playback().unwrap();
            let mut steps = Vec::new();
            for batch in arrow.grid_reader("r", tape, None, None).unwrap() {
                let batch = batch.unwrap();
                let step = batch
                    .column_by_name("step")
                    .unwrap()
                    .as_primitive::<Int64Type>();
                for row in 0..batch.num_rows() {
                    let at = step.value(row) as u64;
                    steps.push(at);
                    play.seek(At::Step(at)).unwrap();
                    let state = play.state(&all_of(&table)).unwrap();
                    let held: Vec<Row> = by_key(&table, &state);
                    for own in &others {
                        let name = &*table.columns[*own].name;
                        let list = batch.column_by_name(name).unwrap().as_fixed_size_list();
                        let cells = list.value(row);
                        let found: Vec<String> = (0..cells.len())
                            .map(|cell| told::value(&cells, cell))
                            .collect();
                        let mut wanted = vec!["null".to_owned(); cells.len()];
                        for row in &held {
                            wanted[cell(&table, &held, row)] = match &row.values[*own] {
                                Owned::Text(text) => format!("{text:?}"),
                                Owned::Float32(bits) => format!("{:?}", f32::from_bits(*bits)),
                                Owned::Float64(bits) => format!("{:?}", f64::from_bits(*bits)),
                                Owned::Null => "null".to_owned(),
                                value => value.value().to_string(),
                            };
                        }
                        assert_eq!(found, wanted, "{} step {at}", table.name);
                    }
                }
            }
            assert_eq!(steps.first(), Some(&0), "{}", table.name);
            longest = longest.max(steps.len());
            // A later part begins with all cells, too.
            let middle = steps[steps.len() / 2];
            let part = arrow
                .grid_reader("r", tape, Some(At::Step(middle)), None)
                .unwrap();
            let rows: usize = part.map(|batch| batch.unwrap().num_rows()).sum();
            assert_eq!(rows, steps.len() - steps.len() / 2);
        }
    }
    assert!(grids > 3 && longest > 5, "{grids} {longest}");
}

#[test]
fn the_cells_of_a_moment_have_their_place_in_any_order() {
    let (mut grids, mut gaps) = (0, 0);
    for recording in recordings() {
        for table in recording.tables().unwrap() {
            if table.lane != Lane::Grid {
                continue;
            }
            let arrow = ArrowTable::new(&table, Secrets::Hide);
            let mut play = recording.playback().unwrap();
            let state = play.state(&all_of(&table)).unwrap();
            let rows: Vec<Row> = rows_of(&state).collect();
            let mut backwards = Batch::new(table.columns.iter().map(|column| column.kind));
            for row in rows.iter().rev() {
                backwards.push(row.stamp, row.values.iter().map(Owned::value));
            }
            let cells: u64 = table.shape.iter().product();
            for batch in [state, backwards] {
                let ordered = arrow.in_order("r", batch).unwrap();
                assert_eq!(ordered.len() as u64, cells);
                let found: Vec<Row> = rows_of(&ordered).collect();
                let mut wanted = vec![vec![Owned::Null; table.columns.len()]; ordered.len()];
                for row in &rows {
                    wanted[cell(&table, &rows, row)].clone_from(&row.values);
                }
                let found = found.into_iter().map(|row| row.values);
                assert!(found.eq(wanted), "{}", table.name);
            }
            gaps += cells - rows.len() as u64;
            grids += 1;
        }
    }
    assert!(grids > 10 && gaps > 0);
}

#[test]
fn a_cell_outside_of_the_grid_is_refused() {
    let column = |name, kind| ColumnDef::new(name, kind, "…");
    let table = |shape: &[u64]| TableDef {
        shape: shape.to_vec(),
        ..TableDef::new("grid", Lane::Grid, "A grid.")
            .with(column("x", Kind::Uint).key())
            .with(column("value", Kind::Float32))
    };
    let batch = || {
        let mut batch = Batch::new([Kind::Uint, Kind::Float32]);
        for x in [0_u64, 3] {
            batch.push(Stamp::default(), [x.into(), Value::Float32(0.5)]);
        }
        batch
    };
    let ordered = |shape: &[u64]| {
        let arrow = ArrowTable::new(&table(shape), Secrets::Hide);
        arrow.in_order("a.tape", batch())
    };
    assert_eq!(ordered(&[4]).unwrap().len(), 4);
    let error = ordered(&[3]).unwrap_err().to_string();
    assert!(
        error.contains("a.tape: step 0 has a cell outside of the grid"),
        "{error}"
    );
    // A claim is no reason to allocate.
    let error = ordered(&[1 << 30]).unwrap_err().to_string();
    assert!(error.contains("grid has 2 of 1073741824 cells"), "{error}");
    assert!(ordered(&[]).is_err());
}
