//! The relations between recordings.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Int64Type, SchemaRef, UInt64Type};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, PlanProperties,
};
use futures::{StreamExt, TryStreamExt, stream};
use gametape::{Format, Formats, Related as Found, Relations, Secrets, Traces};
use gametape_core::Stamp;
use gametape_core::table::Batch;
use gametape_core::tape::{BusyTime, Print, RelationDef};
use gametape_tables::ArrowTable;

use crate::tables::about::RELATIONS;
use crate::tables::jobs::RECORDING;

/// Compares the traces of all recordings.
#[derive(Clone)]
pub(crate) struct Related {
    traces: Arc<dyn ExecutionPlan>,
    formats: Formats,
    properties: Arc<PlanProperties>,
}

impl fmt::Debug for Related {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Related");
        debug.field("traces", &self.traces).finish_non_exhaustive()
    }
}

impl Related {
    /// Compares the rows of the table of traces.
    pub fn of(traces: Arc<dyn ExecutionPlan>, formats: &Formats) -> Self {
        Self::with(Arc::new(CoalescePartitionsExec::new(traces)), formats)
    }

    pub fn with(traces: Arc<dyn ExecutionPlan>, formats: &Formats) -> Self {
        let table = ArrowTable::new(&RELATIONS, Secrets::Hide);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(table.schema())),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Self {
            traces,
            formats: formats.clone(),
            properties: Arc::new(properties),
        }
    }

    /// The columns that are asked for.
    pub fn projected(self, columns: Option<&Vec<usize>>) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = self.schema();
        let related: Arc<dyn ExecutionPlan> = Arc::new(self);
        let Some(columns) = columns else {
            return Ok(related);
        };
        let column = |at: &usize| {
            let name = schema.field(*at).name();
            let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(name, *at));
            (column, name.clone())
        };
        let columns: Vec<_> = columns.iter().map(column).collect();
        Ok(Arc::new(ProjectionExec::try_new(columns, related)?))
    }
}

/// Returns whether a plan compares traces. Nothing but its child has to be sent of it.
pub fn is_related(plan: &dyn ExecutionPlan) -> bool {
    plan.is::<Related>()
}

impl DisplayAs for Related {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Related")
    }
}

impl ExecutionPlan for Related {
    fn name(&self) -> &'static str {
        "Related"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.traces]
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition]
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(traces) = children.pop() else {
            return internal_err!("relations without traces");
        };
        Ok(Arc::new(Self::with(traces, &self.formats)))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let traces = self.traces.execute(partition, context)?;
        let formats = self.formats.clone();
        let found = async move {
            let gathered = traces.try_fold(
                GatheredTraces::default(),
                |mut gathered, batch| async move {
                    gathered.add(&batch)?;
                    Ok(gathered)
                },
            );
            let gathered = gathered.await?;
            let compared = tokio::task::spawn_blocking(move || gathered.compared(&formats)).await;
            let batches =
                compared.map_err(|error| DataFusionError::External(Box::new(error)))??;
            Ok::<_, DataFusionError>(stream::iter(batches).map(Ok))
        };
        let found = stream::once(found).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            found,
        )))
    }
}

/// The traces that came so far, by their recordings.
#[derive(Default)]
struct GatheredTraces {
    codes: Vec<String>,
    /// Of each, the number of its code with a print or a time.
    recordings: BTreeMap<Arc<str>, Vec<(u16, Trace)>>,
}

#[derive(Clone, Copy)]
enum Trace {
    Print { hash: u64, bits: u8 },
    Busy { who: u64, from: i64, to: i64 },
}

impl GatheredTraces {
    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let wrong = || internal_datafusion_err!("traces of another form");
        let column = |name: &str, kind: &DataType| {
            let column = batch.column_by_name(name).ok_or_else(wrong)?;
            Ok::<_, DataFusionError>(cast(column, kind)?)
        };
        let names = column(RECORDING, &DataType::Utf8)?;
        let codes = column("code", &DataType::Utf8)?;
        let hashes = column("hash", &DataType::UInt64)?;
        let bits = column("bits", &DataType::UInt64)?;
        let from = column("from_ms", &DataType::Int64)?;
        let to = column("to_ms", &DataType::Int64)?;
        let (names, codes) = (names.as_string::<i32>(), codes.as_string::<i32>());
        let hashes = hashes.as_primitive::<UInt64Type>();
        let bits = bits.as_primitive::<UInt64Type>();
        let (from, to) = (
            from.as_primitive::<Int64Type>(),
            to.as_primitive::<Int64Type>(),
        );
        for row in 0..batch.num_rows() {
            let trace = if bits.is_null(row) {
                Trace::Busy {
                    who: hashes.value(row),
                    from: from.value(row),
                    to: to.value(row),
                }
            } else {
                Trace::Print {
                    hash: hashes.value(row),
                    bits: u8::try_from(bits.value(row)).unwrap_or(u8::MAX),
                }
            };
            let code = self.code(codes.value(row));
            let name = names.value(row);
            match self.recordings.get_mut(name) {
                Some(traces) => traces.push((code, trace)),
                None => {
                    self.recordings.insert(name.into(), vec![(code, trace)]);
                }
            }
        }
        Ok(())
    }

    fn code(&mut self, code: &str) -> u16 {
        let known = self.codes.iter().position(|own| own == code);
        let at = known.unwrap_or_else(|| {
            self.codes.push(code.to_owned());
            self.codes.len() - 1
        });
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    /// Compares all with all, in the order of their names.
    fn compared(self, formats: &Formats) -> Result<Vec<RecordBatch>> {
        let all = || formats.iter().map(<dyn Format>::relations);
        let place = |code: &String| {
            let mut all = all().filter_map(|defs| {
                let at = defs.iter().position(|def| def.code == code)?;
                Some((defs, at))
            });
            all.next()
        };
        let places: Vec<Option<(&[RelationDef], usize)>> = self.codes.iter().map(place).collect();
        let mut relations = Relations::new();
        let mut names = Vec::new();
        for (name, own) in self.recordings {
            let mut traces = Traces::default();
            let mut defs: &[RelationDef] = &[];
            for (code, trace) in own {
                let Some((own, relation)) = places.get(usize::from(code)).copied().flatten() else {
                    continue;
                };
                // All traces of a recording are of relations of its format.
                defs = own;
                match trace {
                    Trace::Print { hash, bits } => traces.prints.push(Print {
                        relation,
                        hash,
                        bits,
                    }),
                    Trace::Busy { who, from, to } => traces.busy.push(BusyTime {
                        relation,
                        who,
                        from,
                        to,
                    }),
                }
            }
            relations.add(defs, &traces);
            names.push(name);
        }
        told(&relations.find(), &names)
    }
}

/// The number of rows that a batch should have.
const FULL: usize = 8_192;

/// The rows of relations.
fn told(found: &[Found], names: &[Arc<str>]) -> Result<Vec<RecordBatch>> {
    let table = ArrowTable::new(&RELATIONS, Secrets::Hide);
    let schema: &SchemaRef = table.schema();
    let name = |tape: u32| names.get(tape as usize).map_or("", |name| &**name);
    let (mut full, mut held, mut rows) = (Vec::new(), Vec::new(), 0);
    for related in found {
        let kinds = RELATIONS.columns.iter().map(|column| column.kind);
        let mut own = Batch::new(kinds);
        for other in &related.others {
            let other = name(*other);
            let message = format!("{} {other}", related.relation.says);
            own.push(
                Stamp::default(),
                [
                    related.relation.code.into(),
                    related.severity.name().into(),
                    related.relation.kind.into(),
                    other.into(),
                    related.more.into(),
                    related.expected.into(),
                    message.as_str().into(),
                ],
            );
        }
        rows += related.others.len();
        held.push(table.record(name(related.tape), own, None)?);
        if rows >= FULL {
            full.push(concat_batches(schema, &std::mem::take(&mut held))?);
            rows = 0;
        }
    }
    if !held.is_empty() {
        full.push(concat_batches(schema, &held)?);
    }
    Ok(full)
}
