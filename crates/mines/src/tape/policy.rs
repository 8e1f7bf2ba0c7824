//! What rankings of Minesweeper admit.

/// Won games in the normal mode on the three boards, from a least 3BV on, that nothing speaks against.
///
/// That some modes are not for the ranking, or a board is too easy, audits say, too: here it is a
/// condition, so that whoever wants another says so in one place.
pub(super) const RANKING: &str = r#"[rmv]
# A finding of these severities, or of these codes, rejects.
reject = ["error", "warning"]
# Findings that reject nothing: the conditions below decide.
admit = ["rmv.rank-mode", "rmv.rank-3bv"]

# What has to be so in every game: a column of `gametape tables`, and its value.
[rmv.require]
outcome = "win"
mode = "normal"

# A game belongs to the first class that it fits, and has to be what that requires. One that fits none
# is rejected.
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
