//! Players of invented tables.

use gametape::core::table::Span;
use gametape::{Batch, ColumnDef, Kind, Lane, Secrets, Stamp, TableDef, Time, Value};

use crate::commands::play::messages::{Opened, Request, Response};
use crate::commands::play::player::Player;

/// A stamp; ten steps are a second.
pub fn stamp(step: u64, timed: bool) -> Stamp {
    Stamp {
        step,
        tick: None,
        time: timed.then(|| Time::from_ms(step as i64 * 100)),
    }
}

/// A player of a hundred steps of these tables.
pub fn player(tables: Vec<TableDef>, timed: bool) -> Player {
    let opened = Opened {
        path: "games/made.up".to_owned(),
        format: "made v1".to_owned(),
        step: "frame",
        at: None,
        span: Span {
            first: stamp(0, timed),
            last: stamp(100, timed),
        },
        tables,
    };
    Player::new(opened, Secrets::Hide)
}

/// A table; keys start with `*`.
pub fn table(name: &'static str, lane: Lane, columns: &[(&'static str, Kind)]) -> TableDef {
    let table = TableDef::new(name, lane, "A table.");
    columns.iter().fold(table, |table, (name, kind)| {
        let column = ColumnDef::new(name.trim_start_matches('*'), *kind, "A column.");
        table.with(if name.starts_with('*') {
            column.key()
        } else {
            column
        })
    })
}

pub fn batch(table: &TableDef, at: Stamp, rows: &[&[Value<'_>]]) -> Batch {
    let mut batch = Batch::new(table.columns.iter().map(|column| column.kind));
    for row in rows {
        batch.push(at, row.iter().copied());
    }
    batch
}

/// Answers a request.
pub fn answer(request: Request, stamp: Stamp, states: Vec<Batch>) -> Response {
    Response {
        number: request.number,
        stamp,
        query: request.query,
        states,
        ..Response::default()
    }
}
