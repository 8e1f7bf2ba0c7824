//! Propagators that change each cell by itself.

use murk_core::FieldId;
use murk_propagator::Propagator as Origin;
use murk_propagators as its;
use murk_propagators::{EmissionMode, NoiseType, RegrowthModel};

use super::stock::{Ids, Named, Rebuild, Stock, Use, reads, writes};
use crate::engine::define::{parameters, words};

parameters! {
    /// Carries a field over from one tick to the next.
    IdentityCopy = "identity_copy" {
        /// The name of the field that is carried over.
        field: String,
    }
}

impl Stock for IdentityCopy {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![writes("field", &self.field)]
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        Ok(Box::new(its::IdentityCopy::new(fields.of(&self.field)?)))
    }
}

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
        let built = its::AgentEmission::builder()
            .presence_field(fields.of(&self.presence_field)?)
            .emission_field(fields.of(&self.emission_field)?)
            .intensity(self.intensity)
            .mode(self.mode.origin())
            .build()?;
        Ok(Box::new(built))
    }
}

words! {
    /// The kind of noise of a `noise_injection`.
    Noise("noise") of NoiseType {
        /// Adds `scale` times a normal deviate.
        Gaussian = "gaussian" => NoiseType::Gaussian,
        /// Adds `scale` times a number between -1 and 1.
        Uniform = "uniform" => NoiseType::Uniform,
        /// Sets 0 or 1, with the probability `scale`.
        SaltPepper = "salt_pepper" => NoiseType::SaltPepper,
    }
}

parameters! {
    /// Adds noise to a field.
    NoiseInjection = "noise_injection" {
        /// The name of the field that gets the noise.
        field: String,
        /// The kind of noise.
        noise_type: Noise = Noise::Gaussian,
        /// The amount.
        scale: f64 = 0.1,
        /// The seed of the random numbers, together with the tick.
        seed_offset: u64 = 0,
    }
}

impl NoiseInjection {
    fn seeded(&self, field: FieldId, seed_offset: u64) -> Result<Box<dyn Origin>, String> {
        let built = its::NoiseInjection::builder()
            .field(field)
            .noise_type(self.noise_type.origin())
            .scale(self.scale)
            .seed_offset(seed_offset)
            .build()?;
        Ok(Box::new(built))
    }
}

impl Stock for NoiseInjection {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![writes("field", &self.field)]
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        self.seeded(fields.of(&self.field)?, self.seed_offset)
    }

    /// The origin's seed is `seed_offset ^ tick`, with its own count of ticks.
    fn rebuild(&self, fields: &Ids<'_>) -> Result<Option<Rebuild>, String> {
        let (noise, field) = (self.clone(), fields.of(&self.field)?);
        Ok(Some(Box::new(move |counted, short| {
            let made = counted.wrapping_add(short);
            noise.seeded(field, noise.seed_offset ^ counted ^ made)
        })))
    }
}

words! {
    /// How the resource of a `resource_field` grows back.
    Regrowth("regrowth") of RegrowthModel {
        /// At a constant rate.
        Linear = "linear" => RegrowthModel::Linear,
        /// In an S-curve that starts from the remaining amount.
        Logistic = "logistic" => RegrowthModel::Logistic,
    }
}

parameters! {
    /// A resource that is consumed where something is present, and grows back.
    ResourceField = "resource_field" {
        /// The field of the resource.
        field: String,
        /// The field that is not 0 where something consumes it.
        presence_field: String,
        /// The consumption per second.
        consumption_rate: f32 = 1.0,
        /// The growth per second.
        regrowth_rate: f32 = 0.1,
        /// The largest amount in a cell.
        capacity: f32 = 1.0,
        /// How it grows back.
        regrowth_model: Regrowth = Regrowth::Linear,
    }
}

impl Stock for ResourceField {
    fn uses(&self) -> Vec<(Named<'_>, Use)> {
        vec![
            reads("presence_field", &self.presence_field),
            writes("field", &self.field),
        ]
    }

    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String> {
        let built = its::ResourceField::builder()
            .field(fields.of(&self.field)?)
            .presence_field(fields.of(&self.presence_field)?)
            .consumption_rate(self.consumption_rate)
            .regrowth_rate(self.regrowth_rate)
            .capacity(self.capacity)
            .regrowth_model(self.regrowth_model.origin())
            .build()?;
        Ok(Box::new(built))
    }
}
