//! What a recording holds, as plain data: header, frames, commands.

use std::borrow::Cow;

use crate::command::{Command, CommandIter, Commands};
use crate::error::{Error, Finding};
use crate::limits::MIN_FRAME_BYTES;
use crate::payload::PayloadError;
use crate::rule::Rule;

/// The first bytes of every recording.
pub const MAGIC: [u8; 4] = *b"MURK";

/// The version of the format that is read and written.
pub const VERSION: u8 = 3;

/// The header: how the recording was built, and the world it starts from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header<'a> {
    /// What built the program that recorded.
    pub build: Build<'a>,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Hash of the world's configuration, see [`config_hash`](crate::config_hash); 0 where the
    /// recorder did not set it.
    pub config_hash: u64,
    /// Fields of the world: as many as each frame's hash covers.
    pub field_count: u32,
    /// Cells of the world.
    pub cell_count: u64,
    /// The world's space, as the recorder describes it. The format defines no encoding: any bytes
    /// are valid, and most recorders leave it empty.
    pub space_descriptor: Cow<'a, [u8]>,
}

/// What built the program that recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Build<'a> {
    /// Version of the compiler, as `1.78.0`.
    pub toolchain: Cow<'a, str>,
    /// What it compiled for, as `x86_64-unknown-linux-gnu`.
    pub target_triple: Cow<'a, str>,
    /// Version of the engine.
    pub murk_version: Cow<'a, str>,
    /// How it compiled, as `release`.
    pub compile_flags: Cow<'a, str>,
}

impl Header<'_> {
    /// The header without the bytes it was read from.
    #[must_use]
    pub fn into_owned(self) -> Header<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Header {
            build: Build {
                toolchain: owned(self.build.toolchain),
                target_triple: owned(self.build.target_triple),
                murk_version: owned(self.build.murk_version),
                compile_flags: owned(self.build.compile_flags),
            },
            seed: self.seed,
            config_hash: self.config_hash,
            field_count: self.field_count,
            cell_count: self.cell_count,
            space_descriptor: Cow::Owned(self.space_descriptor.into_owned()),
        }
    }
}

/// One tick: its commands, and the hash of the state that they led to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame<'a> {
    /// Place in the recording, from 0.
    pub index: u64,
    /// Where in the file the frame starts.
    pub offset: u64,
    /// The tick. Ticks rise in a sound recording; the format does not demand it.
    pub tick: u64,
    /// Hash of the state after the tick, see [`snapshot_hash`](crate::snapshot_hash).
    pub snapshot_hash: u64,
    pub(crate) commands: Commands<'a>,
}

impl<'a> Frame<'a> {
    /// The tick's commands in the order they were submitted.
    #[must_use]
    pub const fn commands(&self) -> Commands<'a> {
        self.commands
    }

    /// Bytes the frame takes in the file.
    #[must_use]
    pub const fn size(&self) -> u64 {
        MIN_FRAME_BYTES + self.commands.as_bytes().len() as u64
    }

    /// A finding about this frame.
    #[must_use]
    pub fn finding(&self, rule: Rule) -> Finding {
        Finding::new(rule)
            .at(self.offset)
            .step(self.index)
            .tick(Some(self.tick))
    }

    /// What is wrong with the payload of command `command`, counted from 0, as an error.
    #[must_use]
    pub fn payload_error(&self, command: u32, error: PayloadError) -> Error {
        self.finding(Rule::of_payload(command, error)).into()
    }
}

impl<'a> IntoIterator for Frame<'a> {
    type Item = Command<'a>;
    type IntoIter = CommandIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.commands.iter()
    }
}
