//! The name of the format and of a step of its recordings.

/// The format's name.
pub(super) const NAME: &str = "rmv";
/// The name of a step.
pub(super) const STEP: &str = "event";
