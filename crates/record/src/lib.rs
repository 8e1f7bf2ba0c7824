//! Recording what comes in live: Echo VR from the game's API, snapshot/delta packets over UDP.
//!
//! Both recorders take what comes as it is: they wait where there is nothing, count what is of no
//! use, and leave files whose frames and packets can all be read, whenever they are killed.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//! use gametape_record::echo::{RecordOptions, record};
//!
//! let stop = AtomicBool::new(false); // Set it from elsewhere.
//! let recorded = record(&RecordOptions::new("final.butter"), &stop, |_| {})?;
//! println!("{} frames", recorded.frames);
//! # Ok::<(), gametape::Error>(())
//! ```
//!
//! | to change | look in |
//! |---|---|
//! | what is recorded of Echo VR, and when it ends | `echo/options.rs`, `echo/recorder.rs`; `echo/schedule.rs` says when to ask |
//! | how the game is asked, and how it fails | `echo/game.rs`, `echo/fault.rs` |
//! | which answers are a frame | `echo/answer.rs` |
//! | which file a frame goes into, going on with one | `echo/tapes.rs`, `echo/zip.rs` |
//! | a recording that answers in the place of the game | `echo/as_game.rs` |
//! | which packets are kept, what is answered | `udp/stream.rs` |
//! | how one knows that a sender has begun anew | `udp/anew.rs` |
//! | the captures they go into | `udp/file.rs` |
//! | what the files are called | `numbered.rs` |

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

pub mod echo;
mod numbered;
pub mod udp;

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
