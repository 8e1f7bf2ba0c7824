//! Problems of recordings, on their way from the machine that reads them to the one that asked.
//!
//! They travel as metrics of the scan: beside its rows, a task gives nothing else back.

use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder};

use crate::archive::Archive;

/// The beginning of the name of such a metric.
const MARK: &str = "broken recording ";

/// How many recordings a part of a scan names at most.
const MOST: usize = 100;

/// Gives the problems that were found to the metrics.
pub(crate) fn told(archive: &Archive, metrics: &ExecutionPlanMetricsSet) {
    for problem in archive.take_broken().into_iter().take(MOST) {
        if let Ok(text) = serde_json::to_string(&problem) {
            let counter = MetricBuilder::new(metrics).counter(format!("{MARK}{text}"), 0);
            counter.add(1);
        }
    }
}

/// Returns the recording and its problem, if the metric of this name tells of one.
#[must_use]
pub fn heard(metric: &str) -> Option<(String, String)> {
    serde_json::from_str(metric.strip_prefix(MARK)?).ok()
}
