//! Work on recordings, and how it is divided among the cores.

use datafusion::arrow::array::{AsArray, RecordBatch, StringArray, UInt32Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, UInt32Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::repartition::BatchPartitioner;
use gametape::{Recording, Scan};
use std::sync::Arc;

use crate::archive::Archive;
use crate::tables::content::LONG;

/// The name of the column that names the recording of a row.
pub(crate) const RECORDING: &str = "recording";

/// The work on one recording, on a piece of one, or on a few small ones.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// Recordings, by their places in the archive, with the range and the keys.
    pub pieces: Vec<(usize, Scan)>,
    /// The recording, if it was opened to divide it.
    pub opened: Option<Recording>,
    /// How long it takes, compared with others.
    pub work: u64,
    /// Whether it is read without leaving the thread of the query.
    pub is_small: bool,
}

/// The most small recordings that are read together: opening a part costs as much as reading one of them.
const TOGETHER: usize = 64;

/// Puts small recordings of a group together. A group keeps several parts, so that one that is done early
/// can take those of another.
pub(crate) fn together(jobs: Vec<Job>) -> Vec<Job> {
    let at_most = (jobs.len() / 8).clamp(1, TOGETHER);
    let mut all: Vec<Job> = Vec::new();
    for job in jobs {
        let last = all.last_mut().filter(|last| {
            let is_small = job.is_small && last.is_small;
            is_small && last.pieces.len() < at_most && last.work + job.work < LONG
        });
        match last {
            Some(last) => {
                last.pieces.extend(job.pieces);
                last.work += job.work;
            }
            None => all.push(job),
        }
    }
    all
}

pub(crate) fn dictionary_value(text: &str) -> ScalarValue {
    let text = ScalarValue::Utf8(Some(text.to_owned()));
    ScalarValue::Dictionary(Box::new(DataType::Int32), Box::new(text))
}

/// Divides work on whole recordings into groups: those in which DataFusion looks for the rows of each.
pub(crate) fn grouped_by_name(
    archive: &Archive,
    jobs: &[Job],
    groups: usize,
) -> Result<Vec<Vec<Job>>> {
    let name = |job: &Job| Some(&**archive.files().get(job.pieces.first()?.0)?.name());
    let names: StringArray = jobs.iter().map(name).collect();
    let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let names = cast(&names, &kind)?;
    let numbers = UInt32Array::from_iter_values((0..).take(jobs.len()));
    let schema = Schema::new(vec![
        Field::new(RECORDING, kind, true),
        Field::new("job", DataType::UInt32, false),
    ]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![names, Arc::new(numbers)])?;
    let recording: Arc<dyn PhysicalExpr> = Arc::new(Column::new(RECORDING, 0));
    let timer = datafusion::physical_plan::metrics::Time::new();
    let mut divide = BatchPartitioner::new_hash_partitioner(vec![recording], groups, timer)?;
    let mut all = vec![Vec::new(); groups];
    divide.partition(batch, |group, rows| {
        let numbers = rows.column(1).as_primitive_opt::<UInt32Type>();
        let numbers = numbers.into_iter().flat_map(UInt32Array::values);
        let own = numbers.filter_map(|number| jobs.get(*number as usize).cloned());
        if let Some(group) = all.get_mut(group) {
            group.extend(own);
        }
        Ok(())
    })?;
    Ok(all)
}

/// Divides work into groups that take about as long. Within a group the order stays.
pub(crate) fn balanced(jobs: &[Job], groups: usize) -> Vec<Vec<Job>> {
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
