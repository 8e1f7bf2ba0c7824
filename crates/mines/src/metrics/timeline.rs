//! What the rules give, and what is counted, mouse event by mouse event.

use super::clicks::{Clicks, Counter};
use super::openings::Openings;
use crate::engine::{Click, Engine};
use crate::replay::{Observer, Place, replay_with};
use crate::{BoardEvent, Game, MouseEvent};

/// A mouse event that completed a click, or changed the board.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Which event of the recording it is.
    pub step: u32,
    /// What was counted up to it.
    pub clicks: Clicks,
    /// What the board does by the rules; where they leave a choice, what the recording says.
    pub shown: Vec<BoardEvent>,
}

struct Timeline<'a> {
    counter: Counter<'a>,
    moments: Vec<Moment>,
    /// The last mouse event that was no quiet move.
    step: u32,
}

/// Plays a game by the rules.
pub fn moments(game: &Game<'_>) -> Vec<Moment> {
    let engine = Engine::of(game);
    let openings = Openings::of(engine.field());
    let mut timeline = Timeline {
        counter: Counter::new(&openings, game.marks()),
        moments: Vec::new(),
        step: 0,
    };
    replay_with(game, engine, &mut timeline);
    timeline.moments
}

impl Timeline<'_> {
    fn say(&mut self, shown: &[BoardEvent]) {
        let clicks = self.counter.clicks().clone();
        let shown = shown.to_vec();
        let step = self.step;
        match self.moments.last_mut() {
            Some(last) if last.step == step => {
                (last.clicks, last.shown) = (clicks, shown);
            }
            _ => self.moments.push(Moment {
                step,
                clicks,
                shown,
            }),
        }
    }
}

impl Observer for Timeline<'_> {
    fn mouse(
        &mut self,
        at: Place,
        last: Option<&MouseEvent>,
        event: &MouseEvent,
        click: Option<Click>,
        shown: &[BoardEvent],
    ) {
        self.counter.mouse(at, last, event, click, shown);
        self.step = at.index;
        if click.is_some() || !shown.is_empty() {
            self.say(shown);
        }
    }

    fn corrected(&mut self, click: Option<Click>, told: &[BoardEvent], recorded: &[BoardEvent]) {
        self.counter.corrected(click, told, recorded);
        self.say(recorded);
    }
}
