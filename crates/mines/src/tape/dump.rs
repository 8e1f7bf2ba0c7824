//! Dumps a game as JSON, one object per event.

use std::io::{self, Write};

use gametape_core::tape::{Error, Moment};
use gametape_core::{At, Clocks, Stamp};

use crate::event::game_time;
use crate::{Event, Game};

/// Prints the events at the moment `at`, or all events; returns whether there were any. A board
/// event has the time of the mouse event that caused it.
pub(super) fn dump(game: &Game<'_>, at: Option<At>, out: &mut dyn Write) -> Result<bool, Error> {
    Clocks::TIMES.check(at)?;
    let stamp = |step: u32, time_ms: u32| Stamp {
        step: step.into(),
        tick: None,
        time: Some(game_time(time_ms)),
    };
    let mut moment = Moment::new(at, out);
    let mut time_ms = 0;
    for (step, event) in (0..).zip(game.events.iter()) {
        if let Event::Mouse(mouse) = event {
            time_ms = mouse.time_ms;
        }
        let printed = moment.line(stamp(step, time_ms), |out| line(step, time_ms, event, out))?;
        if printed.is_break() {
            return moment.finish();
        }
    }
    if let Some(ending) = game.ending {
        let (step, time_ms, outcome) = (game.events.len(), ending.time_ms, ending.outcome);
        let _ = moment.line(stamp(step, time_ms), |out| {
            writeln!(
                out,
                r#"{{"step":{step},"type":"end","time_ms":{time_ms},"outcome":"{outcome}"}}"#
            )
        })?;
    }
    moment.finish()
}

fn line(step: u32, time_ms: u32, event: Event, out: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::Mouse(mouse) => writeln!(
            out,
            r#"{{"step":{step},"type":"mouse","time_ms":{time_ms},"action":"{}","x":{},"y":{},"buttons":{},"reduced":{}}}"#,
            mouse.action.name(),
            mouse.x,
            mouse.y,
            mouse.buttons.0,
            mouse.reduced
        ),
        Event::Board(board) => writeln!(
            out,
            r#"{{"step":{step},"type":"board","time_ms":{time_ms},"col":{},"row":{},"face":"{}"}}"#,
            board.cell.col,
            board.cell.row,
            board.face.name()
        ),
        Event::Timestamp(value) => writeln!(
            out,
            r#"{{"step":{step},"type":"timestamp","time_ms":{time_ms},"value":{value}}}"#
        ),
    }
}
