//! A format of one's own, and a command that knows it: `track`, text lines of
//! `time,entity,x,y,z` with times in milliseconds. Inspect, verify, dump, diff, convert and repair
//! work on it; none of them was written for it.

use std::any::Any;
use std::io::{BufRead, BufReader, Read};
use std::process::ExitCode;
use std::sync::Arc;

use gametape_core::table::{ColumnDef, Kind, Lane, Scan, Scanning, TableDef, Visit};
use gametape_core::tape::{
    Audit, Error, Format, FormatInfo, Info, Options, Partial, Repaired, Secrets, Sink, Source,
    Tape, Work,
};
use gametape_core::{Clocks, Finding, Findings, Input, RuleInfo, Stamp, Time, rules};

fn main() -> ExitCode {
    // gametape's own formats are among them where their features are on.
    gametape_cli::run(gametape::formats().with(Track))
}

rules! {
    /// What a track can break.
    pub enum Rule: "row";

    /// A line is not `time,entity,x,y,z`, or is cut off.
    ///
    /// `repair` leaves it out.
    #[error("not time,entity,x,y,z: {line:?}")]
    Line { line: String } = "track.line", Error;
    /// Time runs backwards.
    ///
    /// Look at what wrote it.
    #[error("{now} ms comes after {before} ms")]
    TimeOrder { before: u64, now: u64 } = "track.time-order", Warning;
}

/// Bytes of a line that make sense.
const LONGEST: u64 = 4096;

/// One line.
struct Row {
    time_ms: u64,
    entity: u64,
    place: [f64; 3],
}

impl Row {
    fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
        let mut parts = line.splitn(3, ',');
        let (time, entity, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let place = rest
            .split(',')
            .map(|x| x.parse().ok().filter(|x: &f64| x.is_finite()));
        Some(Self {
            time_ms: time.parse().ok().filter(|ms| *ms < 1 << 53)?,
            entity: entity.parse().ok()?,
            place: place.collect::<Option<Vec<f64>>>()?.try_into().ok()?,
        })
    }
}

/// The format.
struct Track;

const INFO: FormatInfo = FormatInfo {
    step: "row",
    extensions: &["track"],
    ..FormatInfo::new(
        "track",
        "positions of entities, a line each: time,entity,x,y,z",
    )
};

impl Format for Track {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn sniff(&self, input: &Input) -> bool {
        let head = input.head(LONGEST).unwrap_or_default();
        let mut lines = head.split_inclusive(|byte| *byte == b'\n');
        lines.next().is_some_and(|line| Row::parse(line).is_some())
    }

    fn rules(&self) -> Vec<RuleInfo> {
        Rule::ALL.to_vec()
    }

    fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
        Ok(Box::new(TrackTape(source.input)))
    }
}

/// An opened recording.
struct TrackTape(Input);

impl TrackTape {
    /// Goes through all lines, broken ones too; the findings, and how far it came.
    fn each(
        &self,
        mut visit: impl FnMut(Stamp, &Row, &[u8]) -> Result<(), Error>,
    ) -> Result<(Findings<Rule>, Stamp), Error> {
        let mut lines = BufReader::new(self.0.stream());
        let (mut line, mut offset) = (Vec::new(), 0);
        let (mut findings, mut stamp, mut before) = (Findings::new(), Stamp::default(), 0);
        loop {
            offset += line.len() as u64;
            line.clear();
            let mut next = (&mut lines).take(LONGEST);
            if next.read_until(b'\n', &mut line).map_err(Error::Io)? == 0 {
                break;
            }
            let step = stamp.step;
            let found = |rule| Finding::new(rule).at(offset).step(step).line(step + 1);
            if let Some(row) = Row::parse(&line) {
                stamp.time = Some(Time::from_ms(row.time_ms as i64));
                let now = row.time_ms;
                if now < before {
                    findings.push(found(Rule::TimeOrder { before, now }).time(stamp.time));
                }
                before = now;
                visit(stamp, &row, &line)?;
            } else {
                let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                findings.push(found(Rule::Line { line }));
            }
            stamp.step += 1;
        }
        findings.sort();
        Ok((findings, stamp))
    }
}

impl Tape for TrackTape {
    fn input(&self) -> &Input {
        &self.0
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn info(&self, _: Secrets) -> Result<Partial<Info>, Error> {
        let (findings, end) = self.each(|_, _, _| Ok(()))?;
        let info = Info {
            format: "track",
            format_version: 1,
            bytes: self.0.size(),
            duration_ms: end.time.map(|time| time.whole_ms() as u64),
            frames: Some(end.step),
            step: "row",
            details: serde_json::Map::new(),
        };
        Ok(Partial::new(info, findings.problem()))
    }

    fn audit(&self, _: &Options) -> Result<Audit, Error> {
        let (findings, end) = self.each(|_, _, _| Ok(()))?;
        Ok(Audit::new(&findings, format!("{} rows", end.step)))
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        let axis =
            |name| ColumnDef::new(name, Kind::Float64, "Where it is, along an axis.").unit("m");
        let entity = ColumnDef::new("entity", Kind::Uint, "Its number.").key();
        let positions = TableDef::new("positions", Lane::State, "Where each entity is.");
        let positions = positions.with(entity).with(axis("x"));
        Ok(vec![positions.with(axis("y")).with(axis("z"))])
    }

    fn scan<'v>(&self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        let tables = self.tables()?;
        let mut rows = Scanning::new(scan.find(&tables)?, scan, Clocks::TIMES, visit)?;
        let (findings, _) = self.each(|stamp, row, _| {
            let value = |column: usize| match column.checked_sub(1) {
                None => row.entity.into(),
                Some(axis) => row.place.get(axis).copied().into(),
            };
            rows.row(stamp, value).map(drop)
        })?;
        rows.end(findings.problem())
    }

    fn repair(&self, _: &Options, out: &mut dyn Sink, work: &Work<'_>) -> Result<Repaired, Error> {
        let mut kept = 0;
        let (findings, _) = self.each(|_, _, line| {
            kept += line.len() as u64;
            out.write_all(line).map_err(Error::Output)?;
            work.done(kept)
        })?;
        match findings.problem() {
            Some(problem) if kept == 0 => Err(problem),
            _ => Ok(Repaired::left_out(&findings)),
        }
    }
}
