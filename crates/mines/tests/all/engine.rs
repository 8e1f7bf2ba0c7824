//! The rules of the game, one by one.

use gametape_mines::engine::Status;
use gametape_mines::{Buttons, Engine, Minefield, MouseAction};

use crate::common::board::{board, mouse, text};

/// Plays a game on the picture of a [`board`].
struct Table {
    engine: Engine,
}

impl Table {
    fn new(picture: &[&str], marks: bool) -> Self {
        let board = board(picture);
        Self {
            engine: Engine::new(Minefield::new(&board), 16, marks),
        }
    }

    /// A game after its first event, which would press by itself.
    fn started(picture: &[&str], marks: bool) -> Self {
        let mut table = Self::new(picture, marks);
        table.play(Move, -9, -9);
        table
    }

    /// Plays one action at a cell and returns the board events.
    fn play(&mut self, action: MouseAction, col: i32, row: i32) -> String {
        let mut shown = Vec::new();
        let event = mouse(action, 0, Buttons::NONE, col, row);
        self.engine.apply(&event, &mut shown);
        text(&shown)
    }

    /// Clicks a cell; returns the board events of the release.
    fn click(&mut self, [down, up]: [MouseAction; 2], col: i32, row: i32) -> String {
        self.play(down, col, row);
        self.play(up, col, row)
    }
}

use MouseAction::{LeftDown, LeftUp, MiddleDown, MiddleUp, Move, RightDown, RightUp};

const LEFT: [MouseAction; 2] = [LeftDown, LeftUp];
const RIGHT: [MouseAction; 2] = [RightDown, RightUp];

#[test]
fn moving_releases_the_old_area_and_then_presses_the_new_one() {
    let mut table = Table::started(&["....", "...*"], false);
    assert_eq!(table.play(RightDown, 3, 1), "flag31");
    table.play(RightUp, 3, 1);
    table.click(RIGHT, 0, 0);
    // (0, 0) has a flag now, so it is never pressed.
    assert_eq!(table.click(RIGHT, 1, 0), "");
    assert_eq!(table.play(LeftDown, 0, 1), "pressed01");
    assert_eq!(table.play(Move, 1, 1), "closed01 pressed11");
    assert_eq!(
        table.play(RightDown, 1, 1),
        "pressed20 pressed01 pressed21 pressed11",
        "nothing is released first, and the cell is pressed once more"
    );
    assert_eq!(
        table.play(Move, 2, 1),
        "closed20 closed01 closed21 closed11 pressed20 pressed30 pressed11 pressed21"
    );
}

#[test]
fn openings_unfold_depth_first_and_row_major() {
    let mut table = Table::started(&["...", "...", "..*"], false);
    assert_eq!(
        table.click(LEFT, 0, 0),
        "open_000 open_010 open_020 open_111 open_121 open_001 open_002 open_112"
    );
    assert_eq!(table.engine.status(), Status::Won);
}

#[test]
fn a_chord_fires_on_the_first_release_and_leaves_a_dead_left_button() {
    let picture = ["*..", "...", "..."];
    let mut table = Table::started(&picture, false);
    assert_eq!(table.click(LEFT, 1, 1), "open_111");
    table.click(RIGHT, 0, 0);
    table.play(LeftDown, 1, 1);
    table.play(RightDown, 1, 1);
    let opened = table.play(RightUp, 1, 1);
    assert!(opened.starts_with("open_110 open_020"), "{opened}");
    assert_eq!(table.engine.status(), Status::Won);

    // There are too few flags: the area is released, and the left button has no effect.
    let mut table = Table::started(&picture, false);
    table.click(LEFT, 1, 1);
    table.play(LeftDown, 1, 1);
    table.play(RightDown, 1, 1);
    let released = table.play(RightUp, 1, 1);
    assert_eq!(released.matches("closed").count(), 8);
    assert_eq!(table.play(Move, 2, 2), "");
    assert_eq!(table.play(LeftUp, 2, 2), "");
    assert!(table.click(LEFT, 2, 2).starts_with("open_022"));
}

#[test]
fn the_middle_button_is_a_chord_of_its_own() {
    let mut table = Table::started(&["*.", ".."], false);
    table.click(RIGHT, 0, 0);
    table.click(LEFT, 1, 1);
    assert_eq!(table.play(MiddleDown, 1, 1), "pressed10 pressed01");
    assert_eq!(table.play(MiddleUp, 1, 1), "open_110 open_101");
    assert_eq!(table.play(MiddleUp, 1, 1), "", "the game is over");
}

#[test]
fn marks_turn_flags_into_question_marks() {
    let mut table = Table::started(&["*..", "..."], true);
    assert_eq!(table.play(RightDown, 0, 0), "flag00");
    table.play(RightUp, 0, 0);
    assert_eq!(table.play(RightDown, 0, 0), "qm00");
    table.play(RightUp, 0, 0);
    assert_eq!(table.play(LeftDown, 0, 0), "pressed_qm00");
    assert_eq!(table.play(Move, 1, 0), "qm00 pressed10");
    assert_eq!(table.play(Move, 0, 0), "closed10 pressed_qm00");
    assert_eq!(table.play(LeftUp, 0, 0), "open_blast00");
    assert_eq!(table.engine.status(), Status::Lost);

    let mut table = Table::started(&["*"], false);
    assert_eq!(
        table.engine.status(),
        Status::Won,
        "no safe cell: nothing to open"
    );
    assert_eq!(table.play(RightDown, 0, 0), "");
}

#[test]
fn only_the_very_first_release_presses_by_itself() {
    let mut table = Table::new(&["**", ".."], false);
    assert_eq!(table.play(LeftUp, 1, 1), "pressed11 open_211");
    assert_eq!(table.play(LeftUp, 0, 1), "");
    assert_eq!(table.play(Move, -1, 5), "");
    assert_eq!(table.play(LeftDown, -1, 1), "");
    assert_eq!(table.play(Move, 0, 1), "pressed01");
}
