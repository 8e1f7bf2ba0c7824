//! The rules of the game, one by one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_core::table::{Scan, Value};
use gametape_core::tape::{Format, Source, Tape, Work};
use gametape_mines::engine::{Doubt, Status};
use gametape_mines::rmv::{self, Severity};
use gametape_mines::tape::Rmv;
use gametape_mines::{
    Buttons, Engine, Event, Game, Metrics, Minefield, MouseAction, Version, replay,
};
use gametape_testkit::mines::simulator::{brings_its_move, clicks, events_of, expected};
use gametape_testkit::mines::{forgeries_of_laws, mouse_of, random_game};

use crate::common::board::{board, mouse, text};
use crate::common::{findings, rewritten, tapes};

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

const GAMES: u64 = 50;

fn games() -> impl Iterator<Item = (u64, Game<'static>)> {
    let games = (0..GAMES).flat_map(|seed| {
        [Version::V1, Version::V2].map(|version| {
            let game = random_game(version, &mut fastrand::Rng::with_seed(seed));
            (seed, game)
        })
    });
    // Which cells open after the mine of a chord is not known.
    games.filter(|(_, game)| {
        let lost_chord = replay(game).doubted;
        lost_chord.is_none_or(|doubted| doubted.why != Doubt::LostChord)
    })
}

/// The clicks by the engine: left, right, double, effective.
fn ours(game: &Game<'_>) -> [u32; 4] {
    let clicks = Metrics::of(game).clicks;
    [clicks.left, clicks.right, clicks.double, clicks.effective()]
}

/// The clicks by the second simulator.
fn theirs(game: &Game<'_>) -> [u32; 4] {
    let clicks = clicks(game);
    [clicks.left, clicks.right, clicks.double, clicks.effective]
}

/// Findings about the play that a game by the laws never has.
const FALSE: [&str; 7] = [
    "rmv.board-event",
    "rmv.board-event-unproven",
    "rmv.buttons",
    "rmv.button-place",
    "rmv.after-end",
    "rmv.outcome",
    "rmv.time",
];

#[test]
fn the_engine_gives_what_the_second_simulator_gives() {
    let (mut moved, mut outside) = (0, 0);
    for (seed, game) in games() {
        let what = format!("{:?}, seed {seed}", game.version());
        let replayed = replay(&game);
        assert_eq!(replayed.divergence, None, "{what}");
        assert_eq!(
            (replayed.unmoved, replayed.after_end),
            (None, None),
            "{what}"
        );
        let mouse = mouse_of(&game);
        let own_moves = (0..mouse.len()).filter(|&at| brings_its_move(&mouse, at));
        let times = replayed.moved.map_or(0, |found| found.times);
        assert_eq!(times as usize, own_moves.count(), "{what}");
        assert_eq!(ours(&game), theirs(&game), "{what}");
        let found = findings(&game);
        for code in FALSE {
            assert!(!found.has(code), "{what}: {found:?}");
        }
        moved += u32::from(found.has("rmv.button-moved"));
        outside += u32::from(found.has("rmv.button-outside"));
        let bytes = rmv::write(&game).unwrap();
        assert_eq!(rmv::read(&bytes).unwrap(), game, "{what}");
    }
    assert!(moved > 20 && outside > 20, "{moved} {outside}");
}

/// At each moment, the tables show the same board by the recording and by the rules.
#[test]
fn tables_show_one_board_at_every_moment() {
    for (seed, game) in games().step_by(10) {
        let tape: Arc<dyn Tape> = Rmv.open(Source::new(rmv::write(&game).unwrap())).unwrap();
        let columns = ["step", "col", "row", "recorded", "rules"];
        let scan = Scan::table("board").columns(columns);
        let mut rows = 0;
        tape.scan_table(&scan, &Work::default(), |batch| {
            let columns = batch.columns();
            let text = |column: usize, row| match columns[column].get(row) {
                Value::Text(text) => text.to_owned(),
                other => format!("{other:?}"),
            };
            for row in 0..batch.len() {
                let at = [0, 1, 2].map(|column| text(column, row));
                assert_eq!(text(3, row), text(4, row), "seed {seed}, {at:?}");
                rows += 1;
            }
            Ok(ControlFlow::Continue(()))
        })
        .unwrap()
        .whole()
        .unwrap();
        assert!(rows > 0);
    }
}

/// The finding that reveals a forgery, and the least severity of the file.
fn reveals(forgery: &str) -> (&'static str, Severity) {
    match forgery {
        "shifted" | "own-move-dropped" | "early" => ("rmv.button-place", Severity::Warning),
        "move-after-end" => ("rmv.after-end", Severity::Error),
        _ => ("rmv.board-event", Severity::Error),
    }
}

fn genuine() -> impl Iterator<Item = (String, Game<'static>)> {
    let folders = ["rmv", "vienna-3.0.2H"];
    let files = folders.into_iter().flat_map(tapes);
    files.filter_map(|(name, bytes)| {
        let is_genuine = !name.starts_with("tampered") && !name.ends_with("_utf8_invalid");
        is_genuine.then(|| (name, rmv::read(&bytes).unwrap().into_owned()))
    })
}

#[test]
fn a_broken_law_is_found() {
    let mut tried = BTreeMap::<&str, u32>::new();
    let random = games().map(|(seed, game)| (format!("seed {seed}"), game));
    for (name, game) in random.chain(genuine()) {
        assert_eq!(events_of(&game), expected(&game), "{name}");
        assert_eq!(ours(&game), theirs(&game), "{name}");
        for seed in 0..3 {
            for (forgery, forged) in forgeries_of_laws(&game, &mut fastrand::Rng::with_seed(seed)) {
                let (code, severity) = reveals(forgery);
                let found = findings(&forged);
                assert!(found.has(code), "{forgery} of {name}: {found:?}");
                assert!(
                    found.worst() >= Some(severity),
                    "{forgery} of {name}: {found:?}"
                );
                *tried.entry(forgery).or_default() += 1;
            }
        }
    }
    assert!(
        tried.len() == 9 && tried.values().all(|&times| times > 20),
        "{tried:?}"
    );
}

/// A tenth of the moves that change nothing is taken out. The buttons then no longer follow a move to
/// their pixel.
#[test]
fn missing_moves_are_found_by_the_buttons_after_them() {
    let mut judged = 0;
    let mut games = genuine().peekable();
    let are_there = games.peek().is_some();
    for (name, game) in games {
        let mut rng = fastrand::Rng::with_seed(7);
        let events: Vec<Event> = game.events.iter().collect();
        let is_quiet = |at: usize| {
            let acts = matches!(events.get(at + 1), Some(Event::Board(_)));
            matches!(events[at], Event::Mouse(mouse) if mouse.action == Move) && !acts
        };
        let mut dropped = 0;
        let kept: Vec<Event> = (0..events.len())
            .filter(|&at| {
                let drop = is_quiet(at) && rng.u8(..10) == 0;
                dropped += u32::from(drop);
                !drop
            })
            .map(|at| events[at])
            .collect();
        let found = findings(&rewritten(&game, kept));
        // A game of few clicks may keep the moves before all of them.
        if dropped > 100 {
            assert!(found.has("rmv.button-place"), "{name}: {found:?}");
            judged += 1;
        }
    }
    assert!(judged > 0 || !are_there);
}
