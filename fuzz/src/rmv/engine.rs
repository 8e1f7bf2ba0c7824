//! The engine keeps its own rules, and recordings of its games can be replayed.

use super::watch::{Table, Watch};
use arbitrary::Unstructured;
use gametape_mines::engine::{ClickKind, Doubt, Status};
use gametape_mines::rmv::{self, EventLog};
use gametape_mines::{
    BoardEvent, Buttons, Ending, Event, Face, Game, Metrics, MouseAction, MouseEvent, Outcome,
    Version, replay,
};
use gametape_testkit::mines::simulator::clicks;
use gametape_testkit::mines::{forgeries_of_laws, random_game};

use super::audit::plausible;

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
    check_forged(game, watch.clicks.len());
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

/// Forges a board event of the valid recording `game`; `pick` selects the event.
fn check_forged(game: &Game<'_>, pick: usize) {
    let events: Vec<Event> = game.events.iter().collect();
    let board_events = || {
        let indexed = events.iter().copied().enumerate();
        indexed.filter_map(|(at, event)| match event {
            Event::Board(event) => Some((at, event)),
            _ => None,
        })
    };
    let count = board_events().count();
    let Some((at, event)) = board_events().nth(pick % count.max(1)) else {
        return;
    };

    let mut missing = events.clone();
    missing.remove(at);
    let divergence = replay(&with(game, &missing)).divergence;
    assert!(
        divergence.is_some_and(|d| d.event as usize >= at),
        "{event:?} is missing"
    );

    let mut twice = events.clone();
    twice.insert(at, Event::Board(event));
    let divergence = replay(&with(game, &twice)).divergence;
    assert!(
        divergence.is_some_and(|d| d.event as usize > at),
        "{event:?} twice"
    );

    let face = match event.face {
        Face::Number(number) => Face::Number((number + 1) % 9),
        Face::Flag => Face::Question,
        _ => Face::Flag,
    };
    let wrong = BoardEvent { face, ..event };
    let mut forged = events.clone();
    forged[at] = Event::Board(wrong);
    let divergence = replay(&with(game, &forged))
        .divergence
        .expect("a wrong face");
    assert_eq!(divergence.event as usize, at);
    assert_eq!(divergence.recorded, Some(wrong));
    assert_eq!(divergence.expected, Some(event));
}

fn with(game: &Game<'_>, events: &[Event]) -> Game<'static> {
    let mut game = game.clone().into_owned();
    game.events = EventLog::empty(game.version());
    for &event in events {
        game.events.push(event).expect("it was there");
    }
    game
}

/// The input is a seed. Games in which a random hand presses, chords, leaves the board and returns
/// in every way, recorded by the second simulator, replay without a difference and have its
/// clicks; each forgery that breaks a law of the play is found.
pub fn rmv_laws(data: &[u8]) {
    let mut rng = fastrand::Rng::with_seed(crate::seed(data));
    let version = [Version::V1, Version::V2][rng.usize(..2)];
    let game = random_game(version, &mut rng);
    let replayed = replay(&game);
    if (replayed.doubted).is_some_and(|doubted| doubted.why == Doubt::LostChord) {
        // Which cells open after the mine of a chord is not known.
        assert_eq!(replayed.fault, None);
        return;
    }
    assert_eq!(replayed.divergence, None);
    assert_eq!((replayed.unmoved, replayed.after_end), (None, None));
    let (ours, theirs) = (Metrics::of(&game).clicks, clicks(&game));
    assert_eq!(
        [ours.left, ours.right, ours.double, ours.effective()],
        [theirs.left, theirs.right, theirs.double, theirs.effective]
    );
    let bytes = rmv::write(&game).expect("the format holds it");
    assert_eq!(rmv::read(&bytes).expect("what was written"), game);
    for (name, forged) in forgeries_of_laws(&game, &mut rng) {
        let bytes = rmv::write(&forged).expect("the format holds it");
        let found = rmv::audit(&bytes).findings;
        let codes = ["rmv.board-event", "rmv.button-place", "rmv.after-end"];
        assert!(
            codes.iter().any(|code| found.has(code)),
            "{name}: {found:?}"
        );
    }
}
