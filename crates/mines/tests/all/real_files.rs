//! Real recordings of ViennaSweeper: read, written back, replayed, measured.

use gametape_mines::rmv::{self, Severity};
use gametape_mines::{Metrics, replay};

use crate::common::{codes, real_files, tapes};

fn is_refused(name: &str) -> bool {
    name.ends_with("_utf8_invalid")
}

#[test]
fn strict_reading_accepts_all_but_the_invalid_texts_and_writes_the_same_bytes() {
    for (name, bytes) in real_files() {
        match rmv::read(&bytes) {
            Ok(game) => {
                assert!(!is_refused(&name), "{name}");
                assert_eq!(rmv::write(&game).unwrap(), bytes, "{name}");
                let owned = game.into_owned();
                assert_eq!(rmv::write(&owned).unwrap(), bytes, "{name}");
            }
            Err(error) => {
                assert!(is_refused(&name), "{name}: {error}");
                assert_eq!(error.code(), "rmv.text-utf8");
            }
        }
    }
}

#[test]
fn the_engine_gives_every_board_event() {
    for (name, bytes) in real_files() {
        let game = rmv::read_with(&bytes, rmv::ReadOptions::lenient())
            .unwrap()
            .game;
        let replayed = replay(&game);
        assert_eq!(replayed.divergence, None, "{name}");
        assert_eq!((replayed.moved, replayed.unmoved), (None, None), "{name}");
        assert_eq!(replayed.after_end, None, "{name}");
    }
}

#[test]
fn the_audit_finds_nothing_but_known_deviations() {
    for (name, bytes) in real_files() {
        let audit = rmv::audit(&bytes);
        let worst = audit.findings.worst().unwrap();
        let expected = if is_refused(&name) {
            Severity::Error
        } else {
            Severity::Info
        };
        assert_eq!(worst, expected, "{name}: {:?}", audit.findings);
        assert!(audit.findings.has("rmv.checksum"), "{name}");
    }
}

/// The statistics on which two independent tools agree.
#[test]
fn statistics_are_those_of_other_tools() {
    for (name, bytes) in real_files() {
        let expected = match name.as_str() {
            "test_rmv1_utf8_basic" => ([128, 98, 104, 11, 11, 81, 29, 56, 143], 0.771, 5709.8),
            "flop_intermediate" => ([33, 26, 29, 4, 9, 23, 8, 14, 42], 0.733, 1831.7),
            _ => continue,
        };
        let metrics = Metrics::of(&rmv::read(&bytes).unwrap());
        let (board, clicks) = (&metrics.board, &metrics.clicks);
        let found = [
            board.bbbv,
            board.zini,
            board.hzini,
            board.openings,
            board.islands,
            clicks.left,
            clicks.right,
            clicks.double,
            clicks.effective(),
        ];
        assert_eq!(found, expected.0, "{name}");
        assert!(
            (metrics.ioe().unwrap() - expected.1).abs() < 0.0005,
            "{name}"
        );
        assert!((clicks.path_px - expected.2).abs() < 0.05, "{name}");
        assert_eq!(clicks.solved_bbbv, board.bbbv, "{name}");
    }
}

/// Every truncation is an error for the strict reader and a finding of the audit. Events before the
/// cut survive lenient reading and salvage.
#[test]
fn every_truncation_is_noticed_and_salvaged() {
    for (name, bytes) in real_files() {
        if is_refused(&name) || bytes.len() > 20_000 {
            continue;
        }
        let whole = rmv::read(&bytes).unwrap();
        let start = whole.events.offset() as usize;
        for cut in 0..bytes.len() {
            let part = &bytes[..cut];
            let error = rmv::read(part).unwrap_err();
            assert!(error.is_truncated(), "{name} cut at {cut}: {error}");
            assert!(
                rmv::audit(part).findings.has("rmv.truncated"),
                "{name} cut at {cut}"
            );
            if cut < start {
                continue;
            }
            let lenient = rmv::read_with(part, rmv::ReadOptions::lenient())
                .unwrap()
                .game;
            let kept = lenient.events.as_bytes();
            assert!(
                whole.events.as_bytes().starts_with(kept),
                "{name} cut at {cut}"
            );
            assert!(
                cut.saturating_sub(start + kept.len()) < 36,
                "{name} cut at {cut}"
            );
            if cut % 7 == 0 {
                let (written, salvaged) = rmv::salvage(part).unwrap();
                let audit = rmv::audit(&written);
                assert!(kept.starts_with(salvaged.game.events.as_bytes()));
                assert_ne!(
                    audit.findings.worst(),
                    Some(Severity::Error),
                    "{name} cut at {cut}"
                );
            }
        }
    }
}

/// The games of `tapes/vienna-3.0.2H`: verdict, the findings that are not in every file, and L, R,
/// D and effective clicks.
const VIENNA: &[(&str, Severity, &[&str], [u32; 4])] = {
    const FINE: Severity = Severity::Info;
    &[
        ("both-buttons-closed-cell-moving", FINE, &[], [15, 0, 1, 15]),
        ("both-buttons-closed-cell", FINE, &[], [7, 1, 4, 9]),
        ("both-buttons-flag", FINE, &[], [11, 1, 4, 12]),
        (
            "button-moved-from-beside",
            FINE,
            &["rmv.button-moved"],
            [10, 2, 4, 14],
        ),
        (
            "button-moved-last-release",
            FINE,
            &["rmv.button-moved"],
            [9, 0, 0, 9],
        ),
        (
            "button-moved-left-down",
            FINE,
            &["rmv.button-moved"],
            [11, 0, 0, 9],
        ),
        (
            "button-moved-left-up",
            FINE,
            &["rmv.button-moved"],
            [6, 2, 5, 12],
        ),
        (
            "button-moved-no-events",
            FINE,
            &["rmv.button-moved"],
            [10, 0, 0, 9],
        ),
        ("left-down-beside-board", FINE, &[], [7, 0, 0, 5]),
        ("negative-x", FINE, &[], [9, 3, 4, 15]),
        (
            "press-outside-window",
            FINE,
            &["rmv.button-outside"],
            [11, 3, 4, 18],
        ),
        ("right-again-clicks", FINE, &[], [10, 3, 9, 18]),
        ("right-again-closed-cell", FINE, &[], [18, 3, 4, 23]),
        ("right-again-opens", FINE, &[], [8, 1, 5, 12]),
        (
            "tampered-click-shifted",
            Severity::Warning,
            &["rmv.button-place"],
            [0; 4],
        ),
        (
            "tampered-late-events",
            Severity::Error,
            &["rmv.board-event"],
            [0; 4],
        ),
        (
            "tampered-move-after-end",
            Severity::Error,
            &["rmv.after-end"],
            [0; 4],
        ),
        (
            "tampered-release-shown",
            Severity::Error,
            &["rmv.board-event"],
            [0; 4],
        ),
    ]
};

#[test]
fn games_of_release_3_0_2_pass_and_tampered_ones_do_not() {
    let files = tapes("vienna-3.0.2H");
    for &(name, worst, found, clicks) in VIENNA {
        let Some((_, bytes)) = files.iter().find(|(file, _)| file == name) else {
            assert!(files.is_empty(), "{name} is missing");
            return;
        };
        let audit = rmv::audit(bytes);
        let in_every_file = ["rmv.checksum", "rmv.rank-board", "rmv.rank-3bv"];
        let codes = codes(&audit.findings).into_iter();
        let codes: Vec<_> = codes.filter(|code| !in_every_file.contains(code)).collect();
        assert_eq!(codes, found, "{name}: {:?}", audit.findings);
        assert_eq!(
            audit.findings.worst(),
            Some(worst),
            "{name}: {:?}",
            audit.findings
        );
        let game = audit.game.unwrap();
        assert_eq!(rmv::write(&game).unwrap(), *bytes, "{name}");
        if worst == Severity::Info {
            let found = Metrics::of(&game).clicks;
            let found = [found.left, found.right, found.double, found.effective()];
            assert_eq!(found, clicks, "{name}");
            assert_eq!(replay(&game).divergence, None, "{name}");
        }
    }
}
