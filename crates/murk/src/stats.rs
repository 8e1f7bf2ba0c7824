//! Counting what is in a recording.

use std::collections::BTreeMap;

use crate::frame::Frame;
use crate::payload::Payload;

/// Sources that are counted one by one; the commands of others are counted together.
pub const MAX_SOURCES: usize = 65_536;

/// What a recording consists of.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    /// Frames, a tick each.
    pub frames: u64,
    /// The `tick_id` of the first frame; `None` without frames.
    pub first_tick: Option<u64>,
    /// The `tick_id` of the last frame, which need not be the highest; `None` without frames.
    pub last_tick: Option<u64>,
    /// Commands of all ticks.
    pub commands: u64,
    /// Commands of each kind, by the payload's tag.
    pub kinds: [u64; Payload::NAMES.len()],
    /// Commands whose payload has no typed form.
    pub unreadable: u64,
    /// Commands of each source.
    pub sources: BTreeMap<u64, u64>,
    /// Commands without a source.
    pub anonymous: u64,
    /// Commands of sources beyond [`MAX_SOURCES`].
    pub other_sources: u64,
    /// Ticks without commands.
    pub idle_frames: u64,
    /// The most commands of one tick.
    pub max_commands: u64,
    /// Commands that had expired when they were submitted (by the engine's own count of ticks,
    /// from 1): they were never applied.
    pub expired: u64,
    /// Commands that expire at all.
    pub expiring: u64,
    /// Bytes of all payloads.
    pub payload_bytes: u64,
}

impl Stats {
    /// Counts a frame.
    pub fn push(&mut self, frame: &Frame<'_>) {
        self.frames += 1;
        self.first_tick.get_or_insert(frame.tick);
        self.last_tick = Some(frame.tick);
        let commands = frame.commands();
        let count = commands.len() as u64;
        self.commands += count;
        self.idle_frames += u64::from(count == 0);
        self.max_commands = self.max_commands.max(count);
        for command in commands {
            self.payload_bytes += command.payload.len() as u64;
            match command.payload() {
                Ok(payload) => {
                    if let Some(kind) = self.kinds.get_mut(usize::from(payload.tag())) {
                        *kind += 1;
                    }
                }
                Err(_) => self.unreadable += 1,
            }
            let envelope = &command.envelope;
            self.expiring += u64::from(envelope.expires_after_tick != u64::MAX);
            self.expired += u64::from(envelope.expires_after_tick <= frame.index);
            match envelope.source_id {
                None => self.anonymous += 1,
                Some(source) => {
                    let full = self.sources.len() >= MAX_SOURCES;
                    match self.sources.get_mut(&source) {
                        Some(count) => *count += 1,
                        None if full => self.other_sources += 1,
                        None => {
                            self.sources.insert(source, 1);
                        }
                    }
                }
            }
        }
    }

    /// Commands of a tick, on average.
    #[must_use]
    pub fn commands_per_frame(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.commands as f64 / self.frames as f64)
    }
}
