//! Gradients, and the flow down a potential.

use murk_propagator::Propagator as Origin;
use murk_propagators as its;

use super::stock::{Costs, Ids, Named, Stock, Surroundings, Use, reads, writes_first};
use crate::engine::define::parameters;
use crate::engine::error::Fault;

parameters! {
    /// Computes the gradient of a scalar field.
    GradientCompute = "gradient_compute" {
        /// The field that is read, as it was at the end of the last tick.
        input_field: String,
        /// The field that is written, with two values per cell. With another number, each tick
        /// fails.
        output_field: String,
    }
}

impl Stock for GradientCompute {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![
            reads("input_field", &self.input_field),
            writes_first("output_field", &self.output_field, 2),
        ]
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let built = its::GradientCompute::builder()
            .input_field(fields.of(&self.input_field)?)
            .output_field(fields.of(&self.output_field)?)
            .build()?;
        Ok(Box::new(built))
    }

    fn memory(&self, costs: &Costs) -> u64 {
        costs.unless_squares(costs.cells + costs.deltas)
    }
}

parameters! {
    /// Computes the direction down a potential.
    FlowField = "flow_field" {
        /// The field that is read, as it was at the end of the last tick.
        potential_field: String,
        /// The field that is written, with two values per cell.
        flow_field: String,
        /// Whether the direction is normalised to length 1.
        normalize: bool = false,
    }
}

impl Stock for FlowField {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![
            reads("potential_field", &self.potential_field),
            writes_first("flow_field", &self.flow_field, 2),
        ]
    }

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, Fault)> {
        world.two("flow_field", world.field(&self.flow_field))
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let built = its::FlowField::builder()
            .potential_field(fields.of(&self.potential_field)?)
            .flow_field(fields.of(&self.flow_field)?)
            .normalize(self.normalize)
            .build()?;
        Ok(Box::new(built))
    }

    fn memory(&self, costs: &Costs) -> u64 {
        costs.unless_squares(costs.cells + costs.deltas)
    }
}
