//! What the format is called, and a step of its recordings.

/// The format's name.
pub(super) const NAME: &str = "rmv";
/// What a step is called.
pub(super) const STEP: &str = "event";
