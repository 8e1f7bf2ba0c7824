//! Rows that a thread reads while a consumer takes them, or that are all read first, if that is short.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use gametape::Work;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use crate::errors::{Errors, Failure, Problems};
use crate::work::{TICK, here, panicked};

/// The number of batches that are read ahead of the consumer.
const AHEAD: usize = 2;

/// Something that can be read from its start any number of times, as rows or as things that become rows.
#[derive(Clone)]
pub struct Source<T = RecordBatch> {
    /// The schema of the rows.
    pub schema: SchemaRef,
    /// The bytes of the recordings, if they are known.
    pub size: u64,
    /// Whether reading all of it is short.
    pub is_short: bool,
    pub read: Arc<Read<T>>,
}

/// Reads from the start, and gives what it reads.
pub type Read<T> = dyn Fn(&Output<T>) + Send + Sync;

/// The reading end of a source.
pub struct Output<T = RecordBatch> {
    /// Returns false if the consumer is gone.
    to: Box<dyn Fn(Item<T>) -> bool + Send>,
    control: Arc<Control>,
}

enum Item<T> {
    Rows(T),
    Failed(Failure),
    End,
}

#[derive(Default)]
struct Control {
    cancel: AtomicBool,
    /// The bytes that were read.
    bytes: AtomicU64,
    /// Ends the reading of the recording that is read now.
    canceller: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
}

impl Control {
    fn cancel(&self) {
        self.cancel.store(true, Ordering::SeqCst);
        let canceller = self.canceller.lock();
        if let Some(cancel) = &*canceller.unwrap_or_else(PoisonError::into_inner) {
            cancel();
        }
    }
}

impl<T> Output<T> {
    fn new(control: &Arc<Control>, to: impl Fn(Item<T>) -> bool + Send + 'static) -> Self {
        Self {
            to: Box::new(to),
            control: Arc::clone(control),
        }
    }

    /// Whether the consumer wants more.
    pub fn is_wanted(&self) -> bool {
        !self.control.cancel.load(Ordering::SeqCst)
    }

    /// The environment of work that these rows need: it is cancelled when nobody wants them.
    pub fn work(&self) -> Work<'_> {
        Work {
            cancel: Some(&self.control.cancel),
            ..Work::default()
        }
    }

    /// Sets the function that ends the reading of a recording.
    pub fn watch(&self, canceller: Option<impl Fn() + Send + Sync + 'static>) {
        let canceller = canceller.map(|cancel| Box::new(cancel) as Box<dyn Fn() + Send + Sync>);
        let slot = self.control.canceller.lock();
        *slot.unwrap_or_else(PoisonError::into_inner) = canceller;
        if !self.is_wanted() {
            self.control.cancel();
        }
    }

    /// Notes how many bytes were read.
    pub fn at(&self, bytes: u64) {
        self.control.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Gives rows. Returns false if the consumer is gone.
    pub fn rows(&self, rows: T) -> bool {
        (self.to)(Item::Rows(rows))
    }

    /// Gives a problem. Returns false if it is the end of the rows.
    pub fn problem(&self, failure: Failure, errors: Errors, problems: &Problems) -> bool {
        if !self.is_wanted() {
            // The problem is that the consumer is gone.
            return false;
        }
        problems.note(failure.clone());
        if errors == Errors::Collect {
            return true;
        }
        self.fail(failure);
        false
    }

    /// Gives an error, after which there is nothing more.
    pub fn fail(&self, failure: Failure) {
        (self.to)(Item::Failed(failure));
    }
}

/// The consuming end of a source.
pub struct Stream<T = RecordBatch> {
    items: Receiver<Item<T>>,
    control: Arc<Control>,
    /// The rows that came while beginning.
    first: Option<T>,
    /// The process that the thread lives in.
    process: u32,
    over: bool,
    /// When it last looked for signals: rows that are always there already leave no other time to.
    looked: Instant,
    /// Receives the number of bytes that were read, and the number of all.
    progress: Option<Py<PyAny>>,
    size: u64,
}

impl<T> Drop for Stream<T> {
    fn drop(&mut self) {
        // After a fork, nobody is there to hear it, and nobody frees the lock that a thread held.
        if self.process == std::process::id() {
            self.control.cancel();
        }
    }
}

impl<T: Send + 'static> Stream<T> {
    /// Begins to read, and waits for the first rows: an error that has nothing to do with the rows,
    /// such as a missing file, is raised here, as the exception that it is.
    pub fn begin(py: Python<'_>, source: &Source<T>) -> PyResult<Self> {
        let mut stream = Self::start(py, source)?;
        stream.first = stream.wait(py, None)?;
        Ok(stream)
    }

    /// Begins to read, and returns the first rows if they come within this time.
    pub fn glance(py: Python<'_>, source: &Source<T>, within: Duration) -> PyResult<Option<T>> {
        let until = Instant::now() + within;
        Self::start(py, source)?.wait(py, Some(until))
    }

    fn start(py: Python<'_>, source: &Source<T>) -> PyResult<Self> {
        let control = Arc::new(Control::default());
        let read = Arc::clone(&source.read);
        let (output, items) = if source.is_short {
            let (to, items) = channel();
            (
                Output::new(&control, move |item| to.send(item).is_ok()),
                items,
            )
        } else {
            let (to, items) = sync_channel(AHEAD);
            (
                Output::new(&control, move |item| to.send(item).is_ok()),
                items,
            )
        };
        let reading = move || {
            read(&output);
            (output.to)(Item::End);
        };
        if source.is_short {
            here(py, reading)?;
        } else {
            let reader = thread::Builder::new().name("gametape".to_owned());
            reader.spawn(reading)?;
        }
        Ok(Self {
            items,
            control,
            first: None,
            process: std::process::id(),
            over: false,
            looked: Instant::now(),
            progress: None,
            size: source.size,
        })
    }

    /// Reads all rows, and says how far it is.
    pub fn read(mut self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Vec<T>> {
        self.progress = progress;
        let mut batches = Vec::new();
        while let Some(batch) = self.next_rows(py)? {
            batches.push(batch);
        }
        self.tell(py, self.size)?;
        Ok(batches)
    }

    fn tell(&self, py: Python<'_>, bytes: u64) -> PyResult<()> {
        match &self.progress {
            Some(progress) => progress.call1(py, (bytes, self.size)).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the next rows; `None` if there are no more.
    pub fn next_rows(&mut self, py: Python<'_>) -> PyResult<Option<T>> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.wait(py, None),
        }
    }

    /// Returns the next rows; `None` if there are no more, or none up to a moment.
    fn wait(&mut self, py: Python<'_>, until: Option<Instant>) -> PyResult<Option<T>> {
        if self.process != std::process::id() {
            self.over = true;
            let text = "these rows are read by another process: ask for them again after a fork";
            return Err(PyRuntimeError::new_err(text));
        }
        while !self.over && until.is_none_or(|until| Instant::now() < until) {
            if self.looked.elapsed() >= TICK {
                self.looked = Instant::now();
                let bytes = self.control.bytes.load(Ordering::Relaxed);
                let asked = py.check_signals().and_then(|()| self.tell(py, bytes));
                if let Err(error) = asked {
                    self.over = true;
                    self.control.cancel();
                    return Err(error);
                }
            }
            let items = &mut self.items;
            let item = match items.try_recv() {
                Ok(item) => Ok(item),
                Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
                Err(TryRecvError::Empty) => py.detach(move || items.recv_timeout(TICK)),
            };
            if let Some(found) = self.of(item) {
                return found;
            }
        }
        Ok(None)
    }

    /// Returns the meaning of an item; `None` if there is none yet.
    fn of(&mut self, item: Result<Item<T>, RecvTimeoutError>) -> Option<PyResult<Option<T>>> {
        self.over = !matches!(item, Ok(Item::Rows(_)) | Err(RecvTimeoutError::Timeout));
        match item {
            Ok(Item::Rows(batch)) => Some(Ok(Some(batch))),
            Ok(Item::Failed(failure)) => Some(Err(failure.into())),
            Ok(Item::End) => Some(Ok(None)),
            Err(RecvTimeoutError::Disconnected) => Some(Err(panicked())),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }
}

/// For consumers outside of Python, which call from any thread, with or without the interpreter's
/// lock.
impl<T: Send + 'static> Iterator for Stream<T> {
    type Item = Result<T, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        if self.over {
            return None;
        }
        // Without the lock, if there are rows already.
        if self.looked.elapsed() < TICK
            && let Ok(item) = self.items.try_recv()
        {
            self.over = !matches!(item, Item::Rows(_));
            return match item {
                Item::Rows(batch) => Some(Ok(batch)),
                Item::Failed(failure) => Some(Err(ArrowError::ExternalError(Box::new(failure)))),
                Item::End => None,
            };
        }
        let taken = Python::try_attach(|py| {
            self.wait(py, None).map_err(|error| {
                if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    return error.value(py).to_string();
                }
                // The consumer makes an error of its own of this one. The interrupt comes again after it.
                let text = error.to_string();
                let thread = py.import("_thread");
                drop(thread.and_then(|thread| thread.call_method0("interrupt_main")));
                text
            })
        });
        match taken {
            Some(Ok(rows)) => rows.map(Ok),
            Some(Err(error)) => Some(Err(ArrowError::ExternalError(error.into()))),
            None => Some(Err(ArrowError::ExternalError(
                "the interpreter is shutting down".into(),
            ))),
        }
    }
}
