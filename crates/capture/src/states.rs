//! Encodes states as packets: the first one as a full snapshot, each other one as a delta to the
//! one before.

use std::mem;

use gametape_delta::{EncodeError, Encoder, Error, Limits, Rule, Schema, Snapshot, settle};

use crate::error::CaptureError;

/// The buffers for encoding states.
pub(crate) struct States {
    encoder: Encoder,
    /// The state that a reader has after the last packet.
    held: Option<Snapshot>,
    next: Snapshot,
    packet: Vec<u8>,
}

impl States {
    pub fn new(schema: &Schema) -> Self {
        Self {
            encoder: Encoder::new(schema).limits(Limits::NONE),
            held: None,
            next: Snapshot::new(schema, 0),
            packet: Vec::new(),
        }
    }

    /// Encodes a state as a packet. Values within their thresholds keep their old value.
    ///
    /// # Errors
    /// [`CaptureError::TickOrder`]; [`CaptureError::BadPacket`] for a state of another schema;
    /// [`CaptureError::Write`].
    pub fn encode(&mut self, state: &Snapshot) -> Result<&[u8], CaptureError> {
        self.next.clone_from(state);
        let encoded = match &self.held {
            Some(held) if held.tick() > 0 => {
                settle(held, &mut self.next);
                self.encoder.delta(held, &self.next, &mut self.packet)
            }
            _ => self.encoder.full(&self.next, &mut self.packet),
        };
        match encoded {
            Ok(()) => Ok(&self.packet),
            Err(EncodeError::TickOrder { tick, baseline }) => Err(CaptureError::TickOrder {
                tick,
                last: baseline,
            }),
            Err(EncodeError::Schema { expected, found }) => Err(CaptureError::BadPacket(Error {
                rule: Rule::SchemaHash { expected, found },
                offset: 8,
            })),
            Err(error) => Err(CaptureError::Write(error.to_string())),
        }
    }

    /// Makes the encoded state the one that readers have.
    pub fn advance(&mut self) {
        let schema = self.next.schema().clone();
        let held = self.held.get_or_insert_with(|| Snapshot::new(&schema, 0));
        mem::swap(held, &mut self.next);
    }
}
