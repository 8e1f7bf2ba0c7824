//! How a line spells its frame, as far as .butter's reference writes different bytes because of it.

use compact_str::CompactString;

use crate::model::Game;

/// How a line of an .echoreplay spells the [`Frame`](crate::Frame) read from it. The model replaces what is
/// `null` or missing by a default, but .butter's reference then writes other bytes, or none.
/// [`Line::reference`](crate::echoreplay::Line::reference) creates it; the default is that of a line with
/// all members.
// The flags are independent of each other.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spelled {
    /// The part of the time below a millisecond, in 100 ns: 0 to 9,999.
    pub(crate) sub_ms: u16,
    /// `game_status` is `null` or missing, which differs from an empty text.
    pub(crate) no_status: bool,
    /// The same for `paused_state`.
    pub(crate) no_paused_state: bool,
    /// The same for `person_scored`. It means nobody, while a player may have an empty name.
    pub(crate) no_scorer: bool,
    /// The same for `assist_scored`.
    pub(crate) no_assist: bool,
    /// The kind of bones response.
    pub(crate) bones: BonesAnswer,
    /// Teams whose `players` is `null`, rather than missing or empty.
    pub(crate) no_players: Vec<u8>,
    /// Players without a name, by team and index.
    pub(crate) nameless: Vec<(u8, u8)>,
    /// The texts of hands for which the frame keeps the number: by team and index, and whether it is the
    /// right hand.
    pub(crate) hands: Vec<((u8, u8), bool, CompactString)>,
    /// Missing members that the reference needs.
    pub(crate) lacks: Vec<Lack>,
}

impl Spelled {
    pub(crate) const fn new() -> Self {
        Self {
            sub_ms: 0,
            no_status: false,
            no_paused_state: false,
            no_scorer: false,
            no_assist: false,
            bones: BonesAnswer::AsRead,
            no_players: Vec::new(),
            nameless: Vec::new(),
            hands: Vec::new(),
            lacks: Vec::new(),
        }
    }
}

/// The third column of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum BonesAnswer {
    /// As in the frame.
    #[default]
    AsRead,
    /// An empty `user_bones`.
    Nobody,
    /// A response without `user_bones`, such as that of an error.
    NoBones,
}

/// A missing member that the reference needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lack {
    pub when: When,
    /// `teams[0].players[1].head`
    pub member: String,
    /// `is null`
    pub why: &'static str,
}

/// The frames in which the reference needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// The first frame, from which the header is made.
    First,
    Always,
    On(Game),
}

impl When {
    pub fn holds(self, game: Game, first: bool) -> bool {
        match self {
            Self::First => first,
            Self::Always => true,
            Self::On(on) => on == game,
        }
    }
}
