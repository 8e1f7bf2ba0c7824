//! Tables and scans of recordings as bytes.
//!
//! Each begins with a tag; everything else is left to the codecs of Ballista.

use std::sync::Arc;

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, TableReference, internal_datafusion_err};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::from_proto::parse_protobuf_file_scan_config;
use datafusion_proto::physical_plan::to_proto::serialize_file_scan_config;
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf::FileScanExecConf;
use gametape_query::cluster::{Machine, ask, is_related, task};
use prost::Message;

use crate::cores::Cores;
use crate::outline::OutlineTable;

/// The beginning of a table that is asked for.
const TABLE: &[u8] = b"gametape table ";
/// The beginning of an address whose outline is asked for.
const OUTLINE: &[u8] = b"gametape outline ";
/// The beginning of a scan.
const SCAN: &[u8] = b"gametape scan ";
/// A comparison of recordings; its traces are its only input.
const RELATIONS: &[u8] = b"gametape relations";

/// Carries tables from a client to the scheduler.
#[derive(Debug)]
pub struct Tables {
    pub machine: Arc<Machine>,
    /// The number of cores of the cluster, if this is the scheduler.
    pub cores: Option<Cores>,
    rest: BallistaLogicalExtensionCodec,
}

impl Tables {
    pub fn new(machine: &Arc<Machine>, cores: Option<Cores>) -> Self {
        Self {
            machine: Arc::clone(machine),
            cores,
            rest: BallistaLogicalExtensionCodec::default(),
        }
    }
}

impl LogicalExtensionCodec for Tables {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[LogicalPlan],
        ctx: &TaskContext,
    ) -> Result<Extension> {
        self.rest.try_decode(buf, inputs, ctx)
    }

    fn try_encode(&self, node: &Extension, buf: &mut Vec<u8>) -> Result<()> {
        self.rest.try_encode(node, buf)
    }

    fn try_decode_table_provider(
        &self,
        buf: &[u8],
        table_ref: &TableReference,
        schema: SchemaRef,
        ctx: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        if let Some(ask) = buf.strip_prefix(TABLE) {
            // The archive may have to be looked through.
            return tokio::task::block_in_place(|| self.machine.table(ask));
        }
        if let Some(address) = buf.strip_prefix(OUTLINE) {
            return Ok(Arc::new(OutlineTable::asked(
                address,
                &self.machine,
                self.cores.clone(),
            )));
        }
        self.rest
            .try_decode_table_provider(buf, table_ref, schema, ctx)
    }

    fn try_encode_table_provider(
        &self,
        table_ref: &TableReference,
        node: Arc<dyn TableProvider>,
        buf: &mut Vec<u8>,
    ) -> Result<()> {
        if let Some(ask) = ask(&*node) {
            buf.extend_from_slice(TABLE);
            buf.extend(ask?);
            return Ok(());
        }
        if let Some(table) = node.downcast_ref::<OutlineTable>() {
            buf.extend_from_slice(OUTLINE);
            buf.extend_from_slice(table.address());
            return Ok(());
        }
        self.rest.try_encode_table_provider(table_ref, node, buf)
    }

    fn try_decode_file_format(
        &self,
        buf: &[u8],
        ctx: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.rest.try_decode_file_format(buf, ctx)
    }

    fn try_encode_file_format(
        &self,
        buf: &mut Vec<u8>,
        node: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.rest.try_encode_file_format(buf, node)
    }
}

/// Carries scans and comparisons of recordings from the scheduler to executors.
#[derive(Debug)]
pub struct Scans {
    machine: Arc<Machine>,
    rest: Arc<dyn PhysicalExtensionCodec>,
}

impl Scans {
    /// Everything but scans of recordings is left to `rest`.
    pub fn new(machine: &Arc<Machine>, rest: Arc<dyn PhysicalExtensionCodec>) -> Self {
        Self {
            machine: Arc::clone(machine),
            rest,
        }
    }

    pub fn of_ballista(machine: &Arc<Machine>) -> Arc<Self> {
        let rest = Arc::new(BallistaPhysicalExtensionCodec::default());
        Arc::new(Self::new(machine, rest))
    }
}

impl PhysicalExtensionCodec for Scans {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        proto_converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if let (RELATIONS, [traces]) = (buf, inputs) {
            return Ok(self.machine.related(Arc::clone(traces)));
        }
        let Some(scan) = buf.strip_prefix(SCAN) else {
            return self.rest.try_decode(buf, inputs, ctx, proto_converter);
        };
        let cut = || internal_datafusion_err!("a scan of recordings that is cut");
        let (size, scan) = scan.split_first_chunk::<8>().ok_or_else(cut)?;
        let size = usize::try_from(u64::from_le_bytes(*size)).map_err(|_| cut())?;
        let (task, config) = scan.split_at_checked(size).ok_or_else(cut)?;
        let (source, groups) = self.machine.task(task)?;
        let config = FileScanExecConf::decode(config)
            .map_err(|error| DataFusionError::External(Box::new(error)))?;
        let context = PhysicalPlanDecodeContext::new(ctx, self);
        let mut config =
            parse_protobuf_file_scan_config(&config, &context, proto_converter, source)?;
        config.file_groups = groups;
        Ok(DataSourceExec::from_data_source(config))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        proto_converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if is_related(&*node) {
            buf.extend_from_slice(RELATIONS);
            return Ok(());
        }
        let Some(sent) = task(&*node) else {
            return self.rest.try_encode(node, buf, proto_converter);
        };
        let (task, config) = sent?;
        let config = serialize_file_scan_config(&config, self, proto_converter)?;
        buf.extend_from_slice(SCAN);
        buf.extend_from_slice(&(task.len() as u64).to_le_bytes());
        buf.extend(task);
        config
            .encode(buf)
            .map_err(|error| DataFusionError::External(Box::new(error)))
    }
}
