//! The view as of an earlier tick, and the packets after it.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use crate::schema::Schema;
use crate::session::lane::{Lane, soonest};
use crate::session::receiver::{ViewEvent, note};
use crate::snapshot::Snapshot;

/// So many packets wait to be shown. If nobody looks, the oldest are taken in.
const MOST: usize = 256;

/// The content that a packet brought to the view.
#[derive(Clone, Debug)]
pub(super) struct TimedFrame {
    pub tick: u32,
    /// The ticks that a way to its values takes at most.
    pub longest: f64,
    /// The entities that it named.
    pub state: Snapshot,
    /// The entities that ended, ascending. One that is also in `state` is another one.
    pub gone: Vec<u32>,
    /// Whether all others ended, too: the packet is a full snapshot.
    pub whole: bool,
}

impl TimedFrame {
    /// Returns true if the entity that was there before ends with this packet.
    pub fn ends(&self, entity: u32) -> bool {
        let is_left = self.whole && self.state.rows.find(entity).is_err();
        is_left || self.gone.binary_search(&entity).is_ok()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Frames {
    /// The view as of the tick that is shown.
    pub base: Snapshot,
    /// The tick of each entity's values in it.
    ticks: Vec<u32>,
    /// The packets after it, by tick.
    waiting: VecDeque<TimedFrame>,
    // Kept to reuse their memory.
    spare: Vec<TimedFrame>,
    /// The most entities and values of a packet so far, rounded up. All frames get room for them at
    /// once, so that they do not grow one after the other for a long time.
    most: (usize, usize),
    next: Snapshot,
    next_ticks: Vec<u32>,
}

impl Frames {
    pub fn new(schema: &Schema) -> Self {
        Self {
            base: Snapshot::new(schema, 0),
            ticks: Vec::new(),
            waiting: VecDeque::new(),
            spare: Vec::new(),
            most: (0, 0),
            next: Snapshot::new(schema, 0),
            next_ticks: Vec::new(),
        }
    }

    /// Returns an empty frame.
    pub fn take_spare(&mut self, tick: u32, longest: f64) -> TimedFrame {
        let mut frame = self.spare.pop().unwrap_or_else(|| TimedFrame {
            tick,
            longest,
            state: Snapshot::new(self.base.schema(), 0),
            gone: Vec::new(),
            whole: false,
        });
        frame.tick = tick;
        frame.longest = longest;
        frame.state.clear();
        frame.gone.clear();
        let (entities, values) = self.most;
        frame.state.rows.reserve(entities, values);
        frame.gone.reserve(entities);
        frame
    }

    /// Adds a packet. Returns true if there are too many, so that the oldest was taken in without
    /// events.
    pub fn push(&mut self, frame: TimedFrame, events: &mut Vec<ViewEvent>) -> bool {
        let (entities, values) = frame.state.rows.size();
        let entities = entities.max(frame.gone.len()).next_power_of_two();
        let values = values.next_power_of_two();
        self.most = (self.most.0.max(entities), self.most.1.max(values));
        let place = self
            .waiting
            .partition_point(|other| other.tick <= frame.tick);
        self.waiting.insert(place, frame);
        let is_full = self.waiting.len() > MOST;
        if is_full {
            self.show_first(events);
            events.clear();
        }
        is_full
    }

    /// The next packet is of an earlier tick than those before it: it is newer nevertheless.
    pub fn begin_again(&mut self) {
        self.spare.extend(self.waiting.drain(..));
        self.ticks.fill(0);
        self.base.set_tick(0);
    }

    /// Shows the packets up to a tick.
    pub fn show_until(&mut self, tick: f64, events: &mut Vec<ViewEvent>) {
        while self
            .waiting
            .front()
            .is_some_and(|frame| f64::from(frame.tick) <= tick)
        {
            self.show_first(events);
        }
    }

    fn show_first(&mut self, events: &mut Vec<ViewEvent>) {
        let Some(frame) = self.waiting.pop_front() else {
            return;
        };
        let Self {
            base,
            ticks,
            next,
            next_ticks,
            ..
        } = self;
        next.clear();
        next_ticks.clear();
        next.set_tick(base.tick().max(frame.tick));
        let mut olds = Lane::new(base.rows.iter().zip(&*ticks));
        let mut news = Lane::new(frame.state.rows.iter());
        let mut gone = Lane::new(&frame.gone);
        while let Some(id) = soonest([olds.next_id(), news.next_id()]) {
            let (old, new) = (olds.at(id), news.at(id));
            let ends = gone.at(id).is_some() || (frame.whole && new.is_none());
            // A packet that comes after newer ones were shown changes nothing in these.
            if let Some((row, tick)) = old
                && (*tick > frame.tick || (new.is_none() && !ends))
            {
                next.rows.push(row);
                next_ticks.push(*tick);
                continue;
            }
            note(events, base.schema(), old.map(|(row, _)| row), new, ends);
            if let Some(row) = new {
                next.rows.push(row);
                next_ticks.push(frame.tick);
            }
        }
        drop((olds, news));
        mem::swap(base, next);
        mem::swap(ticks, next_ticks);
        self.spare.push(frame);
    }

    /// Returns the packets that wait, the newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &TimedFrame> {
        self.waiting.iter().rev()
    }

    /// Returns the part of the way to a frame for the entity at `at`, at the moment `now`. An entity
    /// that stood still for long has moved only in the end.
    pub fn part(&self, at: usize, to: &TimedFrame, now: f64) -> f64 {
        let from = self.ticks.get(at).copied().unwrap_or(0);
        let tick = f64::from(to.tick);
        let from = f64::from(from).max(tick - to.longest);
        ((now - from) / (tick - from)).clamp(0.0, 1.0)
    }

    /// Returns the first packet after the tick that is shown that names an entity, unless the
    /// entity ends first.
    pub fn next_of(&self, entity: u32) -> Option<&TimedFrame> {
        let touches =
            |frame: &&TimedFrame| frame.ends(entity) || frame.state.rows.find(entity).is_ok();
        let first = self.waiting.iter().find(touches)?;
        (!first.ends(entity)).then_some(first)
    }
}
