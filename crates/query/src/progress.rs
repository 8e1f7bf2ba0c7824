//! How far a query is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::task::JoinHandle;

/// The work that queries have planned and done, in estimated nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    planned: AtomicU64,
    done: AtomicU64,
    /// How far a cluster is, in words.
    words: Mutex<String>,
}

impl Progress {
    /// Forgets the work of earlier queries.
    pub fn restart(&self) {
        self.planned.store(0, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.words().clear();
    }

    fn words(&self) -> MutexGuard<'_, String> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how far it is.
    pub fn at(&self, done: u64, planned: u64, words: String) {
        self.planned.store(planned, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
        *self.words() = words;
    }

    pub fn plan(&self, work: u64) {
        self.planned.fetch_add(work, Ordering::Relaxed);
    }

    pub fn done(&self, work: u64) {
        self.done.fetch_add(work, Ordering::Relaxed);
    }
}

/// The time after which a bar is shown.
const SOON: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(200);

/// Shows a bar on standard error, if it is a terminal, until the rows end. An answer that takes less than
/// a second has none.
pub(crate) fn shown(
    progress: Arc<Progress>,
    rows: SendableRecordBatchStream,
) -> SendableRecordBatchStream {
    let bar = Bar::new(progress);
    let schema = rows.schema();
    let mut bar = Some(bar);
    let end = stream::poll_fn(move |_| {
        bar.take();
        Poll::Ready(None)
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, rows.chain(end)))
}

/// A bar that goes when it is dropped.
struct Bar {
    bar: ProgressBar,
    drawing: JoinHandle<()>,
}

impl Bar {
    fn new(progress: Arc<Progress>) -> Self {
        let bar = ProgressBar::no_length();
        let style = ProgressStyle::with_template("{bar:40} {percent} % {elapsed} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let own = bar.clone();
        let drawing = tokio::spawn(async move {
            tokio::time::sleep(SOON).await;
            loop {
                own.set_length(progress.planned.load(Ordering::Relaxed).max(1));
                own.set_position(progress.done.load(Ordering::Relaxed));
                own.set_message(progress.words().clone());
                tokio::time::sleep(EVERY).await;
            }
        });
        Self { bar, drawing }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.drawing.abort();
        self.bar.finish_and_clear();
    }
}
