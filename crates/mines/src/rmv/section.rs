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
    /// One byte per property, identified by its position: question marks, non-flagging, mode, level
    /// and so on.
    Properties,
    /// The extension properties (v2).
    Extensions,
    /// The events.
    Video,
    /// The bytes after the termination event inside the video section.
    Tail,
    /// The bytes after the video section, to the end of the file. The algorithm of the checksum is
    /// not published.
    Checksum,
}

impl Section {
    /// Its name as used in sentences.
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
