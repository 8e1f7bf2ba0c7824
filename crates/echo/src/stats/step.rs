//! What counts, and where a frame stands.

/// A longer time than this between two frames counts as not recorded: 5 s.
pub const MAX_GAP_MS: u32 = 5_000;

/// A head that gets further than a metre between two frames, and faster than this, m/s, has
/// jumped (into the tube, to the spawn): that is no distance travelled. Boosts and launches stay
/// well below.
pub const MAX_PLAYER_SPEED: f32 = 50.0;

/// The same for the disc, which is put back to the middle after a goal.
pub const MAX_DISC_SPEED: f32 = 150.0;

/// Events of a kind, and players, that are kept; more are counted.
pub const MAX_EVENTS: usize = 10_000;

/// Where a frame stands among the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Its number, from 0.
    pub frame: u64,
    /// Time since the first frame.
    pub now_ms: u64,
    /// Time since the frame before, if that was recorded without a gap.
    pub passed_ms: Option<u32>,
    /// It is of another session than the frame before (or is the first).
    pub new_session: bool,
}

/// Keeps an event, or counts it where there are too many.
pub(super) fn keep<T>(list: &mut Vec<T>, event: T, left_out: &mut u64) {
    if list.len() < MAX_EVENTS {
        list.push(event);
    } else {
        *left_out += 1;
    }
}
