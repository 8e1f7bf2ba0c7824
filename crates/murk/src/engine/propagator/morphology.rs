//! Dilation and erosion.

use murk_propagator::Propagator as Origin;
use murk_propagators::{MorphOp, MorphologicalOp as Its};

use super::stock::{Costs, Ids, Named, Stock, Surroundings, Use, reads, writes};
use crate::engine::define::{parameters, words};
use crate::engine::error::Fault;

words! {
    /// The operation of a `morphological_op`.
    Morphology("operation") of MorphOp {
        /// 1 if any cell in the neighbourhood is present.
        Dilate = "dilate" => MorphOp::Dilate,
        /// 1 if all cells in the neighbourhood are present.
        Erode = "erode" => MorphOp::Erode,
    }
}

parameters! {
    /// Dilates or erodes the cells that are present in a field.
    MorphologicalOp = "morphological_op" {
        /// The field that is read, as it was at the end of the last tick.
        input_field: String,
        /// The field that is written, with 0 or 1.
        output_field: String,
        /// The operation.
        op: Morphology = Morphology::Dilate,
        /// The radius of the neighbourhood, in steps.
        radius: u32 = 1,
        /// A cell is present if its value is above this.
        threshold: f32 = 0.5,
    }
}

impl Stock for MorphologicalOp {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![
            reads("input_field", &self.input_field),
            writes("output_field", &self.output_field),
        ]
    }

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, Fault)> {
        world.one("output_field", &self.output_field)
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let built = Its::builder()
            .input_field(fields.of(&self.input_field)?)
            .output_field(fields.of(&self.output_field)?)
            .op(self.op.origin())
            .radius(self.radius)
            .threshold(self.threshold)
            .build()?;
        Ok(Box::new(built))
    }

    /// Squares need it, too; and a set and a queue of up to all cells.
    fn memory(&self, costs: &Costs) -> u64 {
        costs.cells + costs.ranks + 64
    }

    /// All cells within the radius, for each cell.
    fn visits(&self, dimensions: u32, cells: u64) -> u64 {
        let side = 2 * u64::from(self.radius) + 1;
        cells.saturating_mul(side.saturating_pow(dimensions).min(cells))
    }
}
