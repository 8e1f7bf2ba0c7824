//! Who wrote a chunk, and which of the faults of that writer were undone.

/// Who wrote a chunk: it decides what a part that is left out means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// What is left out has not changed.
    #[default]
    Exact,
    /// The reference, which leaves out a difference whose bytes are those of the frame before: what
    /// is left out goes on as it did.
    Reference,
}

/// Faults of the reference that were undone, and how often.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Mended {
    /// Motion that was left out and went on.
    pub motion: u64,
    /// Keyframes whose bones differ from the frame before.
    pub bones: u64,
    /// Of those, keyframes without a frame before: their bones are not known.
    pub bones_lost: u64,
    /// Pauses whose timer is unknown since a keyframe.
    pub pause_timers: u64,
    /// Frames whose bones have another number of players than the frame before.
    pub bone_players: u64,
    /// Counts that went down: the reference's reader adds 256.
    pub wrapped: u64,
}
