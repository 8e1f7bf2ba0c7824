//! Murk replay v3: deterministic command logs, and the point where determinism broke.
//!
//! A recording has the commands of each tick and a hash of the state after them. [`read()`] reads
//! one from memory, [`Reader`] from any source, and [`Feed`] from bytes as they arrive; [`Writer`]
//! and [`Recorder`] record. [`verify()`] replays a recording in a [`Simulation`] and names the
//! first tick and the value that differ; [`audit()`] makes the checks that need no replay;
//! [`diff()`], [`minimise()`], [`sync_test()`] and [`rollback_test()`] look closer. [`salvage()`]
//! keeps the intact part of a broken recording, and an [`Index`] finds ticks and flipped bits.
//!
//! ```
//! # let bytes = gametape_murk::doc_example();
//! for frame in gametape_murk::read(&bytes)?.frames() {
//!     let frame = frame?;
//!     println!("tick {}, hash {:016x}", frame.tick, frame.snapshot_hash);
//!     for command in frame.commands() {
//!         println!("  {:?}", command.payload()?);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to change | look in |
//! |---|---|
//! | the layout of frames and of the header | `layout/` |
//! | headers, commands and payloads as data | `model/` |
//! | the interface of a simulation, its states and hashes, the writer of a value | `simulation/` |
//! | reading and writing, cut recordings | `read.rs`, `stream.rs`, `write.rs`, `resume.rs` |
//! | replaying, comparing, minimising | `replay/` |
//! | the report of a divergence, and running hashes backwards | `divergence/`; the search for a slip: `slip/` |
//! | rules and what the audit checks | `rule.rs`, `audit.rs` |
//! | worlds (feature `engine`) | `engine/` |
//! | Murk replays as a format among others, and tools for files (feature `tape`) | `tape/`, `tools/` |
//!
//! Sources: the Murk replay wire format specification, version 3, and the behaviour of the origin
//! implementation (`murk-replay` 0.1.9) beyond it.

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

/// The build of this program. Recordings carry it, and audits compare it.
pub mod build {
    /// The version of the compiler, such as `1.95.0`.
    pub const TOOLCHAIN: &str = env!("GAMETAPE_TOOLCHAIN");

    /// The target of the build, such as `x86_64-unknown-linux-gnu`.
    pub const TARGET: &str = env!("GAMETAPE_TARGET");

    /// The profile of the build: `debug` or `release`.
    pub const PROFILE: &str = env!("GAMETAPE_PROFILE");
}

mod audit;
mod change;
mod divergence;
#[cfg(feature = "engine")]
pub mod engine;
mod error;
mod index;
mod layout;
mod limits;
mod model;
mod read;
mod replay;
mod resume;
mod rule;
mod simulation;
mod slip;
mod stats;
mod stream;
#[cfg(feature = "tape")]
pub mod tape;
#[cfg(feature = "tape")]
pub mod tools;
mod write;

pub use audit::{
    AnyWorld, Audit, Auditor, CommandCheck, DEFAULT_INGRESS_QUEUE, Rejection, audit, audit_with,
};
pub use change::{Bit, Change, Unused};
pub use divergence::{
    Candidate, Cause, CommandAt, Difference, Divergence, Evidence, Explanation, Parted, Slip,
    Target, explain,
};
pub use error::{Error, Finding, Findings, WriteError};
pub use gametape_core::feed::Fed;
pub use gametape_core::text::Hash;
pub use gametape_core::{Output, Severity, Stream, Strictness};
pub use index::{Damage, Entry, Index, IndexBuilder, IndexError, Indexed, Pieces};
pub use layout::Frame;
pub use layout::encode::{CommandBuf, write_frame, write_header};
pub use limits::{
    Limits, MAX_REPLAYED_FIELDS, MIN_COMMAND_BYTES, MIN_FRAME_BYTES, MIN_HEADER_BYTES, ReadOptions,
};
pub use model::command::{Command, CommandIter, Commands, Envelope};
pub use model::list::{Coord, Item, List, ListIter};
pub use model::payload::{CommandText, Payload, PayloadError};
pub use model::{Build, ConfigForm, Header, MAGIC, VERSION};
pub use read::{Frames, Replay, Salvaged, read, read_with, salvage};
pub use replay::checkpoints::Checkpoints;
pub use replay::diff::{Diff, FrameDiff, StateDiff, diff, diff_states};
pub use replay::minimise::{CommandLog, Minimised, minimise};
pub use replay::sync_test::{Desync, InSync, MAX_DIFFERENCES, SyncError, rollback_test, sync_test};
pub use replay::verify::{Verified, Verifier, VerifyError, verify, verify_stream};
pub use resume::{Doubt, ResumeError, Resumed};
pub use rule::Rule;
pub use simulation::faulty::{Fault, Faulty};
pub use simulation::hash::{
    LANES, SnapshotHasher, State, config_hash, snapshot_hash, snapshot_hashes,
};
pub use simulation::past::{Past, PastFrame, Touch, WrittenBy};
pub use simulation::{Checkpoint, Location, Simulation};
pub use slip::{BuildVariant, Progress, SLIP_TIME, Variant, explain_slip, explain_slip_with};
pub use stats::{MAX_SOURCES, Stats};
pub use stream::{Feed, Reader};
pub use write::{RecordError, Recorder, Writer, write};

/// Returns a recording of three ticks, for the examples of the documentation.
#[doc(hidden)]
#[must_use]
pub fn doc_example() -> Vec<u8> {
    let header = Header {
        field_count: 1,
        cell_count: 4,
        ..Header::default()
    };
    let mut state = [0.0_f32; 4];
    let mut bytes = Vec::new();
    let recorded = Writer::new(&mut bytes, &header).and_then(|mut writer| {
        for tick in 1..=3_u8 {
            let mut commands = CommandBuf::new();
            let value = f32::from(tick) / 2.0;
            if let Some(cell) = state.get_mut(usize::from(tick)) {
                *cell = value;
            }
            commands.push(
                &Envelope::default(),
                &Payload::SetField {
                    coord: (&[i32::from(tick)]).into(),
                    field: 0,
                    value,
                },
            )?;
            let hash = snapshot_hash([state.as_slice()]);
            writer.push(u64::from(tick), commands.as_commands(), hash)?;
        }
        writer.finish().map(|_| ())
    });
    debug_assert!(recorded.is_ok());
    bytes
}

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
