//! The board events by the rules and the counts, mouse event by mouse event.

use super::clicks::{ClickCounter, Clicks};
use super::openings::Openings;
use crate::engine::{Click, Engine};
use crate::replay::{Observer, PlayedEvent, replay_with};
use crate::{BoardEvent, Game};

/// A mouse event that completed a click, or changed the board.
#[derive(Clone, Default, Debug)]
pub struct Moment {
    /// The index of the event in the recording.
    pub step: u32,
    /// The counts up to and including this event.
    pub clicks: Clicks,
    /// The board events by the rules; where the rules are in doubt, the recorded ones.
    pub shown: Vec<BoardEvent>,
}

struct Timeline<'a, F> {
    counter: ClickCounter<'a>,
    /// The last moment, held back because the recording may still correct its board events.
    last: Moment,
    is_any: bool,
    /// The last mouse event that was not a quiet move.
    step: u32,
    visit: F,
}

/// Replays a game and passes its moments to `visit`, in order. None of them is stored.
pub fn moments(game: &Game<'_>, visit: impl FnMut(&Moment)) {
    let engine = Engine::of(game);
    let openings = Openings::of(engine.field());
    let mut timeline = Timeline {
        counter: ClickCounter::new(&openings, game.marks()),
        last: Moment::default(),
        is_any: false,
        step: 0,
        visit,
    };
    replay_with(game, engine, &mut timeline);
    timeline.pass_on();
}

impl<F: FnMut(&Moment)> Timeline<'_, F> {
    fn pass_on(&mut self) {
        if self.is_any {
            (self.visit)(&self.last);
        }
    }

    fn record(&mut self, shown: &[BoardEvent]) {
        if self.last.step != self.step {
            self.pass_on();
        }
        self.is_any = true;
        self.last.step = self.step;
        self.last.clicks.clone_from(self.counter.clicks());
        self.last.shown.clear();
        self.last.shown.extend_from_slice(shown);
    }
}

impl<F: FnMut(&Moment)> Observer for Timeline<'_, F> {
    fn mouse(&mut self, step: &PlayedEvent<'_>) {
        self.counter.mouse(step);
        self.step = step.at.index;
        if step.click.is_some() || !step.shown.is_empty() {
            self.record(step.shown);
        }
    }

    fn corrected(
        &mut self,
        click: Option<Click>,
        expected: &[BoardEvent],
        recorded: &[BoardEvent],
    ) {
        self.counter.corrected(click, expected, recorded);
        self.record(recorded);
    }
}
