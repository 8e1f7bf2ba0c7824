//! What there is to say, and how much of it goes into the packet.

use super::{Sender, skip};
use crate::encode::{changes, settle_row, write_create, write_update};
use crate::error::EncodeError;
use crate::limits::Limit;
use crate::schema::Layout;
use crate::session::budget::{Budget, DESTROY_BYTES};
use crate::session::candidate::{Candidate, Gone, Known, What};
use crate::session::options::SendError;
use crate::snapshot::{Row, Snapshot};
use crate::wire::Tag;

impl Sender {
    /// Finds what there is to say, of all entities that are or were visible.
    pub(super) fn look(
        &mut self,
        layout: &Layout,
        world: &Snapshot,
        weight: &mut impl FnMut(u32) -> u32,
    ) -> Result<(), SendError> {
        self.next_known.clear();
        self.next_gone.clear();
        self.target.clear();
        self.candidates.clear();
        self.bits.clear();
        let baseline = self.acked.and_then(|tick| self.states.get(tick));
        let (mut held_at, mut known_at, mut shown_at, mut gone_at) = (0, 0, 0, 0);
        let last = self.states.latest().map_or(&[][..], Snapshot::ids);
        let (mut last_at, mut absent_at) = (0, 0);
        let mut heaviest = 1;
        let mut rows = world.rows.iter().peekable();
        loop {
            let held = baseline.and_then(|baseline| baseline.rows.get(held_at));
            let row = match (rows.peek(), held) {
                (None, None) => break,
                (Some(row), Some(held)) if held.id < row.id => None,
                (row, _) => row.copied(),
            };
            rows.next_if(|next| row.is_some_and(|row| row.id == next.id));
            let id = row.or(held).map_or(0, |row| row.id);
            let held = held.filter(|held| held.id == id);
            held_at += usize::from(held.is_some());
            let grows = row.map_or(0, |row| weight(row.id));
            heaviest = heaviest.max(grows);
            gone_at += skip(self.gone.get(gone_at..), |gone| gone.id < id);
            let gone = self.gone.get(gone_at).filter(|gone| gone.id == id);
            last_at += skip(last.get(last_at..), |last| *last < id);
            absent_at += skip(self.absent.get(absent_at..), |(absent, _)| *absent < id);
            let absent = self
                .absent
                .get(absent_at)
                .filter(|(absent, _)| *absent == id);
            let sticky = if held.is_some() {
                absent.is_some_and(|(_, tick)| Some(*tick) > self.acked)
            } else {
                last.get(last_at) == Some(&id)
            };
            let Some(row) = row.filter(|_| grows > 0) else {
                if held.is_some() {
                    // What is no more matters as much as anything, and no more.
                    let grows = u64::from(self.heaviest);
                    let priority = gone.map_or(0, |gone| gone.priority) + grows;
                    self.next_gone.push(Gone { id, priority });
                    let from = self.bits.aligned().len();
                    let candidate = Candidate {
                        id,
                        what: What::Destroy,
                        from,
                        to: from,
                        sticky,
                        priority,
                        chosen: false,
                    };
                    self.check_alone(&candidate)?;
                    self.candidates.push(candidate);
                }
                continue;
            };
            known_at += skip(self.known.get(known_at..), |known| known.id < id);
            let mut known = match self.known.get(known_at) {
                Some(known) if known.id == id => *known,
                _ => Known {
                    id,
                    since: 0,
                    confirmed: false,
                    priority: 0,
                },
            };
            shown_at += skip(self.shown.ids().get(shown_at..), |shown| *shown < id);
            let shown = self.shown.rows.get(shown_at).filter(|shown| shown.id == id);
            self.target.rows.push(row);
            // Packets in flight build on several states, whose values may differ within the
            // thresholds: what was said last is what all of them come to.
            let alike = |old: &Row<'_>| held.is_some() && old.mask == row.mask;
            if let Some(old) = shown.filter(alike).or(held.filter(alike)) {
                let last = self.target.len() - 1;
                settle_row(layout, old, self.target.rows.codes_mut(last));
            }
            let settled = self.target.rows.get(self.target.len() - 1).unwrap_or(row);
            let from = self.bits.aligned().len();
            let what = match held {
                None => Some(What::Create),
                Some(held) if held.mask != row.mask => Some(What::Replace),
                Some(held) => {
                    let differs = changes(layout, false, held, settled, &mut self.changed);
                    let seen = known.confirmed && shown.is_some_and(|s| s == settled);
                    (differs || !seen || sticky).then_some(What::Update)
                }
            };
            if let Some(what) = what {
                known.priority = known.priority.saturating_add(grows.into());
                match what {
                    What::Update => {
                        write_update(layout, settled, &self.changed, &mut self.bits);
                    }
                    _ => write_create(layout, settled, &mut self.bits),
                }
                let candidate = Candidate {
                    id,
                    what,
                    from,
                    to: self.bits.aligned().len(),
                    sticky,
                    priority: known.priority,
                    chosen: false,
                };
                self.check_alone(&candidate)?;
                self.candidates.push(candidate);
            }
            self.next_known.push(known);
        }
        self.heaviest = heaviest;
        let (max, found) = (self.options.limits.max_entities, self.next_known.len());
        if found > max {
            let limit = Limit::Entities;
            return Err(SendError::Encode(EncodeError::Limit { limit, max, found }));
        }
        Ok(())
    }

    /// A candidate has to fit into a packet of its own.
    fn check_alone(&self, candidate: &Candidate) -> Result<(), SendError> {
        let limits = &self.options.limits;
        let alone = candidate.alone(Budget::new(self.options.budget, limits, 0));
        match alone.exceeded() {
            None => Ok(()),
            Some((Limit::PacketBytes, budget, needed)) if budget == self.options.budget => {
                Err(SendError::BudgetTooSmall {
                    entity: candidate.id,
                    needed,
                    budget,
                })
            }
            Some((limit, max, found)) => {
                Err(SendError::Encode(EncodeError::Limit { limit, max, found }))
            }
        }
    }

    /// Chooses what goes into the packet; how many candidates have to wait.
    pub(super) fn choose(&mut self) -> usize {
        let held = self.acked.and_then(|tick| self.states.get(tick));
        let held = held.map_or(0, Snapshot::len);
        let limits = &self.options.limits;
        let mut budget = Budget::new(self.options.budget, limits, held);
        self.order.clear();
        self.order.extend(0..self.candidates.len());
        let candidates = &mut self.candidates;
        self.order.sort_unstable_by_key(|at| {
            candidates
                .get(*at)
                .map(|c| (!c.sticky, core::cmp::Reverse(c.priority), c.id))
        });
        // Destroys that are said again take the least, and whatever is back can be one of them.
        let again = |c: &Candidate| c.is_back() || c.sticky && c.what == What::Destroy;
        for candidate in candidates.iter_mut().filter(|candidate| again(candidate)) {
            candidate.chosen = budget.take(&[(Tag::Destroy, DESTROY_BYTES)], 0);
        }
        let mut waiting = 0;
        // Of those: creates that wait for an entity to go.
        let mut crowded = 0;
        for at in &self.order {
            let Some(candidate) = candidates.get_mut(*at) else {
                continue;
            };
            if candidate.chosen {
                if candidate.is_back() && !candidate.fit_for_destroy(&mut budget) {
                    candidate.what = What::Destroy;
                    waiting += 1;
                }
                continue;
            }
            // What comes or goes stays in each packet until it is acknowledged. Were it let in
            // before something that waits for room, that room might never come.
            // Only what goes makes room for what waits for an entity to go.
            let before = match candidate.what {
                What::Create => waiting,
                What::Destroy => waiting - crowded,
                What::Update | What::Replace => 0,
            };
            let blocked = before > 0 && !candidate.sticky;
            let no_room = candidate.what == What::Create && budget.is_crowded();
            candidate.chosen = !blocked && candidate.fit(&mut budget);
            if !candidate.chosen {
                waiting += 1;
                crowded += usize::from(no_room);
            }
        }
        waiting
    }
}
