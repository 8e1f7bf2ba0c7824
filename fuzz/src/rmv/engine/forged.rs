//! Recordings that differ from the engine's events.

use gametape_mines::rmv::EventLog;
use gametape_mines::{BoardEvent, Event, Face, Game, replay};

/// Forges a board event of the valid recording `game`; `pick` selects the event.
pub(super) fn check(game: &Game<'_>, pick: usize) {
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
