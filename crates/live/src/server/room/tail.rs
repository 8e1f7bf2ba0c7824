//! The records of the segment in the making.

use axum::body::Bytes;
use gametape::core::Stamp;
use gametape_capture::tape::RecordKind;

/// A message with records that are there already has as many as take these bytes: what a socket keeps
/// for the largest that it sent stays small.
const JOINED: usize = 8 << 10;
/// So many messages are told as they are.
const APART: usize = 8;

/// Whole records, one behind the other, that are told together.
#[derive(Default, Debug)]
pub struct Batch {
    pub records: Vec<u8>,
    pub counts: Counts,
}

/// What is said of a segment beside its records.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub keyframes: u64,
    pub packets: u64,
    pub events: u64,
    /// When its first state is, and its last.
    pub from: Option<Stamp>,
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

/// The records since the last segment that is whole.
#[derive(Default, Debug)]
pub struct Tail {
    joined: Vec<Bytes>,
    /// As they were told, behind those.
    told: Vec<Bytes>,
    bytes: usize,
    counts: Counts,
}

impl Tail {
    pub fn push(&mut self, message: Bytes, counts: Counts) {
        self.bytes += message.len();
        self.counts.join(counts);
        self.told.push(message);
    }

    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// All of them, in a few messages: the same ones for all who come now.
    pub fn messages(&mut self) -> Vec<Bytes> {
        if self.told.len() >= APART {
            let mut now = Vec::new();
            for message in self.told.drain(..) {
                if !now.is_empty() && now.len() + message.len() > JOINED {
                    self.joined.push(Bytes::from(std::mem::take(&mut now)));
                }
                now.extend_from_slice(&message);
            }
            self.joined.push(now.into());
        }
        self.joined.iter().chain(&self.told).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_later_gets_the_same_records_in_fewer_messages() {
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
