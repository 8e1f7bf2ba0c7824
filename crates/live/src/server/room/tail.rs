//! The records of the unfinished segment.

use axum::body::Bytes;
use gametape::core::Stamp;
use gametape_capture::tape::RecordKind;

/// The most bytes of a message with older records: a socket keeps a buffer for the largest message that it
/// sent, which has to stay small.
const JOINED: usize = 8 << 10;
/// From so many recent messages on, they are joined into larger ones.
const APART: usize = 8;

/// Whole records, one after the other, that are sent together.
#[derive(Default, Debug)]
pub struct Batch {
    pub records: Vec<u8>,
    pub counts: Counts,
}

/// The numbers of a segment's records, and its first and last moment.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub keyframes: u64,
    pub packets: u64,
    pub events: u64,
    /// The moment of the first state.
    pub from: Option<Stamp>,
    /// The moment of the last state.
    pub to: Option<Stamp>,
}

impl Counts {
    pub fn take(&mut self, kind: RecordKind, stamp: Option<Stamp>) {
        match kind {
            RecordKind::Keyframe => self.keyframes += 1,
            RecordKind::Packet => self.packets += 1,
            RecordKind::Event => self.events += 1,
            RecordKind::Label => {}
        }
        if matches!(kind, RecordKind::Keyframe | RecordKind::Packet) {
            self.from = self.from.or(stamp);
            self.to = stamp.or(self.to);
        }
    }

    fn join(&mut self, next: Self) {
        self.keyframes += next.keyframes;
        self.packets += next.packets;
        self.events += next.events;
        self.from = self.from.or(next.from);
        self.to = next.to.or(self.to);
    }
}

/// The records since the last finished segment.
#[derive(Default, Debug)]
pub struct Tail {
    joined: Vec<Bytes>,
    /// The messages after those, as they were sent.
    recent: Vec<Bytes>,
    bytes: usize,
    counts: Counts,
}

impl Tail {
    pub fn push(&mut self, message: Bytes, counts: Counts) {
        self.bytes += message.len();
        self.counts.join(counts);
        self.recent.push(message);
    }

    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns all records in a few messages, which are shared by all viewers that join now.
    pub fn messages(&mut self) -> Vec<Bytes> {
        if self.recent.len() >= APART {
            let mut now = Vec::new();
            for message in self.recent.drain(..) {
                if !now.is_empty() && now.len() + message.len() > JOINED {
                    self.joined.push(Bytes::from(std::mem::take(&mut now)));
                }
                now.extend_from_slice(&message);
            }
            self.joined.push(now.into());
        }
        self.joined.iter().chain(&self.recent).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_viewers_get_the_same_records_in_fewer_messages() {
        let mut tail = Tail::default();
        let mut all = Vec::new();
        for at in 0..500_u32 {
            let record = vec![at as u8; 1 + (at as usize * 37) % 300];
            all.extend_from_slice(&record);
            let mut counts = Counts::default();
            counts.take(RecordKind::Packet, None);
            tail.push(record.into(), counts);
            if at % 7 != 0 {
                continue;
            }
            let messages = tail.messages();
            assert_eq!(messages.concat(), all);
            assert!(messages.len() < 12 + all.len() / 1000, "{at}");
            assert!(messages.iter().all(|message| message.len() <= JOINED));
        }
        assert_eq!((tail.bytes(), tail.counts().packets), (all.len(), 500));
    }
}
