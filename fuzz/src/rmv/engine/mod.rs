//! The engine keeps its own rules, and recordings of its games can be replayed.

mod forged;
mod watch;

use arbitrary::Unstructured;
use gametape_mines::engine::{ClickKind, Status};
use gametape_mines::rmv::{self, EventLog};
use gametape_mines::{
    Buttons, Ending, Event, Game, Metrics, MouseAction, MouseEvent, Outcome, replay,
};

use super::audit::plausible;
use watch::{Table, Watch};

/// The largest time: times are 24-bit numbers.
const MAX_TIME: u32 = 0xFF_FFFF;

/// For any board, any preflags and any sequence of mouse events, the engine shows only what is
/// possible: events on the board, numbers that match the mines around them, nothing on an open
/// cell, and nothing after the end. `Engine::face` is the face that was shown last,
/// `Engine::opened` counts the open cells, and the game is won when all safe cells are open
/// and no mine was hit.
///
/// A recording of all this replays without a divergence, is written and read back, passes the
/// audit's replay, and has the clicks that the engine reported. A board event that is missing, wrong
/// or repeated is a divergence.
///
/// `data` is a script: first the board, then the mouse events.
pub fn rmv_engine(data: &[u8]) {
    let mut script = Unstructured::new(data);
    if let Ok(table) = Table::new(&mut script) {
        if table.wild {
            wild(&table, &mut script);
        } else {
            recorded(&table, &mut script);
        }
    }
}

fn action(byte: u8) -> MouseAction {
    MouseAction::from_code(byte & 7).unwrap_or(MouseAction::LeftUp)
}

/// Plays with numbers that a file cannot store.
fn wild(table: &Table, script: &mut Unstructured<'_>) {
    let mut watch = Watch::new(table);
    while let (false, Ok(byte)) = (script.is_empty(), script.arbitrary::<u8>()) {
        let (Ok(x), Ok(y)) = (script.arbitrary(), script.arbitrary()) else {
            break;
        };
        watch.apply(&MouseEvent {
            action: action(byte),
            time_ms: (x as u32).rotate_left(7),
            buttons: Buttons(byte),
            x,
            y,
            reduced: byte >> 7 == 1,
        });
    }
    watch.end();
}

fn recorded(table: &Table, script: &mut Unstructured<'_>) {
    let mut watch = Watch::new(table);
    let mut game = table.game();
    let mut time_ms = 0u32;
    // The left button may be pressed before the first event.
    let mut buttons = match script
        .peek_bytes(1)
        .map_or(MouseAction::Move, |first| action(first[0]))
    {
        MouseAction::LeftUp => Buttons::LEFT,
        _ => Buttons::NONE,
    };
    let mut last = (0, 0);
    let mut late_events = 0;
    while let (false, Ok(byte)) = (script.is_empty(), script.arbitrary::<u8>()) {
        let action = action(byte);
        // Half of all events happen at the cursor.
        if byte & 8 == 0 {
            let (Ok(col), Ok(row)) = (script.arbitrary::<u8>(), script.arbitrary::<u8>()) else {
                break;
            };
            // Includes one cell outside of each edge.
            let on = |at: u8, cells: u8| {
                let cell = i32::from(at) % (i32::from(cells) + 2) - 1;
                let inside = i32::from(byte >> 4) % i32::from(table.cell_size);
                (cell * i32::from(table.cell_size) + inside).clamp(-1000, 32_700)
            };
            last = (on(col, table.board.cols), on(row, table.board.rows));
        }
        time_ms = (time_ms + u32::from(byte) * u32::from(byte) / 64).min(MAX_TIME);
        buttons = buttons.after(action);
        let mouse = MouseEvent {
            action,
            time_ms,
            buttons,
            x: last.0,
            y: last.1,
            reduced: false,
        };
        late_events += u32::from(watch.engine.status() != Status::Playing);
        let push = if byte & 16 == 0 {
            EventLog::push
        } else {
            EventLog::push_shortest
        };
        push(&mut game.events, Event::Mouse(mouse)).expect("the format holds it");
        for &shown in watch.apply(&mouse) {
            game.events
                .push(Event::Board(shown))
                .expect("the format holds it");
        }
    }
    watch.end();
    finish(&mut game, &watch);
    check_recording(&game, &watch, late_events);
}

fn finish(game: &mut Game<'_>, watch: &Watch) {
    game.ending = Some(Ending {
        outcome: match watch.engine.status() {
            Status::Playing => Outcome::Other,
            Status::Won => Outcome::Win,
            Status::Lost => Outcome::Blast,
        },
        time_ms: game.events.last_time_ms(),
    });
}

fn check_recording(game: &Game<'_>, watch: &Watch, late_events: u32) {
    let replayed = replay(game);
    assert_eq!(replayed.divergence, None);
    assert_eq!(replayed.status, watch.engine.status());
    assert_eq!(replayed.after_end.is_some(), late_events > 0);

    let bytes = rmv::write(game).expect("a game by the rules");
    assert_eq!(&rmv::read(&bytes).expect("what was written"), game);

    // The metrics of large boards take too long.
    let field = watch.engine.field();
    if u32::from(field.cols()) * u32::from(field.rows()) > 1024 {
        return;
    }
    let metrics = Metrics::of(game);
    plausible(&metrics, field);
    assert_eq!(metrics.clicks.opened, watch.engine.opened());
    assert_eq!(metrics.clicks.left, watch.count(ClickKind::Left));
    assert_eq!(metrics.clicks.right, watch.count(ClickKind::Right));
    assert_eq!(metrics.clicks.double, watch.count(ClickKind::Double));
    assert_eq!(
        metrics.clicks.effective() as usize,
        watch.clicks.iter().filter(|click| click.effective).count()
    );
    forged::check(game, watch.clicks.len());
    if watch.engine.status() == Status::Won {
        assert_eq!(metrics.clicks.solved_bbbv, metrics.board.bbbv);
    }
    let findings = rmv::audit(&bytes).findings;
    for code in [
        "rmv.board-event",
        "rmv.board-event-unproven",
        "rmv.outcome",
        "rmv.buttons",
        "rmv.time",
    ] {
        assert!(!findings.has(code), "{findings:?}");
    }
    assert_eq!(findings.has("rmv.after-end"), late_events > 0);
}
