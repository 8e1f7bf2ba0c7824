//! What the format is called, and a step of its recordings.

/// The format's name.
pub(super) const NAME: &str = "murk";
/// What a step is called.
pub(super) const STEP: &str = "frame";
