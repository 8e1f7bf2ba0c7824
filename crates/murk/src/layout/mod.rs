//! The bytes of headers, frames and commands: the only place that knows their layout. All readers and
//! writers share it.

pub mod encode;
pub mod frame;
pub mod header;
pub mod scan;
