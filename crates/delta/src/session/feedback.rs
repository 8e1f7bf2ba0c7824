//! What a receiver tells its sender.

/// What a receiver tells its sender, over whatever transport.
///
/// Any of them may get lost, repeated or reordered; the newest says all that matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Feedback {
    /// Packets that were applied.
    Ack {
        /// The latest. Its state is kept: the sender may build on it.
        tick: u32,
        /// Those before it: bit i for tick `tick - 1 - i`.
        earlier: u64,
    },
    /// The state of this tick, which a packet builds on, is not there: only a full snapshot helps.
    NeedFull {
        /// The baseline of that packet.
        baseline: u32,
    },
}

impl Feedback {
    /// Bytes of a feedback.
    pub const BYTES: usize = 13;

    /// As bytes, for transports that have no better form: a kind (1 or 2), then little-endian
    /// tick and bits.
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

    /// From bytes; none if they are not of a feedback.
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

    /// The ticks an ack acknowledges, the latest first.
    pub(super) fn ticks(tick: u32, earlier: u64) -> impl Iterator<Item = u32> {
        let before = (0..64_u32)
            .filter(move |bit| earlier >> bit & 1 == 1)
            .filter_map(move |bit| tick.checked_sub(bit + 1));
        core::iter::once(tick).chain(before)
    }
}
