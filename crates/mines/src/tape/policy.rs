//! The default policy of a ranking of Minesweeper games.

/// Accepts won games in normal mode on the three standard boards, from a minimal 3BV on, without
/// findings against them.
///
/// The audit, too, reports modes that rankings do not accept and boards that are too easy. Here
/// these are conditions, so that a user changes them in a single place.
pub(super) const RANKING: &str = r#"[rmv]
# A finding of these severities, or of these codes, rejects.
reject = ["error", "warning"]
# Findings that reject nothing: the conditions below decide.
admit = ["rmv.rank-mode", "rmv.rank-3bv"]

# Conditions on every game: a column of `gametape tables`, and the value that it has to have.
[rmv.require]
outcome = "win"
mode = "normal"

# A game belongs to the first class that it fits, and has to meet the conditions of this class. A game that
# fits none is rejected.
[[rmv.class]]
name = "beginner"
when = { board_cols = 8, board_rows = 8, board_mines = 10 }
require = { bbbv = { min = 2 } }

[[rmv.class]]
name = "intermediate"
when = { board_cols = 16, board_rows = 16, board_mines = 40 }
require = { bbbv = { min = 30 } }

[[rmv.class]]
name = "expert"
when = { board_cols = 30, board_rows = 16, board_mines = 99 }
require = { bbbv = { min = 100 } }
"#;

/// The facts by which a ranking lists a game.
pub(super) const RANKED: &[&str] = &["player_name", "level", "total_time_ms"];
