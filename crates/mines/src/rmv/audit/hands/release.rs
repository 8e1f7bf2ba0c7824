//! The known clock of the release that a file names.

use crate::{Encoding, Game};

/// The clock of a release, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Release {
    /// The tick of Windows in every known game; `known` is the number of these games.
    Tick { name: &'static str, known: u32 },
    /// Known games use one clock or the other.
    Either,
    /// A clock with millisecond resolution in every known game.
    Millisecond { name: &'static str },
    /// Another program, or a release without known games.
    Unknown { is_vienna: bool },
}

impl Release {
    pub fn of(game: &Game<'_>) -> Self {
        let info = game.version_info.as_bytes();
        let release = crate::Release::of(info);
        match release.map(|release| release.number) {
            Some([2, 2, 0]) => Self::Tick {
                name: "2.2",
                known: 1,
            },
            Some([3, 0, 0]) => Self::Tick {
                name: "3.0",
                known: 2,
            },
            Some([3, 0, 2]) => Self::Either,
            Some([4, 0, 0]) => Self::Millisecond { name: "4.0.0" },
            Some([5, 0, _]) => Self::Millisecond { name: "5.0" },
            _ => {
                let by_id = matches!(game.encoding, Encoding::V2 { clone_id: 1, .. });
                let is_vienna = by_id || crate::release::is_vienna_sweeper(info);
                Self::Unknown { is_vienna }
            }
        }
    }

    /// Whether the file says that ViennaSweeper wrote it.
    pub const fn is_vienna(self) -> bool {
        !matches!(self, Self::Unknown { is_vienna: false })
    }
}
