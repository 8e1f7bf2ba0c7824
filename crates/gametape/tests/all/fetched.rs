//! Recordings whose bytes must be fetched: readers request bytes until they have all they need, and
//! then give the same as for the whole file. Fails for a format without samples here.

use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::ops::ControlFlow;
use std::sync::Arc;

use gametape::core::table::kit::{Row, all_of, rows_of};
use gametape::core::tape::{Depth, Error, Options, Partial, Source, Tape, Work};
use gametape::core::{Fetched, Input, Missing};
use gametape::{Format, Recording, Scan, Secrets};

use crate::known::samples;

/// A recording of which only the requested bytes are available.
struct Elsewhere<'b> {
    bytes: &'b [u8],
    fetched: Arc<Fetched>,
    asked: BTreeSet<(u64, u64)>,
}

impl<'b> Elsewhere<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes,
            fetched: Arc::new(Fetched::new(bytes.len() as u64)),
            asked: BTreeSet::new(),
        }
    }

    /// Supplies the bytes that an error requests; no range may be requested twice.
    #[track_caller]
    fn bring(&mut self, error: &(dyn StdError + 'static)) {
        let missing = Missing::of(error);
        let Some(Missing { offset, length }) = missing else {
            panic!("no request: {error}");
        };
        assert!(length > 0 && offset + length <= self.bytes.len() as u64);
        assert!(self.asked.insert((offset, length)), "asked for twice");
        let range = offset as usize..(offset + length) as usize;
        self.fetched.supply(offset, self.bytes[range].to_vec());
    }

    /// Tries again until no more bytes are requested.
    fn until<T>(&mut self, mut attempt: impl FnMut() -> Result<T, Error>) -> T {
        loop {
            match attempt() {
                Ok(value) => return value,
                Err(error) => self.bring(&error),
            }
        }
    }

    fn open(&mut self, format: &dyn Format) -> Arc<dyn Tape> {
        let input = Input::ranges(self.fetched.clone());
        self.until(|| format.open(Source::new(input.clone())))
    }
}

/// Returns the message of the problem.
fn told<T>(partial: &Partial<T>) -> Option<String> {
    partial.problem.as_ref().map(ToString::to_string)
}

/// The rows of a table, and the problem after them.
type Table = (Vec<Row>, Option<String>);

/// Returns all rows of all tables, and the problems after them.
fn rows(tape: &dyn Tape) -> Result<Vec<Table>, Error> {
    let tables = tape.tables()?;
    let scans: Vec<Scan> = tables.iter().map(all_of).collect();
    let mut rows = vec![Vec::new(); scans.len()];
    let read = tape.scan(&scans, &Work::default(), &mut |scan, batch| {
        rows[scan].extend(rows_of(&batch));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(rows.into_iter().zip(read.iter().map(told)).collect())
}

/// Returns the state at the end, for each table that has one.
fn last(tape: &Arc<dyn Tape>) -> Result<Vec<Vec<Row>>, Error> {
    let tables = tape.tables()?;
    let mut play = tape.playback()?;
    let last = play.span().last;
    match play.seek(gametape::At::Step(last.step)) {
        // A recording without steps has no state.
        Err(Error::NotRecorded { .. }) => return Ok(Vec::new()),
        sought => sought?,
    };
    let states = tables
        .iter()
        .filter(|table| table.lane != gametape::Lane::Events);
    let held = states.map(|table| Ok(rows_of(&play.state(&all_of(table))?).collect()));
    held.collect()
}

/// Runs each operation on a recording of which nothing is available at first.
fn check(format: &dyn Format, bytes: &[u8], whole: &Arc<dyn Tape>) {
    for depth in [Depth::Header, Depth::Whole] {
        let describe = |tape: &dyn Tape| tape.describe(depth, Secrets::Show, &Work::default());
        let mut elsewhere = Elsewhere::new(bytes);
        let tape = elsewhere.open(format);
        let found = elsewhere.until(|| describe(&*tape));
        let wanted = describe(&**whole).unwrap();
        assert_eq!(
            (&found.value, told(&found)),
            (&wanted.value, told(&wanted)),
            "{depth:?}"
        );
    }
    let mut elsewhere = Elsewhere::new(bytes);
    let tape = elsewhere.open(format);
    let tables = elsewhere.until(|| tape.tables());
    assert_eq!(tables, whole.tables().unwrap());

    let mut elsewhere = Elsewhere::new(bytes);
    let tape = elsewhere.open(format);
    assert_eq!(elsewhere.until(|| rows(&*tape)), rows(&**whole).unwrap());

    let mut elsewhere = Elsewhere::new(bytes);
    let tape = elsewhere.open(format);
    assert_eq!(elsewhere.until(|| last(&tape)), last(whole).unwrap());

    let mut elsewhere = Elsewhere::new(bytes);
    let tape = elsewhere.open(format);
    let (options, work) = (Options::new(), Work::default());
    let audit = elsewhere.until(|| tape.audit(&options, &work));
    assert_eq!(audit, whole.audit(&options, &work).unwrap());

    let mut elsewhere = Elsewhere::new(bytes);
    let tape = elsewhere.open(format);
    let stats = elsewhere.until(|| tape.stats(&options, &work));
    assert_eq!(stats.value, whole.stats(&options, &work).unwrap().value);
}

#[test]
fn what_is_fetched_piece_by_piece_is_what_the_whole_file_is() {
    let formats = gametape::formats();
    for format in formats.iter() {
        let mut all = samples(format.name());
        all.truncate(2);
        if format.name() == "capture" {
            let game = Recording::from_bytes(samples("rmv").remove(0), "a").unwrap();
            let made = game.convert("capture", &Options::new()).unwrap();
            all.push(made.content.bytes().unwrap());
        }
        // A recording that breaks off does so when it is fetched, too.
        let cut = all
            .first()
            .map(|bytes| bytes[..bytes.len() * 3 / 4].to_vec());
        all.extend(cut);
        for (at, bytes) in all.iter().enumerate() {
            println!("{} {at}: {} bytes", format.name(), bytes.len());
            let whole = format.open(Source::new(bytes.clone())).unwrap();
            check(format, bytes, &whole);
        }
    }
}
