//! The log of the world, which all senders share.

use alloc::vec::Vec;
use core::mem;

use gametape_core::text::Hash;

use super::audience::{Audience, Faces, RestrictError, Sees, Stamp, faces};
use super::bytes::{Bytes, parts};
use super::change::{Head, Scratch, Span};
use super::lane::Lane;
use super::model::{REACH, SendError};
use crate::encode::settle_row;
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
    sees: Sees,
    /// Each entity as each audience sees it; empty if all see the same.
    faces: Vec<Faces>,
    /// The groups of entities, by id.
    groups: Vec<(u32, u32)>,
    ended: Ended,
    /// Grows with each change of the state.
    revision: u64,
    bytes: Bytes,
    pub(super) scratch: Scratch,
    // The memory of the state before.
    spare: (Snapshot, Vec<Head>, Vec<u32>, Vec<Faces>),
}

impl World {
    /// Creates an empty world.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self {
            state: Snapshot::new(schema, 0),
            heads: Vec::new(),
            changed: Vec::new(),
            sees: Sees::EVERYTHING,
            faces: Vec::new(),
            groups: Vec::new(),
            ended: Ended::default(),
            revision: 0,
            bytes: Bytes::default(),
            scratch: Scratch::default(),
            spare: (Snapshot::new(schema, 0), Vec::new(), Vec::new(), Vec::new()),
        }
    }

    /// Hides a component, in all entities, from receivers that see them as less than `least`: see
    /// [`Relevance::audience`](crate::Relevance::audience). To be called before the first state.
    pub fn restrict(&mut self, component: u16, least: Audience) -> Result<(), RestrictError> {
        if self.tick() > 0 {
            return Err(RestrictError::Late { tick: self.tick() });
        }
        let found = self.schema().component(component);
        let (index, _) = found.ok_or(RestrictError::UnknownComponent { component })?;
        self.sees.restrict(index, least);
        Ok(())
    }

    pub(super) fn is_restricted(&self) -> bool {
        self.sees != Sees::EVERYTHING
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
        self.ended.forget(tick);
        let is_restricted = self.is_restricted();
        let (next, heads, changed, _) = &mut self.spare;
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
            let found = before.at(row.id);
            let alike = |(old, _): &(Row<'_>, &Head)| old.mask == row.mask;
            let Some((old, head)) = found.filter(alike) else {
                if let Some((old, head)) = found.filter(|_| is_restricted) {
                    let then = self.changed.get(head.from as usize..).unwrap_or_default();
                    let now = next.rows.codes_mut(at);
                    merge(layout, (old, then), (row.mask, now), tick, changed);
                } else {
                    changed.resize(from + row.codes.len(), tick);
                }
                let heir_of = match found {
                    Some((_, head)) => head.heir_of,
                    None => self.ended.born(row.id),
                };
                heads.push(Head {
                    born: tick,
                    changed: tick,
                    from: from as u32,
                    heir_of,
                });
                continue;
            };
            if layout.has_thresholds {
                settle_row(layout, old, next.rows.codes_mut(at));
            }
            let now = next.rows.get(at).unwrap_or_default();
            let then = self.changed.get(head.from as usize..).unwrap_or_default();
            let is_new = compare((old.codes, then), now.codes, tick, changed);
            heads.push(Head {
                born: head.born,
                changed: if is_new { tick } else { head.changed },
                from: from as u32,
                heir_of: head.heir_of,
            });
        }
        drop(before);
        next.set_tick(tick);
        if is_restricted {
            self.look(layout);
        }
        let (next, heads, changed, faces) = &mut self.spare;
        mem::swap(&mut self.state, next);
        mem::swap(&mut self.heads, heads);
        mem::swap(&mut self.changed, changed);
        mem::swap(&mut self.faces, faces);
        // `next` and `heads` are those of the state before now.
        self.ended.note(next, heads, self.state.ids());
        let state = &self.state;
        self.groups.retain(|(id, _)| state.rows.find(*id).is_ok());
        self.begin();
        Ok(())
    }

    /// Finds the faces of all entities of the next state.
    fn look(&mut self, layout: &Layout) {
        let (next, heads, changed, all) = &mut self.spare;
        let tick = next.tick();
        let mut before = Lane::new(self.state.rows.iter().zip(&self.faces));
        all.clear();
        all.extend(next.rows.iter().zip(heads).map(|(row, head)| {
            let ticks = changed.get(head.from as usize..).unwrap_or_default();
            let is_new =
                |(component, ticks): (usize, &[u32])| u64::from(ticks.contains(&tick)) << component;
            let new = parts(layout, row.mask, ticks).map(is_new).sum();
            let before = before.at(row.id).map(|(old, faces)| (old.mask, faces));
            faces(self.sees, row.mask, new, tick, before)
        }));
    }

    /// Forgets what was encoded of another state.
    fn begin(&mut self) {
        self.revision += 1;
        let faces = if self.is_restricted() { 3 } else { 1 };
        self.bytes.clear(self.state.len() * faces);
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
        let head = self.heads.remove(at);
        self.ended.add(id, self.state.tick(), head.born);
        if at < self.faces.len() {
            self.faces.remove(at);
        }
        self.group(id, None);
        self.begin();
        true
    }

    /// Puts an entity into a group, in place of the one that it was in, or into none. It stays there
    /// until it ends; one that is to come with the next state can be in a group already.
    ///
    /// All changes of a group travel together: a receiver sees its entities as they were at one tick,
    /// or none of them. So a player never has a weapon of another moment in his hand. A group that
    /// fits into no packet is [held back](crate::Sent::held_back).
    ///
    /// ```
    /// # use gametape_delta::{Codec, Component, Field, Receiver, Schema, Sender, SenderOptions, Snapshot, Value, World};
    /// # let schema = Schema::new([Component::new(1, [Field::new(1, Codec::VarUInt)])])?;
    /// let mut world = World::new(&schema);
    /// for entity in [7, 8] {
    ///     world.group(entity, Some(1));
    /// }
    /// let mut state = Snapshot::new(&schema, 1);
    /// for entity in 1..=8 {
    ///     state.entry(entity).set(1, &[Value::VarUInt(1_000_000)])?;
    /// }
    /// world.update(&state)?;
    /// // There is room for three of them.
    /// let options = SenderOptions { budget: 60, ..SenderOptions::default() };
    /// let mut sender = Sender::with_options(&schema, options);
    /// let mut receiver = Receiver::new(&schema);
    /// let mut packet = Vec::new();
    /// let weight = |id: u32| if id == 8 { 2 } else { 1 };
    /// sender.encode_visible(&mut world, weight, &mut packet)?;
    /// receiver.apply(&packet)?;
    /// assert_eq!(receiver.view().ids(), [1, 7, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group(&mut self, entity: u32, group: Option<u32>) {
        let found = self.groups.binary_search_by_key(&entity, |(id, _)| *id);
        match (found, group) {
            (Ok(at), None) => drop(self.groups.remove(at)),
            (Err(at), Some(group)) => self.groups.insert(at, (entity, group)),
            (Ok(at), Some(group)) => {
                if let Some(found) = self.groups.get_mut(at) {
                    found.1 = group;
                }
            }
            (Err(_), None) => {}
        }
    }

    pub(super) fn groups(&self) -> &[(u32, u32)] {
        &self.groups
    }

    pub(super) const fn revision(&self) -> u64 {
        self.revision
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

    /// Returns the entity at `at`, which has this head, as an audience sees it.
    pub(super) fn stamp(&self, at: usize, head: &Head, audience: Audience) -> Stamp {
        let found = self.faces.get(at).and_then(|faces| {
            // The receiver sees that face, with its history.
            faces.get(faces.get(audience as usize)?.face as usize)
        });
        Stamp {
            heir_of: head.heir_of,
            ..found.copied().unwrap_or(head.stamp())
        }
    }

    /// Returns the place in `bytes` for a face of the entity at `at`.
    fn place(&self, at: usize, face: Audience) -> usize {
        if self.faces.is_empty() {
            at
        } else {
            at * 3 + face as usize
        }
    }

    /// Encodes the entity at `at` as a new one.
    pub(super) fn create(&mut self, at: usize, face: Audience) -> Span {
        let place = self.place(at, face);
        let row = self.state.rows.get(at).unwrap_or_default();
        let layout = self.state.schema().layout();
        self.bytes.create(place, layout, row, self.sees.of(face))
    }

    /// Encodes the changes of the entity at `at` since a tick.
    pub(super) fn changes(&mut self, at: usize, face: Audience, since: u32) -> Span {
        let place = self.place(at, face);
        let row = self.state.rows.get(at).unwrap_or_default();
        let layout = self.state.schema().layout();
        let from = self.heads.get(at).map_or(0, |head| head.from as usize);
        let ticks = self.changed.get(from..from + row.codes.len());
        let changes = (row, ticks.unwrap_or_default());
        let visible = self.sees.of(face);
        self.bytes.changes(place, layout, changes, visible, since)
    }

    pub(super) fn bytes(&mut self, span: Span) -> &[u8] {
        self.bytes.bytes(span)
    }
}

/// Notes when each value of an entity last changed; returns true if any has.
#[inline(always)]
fn compare((old, then): (&[u64], &[u32]), now: &[u64], tick: u32, changed: &mut Vec<u32>) -> bool {
    let mut is_new = false;
    let values = old.iter().zip(now).zip(then);
    changed.extend(values.map(|((old, new), then)| {
        is_new |= old != new;
        if old == new { *then } else { tick }
    }));
    is_new
}

/// Settles the values of an entity whose components have changed, and notes when each last changed:
/// those of a component that it had before may be older than this tick.
fn merge(
    layout: &Layout,
    (old, then): (Row<'_>, &[u32]),
    (mask, codes): (u64, &mut [u64]),
    tick: u32,
    changed: &mut Vec<u32>,
) {
    let mut codes = codes;
    for component in ones(mask) {
        let plans = layout.fields(component);
        let (own, rest) = codes.split_at_mut(plans.len().min(codes.len()));
        codes = rest;
        if old.mask >> component & 1 == 0 {
            changed.extend(own.iter().map(|_| tick));
            continue;
        }
        let from = layout.offset(old.mask, component);
        let before = old.codes.get(from..).unwrap_or_default();
        let then = then.get(from..).unwrap_or_default();
        let values = own.iter_mut().zip(plans).zip(before).zip(then);
        changed.extend(values.map(|(((code, plan), old), then)| {
            if code.abs_diff(*old) > plan.threshold {
                return tick;
            }
            *code = *old;
            *then
        }));
    }
}

/// An entity that ended. Packets that name it may still be under way.
#[derive(Clone, Copy, Debug)]
struct Past {
    id: u32,
    /// Its last tick.
    last: u32,
    /// See [`Head::born`].
    born: u32,
}

/// These entities, by id.
#[derive(Clone, Default, Debug)]
pub(super) struct Ended(Vec<Past>);

impl Ended {
    fn find(&self, id: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&id, |past| past.id)
    }

    /// Returns since when the entity that had this id existed; 0 if there was none.
    pub fn born(&self, id: u32) -> u32 {
        let found = self.find(id).ok().and_then(|at| self.0.get(at));
        found.map_or(0, |past| past.born)
    }

    pub fn add(&mut self, id: u32, last: u32, born: u32) {
        let past = Past { id, last, born };
        match self.find(id) {
            Ok(at) => {
                if let Some(found) = self.0.get_mut(at) {
                    *found = past;
                }
            }
            Err(at) => self.0.insert(at, past),
        }
    }

    /// Adds the entities of the state before that are not in the present one.
    pub fn note(&mut self, before: &Snapshot, heads: &[Head], now: &[u32]) {
        let mut now = now;
        for (id, head) in before.ids().iter().zip(heads) {
            let later = now.iter().position(|other| other >= id);
            now = now.get(later.unwrap_or(now.len())..).unwrap_or_default();
            if now.first() != Some(id) {
                self.add(*id, before.tick(), head.born);
            }
        }
    }

    /// Forgets those of which no packet can be under way at a tick.
    pub fn forget(&mut self, tick: u32) {
        self.0.retain(|past| tick - past.last <= REACH);
    }
}
