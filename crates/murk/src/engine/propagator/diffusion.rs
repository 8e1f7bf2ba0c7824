//! Diffusion of a scalar.

use murk_propagator::Propagator as Origin;
use murk_propagators::ScalarDiffusion as Its;

use super::stock::{Costs, Ids, Named, Stock, Surroundings, Use, reads, writes_first};
use crate::engine::define::parameters;
use crate::engine::error::Fault;

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

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, Fault)> {
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
        let mut builder = Its::builder()
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
