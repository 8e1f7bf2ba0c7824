//! A query on the cluster, as the client follows it: how far it is, what it found broken, and its end.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::extension::SessionConfigExt;
use ballista_core::planner::BallistaQueryPlanner;
use ballista_core::serde::protobuf::operator_metric::Metric;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{CancelJobParams, GetJobMetricsParams};
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::{StreamExt, TryStreamExt, stream};
use gametape_query::Archive;
use gametape_query::cluster::{ends_with, heard, note};
use tokio::task::JoinHandle;

use crate::cores::LARGEST;
use crate::progress::{Progress, ran_once};
use crate::words::plain;

type Query = DistributedQueryExec<LogicalPlanNode>;

/// How long to wait for a scheduler that is told of the end of a query.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often to ask how far a query is.
const OFTEN: Duration = Duration::from_millis(500);
/// How often a query is asked whose parts did not run once each.
const ATTEMPTS: usize = 3;

/// The scheduler that a query runs on, and the archive that notes what it finds.
#[derive(Clone)]
struct At {
    url: String,
    /// As the user wrote it.
    cluster: String,
    archive: Arc<Archive>,
}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("At");
        debug.field("url", &self.url).finish_non_exhaustive()
    }
}

/// Plans queries that are followed.
pub struct Planner(At);

impl Planner {
    pub fn new(url: &str, cluster: &str, archive: &Arc<Archive>) -> Self {
        Self(At {
            url: url.to_owned(),
            cluster: cluster.to_owned(),
            archive: Arc::clone(archive),
        })
    }

    pub fn around(
        self,
        inner: BallistaQueryPlanner<LogicalPlanNode>,
        codec: Arc<dyn LogicalExtensionCodec>,
    ) -> Following {
        Following {
            at: self.0,
            inner,
            codec,
        }
    }
}

pub struct Following {
    at: At,
    inner: BallistaQueryPlanner<LogicalPlanNode>,
    codec: Arc<dyn LogicalExtensionCodec>,
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Following");
        debug.field("at", &self.at).finish_non_exhaustive()
    }
}

#[async_trait]
impl QueryPlanner for Following {
    async fn create_physical_plan(
        &self,
        logical_plan: &LogicalPlan,
        session_state: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let inner = self.inner.create_physical_plan(logical_plan, session_state);
        let inner = inner.await?;
        if !inner.is::<Query>() {
            return Ok(inner);
        }
        Ok(Arc::new(Followed {
            writes: matches!(logical_plan, LogicalPlan::Copy(_) | LogicalPlan::Dml(_)),
            properties: Arc::clone(inner.properties()),
            plan: logical_plan.clone(),
            codec: Arc::clone(&self.codec),
            session: session_state.session_id().to_owned(),
            at: self.at.clone(),
        }))
    }
}

/// A query on the cluster.
#[derive(Clone, Debug)]
struct Followed {
    plan: LogicalPlan,
    /// Whether it writes files: then it cannot be asked twice.
    writes: bool,
    codec: Arc<dyn LogicalExtensionCodec>,
    session: String,
    properties: Arc<PlanProperties>,
    at: At,
}

impl DisplayAs for Followed {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on the cluster {}", self.at.cluster)
    }
}

impl ExecutionPlan for Followed {
    fn name(&self) -> &'static str {
        "Followed"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
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
        let schema = self.schema();
        let (query, cluster) = (self.clone(), self.at.cluster.clone());
        let rows = stream::once(async move { query.answered(partition, &context).await });
        let rows = rows.try_flatten();
        let rows = rows.map(move |rows| rows.map_err(|error| plain(error, &cluster)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

impl Followed {
    /// Asks the cluster, until each part of the query ran once.
    async fn answered(
        self,
        partition: usize,
        context: &Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        for _ in 0..ATTEMPTS {
            let (mut rows, running) = self.begun(partition, context)?;
            // The first rows come when the whole query is done. They are waited for apart: a query that is dropped
            // while the scheduler takes it has no name yet under which it could be stopped.
            let asked = tokio::spawn(async move { (rows.next().await, rows) });
            let (first, rows) = match asked.await {
                Ok(asked) => asked,
                Err(error) => return exec_err!("the query ended: {error}"),
            };
            let is_sound = match (&first, job(&running.query)) {
                (Some(Err(_)), _) | (_, None) => true,
                (_, Some(job)) => match ran_once(&self.at.url, &job).await {
                    Some(once) => once,
                    None => {
                        return exec_err!(
                            "the scheduler does not say whether each part of the query ran once"
                        );
                    }
                },
            };
            if is_sound {
                return Ok(self.rest(first, rows, running));
            }
            if self.writes {
                return exec_err!(
                    "an executor was lost while files were written: delete them, and write them again"
                );
            }
        }
        exec_err!("executors were lost {ATTEMPTS} times while the query ran")
    }

    /// Begins the query.
    fn begun(
        &self,
        partition: usize,
        context: &Arc<TaskContext>,
    ) -> Result<(SendableRecordBatchStream, Running)> {
        let query = Query::with_extension(
            self.at.url.clone(),
            context.session_config().ballista_config(),
            self.plan.clone(),
            Arc::clone(&self.codec),
            self.session.clone(),
        );
        let rows = query.execute(partition, Arc::clone(context))?;
        let query = Arc::new(query);
        let running = Running {
            told: told(Arc::clone(&query), self.at.clone()),
            query,
            at: self.at.clone(),
            is_over: false,
        };
        Ok((rows, running))
    }

    /// The rows of a query that is done, as they are fetched. After them, what was found broken is asked for.
    fn rest(
        &self,
        first: Option<Result<RecordBatch>>,
        rows: SendableRecordBatchStream,
        mut running: Running,
    ) -> SendableRecordBatchStream {
        let schema = self.schema();
        let (query, at) = (Arc::clone(&running.query), self.at.clone());
        // Nothing is left to stop.
        running.over();
        let declared = Arc::clone(&schema);
        let rows = stream::iter(first).chain(rows);
        let rows = rows.map(move |rows| rows.and_then(|rows| as_declared(rows, &declared)));
        let end = stream::once(async move {
            at.hear(&query).await;
            None
        });
        let rows = rows.map(Some).chain(end);
        let rows = rows.filter_map(|rows| async { rows });
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
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
    query: Arc<Query>,
    at: At,
    is_over: bool,
    /// Tells how far it is.
    told: JoinHandle<()>,
}

fn told(query: Arc<Query>, at: At) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(OFTEN).await;
            if let Some(job) = job(&query)
                && let Some(progress) = Progress::of(&at.url, &job).await
            {
                progress.tell(&at.archive);
            }
        }
    })
}

impl Running {
    const fn over(&mut self) {
        self.is_over = true;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.told.abort();
        if let (false, Ok(runtime)) = (self.is_over, tokio::runtime::Handle::try_current()) {
            let (query, at) = (Arc::clone(&self.query), self.at.clone());
            let stopped = async move {
                // The scheduler may be gone, which stops the query as well.
                let _ = tokio::time::timeout(PATIENCE, cancel(&at.url, &query)).await;
            };
            ends_with(&self.at.archive, runtime.spawn(stopped));
        }
    }
}

fn job(query: &Query) -> Option<String> {
    query.job_id().map(|job| job.to_string())
}

/// Stops a query, once the scheduler has named it.
async fn cancel(url: &str, query: &Query) -> Result<(), tonic::transport::Error> {
    let job_id = loop {
        match job(query) {
            Some(job) => break job,
            None => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    };
    let mut scheduler = SchedulerGrpcClient::connect(url.to_owned()).await?;
    // It may have ended meanwhile.
    let _ = scheduler.cancel_job(CancelJobParams { job_id }).await;
    Ok(())
}

impl At {
    /// Asks what a query found broken, and notes it.
    async fn hear(&self, query: &Query) {
        let Some(job_id) = job(query) else {
            return;
        };
        let asked = async {
            let scheduler = SchedulerGrpcClient::connect(self.url.clone()).await.ok()?;
            let mut scheduler = scheduler.max_decoding_message_size(LARGEST as usize);
            let asked = scheduler.get_job_metrics(GetJobMetricsParams { job_id });
            Some(asked.await.ok()?.into_inner())
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
