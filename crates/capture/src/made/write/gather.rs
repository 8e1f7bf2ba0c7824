//! Reads all rows of a recording's tables once, writes them to temporary files, and surveys their
//! values. Tables are read in parallel, and none waits for another, because a scan may hold
//! something that the next one needs.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gametape_core::Stamp;
use gametape_core::table::{Batch, ColumnDef, Kind, Lane, Scan, TableDef, Value};
use gametape_core::tape::{Depth, Error, Secrets, Tape, Work};
use serde_json::Value as Json;

use super::spill::{Block, Spill, Spilled, Words};
use crate::made::coding::{Survey, json, word};
use crate::made::description::{MadeOf, Moment};

/// The most bytes of texts of a column that are remembered. Beyond that, repeated texts get new
/// numbers.
const KNOWN: usize = 16 << 20;

/// A table with the survey of its rows, and the rows.
pub(crate) struct Gathered {
    pub gathering: Gathering,
    pub spilled: Spilled,
    /// The problem of the rows, if there is one.
    pub doubt: Option<Error>,
}

/// The stamps of the rows of all tables.
pub(crate) struct Clocked {
    pub step: Survey,
    pub tick: Survey,
    pub time: Survey,
    pub ticks: bool,
    pub times: bool,
    pub first: Option<Stamp>,
    pub last: Option<Stamp>,
}

impl Clocked {
    pub fn new() -> Self {
        Self {
            step: Survey::new(Kind::Uint, None),
            tick: Survey::new(Kind::Uint, None),
            time: Survey::new(Kind::Int, None),
            ticks: false,
            times: false,
            first: None,
            last: None,
        }
    }

    /// Makes room for further rows.
    pub fn open(&mut self) {
        self.step.open();
        self.tick.open();
        self.time.open();
    }

    /// The same recording, updated with the known stamps of its rows.
    pub fn told(&self, of: MadeOf) -> MadeOf {
        MadeOf {
            ticks: self.ticks,
            times: self.times,
            first: self.first.map(Moment::from),
            last: self.last.map(Moment::from),
            ..of
        }
    }

    pub fn join(&mut self, other: &Self) {
        self.step.join(&other.step);
        self.tick.join(&other.tick);
        self.time.join(&other.time);
        self.ticks |= other.ticks;
        self.times |= other.times;
        let both = self.first.into_iter().chain(other.first);
        self.first = both.min_by_key(|stamp| stamp.step);
        let both = other.last.into_iter().chain(self.last);
        self.last = both.max_by_key(|stamp| stamp.step);
    }

    fn take(&mut self, stamp: Stamp) {
        self.ticks |= stamp.tick.is_some();
        self.times |= stamp.time.is_some();
        self.step.take(Some(stamp.step));
        self.tick.take(stamp.tick);
        self.time
            .take(stamp.time.map(|time| time.0.cast_unsigned()));
        if self.first.is_none_or(|first| stamp.step < first.step) {
            self.first = Some(stamp);
        }
        if self.last.is_none_or(|last| stamp.step > last.step) {
            self.last = Some(stamp);
        }
    }
}

/// Numbers the texts of a column in the order in which they come.
#[derive(Default)]
struct Numbers {
    known: HashMap<String, u64>,
    bytes: usize,
    next: u64,
}

impl Numbers {
    fn of(&mut self, text: &str, key: bool, new: impl FnOnce()) -> u64 {
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        // The texts of a key must always be recognised.
        if self.bytes > KNOWN && !key {
            self.known.clear();
            self.bytes = 0;
        }
        let number = self.next;
        self.next += 1;
        self.bytes += text.len();
        self.known.insert(text.to_owned(), number);
        new();
        number
    }
}

/// A table without its secret columns; `None` if nothing useful is left.
pub(crate) fn visible(table: &TableDef, secrets: Secrets) -> Option<TableDef> {
    let shown = |column: &&ColumnDef| secrets == Secrets::Show || !column.secret;
    let hidden_key = table
        .columns
        .iter()
        .any(|column| column.key && !shown(&column));
    let columns: Vec<ColumnDef> = table.columns.iter().filter(shown).cloned().collect();
    // Without its key, rows cannot be told apart.
    let untold = hidden_key && matches!(table.lane, Lane::State | Lane::Grid);
    (!untold && !columns.is_empty()).then(|| TableDef {
        columns,
        ..table.clone()
    })
}

/// Reads these tables in parallel: each thread reads a share of them in one pass. If `broken` is
/// true, it accepts as much of a broken recording as can be read.
pub(crate) fn gather(
    tape: &Arc<dyn Tape>,
    tables: &[TableDef],
    broken: bool,
    work: &Work<'_>,
) -> Result<(Vec<Gathered>, Clocked), Error> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let shares = threads.min(tables.len());
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    let help = || {
        let share = next.fetch_add(1, Ordering::Relaxed);
        let mine = tables.iter().enumerate().skip(share).step_by(shares.max(1));
        let mine: Vec<(usize, &TableDef)> = mine.collect();
        if share >= shares {
            return;
        }
        let gathered = pass(tape, &mine, broken, work);
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        match gathered {
            Ok(gathered) => {
                let gathered = mine.iter().zip(gathered);
                found.extend(gathered.map(|((at, _), gathered)| (*at, Ok(gathered))));
            }
            Err(error) => {
                found.insert(share, Err(error));
            }
        }
    };
    std::thread::scope(|scope| {
        let helpers = (1..shares).map(|_| {
            // If no other thread can be started, this one does all the work.
            std::thread::Builder::new()
                .spawn_scoped(scope, help)
                .is_ok()
        });
        let helpers = helpers.filter(|there| *there).count();
        for _ in helpers..shares {
            help();
        }
    });
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let all: Vec<Gathered> = found.into_values().collect::<Result<_, Error>>()?;
    let mut clock = Clocked::new();
    for gathered in &all {
        clock.join(&gathered.gathering.clock);
    }
    Ok((all, clock))
}

/// Reads tables in a single pass.
fn pass(
    tape: &Arc<dyn Tape>,
    tables: &[(usize, &TableDef)],
    broken: bool,
    work: &Work<'_>,
) -> Result<Vec<Gathered>, Error> {
    let spilling = tables.iter().map(|(_, def)| {
        let scratch = work.scratch().map_err(Error::Output)?;
        let spill = Spill::new(scratch).map_err(Error::Output)?;
        Ok((Gathering::of(def), spill))
    });
    let mut spilling: Vec<(Gathering, Spill)> = spilling.collect::<Result<_, Error>>()?;
    let scans: Vec<Scan> = spilling.iter().map(|(one, _)| one.scan()).collect();
    // Progress counts rows: reading them is the first half, and cannot say how far it came.
    let quiet = Work {
        progress: None,
        ..*work
    };
    let read = tape.scan(&scans, &quiet, &mut |scan, batch| {
        if let Some((gathering, spill)) = spilling.get_mut(scan) {
            let block = gathering.block(&batch)?;
            spill.push(&block).map_err(Error::Output)?;
        }
        work.done(0)?;
        Ok(ControlFlow::Continue(()))
    })?;
    let ends = spilling.into_iter().zip(read);
    ends.map(|((gathering, spill), read)| {
        let doubt = match read.problem {
            Some(problem) if !broken && !is_whole(tape, &problem)? => return Err(problem),
            doubt => doubt,
        };
        let spilled = spill.finish(gathering.words()).map_err(Error::Output)?;
        Ok(Gathered {
            gathering,
            spilled,
            doubt,
        })
    })
    .collect()
}

/// A table whose rows are being read.
pub(crate) struct Gathering {
    pub def: TableDef,
    pub clock: Clocked,
    pub surveys: Vec<Survey>,
    pub rows: u64,
    numbers: Vec<Numbers>,
    last: Option<Stamp>,
}

impl Gathering {
    pub fn of(def: &TableDef) -> Self {
        let surveys = def
            .columns
            .iter()
            .map(|column| Survey::new(column.kind, column.precision));
        Self {
            clock: Clocked::new(),
            surveys: surveys.collect(),
            numbers: def.columns.iter().map(|_| Numbers::default()).collect(),
            rows: 0,
            last: None,
            def: def.clone(),
        }
    }

    /// Makes room for further rows. The keys of a grid give the positions of its cells and cannot
    /// change.
    pub fn open(&mut self) {
        let surveys = self.def.columns.iter().zip(&mut self.surveys);
        for (_, survey) in surveys.filter(|(column, _)| !column.key) {
            survey.open();
        }
    }

    /// A scan of the whole table.
    pub fn scan(&self) -> Scan {
        let columns = self.def.columns.iter().map(|column| &*column.name);
        Scan {
            secrets: Secrets::Show,
            ..Scan::table(&*self.def.name).columns(columns)
        }
    }

    /// Converts a batch of rows.
    pub fn block(&mut self, batch: &Batch) -> Result<Block, Error> {
        self.rows += batch.len() as u64;
        let def = &self.def;
        let block = match def.lane {
            Lane::Facts | Lane::Events => messages(batch, def),
            Lane::State | Lane::Grid => block_of(batch, def, &mut self.surveys, &mut self.numbers),
        };
        for stamp in &block.stamps {
            if self.last == Some(*stamp) {
                continue;
            }
            if let Some(last) = self.last.filter(|last| stamp.step < last.step) {
                return Err(Error::Unsupported(format!(
                    "the steps of {} go back: from {} to {}",
                    def.name, last.step, stamp.step
                )));
            }
            self.last = Some(*stamp);
            if def.lane != Lane::Facts {
                self.clock.take(*stamp);
            }
        }
        Ok(block)
    }

    /// The number of columns of words in its blocks.
    fn words(&self) -> usize {
        match self.def.lane {
            Lane::Facts | Lane::Events => 0,
            Lane::State | Lane::Grid => self.def.columns.len(),
        }
    }
}

/// Whether the recording is complete in spite of the problem. For example, a replay continues after
/// it has differed from the recording.
fn is_whole(tape: &Arc<dyn Tape>, problem: &Error) -> Result<bool, Error> {
    let Error::Broken(finding) = problem else {
        return Ok(false);
    };
    let last = tape.playback()?.span().last.step;
    let within = finding.place.step.is_some_and(|step| step <= last);
    Ok(within
        && tape
            .describe(Depth::Whole, Secrets::Hide, &Work::default())?
            .problem
            .is_none())
}

/// Converts rows to messages, each with the text of its row.
fn messages(batch: &Batch, def: &TableDef) -> Block {
    let row = |row| {
        let values = def.columns.iter().zip(batch.columns());
        let values = values.map(|(def, column)| (def.name.to_string(), json(column.get(row))));
        (0, Json::Object(values.collect()).to_string())
    };
    Block {
        stamps: (0..batch.len()).map(|row| batch.stamp(row)).collect(),
        texts: (0..batch.len()).map(row).collect(),
        ..Block::default()
    }
}

fn block_of(
    batch: &Batch,
    def: &TableDef,
    surveys: &mut [Survey],
    numbers: &mut [Numbers],
) -> Block {
    let mut block = Block {
        stamps: (0..batch.len()).map(|row| batch.stamp(row)).collect(),
        ..Block::default()
    };
    if (0..batch.len()).any(|row| batch.is_end(row)) {
        block.ended = (0..batch.len()).map(|row| batch.is_end(row)).collect();
    }
    let told = surveys.iter_mut().zip(numbers).zip(&def.columns);
    for (at, (column, ((survey, numbers), def))) in batch.columns().iter().zip(told).enumerate() {
        let mut words = Words::default();
        for row in 0..batch.len() {
            let word = match column.get(row) {
                Value::Text(text) => Some(numbers.of(text, def.key, || {
                    block.texts.push((at, text.to_owned()));
                })),
                value => word(value),
            };
            // The end of a row contains no values except its key.
            if def.key || block.ended.get(row) != Some(&true) {
                survey.take(word);
            }
            words.push(word);
        }
        block.columns.push(words);
    }
    block
}
