//! Copying a field from one tick to the next.

use murk_propagator::Propagator as Origin;
use murk_propagators::IdentityCopy as Its;

use super::stock::{Ids, Named, Stock, Use, writes};
use crate::engine::define::parameters;

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
        Ok(Box::new(Its::new(fields.of(&self.field)?)))
    }
}
