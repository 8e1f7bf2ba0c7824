//! What a conversion of a recording of Echo VR may be told.

use gametape_echo::butter::{Compression, Mode, Options};

/// What the lines of an .echoreplay are kept in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Container {
    /// As text.
    Text,
    /// In a zip of one file, as the community shares them.
    Zip,
}

/// What a conversion of a recording of Echo VR is to give. Nothing is changed that is not asked
/// for; a .butter is made of an .echoreplay by the defaults of [`Options`].
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Wish {
    /// To a .butter: how frames are written.
    pub mode: Option<Mode>,
    /// To a .butter: frames from one keyframe to the next.
    pub keyframes: Option<u16>,
    /// To a .butter: how chunks are compressed.
    pub compression: Option<Compression>,
    /// To an .echoreplay: in what; that of the input or, from a .butter, a zip.
    pub container: Option<Container>,
    /// Refuse when a position would be further off than this, in metres.
    pub max_error: Option<f32>,
}

impl Wish {
    /// True where something is asked for that a .butter has.
    #[must_use]
    pub const fn is_of_butter(&self) -> bool {
        self.mode.is_some() || self.keyframes.is_some() || self.compression.is_some()
    }

    /// What is written where a .butter is made anew; `base` is what the input is written by.
    pub(super) fn options(&self, base: Options) -> Options {
        Options {
            mode: self.mode.unwrap_or(base.mode),
            keyframe_interval: self.keyframes.unwrap_or(base.keyframe_interval),
            compression: self.compression.unwrap_or(base.compression),
        }
    }
}
