//! The log of the world, which all senders share.

use alloc::vec::Vec;
use core::mem;

use gametape_core::text::Hash;

use super::change::{Head, Span};
use super::lane::Lane;
use super::options::SendError;
use super::scratch::Scratch;
use crate::bits::BitWriter;
use crate::encode::settle_row;
use crate::entity::{Changed, write_create, write_update};
use crate::error::EncodeError;
use crate::schema::{Layout, Schema, ones};
use crate::snapshot::{Row, Snapshot};

/// The state of the world and when each of its values last changed. One world serves the
/// [`Sender`](crate::Sender)s of all receivers.
///
/// ```
/// use gametape_delta::{Codec, Component, Field, Receiver, Schema, Sender, Snapshot, Value, World};
///
/// let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
/// let mut world = World::new(&schema);
/// let mut players: Vec<_> =
///     (0..3).map(|_| (Sender::new(&schema), Receiver::new(&schema))).collect();
/// let mut state = Snapshot::new(&schema, 0);
/// let mut packet = Vec::new();
/// for tick in 1..=10 {
///     state.set_tick(tick);
///     state.entry(7).set(1, &[Value::UInt(tick.into())])?;
///     world.update(&state)?; // once a tick
///     for (sender, receiver) in &mut players {
///         sender.encode(&mut world, &mut packet)?; // for each receiver
///         sender.feedback(&receiver.apply(&packet)?.ack);
///     }
/// }
/// assert!(players.iter().all(|(_, receiver)| receiver.view().same_entities(&state)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Thresholds** are settled here, once for all receivers: a value that differs by no more than
/// its threshold stays as it was. So the error never exceeds the threshold, whatever is lost.
///
/// **Bytes** are encoded once a tick and copied for each receiver, because values of the wire do
/// not depend on a baseline.
#[derive(Clone, Debug)]
pub struct World {
    /// The settled values.
    state: Snapshot,
    heads: Vec<Head>,
    /// When each value last changed.
    changed: Vec<u32>,
    bytes: Bytes,
    pub(super) scratch: Scratch,
    // The memory of the state before.
    spare: (Snapshot, Vec<Head>, Vec<u32>),
}

/// The encoded entities of a tick.
#[derive(Clone, Default, Debug)]
struct Bytes {
    bits: BitWriter,
    /// For each entity, the index of the first of its encodings, plus 1; 0 if there is none.
    first: Vec<u32>,
    all: Vec<Encoded>,
    fields: Vec<Changed>,
}

#[derive(Clone, Copy, Debug)]
struct Encoded {
    /// The oldest change that it contains: [`CREATE`], [`NOTHING`] or a tick. Changes and their
    /// bytes are the same for all receivers between two changes.
    key: u32,
    from: u32,
    to: u32,
    /// The index of the next one, plus 1.
    next: u32,
}

const CREATE: u32 = 0;
const NOTHING: u32 = u32::MAX;

impl World {
    /// Creates an empty world.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self {
            state: Snapshot::new(schema, 0),
            heads: Vec::new(),
            changed: Vec::new(),
            bytes: Bytes::default(),
            scratch: Scratch::default(),
            spare: (Snapshot::new(schema, 0), Vec::new(), Vec::new()),
        }
    }

    /// Returns the schema.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        self.state.schema()
    }

    /// Returns the tick of the last update; 0 before the first.
    #[must_use]
    pub const fn tick(&self) -> u32 {
        self.state.tick()
    }

    /// Returns the state that receivers with every right come to see: the last one, with the values
    /// that thresholds have kept.
    #[must_use]
    pub const fn state(&self) -> &Snapshot {
        &self.state
    }

    /// Takes the state of a new tick. An entity that the last state lacks is new. One that is in
    /// both is the same, unless [`despawn`](Self::despawn) was called in between.
    pub fn update(&mut self, state: &Snapshot) -> Result<(), SendError> {
        self.check(state)?;
        let tick = state.tick();
        let (next, heads, changed) = &mut self.spare;
        next.clear();
        heads.clear();
        changed.clear();
        let schema = self.state.schema().clone();
        let layout = schema.layout();
        let mut before = Lane::new(self.state.rows.iter().zip(&self.heads));
        for row in state.rows.iter() {
            let at = next.len();
            let from = changed.len();
            next.rows.push(row);
            let alike = |(old, _): &(Row<'_>, &Head)| old.mask == row.mask;
            let Some((old, head)) = before.at(row.id).filter(alike) else {
                changed.resize(from + row.codes.len(), tick);
                heads.push(Head {
                    born: tick,
                    changed: tick,
                    from,
                });
                continue;
            };
            if layout.has_thresholds {
                settle_row(layout, old, next.rows.codes_mut(at));
            }
            let now = next.rows.get(at).unwrap_or_default();
            let then = self.changed.get(head.from..).unwrap_or_default();
            let mut newest = head.changed;
            changed.extend(
                old.codes
                    .iter()
                    .zip(now.codes)
                    .zip(then)
                    .map(|((old, new), then)| {
                        if old == new {
                            *then
                        } else {
                            newest = tick;
                            tick
                        }
                    }),
            );
            heads.push(Head {
                born: head.born,
                changed: newest,
                from,
            });
        }
        drop(before);
        next.set_tick(tick);
        mem::swap(&mut self.state, next);
        mem::swap(&mut self.heads, heads);
        mem::swap(&mut self.changed, changed);
        self.bytes.clear(self.state.len());
        Ok(())
    }

    fn check(&self, state: &Snapshot) -> Result<(), SendError> {
        if state.schema().hash() != self.schema().hash() {
            return Err(SendError::Encode(EncodeError::Schema {
                expected: Hash(self.schema().hash()),
                found: Hash(state.schema().hash()),
            }));
        }
        match state.tick() {
            0 => Err(SendError::TickZero),
            tick if tick <= self.tick() => Err(SendError::TickOrder {
                tick,
                last: self.tick(),
            }),
            _ => Ok(()),
        }
    }

    /// Ends an entity. If the next state has one with this id, it is another entity: receivers
    /// destroy the old one and create the new one, also if all values are the same. Returns false
    /// if there is no such entity.
    ///
    /// An entity that is absent from a state is ended without this call.
    pub fn despawn(&mut self, id: u32) -> bool {
        let Ok(at) = self.state.rows.find(id) else {
            return false;
        };
        self.state.rows.remove(at);
        self.heads.remove(at);
        self.bytes.clear(self.state.len());
        true
    }

    pub(super) fn ids(&self) -> &[u32] {
        self.state.ids()
    }

    pub(super) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// Returns where an entity is.
    pub(super) fn find(&self, id: u32) -> Option<usize> {
        self.state.rows.find(id).ok()
    }

    /// Encodes the entity at `at` as a new one.
    pub(super) fn create(&mut self, at: usize) -> Span {
        let row = self.state.rows.get(at).unwrap_or_default();
        let layout = self.state.schema().layout();
        self.bytes
            .get(at, CREATE, |bits, _| write_create(layout, row, bits))
    }

    /// Encodes the changes of the entity at `at` since a tick.
    pub(super) fn changes(&mut self, at: usize, since: u32) -> Span {
        let row = self.state.rows.get(at).unwrap_or_default();
        let layout = self.state.schema().layout();
        let from = self.heads.get(at).map_or(0, |head| head.from);
        let ticks = self.changed.get(from..from + row.codes.len());
        let ticks = ticks.unwrap_or_default();
        let newer = ticks.iter().copied().filter(|tick| *tick > since);
        let key = newer.min().unwrap_or(NOTHING);
        self.bytes.get(at, key, |bits, fields| {
            changed_fields(layout, row.mask, ticks, since, fields);
            write_update(layout, row, fields, bits);
        })
    }

    pub(super) fn bytes(&mut self, (from, to): Span) -> &[u8] {
        let bytes = self.bytes.bits.aligned().get(from as usize..to as usize);
        bytes.unwrap_or_default()
    }
}

/// Collects the fields that changed after a tick.
fn changed_fields(
    layout: &Layout,
    mask: u64,
    mut ticks: &[u32],
    since: u32,
    fields: &mut Vec<Changed>,
) {
    fields.clear();
    for component in ones(mask) {
        let (these, rest) = ticks.split_at(layout.fields(component).len().min(ticks.len()));
        ticks = rest;
        let newer = these.iter().map(|tick| u64::from(*tick > since));
        let mask = newer.fold(0, |mask, newer| mask << 1 | newer);
        if mask != 0 {
            fields.push((component, mask));
        }
    }
}

impl Bytes {
    fn clear(&mut self, entities: usize) {
        self.bits.clear();
        self.all.clear();
        self.first.clear();
        self.first.resize(entities, 0);
    }

    /// Returns the encoding with this key, which `write` makes if it does not exist.
    fn get(
        &mut self,
        at: usize,
        key: u32,
        write: impl FnOnce(&mut BitWriter, &mut Vec<Changed>),
    ) -> Span {
        let first = self.first.get(at).copied().unwrap_or(0);
        let mut next = first;
        while let Some(found) = next.checked_sub(1).and_then(|at| self.all.get(at as usize)) {
            if found.key == key {
                return (found.from, found.to);
            }
            next = found.next;
        }
        let from = self.bits.aligned().len() as u32;
        write(&mut self.bits, &mut self.fields);
        let to = self.bits.aligned().len() as u32;
        self.all.push(Encoded {
            key,
            from,
            to,
            next: first,
        });
        if let Some(first) = self.first.get_mut(at) {
            *first = self.all.len() as u32;
        }
        (from, to)
    }
}
