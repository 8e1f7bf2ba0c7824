//! The markers of events of a growing recording.

use std::borrow::Cow;

use gametape::core::surface::EventMarkers;
use gametape::core::table::{Kind, Lane, Span, TableDef, Value};
use gametape::core::{Stamp, Time};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::index::Mark;

/// An event, as it is written in a segment.
#[derive(Deserialize)]
struct Event<'e> {
    #[serde(borrow)]
    table: Cow<'e, str>,
    step: u64,
    tick: Option<u64>,
    time_ns: Option<i64>,
    row: Map<String, Json>,
}

/// The markers of all tables of events.
#[derive(Debug)]
pub struct Marks {
    tables: Vec<EventMarkers>,
    first: Option<Stamp>,
    /// The number of events at the last report.
    reported: u64,
}

impl Marks {
    pub fn new(tables: Vec<TableDef>) -> Self {
        let events = tables.into_iter();
        let events = events.filter(|table| table.lane == Lane::Events);
        Self {
            tables: events.map(EventMarkers::new).collect(),
            first: None,
            reported: 0,
        }
    }

    /// Takes the moment of a state.
    pub fn at(&mut self, stamp: Stamp) {
        self.first.get_or_insert(stamp);
    }

    /// Takes an event, as it is written in a segment.
    pub fn event(&mut self, json: &[u8]) {
        let Ok(event) = serde_json::from_slice::<Event<'_>>(json) else {
            return;
        };
        let mut tables = self.tables.iter_mut();
        let Some(markers) = tables.find(|markers| markers.table().name == event.table) else {
            return;
        };
        let stamp = Stamp {
            step: event.step,
            tick: event.tick,
            time: event.time_ns.map(Time),
        };
        let columns = markers.table().columns.iter();
        let values = columns.map(|column| value(column.kind, event.row.get(&*column.name)));
        let values: Vec<Value<'_>> = values.collect();
        markers.push(stamp, values.into_iter());
    }

    /// Returns all markers if there are new events since the last call.
    pub fn news(&mut self, last: Option<Stamp>) -> Option<Vec<Mark>> {
        let now = self.tables.iter().map(EventMarkers::count).sum();
        if now == self.reported {
            return None;
        }
        self.reported = now;
        Some(self.all(last))
    }

    /// Returns all markers, in the order of their steps.
    fn all(&self, last: Option<Stamp>) -> Vec<Mark> {
        let span = Span {
            first: self.first.unwrap_or_default(),
            last: last.unwrap_or_default(),
        };
        let markers = self.tables.iter();
        let markers = markers.flat_map(|events| events.markers(span));
        let mut marks: Vec<Mark> = markers.map(Mark::from).collect();
        marks.sort_by_key(|mark| mark.step);
        marks
    }
}

/// Reads a value of a row.
fn value(kind: Kind, json: Option<&Json>) -> Value<'_> {
    let Some(json) = json else {
        return Value::Null;
    };
    // Numbers that JSON can't express are written as texts.
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
