//! A table of many recordings, as DataFusion reads it.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::object_store::ObjectStoreUrl;
use datafusion::datasource::physical_plan::{
    FileGroup, FileOpenFuture, FileOpener, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion_datasource::projection::{ProjectionOpener, SplitProjection};
use futures::{Stream, StreamExt, stream};
use gametape::Scan;
use object_store::ObjectStore;

use crate::archive::{Archive, File};
use crate::content::{Batches, Content};
use crate::pushed::Pushed;

/// A table of all recordings of a kind, or of all recordings.
#[derive(Debug)]
pub(crate) struct Rows {
    archive: Arc<Archive>,
    content: Arc<Content>,
}

impl Rows {
    pub fn new(archive: &Arc<Archive>, content: Content) -> Self {
        Self {
            archive: Arc::clone(archive),
            content: Arc::new(content),
        }
    }
}

#[async_trait]
impl TableProvider for Rows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.content.table().schema())
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let table = self.content.table();
        let pushed = filters.iter().map(|filter| {
            if Pushed::takes(table, filter) {
                // Each row is looked at once more: a time is compared to the millisecond here.
                TableProviderFilterPushDown::Inexact
            } else {
                TableProviderFilterPushDown::Unsupported
            }
        });
        Ok(pushed.collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let table = self.content.table();
        let pushed = Pushed::of(table, filters);
        let files = self.archive.files().iter().enumerate();
        let files: Vec<(usize, &File)> =
            files.filter(|(_, file)| self.content.reads(file)).collect();
        let wanted = pushed.recordings(state, files.iter().map(|(_, file)| &**file.name()))?;
        let files = files.into_iter().zip(wanted).filter(|(_, wanted)| *wanted);
        let files: Vec<(usize, &File)> = files.map(|(file, _)| file).collect();
        let scan = pushed.scan(&table.definition().name);
        let cores = state.config().target_partitions();
        let parts = cores.checked_div(files.len()).unwrap_or(1);
        let jobs = files.into_iter().flat_map(|(at, file)| {
            let pieces = self.content.pieces(&self.archive, file, &scan, parts);
            let work = file.work(&table.definition().name) / pieces.len().max(1) as u64;
            pieces.into_iter().map(move |scan| Job {
                file: at,
                work: work.max(1),
                scan,
            })
        });
        let groups = balanced(&jobs.collect::<Vec<_>>(), cores);
        let group = |jobs: Vec<Job>| {
            let files = jobs.into_iter().filter_map(|job| {
                let file = self.archive.files().get(job.file)?;
                let mut part = PartitionedFile::new(file.name().to_string(), file.bytes());
                part.extensions.insert(job);
                Some(part)
            });
            FileGroup::new(files.collect())
        };
        let schema = TableSchema::from(self.schema());
        let source = RowSource {
            archive: Arc::clone(&self.archive),
            content: Arc::clone(&self.content),
            projection: SplitProjection::unprojected(&schema),
            schema,
            metrics: ExecutionPlanMetricsSet::new(),
        };
        let url = ObjectStoreUrl::local_filesystem();
        let config = FileScanConfigBuilder::new(url, Arc::new(source))
            .with_file_groups(groups.into_iter().map(group).collect())
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }
}

/// The work on one recording, or on a piece of it.
#[derive(Clone, Debug)]
struct Job {
    /// The recording, by its place in the archive.
    file: usize,
    /// How long it takes, compared with others.
    work: u64,
    /// The range and the keys.
    scan: Scan,
}

/// Divides work into groups that take about as long. Within a group the order stays.
fn balanced(jobs: &[Job], groups: usize) -> Vec<Vec<Job>> {
    let count = groups.clamp(1, jobs.len().max(1));
    let mut largest: Vec<usize> = (0..jobs.len()).collect();
    largest.sort_by_key(|at| std::cmp::Reverse(jobs.get(*at).map(|job| job.work)));
    let mut groups: Vec<(u64, Vec<usize>)> = vec![(0, Vec::new()); count];
    for at in largest {
        let work = jobs.get(at).map_or(0, |job| job.work);
        if let Some((sum, group)) = groups.iter_mut().min_by_key(|(sum, _)| *sum) {
            *sum += work;
            group.push(at);
        }
    }
    let group = |(_, mut group): (u64, Vec<usize>)| {
        group.sort_unstable();
        group
            .iter()
            .filter_map(|at| jobs.get(*at).cloned())
            .collect()
    };
    groups.into_iter().map(group).collect()
}

/// The source of the rows, for DataFusion's scan of files.
#[derive(Clone)]
pub(crate) struct RowSource {
    archive: Arc<Archive>,
    content: Arc<Content>,
    schema: TableSchema,
    projection: SplitProjection,
    metrics: ExecutionPlanMetricsSet,
}

impl FileSource for RowSource {
    fn create_file_opener(
        &self,
        _store: Arc<dyn ObjectStore>,
        _config: &FileScanConfig,
        _partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let opener = RowOpener {
            archive: Arc::clone(&self.archive),
            content: Arc::clone(&self.content),
            columns: self.projection.file_indices.clone(),
        };
        ProjectionOpener::try_new(
            self.projection.clone(),
            Arc::new(opener),
            self.schema.file_schema(),
        )
    }

    fn table_schema(&self) -> &TableSchema {
        &self.schema
    }

    fn with_batch_size(&self, _batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(self.clone())
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        let source = self.projection.source.try_merge(projection)?;
        Ok(Some(Arc::new(Self {
            projection: SplitProjection::new(self.schema.file_schema(), &source),
            ..self.clone()
        })))
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &'static str {
        "recording"
    }

    /// A recording is no run of bytes that could be cut anywhere.
    fn supports_repartitioning(&self) -> bool {
        false
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        datafusion::physical_plan::apply_expression_roots(self.projection.source.iter(), f)
    }
}

/// Opens recordings and reads their rows.
struct RowOpener {
    archive: Arc<Archive>,
    content: Arc<Content>,
    columns: Vec<usize>,
}

/// The maximum size of a recording that is read without leaving the thread of the query, in bytes.
const SMALL: u64 = 1 << 20;

impl FileOpener for RowOpener {
    fn open(&self, part: PartitionedFile) -> Result<FileOpenFuture> {
        let missing = || DataFusionError::Internal("a file without its recording".to_owned());
        let job = part.extensions.get_arc::<Job>().ok_or_else(missing)?;
        let (archive, content) = (Arc::clone(&self.archive), Arc::clone(&self.content));
        let columns = self.columns.clone();
        Ok(Box::pin(async move {
            let file = archive.files().get(job.file).ok_or_else(missing)?;
            let is_small = file.bytes() <= SMALL;
            let batches = content.read(&archive, job.file, &job.scan, &columns)?;
            Ok(if is_small {
                stream::iter(batches).boxed()
            } else {
                beside(batches).boxed()
            })
        }))
    }
}

/// Waits for batches on a thread that may wait, so that the threads of the query go on.
fn beside(batches: Batches) -> impl Stream<Item = Result<RecordBatch>> + Send {
    stream::unfold(Some(batches), |batches| async {
        let mut batches = batches?;
        let next = tokio::task::spawn_blocking(move || (batches.next(), batches)).await;
        match next {
            Ok((Some(batch), batches)) => Some((batch, Some(batches))),
            Ok((None, _)) => None,
            Err(error) => Some((Err(DataFusionError::External(Box::new(error))), None)),
        }
    })
}
