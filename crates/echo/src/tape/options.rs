//! The options for conversions of recordings of Echo VR.

use gametape_core::tape::{OptionDef, OptionKind, Options as Told};

use crate::butter::{Compression, Mode, Options};

/// How a .butter is written.
pub(super) const BUTTER: &[OptionDef] = &[
    OptionDef {
        default: "correct",
        more: "correct: as the specification says, nothing adds up. compat: bit for bit as the \
               reference implementation writes, its faults included.",
        ..OptionDef::new(
            "mode",
            OptionKind::Choice(&["correct", "compat"]),
            "MODE",
            "How a .butter is written",
        )
    },
    OptionDef {
        default: "300",
        more: "More make it smaller and seeking slower; they are held in memory on the way.",
        ..OptionDef::new(
            "keyframes",
            OptionKind::Count {
                min: 1,
                max: u16::MAX as u64,
            },
            "N",
            "Frames of a .butter from one keyframe to the next",
        )
    },
    OptionDef {
        default: "zstd3",
        ..OptionDef::new(
            "compression",
            OptionKind::Choice(&["none", "gzip", "zstd3", "zstd7", "zstd15", "zstd22"]),
            "HOW",
            "How a .butter is compressed",
        )
    },
    OptionDef::new(
        "format-version",
        OptionKind::Count { min: 3, max: 3 },
        "N",
        "Another version of the format",
    ),
];

/// The options for an .echoreplay that is written: its container.
pub(super) const ECHOREPLAY: &[OptionDef] = &[
    OptionDef {
        more: "Without this or --zip it is kept in what the input is kept in, and made of a .butter in \
               a zip.",
        conflicts: &["zip"],
        ..OptionDef::flag("plain", "An .echoreplay as text")
    },
    OptionDef {
        conflicts: &["plain"],
        ..OptionDef::flag("zip", "An .echoreplay in a zip")
    },
];

/// The options for opening an .echoreplay.
pub(super) const OPEN: &[OptionDef] = &[OptionDef {
    more: "It lies beside the recording (match.echoreplay.index), is used wherever it fits, and is made \
           anew where it does not. Not for a zip, whose text is inflated anew by each command.",
    ..OptionDef::flag(
        KEEP_INDEX,
        "Keep where each frame of an .echoreplay stands in an index beside it, so that seeking starts at once",
    )
}];

/// The flag of [`OPEN`].
pub(super) const KEEP_INDEX: &str = "keep-index";

/// The options of a conversion into any format.
pub(super) const CONVERT: &[OptionDef] = &[
    OptionDef::flag(
        "redact",
        "Remove tokens, IP addresses and user ids; of matches the names of players, too",
    ),
    OptionDef::new(
        "max-error",
        OptionKind::Number {
            min: 0.0,
            max: f64::MAX,
        },
        "METRES",
        "Refuse, and write nothing, if a position would be further off than this",
    ),
];

/// Whether a zip is asked for; `None` where nothing is.
pub(super) fn zip_told(told: &Told) -> Option<bool> {
    match (told.has("plain"), told.has("zip")) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    }
}

/// The options for a .butter that is written.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Wish {
    mode: Option<Mode>,
    keyframes: Option<u16>,
    compression: Option<Compression>,
}

impl Wish {
    pub fn told(told: &Told) -> Self {
        Self {
            mode: told.text("mode").map(|mode| match mode {
                "compat" => Mode::Compat,
                _ => Mode::Correct,
            }),
            keyframes: told.count("keyframes").and_then(|n| n.try_into().ok()),
            compression: told.text("compression").map(|how| match how {
                "none" => Compression::None,
                "gzip" => Compression::Gzip,
                "zstd7" => Compression::Zstd7,
                "zstd15" => Compression::Zstd15,
                "zstd22" => Compression::Zstd22,
                _ => Compression::Zstd3,
            }),
        }
    }

    /// True where nothing is asked for.
    pub const fn is_empty(&self) -> bool {
        self.mode.is_none() && self.keyframes.is_none() && self.compression.is_none()
    }

    /// Returns the options for a new .butter; `base` are those by which the input is written.
    pub fn options(&self, base: Options) -> Options {
        Options {
            mode: self.mode.unwrap_or(base.mode),
            keyframe_interval: self.keyframes.unwrap_or(base.keyframe_interval),
            compression: self.compression.unwrap_or(base.compression),
        }
    }
}
