//! Rows on request: the next batch when the caller asks for it.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::table::{Batch, Scan};
use crate::tape::{Error, Partial, Tape, Work};

/// The maximum size of a recording that is read without a thread, in bytes.
const SMALL: u64 = 1 << 20;
/// The maximum number of batches that are read without a thread. A few bytes may hold many rows.
const AT_ONCE: usize = 32;
/// The number of batches that a thread reads ahead.
const AHEAD: usize = 2;

/// The outcome of a scan: the problem of the recording for each table.
type Outcome = Result<Vec<Partial<()>>, Error>;

/// The rows of one or several tables, a batch at a time: [`Tape::scan`] for callers that ask for
/// rows, such as SQL and Python. It can be moved to another thread, and keeps its recording open.
///
/// The rows of a small recording are read at the first request. A larger recording is read by a
/// thread, a few batches ahead of the caller; dropping the `Pull` ends the thread.
///
/// ```
/// # use std::sync::Arc;
/// # use gametape_core::tape::Tape;
/// fn count(tape: &Arc<dyn Tape>) -> Result<usize, gametape_core::tape::Error> {
///     use gametape_core::table::Scan;
///     let mut rows = tape.pull([Scan::table("goals")]);
///     let mut count = 0;
///     while let Some((_scan, batch)) = rows.next_batch()? {
///         count += batch.len();
///     }
///     match rows.problem(0) {
///         Some(problem) => Err(problem),
///         None => Ok(count),
///     }
/// }
/// ```
pub struct Pull {
    tape: Arc<dyn Tape>,
    scans: Arc<[Scan]>,
    state: PullState,
    control: Arc<Control>,
    outcome: Vec<Partial<()>>,
}

/// The state that the caller and the thread share.
struct Control {
    cancel: AtomicBool,
    bytes: AtomicU64,
    /// Whether more rows of each scan are wanted.
    wanted: Vec<AtomicBool>,
}

enum PullState {
    New,
    /// All rows, or all that are left of them.
    Read(VecDeque<(usize, Batch)>),
    Thread(Receiver<Message>),
    Over,
}

enum Message {
    Rows(usize, Batch),
    End(Outcome),
}

impl dyn Tape {
    /// Reads rows on request: see [`Pull`].
    pub fn pull(self: &Arc<Self>, scans: impl Into<Arc<[Scan]>>) -> Pull {
        let scans = scans.into();
        Pull {
            tape: Arc::clone(self),
            state: PullState::New,
            control: Arc::new(Control {
                cancel: AtomicBool::new(false),
                bytes: AtomicU64::new(0),
                wanted: scans.iter().map(|_| AtomicBool::new(true)).collect(),
            }),
            scans,
            outcome: Vec::new(),
        }
    }
}

impl Pull {
    /// Returns the next batch with the index of its scan; `None` at the end.
    ///
    /// # Errors
    /// The errors of [`Tape::scan`]; [`Error::Cancelled`]; [`Error::Io`] if the system cannot start
    /// a thread. After an error there are no more batches.
    pub fn next_batch(&mut self) -> Result<Option<(usize, Batch)>, Error> {
        if self.control.cancel.load(Ordering::Relaxed) {
            self.state = PullState::Over;
            return Err(Error::Cancelled);
        }
        if matches!(self.state, PullState::New) {
            self.state = PullState::Over;
            self.state = self.start()?;
        }
        let message = match &mut self.state {
            PullState::Read(batches) => return Ok(batches.pop_front()),
            PullState::Thread(messages) => messages.recv(),
            PullState::New | PullState::Over => return Ok(None),
        };
        match message {
            Ok(Message::Rows(scan, batch)) => return Ok(Some((scan, batch))),
            Ok(Message::End(outcome)) => self.outcome = outcome?,
            // The thread ended without a message: it panicked.
            Err(_) => return Err(Error::Unsupported("the reader of the rows failed".into())),
        }
        self.state = PullState::Over;
        Ok(None)
    }

    /// Stops a scan: no more of its rows are wanted. A few that were read ahead may still come.
    pub fn stop(&self, scan: usize) {
        if let Some(wanted) = self.control.wanted.get(scan) {
            wanted.store(false, Ordering::Relaxed);
        }
    }

    /// Takes the problem of the recording after the rows of a scan, once they have all been given.
    pub fn problem(&mut self, scan: usize) -> Option<Error> {
        self.outcome.get_mut(scan)?.problem.take()
    }

    /// Returns the number of bytes of the recording that were processed so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.control.bytes.load(Ordering::Relaxed)
    }

    /// Returns a function that cancels reading from any thread. The next request then fails with
    /// [`Error::Cancelled`].
    pub fn canceller(&self) -> impl Fn() + Send + Sync + use<> {
        let control = Arc::clone(&self.control);
        move || control.cancel.store(true, Ordering::Relaxed)
    }

    fn start(&mut self) -> Result<PullState, Error> {
        if self.tape.input().size() <= SMALL {
            let mut batches = VecDeque::new();
            let mut is_all = true;
            let outcome = read(&*self.tape, &self.scans, &self.control, |scan, batch| {
                is_all &= batches.len() < AT_ONCE;
                batches.push_back((scan, batch));
                is_all
            });
            if is_all {
                self.outcome = outcome?;
                return Ok(PullState::Read(batches));
            }
        }
        // A recording with many rows for its size is read again from its start.
        let (to, messages) = sync_channel(AHEAD);
        let (tape, scans) = (Arc::clone(&self.tape), Arc::clone(&self.scans));
        let control = Arc::clone(&self.control);
        let reader = thread::Builder::new().name("rows".to_owned());
        let reader = reader.spawn(move || send(&*tape, &scans, &control, &to));
        reader.map_err(Error::Io)?;
        Ok(PullState::Thread(messages))
    }
}

impl Drop for Pull {
    fn drop(&mut self) {
        self.control.cancel.store(true, Ordering::Relaxed);
    }
}

/// Reads rows until `take` returns false.
fn read(
    tape: &dyn Tape,
    scans: &[Scan],
    control: &Control,
    mut take: impl FnMut(usize, Batch) -> bool,
) -> Outcome {
    let progress = |bytes| control.bytes.store(bytes, Ordering::Relaxed);
    let work = Work {
        progress: Some(&progress),
        cancel: Some(&control.cancel),
        ..Work::default()
    };
    tape.scan(scans, &work, &mut |scan, batch| {
        let wanted = control.wanted.get(scan);
        let is_wanted = wanted.is_some_and(|wanted| wanted.load(Ordering::Relaxed));
        Ok(if is_wanted && take(scan, batch) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })
}

/// Reads rows and sends them to a caller, who is gone if sending fails.
fn send(tape: &dyn Tape, scans: &[Scan], control: &Control, to: &SyncSender<Message>) {
    let outcome = read(tape, scans, control, |scan, batch| {
        to.send(Message::Rows(scan, batch)).is_ok()
    });
    drop(to.send(Message::End(outcome)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clocks, Stamp};
    use crate::table::kit::{Made, Row, rows_of};
    use crate::table::{ColumnDef, Kind, Lane, TableDef};

    /// A recording of so many numbers, one at each step.
    fn numbers(count: u64) -> Arc<dyn Tape> {
        let column = ColumnDef::new("number", Kind::Uint, "A number.");
        let table = TableDef::new("numbers", Lane::Events, "Numbers.").with(column);
        let row = |step: u64| {
            let stamp = Stamp {
                step,
                ..Stamp::default()
            };
            Row::new(stamp, [step.into()])
        };
        let made = Made::new(Clocks::STEPS, vec![(table, (0..count).map(row).collect())]);
        Arc::new(made.broken(|| Error::Unsupported("cut".to_owned())))
    }

    #[test]
    fn all_rows_come_once_with_and_without_a_thread() {
        for count in [0, 1, 4096, 4097, 40 * 4096 + 1] {
            let mut pull = numbers(count).pull([Scan::table("numbers")]);
            let mut steps = Vec::new();
            while let Some((scan, batch)) = pull.next_batch().unwrap() {
                assert_eq!(scan, 0);
                steps.extend(rows_of(&batch).map(|row| row.stamp.step));
            }
            assert!(steps.into_iter().eq(0..count), "{count}");
            assert_eq!(pull.problem(0).unwrap().to_string(), "cut");
            assert!(pull.next_batch().unwrap().is_none());
        }
    }

    #[test]
    fn a_wrong_table_is_an_error_and_a_cancelled_reader_stops() {
        let mut wrong = numbers(1).pull([Scan::table("letters")]);
        assert!(matches!(wrong.next_batch(), Err(Error::Scan(_))));
        assert!(wrong.next_batch().unwrap().is_none());

        let mut pull = numbers(100 * 4096).pull([Scan::table("numbers")]);
        assert!(pull.next_batch().unwrap().is_some());
        pull.canceller()();
        assert!(matches!(pull.next_batch(), Err(Error::Cancelled)));
        assert!(pull.next_batch().is_err());
    }
}
