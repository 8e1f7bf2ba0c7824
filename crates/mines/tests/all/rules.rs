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

/// A file for each code.
fn cases() -> Vec<(&'static str, Vec<u8>)> {
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
    vec![
        ("rmv.signature", b"*rmw\0\x01".to_vec()),
        ("rmv.file-type", b"*rmv\0\x03".to_vec()),
        ("rmv.truncated", v2().bytes()[..500].to_vec()),
        ("rmv.section-size", with(v2(), |p| p.player.push(7))),
        ("rmv.section-count", with(v2(), |p| p.board[7] += 1)),
        ("rmv.board-empty", with(v2(), |p| p.board[4] = 0)),
        ("rmv.mine-outside", with(v2(), |p| p.board[8] = 8)),
        (
            "rmv.mine-duplicate",
            with(v2(), |p| p.board.copy_within(8..10, 10)),
        ),
        (
            "rmv.preflag-outside",
            with(v2(), |p| p.preflags = vec![0, 1, 8, 0]),
        ),
        (
            "rmv.preflag-duplicate",
            with(v2(), |p| p.preflags = vec![0, 2, 1, 1, 1, 1]),
        ),
        (
            "rmv.property-missing",
            with(v2(), |p| p.properties.truncate(6)),
        ),
        ("rmv.property-value", with(v1(), |p| p.properties[4] = 2)),
        ("rmv.mode-unknown", with(v1(), |p| p.properties[2] = 4)),
        ("rmv.level-unknown", with(v2(), |p| p.properties[3] = 4)),
        ("rmv.cell-size", with(v2(), |p| p.properties[6] = 0)),
        ("rmv.text-utf8", with(v2(), |p| p.info[3] = 0xFF)),
        (
            "rmv.event-code",
            with(v2(), |p| {
                let at = find(p, 5, is_board);
                p.events[at] = 8;
            }),
        ),
        (
            "rmv.event-cut",
            with(v2(), |p| {
                p.ending = vec![9, 0];
                p.tail.clear();
            }),
        ),
        (
            "rmv.event-reduced-first",
            with(v2(), |p| p.events.splice(..0, [28, 0, 0]).for_each(drop)),
        ),
        (
            "rmv.event-time-order",
            with(v2(), |p| {
                let at = find(p, 3, is_long_mouse);
                p.events[at + 1] = 1;
            }),
        ),
        (
            "rmv.event-time-range",
            with(v2(), |p| {
                p.events.extend(mouse(1, 0xFF_FFFF, 0, 0, 0));
                p.events.extend([28, 1, 0]);
            }),
        ),
        (
            "rmv.event-position",
            with(v2(), |p| {
                let ms = end_ms(p);
                p.events.extend(mouse(1, ms, 0, i16::MIN, 0));
                p.events.extend([28, 0, 0xF0]);
            }),
        ),
        (
            "rmv.event-cell",
            with(v2(), |p| {
                let at = find(p, 5, is_board);
                p.events[at + 1] = 200;
            }),
        ),
        (
            "rmv.termination-missing",
            with(v2(), |p| {
                p.ending.clear();
                p.tail.clear();
            }),
        ),
        ("rmv.tail-size", with(v2(), |p| p.tail.push(0))),
        ("rmv.trailing-bytes", with(v2(), |p| p.after.push(0))),
        ("rmv.file-size-wrong", with(v2(), |p| p.size_off = 1)),
        (
            "rmv.limit",
            with(v2(), |_| {})
                .into_iter()
                .enumerate()
                .map(|(at, b)| if at == 24 { 0x7F } else { b })
                .collect(),
        ),
        ("rmv.file-size", v2().bytes()),
        ("rmv.checksum", v2().bytes()),
        (
            "rmv.checksum-absent",
            with(v2(), |p| {
                p.clone[0] = 1;
                p.checksum.clear();
            }),
        ),
        ("rmv.checksum-none", with(v2(), |p| p.checksum.clear())),
        (
            "rmv.checksum-unusual",
            with(v2(), |p| p.checksum = vec![0; 18]),
        ),
        ("rmv.tail-absent", with(v2(), |p| p.tail.clear())),
        ("rmv.tail", with(v2(), |p| p.tail[4] ^= 1)),
        (
            "rmv.text-encoding",
            with(v1(), |p| {
                p.properties[4] = 0;
                p.info.push(0xE9);
            }),
        ),
        (
            "rmv.player-fields",
            with(v2(), |p| p.player = vec![0, 2, 0, 0]),
        ),
        ("rmv.property-extra", with(v2(), |p| p.properties.push(0))),
        ("rmv.clone-id", with(v2(), |p| p.clone[0] = 8)),
        ("rmv.clone-name", with(v2(), |p| p.clone[0] = 1)),
        (
            "rmv.extension-reserved",
            with(v2(), |p| {
                p.extensions = [&[0, 1, 5][..], b"rmv_x", &[0]].concat();
            }),
        ),
        (
            "rmv.extension-duplicate",
            with(v2(), |p| {
                p.extensions = vec![0, 2, 1, b'a', 0, 1, b'a', 0];
            }),
        ),
        (
            "rmv.move-reducible",
            with(v2(), |p| {
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
        ),
        (
            "rmv.event-timestamp",
            with(v1(), |p| p.events.splice(..0, [0; 5]).for_each(drop)),
        ),
        (
            "rmv.mine-order",
            with(v2(), |p| {
                let first: Vec<u8> = p.board.drain(8..10).collect();
                p.board.extend(first);
            }),
        ),
        (
            "rmv.board-full",
            with(v2(), |p| {
                p.board.truncate(4);
                p.board.extend([1, 1, 0, 1, 0, 0]);
                p.events.clear();
            }),
        ),
        ("rmv.level", with(v2(), |p| p.properties[3] = 2)),
        ("rmv.level-custom", with(v2(), |p| p.properties[3] = 3)),
        ("rmv.nf", with(v2(), |p| p.properties[1] = 1)),
        (
            "rmv.nf-preflags",
            with(Parts::of(&game("no-flags", 1)), |p| {
                p.preflags = [&[0, 1], &p.board[8..10]].concat();
            }),
        ),
        (
            "rmv.release-field",
            with(v1(), |p| vienna(p, "Release 3.0.2")),
        ),
        (
            "rmv.release-unusual",
            with(v1(), |p| vienna(p, "Release 5.0.0")),
        ),
        ("rmv.release-missing", with(v1(), |p| vienna(p, "Home"))),
        (
            "rmv.release-clone",
            with(v2(), |p| vienna(p, "Release 5.0.0")),
        ),
        (
            "rmv.date-missing",
            with(v2(), |p| p.board[..4].copy_from_slice(&[0; 4])),
        ),
        (
            "rmv.date-early",
            with(v2(), |p| p.board[..4].copy_from_slice(&[0, 0, 0, 1])),
        ),
        (
            "rmv.date-future",
            with(v2(), |p| p.board[..4].copy_from_slice(&[0xFF; 4])),
        ),
        ("rmv.3bv", with(v2(), |p| p.properties[4] += 1)),
        (
            "rmv.result-form",
            with(v1(), |p| replace(&mut p.result, "NICK:gametape#", "")),
        ),
        (
            "rmv.score",
            with(v1(), |p| replace(&mut p.result, "SCORE:", "SCORE:1")),
        ),
        (
            "rmv.score-plus-one",
            with(v1(), |p| {
                p.player = vec![0, 1, 0];
                let ms = end_ms(p);
                let score = |ms: u32| format!("SCORE:{}.{:02}#", ms / 1000, ms % 1000 / 10);
                replace(&mut p.result, &score(ms), &score(ms + 1000));
            }),
        ),
        (
            "rmv.result-value",
            with(v1(), |p| {
                replace(&mut p.result, "TIMESTAMP:", "TIMESTAMP:1");
            }),
        ),
        (
            "rmv.result-nf",
            with(v1(), |p| replace(&mut p.result, "NF:0", "NF:1")),
        ),
        (
            "rmv.result-text",
            with(v1(), |p| {
                replace(&mut p.result, "NICK:gametape", "NICK:other");
            }),
        ),
        (
            "rmv.result-text-encoding",
            with(v1(), |p| replace(&mut p.result, "NAME:S", "NAME:Ś")),
        ),
        (
            "rmv.first-event",
            with(v2(), |p| p.events[0] = MouseAction::LeftDown.code()),
        ),
        ("rmv.no-mouse", with(v2(), |p| p.events.clear())),
        (
            "rmv.buttons",
            with(v2(), |p| {
                let at = find(p, 2, is_long_mouse);
                p.events[at + 4] ^= 1;
            }),
        ),
        ("rmv.buttons-unknown", with(v2(), |p| p.events[4] |= 0x80)),
        (
            "rmv.board-event",
            with(v2(), |p| {
                let at = find(
                    p,
                    8,
                    |event| matches!(event, Event::Board(b) if b.face.code() == 19),
                );
                p.events[at] = 20;
            }),
        ),
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
        (
            "rmv.button-moved",
            with(Parts::of(&game("aborted", 1)), |p| {
                let ms = end_ms(p);
                p.events.extend(mouse(2, ms, 1, 5000, 0));
                p.events.extend(mouse(1, ms, 1, 5000, 0));
            }),
        ),
        (
            "rmv.button-place",
            with(Parts::of(&game("aborted", 1)), |p| {
                let ms = end_ms(p);
                p.events.extend(mouse(2, ms, 1, 5000, 0));
            }),
        ),
        (
            "rmv.button-outside",
            with(Parts::of(&game("aborted", 1)), |p| {
                let ms = end_ms(p);
                p.events.extend(mouse(1, ms, 0, 5000, 0));
                p.events.extend(mouse(1, ms, 1, 5001, 0));
            }),
        ),
        (
            "rmv.after-end",
            with(v2(), |p| {
                let ms = end_ms(p);
                p.events.extend(mouse(1, ms, 0, 0, 0));
            }),
        ),
        ("rmv.outcome", with(v2(), |p| p.ending[0] = 15)),
        (
            "rmv.time",
            with(v2(), |p| {
                p.ending[3] ^= 1;
                p.tail[4] ^= 1;
            }),
        ),
        (
            "rmv.time-later",
            with(Parts::of(&game("aborted", 1)), |p| {
                let later = (end_ms(p) + 500).to_be_bytes();
                p.ending[1..].copy_from_slice(&later[1..]);
                p.tail[2..].copy_from_slice(&later[1..]);
            }),
        ),
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
        (
            "rmv.result-duplicate",
            with(v1(), |p| {
                replace(&mut p.result, "NICK:", "SCORE:0.01#NICK:");
            }),
        ),
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
        (
            "rmv.hint-instant",
            with(v2(), |p| {
                let ms = end_ms(p);
                p.events.extend(mouse(2, ms, 1, 100, 0));
            }),
        ),
        (
            "rmv.hint-speed",
            with(v2(), |p| {
                let ms = end_ms(p);
                p.events.extend(mouse(1, ms, 0, 1, 1));
                p.events.extend(mouse(1, ms, 0, 120, 110));
            }),
        ),
        (
            "rmv.hint-pause",
            with(v2(), |p| {
                let ms = end_ms(p) + 20_001;
                p.events.extend(mouse(1, ms, 0, 0, 0));
            }),
        ),
        (
            "rmv.hint-button",
            with(v2(), |p| {
                let ms = end_ms(p);
                p.events.extend(mouse(3, ms, 0, 0, 0));
            }),
        ),
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
