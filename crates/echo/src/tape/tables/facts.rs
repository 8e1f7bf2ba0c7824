//! The facts about a whole match.

use gametape_core::table::{Fact, FactTable, Kind};

use Kind::{Bool, Float64, Text, Uint};

/// The header and the figures of the match.
pub const MATCH: FactTable = FactTable {
    name: "match",
    doc: "The match: where and when it was played, and what it came to.",
    facts: &[
        Fact::new(
            "recorded_from",
            Text,
            "When the first frame was recorded, by the recorder's wall clock.",
        ),
        Fact::new("recorded_to", Text, "When the last frame was recorded."),
        Fact::new(
            "rate_hz",
            Float64,
            "Frames a second, from the first to the last.",
        )
        .unit("1/s"),
        Fact::new("map", Text, "The map, as the API names it."),
        Fact::new("game", Text, "`arena`, `combat` or `other`."),
        Fact::new(
            "match_type",
            Text,
            "The type of the match, as the API names it.",
        ),
        Fact::new("private", Bool, "Whether the match is private."),
        Fact::new(
            "tournament",
            Bool,
            "Whether it is of a tournament; a .butter does not say.",
        ),
        Fact::new("session_id", Text, "The id of the match."),
        Fact::new("sessions", Uint, "Matches in the recording."),
        Fact::new("server", Text, "The address of the game server.").secret(),
        Fact::new(
            "client",
            Text,
            "The name of the player at whose machine the API was asked.",
        ),
        Fact::new("points_blue", Float64, "Points of blue in the last frame."),
        Fact::new(
            "points_orange",
            Float64,
            "Points of orange in the last frame.",
        ),
        Fact::new("rounds_of", Uint, "Rounds of the match."),
        Fact::new("rounds_blue", Uint, "Rounds that blue has won."),
        Fact::new("rounds_orange", Uint, "Rounds that orange has won."),
        Fact::new("bone_frames", Uint, "Frames with bones."),
        Fact::new(
            "unknown_members",
            Uint,
            "Frames with members that the model does not know.",
        ),
        Fact::new(
            "compression",
            Text,
            "How the chunks of a .butter are compressed.",
        ),
        Fact::new(
            "keyframe_every",
            Uint,
            "Frames from a keyframe of a .butter to the next.",
        )
        .unit("frames"),
        Fact::new("chunks", Uint, "Chunks of a .butter."),
        Fact::new("keyframes", Uint, "Keyframes of a .butter."),
        Fact::new("written_by", Text, "Who wrote a .butter, where that shows."),
        Fact::new(
            "dialect",
            Text,
            "Of which kind a .butter is, where it is not the usual.",
        ),
        Fact::new(
            "container",
            Text,
            "Whether an .echoreplay is `text` or in a `zip`.",
        ),
        Fact::new(
            "files_in_zip",
            Uint,
            "Files in the zip, where it has several.",
        ),
        Fact::new("frames", Uint, "Frames."),
        Fact::new("duration_ms", Uint, "From the first frame to the last.").unit("ms"),
        Fact::new("recorded_ms", Uint, "The same without gaps.").unit("ms"),
        Fact::new("interval_ms", Uint, "The median time between two frames.").unit("ms"),
        Fact::new(
            "frames_per_second",
            Float64,
            "Frames a second, as a mean over what was recorded.",
        )
        .unit("1/s"),
        Fact::new("possession_playing_ms", Uint, "Time of play.").unit("ms"),
        Fact::new(
            "possession_blue_ms",
            Uint,
            "Time for which blue alone had the disc.",
        )
        .unit("ms"),
        Fact::new(
            "possession_orange_ms",
            Uint,
            "Time for which orange alone had the disc.",
        )
        .unit("ms"),
        Fact::new(
            "possession_none_ms",
            Uint,
            "Time for which neither had the disc, or both at once.",
        )
        .unit("ms"),
        Fact::new("disc_top_speed", Float64, "The disc's highest speed.").unit("m/s"),
        Fact::new(
            "disc_distance",
            Float64,
            "How far the disc moved, jumps left out.",
        )
        .unit("m"),
        Fact::new(
            "payload_distance",
            Float64,
            "How far the payload had come in the last frame.",
        )
        .unit("m"),
        Fact::new("payload_max_distance", Float64, "How far it ever had.").unit("m"),
        Fact::new("payload_checkpoints", Uint, "Checkpoints that it passed."),
        Fact::new("payload_top_speed", Float64, "Its highest speed.").unit("m/s"),
        Fact::new(
            "payload_contested_ms",
            Uint,
            "Time for which both teams stood at it.",
        )
        .unit("ms"),
        Fact::new(
            "left_out",
            Uint,
            "Events and players that were not counted, because there are too many.",
        ),
    ],
};
