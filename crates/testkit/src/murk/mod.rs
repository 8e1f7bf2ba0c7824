//! The origin of Murk's format, `murk-replay` 0.1.9, beside ours: commands, recordings and states in a form
//! that both can express, and comparisons of what both read.

mod command;
mod recording;

pub use command::{Body, Typed, same_typed, serialized, stored};
pub use recording::{
    End, Fields, Seen, Tape, class_of_origin, class_of_ours, origin_frame, origin_header, seen,
    seen_by_feed, seen_by_origin, seen_by_slice, seen_by_stream,
};
