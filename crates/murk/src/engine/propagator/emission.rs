//! Emission.

use murk_propagator::Propagator as Origin;
use murk_propagators::{AgentEmission as Its, EmissionMode};

use super::stock::{Ids, Named, Stock, Use, reads, writes};
use crate::engine::define::{parameters, words};

words! {
    /// How an `agent_emission` changes the field.
    Emission("mode") of EmissionMode {
        /// Adds to the values.
        Additive = "additive" => EmissionMode::Additive,
        /// Replaces all values.
        Set = "set" => EmissionMode::Set,
    }
}

parameters! {
    /// Emits in the cells in which something is present.
    AgentEmission = "agent_emission" {
        /// The field that is not 0 where something emits.
        presence_field: String,
        /// The field that is written.
        emission_field: String,
        /// The amount.
        intensity: f32 = 1.0,
        /// How the field is changed.
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
