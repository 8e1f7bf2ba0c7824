//! Emission.

use murk_propagator::Propagator as Origin;
use murk_propagators::{AgentEmission as Its, EmissionMode};

use super::stock::{Ids, Named, Stock, Use, reads, writes};
use crate::engine::define::{parameters, words};

words! {
    /// How an `agent_emission` writes.
    Emission("mode") of EmissionMode {
        /// Adds to what is there.
        Additive = "additive" => EmissionMode::Additive,
        /// Replaces all of it.
        Set = "set" => EmissionMode::Set,
    }
}

parameters! {
    /// Emits where something is present.
    AgentEmission = "agent_emission" {
        /// Not 0 where something emits.
        presence_field: String,
        /// Written.
        emission_field: String,
        /// How much.
        intensity: f32 = 1.0,
        /// How it is written.
        mode: Emission = Emission::Additive,
    }
}

impl Stock for AgentEmission {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![
            reads("presence_field", &self.presence_field),
            writes("emission_field", &self.emission_field),
        ]
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let built = Its::builder()
            .presence_field(fields.of(&self.presence_field)?)
            .emission_field(fields.of(&self.emission_field)?)
            .intensity(self.intensity)
            .mode(self.mode.origin())
            .build()?;
        Ok(Box::new(built))
    }
}
