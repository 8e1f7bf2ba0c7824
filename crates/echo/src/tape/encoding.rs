//! The two encodings of a match.

use gametape_core::tape::{Format, FormatInfo};

use super::{Butter, Echoreplay};

/// Both formats: what is done with frames is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tape) enum EchoFormat {
    Echoreplay,
    Butter,
}

impl EchoFormat {
    pub(in crate::tape) const fn name(self) -> &'static str {
        match self {
            Self::Echoreplay => "echoreplay",
            Self::Butter => "butter",
        }
    }

    pub(in crate::tape) fn info(self) -> &'static FormatInfo {
        match self {
            Self::Echoreplay => Echoreplay.info(),
            Self::Butter => Butter.info(),
        }
    }
}
