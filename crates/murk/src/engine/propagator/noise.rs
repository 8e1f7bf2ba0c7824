//! Noise.

use murk_core::FieldId;
use murk_propagator::Propagator as Origin;
use murk_propagators::{NoiseInjection as Its, NoiseType};

use super::stock::{Ids, Named, Rebuild, Stock, Use, writes};
use crate::engine::define::{parameters, words};

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
        let built = Its::builder()
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
