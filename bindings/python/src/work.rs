//! Long work: on a thread of its own, while the caller waits without the interpreter's lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use gametape::Work;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::Failure;

/// How often the caller looks for signals and reports progress.
pub const TICK: Duration = Duration::from_millis(50);

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
    let done = run(py, progress, task)??;
    progress.tell(progress.size)?;
    Ok(done)
}

/// Does work a piece at a time on the caller's thread: a thread of its own would take longer than most of such work.
/// A piece ends soon after the moment that it gets, and says whether it was the last. A signal ends the work.
pub fn in_pieces(
    py: Python<'_>,
    mut piece: impl FnMut(Instant) -> Result<bool, Failure> + Send,
) -> PyResult<()> {
    while !py.detach(|| piece(Instant::now() + TICK))? {
        py.check_signals()?;
    }
    Ok(())
}

/// The thread ended without a result.
pub fn panicked() -> PyErr {
    PyRuntimeError::new_err("gametape failed in a way that it should not; please report it")
}
