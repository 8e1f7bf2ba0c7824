//! Versions 1 and 2, and version 3 of packages 1.3.2 and 1.3.3: see `tests/versions/README.md`.

use std::path::Path;

use crate::common::{everybody, read_all, read_strictly, seen};
use gametape_echo::{Frame, Game, Holding, ReadOptions, butter};

const NAMES: [&str; 6] = [
    "1-arena",
    "1-combat",
    "2-arena",
    "2-combat",
    "early-3-arena",
    "early-3-combat",
];

fn old(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/versions");
    std::fs::read(folder.join(format!("{name}.butter"))).unwrap()
}

/// A held player is the account there, and the player's number in the file of ours, which has no hands in combat.
fn as_ours(mut frame: Frame, game: Game) -> Frame {
    let session = frame.session.clone();
    for player in everybody(&mut frame) {
        for hand in [&mut player.holding_left, &mut player.holding_right] {
            match hand {
                _ if game == Game::Combat => *hand = None,
                Some(Holding::Number(number)) => {
                    let held = session.player_by_userid(*number).unwrap();
                    *number = held.playerid.try_into().unwrap();
                }
                _ => {}
            }
        }
    }
    frame
}

#[test]
fn every_part_of_every_old_version_comes_back_to_the_last_bit() {
    for name in NAMES {
        let bytes = old(name);
        let file = butter::read(&bytes).unwrap();
        let game = file.header().unwrap().map_name().game();
        let read = read_strictly(&bytes).frames;
        let recorded = read_strictly(&old(&format!("{name}.recorded"))).frames;
        assert_eq!(read.len(), recorded.len());
        let hands = read.iter().flat_map(|frame| frame.session.players());
        let held =
            hands.filter(|(_, player)| matches!(player.holding_left, Some(Holding::Number(_))));
        assert_eq!(
            held.count() > 0,
            !name.ends_with("combat") || name.starts_with('1'),
            "{name}"
        );
        for (at, (mut a, b)) in recorded.into_iter().zip(read).enumerate() {
            if name == "1-combat" {
                // There are no loadouts yet.
                everybody(&mut a).for_each(|player| player.loadout = None);
            }
            assert!(a == as_ours(b, game), "{name}, frame {at}");
        }
        let seen = seen(&bytes);
        assert_eq!(seen.chunks, 3);
        let early = if name.starts_with("early") { 3 } else { 0 };
        assert_eq!(seen.early_chunks, early, "{name}");
        assert!(file.index().iter().all(|info| info.error.is_none()));
        // Salvage leaves the file as it is.
        assert!(butter::salvage(&bytes).unwrap().0 == bytes);
    }
}

#[test]
fn an_early_file_that_is_cut_keeps_its_whole_frames() {
    let bytes = old("early-3-arena");
    let first = butter::read(&bytes).unwrap().chunks()[0];
    let whole = read_strictly(&bytes).frames;
    let mut seen = 0;
    for cut in 0..=(first.offset + first.size) as usize {
        let read = read_all(&bytes[..cut], ReadOptions::lenient()).frames;
        // One frame alone does not show that the file is early.
        assert!(read.len() < 2 || read == whole[..read.len()], "{cut}");
        seen = seen.max(read.len());
    }
    assert_eq!(seen, 3);
}

#[cfg(feature = "tape")]
#[test]
fn parts_of_old_versions_read_like_the_whole() {
    use crate::cut::{cut, errors, steps};
    use gametape_echo::tape::Butter;

    let told = gametape_core::tape::Options::new();
    for name in NAMES {
        let whole = old(name);
        let decoded = read_strictly(&whole).frames;
        for (from, to) in [(0, 5), (0, 7), (3, 4), (3, 8), (4, 7), (7, 8), (6, 6)] {
            let (part, cutout) = cut(&Butter, &whole, steps(from, to), &told);
            let read = read_strictly(&part).frames;
            let report = errors(&decoded[from..=to], &read).report();
            let beyond = report.numbers.iter().find(|number| number.beyond > 0);
            assert!(beyond.is_none(), "{name} {from} to {to}: {beyond:?}");
            // Where whole chunks are copied, the version stays, and so does every bit.
            let is_old = butter::read(&part).unwrap().header().unwrap().version < 3;
            if !name.starts_with("early") && from % 3 == 0 {
                assert!(is_old && read == decoded[from..=to] && !cutout.converted.is_lossy());
            }
        }
    }
}
