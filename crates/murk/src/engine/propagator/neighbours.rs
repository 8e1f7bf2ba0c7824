//! Propagators that look at the neighbours of each cell.

use murk_propagator::Propagator as Origin;
use murk_propagators as its;
use murk_propagators::MorphOp;

use super::stock::{Costs, Ids, Named, Stock, Surroundings, Use, reads, writes, writes_first};
use crate::engine::define::{parameters, words};
use crate::engine::error::WorldFault;

parameters! {
    /// Diffuses a scalar field, with decay, sources and bounds.
    ScalarDiffusion = "scalar_diffusion" {
        /// The field that is read, as it was at the end of the last tick.
        input_field: String,
        /// The field that is written.
        output_field: String,
        /// The field for the gradient of the input, with two values per cell.
        gradient_field: Option<String>,
        /// The speed of the diffusion.
        coefficient: f64 = 0.0,
        /// Exponential decay per second.
        decay: f64 = 0.0,
        /// Elements of the output, by index, that have a fixed value.
        sources: Vec<(u64, f32)> = Vec::new(),
        /// The output's lower bound.
        clamp_min: Option<f32>,
        /// The output's upper bound.
        clamp_max: Option<f32>,
        /// The number of neighbours that is assumed when the longest stable time step is computed,
        /// if the space has fewer.
        max_degree: u32 = 12,
    }
}

impl Stock for ScalarDiffusion {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        let mut uses = vec![
            reads("input_field", &self.input_field),
            writes_first("output_field", &self.output_field, 1),
        ];
        let gradient = self.gradient_field.iter();
        uses.extend(gradient.map(|field| writes_first("gradient_field", field, 2)));
        uses
    }

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, WorldFault)> {
        if !world.has_squares() {
            world.one("output_field", &self.output_field)?;
        }
        let gradient = self.gradient_field.as_ref();
        world.two(
            "gradient_field",
            gradient.and_then(|name| world.field(name)),
        )?;
        let sources = self.sources.iter().map(|(at, _)| *at);
        Surroundings::elements("sources", sources, world.values(&self.output_field))
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let sources = self.sources.iter();
        let sources = sources.filter_map(|&(at, value)| Some((usize::try_from(at).ok()?, value)));
        let mut builder = its::ScalarDiffusion::builder()
            .input_field(fields.of(&self.input_field)?)
            .output_field(fields.of(&self.output_field)?)
            .coefficient(self.coefficient)
            .decay(self.decay)
            .sources(sources.collect())
            .max_degree(self.max_degree);
        if let Some(gradient) = &self.gradient_field {
            builder = builder.gradient_field(fields.of(gradient)?);
        }
        if let Some(min) = self.clamp_min {
            builder = builder.clamp_min(min);
        }
        if let Some(max) = self.clamp_max {
            builder = builder.clamp_max(max);
        }
        Ok(Box::new(builder.build()?))
    }

    fn memory(&self, costs: &Costs) -> u64 {
        let gradient = self.gradient_field.as_ref().map_or(0, |_| costs.deltas);
        costs.unless_squares(costs.cells + costs.ranks + gradient)
    }
}

parameters! {
    /// Propagates waves.
    WavePropagation = "wave_propagation" {
        /// The field of the displacement.
        displacement_field: String,
        /// The field of its velocity.
        velocity_field: String,
        /// The speed of the waves.
        wave_speed: f64 = 1.0,
        /// The damping of the waves.
        damping: f64 = 0.0,
    }
}

impl Stock for WavePropagation {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![
            writes("displacement_field", &self.displacement_field),
            writes("velocity_field", &self.velocity_field),
        ]
    }

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, WorldFault)> {
        world.one("displacement_field", &self.displacement_field)?;
        world.one("velocity_field", &self.velocity_field)
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let built = its::WavePropagation::builder()
            .displacement_field(fields.of(&self.displacement_field)?)
            .velocity_field(fields.of(&self.velocity_field)?)
            .wave_speed(self.wave_speed)
            .damping(self.damping)
            .build()?;
        Ok(Box::new(built))
    }

    fn memory(&self, costs: &Costs) -> u64 {
        costs.unless_squares(costs.cells + costs.ranks)
    }
}

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

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, WorldFault)> {
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

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, WorldFault)> {
        world.one("output_field", &self.output_field)
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let built = its::MorphologicalOp::builder()
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
