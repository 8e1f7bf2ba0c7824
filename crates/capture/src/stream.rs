//! One view of packets, whatever they are recorded in.

use gametape_delta::wire::Header;
use gametape_delta::{Kind, Schema, Snapshot};

use crate::cursor::Cursor;
use crate::error::CaptureError;
use crate::file::DeltaFile;
use crate::layout::Role;
use crate::reader::Capture;
use crate::replay::{Later, Replay};
use crate::seek::{self, Entry};

/// Packets of a stream, recorded in any way.
#[derive(Debug)]
pub enum Packets<'a> {
    /// In a capture.
    Capture(Box<Capture<'a>>),
    /// In a file, or in files that were put one behind the other.
    Delta(DeltaFile<'a>),
}

impl Packets<'_> {
    /// Their schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        match self {
            Self::Capture(capture) => capture.schema(),
            Self::Delta(file) => file.schema(),
        }
    }

    /// The length of a tick in nanoseconds, where it is known.
    #[must_use]
    pub fn tick_ns(&self) -> Option<u64> {
        match self {
            Self::Capture(capture) => capture.tick_ns(),
            Self::Delta(_) => None,
        }
    }

    /// All packets, in the order of the recording.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'_> {
        match self {
            Self::Capture(capture) => capture.packets(),
            Self::Delta(file) => Cursor::of_delta(file),
        }
    }

    /// The state at the latest recorded tick that is not after `tick`.
    ///
    /// # Errors
    /// [`CaptureError::NoState`] before the first full snapshot; [`CaptureError::Unreachable`]
    /// where a baseline is not recorded; what is wrong with a packet that is needed.
    pub fn state_at(&self, tick: u32) -> Result<Snapshot, CaptureError> {
        match self {
            Self::Capture(capture) => capture.state_at(tick),
            Self::Delta(file) => {
                let mut cursor = Cursor::of_delta(file);
                let mut entries = Vec::new();
                let mut first = None;
                loop {
                    // What is damaged is not needed, or the search says that it is.
                    let packet = match cursor.next_packet() {
                        Ok(Some(packet)) => packet,
                        Ok(None) => break,
                        Err(_) => continue,
                    };
                    let Ok((header, _)) = Header::read(packet.bytes) else {
                        continue;
                    };
                    if header.kind == Kind::Full {
                        first.get_or_insert(header.tick);
                    }
                    if header.tick > tick {
                        break;
                    }
                    entries.push(Entry {
                        tick: header.tick,
                        baseline: header.baseline(),
                        chunk: 0,
                        at: packet.offset as usize,
                        len: packet.bytes.len(),
                        index: packet.index,
                    });
                }
                let Some(chain) = seek::chain(&entries) else {
                    return Err(CaptureError::NoState { tick, first });
                };
                let chain = match chain {
                    Ok(chain) => chain,
                    Err(_) if first.is_none_or(|first| first > tick) => {
                        return Err(CaptureError::NoState { tick, first });
                    }
                    Err(missing) => return Err(missing.error()),
                };
                let mut states = seek::States::new(file.schema());
                for at in chain {
                    if let Some(entry) = entries.get(at) {
                        states.apply(entry, entry.at as u64, file.packet(entry))?;
                    }
                }
                Ok(states.into_state())
            }
        }
    }

    /// A replay of these packets that holds each state as long as a later packet builds on it,
    /// and no longer; for that all headers are read first.
    #[must_use]
    pub fn replay(&self) -> Replay {
        let mut later = Later::default();
        let mut cursor = self.cursor();
        loop {
            match cursor.next_packet() {
                Ok(None) => break,
                Ok(Some(packet)) if packet.role != Role::Added => {
                    if let Ok((header, _)) = Header::read(packet.bytes) {
                        later.push(packet.index, &header);
                    }
                }
                Ok(Some(_)) | Err(_) => {}
            }
        }
        Replay::looking_ahead(self.schema(), later)
    }
}
