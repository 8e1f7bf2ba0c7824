//! The book: its page of findings, its table of modes, and its examples of what counts as a click, a
//! flag or a path.

use gametape_core::table::kit;
use gametape_core::tape::Format as _;
use gametape_mines::metrics::Clicks;
use gametape_mines::tape::Rmv;
use gametape_mines::{Buttons, Cell, Event, Metrics, Mode, MouseAction, Outcome};

use crate::common::board::Recording;

use MouseAction::{LeftDown, LeftUp, MiddleDown, MiddleUp, Move, RightDown, RightUp};

#[test]
fn the_page_of_findings_matches_the_rules() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/rmv/findings.md"
    );
    kit::findings(path, &Rmv.rules());
}

#[test]
fn every_mode_is_in_the_book() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/rmv/format.md");
    let book = std::fs::read_to_string(path).unwrap();
    for mode in Mode::ALL {
        let rules = mode.rules();
        let unknown = rules.unknown.unwrap_or("nothing");
        let (code, name, changes) = (mode.code(), mode.name(), rules.changes);
        let row = format!("| {code} | {name} | {changes} | {unknown} |");
        assert!(book.lines().any(|line| line == row), "{row}");
    }
}

/// A board with a mine in the top left corner and one in the top right corner.
const BOARD: [&str; 3] = ["*...*", ".....", "....."];

/// The counts of actions after the first click, which is on (1, 0) and shows a 1.
fn counted(deeds: &[(MouseAction, i32, i32)]) -> Clicks {
    let mut recording = Recording::new(&BOARD);
    recording.plays(LeftUp, 1, 0);
    for &(action, col, row) in deeds {
        recording.plays(action, col, row);
    }
    Metrics::of(&recording.game(Outcome::Other)).clicks
}

/// Left, right, double and effective clicks, without the first one.
fn clicks(deeds: &[(MouseAction, i32, i32)]) -> [u32; 4] {
    let clicks = counted(deeds);
    [
        clicks.left - 1,
        clicks.right,
        clicks.double,
        clicks.effective() - 1,
    ]
}

#[test]
fn clicks_count_as_the_book_says() {
    let first = counted(&[]);
    assert_eq!(
        (first.total(), first.effective()),
        (1, 1),
        "the first click"
    );
    let flag = [(RightDown, 0, 0), (RightUp, 0, 0)];
    for (what, deeds, expected) in [
        (
            "closed",
            &[(LeftDown, 0, 1), (LeftUp, 0, 1)][..],
            [1, 0, 0, 1],
        ),
        ("open", &[(LeftDown, 1, 0), (LeftUp, 1, 0)], [1, 0, 0, 0]),
        ("dragged", &[(LeftDown, 0, 1), (LeftUp, 1, 1)], [1, 0, 0, 1]),
        (
            "off the board",
            &[(LeftDown, 0, 1), (LeftUp, -1, 1)],
            [0; 4],
        ),
        ("flag", &flag, [0, 1, 0, 1]),
        (
            "right on open",
            &[(RightDown, 1, 0), (RightUp, 1, 0)],
            [0, 1, 0, 0],
        ),
        (
            "chord",
            &[
                (RightDown, 1, 0),
                (LeftDown, 1, 0),
                (LeftUp, 1, 0),
                (RightUp, 1, 0),
            ],
            [0, 0, 1, 0],
        ),
        (
            "chord, left first",
            &[
                (LeftDown, 1, 0),
                (RightDown, 1, 0),
                (RightUp, 1, 0),
                (LeftUp, 1, 0),
            ],
            [0, 0, 1, 0],
        ),
        (
            "middle",
            &[(MiddleDown, 1, 0), (MiddleUp, 1, 0)],
            [0, 0, 1, 0],
        ),
    ] {
        assert_eq!(clicks(deeds), expected, "{what}");
    }
    let on_flag = [flag[0], flag[1], (LeftDown, 0, 0), (LeftUp, 0, 0)];
    assert_eq!(clicks(&on_flag), [1, 1, 0, 1], "left on a flag");
}

#[test]
fn a_press_that_flags_and_chords_is_one_and_a_half() {
    let chord = [(LeftDown, 1, 0), (LeftUp, 1, 0)];
    let one = [(RightDown, 0, 0), chord[0], chord[1], (RightUp, 1, 0)];
    assert_eq!(clicks(&one), [0, 1, 1, 2]);
    assert_eq!(counted(&one).one_and_a_half, 1);
    let two = [
        (RightDown, 0, 0),
        (RightUp, 0, 0),
        (RightDown, 1, 0),
        chord[0],
        chord[1],
        (RightUp, 1, 0),
    ];
    assert_eq!(clicks(&two), [0, 1, 1, 2]);
    assert_eq!(counted(&two).one_and_a_half, 0);
}

#[test]
fn preflags_are_no_flags_of_the_players() {
    let preflagged = |deeds: &[(MouseAction, i32, i32)]| {
        let mut recording = Recording::new(&BOARD);
        recording.preflags([Cell::new(0, 0), Cell::new(0, 2)]);
        recording.plays(LeftUp, 1, 0);
        for &(action, col, row) in deeds {
            recording.plays(action, col, row);
        }
        Metrics::of(&recording.game(Outcome::Other))
    };
    let Metrics {
        clicks, preflags, ..
    } = preflagged(&[]);
    assert_eq!(preflags, 2);
    assert_eq!((clicks.flags, clicks.misflags, clicks.total()), (0, 0, 1));
    assert_eq!(preflagged(&[]).style(), "FL");
    let plain = Recording::new(&BOARD)
        .plays(LeftUp, 1, 0)
        .game(Outcome::Other);
    assert_eq!(Metrics::of(&plain).style(), "NF");

    let off = preflagged(&[(RightDown, 0, 2), (RightUp, 0, 2)]);
    let clicks = off.clicks;
    assert_eq!((clicks.flags, clicks.unflags, clicks.right), (0, 1, 1));
}

#[test]
fn the_path_is_in_pixels() {
    let mut recording = Recording::new(&BOARD);
    recording.plays(LeftUp, 1, 0);
    let mut game = recording.game(Outcome::Other);
    for (x, y) in [(24, 9), (24, 15)] {
        let Some(Event::Mouse(mut last)) = game.events.iter().next() else {
            panic!("a mouse event");
        };
        (last.action, last.x, last.y) = (Move, x, y);
        last.buttons = Buttons::NONE;
        game.events.push_shortest(Event::Mouse(last)).unwrap();
    }
    // From (21, 5), 3 and 4 pixels further, and then 6 more.
    assert!((Metrics::of(&game).clicks.path_px - 11.0).abs() < 1e-9);
}
