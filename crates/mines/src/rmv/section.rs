//! The sections of a file.

use std::fmt;

/// A section of the file, in file order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Section {
    /// Signature, version and the table of sizes.
    Header,
    /// The result string (v1).
    Result,
    /// The version info string.
    VersionInfo,
    /// The player fields.
    Player,
    /// Time, size and mines of the board.
    Board,
    /// The flags placed before the game.
    Preflags,
    /// A byte each, by their places: question marks, non-flagging, mode, level and so on.
    Properties,
    /// The extension properties (v2).
    Extensions,
    /// The events.
    Video,
    /// What follows the termination event inside the video section.
    Tail,
    /// What follows the video section, to the end of the file; how it is made is not published.
    Checksum,
}

impl Section {
    /// What a sentence calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Result => "result string",
            Self::VersionInfo => "version info",
            Self::Player => "player section",
            Self::Board => "board section",
            Self::Preflags => "preflags section",
            Self::Properties => "properties section",
            Self::Extensions => "extension properties section",
            Self::Video => "video section",
            Self::Tail => "video section's tail",
            Self::Checksum => "checksum",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
