//! Resources.

use murk_propagator::Propagator as Origin;
use murk_propagators::{RegrowthModel, ResourceField as Its};

use super::stock::{Ids, Named, Stock, Use, reads, writes};
use crate::engine::define::{parameters, words};

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
        let built = Its::builder()
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
