//! What a recording says once, as plain data.

use std::borrow::Cow;

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
