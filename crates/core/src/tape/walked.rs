//! Recordings that are read from the first step to the last in one walk.

use super::audit::Audit;
use super::error::Error;
use super::format::FormatInfo;
use super::info::{Depth, Info, Partial, Secrets};
use super::option::Options;
use super::trait_tape::{Repaired, Tape};
use super::work::{Sink, Work};
use crate::clock::{Clocks, Stamp, Time};
use crate::finding::{Finding, Findings};
use crate::input::Input;
use crate::rule::{Rule, Severity};
use crate::table::{Scan, Scanning, Scans, TableDef, Value, Visit};
use crate::text::Counted;

/// An opened recording of a small format: its bytes, its tables, and a function that walks over its
/// steps. The description, the audit, the repair and the rows are all made from that one walk, so
/// they agree.
///
/// This suits a format whose steps stand one after the other and are read quickly. A format that can
/// seek, be cut or be followed implements [`Tape`] itself. [`Format`](super::Format) has an example.
pub struct Walked<R: Rule> {
    /// The format.
    pub info: &'static FormatInfo,
    /// The bytes.
    pub input: Input,
    /// The tables.
    pub tables: Vec<TableDef>,
    /// The clocks that the walk sets in [`Walk::stamp`].
    pub clocks: Clocks,
    /// Reads the bytes and tells the walk what they are.
    pub walk: fn(&Input, &mut Walk<'_, R>) -> Result<(), Error>,
}

/// A walk over the steps of a recording. The format says of each step what it found
/// ([`found`](Self::found); [`found_overall`](Self::found_overall) is for the whole) and which rows it has ([`row`](Self::row), [`ended`](Self::ended)), and
/// ends it with its bytes ([`step`](Self::step)).
pub struct Walk<'w, R: Rule> {
    /// The stamp of the step. The walk counts the steps; the format sets tick and time, which are
    /// missing again in the next step.
    pub stamp: Stamp,
    offset: u64,
    /// The last time that a step had.
    last: Option<Time>,
    findings: Findings<R>,
    /// Whether an error was found in this step.
    is_broken: bool,
    /// The number of steps without an error.
    intact: u64,
    aim: Aim<'w>,
    tables: &'w [TableDef],
    work: &'w Work<'w>,
    /// Whether no more steps are wanted.
    is_over: bool,
}

fn nth<'v>(values: &[Value<'v>], at: usize) -> Value<'v> {
    values.get(at).copied().unwrap_or(Value::Null)
}

/// What a walk is for, beyond its findings.
enum Aim<'w> {
    Findings,
    Rows(&'w mut Scans, &'w mut Visit<'w>),
    Repair(&'w mut dyn Sink),
}

impl<R: Rule> Walk<'_, R> {
    /// Adds a finding about this step. Its step, tick, time and offset are those of the step, unless it
    /// has its own.
    pub fn found(&mut self, mut finding: Finding<R>) {
        let place = &mut finding.place;
        place.step.get_or_insert(self.stamp.step);
        place.tick = place.tick.or(self.stamp.tick);
        place.time = place.time.or(self.stamp.time);
        place.offset.get_or_insert(self.offset);
        self.is_broken |= finding.severity() == Severity::Error;
        self.findings.push(finding);
    }

    /// Adds a finding about the recording as a whole, such as a count in its header that is wrong. It
    /// has only the place that the format gives it. If it is an error, a repair is refused: there is
    /// no step that it could leave out.
    pub fn found_overall(&mut self, finding: Finding<R>) {
        self.findings.push(finding);
    }

    /// Adds a row of this step: the table's name, and the values of its columns in their order.
    pub fn row(&mut self, table: &str, values: &[Value<'_>]) {
        let stamp = self.stamp;
        self.each(table, |scan| scan.row(stamp, |column| nth(values, column)));
    }

    /// Ends a row of a state. Of its values only the key is read.
    pub fn ended(&mut self, table: &str, values: &[Value<'_>]) {
        let stamp = self.stamp;
        self.each(table, |scan| {
            scan.ended(stamp, |column| nth(values, column))
        });
    }

    fn each(&mut self, table: &str, add: impl Fn(&mut Scanning) -> bool) {
        debug_assert!(
            self.tables.iter().any(|known| known.name == table),
            "the format has no table {table:?}"
        );
        if let Aim::Rows(scans, _) = &mut self.aim {
            for scan in scans.iter_mut().filter(|scan| scan.table() == table) {
                add(scan);
            }
        }
    }

    /// Passes bytes that are no step, such as a header.
    ///
    /// # Errors
    /// Return them: they end the walk.
    pub fn pass(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.offset += bytes.len() as u64;
        match &mut self.aim {
            Aim::Repair(out) => out.write_all(bytes).map_err(Error::Output),
            _ => Ok(()),
        }
    }

    /// Ends the step, which consists of these bytes. A repair leaves it out if an error was found in
    /// it.
    ///
    /// # Errors
    /// Return them: they end the walk.
    pub fn step(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.is_broken {
            self.offset += bytes.len() as u64;
        } else {
            self.intact += 1;
            self.pass(bytes)?;
        }
        self.is_broken = false;
        self.last = self.stamp.time.or(self.last);
        self.stamp = Stamp {
            step: self.stamp.step + 1,
            ..Stamp::default()
        };
        self.work.done(self.offset)?;
        if let Aim::Rows(scans, visit) = &mut self.aim
            && scans.give(*visit)?.is_break()
        {
            self.is_over = true;
            return Err(Error::Cancelled);
        }
        Ok(())
    }
}

/// What is known after a walk.
struct Walkover<R> {
    findings: Findings<R>,
    steps: u64,
    intact: u64,
    last: Option<Time>,
}

impl<R: Rule> Walked<R> {
    fn over<'a>(&'a self, aim: Aim<'a>, work: &'a Work<'a>) -> Result<Walkover<R>, Error> {
        let mut walk = Walk {
            stamp: Stamp::default(),
            offset: 0,
            last: None,
            findings: Findings::new(),
            is_broken: false,
            intact: 0,
            aim,
            tables: &self.tables,
            work,
            is_over: false,
        };
        let walked = (self.walk)(&self.input, &mut walk);
        if !walk.is_over {
            walked?;
        }
        walk.findings.sort();
        Ok(Walkover {
            findings: walk.findings,
            steps: walk.stamp.step,
            intact: walk.intact,
            last: walk.last,
        })
    }
}

impl<R: Rule + 'static> Tape for Walked<R> {
    fn input(&self) -> &Input {
        &self.input
    }

    fn describe(&self, depth: Depth, _: Secrets, work: &Work<'_>) -> Result<Partial<Info>, Error> {
        let info = Info::new(self.info, 1, self.input.size());
        if depth == Depth::Header {
            return Ok(info.into());
        }
        let over = self.over(Aim::Findings, work)?;
        let info = Info {
            duration_ms: over.last.map(|time| time.whole_ms().max(0) as u64),
            steps: Some(over.steps),
            ..info
        };
        Ok(Partial::new(info, over.findings.problem()))
    }

    fn audit(&self, _: &Options, work: &Work<'_>) -> Result<Audit, Error> {
        let over = self.over(Aim::Findings, work)?;
        let steps = Counted(over.steps, self.info.step);
        Ok(Audit::new(&over.findings, steps.to_string()))
    }

    fn repair(&self, _: &Options, out: &mut dyn Sink, work: &Work<'_>) -> Result<Repaired, Error> {
        let over = self.over(Aim::Repair(out), work)?;
        let mut broken = over.findings.broken();
        if let Some(overall) = broken.find(|finding| finding.place.step.is_none()) {
            return Err(overall.clone().into());
        }
        match over.findings.problem() {
            Some(problem) if over.intact == 0 => Err(problem),
            _ => Ok(Repaired::left_out(&over.findings)),
        }
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        Ok(self.tables.clone())
    }

    fn scan(
        &self,
        scans: &[Scan],
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let mut scans = Scans::new(&self.tables, scans, self.clocks)?;
        let over = self.over(Aim::Rows(&mut scans, visit), work)?;
        scans.end(visit, |_| over.findings.problem())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::io::Cursor;
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::clock::At;
    use crate::rule::{Class, Datum};
    use crate::table::{ColumnDef, Kind, Lane, kit};

    const INFO: FormatInfo = FormatInfo::new("signs", "a header, and a sign a step");

    /// A `?`, which is an error.
    #[derive(Clone, Debug)]
    struct Unknown;

    impl fmt::Display for Unknown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("unknown")
        }
    }

    impl Rule for Unknown {
        const STEP: &'static str = "step";
        fn code(&self) -> &'static str {
            "signs.unknown"
        }
        fn severity(&self) -> Severity {
            Severity::Error
        }
        fn class(&self) -> Class {
            Class::File
        }
        fn data(&self) -> Vec<(&'static str, Datum)> {
            Vec::new()
        }
    }

    /// `#`, then signs: a letter holds until the same letter comes again.
    fn read(input: &Input, walk: &mut Walk<'_, Unknown>) -> Result<(), Error> {
        let bytes = input.bytes().map_err(Error::Io)?;
        let mut held = Vec::new();
        walk.pass(&bytes[..1])?;
        for sign in bytes[1..].chunks(1) {
            walk.stamp.tick = Some(walk.stamp.step * 10);
            let key = [u64::from(sign[0]).into(), Value::Null];
            if sign == b"?" {
                walk.found(Finding::new(Unknown));
            } else if held.contains(&sign) {
                held.retain(|other| *other != sign);
                walk.ended("letters", &key);
            } else {
                held.push(sign);
                walk.row("letters", &[key[0], walk.stamp.step.into()]);
            }
            walk.step(sign)?;
        }
        Ok(())
    }

    fn signs(bytes: &[u8]) -> Walked<Unknown> {
        let letters = TableDef::new("letters", Lane::State, "Letters that hold.")
            .with(ColumnDef::new("letter", Kind::Uint, "The letter.").key())
            .with(ColumnDef::new("since", Kind::Uint, "Its step."));
        Walked {
            info: &INFO,
            input: bytes.to_vec().into(),
            tables: vec![letters],
            clocks: Clocks::ticks(false),
            walk: read,
        }
    }

    #[test]
    fn the_tables_keep_the_rules() {
        for bytes in [&b"#abacb"[..], b"#ab?ac?b"] {
            let tape: Arc<dyn Tape> = Arc::new(signs(bytes));
            kit::check(&tape);
        }
    }

    #[test]
    fn a_repair_keeps_the_header_and_the_steps_without_errors() {
        let repair = |bytes: &[u8]| {
            let mut out = Cursor::new(Vec::new());
            let done = signs(bytes).repair(&Options::new(), &mut out, &Work::default());
            done.map(|repaired| (out.into_inner(), repaired.lossy))
        };
        assert_eq!(repair(b"#ab").unwrap(), (b"#ab".to_vec(), false));
        assert_eq!(repair(b"#a??b").unwrap(), (b"#ab".to_vec(), true));
        assert_eq!(repair(b"#").unwrap(), (b"#".to_vec(), false));
        assert!(repair(b"#??").is_err());
    }

    #[test]
    fn what_is_found_is_placed_and_described() {
        let tape = signs(b"#a?b?");
        let audit = tape.audit(&Options::new(), &Work::default()).unwrap();
        let found: Vec<String> = audit.findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["error signs.unknown, step 1 (tick 10, byte 2): unknown (and once more)"]
        );
        assert_eq!(audit.summary, "4 steps");
        let whole = tape
            .describe(Depth::Whole, Secrets::Hide, &Work::default())
            .unwrap();
        assert_eq!(whole.value.steps, Some(4));
        assert!(whole.problem.is_some());
        let header = tape
            .describe(Depth::Header, Secrets::Hide, &Work::default())
            .unwrap();
        assert_eq!(header.value.steps, None);
        assert!(header.problem.is_none());
    }

    #[test]
    fn what_is_wrong_of_the_whole_has_no_step_and_is_not_left_out() {
        let tape = Walked {
            walk: |input, walk: &mut Walk<'_, Unknown>| {
                read(input, walk)?;
                walk.found_overall(Finding::new(Unknown));
                Ok(())
            },
            ..signs(b"#ab")
        };
        let audit = tape.audit(&Options::new(), &Work::default()).unwrap();
        let found: Vec<String> = audit.findings.iter().map(ToString::to_string).collect();
        assert_eq!(found, ["error signs.unknown: unknown"]);
        let mut out = Cursor::new(Vec::new());
        let repaired = tape.repair(&Options::new(), &mut out, &Work::default());
        assert_eq!(repaired.unwrap_err().to_string(), "unknown");
    }

    /// The rest of a recording is not read for a range that has ended, nor is it asked about.
    #[test]
    fn a_walk_ends_with_the_range() {
        let tape = signs(b"#abcdefgh?");
        let done = AtomicU64::new(0);
        let hear = |bytes| done.store(bytes, Ordering::Relaxed);
        let work = Work {
            progress: Some(&hear),
            ..Work::default()
        };
        let scan = Scan::table("letters").to(At::Step(2));
        let mut rows = 0;
        let read = tape.scan(&[scan], &work, &mut |_, batch| {
            rows += batch.len();
            Ok(ControlFlow::Continue(()))
        });
        assert!(read.unwrap()[0].problem.is_none());
        assert_eq!(rows, 3);
        // The fourth step says that the range is over.
        assert_eq!(done.load(Ordering::Relaxed), 5);
    }

    #[test]
    #[should_panic(expected = "the format has no table \"letter\"")]
    #[cfg(debug_assertions)]
    fn a_name_that_no_table_has_is_a_fault_of_the_format() {
        let wrong = Walked {
            walk: |_, walk: &mut Walk<'_, Unknown>| {
                walk.row("letter", &[]);
                Ok(())
            },
            ..signs(b"#")
        };
        let _ = wrong.audit(&Options::new(), &Work::default());
    }
}
