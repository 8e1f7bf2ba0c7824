//! The free cores of executors.
//!
//! Ballista 55 counts them: a core is taken with a task, and given back when the executor says that the task
//! ended. Where an executor is lost, the tasks of others that read from it are stopped and begun again, and the
//! cores of the stopped ones are never given back: a cluster whose executors have few cores stands still. So they
//! are counted anew before tasks are given out: those of an executor without those of its running tasks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::{AvailableVcores, ExecutorHeartbeat};
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata};
use ballista_scheduler::cluster::memory::InMemoryClusterState;
use ballista_scheduler::cluster::{
    BoundTask, ClusterState, ClusterStateEventStream, DistributionPolicy, ExecutorSlot,
};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::state::task_manager::JobInfoCache;
use tokio::sync::Mutex;

type Jobs = Arc<HashMap<JobId, JobInfoCache>>;

/// The executors of a cluster, whose free cores are counted anew.
#[derive(Default)]
pub struct Slots {
    inner: InMemoryClusterState,
    /// One gives out tasks at a time.
    giving: Mutex<()>,
}

/// Sets the free cores, and gives out nothing.
#[derive(Debug)]
struct Counted(HashMap<String, u32>);

#[async_trait]
impl DistributionPolicy for Counted {
    async fn bind_tasks(
        &self,
        budgets: Vec<&mut AvailableVcores>,
        _jobs: Jobs,
    ) -> datafusion::error::Result<Vec<BoundTask>> {
        for budget in budgets {
            budget.vcores = self.0.get(&budget.executor_id).copied().unwrap_or(0);
        }
        Ok(Vec::new())
    }

    fn name(&self) -> &'static str {
        "counted"
    }
}

impl Slots {
    /// Counts the free cores of each executor.
    async fn free(&self, jobs: &Jobs) -> HashMap<String, u32> {
        let executors = self.inner.registered_executor_metadata().await;
        let all = |executor: ExecutorMetadata| (executor.id, executor.specification.vcores);
        let mut free: HashMap<String, u32> = executors.into_iter().map(all).collect();
        for job in jobs.values() {
            let graph = job.execution_graph.read().await;
            for task in graph.running_tasks() {
                let taken = graph.task_vcores(task.stage_id, task.task_id).unwrap_or(1);
                if let Some(own) = free.get_mut(&task.executor_id) {
                    *own = own.saturating_sub(taken);
                }
            }
        }
        free
    }
}

#[async_trait]
impl ClusterState for Slots {
    async fn init(&self) -> Result<()> {
        self.inner.init().await
    }

    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        active_jobs: Jobs,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        let _one = self.giving.lock().await;
        let free = self.free(&active_jobs).await;
        // Executors without a free core are not shown to a policy.
        let one_each = free.keys().map(|executor| (executor.clone(), 1));
        self.inner.unbind_tasks(one_each.collect()).await?;
        let counted = TaskDistributionPolicy::Custom(Arc::new(Counted(free)));
        self.inner
            .bind_schedulable_tasks(counted, Arc::clone(&active_jobs), None)
            .await?;
        self.inner
            .bind_schedulable_tasks(distribution, active_jobs, executors)
            .await
    }

    async fn unbind_tasks(&self, executor_slots: Vec<ExecutorSlot>) -> Result<()> {
        self.inner.unbind_tasks(executor_slots).await
    }

    async fn register_executor(
        &self,
        metadata: ExecutorMetadata,
        spec: ExecutorData,
    ) -> Result<()> {
        self.inner.register_executor(metadata, spec).await
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.inner.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor_id: &str) -> Result<ExecutorMetadata> {
        self.inner.get_executor_metadata(executor_id).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.inner.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.inner.save_executor_heartbeat(heartbeat).await
    }

    async fn remove_executor(&self, executor_id: &str) -> Result<()> {
        self.inner.remove_executor(executor_id).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.inner.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, executor_id: &str) -> Option<ExecutorHeartbeat> {
        self.inner.get_executor_heartbeat(executor_id)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.inner.cluster_state_events().await
    }
}
