//! Tests of the command with recordings of Echo VR.

pub mod record;
pub mod support;
