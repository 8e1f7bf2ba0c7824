//! A table of many recordings, as DataFusion reads it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, ScalarValue, Statistics};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::object_store::ObjectStoreUrl;
use datafusion::datasource::physical_plan::{
    FileGroup, FileOpenFuture, FileOpener, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{LexOrdering, Partitioning, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::union::UnionExec;
use datafusion_datasource::projection::{ProjectionOpener, SplitProjection};
use futures::{Stream, StreamExt, stream};
use gametape::{Lane, Recording, Scan, Secrets};
use object_store::ObjectStore;

use crate::archive::told;
use crate::archive::{Archive, Batches, File, Reach};
use crate::tables::about::About;
use crate::tables::content::Content;
use crate::tables::jobs::{Job, RECORDING, balanced, dictionary_value, grouped_by_name, together};
use crate::tables::pushed::Pushed;
use crate::tables::related::Related;

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

    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    pub fn content(&self) -> &Content {
        &self.content
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
        if let Content::Relations(_) = *self.content {
            let traces = Self::new(&self.archive, About::Traces.into());
            let traces = traces.scan(state, None, &[], None).await?;
            let related = Related::of(traces, self.archive.formats());
            return related.projected(projection);
        }
        let table = self.content.table();
        let pushed = Pushed::of(table, filters);
        let files = self.archive.files().iter().enumerate();
        let files: Vec<(usize, &File)> =
            files.filter(|(_, file)| self.content.reads(file)).collect();
        let wanted = pushed.recordings(state, files.iter().map(|(_, file)| &**file.name()))?;
        let files = files.into_iter().zip(wanted).filter(|(_, wanted)| *wanted);
        let files = files.map(|(file, _)| file);
        let (known, mut files): (Vec<_>, Vec<_>) =
            files.partition(|(_, file)| self.is_catalogued(file));
        let scan = pushed.scan(&table.definition().name);
        let cores = state.config().target_partitions();
        let mut plans = Vec::new();
        let mut held = self.unreadable(projection)?;
        held.extend(self.known(&known, projection, &mut files)?);
        if !held.is_empty() {
            plans.push(in_memory(held, cores)?);
        }
        if plans.is_empty() || !files.is_empty() {
            plans.push(self.read(&files, &scan, cores, projection, limit)?);
        }
        if plans.len() == 1 {
            return Ok(plans.remove(0));
        }
        UnionExec::try_new(plans)
    }
}

/// Rows that are in memory.
fn in_memory(batches: Vec<RecordBatch>, cores: usize) -> Result<Arc<dyn ExecutionPlan>> {
    let schema = batches
        .first()
        .map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
    let mut partitions = vec![Vec::new(); cores.clamp(1, batches.len().max(1))];
    let count = partitions.len();
    for (at, batch) in batches.into_iter().enumerate() {
        if let Some(partition) = partitions.get_mut(at % count) {
            partition.push(batch);
        }
    }
    let source = MemorySourceConfig::try_new(&partitions, schema, None)?;
    Ok(DataSourceExec::from_data_source(source))
}

impl Rows {
    /// Returns whether the rows of a recording are in a catalogue.
    fn is_catalogued(&self, file: &File) -> bool {
        let own = file.catalogued();
        let own = own.and_then(|own| self.archive.catalogues().get(own.catalogue));
        // A catalogue has no secrets.
        let shows = self.archive.secrets() == Secrets::Show;
        let mut columns = self.content.table().definition().columns.iter();
        let lacks = shows && columns.any(|column| column.secret);
        let name = self.content.catalogued().filter(|_| !lacks);
        own.zip(name).is_some_and(|(own, name)| own.has(&name))
    }

    /// Reads the rows of recordings from their catalogues. Those of a catalogue that was replaced meanwhile are
    /// left to be read.
    fn known<'f>(
        &self,
        files: &[(usize, &'f File)],
        projection: Option<&Vec<usize>>,
        left: &mut Vec<(usize, &'f File)>,
    ) -> Result<Vec<RecordBatch>> {
        let all = self.schema();
        let schema = match projection {
            Some(columns) => Arc::new(all.project(columns)?),
            None => all,
        };
        let name = self.content.catalogued().unwrap_or_default();
        let mut batches = Vec::new();
        for (at, catalogue) in self.archive.catalogues().iter().enumerate() {
            let own = files.iter().filter_map(|(place, file)| {
                let own = file.catalogued().filter(|own| own.catalogue == at)?;
                Some((*place, *file, own.number as usize))
            });
            let own: Vec<(usize, &File, usize)> = own.collect();
            if own.is_empty() {
                continue;
            }
            let mut names = vec![None; catalogue.files()];
            for (_, file, number) in &own {
                if let Some(name) = names.get_mut(*number) {
                    *name = Some(&**file.name());
                }
            }
            let rows = catalogue.named_rows(&name, &names, &schema);
            let rows = rows.map_err(|error| DataFusionError::External(Box::new(error)))?;
            let Some(rows) = rows else {
                left.extend(own.iter().map(|(place, file, _)| (*place, *file)));
                continue;
            };
            batches.extend(rows);
            for (_, file, _) in own {
                if let Some(problem) = file.problem() {
                    self.archive.found_broken(file, problem.to_owned());
                }
            }
        }
        Ok(batches)
    }

    /// Returns the rows for files that cannot be opened.
    fn unreadable(&self, projection: Option<&Vec<usize>>) -> Result<Vec<RecordBatch>> {
        let mut batches = Vec::new();
        if !matches!(*self.content, Content::About(About::Findings, _)) {
            return Ok(batches);
        }
        for (name, problem) in self.archive.broken() {
            if self.archive.file(&name).is_none() {
                let rows = self.content.of_unreadable(&name, &problem)?;
                batches.push(match projection {
                    Some(columns) => rows.project(columns)?,
                    None => rows,
                });
            }
        }
        Ok(batches)
    }

    /// Reads the rows of recordings from their files.
    fn read(
        &self,
        files: &[(usize, &File)],
        scan: &Scan,
        cores: usize,
        projection: Option<&Vec<usize>>,
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let table = &self.content.table().definition().name;
        let all: u64 = files.iter().map(|(_, file)| file.work(table)).sum();
        let jobs = files.iter().flat_map(|(at, file)| {
            let parts = parts_of(file.work(table), all, cores);
            let (opened, pieces) = self.content.pieces(&self.archive, file, scan, parts);
            let work = (file.work(table) / pieces.len().max(1) as u64).max(1);
            let is_near = file.bytes() <= SMALL && !file.is_far();
            let is_small = is_near && pieces.len() == 1 && opened.is_none();
            pieces.into_iter().map(move |scan| Job {
                pieces: vec![(*at, scan)],
                opened: opened.clone(),
                work,
                is_small,
            })
        });
        let jobs: Vec<Job> = jobs.collect();
        let all: u64 = jobs.iter().map(|job| job.work).sum();
        self.archive.progress().plan(all);
        // Many recordings are divided as DataFusion divides rows by their recording. It then neither moves nor
        // sorts them for a window, a group or a join by recording. Few, or ones of very different sizes, would
        // make uneven groups.
        let most = jobs.iter().map(|job| job.work).max().unwrap_or(0);
        let cores = cores.max(1);
        let by_name = self.content.table().definition().lane != Lane::Facts
            && jobs.len() >= 16 * cores
            && most <= all / (16 * cores as u64);
        let groups = if by_name {
            grouped_by_name(&self.archive, &jobs, cores)?
        } else {
            balanced(&jobs, cores)
        };
        let group = |jobs: Vec<Job>| {
            let files = together(jobs)
                .into_iter()
                .map(|job| part(&self.archive, &self.schema(), job, by_name));
            files.collect::<Option<Vec<_>>>().map(FileGroup::new)
        };
        let groups: Option<Vec<FileGroup>> = groups.into_iter().map(group).collect();
        let lost = || DataFusionError::Internal("a file without its recording".to_owned());
        let groups = groups.ok_or_else(lost)?;
        let source = RowSource::new(&self.archive, &self.content);
        let url = ObjectStoreUrl::local_filesystem();
        let count = groups.len();
        let mut config = FileScanConfigBuilder::new(url, Arc::new(source))
            .with_file_groups(groups)
            .with_limit(limit);
        if by_name {
            let column = |at: usize, name: &str| -> Arc<dyn PhysicalExpr> {
                Arc::new(Column::new(name, at))
            };
            let recording = column(0, RECORDING);
            let sorted = [Arc::clone(&recording), column(1, "step")];
            let sorted = LexOrdering::new(sorted.map(PhysicalSortExpr::new_default));
            let by_recording = Partitioning::Hash(vec![recording], count);
            config = config
                .with_output_ordering(sorted.into_iter().collect())
                .with_output_partitioning(Some(by_recording));
        }
        let config = config.with_projection_indices(projection.cloned())?.build();
        Ok(DataSourceExec::from_data_source(config))
    }
}

/// Returns into how many pieces a recording is divided: each is about a core's share of all work, or less.
fn parts_of(work: u64, all: u64, cores: usize) -> usize {
    let share = (all / cores.max(1) as u64).max(1);
    // Where that is little more than one, it is not worth looking for a place to divide it.
    let parts = usize::try_from(work.saturating_add(share / 2) / share).unwrap_or(cores);
    parts.clamp(1, cores.max(1))
}

/// A part of a scan: a recording, a piece of one, or a few small ones.
pub(crate) fn part(
    archive: &Archive,
    schema: &SchemaRef,
    job: Job,
    in_order: bool,
) -> Option<PartitionedFile> {
    let file = |(at, _): &(usize, Scan)| archive.files().get(*at);
    let (first, last) = (file(job.pieces.first()?)?, file(job.pieces.last()?)?);
    let bytes = job.pieces.iter().filter_map(file).map(File::bytes).sum();
    let mut part = PartitionedFile::new(first.name().to_string(), bytes);
    if in_order {
        // DataFusion looks whether each part ends before the next begins.
        let mut statistics = Statistics::new_unknown(schema);
        let name = |file: &File| Precision::Inexact(dictionary_value(file.name()));
        let step = |step| Precision::Inexact(ScalarValue::Int64(Some(step)));
        let ends = [(name(first), name(last)), (step(0), step(i64::MAX))];
        for (column, (least, most)) in statistics.column_statistics.iter_mut().zip(ends) {
            column.min_value = least;
            column.max_value = most;
        }
        part.statistics = Some(Arc::new(statistics));
    }
    part.extensions.insert(job);
    Some(part)
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

impl RowSource {
    pub fn new(archive: &Arc<Archive>, content: &Arc<Content>) -> Self {
        let schema = TableSchema::from(Arc::clone(content.table().schema()));
        Self {
            archive: Arc::clone(archive),
            content: Arc::clone(content),
            projection: SplitProjection::unprojected(&schema),
            schema,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    pub fn content(&self) -> &Content {
        &self.content
    }
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
            metrics: self.metrics.clone(),
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
    metrics: ExecutionPlanMetricsSet,
}

/// The maximum size of a recording that is read without leaving the thread of the query, in bytes.
const SMALL: u64 = 1 << 20;

impl FileOpener for RowOpener {
    fn open(&self, part: PartitionedFile) -> Result<FileOpenFuture> {
        let missing = || DataFusionError::Internal("a file without its recording".to_owned());
        let job = part.extensions.get_arc::<Job>().ok_or_else(missing)?;
        let archive = Arc::clone(&self.archive);
        let batches = Gathered {
            archive: Arc::clone(&archive),
            content: Arc::clone(&self.content),
            columns: self.columns.clone(),
            pieces: job.pieces.clone().into(),
            opened: job.opened.clone(),
            now: None,
            held: Vec::new(),
            rows: 0,
            together: job.pieces.len() > 1,
        };
        let metrics = self.metrics.clone();
        Ok(Box::pin(async move {
            let end = ended(archive, job.work, metrics);
            if job.is_small {
                return Ok(stream::iter(batches).chain(end).boxed());
            }
            Ok(beside(Box::new(batches)).chain(end).boxed())
        }))
    }
}

/// The rows of recordings, those of small ones together.
struct Gathered {
    archive: Arc<Archive>,
    content: Arc<Content>,
    columns: Vec<usize>,
    /// The recordings that are left.
    pieces: VecDeque<(usize, Scan)>,
    opened: Option<Recording>,
    /// The one that is read now.
    now: Option<Batches>,
    held: Vec<RecordBatch>,
    rows: usize,
    /// Whether batches are held until they have enough rows.
    together: bool,
}

/// The number of rows that a batch should have.
const FULL: usize = 8_192;

impl Gathered {
    /// Returns the batches that are held as one.
    fn take(&mut self) -> Option<Result<RecordBatch>> {
        self.rows = 0;
        let held = std::mem::take(&mut self.held);
        let schema = held.first()?.schema();
        if held.len() == 1 {
            return held.into_iter().next().map(Ok);
        }
        Some(concat_batches(&schema, &held).map_err(DataFusionError::from))
    }
}

impl Iterator for Gathered {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.now.as_mut().and_then(Iterator::next) {
                Some(Ok(batch)) if !self.together => return Some(Ok(batch)),
                Some(Ok(batch)) => {
                    self.rows += batch.num_rows();
                    self.held.push(batch);
                    if self.rows >= FULL {
                        return self.take();
                    }
                }
                Some(Err(error)) => return Some(Err(error)),
                None => {
                    let Some((at, scan)) = self.pieces.pop_front() else {
                        return self.take();
                    };
                    let opened = self.opened.clone();
                    match self
                        .content
                        .read(&self.archive, (at, &scan), opened, &self.columns)
                    {
                        Ok(batches) => self.now = Some(batches),
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
        }
    }
}

/// Notes that a recording was read to its end.
fn ended(
    archive: Arc<Archive>,
    work: u64,
    metrics: ExecutionPlanMetricsSet,
) -> impl Stream<Item = Result<RecordBatch>> + Send {
    stream::poll_fn(move |_| {
        archive.progress().done(work);
        if matches!(archive.reach(), Reach::Any(_)) {
            told(&archive, &metrics);
        }
        Poll::Ready(None)
    })
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

#[cfg(test)]
mod tests {
    use super::parts_of;

    #[test]
    fn a_recording_is_divided_if_it_is_more_than_the_share_of_a_core() {
        // One alone, a few, and many of the same size.
        assert_eq!(parts_of(800, 800, 8), 8);
        assert_eq!(parts_of(100, 300, 8), 3);
        assert_eq!(parts_of(100, 10_000, 8), 1);
        // A large one among many.
        assert_eq!(parts_of(5_000, 10_000, 8), 4);
        assert_eq!(parts_of(140, 800, 8), 1);
        assert_eq!(parts_of(0, 0, 8), 1);
        assert_eq!(parts_of(u64::MAX, u64::MAX, 0), 1);
    }
}
