//! Properties that hold for every game, every file and every sequence of mouse events.

use std::io::{Cursor, Read, Seek, Write};

use gametape_mines::engine::Status;
use gametape_mines::rmv::{self, EventLog, Fed, Feed, Personal, ReadOptions, Reading};
use gametape_mines::{
    BoardEvent, Buttons, Cell, DeclaredSize, Encoding, Ending, Engine, Event, Extensions, Face,
    Game, Minefield, MouseAction, MouseEvent, Outcome, PlayerFields, Text, Version, replay,
};
use gametape_samples::mines::{record, scenarios};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::boards;

fn any_version() -> impl Strategy<Value = Version> {
    prop_oneof![Just(Version::V1), Just(Version::V2)]
}

/// Steps of a mouse: action, milliseconds, pixels.
fn any_steps() -> impl Strategy<Value = Vec<(u8, u32, i32, i32)>> {
    vec((1u8..=7, 0u32..400, -20i32..20, -20i32..20), 0..80)
}

fn any_game() -> impl Strategy<Value = Game<'static>> {
    let texts = ("[ -~]{0,40}", vec("\\PC{0,40}", 0..6), "[ -~]{0,60}");
    let binary = (vec(any::<u8>(), 0..20), vec(any::<u8>(), 0..6));
    let rest = (
        any::<[u8; 2]>(),
        vec(("[a-z_]{0,20}", vec(any::<u8>(), 0..30)), 0..4),
        any::<bool>(),
        prop_oneof![
            Just(Outcome::Blast),
            Just(Outcome::Win),
            Just(Outcome::Other)
        ],
        0u32..1 << 24,
    );
    (
        any_version(),
        boards(40, 20),
        any_steps(),
        texts,
        binary,
        rest,
        vec(0u8..6, 0..40),
    )
        .prop_map(
            |(
                version,
                board,
                steps,
                (info, player, result),
                (checksum, extra),
                rest,
                board_events,
            )| {
                let (clone, extensions, preflags, outcome, time_ms) = rest;
                let mut game = Game::new(version, board);
                game.version_info = Text::from(info);
                game.player = PlayerFields::new(player).unwrap();
                if !preflags {
                    game.preflags = None;
                }
                game.encoding = match version {
                    Version::V1 => Encoding::V1 {
                        result: Text::from(result),
                    },
                    Version::V2 => Encoding::V2 {
                        clone_id: clone[0],
                        clone_major: clone[1],
                        extensions: Extensions::new(extensions).unwrap(),
                    },
                };
                game.properties.to_mut().extend(extra);
                let faces = [
                    Face::Pressed,
                    Face::Closed,
                    Face::Flag,
                    Face::Open,
                    Face::Blast,
                ];
                let mut log = EventLog::empty(version);
                let mut event = MouseEvent {
                    action: MouseAction::LeftUp,
                    time_ms: 0,
                    buttons: Buttons::NONE,
                    x: 0,
                    y: 0,
                    reduced: false,
                };
                for (step, face) in steps
                    .iter()
                    .zip(board_events.iter().chain(std::iter::repeat(&0)))
                {
                    event.action = MouseAction::from_code(step.0).unwrap();
                    event.time_ms += step.1;
                    event.buttons = event.buttons.after(event.action);
                    event.x = (event.x + step.2).max(-12);
                    event.y = (event.y + step.3).max(-12);
                    log.push_shortest(Event::Mouse(event)).unwrap();
                    if let Some(&face) = faces.get(usize::from(*face)) {
                        let cell = Cell::new(0, 0);
                        log.push(Event::Board(BoardEvent { cell, face })).unwrap();
                    }
                }
                game.events = log;
                game.ending = Some(Ending { outcome, time_ms });
                game.tail = Game::canonical_tail(version, time_ms).to_vec().into();
                game.checksum = checksum.into();
                if version == Version::V2 && preflags {
                    game.file_size = DeclaredSize::LessTwo;
                }
                game
            },
        )
}

/// Returns one byte at a time, like a slow source.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match (self.0.split_first(), buffer.first_mut()) {
            (Some((&byte, rest)), Some(slot)) => {
                *slot = byte;
                self.0 = rest;
                Ok(1)
            }
            _ => Ok(0),
        }
    }
}

fn same(
    slice: &Result<Reading<'_>, rmv::Error>,
    other: &Result<Reading<'static>, rmv::Error>,
) -> Result<(), TestCaseError> {
    match (slice, other) {
        (Ok(a), Ok(b)) => {
            prop_assert_eq!(&a.game, &b.game);
            prop_assert_eq!(&a.findings, &b.findings);
            prop_assert_eq!(a.game.events.offset(), b.game.events.offset());
        }
        (Err(a), Err(b)) => {
            prop_assert_eq!(a.to_string(), b.to_string());
            prop_assert_eq!(a.code(), b.code());
        }
        _ => prop_assert!(false, "slice {slice:?}, other {other:?}"),
    }
    Ok(())
}

/// A file that ends at `cut` for now and grows later gives the same result as the complete file.
fn growing_agrees(bytes: &[u8], cut: usize) -> Result<(), TestCaseError> {
    for options in [ReadOptions::strict(), ReadOptions::lenient()] {
        let mut feed = Feed::with_options(options);
        let mut events = Vec::new();
        let (before, after) = bytes.split_at(cut);
        let failure = [before, after].into_iter().find_map(|piece| {
            feed.push(piece);
            feed.finish();
            loop {
                match feed.next_event() {
                    Ok(Fed::Item(event)) => events.push(event),
                    Ok(end) => {
                        assert_eq!(end, Fed::End);
                        return None;
                    }
                    Err(error) if error.is_truncated() && piece.len() == cut => return None,
                    // The size differs because the file is still shorter.
                    Err(error) if error.code() == "rmv.file-size-wrong" => return None,
                    Err(error) => return Some(error),
                }
            }
        });
        match (rmv::read_with(bytes, options), failure) {
            (Ok(whole), None) => {
                prop_assert_eq!(feed.findings(), &whole.findings);
                prop_assert!(whole.game.events.iter().eq(events));
                let mut game = whole.game.into_owned();
                game.events = EventLog::empty(game.version());
                prop_assert_eq!(feed.game(), Some(&game));
            }
            // A wrong signature is reported with the bytes that have arrived.
            (Err(whole), Some(grown)) if cut < 4 && whole.code() == "rmv.signature" => {
                prop_assert_eq!(whole.code(), grown.code());
            }
            (Err(whole), Some(grown)) => prop_assert_eq!(whole.to_string(), grown.to_string()),
            (Err(whole), None) => {
                prop_assert!(whole.is_truncated() || whole.code() == "rmv.file-size-wrong");
            }
            (whole, grown) => prop_assert!(false, "whole {whole:?}, grown {grown:?}"),
        }
    }
    Ok(())
}

/// The three ways of reading agree, in both strictnesses.
fn readers_agree(bytes: &[u8]) -> Result<(), TestCaseError> {
    for options in [ReadOptions::strict(), ReadOptions::lenient()] {
        let slice = rmv::read_with(bytes, options);
        same(&slice, &rmv::read_from(bytes, options))?;
        same(&slice, &rmv::read_from(Trickle(bytes), options))?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: Some(Box::new(
            proptest::test_runner::FileFailurePersistence::Direct("tests/all/properties.regressions"),
        )),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_written_game_is_read_back(game in any_game(), cut in any::<prop::sample::Index>()) {
        let bytes = rmv::write(&game).unwrap();
        let read = rmv::read(&bytes).unwrap();
        prop_assert_eq!(&read, &game);
        prop_assert_eq!(rmv::write(&read).unwrap(), &bytes[..]);
        readers_agree(&bytes)?;
        growing_agrees(&bytes, cut.index(bytes.len()))?;
        // Everything that is removed is listed, and the rest is unchanged.
        for keep in [&Personal::ALL[..], &[Personal::Name], &[]] {
            let (redacted, losses) = rmv::redact(&game, keep);
            prop_assert_eq!(losses.is_empty(), redacted == game);
            let bytes = rmv::write(&redacted).unwrap();
            prop_assert_eq!(&rmv::read(&bytes).unwrap(), &redacted);
            prop_assert_eq!(rmv::redact(&redacted, keep), (redacted, Vec::new()));
        }
        let (redacted, _) = rmv::redact(&game, &[]);
        prop_assert!(redacted.player.iter().all(<[u8]>::is_empty));
        prop_assert_eq!(redacted.board.timestamp, 0);
    }

    #[test]
    fn readers_agree_on_damaged_files(
        game in any_game(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
        grows_at in any::<prop::sample::Index>(),
    ) {
        let mut bytes = rmv::write(&game).unwrap();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        readers_agree(&bytes)?;
        growing_agrees(&bytes, grows_at.index(bytes.len() + 1))?;
        let audit = rmv::audit(&bytes);
        prop_assert_eq!(
            rmv::read(&bytes).is_err(),
            rmv::read_with(&bytes, ReadOptions::lenient()).map_or(true, |reading| !reading.findings.is_empty())
        );
        if rmv::read(&bytes).is_err() {
            prop_assert_eq!(audit.findings.worst(), Some(rmv::Severity::Error));
        }
        if let Ok((written, _)) = rmv::salvage(&bytes)
        {
            prop_assert!(rmv::read(&written).is_ok());
        }
    }

    #[test]
    fn readers_agree_on_noise(bytes in vec(any::<u8>(), 0..200), signed in any::<bool>()) {
        let mut bytes = bytes;
        if signed {
            bytes.splice(0..0, *b"*rmv\x00\x02");
        }
        readers_agree(&bytes)?;
    }

    /// For every movement of the mouse the engine keeps the rules, and replaying expects exactly its
    /// events.
    #[test]
    fn the_engine_keeps_the_rules(
        board in boards(40, 20),
        steps in any_steps(),
        marks in any::<bool>(),
        version in any_version(),
    ) {
        let field = Minefield::new(&board);
        let mut engine = Engine::new(field.clone(), 16, marks);
        let mut log = EventLog::empty(version);
        let mut event = MouseEvent {
            action: MouseAction::LeftUp, time_ms: 0, buttons: Buttons::NONE, x: 0, y: 0, reduced: false,
        };
        let mut shown = Vec::new();
        let mut opened = 0;
        for (action, dt, dx, dy) in steps {
            event.action = MouseAction::from_code(action).unwrap();
            event.time_ms += dt;
            event.x += dx;
            event.y += dy;
            let over = engine.status() != Status::Playing;
            shown.clear();
            engine.apply(&event, &mut shown);
            prop_assert!(!over || shown.is_empty(), "the game was over");
            if over {
                break;
            }
            log.push(Event::Mouse(event)).unwrap();
            for &board_event in &shown {
                prop_assert!(field.cols() > board_event.cell.col && field.rows() > board_event.cell.row);
                match board_event.face {
                    Face::Number(number) => {
                        opened += 1;
                        prop_assert_eq!(number, field.number(board_event.cell));
                        prop_assert!(!field.is_mine(board_event.cell));
                    }
                    Face::Blast => prop_assert!(field.is_mine(board_event.cell)),
                    Face::Question | Face::PressedQuestion => prop_assert!(marks),
                    _ => {}
                }
                log.push(Event::Board(board_event)).unwrap();
            }
            prop_assert_eq!(engine.opened(), opened);
            match engine.status() {
                Status::Won => prop_assert_eq!(opened, field.safe()),
                Status::Lost => prop_assert!(shown.iter().any(|e| e.face == Face::Blast)),
                Status::Playing => prop_assert!(opened < field.safe()),
            }
        }
        let mut game = Game::new(version, board);
        game.properties.to_mut()[0] = u8::from(marks);
        game.events = log;
        let replayed = replay(&game);
        prop_assert_eq!(replayed.divergence, None);
    }

    /// When a recorder is killed at any byte, all complete events survive, and recording can
    /// continue.
    #[test]
    fn a_killed_recorder_loses_no_whole_event(seed in 0u64..8, which in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>()) {
        let scenarios = scenarios();
        let played = record(&scenarios[which.index(6)], seed).unwrap();
        let mut start = played.clone();
        start.events = EventLog::empty(played.version());
        let mut file = Cursor::new(Vec::new());
        let mut writer = rmv::Writer::new(&mut file, start).unwrap();
        for event in &played.events {
            writer.push(event).unwrap();
        }
        drop(writer);
        let mut bytes = file.into_inner();
        let header = bytes.len() - played.events.as_bytes().len();
        bytes.truncate(header + cut.index(bytes.len() - header));

        // A reader that waits for more data gets every complete event and no error.
        let mut feed = Feed::new();
        feed.push(&bytes);
        let mut events = Vec::new();
        while let Fed::Item(event) = feed.next_event().unwrap() {
            events.push(event);
        }
        prop_assert_eq!(feed.next_event().unwrap(), Fed::NeedMore);
        let whole: Vec<Event> = played.events.iter().take(events.len()).collect();
        prop_assert_eq!(&events, &whole);
        // Salvage also drops a click whose board events are incomplete, so its result is valid.
        let (written, salvaged) = rmv::salvage(&bytes).unwrap();
        let kept = salvaged.game.events.iter().collect::<Vec<_>>();
        prop_assert!(whole.starts_with(&kept));
        let dropped = &whole[kept.len()..];
        prop_assert!(dropped.iter().skip(1).all(|event| matches!(event, Event::Board(_))));
        prop_assert_ne!(rmv::audit(&written).findings.worst(), Some(rmv::Severity::Error));

        // Resuming after the last complete event gives the same file as without the interruption.
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let (mut writer, resumed) = rmv::Writer::resume(file).unwrap();
        prop_assert_eq!(resumed.events as usize, events.len());
        prop_assert_eq!(resumed.dropped, bytes.len() as u64 - writer.position());
        prop_assert_eq!(resumed.problem.is_some(), resumed.dropped > 0);
        for event in played.events.iter().skip(events.len()) {
            writer.push(event).unwrap();
        }
        let mut file = writer.finish(played.ending.unwrap()).unwrap();
        let mut resumed = Vec::new();
        file.seek(std::io::SeekFrom::Start(0)).unwrap();
        file.read_to_end(&mut resumed).unwrap();
        let read = rmv::read(&resumed).unwrap();
        prop_assert_eq!(&read.events, &played.events);
        prop_assert_eq!(read.ending, played.ending);
        prop_assert_eq!(rmv::audit(&resumed).findings.worst(), Some(rmv::Severity::Info));
    }
}

/// In a damaged game, nothing but an incomplete event at the end is removed.
#[test]
fn a_damaged_recording_is_gone_on_with_whole_or_not_at_all() {
    let played = record(&scenarios()[0], 3).unwrap();
    let mut start = played.clone();
    start.events = EventLog::empty(played.version());
    let mut out = Cursor::new(Vec::new());
    let mut writer = rmv::Writer::new(&mut out, start).unwrap();
    for event in &played.events {
        writer.push(event).unwrap();
    }
    drop(writer);
    let mut sound = out.into_inner();
    sound.truncate(sound.len() - 2);
    let (mut refused, mut resumed) = (0, 0);
    for at in 0..sound.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut bytes = sound.clone();
            bytes[at] ^= mask;
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let mut copy = file.try_clone().unwrap();
            let kept = if let Ok((writer, _)) = rmv::Writer::resume(file) {
                resumed += 1;
                let kept = usize::try_from(writer.position()).unwrap();
                assert!(
                    kept + 9 > bytes.len(),
                    "byte {at} ^ {mask}: {kept} are kept"
                );
                kept
            } else {
                refused += 1;
                bytes.len()
            };
            let mut left = Vec::new();
            copy.seek(std::io::SeekFrom::Start(0)).unwrap();
            copy.read_to_end(&mut left).unwrap();
            assert!(left == bytes[..kept], "byte {at} ^ {mask}");
        }
    }
    assert!(refused > 100 && resumed > 100, "{refused} {resumed}");
}
