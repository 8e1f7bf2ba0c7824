//! Wave propagation.

use murk_propagator::Propagator as Origin;
use murk_propagators::WavePropagation as Its;

use super::stock::{Costs, Ids, Named, Stock, Surroundings, Use, writes};
use crate::engine::define::parameters;
use crate::engine::error::Fault;

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

    fn check(&self, world: &Surroundings<'_>) -> Result<(), (&'static str, Fault)> {
        world.one("displacement_field", &self.displacement_field)?;
        world.one("velocity_field", &self.velocity_field)
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let built = Its::builder()
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
