//! How far a query is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::DataFrame;
use futures::{StreamExt, stream};
use gametape_core::text::Counted;
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

/// Starts a query, and shows a bar on standard error, if it is a terminal, until its rows end. An answer that takes less
/// than a second has none.
pub(crate) async fn shown(
    progress: Arc<Progress>,
    answer: DataFrame,
) -> Result<SendableRecordBatchStream> {
    let context = Arc::new(answer.task_ctx());
    let plan = answer.create_physical_plan().await?;
    let rows = execute_stream(Arc::clone(&plan), context)?;
    let bar = Bar::new(progress, plan);
    let schema = rows.schema();
    let mut bar = Some(bar);
    let end = stream::poll_fn(move |_| {
        bar.take();
        Poll::Ready(None)
    });
    let rows = rows.chain(end);
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

/// What the joins of a plan have done so far: a join may take most of the time, when all recordings are read already.
fn joined(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    let (mut read, mut given, mut any) = (0, 0, false);
    let mut plans = vec![Arc::clone(plan)];
    while let Some(plan) = plans.pop() {
        if let Some(metrics) = plan.metrics().filter(|_| plan.name().contains("Join")) {
            let rows = |name| metrics.sum_by_name(name).map_or(0, |rows| rows.as_usize());
            read += rows("input_rows");
            given += metrics.output_rows().unwrap_or(0);
            any = true;
        }
        plans.extend(plan.children().into_iter().cloned());
    }
    let rows = |count: usize| Counted(count as u64, "row");
    any.then(|| format!("; joins: {} in, {} out", rows(read), rows(given)))
}

/// A bar that goes when it is dropped.
struct Bar {
    bar: ProgressBar,
    drawing: JoinHandle<()>,
}

impl Bar {
    fn new(progress: Arc<Progress>, plan: Arc<dyn ExecutionPlan>) -> Self {
        let bar = ProgressBar::no_length();
        let style = ProgressStyle::with_template("{bar:40} {percent} % {msg} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let own = bar.clone();
        let drawing = tokio::spawn(async move {
            tokio::time::sleep(SOON).await;
            loop {
                own.set_length(progress.planned.load(Ordering::Relaxed).max(1));
                own.set_position(progress.done.load(Ordering::Relaxed));
                let words = progress.words().clone();
                // The bar tells how much is read.
                let own_words = || format!("read{}", joined(&plan).unwrap_or_default());
                own.set_message(if words.is_empty() { own_words() } else { words });
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

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    #[tokio::test]
    async fn a_join_says_what_it_has_done() {
        let context = SessionContext::new();
        let series = "generate_series(1, 100)";
        for (sql, wanted) in [
            ("SELECT count(*) FROM A a", None),
            (
                "SELECT count(*) FROM A a JOIN A b ON a.value * 2 = b.value",
                Some("; joins: 100 rows in, 50 rows out"),
            ),
            (
                "SELECT count(*) FROM A a JOIN A b ON a.value * b.value < 3",
                Some("; joins: 100 rows in, 3 rows out"),
            ),
        ] {
            let answer = context.sql(&sql.replace("A ", &format!("{series} "))).await;
            let answer = answer.unwrap();
            let task = Arc::new(answer.task_ctx());
            let plan = answer.create_physical_plan().await.unwrap();
            let mut rows = execute_stream(Arc::clone(&plan), task).unwrap();
            while let Some(batch) = rows.next().await {
                batch.unwrap();
            }
            assert_eq!(joined(&plan).as_deref(), wanted, "{sql}");
        }
    }
}
