//! Merged states: all that has arrived.

use alloc::vec::Vec;
use core::mem;

use super::events::{Becomes, Names, Seen, ViewEvent, note};
use crate::limits::{Limit, Limits};
use crate::rule::{Error, Rule};
use crate::schema::Schema;
use crate::session::lane::{Lane, soonest};
use crate::snapshot::{Row, Snapshot};

/// The data that belongs to the newest merged state, which is the view unless late packets brought
/// something.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    /// The ticks of each entity's values in the newest state.
    seen: Vec<Seen>,
    next_seen: Vec<Seen>,
    /// The result of a packet, applied to its baseline; empty between packets.
    pub decoded: Snapshot,
    late: Late,
}

/// The entities of which a late packet brought newer values than the newest state has. The sender
/// believes these to be lost, so that they are shown, but no packet builds on them. It names the
/// entities again.
#[derive(Clone, Debug)]
struct Late {
    state: Snapshot,
    seen: Vec<Seen>,
    /// The newest state with these values.
    view: Snapshot,
    next_state: Snapshot,
    next_seen: Vec<Seen>,
}

impl Late {
    fn lane(&self) -> Lane<impl Iterator<Item = (Row<'_>, &Seen)>> {
        Lane::new(self.state.rows.iter().zip(&self.seen))
    }

    fn seen(&self, id: u32) -> Option<Seen> {
        let at = self.state.ids().binary_search(&id).ok()?;
        self.seen.get(at).copied()
    }

    fn clear(&mut self) {
        self.state.clear();
        self.seen.clear();
    }

    /// Exchanges the lists for the next ones, and makes the view.
    fn swap(&mut self, newest: &Snapshot) {
        mem::swap(&mut self.state, &mut self.next_state);
        mem::swap(&mut self.seen, &mut self.next_seen);
        self.next_state.clear();
        self.next_seen.clear();
        if self.seen.is_empty() {
            return;
        }
        self.view.clone_from(newest);
        for row in self.state.rows.iter() {
            if let Ok(at) = self.view.rows.find(row.id) {
                self.view.rows.codes_mut(at).copy_from_slice(row.codes);
            }
        }
    }
}

impl Merged {
    pub fn new(schema: &Schema) -> Self {
        Self {
            seen: Vec::new(),
            next_seen: Vec::new(),
            decoded: Snapshot::new(schema, 0),
            late: Late {
                state: Snapshot::new(schema, 0),
                seen: Vec::new(),
                view: Snapshot::new(schema, 0),
                next_state: Snapshot::new(schema, 0),
                next_seen: Vec::new(),
            },
        }
    }

    pub fn clear(&mut self) {
        self.seen.clear();
        self.decoded.clear();
        // It is the view now.
        self.decoded.set_tick(0);
        self.late.clear();
    }

    /// Returns the view.
    pub fn view<'a>(&'a self, newest: Option<&'a Snapshot>) -> &'a Snapshot {
        if self.late.seen.is_empty() {
            newest.unwrap_or(&self.decoded)
        } else {
            &self.late.view
        }
    }

    /// Returns the ticks of the entity at `at` of the view.
    pub fn seen(&self, at: usize, id: u32) -> Option<Seen> {
        let late = self.late.seen(id);
        late.or_else(|| self.seen.get(at).copied())
    }

    /// Shows a full snapshot in place of the view.
    pub fn begin(
        &mut self,
        newest: Option<&Snapshot>,
        state: &Snapshot,
        events: &mut Vec<ViewEvent>,
    ) {
        let tick = state.tick();
        let mut next_seen = mem::take(&mut self.next_seen);
        next_seen.clear();
        let old = self.view(newest);
        let mut olds = Lane::new(old.rows.iter().zip(0..));
        let mut news = Lane::new(state.rows.iter());
        while let Some(id) = soonest([olds.next_id(), news.next_id()]) {
            let (old, new) = (olds.at(id), news.at(id));
            let row = old.map(|(row, _)| row);
            let becomes = note(events, state.schema(), row, new, false);
            if new.is_some() {
                let before = old.and_then(|(_, at)| self.seen(at, id));
                next_seen.push(Seen::after(before, tick, becomes, tick));
            }
        }
        drop(olds);
        self.next_seen = mem::replace(&mut self.seen, next_seen);
        self.late.clear();
    }

    /// Merges what the packet names and destroys into the newest state. After an error nothing has
    /// changed.
    pub fn merge(
        &mut self,
        (baseline, newest): (&Snapshot, &Snapshot),
        names: &mut Names,
        limits: Limits,
        next: &mut Snapshot,
        events: &mut Vec<ViewEvent>,
    ) -> Result<(), Error> {
        let tick = self.decoded.tick();
        next.set_tick(tick);
        self.next_seen.clear();
        let mut late = self.late.lane();
        let mut decoded = Lane::new(self.decoded.rows.iter());
        let Names {
            named,
            destroyed,
            gaps,
            ..
        } = names;
        let (mut named, mut destroyed) = (Lane::new(&*named), Lane::new(&*destroyed));
        let from = baseline.tick();
        let mut baseline = Lane::new(baseline.rows.iter());
        let mut newest = Lane::new(newest.rows.iter().zip(&self.seen));
        while let Some(id) = soonest([newest.next_id(), named.next_id()]) {
            let (seen, ends) = (newest.at(id), destroyed.at(id).is_some());
            let is_named = named.at(id).is_some();
            if !is_named && !ends {
                if let Some((row, seen)) = seen {
                    next.rows.push(row);
                    self.next_seen.push(*seen);
                }
                continue;
            }
            let shown = late.at(id).or(seen);
            let old = shown.map(|(row, _)| row);
            let new = decoded.at(id).filter(|_| is_named);
            let before = shown.map(|(_, seen)| *seen);
            let held = baseline.at(id);
            let other = before.zip(new).filter(|_| ends);
            let other = other.is_some_and(|(seen, new)| seen.ends(held, from, new));
            let becomes = note(events, self.decoded.schema(), old, new, other);
            if let Some(row) = new {
                let moves = |seen: &Seen| becomes == Becomes::Changed && seen.at == seen.changed_at;
                if let Some(before) = before.filter(moves) {
                    gaps.push(tick - before.at);
                }
                next.rows.push(row);
                let born = held.filter(|_| !ends).map_or(tick, |_| from);
                self.next_seen
                    .push(Seen::after(before, tick, becomes, born));
            }
        }
        drop((late, decoded, baseline, newest));
        self.decoded.clear();
        let (max, found) = (limits.max_entities, next.len());
        if found > max {
            let limit = Limit::Entities;
            return Err(Error::new(Rule::Limit { limit, max, found }, 0));
        }
        mem::swap(&mut self.seen, &mut self.next_seen);
        self.forget_late(next);
        Ok(())
    }

    /// Forgets late values of entities that the newest state has newer ones of, or lacks.
    fn forget_late(&mut self, newest: &Snapshot) {
        if self.late.seen.is_empty() {
            return;
        }
        let Late {
            state,
            seen,
            next_state,
            next_seen,
            ..
        } = &mut self.late;
        let mut states = Lane::new(newest.rows.iter().zip(&self.seen));
        for (row, seen) in state.rows.iter().zip(&*seen) {
            if states.at(row.id).is_some_and(|(_, now)| now.at < seen.at) {
                next_state.rows.push(row);
                next_seen.push(*seen);
            }
        }
        drop(states);
        self.late.swap(newest);
    }

    /// Takes from a late packet the entities that it updates and that are shown with older values.
    /// A packet with creates or destroys is left alone: the sender would never destroy what it
    /// believes not to be here, nor name again what it believes to be here. A part of it would show
    /// members of a group as of different moments.
    pub fn take_late(&mut self, newest: &Snapshot, names: &mut Names, events: &mut Vec<ViewEvent>) {
        let tick = self.decoded.tick();
        let schema = self.decoded.schema();
        let Late {
            state,
            seen,
            next_state,
            next_seen,
            ..
        } = &mut self.late;
        let mut decoded = Lane::new(self.decoded.rows.iter());
        let mut states = Lane::new(newest.rows.iter().zip(&self.seen));
        let mut late = Lane::new(state.rows.iter().zip(&*seen));
        let mut named = Lane::new(&names.named);
        while let Some(id) = soonest([late.next_id(), named.next_id()]) {
            let (held, state, new) = (late.at(id), states.at(id), decoded.at(id));
            let is_named = named.at(id).is_some();
            let Some((row, seen)) = held.or(state) else {
                continue;
            };
            let is_newer = |new: &Row<'_>| seen.at < tick && row.mask == new.mask;
            if let Some(new) = new.filter(|_| is_named).filter(is_newer) {
                let becomes = note(events, schema, Some(row), Some(new), false);
                next_state.rows.push(new);
                next_seen.push(Seen::after(Some(*seen), tick, becomes, tick));
            } else if held.is_some() {
                next_state.rows.push(row);
                next_seen.push(*seen);
            }
        }
        drop((decoded, states, late));
        self.decoded.clear();
        self.late.swap(newest);
        let late = &self.late;
        names
            .named
            .retain(|id| late.seen(*id).is_some_and(|seen| seen.at == tick));
    }
}
