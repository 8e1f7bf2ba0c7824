//! The size of a cluster, and of its messages.

use std::sync::{Arc, OnceLock};

use ballista_core::serde::scheduler::ExecutorMetadata;
use ballista_scheduler::cluster::ClusterState;

/// The largest message between machines: a task names the recordings that it reads.
pub const LARGEST: u32 = 1 << 30;

/// The number of cores of the executors.
#[derive(Clone, Default)]
pub struct Cores(Arc<OnceLock<Arc<dyn ClusterState>>>);

impl std::fmt::Debug for Cores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cores").finish_non_exhaustive()
    }
}

impl Cores {
    /// Sets where they are known.
    pub fn are_of(&self, state: &Arc<dyn ClusterState>) {
        // Nobody set it before.
        let _ = self.0.set(Arc::clone(state));
    }

    pub async fn count(&self) -> u64 {
        let Some(state) = self.0.get() else {
            return 0;
        };
        let executors = state.registered_executor_metadata().await;
        let cores = |executor: &ExecutorMetadata| u64::from(executor.specification.vcores);
        executors.iter().map(cores).sum()
    }
}
