//! A recording of tables that are made in a test.

use std::any::Any;
use std::sync::Arc;

use gametape::core::Clocks;
use gametape::core::RuleInfo;
use gametape::core::table::{Owned, Scanning, Visit};
use gametape::core::tape::{Error, Partial, Repaired, Sink, Source};
use gametape::{
    Audit, ColumnDef, Format, Formats, Info, Input, Kind, Lane, Options, Recording, Scan, Secrets,
    Stamp, TableDef, Tape, Time, Value, Work,
};

/// Rows are stamped with their steps, ten to a second.
type Row = (u64, bool, Vec<Owned>);

/// Tables, and their rows.
#[derive(Clone, Default)]
pub struct Made {
    tables: Vec<(TableDef, Vec<Row>)>,
}

impl Made {
    /// With a grid of these keys.
    pub fn grid(
        self,
        name: &'static str,
        keys: &[(&'static str, u64)],
        values: &[(&'static str, Kind)],
    ) -> Self {
        let mut table = TableDef::new(name, Lane::Grid, "Made.");
        for (key, _) in keys {
            table = table.with(ColumnDef::new(*key, Kind::Uint, "").key());
        }
        for (name, kind) in values {
            table = table.with(ColumnDef::new(*name, *kind, ""));
        }
        let shape: Vec<u64> = keys.iter().map(|(_, count)| *count).collect();
        self.table(table.shape(shape))
    }

    /// With one more table.
    pub fn table(mut self, table: TableDef) -> Self {
        self.tables.push((table, Vec::new()));
        self
    }

    /// With things that have a number, a name, a team and a place.
    pub fn things(self, name: &'static str) -> Self {
        let table = TableDef::new(name, Lane::State, "Made.")
            .with(ColumnDef::new("number", Kind::Uint, "").key())
            .with(ColumnDef::new("name", Kind::Text, ""))
            .with(ColumnDef::new("team", Kind::Text, ""))
            .with(ColumnDef::new("x", Kind::Float64, "").unit("m"))
            .with(ColumnDef::new("y", Kind::Float64, "").unit("m"));
        self.table(table)
    }

    /// With one more row of the last table.
    pub fn row(mut self, step: u64, values: &[Value<'_>]) -> Self {
        let values = values.iter().map(|value| (*value).into()).collect();
        self.tables
            .last_mut()
            .unwrap()
            .1
            .push((step, false, values));
        self
    }

    /// With a row that says that what has this key is no more.
    pub fn end(mut self, step: u64, key: Value<'_>) -> Self {
        let (table, rows) = self.tables.last_mut().unwrap();
        let mut values = vec![Owned::from(key)];
        values.resize(table.columns.len(), Owned::Null);
        rows.push((step, true, values));
        self
    }

    /// As it is opened.
    pub fn recording(&self) -> Recording {
        let formats = Formats::default().with(MadeFormat(Arc::new(self.clone())));
        formats.open_input(b"made".to_vec(), "made.up").unwrap()
    }
}

struct MadeFormat(Arc<Made>);

impl Format for MadeFormat {
    fn name(&self) -> &'static str {
        "made"
    }

    fn about(&self) -> &'static str {
        "made in a test"
    }

    fn step(&self) -> &'static str {
        "step"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["up"]
    }

    fn sniff(&self, _: &Input) -> bool {
        true
    }

    fn rules(&self) -> Vec<RuleInfo> {
        Vec::new()
    }

    fn open(&self, source: Source) -> Result<Box<dyn Tape>, Error> {
        Ok(Box::new(MadeTape {
            input: source.input,
            made: Arc::clone(&self.0),
        }))
    }
}

struct MadeTape {
    input: Input,
    made: Arc<Made>,
}

impl Tape for MadeTape {
    fn input(&self) -> &Input {
        &self.input
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn info(&self, _: Secrets) -> Result<Partial<Info>, Error> {
        let info = Info {
            format: "made",
            format_version: 1,
            bytes: self.input.size(),
            duration_ms: None,
            frames: None,
            step: "step",
            details: serde_json::Map::new(),
        };
        Ok(Partial::new(info, None))
    }

    fn audit(&self, _: &Options) -> Result<Audit, Error> {
        unreachable!("nobody asks a picture for findings")
    }

    fn repair(&self, _: &Options, _: &mut dyn Sink, _: &Work<'_>) -> Result<Repaired, Error> {
        unreachable!("nobody repairs it")
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        let tables = self.made.tables.iter();
        Ok(tables.map(|(table, _)| table.clone()).collect())
    }

    fn scan<'v>(&self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        let tables = self.tables()?;
        let table = scan.find(&tables)?;
        let mut scanning = Scanning::new(table, scan, Clocks::TIMES, visit)?;
        let found = self
            .made
            .tables
            .iter()
            .find(|(other, _)| other.name == table.name);
        for (step, ended, values) in found.into_iter().flat_map(|(_, rows)| rows) {
            let stamp = Stamp {
                step: *step,
                tick: None,
                time: Some(Time::from_ms(*step as i64 * 100)),
            };
            let value = |at: usize| values.get(at).map_or(Value::Null, Owned::value);
            let flow = if *ended {
                scanning.ended(stamp, value)?
            } else {
                scanning.row(stamp, value)?
            };
            if flow.is_break() {
                break;
            }
        }
        scanning.end(None)
    }
}
