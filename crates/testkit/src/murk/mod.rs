//! The origin of Murk's format, `murk-replay` 0.1.9, beside ours: commands, recordings and states in a form
//! that both can express, and comparisons of what both read.

mod command;

pub use command::{Body, Typed, same_typed, serialized, stored};
use std::io;

use gametape_murk::{Build, Error, Fed, Feed, Header, Reader, Rule, read};
use murk_core::id::{FieldId, ParameterVersion, TickId, WorldGenerationId};
use murk_core::traits::SnapshotAccess;
use murk_replay::{
    BuildMetadata, Frame as OriginFrame, InitDescriptor, ReplayError, ReplayReader, ReplayWriter,
};

/// A recording as the origin holds it.
#[derive(Clone, PartialEq, Debug)]
pub struct Tape {
    /// The build of the recorder.
    pub meta: BuildMetadata,
    /// The world.
    pub init: InitDescriptor,
    /// The frames.
    pub frames: Vec<OriginFrame>,
}

impl Tape {
    /// The header as ours.
    pub fn header(&self) -> Header<'_> {
        Header {
            build: Build {
                toolchain: self.meta.toolchain.as_str().into(),
                target_triple: self.meta.target_triple.as_str().into(),
                murk_version: self.meta.murk_version.as_str().into(),
                compile_flags: self.meta.compile_flags.as_str().into(),
            },
            seed: self.init.seed,
            config_hash: self.init.config_hash,
            field_count: self.init.field_count,
            cell_count: self.init.cell_count,
            space_descriptor: self.init.space_descriptor.as_slice().into(),
        }
    }

    /// The bytes that the origin writes.
    pub fn by_origin(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = ReplayWriter::new(&mut bytes, &self.meta, &self.init).unwrap();
        for frame in &self.frames {
            writer.write_raw_frame(frame).unwrap();
        }
        drop(writer);
        bytes
    }

    /// The number of bytes before the first frame.
    pub fn header_size(&self) -> usize {
        let tape = Self {
            frames: vec![],
            ..self.clone()
        };
        tape.by_origin().len()
    }

    /// Reads bytes with the origin.
    pub fn from_origin(bytes: &[u8]) -> Result<Self, ReplayError> {
        let reader = ReplayReader::open(bytes)?;
        Ok(Self {
            meta: reader.metadata().clone(),
            init: reader.init_descriptor().clone(),
            frames: reader.frames().collect::<Result<_, _>>()?,
        })
    }
}

/// The parts of a header as the origin takes them.
pub fn origin_header(header: &Header<'_>) -> (BuildMetadata, InitDescriptor) {
    let build = &header.build;
    (
        BuildMetadata {
            toolchain: build.toolchain.to_string(),
            target_triple: build.target_triple.to_string(),
            murk_version: build.murk_version.to_string(),
            compile_flags: build.compile_flags.to_string(),
        },
        InitDescriptor {
            seed: header.seed,
            config_hash: header.config_hash,
            field_count: header.field_count,
            cell_count: header.cell_count,
            space_descriptor: header.space_descriptor.to_vec(),
        },
    )
}

/// A frame of ours, as the origin's.
pub fn origin_frame(frame: &gametape_murk::Frame<'_>) -> OriginFrame {
    OriginFrame {
        tick_id: frame.tick,
        commands: frame
            .commands()
            .iter()
            .map(|command| serialized(&command))
            .collect(),
        snapshot_hash: frame.snapshot_hash,
    }
}

/// The whole frames that a reader gave, and how it ended.
#[derive(PartialEq, Debug)]
pub struct Seen {
    /// The whole frames.
    pub frames: Vec<OriginFrame>,
    /// How it ended.
    pub end: End,
}

/// The classes of errors of formats/murk.md, "Errors of the origin".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// At the end of the file.
    Clean,
    /// Within a frame or the header.
    Truncated,
    /// Another format.
    Magic,
    /// Another version.
    Version(u8),
    /// Any other error.
    Malformed,
}

/// The class of an error of the origin's.
pub fn class_of_origin(error: &ReplayError) -> End {
    match error {
        ReplayError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => End::Truncated,
        ReplayError::InvalidMagic => End::Magic,
        ReplayError::UnsupportedVersion { found } => End::Version(*found),
        // 1 to 7 bytes of the tick.
        ReplayError::MalformedFrame { detail } if detail.starts_with("truncated frame header") => {
            End::Truncated
        }
        ReplayError::MalformedFrame { .. } => End::Malformed,
        other => panic!("the origin's reader does not raise this: {other:?}"),
    }
}

/// The class of an error of ours.
pub fn class_of_ours(error: &Error) -> End {
    match error.rule() {
        Some(Rule::Magic { .. }) => End::Magic,
        Some(Rule::Version { found }) => End::Version(*found),
        Some(_) if error.is_truncated() => End::Truncated,
        Some(_) => End::Malformed,
        None => panic!("our reader does not raise this: {error:?}"),
    }
}

/// What the origin's reader gives.
pub fn seen_by_origin(bytes: &[u8]) -> Seen {
    let mut frames = Vec::new();
    let mut look = || -> Result<(), ReplayError> {
        for frame in ReplayReader::open(bytes)?.frames() {
            frames.push(frame?);
        }
        Ok(())
    };
    let end = look().map_or_else(|error| class_of_origin(&error), |()| End::Clean);
    Seen { frames, end }
}

/// What one of our readers gives.
fn seen_by_ours(look: impl FnOnce(&mut Vec<OriginFrame>) -> Result<(), Error>) -> Seen {
    let mut frames = Vec::new();
    let end = look(&mut frames).map_or_else(|error| class_of_ours(&error), |()| End::Clean);
    Seen { frames, end }
}

/// What our reader of a slice gives.
pub fn seen_by_slice(bytes: &[u8]) -> Seen {
    seen_by_ours(|frames| {
        for frame in read(bytes)?.frames() {
            frames.push(origin_frame(&frame?));
        }
        Ok(())
    })
}

/// What our reader of a stream gives.
pub fn seen_by_stream(bytes: &[u8]) -> Seen {
    seen_by_ours(|frames| {
        let mut reader = Reader::new(bytes);
        while let Some(frame) = reader.next_frame()? {
            frames.push(origin_frame(&frame));
        }
        Ok(())
    })
}

/// What our feed gives for pieces of so many bytes.
pub fn seen_by_feed(bytes: &[u8], piece: usize) -> Seen {
    seen_by_ours(|frames| {
        let mut feed = Feed::new();
        for piece in bytes.chunks(piece).chain([[].as_slice()]) {
            feed.push(piece);
            if piece.is_empty() {
                feed.finish();
            }
            while let Fed::Item(frame) = feed.next_frame()? {
                frames.push(origin_frame(&frame));
            }
        }
        Ok(())
    })
}

/// Reads with all readers, which give the same, and returns it.
#[track_caller]
pub fn seen(bytes: &[u8], what: &dyn Fn() -> String) -> Seen {
    let origin = seen_by_origin(bytes);
    assert_eq!(seen_by_slice(bytes), origin, "slice, {}", what());
    assert_eq!(seen_by_stream(bytes), origin, "stream, {}", what());
    assert_eq!(seen_by_feed(bytes, 7), origin, "feed, {}", what());
    origin
}

/// A state as the origin takes it: the values of each field, for the fields that exist.
#[derive(Clone, Debug)]
pub struct Fields<V>(pub Vec<Option<V>>);

impl<V: AsRef<[f32]>> SnapshotAccess for Fields<V> {
    fn read_field(&self, field: FieldId) -> Option<&[f32]> {
        Some(self.0.get(field.0 as usize)?.as_ref()?.as_ref())
    }

    fn tick_id(&self) -> TickId {
        TickId(77)
    }

    fn world_generation_id(&self) -> WorldGenerationId {
        WorldGenerationId(78)
    }

    fn parameter_version(&self) -> ParameterVersion {
        ParameterVersion(79)
    }
}

impl<V: AsRef<[f32]>> Fields<V> {
    /// The values of each field; none for a field that does not exist.
    pub fn slices(&self) -> impl Iterator<Item = &[f32]> {
        self.0
            .iter()
            .map(|field| field.as_ref().map_or(&[][..], AsRef::as_ref))
    }

    /// The hash that the origin gives.
    pub fn origin_hash(&self) -> u64 {
        murk_replay::snapshot_hash(self, self.0.len() as u32)
    }
}
