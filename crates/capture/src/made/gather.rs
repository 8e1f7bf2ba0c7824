//! All rows of a recording's tables, once: into temporary files, and what their values are like.
//! Tables are read beside each other, and none waits for another: a scan may hold what the next one
//! needs.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use gametape_core::Stamp;
use gametape_core::table::{Batch, ColumnDef, Kind, Lane, Scan, TableDef, Value};
use gametape_core::tape::{Error, Secrets, Tape, Work};

use serde_json::Value as Json;

use super::coding::{Survey, word};
use super::description::{MadeOf, Moment};
use super::json::json;
use super::spill::{Block, Spill, Spilled, Words};

/// Bytes of texts of a column that are known again; beyond that they get new numbers.
const KNOWN: usize = 16 << 20;

/// A table, what its rows are like, and the rows.
pub(super) struct Gathered {
    pub gathering: Gathering,
    pub spilled: Spilled,
    /// What is wrong with the rows.
    pub doubt: Option<Error>,
}

/// When the rows of all tables are.
pub(super) struct Clocked {
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

    /// Makes room for rows that are still to come.
    pub fn open(&mut self) {
        self.step.open();
        self.tick.open();
        self.time.open();
    }

    /// The same recording, with what is known of its rows.
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

/// The numbers of texts, in the order in which they come.
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
        // A key has to be known again.
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

/// What of a table may be seen; `None` where nothing of it can be told.
pub(super) fn visible(table: &TableDef, secrets: Secrets) -> Option<TableDef> {
    let shown = |column: &&ColumnDef| secrets == Secrets::Show || !column.secret;
    let hidden_key = table
        .columns
        .iter()
        .any(|column| column.key && !shown(&column));
    let columns: Vec<ColumnDef> = table.columns.iter().filter(shown).cloned().collect();
    // Without a key its rows can't be told apart.
    let untold = hidden_key && matches!(table.lane, Lane::State | Lane::Grid);
    (!untold && !columns.is_empty()).then(|| TableDef {
        columns,
        ..table.clone()
    })
}

/// Reads these tables: on each core a share of them, in one pass; of a broken recording what can be
/// read, where that is asked for.
pub(super) fn gather(
    tape: &dyn Tape,
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
            // Where there is no other thread, this one does it all.
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

/// Reads tables in one pass.
fn pass(
    tape: &dyn Tape,
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
    let read = tape.scan_each(&scans, &mut |scan, batch| {
        if let Some((gathering, spill)) = spilling.get_mut(scan) {
            let block = gathering.block(batch)?;
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

/// A table whose rows come.
pub(super) struct Gathering {
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

    /// Makes room for rows that are still to come. The keys of a grid say where its cells are: those
    /// stay.
    pub fn open(&mut self) {
        let surveys = self.def.columns.iter().zip(&mut self.surveys);
        for (_, survey) in surveys.filter(|(column, _)| !column.key) {
            survey.open();
        }
    }

    /// All of it.
    pub fn scan(&self) -> Scan {
        let columns = self.def.columns.iter().map(|column| &*column.name);
        Scan {
            secrets: Secrets::Show,
            ..Scan::table(&*self.def.name).columns(columns)
        }
    }

    /// Some rows.
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

    /// Columns of words that its blocks have.
    fn words(&self) -> usize {
        match self.def.lane {
            Lane::Facts | Lane::Events => 0,
            Lane::State | Lane::Grid => self.def.columns.len(),
        }
    }
}

/// Whether a recording is all there, whatever is wrong with what its rows say: a replay goes on where it
/// parts from what was recorded.
fn is_whole(tape: &dyn Tape, problem: &Error) -> Result<bool, Error> {
    let Error::Broken(finding) = problem else {
        return Ok(false);
    };
    let last = tape.playback()?.span().last.step;
    let within = finding.place.step.is_some_and(|step| step <= last);
    Ok(within && tape.info(Secrets::Hide)?.problem.is_none())
}

/// Rows as messages, each the text of its row.
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
            // What ended says nothing but its key.
            if def.key || block.ended.get(row) != Some(&true) {
                survey.take(word);
            }
            words.push(word);
        }
        block.columns.push(words);
    }
    block
}
