//! Facts that are true for a whole game.

use std::cell::OnceCell;

use gametape_core::table::{Field, Kind, Lane, Rows, Table};
use gametape_core::tape::Secrets;
use gametape_core::text::Hash;

use serde_json::{Map, Value, json};

use Kind::{Bool, Float64, Text, Uint};

use super::super::info::{Texts, is_default_name};
use super::super::traces::{board_key, path_key};
use crate::{Board, Cell, Encoding, Game, Level, Metrics, Minefield, Mode, Outcome};

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

/// The facts about a whole game. Each part is computed when a column needs it.
pub(super) struct Facts<'g> {
    game: &'g Game<'g>,
    secrets: Secrets,
    texts: OnceCell<Texts>,
    metrics: OnceCell<Metrics>,
    with_zini: OnceCell<Metrics>,
    board_key: OnceCell<Option<String>>,
    path_key: OnceCell<Option<String>>,
}

impl<'g> Facts<'g> {
    pub const fn new(game: &'g Game<'g>, secrets: Secrets) -> Self {
        Self {
            game,
            secrets,
            texts: OnceCell::new(),
            metrics: OnceCell::new(),
            with_zini: OnceCell::new(),
            board_key: OnceCell::new(),
            path_key: OnceCell::new(),
        }
    }

    fn texts(&self) -> &Texts {
        self.texts
            .get_or_init(|| Texts::of(self.game, self.secrets))
    }

    /// The statistics without ZiNi, which takes longer than all others together.
    fn metrics(&self) -> &Metrics {
        self.metrics
            .get_or_init(|| Metrics::without_zini(self.game))
    }

    fn zini(&self) -> &Metrics {
        self.with_zini
            .get_or_init(|| self.metrics().clone().with_zini(self.game))
    }

    fn board_key(&self) -> Option<&str> {
        let key = || board_key(&self.game.board).map(|key| Hash(key).to_string());
        self.board_key.get_or_init(key).as_deref()
    }

    fn path_key(&self) -> Option<&str> {
        let key = || path_key(self.game).map(|key| Hash(key).to_string());
        self.path_key.get_or_init(key).as_deref()
    }

    /// Returns the number of the program and its major version, for version 2.
    fn program(&self) -> Option<[u8; 2]> {
        match self.game.encoding {
            Encoding::V1 { .. } => None,
            Encoding::V2 {
                clone_id,
                clone_major,
                ..
            } => Some([clone_id, clone_major]),
        }
    }
}

impl Rows for Facts<'static> {
    type Row<'a> = Facts<'a>;
}

/// The header and all statistics.
pub(super) const GAME: Table<Facts<'static>> = Table {
    name: "game",
    lane: Lane::Facts,
    doc: "The game: what its header says, and the statistics that players compare.",
    fields: &[
        Field::<Facts<'static>>::new(
            "program",Text,"The program that recorded the game, and its version.",
            |row| row.texts().program.as_str().into(),
        ),
        Field::<Facts<'static>>::new(
            "player_name",Text,"The player's name.",
            |row| row.texts().name.as_str().into(),
        ),
        Field::<Facts<'static>>::new(
            "player_default_name",Bool,"Whether the name is one that programs write for players who type none: Anonymous, Player.",
            |row| is_default_name(&row.texts().name).into(),
        ),
        Field::<Facts<'static>>::new(
            "player_nickname",Text,"The player's nickname.",
            |row| row.texts().nickname.as_str().into(),
        ),
        Field::<Facts<'static>>::new(
            "player_country",Text,"The player's country, as the program has it.",
            |row| row.texts().country.as_str().into(),
        ),
        Field::<Facts<'static>>::new(
            "player_token",Text,"The player's token for a ranking.",
            |row| row.texts().token.as_str().into(),
        ).secret(),
        Field::<Facts<'static>>::new(
            "board_cols",Uint,"Columns of the board.",
            |row| row.game.board.cols.into(),
        ).unit("cells"),
        Field::<Facts<'static>>::new(
            "board_rows",Uint,"Rows of the board.",
            |row| row.game.board.rows.into(),
        ).unit("cells"),
        Field::<Facts<'static>>::new(
            "board_mines",Uint,"Mines on the board.",
            |row| (row.game.board.mines.len() as u64).into(),
        ),
        Field::<Facts<'static>>::new(
            "board_preflags",Uint,"Flags that stood before the game began. None of them counts in `flags`; one that is taken off counts in `unflags`.",
            |row| (row.game.preflags.as_ref().map_or(0, crate::Cells::len) as u64).into(),
        ),
        Field::<Facts<'static>>::new(
            "generated",Text,"When the board was made (RFC 3339); missing where it is not said.",
            |row| row.texts().generated.as_deref().into(),
        ).unit("UTC"),
        Field::<Facts<'static>>::new(
            "level",Text,"The level that the board is of.",
            |row| row.metrics().level.name().into(),
        ).values(&LEVELS),
        Field::<Facts<'static>>::new(
            "declared_level",Text,"The level that the header declares.",
            |row| row.game.declared_level().map(Level::name).into(),
        )
        .values(&LEVELS),
        Field::<Facts<'static>>::new(
            "mode",Text,"The mode of the game.",
            |row| row.game.mode().map(Mode::name).into(),
        ).values(&MODES),
        Field::<Facts<'static>>::new(
            "marks",Bool,"Whether question marks were on.",
            |row| row.game.marks().into(),
        ),
        Field::<Facts<'static>>::new(
            "nf",Bool,"Whether the header declares that no flags were used.",
            |row| row.game.declared_nf().into(),
        ),
        Field::<Facts<'static>>::new(
            "cell_size",Uint,"The width of a cell.",
            |row| row.game.cell_size().into(),
        ).unit("px"),
        Field::<Facts<'static>>::new(
            "declared_bbbv",Uint,"The board's 3BV as the header declares it.",
            |row| row.game.declared_bbbv().into(),
        ),
        Field::<Facts<'static>>::new(
            "outcome",Text,"How the game ended: `win`, `blast` or `other`.",
            |row| row.game.ending.map(|ending| ending.outcome.name()).into(),
        )
        .values(&OUTCOMES),
        Field::<Facts<'static>>::new(
            "text",Text,"How the header's text is encoded.",
            |row| row.texts().text.as_str().into(),
        ),
        Field::<Facts<'static>>::new(
            "file_size",Text,"Whether the size that the header declares is the file's.",
            |row| row.texts().file_size.as_str().into(),
        ),
        Field::<Facts<'static>>::new(
            "checksum_bytes",Uint,"The size of the checksum.",
            |row| (row.game.checksum.len() as u64).into(),
        ).unit("bytes"),
        Field::<Facts<'static>>::new(
            "clone_id",Uint,"Of version 2: the number of the program.",
            |row| row.program().map(|[id, _]| id).into(),
        ),
        Field::<Facts<'static>>::new(
            "clone_major",Uint,"Of version 2: the major version of the program.",
            |row| row.program().map(|[_, major]| major).into(),
        ),
        Field::<Facts<'static>>::new(
            "total_time_ms",Uint,"Time: that of the ending, else of the last mouse event.",
            |row| row.metrics().time_ms.into(),
        )
        .unit("ms"),
        Field::<Facts<'static>>::new(
            "bbbv",Uint,"3BV: the fewest left clicks that solve the board.",
            |row| row.metrics().board.bbbv.into(),
        ),
        Field::<Facts<'static>>::new(
            "solved_bbbv",Uint,"3BV that was solved.",
            |row| row.metrics().clicks.solved_bbbv.into(),
        ),
        Field::<Facts<'static>>::new(
            "bbbv_per_s",Float64,"Solved 3BV a second.",
            |row| row.metrics().bbbv_per_s().into(),
        ).unit("1/s"),
        Field::<Facts<'static>>::new(
            "estimated_time_s",Float64,"The time that the whole board would have taken at this speed.",
            |row| row.metrics().estimated_time().into(),
        )
        .unit("s"),
        Field::<Facts<'static>>::new(
            "zini",Uint,"ZiNi: the fewest clicks that the greedy algorithm finds, with flags.",
            |row| row.zini().board.zini.into(),
        ),
        Field::<Facts<'static>>::new(
            "hzini",Uint,"Human ZiNi: the same, openings first.",
            |row| row.zini().board.hzini.into(),
        ),
        Field::<Facts<'static>>::new(
            "openings",Uint,"Openings: fields of cells without a number.",
            |row| row.metrics().board.openings.into(),
        ),
        Field::<Facts<'static>>::new(
            "islands",Uint,"Islands: fields of numbers beside no opening.",
            |row| row.metrics().board.islands.into(),
        ),
        Field::<Facts<'static>>::new(
            "left_clicks",Uint,"Left clicks: releases of the left button over the board that end no chord, whether they open something or not; the first click, whose press is not recorded, is one.",
            |row| row.metrics().clicks.left.into(),
        ),
        Field::<Facts<'static>>::new(
            "right_clicks",Uint,"Right clicks: presses of the right button over the board that no chord follows, whether they change a flag or not.",
            |row| row.metrics().clicks.right.into(),
        ),
        Field::<Facts<'static>>::new(
            "double_clicks",Uint,"Chords: both buttons, counted once, when the first of them is released.",
            |row| row.metrics().clicks.double.into(),
        ),
        Field::<Facts<'static>>::new(
            "clicks",Uint,"All clicks.",
            |row| row.metrics().clicks.total().into(),
        ),
        Field::<Facts<'static>>::new(
            "effective_clicks",Uint,"Clicks that changed the board.",
            |row| row.metrics().clicks.effective().into(),
        ),
        Field::<Facts<'static>>::new(
            "ioe",Float64,"Index of efficiency: 3BV earned a click.",
            |row| row.metrics().ioe().into(),
        ),
        Field::<Facts<'static>>::new(
            "correctness",Float64,"Clicks that changed the board, of all clicks.",
            |row| row.metrics().correctness().into(),
        ),
        Field::<Facts<'static>>::new(
            "throughput",Float64,"3BV earned a click that changed the board.",
            |row| row.metrics().throughput().into(),
        ),
        Field::<Facts<'static>>::new(
            "rqp",Float64,"Rapport qualité prix: the square of the time in seconds, a 3BV earned.",
            |row| row.metrics().rqp().into(),
        ),
        Field::<Facts<'static>>::new(
            "qg",Float64,"The time in seconds to the power of 1.7, a 3BV earned.",
            |row| row.metrics().qg().into(),
        ),
        Field::<Facts<'static>>::new(
            "ios",Float64,"Index of speed: the logarithm of the 3BV earned by that of the time in seconds.",
            |row| row.metrics().ios().into(),
        ),
        Field::<Facts<'static>>::new(
            "stnb",Float64,"Speed as the level weighs it; missing on boards of no level.",
            |row| row.metrics().stnb().into(),
        ),
        Field::<Facts<'static>>::new(
            "zne",Float64,"ZiNi a click, of a won game.",
            |row| row.zini().zne().into(),
        ),
        Field::<Facts<'static>>::new(
            "znt",Float64,"ZiNi a click that changed the board, of a won game.",
            |row| row.zini().znt().into(),
        ),
        Field::<Facts<'static>>::new(
            "path_px",Float64,"The way of the cursor: the sum of the straight lines from mouse event to mouse event, in pixels of the recording, over the board and beside it.",
            |row| row.metrics().clicks.path_px.into(),
        )
        .unit("px"),
        Field::<Facts<'static>>::new(
            "flags",Uint,"Flags placed.",
            |row| row.metrics().clicks.flags.into(),
        ),
        Field::<Facts<'static>>::new(
            "unflags",Uint,"Flags taken off.",
            |row| row.metrics().clicks.unflags.into(),
        ),
        Field::<Facts<'static>>::new(
            "misflags",Uint,"Flags placed on cells without a mine.",
            |row| row.metrics().clicks.misflags.into(),
        ),
        Field::<Facts<'static>>::new(
            "style",Text,"`NF` where no flag was ever on the board, else `FL`.",
            |row| row.metrics().style().into(),
        )
        .values(&["NF", "FL"]),
        Field::<Facts<'static>>::new(
            "wasted_clicks",Uint,"Clicks that changed nothing.",
            |row| row.metrics().clicks.wasted().into(),
        ),
        Field::<Facts<'static>>::new(
            "wasted_left_clicks",Uint,"Left clicks that changed nothing.",
            |row| (row.metrics().clicks.left - row.metrics().clicks.left_effective).into(),
        ),
        Field::<Facts<'static>>::new(
            "wasted_right_clicks",Uint,"Right clicks that changed nothing.",
            |row| (row.metrics().clicks.right - row.metrics().clicks.right_effective).into(),
        ),
        Field::<Facts<'static>>::new(
            "wasted_double_clicks",Uint,"Chords that changed nothing.",
            |row| (row.metrics().clicks.double - row.metrics().clicks.double_effective).into(),
        ),
        Field::<Facts<'static>>::new(
            "one_and_a_half_clicks",Uint,"Chords whose right button had placed a flag as it went down: of one press a right click and a chord.",
            |row| row.metrics().clicks.one_and_a_half.into(),
        ),
        Field::<Facts<'static>>::new(
            "mouse_events",Uint,"Mouse events.",
            |row| row.metrics().clicks.mouse_events.into(),
        ),
        Field::<Facts<'static>>::new(
            "replay_diverges",Bool,"Whether the recording and the rules part: the counts of clicks, opened cells and solved 3BV then rest on the rules alone.",
            |row| row.metrics().replay_diverges.into(),
        ),
        Field::<Facts<'static>>::new(
            "board_key",Text,"The same for two games on the same board, also if it is mirrored or rotated: 16 hexadecimal digits; missing if a mine is listed outside of the board or twice.",
            |row| row.board_key().into(),
        ),
        Field::<Facts<'static>>::new(
            "path_key",Text,"The same for two games in which all buttons go down and up at the same times in the same pixels, also if the board is mirrored or rotated, whatever moves are between them: 16 hexadecimal digits. Games of one or two clicks may share it by chance. Missing without any button, and if the recording is cut off.",
            |row| row.path_key().into(),
        ),
    ],
};

/// The mines of a board, column by column, which is the order of their keys.
pub(super) fn mines(board: &Board<'_>) -> Vec<Cell> {
    let field = Minefield::new(board);
    let mut mines: Vec<Cell> = field.cells().filter(|cell| field.is_mine(*cell)).collect();
    mines.sort_unstable();
    mines
}

/// The statistics that players compare: the columns that the replay gives, after how the game ended.
pub(in crate::tape) fn stats(game: &Game<'_>, metrics: Metrics) -> Map<String, Value> {
    let facts = Facts {
        metrics: OnceCell::from(metrics.clone()),
        with_zini: OnceCell::from(metrics),
        ..Facts::new(game, Secrets::Hide)
    };
    let columns = GAME.def().columns;
    let named = |name| columns.iter().position(|column| column.name == name);
    let ending = ["total_time_ms", "outcome", "mode", "level"].map(named);
    let replayed = named("bbbv").zip(named("board_key"));
    let replayed = replayed.map_or(0..0, |(from, to)| from..to);
    let all = ending.into_iter().flatten().chain(replayed);
    all.filter_map(|at| {
        let name = columns.get(at)?.name.to_string();
        Some((name, json!(GAME.value(&facts, at))))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_one_of_those_that_there_are() {
        assert_eq!(MODES, Mode::ALL.map(Mode::name));
    }
}
