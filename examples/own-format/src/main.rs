//! A format of one's own, and a command that knows it: `track`, text lines of
//! `time,entity,x,y,z` with times in milliseconds. No verb of the command was written for it.

use std::io::{BufRead, BufReader, Read};
use std::process::ExitCode;
use std::sync::Arc;

use gametape_core::table::{ColumnDef, Kind, Lane, Scan, Scans, TableDef, Visit};
use gametape_core::tape::{
    Audit, Depth, Error, Format, FormatInfo, Info, Options, Partial, Repaired, Secrets, Sink,
    Source, Tape, Work,
};
use gametape_core::{Clocks, Finding, Findings, Input, RuleInfo, Stamp, Time, rules};

fn main() -> ExitCode {
    gametape_cli::run(gametape::formats().with(Track)) // with gametape's own, if their features are on
}

rules! {
    /// The rules of a track.
    pub enum Rule: "row";

    /// A line is not `time,entity,x,y,z`, or is cut off.
    ///
    /// `repair` leaves it out.
    #[error("not time,entity,x,y,z: {line:?}")]
    Line { line: String } = "track.line", Error;
    /// Time runs backwards.
    ///
    /// Look at the program that wrote it.
    #[error("{now} ms comes after {before} ms")]
    TimeOrder { before: u64, now: u64 } = "track.time-order", Warning;
}

/// The maximum length of a line in bytes.
const LONGEST: u64 = 4096;

/// Reads a line: the time in milliseconds, the entity, and its position.
fn parse(line: &[u8]) -> Option<(u64, u64, Vec<f64>)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let mut parts = line.split(',');
    let time = parts.next()?.parse().ok().filter(|ms| *ms < 1 << 53)?;
    let entity = parts.next()?.parse().ok()?;
    let position: Option<Vec<f64>> = parts.map(|axis| axis.parse().ok()).collect();
    let is_place = |axes: &Vec<f64>| axes.len() == 3 && axes.iter().all(|axis| axis.is_finite());
    Some((time, entity, position.filter(is_place)?))
}

struct Track;

const INFO: FormatInfo = FormatInfo {
    step: "row",
    extensions: &["track"],
    ..FormatInfo::new("track", "positions of entities: lines of time,entity,x,y,z")
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
    fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
        Ok(Arc::new(Opened(source.input)))
    }
}

struct Opened(Input);

/// A row: its stamp, its line, and the entity with its position.
type Row<'r> = (Stamp, &'r [u8], (u64, Vec<f64>));

impl Opened {
    /// Passes all rows to `visit`. Returns the findings, and the stamp after the last row.
    fn rows(
        &self,
        mut visit: impl FnMut(Row<'_>) -> Result<(), Error>,
    ) -> Result<(Findings<Rule>, Stamp), Error> {
        let (mut lines, mut line) = (BufReader::new(self.0.stream()), Vec::new());
        let (mut findings, mut stamp, mut before) = (Findings::new(), Stamp::default(), 0);
        let mut offset = 0;
        let mut next = |line: &mut Vec<u8>| (&mut lines).take(LONGEST).read_until(b'\n', line);
        while next(&mut line).map_err(Error::Io)? > 0 {
            let found = |rule| {
                Finding::new(rule)
                    .at(offset)
                    .step(stamp.step)
                    .line(stamp.step + 1)
            };
            if let Some((now, entity, position)) = parse(&line) {
                stamp.time = Some(Time::from_ms(now as i64));
                if now < before {
                    findings.push(found(Rule::TimeOrder { before, now }).time(stamp.time));
                }
                before = now;
                visit((stamp, &line, (entity, position)))?;
            } else {
                let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                findings.push(found(Rule::Line { line }));
            }
            (stamp.step, offset) = (stamp.step + 1, offset + line.len() as u64);
            line.clear();
        }
        findings.sort();
        Ok((findings, stamp))
    }
}

impl Tape for Opened {
    fn input(&self) -> &Input {
        &self.0
    }
    fn describe(&self, _: Depth, _: Secrets) -> Result<Partial<Info>, Error> {
        let (findings, end) = self.rows(|_| Ok(()))?;
        let info = Info {
            duration_ms: end.time.map(|time| time.whole_ms() as u64),
            frames: Some(end.step),
            ..Info::new(&INFO, 1, self.0.size())
        };
        Ok(Partial::new(info, findings.problem()))
    }
    fn audit(&self, _: &Options, work: &Work<'_>) -> Result<Audit, Error> {
        let (findings, end) = self.rows(|_| work.wanted())?;
        Ok(Audit::new(&findings, format!("{} rows", end.step)))
    }
    fn repair(&self, _: &Options, out: &mut dyn Sink, work: &Work<'_>) -> Result<Repaired, Error> {
        let mut kept = 0;
        let (findings, _) = self.rows(|(_, line, _)| {
            kept += line.len() as u64;
            out.write_all(line).map_err(Error::Output)?;
            work.done(kept)
        })?;
        match findings.problem() {
            Some(problem) if kept == 0 => Err(problem),
            _ => Ok(Repaired::left_out(&findings)),
        }
    }
    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        let axis = |name| ColumnDef::new(name, Kind::Float64, "Where it is, along an axis.");
        let entity = ColumnDef::new("entity", Kind::Uint, "Its number.").key();
        let table = TableDef::new("positions", Lane::State, "Where each entity is.").with(entity);
        Ok(vec![
            ["x", "y", "z"]
                .into_iter()
                .fold(table, |table, name| table.with(axis(name).unit("m"))),
        ])
    }
    fn scan(
        &self,
        scans: &[Scan],
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let mut scans = Scans::new(&self.tables()?, scans, Clocks::TIMES)?;
        let (findings, _) = self.rows(|(stamp, _, (entity, position))| {
            for rows in scans.iter_mut() {
                rows.row(stamp, |column| match column {
                    0 => entity.into(),
                    axis => position[axis - 1].into(),
                });
            }
            work.wanted()?;
            scans.give(visit).map(drop)
        })?;
        scans.end(visit, |_| findings.problem())
    }
}
