//! Counts the content of a recording.

use std::collections::BTreeMap;

use crate::layout::Frame;
use crate::model::payload::Payload;

/// The number of sources that are counted one by one; the commands of others are counted together.
pub const MAX_SOURCES: usize = 65_536;

/// The counts of a recording.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    /// The number of frames, which is the number of ticks.
    pub frames: u64,
    /// The `tick_id` of the first frame; `None` without frames.
    pub first_tick: Option<u64>,
    /// The `tick_id` of the last frame, which need not be the highest; `None` without frames.
    pub last_tick: Option<u64>,
    /// The number of commands of all ticks.
    pub commands: u64,
    /// The number of commands of each kind, by the payload's tag.
    pub kinds: [u64; Payload::NAMES.len()],
    /// The number of commands whose payload has no typed form.
    pub unreadable: u64,
    /// The number of commands of each source.
    pub sources: BTreeMap<u64, u64>,
    /// The number of commands without a source.
    pub anonymous: u64,
    /// The number of commands of sources beyond [`MAX_SOURCES`].
    pub other_sources: u64,
    /// The number of ticks without commands.
    pub idle_frames: u64,
    /// The highest number of commands in a tick.
    pub max_commands: u64,
    /// The number of commands that had expired when they were submitted (by the engine's own count
    /// of ticks, from 1), so that they were never applied.
    pub expired: u64,
    /// The number of commands with an expiry.
    pub expiring: u64,
    /// The size of all payloads, in bytes.
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

    /// Returns the average number of commands in a tick.
    #[must_use]
    pub fn commands_per_frame(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.commands as f64 / self.frames as f64)
    }
}
