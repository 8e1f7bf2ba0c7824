//! The table with which a client asks a scheduler for the outline of an archive.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, BinaryArray, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::datasource::TableType;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use gametape_query::cluster::Machine;

use crate::cores::Cores;

/// A table with one row: the outline of an archive, and the number of cores of the cluster.
#[derive(Debug)]
pub struct OutlineTable {
    address: Vec<u8>,
    /// On the scheduler.
    here: Option<(Arc<Machine>, Option<Cores>)>,
}

impl OutlineTable {
    /// The table, as a client asks for it.
    pub const fn of(address: Vec<u8>) -> Self {
        Self {
            address,
            here: None,
        }
    }

    /// The table that a client asked for.
    pub fn asked(address: &[u8], machine: &Arc<Machine>, cores: Option<Cores>) -> Self {
        Self {
            address: address.to_owned(),
            here: Some((Arc::clone(machine), cores)),
        }
    }

    pub fn address(&self) -> &[u8] {
        &self.address
    }
}

#[async_trait]
impl TableProvider for OutlineTable {
    fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("outline", DataType::Binary, false),
            Field::new("cores", DataType::UInt64, false),
        ]))
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut batches = Vec::new();
        if let Some((machine, cores)) = &self.here {
            // The archive may have to be looked through.
            let outline = tokio::task::block_in_place(|| machine.outline(&self.address))?;
            let cores = match cores {
                Some(cores) => cores.count().await,
                None => 0,
            };
            let columns: Vec<ArrayRef> = vec![
                Arc::new(BinaryArray::from_vec(vec![&outline.written()?])),
                Arc::new(UInt64Array::from(vec![cores])),
            ];
            batches.push(RecordBatch::try_new(self.schema(), columns)?);
        }
        let source = MemorySourceConfig::try_new(&[batches], self.schema(), projection.cloned())?;
        Ok(DataSourceExec::from_data_source(source))
    }
}
