//! To a moment: the next marker, what was typed, what is chosen in a list.

use gametape::At;

use super::Player;
use crate::scene::views::View;

impl Player {
    /// To the next marker, or the one before.
    pub(super) fn go_mark(&mut self, on: i64) {
        let (here, step) = (self.clock.at(), self.heading());
        // What was just passed is not what somebody wants to go back to.
        let passed = if self.clock.is_playing() {
            1_000_000_000
        } else {
            0
        };
        let places = self.marks.iter().filter_map(|mark| {
            let stamp = mark.stamp?;
            Some((self.clock.place(stamp), stamp.step))
        });
        let found = if on > 0 {
            places.filter(|place| *place > (here, step)).min()
        } else {
            // Several steps may be at one time.
            let back = here.saturating_sub(passed);
            places.filter(|place| *place < (back, step)).max()
        };
        if let Some((at, step)) = found {
            self.clock.go(at);
            self.go(At::Step(step));
        } else {
            let which = if on > 0 { "behind" } else { "before" };
            self.said = Some(format!("no marker {which} this moment"));
        }
    }

    /// The step that is gone to, or is seen.
    fn heading(&self) -> u64 {
        let asked = self.asked.as_ref().filter(|_| self.number > self.answered);
        match self.to.or(asked.and_then(|(at, _)| *at)) {
            Some(At::Step(step)) => step,
            _ => self.now().step,
        }
    }

    /// Takes what was typed, or what is chosen in a list.
    pub(super) fn enter(&mut self) {
        if let Some(typed) = self.typing.take() {
            return self.go_typed(typed.trim());
        }
        let Some((view, sight)) = self.seen() else {
            return;
        };
        let stamp = match view {
            View::Marks => usize::try_from(sight.down)
                .ok()
                .and_then(|at| self.marks.get(at)?.stamp),
            View::Events(table) => {
                let (rows, upto) = self.events(table);
                let at = i64::try_from(upto).unwrap_or(i64::MAX) - 1 + sight.down;
                let at = usize::try_from(at).ok();
                at.and_then(|at| rows.get(at))
                    .map(|(batch, row)| batch.stamp(*row))
            }
            _ => return,
        };
        match stamp {
            Some(stamp) => self.go(At::Step(stamp.step)),
            None => self.said = Some("it is of the recording as a whole".to_owned()),
        }
        let view = self.view;
        if let (Some(View::Events(_)), Some(sight)) =
            (self.views.get(view), self.sights.get_mut(view))
        {
            sight.down = 0;
        }
    }

    fn go_typed(&mut self, typed: &str) {
        let part = typed.strip_suffix('%').map(str::parse::<f64>);
        let times = self.opened.span.last.time.is_some();
        match (part, typed.parse::<At>(), typed.parse::<u64>()) {
            (Some(Ok(part)), ..) if (0.0..=100.0).contains(&part) => {
                self.clock.go_part(part / 100.0);
                self.moved();
            }
            // Where there are no times a number is a step.
            (None, _, Ok(step)) if !times => self.go(At::Step(step)),
            (None, Ok(at), _) => self.go(at),
            _ if typed.is_empty() => {}
            _ => {
                let what = "a moment is a time such as 1:23.4 or 83.4, tick:137, step:600, or 50%";
                self.said = Some(format!("{typed:?}: {what}"));
            }
        }
    }
}
