//! The moments worth going to, so far, of a recording that grows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gametape::core::table::{Kind, Lane, Marker, Span, TableDef, Value, are_rare};
use gametape::core::{Stamp, Time};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::index::Mark;

/// The table of an event, as it lies in a segment.
#[derive(Deserialize)]
struct OfTable<'e> {
    #[serde(borrow)]
    table: Cow<'e, str>,
}

/// The rest of it.
#[derive(Deserialize)]
struct Event {
    step: u64,
    tick: Option<u64>,
    time_ns: Option<i64>,
    row: Map<String, Json>,
}

/// A table of events.
#[derive(Debug)]
struct Rows {
    table: TableDef,
    count: usize,
    marks: Vec<Mark>,
}

/// The events of a recording, as long as they are few.
#[derive(Debug)]
pub struct Marks {
    tables: BTreeMap<String, Rows>,
    first: Option<Stamp>,
    /// The number of what was given last.
    given: Option<Vec<(String, usize)>>,
}

impl Marks {
    pub fn new(tables: Vec<TableDef>) -> Self {
        let events = tables.into_iter();
        let events = events.filter(|table| table.lane == Lane::Events);
        let rows = |table: TableDef| {
            let name = table.name.to_string();
            let rows = Rows {
                table,
                count: 0,
                marks: Vec::new(),
            };
            (name, rows)
        };
        Self {
            tables: events.map(rows).collect(),
            first: None,
            given: None,
        }
    }

    /// A state is of this moment.
    pub fn at(&mut self, stamp: Stamp) {
        self.first.get_or_insert(stamp);
    }

    /// An event, as it lies in a segment.
    pub fn event(&mut self, json: &[u8]) {
        let Ok(OfTable { table }) = serde_json::from_slice(json) else {
            return;
        };
        let Some(rows) = self.tables.get_mut(&*table) else {
            return;
        };
        rows.count += 1;
        if !are_rare(rows.count, ALL) {
            // There will be no fewer.
            rows.marks = Vec::new();
            return;
        }
        let Ok(event) = serde_json::from_slice::<Event>(json) else {
            return;
        };
        let stamp = Stamp {
            step: event.step,
            tick: event.tick,
            time: event.time_ns.map(Time),
        };
        let columns = rows.table.columns.iter();
        let values = columns.map(|column| value(column.kind, event.row.get(&*column.name)));
        let mark = Marker::row(&rows.table, stamp, values);
        rows.marks.push(mark.into());
    }

    /// All of them, if they are others than those that were given before.
    pub fn news(&mut self, last: Option<Stamp>) -> Option<Vec<Mark>> {
        let rare = self.rare(last);
        let now: Vec<(String, usize)> = rare
            .iter()
            .map(|rows| (rows.table.name.to_string(), rows.count))
            .collect();
        let none = self.given.is_none() && now.iter().all(|(_, count)| *count == 0);
        if none || self.given.as_ref() == Some(&now) {
            return None;
        }
        self.given = Some(now);
        Some(self.all(last))
    }

    /// All of them, in the order of their steps.
    pub fn all(&self, last: Option<Stamp>) -> Vec<Mark> {
        let rare = self.rare(last).into_iter();
        let mut marks: Vec<Mark> = rare.flat_map(|rows| rows.marks.clone()).collect();
        marks.sort_by_key(|mark| mark.step);
        marks
    }

    fn rare(&self, last: Option<Stamp>) -> Vec<&Rows> {
        let span = Span {
            first: self.first.unwrap_or_default(),
            last: last.unwrap_or_default(),
        };
        let tables = self.tables.values();
        tables.filter(|rows| are_rare(rows.count, span)).collect()
    }
}

/// From ever to ever: whether there are few at all.
const ALL: Span = Span {
    first: Stamp {
        step: 0,
        tick: None,
        time: None,
    },
    last: Stamp {
        step: u64::MAX,
        tick: None,
        time: None,
    },
};

/// A value as it is written in a row.
fn value(kind: Kind, json: Option<&Json>) -> Value<'_> {
    let Some(json) = json else {
        return Value::Null;
    };
    // Numbers that JSON can't write are texts.
    let number = || match json {
        Json::String(text) => text.parse().ok(),
        _ => json.as_f64(),
    };
    match kind {
        Kind::Bool => json.as_bool().into(),
        Kind::Int => json.as_i64().into(),
        Kind::Uint => json.as_u64().into(),
        Kind::Float32 => number().map(|number: f64| number as f32).into(),
        Kind::Float64 => number().into(),
        Kind::Text => json.as_str().into(),
    }
}
