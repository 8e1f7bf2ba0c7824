//! Personal data is removed and reported, and nothing else is changed.

use gametape_mines::rmv::{self, Findings, Personal, Severity};
use gametape_mines::{Encoding, Extensions, Game, PlayerFields, Text};
use gametape_samples::mines::person::{Hand, Release};
use gametape_samples::mines::play;
use gametape_samples::mines::with_result;

use crate::common::{real_files, scenario};

/// A game with every kind of personal data that the file can have.
fn somebodys(release: Release) -> Game<'static> {
    let hand = Hand::of(release, 3);
    let mut game = play(&scenario("beginner-win"), release, &[hand], 3).unwrap();
    let fields: &[&str] = match game.player.len() {
        1 => &["Ada Lovelace"],
        _ => &["Ada Lovelace", "countess", "Albion", "SECRET-TOKEN"],
    };
    game.player = PlayerFields::new(fields).unwrap();
    with_result(&mut game, "NAME", "Ada Lovelace");
    with_result(&mut game, "NICK", "countess");
    if let Encoding::V2 { extensions, .. } = &mut game.encoding {
        *extensions = Extensions::new([
            ("player_id", "4711"),
            ("vsweep_skin_fname", "C:\\Users\\Lovelace\\skin.bmp"),
        ])
        .unwrap();
    }
    game
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

fn errors(findings: &Findings) -> Vec<&'static str> {
    let bad = |finding: &&rmv::Finding| finding.severity() == Severity::Error;
    findings
        .iter()
        .filter(bad)
        .map(rmv::Finding::code)
        .collect()
}

#[test]
fn nothing_that_names_the_player_is_left() {
    for release in Release::ALL {
        let game = somebodys(release);
        let (redacted, losses) = rmv::redact(&game, &[]);
        let bytes = rmv::write(&redacted).unwrap();
        for text in [
            "Ada", "Lovelace", "countess", "Albion", "SECRET", "4711", "skin",
        ] {
            assert!(!has(&bytes, text), "{release:?}: {text} is left");
        }
        let stamp = game.board.timestamp;
        assert!(!has(&bytes, &stamp.to_string()), "{release:?}");
        assert!(!bytes.windows(4).any(|w| w == stamp.to_be_bytes()));
        assert_eq!(rmv::read(&bytes).unwrap(), redacted, "{release:?}");
        assert_eq!(redacted.file_size, game.file_size);
        assert_eq!(redacted.events, game.events);
        let said: Vec<String> = losses.iter().map(ToString::to_string).collect();
        let mut expected = vec!["the player's name"];
        if game.player.len() > 1 {
            expected.extend([
                "the player's nickname",
                "the player's country",
                "the player's token",
            ]);
        }
        expected.push("the time the board was made");
        match release {
            // The home editions before 4.0 have the nickname only in the result string.
            Release::R2_2 | Release::R3_0 | Release::R3_0_2 => {
                expected.push("the player's nickname");
            }
            Release::R4_0 => {}
            Release::R5_0 => expected.extend([
                "extension property \"player_id\"",
                "extension property \"vsweep_skin_fname\"",
            ]),
        }
        expected.push("the checksum: it covers the old form, and its algorithm is unpublished");
        assert_eq!(said, expected, "{release:?}");

        let found = rmv::audit(&bytes).findings;
        assert_eq!(errors(&found), Vec::<&str>::new(), "{release:?}");
        assert!(found.has("rmv.date-missing") && found.has("rmv.checksum-absent"));
    }
}

#[test]
fn personal_data_is_kept_on_request() {
    for release in Release::ALL {
        let game = somebodys(release);
        let (all, losses) = rmv::redact(&game, &Personal::ALL);
        assert_eq!((&all, losses.as_slice()), (&game, &[][..]), "{release:?}");
        for kept in Personal::ALL {
            let (redacted, losses) = rmv::redact(&game, &[kept]);
            assert!(!losses.contains(&rmv::Loss::Personal(kept)), "{kept:?}");
            let bytes = rmv::write(&redacted).unwrap();
            let (text, is_there) = match kept {
                Personal::Name => ("Lovelace", true),
                Personal::Nick => ("countess", true),
                Personal::Country => ("Albion", game.player.len() > 1),
                Personal::Token => ("SECRET-TOKEN", game.player.len() > 1),
                Personal::Date => {
                    assert_eq!(redacted.board.timestamp, game.board.timestamp);
                    continue;
                }
                Personal::Extensions => ("4711", release == Release::R5_0),
            };
            assert_eq!(has(&bytes, text), is_there, "{release:?}, {kept:?}");
            assert!(kept == Personal::Name || !has(&bytes, "Ada"), "{kept:?}");
        }
    }
}

/// Tournament editions have the token in NICK: keeping the nickname does not keep it.
#[test]
fn a_nickname_that_may_be_a_token_is_one() {
    let mut game = somebodys(Release::R3_0_2);
    game.version_info = Text::from("Vienna Minesweeper - Tournament Edition - Release 3.0.2");
    with_result(&mut game, "NICK", "SECRET-TOKEN");
    let (redacted, losses) = rmv::redact(&game, &[Personal::Nick, Personal::Name]);
    assert!(!has(&rmv::write(&redacted).unwrap(), "SECRET"));
    assert!(losses.contains(&rmv::Loss::Personal(Personal::Token)));
    let (kept, _) = rmv::redact(&game, &[Personal::Token]);
    assert!(has(&rmv::write(&kept).unwrap(), "SECRET"));
}

/// A value of unknown meaning may be a name.
#[test]
fn other_parts_of_the_result_string_are_removed() {
    let mut game = somebodys(Release::R4_0);
    let Encoding::V1 { result } = &mut game.encoding else {
        panic!("version 1");
    };
    let text = String::from_utf8(result.as_bytes().to_vec()).unwrap();
    let more = text.replace("#NF:", "#MAIL:ada@example.org#Lovelace#NF:");
    *result = Text::from(more);
    let (redacted, losses) = rmv::redact(&game, &[]);
    let bytes = rmv::write(&redacted).unwrap();
    assert!(!has(&bytes, "example") && !has(&bytes, "Lovelace"));
    assert!(losses.contains(&rmv::Loss::ResultExtra));
    let Encoding::V1 { result } = &redacted.encoding else {
        panic!("version 1");
    };
    let result = rmv::ResultString::parse(result.as_bytes());
    assert_eq!(result.get("TIMESTAMP"), Some(&b"0"[..]));
    assert_eq!(result.get("LEVEL"), Some(&b"Beginner"[..]));
}

#[test]
fn real_recordings_are_redacted() {
    for (name, bytes) in real_files() {
        let Ok(game) = rmv::read(&bytes) else {
            continue;
        };
        let (redacted, losses) = rmv::redact(&game, &[]);
        let bytes = rmv::write(&redacted).unwrap();
        assert_eq!(rmv::read(&bytes).unwrap(), redacted, "{name}");
        assert!(losses.contains(&rmv::Loss::Personal(Personal::Name)));
        // The authors of the program are not the player.
        assert!(!has(&bytes, "ralokt"), "{name}");
        assert_eq!(errors(&rmv::audit(&bytes).findings), Vec::<&str>::new());
    }
}
