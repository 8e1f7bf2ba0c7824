//! The C interface of snapshot/delta sessions and captures.
//!
//! `include/gametape.h` is made from this crate by cbindgen; the comments here become its comments, so they speak of the
//! names in C. The README shows how to build and link it.
//!
//! | to change | look in |
//! |---|---|
//! | status codes, the text of errors, panics; pointers with a length | `error.rs` |
//! | schemas, and states: filling and reading them | `snapshot.rs` |
//! | the values of fields | `value.rs` |
//! | limits, modes, audiences; the world of a session and its grid | `world.rs` |
//! | what a callback says of entities | `relevance.rs` |
//! | sessions | `sender.rs`, `receiver.rs`, `playout.rs` |
//! | captures | `capture.rs` |
//!
//! # What the caller promises
//!
//! It is the same for all functions, and stands in the head of the header: a handle is NULL or comes from this library
//! and was not freed; no other thread uses it, or all only read; a pointer with a length points to that many elements; a
//! pointer for a result is NULL or points to memory for it. Handles are therefore references and boxes in the signatures,
//! with `None` for NULL. Where one call may meet one object twice, as with a callback, they are pointers.
//!
//! No panic leaves a function: [`Status::Internal`] reports it.

// The promises are the same for all; see above.
#![allow(clippy::missing_safety_doc)]

// In this order the header has them.
mod error;

mod snapshot;

mod value;

mod world;

mod relevance;

mod sender;

mod receiver;

mod playout;

mod capture;

pub use capture::*;
pub use error::*;
pub use playout::*;
pub use receiver::*;
pub use relevance::*;
pub use sender::*;
pub use snapshot::*;
pub use value::*;
pub use world::*;

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Error>();
    shared::<Schema>();
    shared::<Snapshot>();
    shared::<World>();
    shared::<Grid>();
    shared::<Sender>();
    shared::<Receiver>();
    shared::<Playout>();
    shared::<CaptureWriter>();
    shared::<Capture>();
};
