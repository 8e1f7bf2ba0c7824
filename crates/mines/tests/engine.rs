//! The rules of the game, one by one.

use gametape_mines::engine::Status;
use gametape_mines::{Board, Buttons, Cell, Engine, Minefield, MouseAction, MouseEvent};

/// Plays a game on a picture of a board: `*` mine, `.` safe, one square a character.
struct Table {
    engine: Engine,
}

fn event(action: MouseAction, col: i32, row: i32) -> MouseEvent {
    MouseEvent {
        action,
        time_ms: 0,
        buttons: Buttons::NONE,
        x: col * 16 + 5,
        y: row * 16 + 5,
        reduced: false,
    }
}

impl Table {
    fn new(picture: &[&str], marks: bool) -> Self {
        let mines = picture.iter().enumerate().flat_map(|(row, line)| {
            line.bytes()
                .enumerate()
                .filter(|(_, square)| *square == b'*')
                .map(move |(col, _)| Cell::new(col as u8, row as u8))
        });
        let board = Board::new(picture[0].len() as u32, picture.len() as u32, mines, 0).unwrap();
        Self {
            engine: Engine::new(Minefield::new(&board), 16, marks),
        }
    }

    /// A game whose first event, which would press by itself, is past.
    fn started(picture: &[&str], marks: bool) -> Self {
        let mut table = Self::new(picture, marks);
        table.play(Move, -9, -9);
        table
    }

    /// Plays one action at a cell and says what the board did, as `code(col,row)`.
    fn play(&mut self, action: MouseAction, col: i32, row: i32) -> String {
        let event = event(action, col, row);
        let mut shown = Vec::new();
        self.engine.apply(&event, &mut shown);
        shown
            .iter()
            .map(|e| format!("{}{}{}", e.face.name(), e.cell.col, e.cell.row))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

use MouseAction::{LeftDown, LeftUp, MiddleDown, MiddleUp, Move, RightDown, RightUp};

#[test]
fn moving_releases_the_old_area_and_then_presses_the_new_one() {
    let mut table = Table::started(&["....", "...*"], false);
    assert_eq!(table.play(RightDown, 3, 1), "flag31");
    table.play(RightUp, 3, 1);
    table.play(RightDown, 0, 0);
    table.play(RightUp, 0, 0);
    // (0, 0) has a flag now: it is never pressed.
    table.play(RightDown, 1, 0);
    assert_eq!(table.play(RightUp, 1, 0), "");
    assert_eq!(table.play(LeftDown, 0, 1), "pressed01");
    assert_eq!(table.play(Move, 1, 1), "closed01 pressed11");
    assert_eq!(
        table.play(RightDown, 1, 1),
        "closed11 pressed20 pressed01 pressed21 pressed11"
    );
    assert_eq!(
        table.play(Move, 2, 1),
        "closed20 closed01 closed21 closed11 pressed20 pressed30 pressed11 pressed21"
    );
}

#[test]
fn openings_unfold_depth_first_and_row_major() {
    let mut table = Table::started(&["...", "...", "..*"], false);
    table.play(LeftDown, 0, 0);
    assert_eq!(
        table.play(LeftUp, 0, 0),
        "open_000 open_010 open_020 open_111 open_121 open_001 open_002 open_112"
    );
    assert_eq!(table.engine.status(), Status::Won);
}

#[test]
fn a_chord_fires_on_the_first_release_and_leaves_a_dead_left_button() {
    let picture = ["*..", "...", "..."];
    let mut table = Table::started(&picture, false);
    table.play(LeftDown, 1, 1);
    assert_eq!(table.play(LeftUp, 1, 1), "open_111");
    table.play(RightDown, 0, 0);
    table.play(RightUp, 0, 0);
    table.play(LeftDown, 1, 1);
    table.play(RightDown, 1, 1);
    let opened = table.play(RightUp, 1, 1);
    assert!(opened.starts_with("open_110 open_020"), "{opened}");
    assert_eq!(table.engine.status(), Status::Won);

    // Not enough flags: the area is let go, and the left button is dead.
    let mut table = Table::started(&picture, false);
    table.play(LeftDown, 1, 1);
    table.play(LeftUp, 1, 1);
    table.play(LeftDown, 1, 1);
    table.play(RightDown, 1, 1);
    let released = table.play(RightUp, 1, 1);
    assert_eq!(released.matches("closed").count(), 8);
    assert_eq!(table.play(Move, 2, 2), "");
    assert_eq!(table.play(LeftUp, 2, 2), "");
    table.play(LeftDown, 2, 2);
    assert!(table.play(LeftUp, 2, 2).starts_with("open_022"));
}

#[test]
fn the_middle_button_is_a_chord_of_its_own() {
    let mut table = Table::started(&["*.", ".."], false);
    table.play(RightDown, 0, 0);
    table.play(RightUp, 0, 0);
    table.play(LeftDown, 1, 1);
    table.play(LeftUp, 1, 1);
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
        "no safe square: nothing to open"
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
