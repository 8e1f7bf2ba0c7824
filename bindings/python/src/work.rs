//! Work without the interpreter's lock: on a thread of its own, so that a signal ends it, or, if it is short, on the
//! caller's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use gametape::core::tape::Estimate;
use gametape::{Recording, TableDef, Work};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::Failure;

/// How often the caller looks for signals and reports progress.
pub const TICK: Duration = Duration::from_millis(50);

/// The nanoseconds of work that is short. Estimates are right to an order of magnitude: it may take 20 milliseconds, which
/// nobody interrupts. Beside longer work, the tens of microseconds that a thread of its own costs do not count.
const SHORT: u64 = 1_000_000;

/// Whether opening a file of so many bytes is short.
pub const fn is_short_to_open(size: u64) -> bool {
    Estimate::of_bytes(size).work_ns <= SHORT
}

/// Whether reading any table of a recording is short.
pub fn is_short(recording: &Recording) -> bool {
    // The size comes first: to estimate a large recording takes long itself.
    is_short_to_open(recording.input().size())
        && recording
            .tables()
            .is_ok_and(|tables| takes_at_most(SHORT, recording, &tables))
}

/// Whether reading each of these tables takes no more nanoseconds. A few bytes may be a long simulation: the format knows.
pub fn takes_at_most(ns: u64, recording: &Recording, tables: &[TableDef]) -> bool {
    let bytes = Estimate::of_bytes(recording.input().size());
    let estimates = recording.tape().abilities().estimates;
    tables.iter().all(|table| {
        let known = estimates.and_then(|estimates| estimates.estimate(table).ok());
        known.unwrap_or(bytes).work_ns <= ns
    })
}

/// The state that the caller and the thread share.
#[derive(Default)]
struct Control {
    bytes: AtomicU64,
    cancel: AtomicBool,
}

/// A function that receives the number of bytes that were processed, and the number of all.
pub struct Progress<'a, 'py> {
    pub callback: Option<&'a Bound<'py, PyAny>>,
    pub size: u64,
}

impl Progress<'_, '_> {
    pub const NONE: Self = Self {
        callback: None,
        size: 0,
    };

    pub fn tell(&self, bytes: u64) -> PyResult<()> {
        match self.callback {
            Some(callback) => callback.call1((bytes, self.size)).map(drop),
            None => Ok(()),
        }
    }
}

/// Runs a task on a thread and waits for it. A signal, such as an interrupt from the keyboard, or
/// an exception of the callback ends the wait at once: the task is cancelled. A task that
/// does not look for its cancellation then ends on its own, and nobody sees its result. It
/// must therefore have no effect that outlives it.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: &Progress<'_, '_>,
    task: impl FnOnce(&Work<'_>) -> T + Send + 'static,
) -> PyResult<T> {
    let control = Arc::new(Control::default());
    let (to, mut result) = sync_channel(1);
    let shared = Arc::clone(&control);
    let worker = thread::Builder::new().name("gametape".to_owned());
    worker.spawn(move || {
        let tell = |bytes| shared.bytes.store(bytes, Ordering::Relaxed);
        let work = Work {
            progress: Some(&tell),
            cancel: Some(&shared.cancel),
            ..Work::default()
        };
        // The caller may be gone.
        drop(to.send(task(&work)));
    })?;
    let mut told = None;
    loop {
        let waiting = &mut result;
        let received = py.detach(move || waiting.recv_timeout(TICK));
        let asked = match received {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => return Err(panicked()),
            Err(RecvTimeoutError::Timeout) => py.check_signals(),
        };
        let bytes = control.bytes.load(Ordering::Relaxed);
        let asked = asked.and_then(|()| {
            if told == Some(bytes) {
                return Ok(());
            }
            told = Some(bytes);
            progress.tell(bytes)
        });
        if let Err(error) = asked {
            control.cancel.store(true, Ordering::Relaxed);
            return Err(error);
        }
    }
}

/// Like [`run`], for tasks that can fail.
pub fn attempt<T: Send + 'static>(
    py: Python<'_>,
    progress: &Progress<'_, '_>,
    task: impl FnOnce(&Work<'_>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    attempt_short(py, false, progress, task)
}

/// Like [`attempt`], for tasks that may be short.
pub fn attempt_short<T: Send + 'static>(
    py: Python<'_>,
    is_short: bool,
    progress: &Progress<'_, '_>,
    task: impl FnOnce(&Work<'_>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let done = if is_short {
        here(py, || task(&Work::default()))?
    } else {
        run(py, progress, task)?
    };
    let done = done?;
    progress.tell(progress.size)?;
    Ok(done)
}

/// Does short work on the caller's thread.
pub fn here<T: Send>(py: Python<'_>, task: impl FnOnce() -> T + Send) -> PyResult<T> {
    // As on a thread of its own, a panic is an error that programs can catch.
    py.detach(|| catch_unwind(AssertUnwindSafe(task)).map_err(|_| ()))
        .map_err(|()| panicked())
}

/// The thread ended without a result.
pub fn panicked() -> PyErr {
    PyRuntimeError::new_err("gametape failed in a way that it should not; please report it")
}
