//! `track`: positions of entities and marks, as lines of text. [`EXAMPLE`] is one.

#![forbid(unsafe_code)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::indexing_slicing, clippy::string_slice)]

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use gametape_core::table::{ColumnDef, Kind, Lane, TableDef, Value};
use gametape_core::tape::{Error, Format, FormatInfo, Source, Tape, Walk, Walked};
use gametape_core::{Clocks, Finding, Input, RuleInfo, Time, rules};

/// A small sound recording, for tests.
pub const EXAMPLE: &str = "0,1,0,0,0\n100,1,1,0,0\n100,2,5,5,5.5\n120,mark,goal, of 1\n";

rules! {
    /// The rules.
    pub enum Rule: "row";

    /// A line is neither a position nor a mark, or is cut off.
    ///
    /// `repair` leaves it out.
    #[error("neither time,entity,x,y,z nor time,mark,text: {line:?}")]
    Line { line: String } = "track.line", Error;
    /// Time runs backwards.
    ///
    /// Look at the program that wrote it.
    #[error("{now} ms comes after {before} ms")]
    TimeOrder { before: i64, now: i64 } = "track.time-order", Warning;
}

/// The maximum length of a line in bytes.
const LONGEST: u64 = 4096;

/// Reads a line, which is a row: the time in milliseconds, the table, and the values.
fn parse(line: &[u8]) -> Option<(i64, &'static str, Vec<Value<'_>>)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (ms, rest) = line.split_once(',')?;
    let ms = ms.parse().ok().filter(|ms| (0..1 << 53).contains(ms))?;
    if let Some(text) = rest.strip_prefix("mark,") {
        return Some((ms, "marks", vec![text.into()]));
    }
    let (entity, axes) = rest.split_once(',')?;
    let mut values = vec![Value::Uint(entity.parse().ok()?)];
    for axis in axes.split(',') {
        let axis: f64 = axis.parse().ok()?;
        values.push(axis.is_finite().then_some(axis)?.into());
    }
    (values.len() == 4).then_some((ms, "positions", values))
}

/// Reads a recording line by line.
fn walk(input: &Input, walk: &mut Walk<'_, Rule>) -> Result<(), Error> {
    let (mut lines, mut line, mut before) = (BufReader::new(input.stream()), Vec::new(), 0);
    let mut next = |line: &mut Vec<u8>| (&mut lines).take(LONGEST).read_until(b'\n', line);
    while next(&mut line).map_err(Error::Io)? > 0 {
        let number = walk.stamp.step + 1;
        if let Some((now, table, values)) = parse(&line) {
            walk.stamp.time = Some(Time::from_ms(now));
            if now < before {
                walk.found(Finding::new(Rule::TimeOrder { before, now }).line(number));
            }
            before = now;
            walk.row(table, &values);
        } else {
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            walk.found(Finding::new(Rule::Line { line }).line(number));
        }
        walk.step(&line)?;
        line.clear();
    }
    Ok(())
}

/// The format.
pub struct Track;

const INFO: FormatInfo = FormatInfo {
    step: "row",
    extensions: &["track"],
    ..FormatInfo::new("track", "positions of entities and marks, as lines of text")
};

impl Format for Track {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }
    fn sniff(&self, input: &Input) -> bool {
        let head = input.head(LONGEST).unwrap_or_default();
        let first = head.split_inclusive(|byte| *byte == b'\n').next();
        first.is_some_and(|line| parse(line).is_some())
    }
    fn rules(&self) -> Vec<RuleInfo> {
        Rule::ALL.to_vec()
    }
    fn tables(&self) -> Vec<TableDef> {
        let axis = |name, doc| ColumnDef::new(name, Kind::Float64, doc).unit("m");
        let positions = TableDef::new("positions", Lane::State, "Where each entity is.")
            .with(ColumnDef::new("entity", Kind::Uint, "Its number.").key())
            .with(axis("x", "To the right."))
            .with(axis("y", "Upwards."))
            .with(axis("z", "Forwards."));
        let text = ColumnDef::new("text", Kind::Text, "In words.");
        vec![
            positions,
            TableDef::new("marks", Lane::Events, "What happened.").with(text),
        ]
    }
    fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
        Ok(Arc::new(Walked {
            info: &INFO,
            input: source.input,
            tables: self.tables(),
            clocks: Clocks::TIMES,
            walk,
        }))
    }
}
