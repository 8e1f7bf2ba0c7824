//! The formats of Echo VR, with their options.

use gametape_core::tape::{FormatInfo, OptionDef, OptionKind, Options, Verb};

use crate::butter::{self, Compression};
use crate::trace::RELATIONS;

/// The format .echoreplay.
pub(super) const ECHOREPLAY_INFO: FormatInfo = FormatInfo {
    kind: KIND,
    step: STEP,
    relations: RELATIONS,
    extensions: &["echoreplay"],
    sniff_order: 5,
    options: &[
        (Verb::Open, OPEN),
        (Verb::Convert, CONVERT),
        (Verb::Write, ECHOREPLAY),
        (Verb::Cut, ECHOREPLAY),
    ],
    ..FormatInfo::new(
        "echoreplay",
        "Matches of Echo VR, the game's API line by line, as text or in a zip",
    )
};

/// The format .butter.
pub(super) const BUTTER_INFO: FormatInfo = FormatInfo {
    kind: KIND,
    step: STEP,
    relations: RELATIONS,
    extensions: &["butter"],
    // The first byte of a .butter is a weak signature.
    sniff_order: 10,
    options: &[
        (Verb::Open, OPEN),
        (Verb::Convert, CONVERT),
        (Verb::Write, BUTTER),
    ],
    ..FormatInfo::new(
        "butter",
        "Matches of Echo VR, quantised and differenced, v1, v2 and v3",
    )
};

const KIND: &str = "echo";
const STEP: &str = "frame";

/// The options of writing a .butter.
pub(super) const BUTTER: &[OptionDef] = &[
    OptionDef {
        aliases: &["keyframes"],
        default: "300",
        more: "A higher number makes the file smaller and seeking slower. That many frames are held in memory.",
        ..OptionDef::new(
            "keyframe-every",
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

/// The options of writing an .echoreplay.
pub(super) const ECHOREPLAY: &[OptionDef] = &[
    OptionDef {
        more: "Without this or --zip, an .echoreplay keeps the container of the input, and a .butter \
               becomes a zip.",
        conflicts: &["zip"],
        ..OptionDef::flag("plain", "An .echoreplay as text")
    },
    OptionDef {
        conflicts: &["plain"],
        ..OptionDef::flag("zip", "An .echoreplay in a zip")
    },
];

/// The options of opening a match.
pub(super) const OPEN: &[OptionDef] = &[OptionDef {
    more: "The index is match.echoreplay.index or match.butter.index. It is used if it fits, and replaced if \
           it does not. Not for a zip, whose text each command inflates again.",
    ..OptionDef::flag(
        KEEP_INDEX,
        "Keep the places of the frames of a match in an index beside it, so that seeking starts at once",
    )
}];

/// The flag of [`OPEN`].
pub(super) const KEEP_INDEX: &str = "keep-index";

/// The options of any conversion.
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

/// Returns whether a zip is requested; `None` if neither a zip nor text is.
pub(super) fn wants_zip(options: &Options) -> Option<bool> {
    match (options.has("plain"), options.has("zip")) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    }
}

/// The requested properties of a .butter.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Wish {
    keyframes: Option<u16>,
    compression: Option<Compression>,
}

impl Wish {
    pub fn of(options: &Options) -> Self {
        Self {
            keyframes: options
                .count("keyframe-every")
                .and_then(|n| n.try_into().ok()),
            compression: options.text("compression").map(|how| match how {
                "none" => Compression::None,
                "gzip" => Compression::Gzip,
                "zstd7" => Compression::Zstd7,
                "zstd15" => Compression::Zstd15,
                "zstd22" => Compression::Zstd22,
                _ => Compression::Zstd3,
            }),
        }
    }

    /// Returns whether nothing is requested.
    pub const fn is_empty(&self) -> bool {
        self.keyframes.is_none() && self.compression.is_none()
    }

    /// Returns the options of the new .butter; those of the input, `base`, apply where nothing is
    /// requested.
    pub fn over(&self, base: butter::Options) -> butter::Options {
        butter::Options {
            keyframe_interval: self.keyframes.unwrap_or(base.keyframe_interval),
            compression: self.compression.unwrap_or(base.compression),
        }
    }
}
