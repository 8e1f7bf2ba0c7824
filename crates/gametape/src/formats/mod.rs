//! One adapter a format: from its own crate to what all recordings share.

pub(crate) mod echo;
pub(crate) mod murk;
pub(crate) mod rmv;
