//! The parts of forgeries: a whole game is rebuilt from its mouse events.

use std::borrow::Cow;

use gametape_mines::rmv::EventLog;
use gametape_mines::{
    BoardEvent, Buttons, Encoding, Ending, Engine, Event, Face, Game, MouseAction, MouseEvent,
    Outcome,
};
use gametape_samples::mines::person::Clock;
use gametape_samples::mines::with_result;

/// A way to forge a recording.
#[derive(Clone, Copy, Debug)]
pub struct Forgery {
    /// Its name.
    pub name: &'static str,
    /// The code of the finding that reveals it.
    pub code: &'static str,
    pub(super) make: fn(&Game<'_>, &mut fastrand::Rng) -> Option<Game<'static>>,
}

impl Forgery {
    /// Makes the forgery from a valid game. The same seed gives the same forgery. `None` if the
    /// game is not suitable, for example too short or without flags.
    #[must_use]
    pub fn of(&self, game: &Game<'_>, seed: u64) -> Option<Game<'static>> {
        (self.make)(game, &mut fastrand::Rng::with_seed(seed))
    }
}

/// The mouse events of a game.
#[must_use]
pub fn mouse_of(game: &Game<'_>) -> Vec<MouseEvent> {
    let mouse = |event| match event {
        Event::Mouse(mouse) => Some(mouse),
        _ => None,
    };
    game.events.iter().filter_map(mouse).collect()
}

/// A game with the board, the player and the claims of `game`, played with other mouse events.
/// Button states, board events, ending, tail and SCORE are recomputed by the rules. Mouse events
/// after the end of the game are left out.
///
/// `None` if the format cannot store the game.
///
/// ```
/// use gametape_samples::mines::{record, scenarios};
/// use gametape_testkit::mines::{mouse_of, remake};
///
/// let game = record(&scenarios()[0], 7)?;
/// assert_eq!(remake(&game, &mouse_of(&game)), Some(game), "nothing was changed");
/// # Ok::<(), gametape_mines::rmv::WriteError>(())
/// ```
#[must_use]
pub fn remake(game: &Game<'_>, mouse: &[MouseEvent]) -> Option<Game<'static>> {
    let mut log = EventLog::empty(game.version());
    let timestamps = game.events.iter().map_while(|event| match event {
        Event::Timestamp(value) => Some(value),
        _ => None,
    });
    for value in timestamps {
        log.push(Event::Timestamp(value)).ok()?;
    }
    let old_blast = (game.events.iter())
        .any(|event| matches!(event, Event::Board(board) if board.face == Face::Open));
    let mut engine = Engine::of(game);
    let mut buttons = mouse.first().map_or(Buttons::NONE, |first| {
        // The left button was pressed before the recording began.
        Buttons(u8::from(first.action == MouseAction::LeftUp))
    });
    let mut shown = Vec::new();
    for &(mut event) in mouse {
        if engine.is_over() {
            break;
        }
        buttons = buttons.after(event.action);
        event.buttons = buttons;
        log.push_shortest(Event::Mouse(event)).ok()?;
        shown.clear();
        engine.apply(&event, &mut shown);
        for &BoardEvent { cell, mut face } in &shown {
            if old_blast && face == Face::Blast {
                face = Face::Open;
            }
            log.push(Event::Board(BoardEvent { cell, face })).ok()?;
        }
    }
    let outcome = engine.status().outcome();
    Some(ended(game.clone().into_owned(), log, outcome))
}

/// The same game with these events and a matching ending.
pub(super) fn ended(
    mut game: Game<'static>,
    log: EventLog<'static>,
    outcome: Outcome,
) -> Game<'static> {
    let time_ms = log.last_time_ms();
    let plus_one = score_is_plus_one(&game);
    game.events = log;
    game.ending = Some(Ending { outcome, time_ms });
    if !game.tail.is_empty() {
        game.tail = Cow::Owned(Game::canonical_tail(game.version(), time_ms).to_vec());
    }
    let shown_ms = if plus_one { time_ms + 1000 } else { time_ms };
    let score = format!("{}.{:02}", shown_ms / 1000, shown_ms / 10 % 100);
    with_result(&mut game, "SCORE", &score);
    game
}

/// Whether SCORE is one second too high, as release 2.2 writes it.
fn score_is_plus_one(game: &Game<'_>) -> bool {
    let (Encoding::V1 { result }, Some(ending)) = (&game.encoding, game.ending) else {
        return false;
    };
    let score = gametape_mines::rmv::ResultString::parse(result.as_bytes()).score_hundredths();
    score == Some(u64::from(ending.time_ms / 10) + 100)
}

/// The game with other mouse events, in which a move leads to each button event, as programs record it.
pub(super) fn remake_led(game: &Game<'_>, mouse: &[MouseEvent]) -> Option<Game<'static>> {
    let mut led: Vec<MouseEvent> = Vec::with_capacity(mouse.len());
    for event in mouse {
        if let Some(last) = led.last()
            && event.action != MouseAction::Move
            && (last.x, last.y) != (event.x, event.y)
        {
            let action = MouseAction::Move;
            let buttons = last.buttons;
            led.push(MouseEvent {
                action,
                buttons,
                ..*event
            });
        }
        led.push(*event);
    }
    remake(game, &led)
}

/// The game with other times; `time` receives the index and the old time of each mouse event.
pub(super) fn retimed(
    game: &Game<'_>,
    mut time: impl FnMut(usize, u32) -> u32,
) -> Option<Game<'static>> {
    let mouse = mouse_of(game).into_iter().enumerate();
    let mouse: Vec<MouseEvent> = mouse
        .map(|(at, event)| MouseEvent {
            time_ms: time(at, event.time_ms),
            ..event
        })
        .collect();
    remake(game, &mouse)
}

/// Like [`retimed`], but rounds to the game's clock, as a careful forger would.
pub(super) fn retimed_by_clock(
    game: &Game<'_>,
    mut time: impl FnMut(usize, u32) -> u32,
) -> Option<Game<'static>> {
    let clock = clock_of(game);
    retimed(game, |place, at| clock.show(time(place, at)))
}

/// The clock of a game.
pub(super) fn clock_of(game: &Game<'_>) -> Clock {
    phase_of(game).map_or(Clock::Millisecond, Clock::Tick)
}

/// The phase of the Windows tick, if all times of a game are on such a tick.
pub(super) fn phase_of(game: &Game<'_>) -> Option<u8> {
    let mouse = mouse_of(game);
    let is_on = |time: u32, phase: u8| {
        // The last tick before the end of this millisecond.
        let clock = Clock::Tick(phase);
        [time, time + 1].iter().any(|&at| clock.show(at) == time)
    };
    (0..8).find(|&phase| mouse.iter().all(|event| is_on(event.time_ms, phase)))
}
