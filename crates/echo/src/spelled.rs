//! What a line says that a frame does not hold, and that the reference of .butter writes by.

use compact_str::CompactString;

use crate::model::Game;

/// What a line of an .echoreplay says beside the [`Frame`](crate::Frame) that is read from it: where the
/// model takes what is `null` or missing for a default, the reference of .butter writes other bytes, or
/// none. [`Line::reference`](crate::echoreplay::Line::reference) makes one; the default is that of a frame
/// which says everything.
// Each is a question of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spelled {
    /// What the time has below its millisecond, in 100 ns: 0 to 9,999.
    pub(crate) sub_ms: u16,
    /// `game_status` is `null` or missing, which is not the empty text.
    pub(crate) no_status: bool,
    /// `paused_state` likewise.
    pub(crate) no_paused_state: bool,
    /// `person_scored` likewise: nobody, where a player may be called by the empty text.
    pub(crate) no_scorer: bool,
    /// `assist_scored` likewise.
    pub(crate) no_assist: bool,
    /// There is an answer of bones, and what it says.
    pub(crate) bones: BonesAnswer,
    /// Teams whose players are `null`: not missing, and not nobody.
    pub(crate) no_players: Vec<u8>,
    /// Players without a name, by team and place.
    pub(crate) nameless: Vec<(u8, u8)>,
    /// What hands hold, where the frame has the number and not its text: by team and place, and whether
    /// it is the right one.
    pub(crate) hands: Vec<((u8, u8), bool, CompactString)>,
    /// What is not there, and the reference needs.
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
    /// As the frame says.
    #[default]
    AsRead,
    /// `user_bones` without anybody in it.
    Nobody,
    /// An answer without `user_bones`, such as that of an error.
    NoBones,
}

/// What the reference needs and does not find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lack {
    pub when: When,
    /// `teams[0].players[1].head`
    pub member: String,
    /// `is null`
    pub why: &'static str,
}

/// Which frames the reference looks for it in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// The first frame: the header is made of it.
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
