use super::*;
use crate::clock::{Clocks, Time};
use crate::input::Input;
use crate::surface::ScanPlayback;
use crate::table::{ColumnDef, Scanning, Scans, Span, Value, Visit};
use crate::tape::{Audit, Depth, Info, Options, Partial, Repaired, Sink, Work};

/// A fault of a format that the checks must find.
#[derive(Clone, Copy, PartialEq, Debug)]
enum FormatFault {
    None,
    /// A column has the value of another.
    Column,
    /// A range loses its first row.
    Range,
    /// Steps go backwards.
    Order,
    /// More rows are declared than exist.
    Count,
    /// Going back forgets rows in between.
    Playback,
    /// The state has each row twice.
    Twice,
    /// A documentation sentence is missing.
    Undocumented,
    /// A column has a value that it does not declare.
    Undeclared,
    /// Scanning several tables at once loses a row.
    Each,
    /// A scan cannot be cancelled.
    Deaf,
}

/// Two moving things; the second appears at step 3 and disappears at step 6.
struct Fake(FormatFault, Input);

impl Tape for Fake {
    fn input(&self) -> &Input {
        &self.1
    }

    fn describe(&self, _: Depth, _: Secrets, _: &Work<'_>) -> Result<Partial<Info>, Error> {
        Err(Error::Cancelled)
    }

    fn audit(&self, _: &Options, _: &Work<'_>) -> Result<Audit, Error> {
        Ok(Audit::default())
    }

    fn repair(&self, _: &Options, _: &mut dyn Sink, _: &Work<'_>) -> Result<Repaired, Error> {
        Ok(Repaired::default())
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        let doc = if self.0 == FormatFault::Undocumented {
            ""
        } else {
            "Where it is."
        };
        let things = TableDef::new("things", Lane::State, "Things that move.")
            .with(ColumnDef::new("thing", Kind::Uint, "Its number.").key())
            .with(ColumnDef::new("x", Kind::Float64, doc))
            .with(ColumnDef::new("name", Kind::Text, "Its name."));
        let rows = if self.0 == FormatFault::Count { 99 } else { 14 };
        let mut things = things.rows(rows);
        if let Some(name) = things.columns.last_mut() {
            let declared = if self.0 == FormatFault::Undeclared {
                "another"
            } else {
                "thing"
            };
            name.values = vec![declared.into()];
        }
        Ok(vec![things])
    }

    fn scan(
        &self,
        scans: &[Scan],
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let mut running = Scans::new(&self.tables()?, scans, Clocks::ticks(true))?;
        if self.0 != FormatFault::Deaf {
            work.wanted()?;
        }
        for (at, (scan, rows)) in scans.iter().zip(running.iter_mut()).enumerate() {
            self.rows(at, scan, rows);
        }
        running.end(visit, |_| None)
    }

    fn own_playback(&self, work: &Work<'_>) -> Result<Option<Box<dyn Playback>>, Error> {
        let twice = self.0 == FormatFault::Twice;
        let fake = || Arc::new(Self(self.0, self.1.clone()));
        let play = twice.then(|| ScanPlayback::new(fake(), work)).transpose()?;
        Ok(play.map(|play| Box::new(Twice(play)) as Box<dyn Playback>))
    }
}

impl Fake {
    fn rows(&self, at: usize, scan: &Scan, rows: &mut Scanning) {
        let wrong = |fault| self.0 == fault;
        for step in 0..10 {
            let stamp = Stamp {
                step: if wrong(FormatFault::Order) && step == 5 {
                    4 - 1
                } else {
                    step
                },
                tick: Some(step * 2),
                time: Some(Time::from_ms(step as i64 * 10)),
            };
            if wrong(FormatFault::Range) && scan.from.is_some_and(|at| at.is(stamp))
                || wrong(FormatFault::Each) && at > 0 && step == 0
            {
                continue;
            }
            for thing in 0..=u64::from((3..6).contains(&step)) {
                let x = step as f64 / 4.0 + thing as f64;
                let few = scan
                    .columns
                    .as_ref()
                    .is_some_and(|columns| columns.len() == 1);
                let off = wrong(FormatFault::Column) && few;
                rows.row(stamp, |column| match column {
                    0 => thing.into(),
                    1 => (if off { x + 1.0 } else { x }).into(),
                    _ if step == 4 => Value::Null,
                    _ => "thing".into(),
                });
            }
            if step == 6 && !(wrong(FormatFault::Playback) && scan.to.is_some()) {
                rows.ended(stamp, |_| Value::Uint(1));
            }
        }
    }
}

struct Twice(ScanPlayback);

impl Playback for Twice {
    fn span(&self) -> Span {
        self.0.span()
    }

    fn now(&self) -> Stamp {
        self.0.now()
    }

    fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        self.0.seek(at)
    }

    fn step(&mut self) -> Result<Option<Stamp>, Error> {
        self.0.step()
    }

    fn state(&mut self, scan: &Scan) -> Result<Batch, Error> {
        let mut batch = self.0.state(scan)?;
        for row in 0..batch.len() {
            let columns = 0..batch.columns().len();
            let values: Vec<Owned> = columns.map(|at| batch.get(row, at).into()).collect();
            batch.push(batch.stamp(row), values.iter().map(Owned::value));
        }
        Ok(batch)
    }
}

fn stands(fault: FormatFault) -> bool {
    let tape: Arc<dyn Tape> = Arc::new(Fake(fault, Input::from(Vec::new())));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&tape))).is_ok()
}

#[test]
fn what_keeps_to_the_rules_stands_and_every_fault_is_noticed() {
    assert!(stands(FormatFault::None));
    for fault in [
        FormatFault::Column,
        FormatFault::Range,
        FormatFault::Order,
        FormatFault::Count,
        FormatFault::Playback,
        FormatFault::Twice,
        FormatFault::Undocumented,
        FormatFault::Undeclared,
        FormatFault::Each,
        FormatFault::Deaf,
    ] {
        assert!(!stands(fault), "{fault:?}");
    }
}
