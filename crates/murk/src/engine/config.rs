//! The forms of a world's `config_hash`.

use super::world::World;
use crate::config::ConfigForm;
use crate::hash::config_hash;
use crate::model::Header;

/// What the hashes of a world are made of.
pub(super) struct Config {
    pub dt: f64,
    pub fields: u32,
    pub cells: u64,
    /// The hash of all of it.
    pub whole: u64,
}

impl Config {
    /// The form that a recording has it in; none where it is another world's.
    ///
    /// The seed is the recording's: the engine does not use any.
    pub fn form(&self, header: &Header<'_>) -> Option<ConfigForm> {
        let descriptor = &header.space_descriptor;
        let of = |descriptor: &[u8]| {
            config_hash(header.seed, self.dt, self.fields, self.cells, descriptor)
        };
        match header.config_hash {
            0 => Some(ConfigForm::Unset),
            hash if hash == self.whole => Some(ConfigForm::Whole),
            hash if hash == of(&[]) => Some(ConfigForm::Counts),
            // A description of ours is a whole world: another one than this, or it had been the same.
            hash if !World::is_ours(descriptor) && hash == of(descriptor) => {
                Some(ConfigForm::Descriptor)
            }
            _ => None,
        }
    }
}
