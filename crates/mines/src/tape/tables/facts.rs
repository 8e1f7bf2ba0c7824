//! Facts that are true for a whole game.

use gametape_core::table::{Fact, FactTable, Kind};

use Kind::{Bool, Float64, Text, Uint};

use crate::{Level, Mode, Outcome};

const LEVELS: [&str; 4] = [
    Level::Beginner.name(),
    Level::Intermediate.name(),
    Level::Expert.name(),
    Level::Custom.name(),
];
const OUTCOMES: [&str; 3] = [
    Outcome::Win.name(),
    Outcome::Blast.name(),
    Outcome::Other.name(),
];
const MODES: [&str; Mode::ALL.len()] = [
    Mode::Normal.name(),
    Mode::Upk.name(),
    Mode::Cheat.name(),
    Mode::Density.name(),
    Mode::Win7.name(),
    Mode::CompetitiveSolvable.name(),
    Mode::StrongSolvable.name(),
    Mode::WeakSolvable.name(),
    Mode::ToBeSolvable.name(),
    Mode::StrongGuessable.name(),
    Mode::WeakGuessable.name(),
    Mode::ChordingRecursiveStandard.name(),
    Mode::FlagRecursive.name(),
    Mode::ChordingFlagRecursive.name(),
];

/// The header and all statistics.
pub(in crate::tape) const GAME: FactTable = FactTable {
    name: "game",
    doc: "The game: what its header says, and the statistics that players compare.",
    facts: &[
        Fact::new(
            "program",
            Text,
            "The program that recorded the game, and its version.",
        ),
        Fact::new("player_name", Text, "The player's name."),
        Fact::new("player_nickname", Text, "The player's nickname."),
        Fact::new(
            "player_country",
            Text,
            "The player's country, as the program has it.",
        ),
        Fact::new("player_token", Text, "The player's token for a ranking.").secret(),
        Fact::new("board_cols", Uint, "Columns of the board.").unit("squares"),
        Fact::new("board_rows", Uint, "Rows of the board.").unit("squares"),
        Fact::new("board_mines", Uint, "Mines on the board."),
        Fact::new(
            "board_preflags",
            Uint,
            "Flags that stood before the game began. None of them counts in `flags`; one that is taken off counts in `unflags`.",
        ),
        Fact::new(
            "generated",
            Text,
            "When the board was made, UTC (RFC 3339); missing where it is not said.",
        ),
        Fact::new("level", Text, "The level that the board is of.").values(&LEVELS),
        Fact::new(
            "declared_level",
            Text,
            "The level that the header declares.",
        )
        .values(&LEVELS),
        Fact::new("mode", Text, "The mode of the game.").values(&MODES),
        Fact::new("marks", Bool, "Whether question marks were on."),
        Fact::new(
            "nf",
            Bool,
            "Whether the header declares that no flags were used.",
        ),
        Fact::new("square_size", Uint, "The width of a square.").unit("px"),
        Fact::new(
            "declared_3bv",
            Uint,
            "The board's 3BV as the header declares it.",
        ),
        Fact::new(
            "outcome",
            Text,
            "How the game ended: `win`, `blast` or `other`.",
        )
        .values(&OUTCOMES),
        Fact::new("text", Text, "How the header's text is encoded."),
        Fact::new(
            "file_size",
            Text,
            "Whether the size that the header declares is the file's.",
        ),
        Fact::new("checksum_bytes", Uint, "The size of the checksum.").unit("bytes"),
        Fact::new("clone_id", Uint, "Of version 2: the number of the program."),
        Fact::new(
            "clone_major",
            Uint,
            "Of version 2: the major version of the program.",
        ),
        Fact::new(
            "total_time_ms",
            Uint,
            "Time: that of the ending, else of the last mouse event.",
        )
        .of("time_ms")
        .unit("ms"),
        Fact::new(
            "bbbv",
            Uint,
            "3BV: the fewest left clicks that solve the board.",
        ),
        Fact::new("solved_bbbv", Uint, "3BV that was solved."),
        Fact::new("bbbv_per_s", Float64, "Solved 3BV a second.").unit("1/s"),
        Fact::new(
            "estimated_time_s",
            Float64,
            "The time that the whole board would have taken at this speed.",
        )
        .unit("s"),
        Fact::new(
            "zini",
            Uint,
            "ZiNi: the fewest clicks that the greedy algorithm finds, with flags.",
        ),
        Fact::new("hzini", Uint, "Human ZiNi: the same, openings first."),
        Fact::new(
            "openings",
            Uint,
            "Openings: fields of squares without a number.",
        ),
        Fact::new(
            "islands",
            Uint,
            "Islands: fields of numbers beside no opening.",
        ),
        Fact::new(
            "left_clicks",
            Uint,
            "Left clicks: releases of the left button over the board that end no chord, whether they open something or not; the first click, whose press is not recorded, is one.",
        ),
        Fact::new(
            "right_clicks",
            Uint,
            "Right clicks: presses of the right button over the board that no chord follows, whether they change a flag or not.",
        ),
        Fact::new(
            "double_clicks",
            Uint,
            "Chords: both buttons, counted once, when the first of them is released.",
        ),
        Fact::new("clicks", Uint, "All clicks."),
        Fact::new("effective_clicks", Uint, "Clicks that changed the board."),
        Fact::new("ioe", Float64, "Index of efficiency: 3BV earned a click."),
        Fact::new(
            "correctness",
            Float64,
            "Clicks that changed the board, of all clicks.",
        ),
        Fact::new(
            "throughput",
            Float64,
            "3BV earned a click that changed the board.",
        ),
        Fact::new(
            "rqp",
            Float64,
            "Rapport qualité prix: the square of the time in seconds, a 3BV earned.",
        ),
        Fact::new(
            "qg",
            Float64,
            "The time in seconds to the power of 1.7, a 3BV earned.",
        ),
        Fact::new(
            "ios",
            Float64,
            "Index of speed: the logarithm of the 3BV earned by that of the time in seconds.",
        ),
        Fact::new(
            "stnb",
            Float64,
            "Speed as the level weighs it; missing on boards of no level.",
        ),
        Fact::new("zne", Float64, "ZiNi a click, of a won game."),
        Fact::new(
            "znt",
            Float64,
            "ZiNi a click that changed the board, of a won game.",
        ),
        Fact::new(
            "path_px",
            Float64,
            "The way of the cursor: the sum of the straight lines from mouse event to mouse event, in pixels of the recording, over the board and beside it.",
        )
        .unit("px"),
        Fact::new("flags", Uint, "Flags placed."),
        Fact::new("unflags", Uint, "Flags taken off."),
        Fact::new("misflags", Uint, "Flags placed on squares without a mine."),
        Fact::new(
            "style",
            Text,
            "`NF` where no flag was ever on the board, else `FL`.",
        )
        .values(&["NF", "FL"]),
        Fact::new("wasted_clicks", Uint, "Clicks that changed nothing."),
        Fact::new(
            "wasted_left_clicks",
            Uint,
            "Left clicks that changed nothing.",
        ),
        Fact::new(
            "wasted_right_clicks",
            Uint,
            "Right clicks that changed nothing.",
        ),
        Fact::new("wasted_double_clicks", Uint, "Chords that changed nothing."),
        Fact::new(
            "one_and_a_half_clicks",
            Uint,
            "Chords whose right button had placed a flag as it went down: of one press a right click and a chord.",
        ),
        Fact::new("mouse_events", Uint, "Mouse events."),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_one_of_those_that_there_are() {
        assert_eq!(MODES, Mode::ALL.map(Mode::name));
    }
}
