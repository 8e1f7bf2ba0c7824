//! Every documented rule is raised by a file that breaks it.

use std::collections::BTreeSet;

use gametape_mines::rmv::{self, Rule};
use gametape_mines::{Event, Game, MouseAction, Version};

use crate::common::parts::Parts;
use crate::common::{codes, game};

fn v2() -> Parts {
    Parts::of(&game("beginner-win", 1))
}

fn v1() -> Parts {
    Parts::of(&game("v1-beginner-win", 1))
}

/// Applies a change to a file.
fn with(mut parts: Parts, change: impl FnOnce(&mut Parts)) -> Vec<u8> {
    change(&mut parts);
    parts.bytes()
}

fn aborted() -> Parts {
    Parts::of(&game("aborted", 1))
}

fn patched(mut bytes: Vec<u8>, at: usize, byte: u8) -> Vec<u8> {
    bytes[at] = byte;
    bytes
}

/// The position in the log of the `nth` event for which `is` returns true.
fn find(parts: &Parts, nth: usize, is: impl Fn(&Event) -> bool) -> usize {
    let bytes = parts.bytes();
    let game = rmv::read_with(&bytes, rmv::ReadOptions::lenient())
        .unwrap()
        .game;
    let mut events = game.events.iter();
    let mut at = 0;
    let mut seen = 0;
    while let Some(event) = events.next() {
        if is(&event) {
            if seen == nth {
                return at;
            }
            seen += 1;
        }
        at = events.position();
    }
    panic!("no such event");
}

fn is_board(event: &Event) -> bool {
    matches!(event, Event::Board(_))
}

fn is_long_mouse(event: &Event) -> bool {
    matches!(event, Event::Mouse(mouse) if !mouse.reduced)
}

fn replace(text: &mut Vec<u8>, from: &str, to: &str) {
    let new = String::from_utf8(text.clone()).unwrap().replace(from, to);
    assert_ne!(new.as_bytes(), &text[..], "{from} is there");
    *text = new.into_bytes();
}

/// Sets the version info of a ViennaSweeper release.
fn vienna(parts: &mut Parts, release: &str) {
    parts.info = format!("Vienna Minesweeper - {release} Copyright (C) 2008-2023").into_bytes();
}

/// A code, and a file that breaks its rule.
type Case = (&'static str, Vec<u8>);

/// A sound file, changed so that it breaks the rule of this code.
fn case(code: &'static str, of: impl Fn() -> Parts, change: impl FnOnce(&mut Parts)) -> Case {
    (code, with(of(), change))
}

/// A file for each code.
fn cases() -> Vec<Case> {
    let mouse = |code: u8, ms: u32, buttons: u8, x: i16, y: i16| {
        let mut event = vec![code];
        event.extend(&ms.to_be_bytes()[1..]);
        event.push(buttons);
        event.extend(x.to_be_bytes());
        event.extend(y.to_be_bytes());
        event
    };
    let end_ms =
        |parts: &Parts| u32::from_be_bytes([0, parts.ending[1], parts.ending[2], parts.ending[3]]);
    let at_end = |parts: &mut Parts, code, buttons, x, y| {
        let event = mouse(code, end_ms(parts), buttons, x, y);
        parts.events.extend(event);
    };
    vec![
        ("rmv.signature", b"*rmw\0\x01".to_vec()),
        ("rmv.file-type", b"*rmv\0\x03".to_vec()),
        ("rmv.truncated", v2().bytes()[..500].to_vec()),
        case("rmv.section-size", v2, |p| p.player.push(7)),
        case("rmv.section-count", v2, |p| p.board[7] += 1),
        case("rmv.board-empty", v2, |p| p.board[4] = 0),
        case("rmv.mine-outside", v2, |p| p.board[8] = 8),
        case("rmv.mine-duplicate", v2, |p| p.board.copy_within(8..10, 10)),
        case("rmv.preflag-outside", v2, |p| p.preflags = vec![0, 1, 8, 0]),
        case("rmv.preflag-duplicate", v2, |p| {
            p.preflags = vec![0, 2, 1, 1, 1, 1];
        }),
        case("rmv.property-missing", v2, |p| p.properties.truncate(6)),
        case("rmv.property-value", v1, |p| p.properties[4] = 2),
        case("rmv.mode-unknown", v1, |p| p.properties[2] = 4),
        case("rmv.level-unknown", v2, |p| p.properties[3] = 4),
        case("rmv.cell-size", v2, |p| p.properties[6] = 0),
        case("rmv.text-utf8", v2, |p| p.info[3] = 0xFF),
        case("rmv.event-code", v2, |p| {
            let at = find(p, 5, is_board);
            p.events[at] = 8;
        }),
        case("rmv.event-cut", v2, |p| {
            p.ending = vec![9, 0];
            p.tail.clear();
        }),
        case("rmv.event-reduced-first", v2, |p| {
            p.events.splice(..0, [28, 0, 0]).for_each(drop);
        }),
        case("rmv.event-time-order", v2, |p| {
            let at = find(p, 3, is_long_mouse);
            p.events[at + 1] = 1;
        }),
        case("rmv.event-time-range", v2, |p| {
            p.events.extend(mouse(1, 0xFF_FFFF, 0, 0, 0));
            p.events.extend([28, 1, 0]);
        }),
        case("rmv.event-position", v2, |p| {
            at_end(p, 1, 0, i16::MIN, 0);
            p.events.extend([28, 0, 0xF0]);
        }),
        case("rmv.event-cell", v2, |p| {
            let at = find(p, 5, is_board);
            p.events[at + 1] = 200;
        }),
        case("rmv.termination-missing", v2, |p| {
            p.ending.clear();
            p.tail.clear();
        }),
        case("rmv.tail-size", v2, |p| p.tail.push(0)),
        case("rmv.trailing-bytes", v2, |p| p.after.push(0)),
        case("rmv.file-size-wrong", v2, |p| p.size_off = 1),
        ("rmv.limit", patched(v2().bytes(), 24, 0x7F)),
        ("rmv.file-size", v2().bytes()),
        ("rmv.checksum", v2().bytes()),
        case("rmv.checksum-absent", v2, |p| {
            p.clone[0] = 1;
            p.checksum.clear();
        }),
        case("rmv.checksum-none", v2, |p| p.checksum.clear()),
        case("rmv.checksum-unusual", v2, |p| p.checksum = vec![0; 18]),
        case("rmv.tail-absent", v2, |p| p.tail.clear()),
        case("rmv.tail", v2, |p| p.tail[4] ^= 1),
        case("rmv.text-encoding", v1, |p| {
            p.properties[4] = 0;
            p.info.push(0xE9);
        }),
        case("rmv.player-fields", v2, |p| p.player = vec![0, 2, 0, 0]),
        case("rmv.property-extra", v2, |p| p.properties.push(0)),
        case("rmv.clone-id", v2, |p| p.clone[0] = 8),
        case("rmv.clone-name", v2, |p| p.clone[0] = 1),
        case("rmv.extension-reserved", v2, |p| {
            p.extensions = [&[0, 1, 5][..], b"rmv_x", &[0]].concat();
        }),
        case("rmv.extension-duplicate", v2, |p| {
            p.extensions = vec![0, 2, 1, b'a', 0, 1, b'a', 0];
        }),
        case("rmv.move-reducible", v2, |p| {
            let first = mouse(
                1,
                0,
                0,
                i16::from_be_bytes([p.events[5], p.events[6]]),
                i16::from_be_bytes([p.events[7], p.events[8]]),
            );
            let at = find(p, 1, |event| matches!(event, Event::Mouse(_)));
            p.events.splice(at..at, first).for_each(drop);
        }),
        case("rmv.event-timestamp", v1, |p| {
            p.events.splice(..0, [0; 5]).for_each(drop);
        }),
        case("rmv.mine-order", v2, |p| {
            let first: Vec<u8> = p.board.drain(8..10).collect();
            p.board.extend(first);
        }),
        case("rmv.board-full", v2, |p| {
            p.board.truncate(4);
            p.board.extend([1, 1, 0, 1, 0, 0]);
            p.events.clear();
        }),
        case("rmv.level", v2, |p| p.properties[3] = 2),
        case("rmv.level-custom", v2, |p| p.properties[3] = 3),
        case("rmv.nf", v2, |p| p.properties[1] = 1),
        (
            "rmv.nf-preflags",
            with(Parts::of(&game("no-flags", 1)), |p| {
                p.preflags = [&[0, 1], &p.board[8..10]].concat();
            }),
        ),
        case("rmv.release-field", v1, |p| vienna(p, "Release 3.0.2")),
        case("rmv.release-unusual", v1, |p| vienna(p, "Release 5.0.0")),
        case("rmv.release-missing", v1, |p| vienna(p, "Home")),
        case("rmv.release-clone", v2, |p| vienna(p, "Release 5.0.0")),
        case("rmv.date-missing", v2, |p| {
            p.board[..4].copy_from_slice(&[0; 4]);
        }),
        case("rmv.date-early", v2, |p| {
            p.board[..4].copy_from_slice(&[0, 0, 0, 1]);
        }),
        case("rmv.date-future", v2, |p| {
            p.board[..4].copy_from_slice(&[0xFF; 4]);
        }),
        case("rmv.3bv", v2, |p| p.properties[4] += 1),
        case("rmv.result-form", v1, |p| {
            replace(&mut p.result, "NICK:gametape#", "");
        }),
        case("rmv.score", v1, |p| {
            replace(&mut p.result, "SCORE:", "SCORE:1");
        }),
        case("rmv.score-plus-one", v1, |p| {
            p.player = vec![0, 1, 0];
            let ms = end_ms(p);
            let score = |ms: u32| format!("SCORE:{}.{:02}#", ms / 1000, ms % 1000 / 10);
            replace(&mut p.result, &score(ms), &score(ms + 1000));
        }),
        case("rmv.result-value", v1, |p| {
            replace(&mut p.result, "TIMESTAMP:", "TIMESTAMP:1");
        }),
        case("rmv.result-nf", v1, |p| {
            replace(&mut p.result, "NF:0", "NF:1");
        }),
        case("rmv.result-text", v1, |p| {
            replace(&mut p.result, "NICK:gametape", "NICK:other");
        }),
        case("rmv.result-text-encoding", v1, |p| {
            replace(&mut p.result, "NAME:S", "NAME:Ś");
        }),
        case("rmv.first-event", v2, |p| {
            p.events[0] = MouseAction::LeftDown.code();
        }),
        case("rmv.no-mouse", v2, |p| p.events.clear()),
        case("rmv.buttons", v2, |p| {
            let at = find(p, 2, is_long_mouse);
            p.events[at + 4] ^= 1;
        }),
        case("rmv.buttons-unknown", v2, |p| p.events[4] |= 0x80),
        case("rmv.board-event", v2, |p| {
            let at = find(
                p,
                8,
                |event| matches!(event, Event::Board(b) if b.face.code() == 19),
            );
            p.events[at] = 20;
        }),
        (
            "rmv.board-event-unproven",
            with(Parts::of(&game("middle-button", 1)), |p| {
                // A middle button that presses one cell less.
                let middle = std::cell::Cell::new(false);
                let at = find(p, 0, |event| match event {
                    Event::Mouse(mouse) => {
                        middle.set(mouse.action == MouseAction::MiddleDown);
                        false
                    }
                    Event::Board(_) => middle.get(),
                    Event::Timestamp(_) => false,
                });
                p.events.drain(at..at + 3);
            }),
        ),
        (
            "rmv.mode-unproven",
            Parts::of(&game("mode-density", 1)).bytes(),
        ),
        case("rmv.button-moved", aborted, |p| {
            at_end(p, 2, 1, 5000, 0);
            at_end(p, 1, 1, 5000, 0);
        }),
        case("rmv.button-place", aborted, |p| at_end(p, 2, 1, 5000, 0)),
        case("rmv.button-outside", aborted, |p| {
            at_end(p, 1, 0, 5000, 0);
            at_end(p, 1, 1, 5001, 0);
        }),
        case("rmv.after-end", v2, |p| at_end(p, 1, 0, 0, 0)),
        case("rmv.outcome", v2, |p| p.ending[0] = 15),
        case("rmv.time", v2, |p| {
            p.ending[3] ^= 1;
            p.tail[4] ^= 1;
        }),
        case("rmv.time-later", aborted, |p| {
            let later = (end_ms(p) + 500).to_be_bytes();
            p.ending[1..].copy_from_slice(&later[1..]);
            p.tail[2..].copy_from_slice(&later[1..]);
        }),
        ("rmv.rank-mode", Parts::of(&game("mode-upk", 1)).bytes()),
        ("rmv.rank-3bv", {
            // Ten mines fill a corner, which gives a 3BV of 1, below the ranking's minimum.
            let mines = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
                .map(|n: u8| [n % 8, n / 8])
                .concat();
            with(v2(), |p| {
                p.board.truncate(8);
                p.board.extend(mines);
            })
        }),
        (
            "rmv.rank-board",
            Parts::of(&game("custom-dense", 1)).bytes(),
        ),
        ("rmv.rank-outcome", Parts::of(&game("loss", 1)).bytes()),
        case("rmv.result-duplicate", v1, |p| {
            replace(&mut p.result, "NICK:", "SCORE:0.01#NICK:");
        }),
        ("rmv.rate", {
            // Every time of the game is divided by a hundred, consistently.
            let mut game = game("intermediate-win", 1);
            let mut log = rmv::EventLog::empty(game.version());
            for mut event in &game.events {
                if let Event::Mouse(mouse) = &mut event {
                    mouse.time_ms /= 100;
                }
                log.push_shortest(event).unwrap();
            }
            let ms = log.last_time_ms();
            game.events = log;
            game.ending.as_mut().unwrap().time_ms = ms;
            game.tail = Game::canonical_tail(game.version(), ms).to_vec().into();
            rmv::write(&game).unwrap()
        }),
        case("rmv.hint-instant", v2, |p| at_end(p, 2, 1, 100, 0)),
        case("rmv.hint-speed", v2, |p| {
            at_end(p, 1, 0, 1, 1);
            at_end(p, 1, 0, 120, 110);
        }),
        case("rmv.hint-pause", v2, |p| {
            let ms = end_ms(p) + 20_001;
            p.events.extend(mouse(1, ms, 0, 0, 0));
        }),
        case("rmv.hint-button", v2, |p| at_end(p, 3, 0, 0, 0)),
    ]
}

#[test]
fn every_rule_is_raised_by_a_file_that_breaks_it() {
    let mut raised = BTreeSet::new();
    for (code, bytes) in cases().into_iter().chain(crate::hands::cases()) {
        let audit = rmv::audit(&bytes);
        let codes = codes(&audit.findings);
        assert!(codes.contains(&code), "{code}: only {codes:?}");
        raised.insert(code);
    }
    let promised: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.code).collect();
    assert_eq!(raised, promised);
}

/// Strict reading stops at the reader's rules, at the same place; other rules do not stop it.
#[test]
fn strict_reading_stops_at_the_first_broken_rule() {
    for (code, bytes) in cases() {
        let lenient = rmv::read_with(&bytes, rmv::ReadOptions::lenient());
        match rmv::read(&bytes) {
            Ok(game) => {
                assert!(lenient.unwrap().findings.is_empty(), "{code}");
                assert_eq!(rmv::write(&game).unwrap(), bytes, "{code}");
            }
            Err(strict) => match lenient {
                Ok(reading) => {
                    let first = reading.findings.iter().next().unwrap();
                    assert_eq!(strict.code(), first.code(), "{code}");
                    assert_eq!(strict.offset(), first.place.offset, "{code}");
                }
                Err(lenient) => assert_eq!(strict.to_string(), lenient.to_string(), "{code}"),
            },
        }
    }
}

/// Errors name the problem and the place.
#[test]
fn errors_read_like_sentences() {
    let message = |bytes: &[u8]| rmv::read(bytes).unwrap_err().to_string();
    let sound = v2().bytes();
    assert_eq!(
        message(&sound[..500]),
        "event 86 (0.521 s, byte 500): the file ends in the video section: 993 bytes needed, 288 are left"
    );
    let late = with(v2(), |p| {
        let at = find(p, 5, is_board);
        p.events[at + 1] = 200;
    });
    assert_eq!(
        message(&late),
        "event 6 (0.000 s, byte 236): cell (200, 5) changes, the board is 8 x 8"
    );
    let limited = rmv::ReadOptions::strict().limits(rmv::Limits {
        max_video_bytes: 100,
    });
    let error = rmv::read_with(&sound, limited).unwrap_err();
    assert!(error.is_limit() && error.offset() == Some(212), "{error}");
    assert_eq!(
        error.to_string(),
        "byte 212: the video section takes 993 bytes, the limit is 100 bytes"
    );
    assert_eq!(Version::V2.number(), 2);
}

/// One event whose time is too early costs its time, and nothing else.
#[test]
fn a_mouse_event_that_is_too_early_gets_the_time_before_it() {
    for (name, seed) in [("v1-beginner-win", 1), ("intermediate-win", 2)] {
        let whole = game(name, seed);
        for nth in [3, 40, 90] {
            let early = with(Parts::of(&whole), |p| {
                let at = find(p, nth, |event| {
                    is_long_mouse(event)
                        && matches!(event, Event::Mouse(mouse) if mouse.time_ms > 100)
                });
                let [t0, t1, t2] = [1, 2, 3].map(|byte| p.events[at + byte]);
                let time = u32::from_be_bytes([0, t0, t1, t2]) - 90;
                p.events[at + 1..at + 4].copy_from_slice(&time.to_be_bytes()[1..]);
            });
            if !rmv::audit(&early).findings.has("rmv.event-time-order") {
                continue;
            }
            let (bytes, salvaged) = rmv::salvage(&early).unwrap();
            assert_eq!(
                salvaged.game.events.len(),
                whole.events.len(),
                "{name} {nth}"
            );
            let said: Vec<String> = salvaged.repairs.iter().map(ToString::to_string).collect();
            assert!(said[0].starts_with("gave "), "{said:?}");
            let found = rmv::audit(&bytes).findings;
            assert!(
                !found.has("rmv.event-time-order") && !found.has("rmv.board-event"),
                "{found:?}"
            );
        }
    }
    // Where a clock went back for good, nobody knows which times are right.
    let whole = game("v1-beginner-win", 1);
    let back = with(Parts::of(&whole), |p| {
        let mut at = 0;
        let mut seen = 0;
        while at < p.events.len() {
            let is_mouse = (1..=7).contains(&p.events[at]);
            seen += u32::from(is_mouse);
            if is_mouse && seen > 20 {
                p.events[at + 1..at + 4].fill(0);
            }
            at += if is_mouse { 9 } else { 3 };
        }
    });
    let (_, salvaged) = rmv::salvage(&back).unwrap();
    assert!(salvaged.game.events.len() * 2 < whole.events.len());
}
