//! The writer refuses everything that it promises to refuse, and cuts nothing to fit.

use gametape_mines::rmv::{self, EventLog, WriteError};
use gametape_mines::{
    Board, BoardEvent, Buttons, Cell, Ending, Event, Extensions, Face, Game, MouseAction,
    MouseEvent, Outcome, PlayerFields, Text, Version,
};
use gametape_samples::mines::{record, scenarios};

fn game() -> Game<'static> {
    record(&scenarios()[0], 1).unwrap()
}

fn move_at(time_ms: u32, x: i32, reduced: bool) -> Event {
    Event::Mouse(MouseEvent {
        action: MouseAction::Move,
        time_ms,
        buttons: Buttons::NONE,
        x,
        y: 0,
        reduced,
    })
}

#[test]
fn content_that_sections_and_fields_cannot_store_is_refused() {
    let long = "x".repeat(256);
    assert!(matches!(
        PlayerFields::new([&long]),
        Err(WriteError::TextTooLong {
            bytes: 256,
            max: 255,
            ..
        })
    ));
    assert!(matches!(
        Extensions::new([(&long, "")]),
        Err(WriteError::TextTooLong { .. })
    ));
    assert!(matches!(
        Extensions::new([("", &long)]),
        Err(WriteError::TextTooLong { .. })
    ));
    let many = std::iter::repeat_n("", 65_536);
    assert!(matches!(
        PlayerFields::new(many),
        Err(WriteError::TooMany { count: 65_536, .. })
    ));
    let mines = (0..65_536u32).map(|n| Cell::new((n % 255) as u8, (n / 255 % 255) as u8));
    assert!(matches!(
        Board::new(255, 255, mines, 0),
        Err(WriteError::TooMany {
            count: 65_536,
            max: 32_763,
            ..
        })
    ));

    let mut wordy = game();
    wordy.version_info = Text::from("x".repeat(65_536));
    assert!(matches!(
        rmv::write(&wordy),
        Err(WriteError::SectionTooLarge {
            bytes: 65_536,
            max: 65_535,
            ..
        })
    ));
}

#[test]
fn events_that_cannot_be_stored_are_refused() {
    let mut log = EventLog::empty(Version::V2);
    assert_eq!(
        log.push(move_at(5, 0, true)),
        Err(WriteError::NotReducible),
        "nothing to be relative to"
    );
    log.push(move_at(5, 0, false)).unwrap();
    assert_eq!(log.push(move_at(5, 8, true)), Err(WriteError::NotReducible));
    assert_eq!(
        log.push(move_at(4, 0, false)),
        Err(WriteError::TimeOrder { before: 5, now: 4 })
    );
    let nine = BoardEvent {
        cell: Cell::new(0, 0),
        face: Face::Number(9),
    };
    assert_eq!(
        log.push(Event::Board(nine)),
        Err(WriteError::Number { number: 9 })
    );
    assert_eq!(log.len(), 1);
    assert_eq!(log.as_bytes().len(), 9, "a refused event changes nothing");
}

#[test]
fn incomplete_games_are_refused() {
    let mut unfinished = game();
    unfinished.ending = None;
    assert_eq!(rmv::write(&unfinished), Err(WriteError::NoEnding));

    let mut endless = game();
    endless.ending = Some(Ending {
        outcome: Outcome::Win,
        time_ms: 1 << 24,
    });
    assert_eq!(
        rmv::write(&endless),
        Err(WriteError::TimeTooLong { ms: 1 << 24 })
    );

    let mut mixed = game();
    mixed.events = EventLog::empty(Version::V1);
    assert_eq!(rmv::write(&mixed), Err(WriteError::EventsOfOtherVersion));

    let mut invalid = game();
    invalid.version_info = Text(vec![0xFF].into());
    assert!(matches!(rmv::write(&invalid), Err(WriteError::Invalid(_))));
}
