//! Recordings of Echo VR as users see them: what the command prints, how it exits, what it leaves
//! on disk.

#[path = "echo/bad_input.rs"]
mod bad_input;
#[path = "echo/convert.rs"]
mod convert;
#[path = "echo/everyday.rs"]
mod everyday;
#[path = "echo/faults.rs"]
mod faults;
#[path = "echo/outputs.rs"]
mod outputs;
#[path = "echo/support.rs"]
mod support;
