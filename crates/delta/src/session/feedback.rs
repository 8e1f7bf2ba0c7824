//! Messages from a receiver to its sender.

/// A message from a receiver to its sender, over any transport.
///
/// Messages may be lost, repeated or reordered; the newest one is sufficient.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Feedback {
    /// Acknowledges packets that were applied.
    Ack {
        /// The newest applied tick. The receiver keeps its state, so the sender may use it as a
        /// baseline.
        tick: u32,
        /// Earlier applied ticks: bit i is for tick `tick - 1 - i`. A packet whose bit is 0 was not
        /// applied, and never will be.
        earlier: u64,
    },
    /// The receiver lacks the baseline of a packet and needs a full snapshot.
    NeedFull {
        /// The tick of that baseline.
        baseline: u32,
    },
}

impl Feedback {
    /// The size of a message in bytes.
    pub const BYTES: usize = 13;

    /// Encodes the message for transports without a better form: a kind (1 or 2), then tick and
    /// bits in little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let (kind, tick, bits) = match *self {
            Self::Ack { tick, earlier } => (1, tick, earlier),
            Self::NeedFull { baseline } => (2, baseline, 0),
        };
        let mut bytes = [0; Self::BYTES];
        let parts = [kind]
            .into_iter()
            .chain(tick.to_le_bytes())
            .chain(bits.to_le_bytes());
        for (to, from) in bytes.iter_mut().zip(parts) {
            *to = from;
        }
        bytes
    }

    /// Decodes a message; `None` if the bytes are not one.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let (kind, rest) = bytes.split_first()?;
        let (tick, earlier) = rest.split_first_chunk::<4>()?;
        let tick = u32::from_le_bytes(*tick);
        let earlier = u64::from_le_bytes(*earlier.first_chunk()?);
        match kind {
            1 => Some(Self::Ack { tick, earlier }),
            2 if earlier == 0 => Some(Self::NeedFull { baseline: tick }),
            _ => None,
        }
    }
}
