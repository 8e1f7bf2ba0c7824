//! Which release of ViennaSweeper a file says it is of, and what is known of its clock.

use crate::{Encoding, Game};

/// What is known of a release's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Release {
    /// In every known game the tick of Windows; how many games that are.
    Tick { name: &'static str, known: u32 },
    /// Known games have the one clock or the other.
    Either,
    /// In every known game a clock of a millisecond.
    Millisecond { name: &'static str },
    /// Another program, or a release of which no game is known.
    Unknown { is_vienna: bool },
}

impl Release {
    pub fn of(game: &Game<'_>) -> Self {
        let info = game.version_info.as_bytes();
        let by_id = matches!(game.encoding, Encoding::V2 { clone_id: 1, .. });
        if !by_id && !info.starts_with(b"Vienna") {
            return Self::Unknown { is_vienna: false };
        }
        match number(info) {
            b"2.2" => Self::Tick {
                name: "2.2",
                known: 1,
            },
            b"3.0" => Self::Tick {
                name: "3.0",
                known: 2,
            },
            b"3.0.2" => Self::Either,
            b"4.0.0" => Self::Millisecond { name: "4.0.0" },
            number if number.starts_with(b"5.0") => Self::Millisecond { name: "5.0" },
            _ => Self::Unknown { is_vienna: true },
        }
    }

    /// Whether ViennaSweeper wrote the file, as it says.
    pub const fn is_vienna(self) -> bool {
        !matches!(self, Self::Unknown { is_vienna: false })
    }
}

/// The digits and points behind "Release ".
fn number(info: &[u8]) -> &[u8] {
    const WORD: &[u8] = b"Release ";
    let Some(at) = info.windows(WORD.len()).position(|part| part == WORD) else {
        return &[];
    };
    let rest = info.get(at + WORD.len()..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|&byte| !byte.is_ascii_digit() && byte != b'.')
        .unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_letters_begin() {
        assert_eq!(
            number(b"Vienna Minesweeper - Release 5.0.0b4 (c)"),
            b"5.0.0"
        );
        assert_eq!(number(b"Vienna - Release 3.0C"), b"3.0");
        assert_eq!(number(b"Vienna - Release 3.0.2"), b"3.0.2");
        assert_eq!(number(b"Vienna"), b"");
    }
}
