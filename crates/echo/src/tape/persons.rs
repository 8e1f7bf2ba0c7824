//! The numbers of the persons behind the players of each frame.

use crate::butter::Parts;
use crate::model::Session;
use crate::people::People;
use crate::stats::MAX_EVENTS;

/// The numbers of the persons of a frame, in the order of its players; `None` where there are too many.
pub(super) type Numbers = [Option<u64>];

/// Numbers the persons of a recording, frame by frame from its start.
#[derive(Default)]
pub(super) struct Counting {
    people: People,
    now: Vec<Option<u64>>,
}

impl Counting {
    /// The parts of frames that tell persons apart.
    pub const PARTS: Parts = Parts::PLAYERS.with(Parts::NAMES);

    /// Takes the next frame, and returns the numbers of its persons.
    pub fn frame(&mut self, session: &Session) -> &Numbers {
        self.now.clear();
        self.people.next_frame(session);
        let people = &mut self.people;
        let found = session
            .players()
            .map(|(team, player)| people.find(team, player, MAX_EVENTS).map(|at| at as u64));
        self.now.extend(found);
        &self.now
    }
}

/// The persons of all frames of a recording.
#[derive(Default, Debug)]
pub(super) struct Persons {
    /// The steps from which on frames have other persons, and which.
    changes: Vec<(u64, Box<Numbers>)>,
}

impl Persons {
    /// Adds the next frame.
    pub fn push(&mut self, step: u64, numbers: &Numbers) {
        if self
            .changes
            .last()
            .is_none_or(|(_, last)| **last != *numbers)
        {
            self.changes.push((step, numbers.into()));
        }
    }

    /// The persons of the frame of a step.
    pub fn at(&self, step: u64) -> &Numbers {
        let after = self.changes.partition_point(|(from, _)| *from <= step);
        let change = after.checked_sub(1).and_then(|at| self.changes.get(at));
        change.map_or(&[], |(_, numbers)| numbers)
    }
}
