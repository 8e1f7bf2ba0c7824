//! Unpublished rules excuse the board events that they might produce, and no others.

use gametape_mines::rmv::Severity;
use gametape_mines::{
    BoardEvent, Buttons, Cell, Event, Face, Game, Metrics, Minefield, MouseAction, MouseEvent,
    Outcome, replay,
};

use gametape_samples::mines::record;

use crate::common::board::Recording;
use crate::common::{audited, findings, game, rewritten, scenario};

use MouseAction::{LeftDown, LeftUp, MiddleDown, MiddleUp, Move, RightDown};

/// Adds a middle click outside of the board after every `every`th mouse event that leaves no button
/// held. `release` says whether the button is released.
fn with_middle_clicks(game: &Game<'_>, every: usize, release: bool) -> Game<'static> {
    let mut events: Vec<Event> = Vec::new();
    let mut quiet = 0usize;
    let mut last: Option<MouseEvent> = None;
    for event in &game.events {
        if let Event::Mouse(mouse) = event {
            if let Some(before) = last.filter(|before| before.buttons == Buttons::NONE) {
                if quiet.is_multiple_of(every) && (release || quiet == 0) {
                    events.extend(middle_click(&before, release));
                }
                quiet += 1;
            }
            last = Some(mouse);
        }
        events.push(match event {
            // A button that is never released stays in nFlags.
            Event::Mouse(mut mouse) if !release && quiet > 0 => {
                mouse.buttons.0 |= Buttons::MIDDLE.0;
                Event::Mouse(mouse)
            }
            event => event,
        });
    }
    rewritten(game, events)
}

/// After it the cursor is where it was before.
fn middle_click(before: &MouseEvent, release: bool) -> Vec<Event> {
    let event = |action, buttons| {
        Event::Mouse(MouseEvent {
            action,
            time_ms: before.time_ms,
            buttons,
            x: -5,
            y: -5,
            reduced: false,
        })
    };
    let mut click = vec![
        event(Move, Buttons::NONE),
        event(MiddleDown, Buttons::MIDDLE),
    ];
    if release {
        click.push(event(MiddleUp, Buttons::NONE));
        click.push(Event::Mouse(MouseEvent {
            action: Move,
            reduced: false,
            ..*before
        }));
    }
    click
}

/// Every way to alter one board event of a recording: another face, left out, repeated, another
/// cell.
fn forgeries(game: &Game<'_>, at: usize) -> Vec<(&'static str, Game<'static>)> {
    let events: Vec<Event> = game.events.iter().collect();
    let Event::Board(board) = events[at] else {
        panic!("a board event");
    };
    let other_face = BoardEvent {
        face: match board.face {
            Face::Number(number) => Face::Number((number + 1) % 9),
            Face::Flag => Face::Closed,
            _ => Face::Flag,
        },
        ..board
    };
    let far = Cell::new(
        (board.cell.col + game.board.cols / 2) % game.board.cols,
        (board.cell.row + game.board.rows / 2) % game.board.rows,
    );
    let number = Minefield::new(&game.board).number(far);
    let elsewhere = BoardEvent {
        cell: far,
        face: match board.face {
            Face::Number(_) => Face::Number(number),
            face => face,
        },
    };
    let with = |change: &dyn Fn(&mut Vec<Event>)| {
        let mut events = events.clone();
        change(&mut events);
        rewritten(game, events)
    };
    vec![
        (
            "another face",
            with(&|events| events[at] = Event::Board(other_face)),
        ),
        (
            "left out",
            with(&|events| {
                events.remove(at);
            }),
        ),
        (
            "told twice",
            with(&|events| events.insert(at, Event::Board(board))),
        ),
        (
            "another cell",
            with(&|events| events[at] = Event::Board(elsewhere)),
        ),
    ]
}

/// The indices of some board events after the first opening, including the last one.
fn some_board_events(game: &Game<'_>) -> Vec<usize> {
    let places: Vec<usize> = (0..)
        .zip(&game.events)
        .filter(|(_, event)| matches!(event, Event::Board(_)))
        .map(|(at, _)| at)
        .collect();
    let step = (places.len() / 23).max(1);
    places
        .iter()
        .rev()
        .step_by(step)
        .take(20)
        .copied()
        .collect()
}

/// The bug for which this file was written: a middle click that could not have any effect turned
/// every later error into a warning.
#[test]
fn a_middle_click_beside_the_board_excuses_nothing() {
    for name in [
        "beginner-win",
        "intermediate-win",
        "v1-beginner-win",
        "clumsy",
    ] {
        for every in [usize::MAX, 1, 7] {
            let sound = with_middle_clicks(&game(name, 2), every, true);
            let (severity, found) = audited(&sound);
            assert_eq!(severity, Some(Severity::Info), "{name}: {found:?}");
            for at in some_board_events(&sound) {
                for (what, forged) in forgeries(&sound, at) {
                    let (_, found) = audited(&forged);
                    assert!(
                        found.contains(&"rmv.board-event"),
                        "{name}, every {every}, event {at} {what}: {found:?}"
                    );
                }
            }
        }
    }
}

/// The middle button is held from the first click to the last. A program that ignores it produces
/// the recording that the other buttons give. Anything that they cannot produce remains an error.
#[test]
fn a_held_middle_button_excuses_no_more_than_the_mouse_can_do() {
    for (name, seed) in [("beginner-win", 2), ("beginner-win", 3), ("no-flags", 2)] {
        let sound = with_middle_clicks(&game(name, seed), usize::MAX, false);
        let (severity, found) = audited(&sound);
        assert_eq!(severity, Some(Severity::Warning), "{name}: {found:?}");
        assert!(found.contains(&"rmv.board-event-unproven"), "{found:?}");
        let replayed = replay(&sound);
        assert_eq!(replayed.fault, None);
        assert!(replayed.doubted.is_some_and(|doubted| doubted.times > 1));
        let events: Vec<Event> = sound.events.iter().collect();
        for at in some_board_events(&sound) {
            let Event::Board(board) = events[at] else {
                continue;
            };
            for (what, forged) in forgeries(&sound, at) {
                // An unknown middle button could decide whether a press shows and whether a flag is
                // set. It could cause none of the other changes.
                if what == "left out" && !matches!(board.face, Face::Number(_)) {
                    continue;
                }
                let (severity, found) = audited(&forged);
                assert_eq!(
                    severity,
                    Some(Severity::Error),
                    "{name}, {board:?} {what}: {found:?}"
                );
            }
        }
    }
}

/// A wide board with three mines; a single click opens the opening on the right.
const WIDE: [&str; 3] = ["*..*....", ".*......", "........"];

/// A game on [`WIDE`]: the number in (2, 0) is open, its two mines are flagged.
fn flagged() -> Recording {
    let mut game = Recording::new(&WIDE);
    game.plays(LeftUp, 2, 0);
    for (col, row) in [(3, 0), (1, 1)] {
        game.flags(col, row);
    }
    game
}

#[test]
fn a_middle_button_that_does_nothing_is_in_doubt_and_the_rest_is_not() {
    let mut game = flagged();
    game.says(MiddleDown, 2, 0, "").says(MiddleUp, 2, 0, "");
    // The cells that the middle button would have opened are closed, so a click can open them.
    game.says(LeftDown, 2, 1, "pressed21")
        .says(LeftUp, 2, 1, "open_221");
    let (findings, replayed) = game.left();
    assert_eq!(replayed.fault, None);
    assert_eq!(replayed.doubted.map(|doubted| doubted.times), Some(1));
    assert_eq!(findings.worst(), Some(Severity::Warning), "{findings:?}");
    let doubt = findings
        .iter()
        .find(|finding| finding.code() == "rmv.board-event-unproven")
        .unwrap();
    assert_eq!(
        doubt.message(),
        "the recording says nothing more, standard rules give cell (1, 0) shows pressed; the \
         specification leaves the middle button open; so the board events of 1 mouse event are \
         in doubt"
    );

    // Once the middle button is up, the left one behaves normally.
    game.says(LeftDown, 1, 0, "pressed10")
        .says(LeftUp, 1, 0, "open_310");
    let (findings, replayed) = game.left();
    assert!(findings.has("rmv.board-event"), "{findings:?}");
    assert_eq!(replayed.doubted.map(|doubted| doubted.times), Some(1));
}

#[test]
fn a_middle_button_that_chords_as_it_goes_down_is_in_doubt() {
    let mut game = flagged();
    game.says(MiddleDown, 2, 0, "open_210 open_221 open_131")
        .says(MiddleUp, 2, 0, "");
    assert_eq!(game.left().1.fault, None);
    for wrong in [
        // A number that is not the cell's, half a chord, a cell out of reach, a cell twice.
        "open_310 open_221 open_131",
        "open_210 open_221",
        "open_210 open_221 open_131 open_112",
        "open_210 open_221 open_131 open_131",
        "open_210 open_221 open_131 flag22",
        "open_210 open_221 open_131 closed21",
        "open_210 open_221 open_131 pressed70",
    ] {
        let mut game = flagged();
        game.says(MiddleDown, 2, 0, wrong).says(MiddleUp, 2, 0, "");
        assert!(game.left().1.fault.is_some(), "{wrong}");
    }
}

#[test]
fn a_middle_click_opens_only_cells_that_a_chord_could() {
    // One of two flags is missing, so no program chords here.
    let mut game = Recording::new(&WIDE);
    game.plays(LeftUp, 2, 0);
    game.flags(3, 0);
    for _ in 0..20 {
        game.says(MiddleDown, 2, 0, "").says(MiddleUp, 2, 0, "");
    }
    let sound = game.left().1;
    assert_eq!(sound.fault, None);
    assert_eq!(sound.doubted.map(|doubted| doubted.times), Some(20));
    game.says(MiddleDown, 2, 0, "")
        .says(MiddleUp, 2, 0, "open_210 open_221 open_131");
    assert!(game.left().1.fault.is_some());

    // A closed cell cannot be chorded either.
    for opened in [
        "open_221",
        "open_122",
        "open_blast11",
        "open_blast00",
        "open11",
    ] {
        let mut game = Recording::new(&WIDE);
        game.plays(LeftUp, 2, 0);
        game.says(MiddleDown, 1, 0, "").says(MiddleUp, 1, 0, opened);
        assert!(game.left().1.fault.is_some(), "{opened}");
    }
}

/// If the middle button alone wins a game, the recorded cells decide the ending.
#[test]
fn the_ending_is_that_of_the_recorded_board() {
    let mut game = Recording::new(&["*..", "..."]);
    game.plays(LeftUp, 1, 0);
    game.flags(0, 0);
    // The chord would win, but the recording shows no change.
    game.says(MiddleDown, 1, 0, "").says(MiddleUp, 1, 0, "");
    for (outcome, sound) in [
        (Outcome::Other, true),
        (Outcome::Win, false),
        (Outcome::Blast, false),
    ] {
        let (findings, _) = game.ended(outcome);
        assert_eq!(!findings.has("rmv.outcome"), sound, "{outcome}");
        assert!(findings.has("rmv.board-event-unproven"));
    }
}

/// A cell with a question mark may open with its neighbours or stay closed.
#[test]
fn question_marks_may_stay_closed_and_nothing_else_may() {
    // A question mark is on (3, 1), and the opening is clicked at (3, 0).
    let start = || {
        let mut game = Recording::new(&["*......", "......*", "......."]);
        game.marks();
        game.plays(LeftUp, 1, 0);
        for _ in 0..2 {
            game.flags(3, 1);
        }
        game.plays(LeftDown, 3, 0);
        game
    };
    let standard = start().gives(LeftUp, 3, 0);
    assert!(standard.contains("open_031"), "{standard}");
    let stays: Vec<&str> = standard
        .split(' ')
        .filter(|event| *event != "open_031")
        .collect();

    let mut game = start();
    game.says(LeftUp, 3, 0, &stays.join(" "));
    let (findings, replayed) = game.left();
    assert_eq!(replayed.fault, None);
    assert_eq!(replayed.doubted.map(|doubted| doubted.times), Some(1));
    assert_eq!(findings.worst(), Some(Severity::Warning), "{findings:?}");

    // The cell can still be opened, and the engine knows it.
    game.says(LeftDown, 3, 1, "pressed_qm31")
        .says(LeftUp, 3, 1, "open_031");
    assert_eq!(game.left().1.doubted.map(|doubted| doubted.times), Some(1));

    // Every other cell of the opening must open.
    for left_out in 1..stays.len() {
        let mut less = stays.clone();
        let gone = less.remove(left_out);
        let mut game = start();
        game.says(LeftUp, 3, 0, &less.join(" "));
        assert!(game.left().1.fault.is_some(), "without {gone}");
    }
    for more in [
        "open_160",
        "open_111",
        "flag22",
        "open_blast61",
        "pressed31",
    ] {
        let mut game = start();
        game.says(LeftUp, 3, 0, &format!("{} {more}", stays.join(" ")));
        assert!(game.left().1.fault.is_some(), "{more}");
    }
}

#[test]
fn a_question_mark_may_refuse_a_press_and_its_neighbours_may_not() {
    let start = || {
        let mut game = Recording::new(&["*.*", "...", "..."]);
        game.marks();
        game.plays(LeftUp, 1, 0);
        for times in [(0, 0, 1), (2, 0, 1), (0, 1, 2)] {
            for _ in 0..times.2 {
                game.flags(times.0, times.1);
            }
        }
        game
    };
    // A chord beside a question mark that is neither pressed nor opened.
    let mut game = start();
    game.says(LeftDown, 1, 0, "")
        .says(RightDown, 1, 0, "pressed11 pressed21")
        .says(LeftUp, 1, 0, "open_211 open_121");
    let (findings, replayed) = game.left();
    assert_eq!(replayed.fault, None, "{findings:?}");
    assert_eq!(replayed.doubted.map(|doubted| doubted.times), Some(1));
    // A chord beside a question mark that is pressed and released.
    let mut game = start();
    game.plays(LeftDown, 1, 0).plays(RightDown, 1, 0);
    game.says(LeftUp, 1, 0, "qm01 open_211 open_121");
    let (findings, replayed) = game.left();
    assert_eq!(replayed.fault, None, "{findings:?}");
    assert_eq!(replayed.doubted.map(|doubted| doubted.times), Some(1));

    for (pressed, opened) in [
        ("pressed11", "open_211 open_121"),
        ("pressed11 pressed21", "open_211"),
        ("pressed11 pressed21", ""),
        ("pressed11 pressed21", "open_211 open_121 closed01"),
    ] {
        let mut game = start();
        game.says(LeftDown, 1, 0, "")
            .says(RightDown, 1, 0, pressed)
            .says(LeftUp, 1, 0, opened);
        assert!(game.left().1.fault.is_some(), "{pressed}, {opened}");
    }

    // The effect of a right press on a flag is defined by the marks setting, so it is not in doubt.
    let mut game = start();
    game.says(RightDown, 0, 0, "closed00");
    assert!(game.left().1.fault.is_some());
}

/// After the mine of a lost chord, the other cells may open in any order, or not at all.
#[test]
fn the_rest_of_a_lost_chord_is_in_doubt() {
    // A mine that comes before the other cells.
    let picture = ["..*", "...", "..."];
    let early = || {
        let mut game = Recording::new(&picture);
        game.plays(LeftUp, 1, 1);
        game.flags(0, 0);
        game.plays(LeftDown, 1, 1).plays(RightDown, 1, 1);
        game
    };
    let standard = early().gives(LeftUp, 1, 1);
    assert_eq!(
        standard,
        "open_110 open_blast20 open_001 open_002 open_012 open_121 open_022"
    );
    for (recorded, times) in [
        (standard.as_str(), 0),
        ("open_110 open_blast20", 1),
        (
            "open_110 open20 open_022 open_012 open_001 open_121 open_002",
            1,
        ),
        ("open_110 open_blast20 open_002", 1),
    ] {
        let mut game = early();
        game.says(LeftUp, 1, 1, recorded);
        let (findings, replayed) = game.ended(Outcome::Blast);
        assert_eq!(replayed.fault, None, "{recorded}");
        assert_eq!(replayed.doubted.map_or(0, |doubted| doubted.times), times);
        assert!(!findings.has("rmv.board-event"), "{findings:?}");
    }
    for recorded in [
        // A wrong number, a cell twice, a cell outside of the chord, the flag, a press.
        "open_110 open_blast20 open_101",
        "open_110 open_blast20 open_001 open_001",
        "open_110 open_blast20 open_110",
        "open_110 open_blast20 open_000",
        "open_110 open_blast20 closed00",
        "open_110 open_blast20 pressed01",
        // Before the mine the order is that of every chord.
        "open_blast20 open_110",
        "open_110 open_001 open_blast20",
    ] {
        let mut game = early();
        game.says(LeftUp, 1, 1, recorded);
        let (findings, _) = game.ended(Outcome::Blast);
        assert!(findings.has("rmv.board-event"), "{recorded}");
    }
    // A single click on a mine opens only that mine.
    let mut game = Recording::new(&picture);
    game.plays(LeftUp, 1, 1).plays(LeftDown, 2, 0);
    game.says(LeftUp, 2, 0, "open_blast20 open_110");
    assert!(game.ended(Outcome::Blast).0.has("rmv.board-event"));
}

/// The cells that a chord opens are taken back each time the recording shows that nothing opened.
/// An audit does this for as many cells as sixteen boards have, and no more.
#[test]
fn chords_that_do_nothing_are_excused_for_so_long() {
    let times = |times: u32| {
        let mut game = flagged();
        for _ in 0..times {
            game.says(MiddleDown, 2, 0, "pressed10 pressed21 pressed31")
                .says(MiddleUp, 2, 0, "closed10 closed21 closed31");
        }
        game.left().1
    };
    // Each chord would open 3 of the 21 safe cells.
    let most = 16 * 21 / 3;
    let replayed = times(most);
    assert_eq!(replayed.fault, None);
    assert_eq!(replayed.doubted.map(|doubted| doubted.times), Some(most));
    let replayed = times(most + 1);
    assert!(replayed.fault.is_some());
    assert_eq!(replayed.doubted.map(|doubted| doubted.times), Some(most));
}

/// The statistics count what the recording shows, not what the standard rules would have shown.
#[test]
fn statistics_follow_the_recorded_board() {
    let mut game = flagged();
    game.says(MiddleDown, 2, 0, "").says(MiddleUp, 2, 0, "");
    game.says(LeftDown, 2, 1, "pressed21")
        .says(LeftUp, 2, 1, "open_221");
    let metrics = Metrics::of(&game.game(Outcome::Other));
    assert_eq!(metrics.clicks.opened, 2);
    assert_eq!(
        (metrics.clicks.double, metrics.clicks.double_effective),
        (1, 0)
    );
    assert_eq!((metrics.clicks.left, metrics.clicks.left_effective), (2, 2));
}

/// The order in which a lost chord opens its cells is not published. So a cell that is left out
/// after the blast is unproven, and one left out before it is an error. A wrong number is always an
/// error.
#[test]
fn cells_left_out_after_a_blast_are_unproven() {
    let scenario = scenario("loss-by-chord");
    let mut unproven = 0;
    for seed in 0..40 {
        let game = record(&scenario, seed).unwrap();
        let mut events: Vec<Event> = game.events.iter().collect();
        let Some(Event::Board(mut last)) = events.pop() else {
            panic!("a loss ends with a board event");
        };
        let is_after_blast = last.face != Face::Blast;
        let found = |events: &[Event]| {
            let findings = findings(&rewritten(&game, events.iter().copied()));
            (
                findings.has("rmv.board-event-unproven"),
                findings.has("rmv.board-event"),
            )
        };
        assert_eq!(
            found(&events),
            (is_after_blast, !is_after_blast),
            "seed {seed}"
        );
        last.face = if last.face == Face::Number(1) {
            Face::Number(2)
        } else {
            Face::Number(1)
        };
        events.push(Event::Board(last));
        assert_eq!(found(&events), (false, true), "seed {seed}");
        unproven += u32::from(is_after_blast);
    }
    assert!((1..40).contains(&unproven), "{unproven}");
}
