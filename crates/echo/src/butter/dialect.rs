//! The kinds of writers, and the faults of the reference that a reader undoes.

/// The kind of writer of a chunk. It decides what a part that is left out means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// A part that is left out has not changed.
    #[default]
    Exact,
    /// The reference. It leaves out a difference whose bytes equal those of the frame before, so a part
    /// that is left out changes by the same difference again.
    Reference,
}

/// The reference's faults that were undone, each with a count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Mended {
    /// Moves that were left out and repeated.
    pub motion: u64,
    /// Keyframes that store bones as differences from the frame before.
    pub bones: u64,
    /// Keyframes among those without a frame before; their bones are unknown.
    pub bones_lost: u64,
    /// Pauses whose timer is unknown since a keyframe.
    pub pause_timers: u64,
    /// Frames whose bones are of another number of players than the frame before.
    pub bone_players: u64,
    /// Counts that fell; the reference's reader adds 256.
    pub wrapped: u64,
}
