//! What the rules give, and what is counted, mouse event by mouse event.

use super::clicks::{Clicks, Counter};
use super::openings::Openings;
use crate::engine::{Click, Engine};
use crate::replay::{Observer, Step, replay_with};
use crate::{BoardEvent, Game};

/// A mouse event that completed a click, or changed the board.
#[derive(Clone, Default, Debug)]
pub struct Moment {
    /// Which event of the recording it is.
    pub step: u32,
    /// What was counted up to it.
    pub clicks: Clicks,
    /// What the board does by the rules; where they leave a choice, what the recording says.
    pub shown: Vec<BoardEvent>,
}

struct Timeline<'a, F> {
    counter: Counter<'a>,
    /// The last one: the recording may yet correct what it showed.
    last: Moment,
    is_any: bool,
    /// The last mouse event that was no quiet move.
    step: u32,
    give: F,
}

/// Plays a game by the rules, and gives its moments in their order. None is kept.
pub fn moments(game: &Game<'_>, give: impl FnMut(&Moment)) {
    let engine = Engine::of(game);
    let openings = Openings::of(engine.field());
    let mut timeline = Timeline {
        counter: Counter::new(&openings, game.marks()),
        last: Moment::default(),
        is_any: false,
        step: 0,
        give,
    };
    replay_with(game, engine, &mut timeline);
    timeline.pass_on();
}

impl<F: FnMut(&Moment)> Timeline<'_, F> {
    fn pass_on(&mut self) {
        if self.is_any {
            (self.give)(&self.last);
        }
    }

    fn say(&mut self, shown: &[BoardEvent]) {
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
    fn mouse(&mut self, step: &Step<'_>) {
        self.counter.mouse(step);
        self.step = step.at.index;
        if step.click.is_some() || !step.shown.is_empty() {
            self.say(step.shown);
        }
    }

    fn corrected(&mut self, click: Option<Click>, told: &[BoardEvent], recorded: &[BoardEvent]) {
        self.counter.corrected(click, told, recorded);
        self.say(recorded);
    }
}
