//! Forgeries that break the laws of the engine (formats/rmv.md, laws A to D): board events in wrong places,
//! too many or too few of them, and buttons without their moves.

use gametape_mines::rmv::EventLog;
use gametape_mines::{BoardEvent, Event, Face, Game, MouseAction, MouseEvent};

use super::mouse_of;
use super::remake::ended;
use super::simulator::{Grip, Simulator, Step, brings_its_move, expected, steps};

/// Makes one forged event list from the steps of a game; `None` if the game is not suitable.
type Make = fn(&[Step], &Game<'_>, &mut fastrand::Rng) -> Option<Vec<Event>>;

const FORGERIES: &[(&str, Make)] = &[
    ("release-shown", release_shown),
    ("law-b-dropped", law_b_dropped),
    ("late", late),
    ("early", early),
    ("own-move-dropped", own_move_dropped),
    ("shifted", shifted),
    ("twinned", twinned),
    ("dropped", dropped),
    ("move-after-end", move_after_end),
];

/// The forgeries of a game that follows all laws, each with its name:
///
/// | name | what is wrong |
/// |---|---|
/// | `release-shown` | a pressed cell is released before both buttons press the area (law A) |
/// | `law-b-dropped` | a chord that began because right went down again shows nothing (law B) |
/// | `late` | the board events of a button stand after the next mouse event, which is not its own move |
/// | `early` | the board events of a button stand before its own move (law C) |
/// | `own-move-dropped` | a button at a new pixel lacks its move; its board events follow it (law C) |
/// | `shifted` | a button is two pixels aside in the same cell, without a move |
/// | `twinned` | a board event stands twice |
/// | `dropped` | a board event is missing |
/// | `move-after-end` | the mouse moves after the game has ended |
///
/// Only those that the game is suitable for are returned, and each differs from the game. The board events of
/// `shifted` and `own-move-dropped` are right: only the place of the button reveals them.
pub fn forgeries_of_laws(
    game: &Game<'_>,
    rng: &mut fastrand::Rng,
) -> Vec<(&'static str, Game<'static>)> {
    let steps = steps(&mut Simulator::of(game), &mouse_of(game));
    let original = expected(game);
    let forged = FORGERIES.iter().filter_map(|(name, make)| {
        let events = make(&steps, game, rng)?;
        (events != original).then_some((*name, with_events(game, events)?))
    });
    forged.collect()
}

/// The game with other events.
fn with_events(game: &Game<'_>, events: Vec<Event>) -> Option<Game<'static>> {
    let mut log = EventLog::empty(game.version());
    let timestamps = game.events.iter().map_while(|event| match event {
        Event::Timestamp(_) => Some(event),
        _ => None,
    });
    for event in timestamps.chain(events) {
        log.push_shortest(event).ok()?;
    }
    let outcome = game.ending?.outcome;
    Some(ended(game.clone().into_owned(), log, outcome))
}

fn mouse(step: &Step) -> impl Iterator<Item = Event> {
    step.mouse.iter().copied().map(Event::Mouse)
}

fn board(step: &Step) -> impl Iterator<Item = Event> {
    step.board.iter().copied().map(Event::Board)
}

/// The events of the steps; those of the step at `place` are `other`.
fn replaced(steps: &[Step], place: usize, other: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let of = |steps: &[Step]| -> Vec<Event> {
        let events = steps.iter().flat_map(|step| mouse(step).chain(board(step)));
        events.collect()
    };
    let mut events = of(&steps[..place]);
    events.extend(other);
    events.extend(of(&steps[place + 1..]));
    events
}

/// A random step that is suitable.
fn any_step(
    steps: &[Step],
    rng: &mut fastrand::Rng,
    is_suitable: impl Fn(usize, &Step) -> bool,
) -> Option<usize> {
    let suitable = (0..steps.len()).filter(|&at| is_suitable(at, &steps[at]));
    rng.choice(suitable.collect::<Vec<_>>())
}

fn is_button(step: &Step) -> bool {
    step.mouse[0].action != MouseAction::Move
}

/// The place of a cell's second [`Face::Pressed`] without a release in between, and the place behind the first
/// one if that is in the same step, or else 0.
fn pressed_twice(step: &Step, was_pressed: &[BoardEvent]) -> Option<(usize, usize)> {
    let mut pressed = was_pressed.to_vec();
    for (at, event) in step.board.iter().enumerate() {
        if event.face == Face::Pressed && pressed.contains(event) {
            let first = step.board[..at].iter().position(|other| other == event);
            return Some((at, first.map_or(0, |first| first + 1)));
        }
        pressed.retain(|other| other.cell != event.cell);
        pressed.push(*event);
    }
    None
}

fn release_shown(steps: &[Step], _: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let mut shown: Vec<BoardEvent> = Vec::new();
    let mut found = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        if let Some((second, insert_at)) = pressed_twice(step, &shown) {
            found.push((place, second, insert_at));
        }
        for event in &step.board {
            shown.retain(|other| other.cell != event.cell);
            shown.push(*event);
        }
    }
    let (place, second, insert_at) = rng.choice(found)?;
    let mut step = steps[place].clone();
    let released = BoardEvent {
        face: Face::Closed,
        ..step.board[second]
    };
    step.board.insert(insert_at, released);
    Some(replaced(steps, place, mouse(&step).chain(board(&step))))
}

fn law_b_dropped(steps: &[Step], game: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let mut simulator = Simulator::of(game);
    // The steps of each second chord.
    let mut chords: Vec<Vec<usize>> = Vec::new();
    let mut is_second = false;
    for (place, step) in steps.iter().enumerate() {
        let begins = step.mouse[0].action == MouseAction::RightDown
            && simulator.holds_left()
            && simulator.grip() == Grip::Nothing;
        if begins {
            chords.push(Vec::new());
            is_second = true;
        }
        if is_second && !step.board.is_empty() {
            chords.last_mut()?.push(place);
        }
        for event in &step.mouse {
            simulator.step(event);
        }
        is_second &= simulator.grip() == Grip::Chord;
    }
    chords.retain(|places| !places.is_empty());
    let silent = rng.choice(chords)?;
    let events = steps.iter().enumerate().flat_map(|(place, step)| {
        let shown = board(step).filter(|_| !silent.contains(&place));
        mouse(step).chain(shown.collect::<Vec<_>>())
    });
    Some(events.collect())
}

fn late(steps: &[Step], _: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let is_suitable = |at: usize, step: &Step| {
        let Some(next) = steps.get(at + 1) else {
            return false;
        };
        let (last, next) = (step.mouse[step.mouse.len() - 1], next.mouse[0]);
        // A move at the same pixel might pass for the button's own.
        is_button(step) && !step.board.is_empty() && (last.x, last.y) != (next.x, next.y)
    };
    let place = any_step(steps, rng, is_suitable)?;
    let (step, next) = (&steps[place], &steps[place + 1]);
    let mut next_mouse = mouse(next);
    let mut events: Vec<Event> = mouse(step).chain(next_mouse.next()).collect();
    events.extend(board(step).chain(next_mouse).chain(board(next)));
    let mut rest = steps.to_vec();
    rest.remove(place + 1);
    Some(replaced(&rest, place, events))
}

fn early(steps: &[Step], _: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let is_suitable = |_, step: &Step| step.mouse.len() == 2 && !step.board.is_empty();
    let place = any_step(steps, rng, is_suitable)?;
    let step = &steps[place];
    let mut own = mouse(step);
    let button = own.next();
    let events = button.into_iter().chain(board(step)).chain(own);
    Some(replaced(steps, place, events))
}

fn own_move_dropped(steps: &[Step], _: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let is_suitable =
        |at, step: &Step| step.mouse.len() == 2 && lacks_its_move(steps, at, step.mouse[0]);
    let place = any_step(steps, rng, is_suitable)?;
    let step = &steps[place];
    Some(replaced(
        steps,
        place,
        mouse(step).take(1).chain(board(step)),
    ))
}

/// Whether a button would be at a new pixel and without a move of its own if the step at `place` had no other
/// mouse event.
fn lacks_its_move(steps: &[Step], place: usize, button: MouseEvent) -> bool {
    // Before the first event there is no other pixel.
    let Some(before) = place.checked_sub(1).and_then(|at| steps[at].mouse.last()) else {
        return false;
    };
    let next = steps.get(place + 1).map(|step| step.mouse[0]);
    let events: Vec<MouseEvent> = [*before, button].into_iter().chain(next).collect();
    (before.x, before.y) != (button.x, button.y) && !brings_its_move(&events, 1)
}

fn shifted(steps: &[Step], game: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let (dx, dy) = rng.choice([(2, 0), (-2, 0), (0, 2), (0, -2)])?;
    let aside = |event: MouseEvent| MouseEvent {
        x: event.x + dx,
        y: event.y + dy,
        ..event
    };
    let is_suitable = |place: usize, step: &Step| {
        let [button] = step.mouse[..] else {
            return false;
        };
        let other = aside(button);
        is_button(step)
            && other.cell(game.cell_size()) == button.cell(game.cell_size())
            // The next button would be at a new pixel, too.
            && steps.get(place + 1).is_none_or(|next| !is_button(next))
            && lacks_its_move(steps, place, other)
    };
    let place = any_step(steps, rng, is_suitable)?;
    let step = &steps[place];
    let button = Event::Mouse(aside(step.mouse[0]));
    Some(replaced(
        steps,
        place,
        std::iter::once(button).chain(board(step)),
    ))
}

fn twinned(steps: &[Step], _: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let place = any_step(steps, rng, |_, step| !step.board.is_empty())?;
    let mut step = steps[place].clone();
    let at = rng.usize(..step.board.len());
    step.board.insert(at, step.board[at]);
    Some(replaced(steps, place, mouse(&step).chain(board(&step))))
}

fn dropped(steps: &[Step], _: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let place = any_step(steps, rng, |_, step| !step.board.is_empty())?;
    let mut step = steps[place].clone();
    step.board.remove(rng.usize(..step.board.len()));
    Some(replaced(steps, place, mouse(&step).chain(board(&step))))
}

fn move_after_end(steps: &[Step], game: &Game<'_>, _: &mut fastrand::Rng) -> Option<Vec<Event>> {
    let mut simulator = Simulator::of(game);
    for event in mouse_of(game) {
        simulator.step(&event);
    }
    if !simulator.is_over() {
        return None;
    }
    let last = *steps.last()?.mouse.last()?;
    let moved = MouseEvent {
        action: MouseAction::Move,
        x: last.x + 1,
        ..last
    };
    let place = steps.len() - 1;
    let step = &steps[place];
    let shown = board(step).chain([Event::Mouse(moved)]);
    Some(replaced(steps, place, mouse(step).chain(shown)))
}
