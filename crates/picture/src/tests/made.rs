//! A recording of invented tables.

use std::sync::Arc;

use gametape::core::Clocks;
use gametape::core::table::kit::{self, Row};
use gametape::core::tape::{Error, FormatInfo, Source};

use gametape::{
    ColumnDef, Format, Formats, Input, Kind, Lane, Recording, Stamp, TableDef, Tape, Time, Value,
};

/// Ten steps are a second.
fn stamp(step: u64) -> Stamp {
    Stamp {
        step,
        tick: None,
        time: Some(Time::from_ms(step as i64 * 100)),
    }
}

/// Tables with their rows.
#[derive(Clone, Default)]
pub struct Made {
    tables: Vec<(TableDef, Vec<Row>)>,
}

impl Made {
    /// Adds a grid with these keys.
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

    /// Adds a table.
    pub fn table(mut self, table: TableDef) -> Self {
        self.tables.push((table, Vec::new()));
        self
    }

    /// Adds a table of entities with a number, a name, a team and a place.
    pub fn things(self, name: &'static str) -> Self {
        let table = TableDef::new(name, Lane::State, "Made.")
            .with(ColumnDef::new("number", Kind::Uint, "").key())
            .with(ColumnDef::new("name", Kind::Text, ""))
            .with(ColumnDef::new("team", Kind::Text, ""))
            .with(ColumnDef::new("x", Kind::Float64, "").unit("m"))
            .with(ColumnDef::new("y", Kind::Float64, "").unit("m"));
        self.table(table)
    }

    /// Adds a row to the last table.
    pub fn row(mut self, step: u64, values: &[Value<'_>]) -> Self {
        let (_, rows) = self.tables.last_mut().unwrap();
        rows.push(Row::new(stamp(step), values.iter().copied()));
        self
    }

    /// Adds the end of the row with this key.
    pub fn end(mut self, step: u64, key: Value<'_>) -> Self {
        let (_, rows) = self.tables.last_mut().unwrap();
        rows.push(Row::end(stamp(step), [key]));
        self
    }

    /// Opens the recording.
    pub fn recording(&self) -> Recording {
        let formats = Formats::default().with(MadeFormat(kit::Made::new(
            Clocks::TIMES,
            self.tables.clone(),
        )));
        formats.open_input(b"made".to_vec(), "made.up").unwrap()
    }
}

struct MadeFormat(kit::Made);

impl Format for MadeFormat {
    fn info(&self) -> &'static FormatInfo {
        const INFO: FormatInfo = FormatInfo {
            extensions: &["up"],
            ..FormatInfo::new("made", "made in a test")
        };
        &INFO
    }

    fn sniff(&self, _: &Input) -> bool {
        true
    }

    fn open(&self, _: Source) -> Result<Arc<dyn Tape>, Error> {
        Ok(Arc::new(self.0.clone()))
    }
}
