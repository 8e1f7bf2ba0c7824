//! Thresholds, and the position of a frame in time.

/// A longer time than this between two frames counts as not recorded: 5 s.
pub const MAX_GAP_MS: u32 = 5_000;

/// A head that moves further than a metre between two frames, and faster than this, in m/s, has jumped
/// (into the tube, to the spawn), which is no distance travelled. Boosts and launches stay well below.
pub const MAX_PLAYER_SPEED: f32 = 50.0;

/// The same for the disc, which returns to the middle after a goal.
pub const MAX_DISC_SPEED: f32 = 150.0;

/// The number of events of a kind, and of players, that are kept; more are counted.
pub const MAX_EVENTS: usize = 10_000;

/// The position of a frame among the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The ordinal of the frame, from 0.
    pub frame: u64,
    /// Time since the first frame.
    pub now_ms: u64,
    /// Time since the frame before, if that was recorded without a gap.
    pub passed_ms: Option<u32>,
    /// The session differs from that of the frame before, or this is the first frame.
    pub new_session: bool,
}

/// Keeps an event, or counts it if there are too many.
pub(super) fn keep<T>(list: &mut Vec<T>, event: T, left_out: &mut u64) {
    if list.len() < MAX_EVENTS {
        list.push(event);
    } else {
        *left_out += 1;
    }
}
