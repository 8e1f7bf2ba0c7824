//! A query on the cluster, as the client follows it: how far it is, what it found broken, and its end.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::planner::BallistaQueryPlanner;
use ballista_core::serde::protobuf::operator_metric::Metric;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{CancelJobParams, GetJobMetricsParams};
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::{StreamExt, stream};
use gametape_query::Archive;
use gametape_query::cluster::{ends_with, heard, note};

type Query = DistributedQueryExec<LogicalPlanNode>;

/// How long to wait for a scheduler that is told of the end of a query.
const PATIENCE: Duration = Duration::from_secs(2);

/// The scheduler that a query runs on, and the archive that notes what it finds.
#[derive(Clone)]
struct At {
    url: String,
    archive: Arc<Archive>,
}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("At")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// Plans queries that are followed.
pub struct Planner(At);

impl Planner {
    pub fn new(url: &str, archive: &Arc<Archive>) -> Self {
        Self(At {
            url: url.to_owned(),
            archive: Arc::clone(archive),
        })
    }

    pub fn around(self, inner: BallistaQueryPlanner<LogicalPlanNode>) -> Following {
        Following { at: self.0, inner }
    }
}

pub struct Following {
    at: At,
    inner: BallistaQueryPlanner<LogicalPlanNode>,
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl QueryPlanner for Following {
    async fn create_physical_plan(
        &self,
        logical_plan: &LogicalPlan,
        session_state: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self
            .inner
            .create_physical_plan(logical_plan, session_state)
            .await?;
        if plan.is::<Query>() {
            let at = self.at.clone();
            return Ok(Arc::new(Followed { query: plan, at }));
        }
        Ok(plan)
    }
}

/// A query on the cluster.
#[derive(Debug)]
struct Followed {
    query: Arc<dyn ExecutionPlan>,
    at: At,
}

impl DisplayAs for Followed {
    fn fmt_as(&self, t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.query.fmt_as(t, f)
    }
}

impl ExecutionPlan for Followed {
    fn name(&self) -> &str {
        self.query.name()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.query.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() {
            return Ok(self);
        }
        internal_err!("a query on a cluster has no children")
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.query.execute(partition, context)?;
        let schema = rows.schema();
        let mut running = Running {
            query: Arc::clone(&self.query),
            at: self.at.clone(),
            is_over: false,
        };
        let (query, at) = (Arc::clone(&self.query), self.at.clone());
        let declared = Arc::clone(&schema);
        let rows = rows.map(move |rows| rows.and_then(|rows| as_declared(rows, &declared)));
        let rows = rows.map(Some).chain(stream::iter([None]));
        let rows = rows.filter_map(move |rows| {
            if !matches!(rows, Some(Ok(_))) {
                running.over();
            }
            let (query, at) = (Arc::clone(&query), at.clone());
            async move {
                if rows.is_none() {
                    at.hear(&query).await;
                }
                rows
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// Gives the columns the types that they should have: on its way, a dictionary becomes a text.
fn as_declared(rows: RecordBatch, declared: &SchemaRef) -> Result<RecordBatch> {
    if rows.schema_ref() == declared {
        return Ok(rows);
    }
    let columns = rows.columns().iter().zip(declared.fields());
    let columns = columns
        .map(|(column, field)| cast(column, field.data_type()))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    Ok(RecordBatch::try_new_with_options(
        Arc::clone(declared),
        columns,
        &options,
    )?)
}

/// A query that the cluster works on. If it is dropped before its end, the cluster is told to stop.
struct Running {
    query: Arc<dyn ExecutionPlan>,
    at: At,
    is_over: bool,
}

impl Running {
    const fn over(&mut self) {
        self.is_over = true;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let job = job(&*self.query);
        if let (false, Some(job), Ok(runtime)) =
            (self.is_over, job, tokio::runtime::Handle::try_current())
        {
            let at = self.at.clone();
            let url = at.url.clone();
            let told = async move {
                // The scheduler may be gone, which stops the query as well.
                let _ = tokio::time::timeout(PATIENCE, cancel(&url, job)).await;
            };
            ends_with(&at.archive, runtime.spawn(told));
        }
    }
}

fn job(query: &dyn ExecutionPlan) -> Option<String> {
    let query: &Query = query.downcast_ref()?;
    query.job_id().map(|job| job.to_string())
}

async fn cancel(url: &str, job_id: String) -> Result<(), tonic::transport::Error> {
    let mut scheduler = SchedulerGrpcClient::connect(url.to_owned()).await?;
    // It may have ended meanwhile.
    let _ = scheduler.cancel_job(CancelJobParams { job_id }).await;
    Ok(())
}

impl At {
    /// Asks what a query found broken, and notes it.
    async fn hear(&self, query: &Arc<dyn ExecutionPlan>) {
        let Some(job_id) = job(&**query) else {
            return;
        };
        let asked = async {
            let scheduler = SchedulerGrpcClient::connect(self.url.clone()).await.ok()?;
            let mut scheduler =
                scheduler.max_decoding_message_size(crate::scheduler::LARGEST as usize);
            let answer = scheduler
                .get_job_metrics(GetJobMetricsParams { job_id })
                .await;
            Some(answer.ok()?.into_inner())
        };
        // Without an answer, the rows are still right.
        let Ok(Some(metrics)) = tokio::time::timeout(PATIENCE, asked).await else {
            return;
        };
        let operators = metrics.stages.iter().flat_map(|stage| &stage.operators);
        for metric in operators.flat_map(|operator| &operator.metrics) {
            if let Some(Metric::Count(count)) = &metric.metric
                && let Some((recording, problem)) = heard(&count.name)
            {
                note(&self.archive, &recording, problem);
            }
        }
    }
}
