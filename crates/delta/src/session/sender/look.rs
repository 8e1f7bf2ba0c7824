//! Finds the changes to send.

use alloc::vec::Vec;
use core::iter;

use super::draft::Draft;
use super::history::History;
use super::memory::{Gone, Known, Memory};
use crate::encode::{Changed, changes, settle_row, write_create, write_update};
use crate::error::EncodeError;
use crate::limits::Limit;
use crate::schema::Layout;
use crate::session::candidate::{Candidate, What};
use crate::session::lane::{Lane, soonest};
use crate::session::options::{SendError, SenderOptions};
use crate::snapshot::{Row, Snapshot};

/// An entity of the world or of the baseline, and what the sender knows about it.
struct Sighting<'a> {
    id: u32,
    /// Its row in the world.
    now: Option<Row<'a>>,
    /// Its row in the baseline.
    held: Option<Row<'a>>,
    /// The values that were last sent.
    shown: Option<Row<'a>>,
    known: Option<&'a Known>,
    gone: Option<&'a Gone>,
    /// Whether it was created or destroyed after the baseline and the receiver may have seen that.
    sticky: bool,
}

/// Returns all entities of the world and of the baseline, ascending by id.
fn sightings<'a>(
    world: &'a Snapshot,
    history: &'a History,
    memory: &'a Memory,
) -> impl Iterator<Item = Sighting<'a>> {
    let mut world = Lane::new(world.rows.iter());
    let mut baseline = Lane::new(history.baseline().iter());
    let mut latest = Lane::new(history.latest());
    let mut shown = Lane::new(memory.shown.rows.iter());
    let mut known = Lane::new(&memory.known);
    let mut gone = Lane::new(&memory.gone);
    let mut absent = Lane::new(&memory.absent);
    iter::from_fn(move || {
        let id = soonest([world.next_id(), baseline.next_id()])?;
        let held = baseline.at(id);
        let (absent, latest) = (absent.at(id), latest.at(id));
        Some(Sighting {
            id,
            now: world.at(id),
            held,
            shown: shown.at(id),
            known: known.at(id),
            gone: gone.at(id),
            sticky: match held {
                Some(_) => absent.is_some_and(|(_, tick)| history.is_after_baseline(*tick)),
                None => latest.is_some(),
            },
        })
    })
}

impl Sighting<'_> {
    #[inline]
    const fn candidate(&self, what: What, from: usize, to: usize, priority: u64) -> Candidate {
        Candidate {
            id: self.id,
            what,
            from,
            to,
            sticky: self.sticky,
            priority,
            chosen: false,
        }
    }

    /// Returns the change that gives the receiver the values `settled`, if one is needed. For an
    /// update, fills `changed` with the fields.
    #[inline]
    fn wants(
        &self,
        layout: &Layout,
        settled: Row<'_>,
        known: &Known,
        changed: &mut Vec<Changed>,
    ) -> Option<What> {
        match self.held {
            None => Some(What::Create),
            Some(held) if held.mask != settled.mask => Some(What::Replace),
            Some(held) => {
                let differs = changes(layout, false, held, settled, changed);
                let seen = known.confirmed && self.shown.is_some_and(|shown| shown == settled);
                (differs || !seen || self.sticky).then_some(What::Update)
            }
        }
    }
}

impl Draft {
    /// Finds the changes of all entities that are or were visible.
    pub fn look(
        &mut self,
        world: &Snapshot,
        history: &History,
        memory: &Memory,
        options: &SenderOptions,
        weight: &mut impl FnMut(u32) -> u32,
    ) -> Result<(), SendError> {
        self.clear();
        self.next.heaviest = 1;
        let layout = world.schema().layout();
        for entity in sightings(world, history, memory) {
            let grows = entity.now.map_or(0, |row| weight(row.id));
            self.next.heaviest = self.next.heaviest.max(grows);
            let candidate = match entity.now {
                Some(row) if grows > 0 => self.show(layout, &entity, row, grows),
                _ => self.take_away(&entity, memory.heaviest),
            };
            if let Some(candidate) = candidate {
                candidate.check_alone(options)?;
                self.candidates.push(candidate);
            }
        }
        let (max, found) = (options.limits.max_entities, self.target.len());
        if found > max {
            let limit = Limit::Entities;
            return Err(SendError::Encode(EncodeError::Limit { limit, max, found }));
        }
        Ok(())
    }

    /// Returns the change to send for an entity that the receiver may see.
    #[inline]
    fn show(
        &mut self,
        layout: &Layout,
        entity: &Sighting<'_>,
        row: Row<'_>,
        grows: u32,
    ) -> Option<Candidate> {
        let mut known = entity.known.copied().unwrap_or(Known::new(entity.id));
        let settled = settle(&mut self.target, layout, entity, row);
        let wants = entity.wants(layout, settled, &known, &mut self.changed);
        let candidate = wants.map(|what| {
            known.priority = known.priority.saturating_add(grows.into());
            let from = self.bits.aligned().len();
            if what == What::Update {
                write_update(layout, settled, &self.changed, &mut self.bits);
            } else {
                write_create(layout, settled, &mut self.bits);
            }
            let to = self.bits.aligned().len();
            entity.candidate(what, from, to, known.priority)
        });
        self.next.known.push(known);
        candidate
    }

    /// Returns the destroy to send for an entity that the receiver may no longer see, if the
    /// baseline has it.
    #[inline]
    fn take_away(&mut self, entity: &Sighting<'_>, heaviest: u32) -> Option<Candidate> {
        entity.held?;
        // A destroy is as urgent as the entity with the largest weight, and not more.
        let waited = entity.gone.map_or(0, |gone| gone.priority);
        let priority = waited + u64::from(heaviest);
        self.next.gone.push(Gone {
            id: entity.id,
            priority,
        });
        let at = self.bits.aligned().len();
        Some(entity.candidate(What::Destroy, at, at, priority))
    }
}

/// Adds an entity to `target`, with the values that the receiver should have.
#[inline]
fn settle<'a>(
    target: &'a mut Snapshot,
    layout: &Layout,
    entity: &Sighting<'_>,
    row: Row<'a>,
) -> Row<'a> {
    let at = target.len();
    target.rows.push(row);
    // Packets in flight have different baselines, whose values may differ within the thresholds.
    // With the values that were last sent, all of them lead to the same result.
    if let Some(held) = entity.held {
        let alike = |old: &Row<'_>| old.mask == row.mask;
        if let Some(old) = entity.shown.filter(alike).or(Some(held).filter(alike)) {
            settle_row(layout, old, target.rows.codes_mut(at));
        }
    }
    target.rows.get(at).unwrap_or(row)
}
