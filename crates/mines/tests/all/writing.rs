//! The writer refuses everything that it promises to refuse, and cuts nothing to fit. A recorder that was killed is
//! gone on with, or left alone.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use gametape_mines::rmv::{self, EventLog, Severity, WriteError, Writer};
use gametape_mines::{
    Board, BoardEvent, Buttons, Cell, Ending, Event, Extensions, Face, Game, Mode, MouseAction,
    MouseEvent, Outcome, PlayerFields, Text, Version,
};
use gametape_samples::mines::{record, scenarios};
use gametape_testkit::cases::some;

use crate::common::{findings, rewritten};

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

/// What a recorder leaves that was killed after the last event.
fn unfinished(game: &Game<'_>) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut writer = Writer::new(&mut file, rewritten(game, [])).unwrap();
    for event in &game.events {
        writer.push(event).unwrap();
    }
    drop(writer);
    file.into_inner()
}

/// A fuzz check resumes what was cut anywhere. Here, a click is cut whose board events are not all there.
#[test]
fn salvage_drops_no_more_than_the_click_that_was_cut() {
    for (number, scenario) in scenarios().iter().enumerate().take(6) {
        let played = record(scenario, 3).unwrap();
        let whole: Vec<Event> = played.events.iter().collect();
        let bytes = unfinished(&played);
        let header = bytes.len() - played.events.as_bytes().len();
        for cut in some(header..bytes.len(), number) {
            let read = rmv::read_with(&bytes[..cut], rmv::ReadOptions::lenient()).unwrap();
            let readable = &whole[..read.game.events.len() as usize];
            let (written, salvaged) = rmv::salvage(&bytes[..cut]).unwrap();
            let kept: Vec<Event> = salvaged.game.events.iter().collect();
            assert!(readable.starts_with(&kept), "{} {cut}", scenario.name);
            let mut dropped = readable[kept.len()..].iter().skip(1);
            assert!(dropped.all(|event| matches!(event, Event::Board(_))));
            assert_ne!(rmv::audit(&written).findings.worst(), Some(Severity::Error));
        }
    }
}

/// In a damaged game, nothing but an incomplete event at the end is removed.
#[test]
fn a_damaged_recording_is_gone_on_with_whole_or_not_at_all() {
    let mut sound = unfinished(&record(&scenarios()[0], 3).unwrap());
    sound.truncate(sound.len() - 2);
    let (mut refused, mut resumed) = (0, 0);
    for at in 0..sound.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut bytes = sound.clone();
            bytes[at] ^= mask;
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let kept = if let Ok((writer, _)) = Writer::resume(file.try_clone().unwrap()) {
                resumed += 1;
                writer.position() as usize
            } else {
                refused += 1;
                bytes.len()
            };
            assert!(
                kept + 9 > bytes.len(),
                "byte {at} ^ {mask}: {kept} are kept"
            );
            let mut left = Vec::new();
            file.seek(SeekFrom::Start(0)).unwrap();
            file.read_to_end(&mut left).unwrap();
            assert!(left == bytes[..kept], "byte {at} ^ {mask}");
        }
    }
    assert!(refused > 100 && resumed > 100, "{refused} {resumed}");
}

/// A fuzz check compares what both versions have. Here, a bot's game is still a sound one.
#[test]
fn a_converted_game_is_sound() {
    for scenario in scenarios() {
        let game = record(&scenario, 3).unwrap();
        let other = match scenario.version {
            Version::V1 => Version::V2,
            Version::V2 => Version::V1,
        };
        match rmv::convert(&game, other) {
            Ok((converted, losses)) => {
                assert!(!losses.is_empty());
                let found = findings(&converted);
                assert_ne!(found.worst(), Some(Severity::Error), "{found:?}");
            }
            // Version 1 has four modes, and no positions so far outside of the window.
            Err(WriteError::PositionRange { .. }) => assert!(scenario.clumsy, "{}", scenario.name),
            Err(error) => assert!(scenario.mode > Mode::Density, "{}: {error}", scenario.name),
        }
    }
}
