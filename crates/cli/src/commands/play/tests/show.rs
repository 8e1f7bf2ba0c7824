//! Tests of the keys.

use std::time::Duration;

use gametape::core::surface::{Marker, MarkerKind};
use gametape::{At, Kind, Lane, Severity, Stamp, Time, Value};

use super::made::{answer, batch, player, stamp, table};
use crate::commands::play::messages;
use crate::commands::play::player::Player;
use crate::commands::play::player::actions::{Action, Then};
use gametape_picture::scene::views::View;

fn counted() -> Player {
    player(
        vec![table("score", Lane::State, &[("points", Kind::Uint)])],
        true,
    )
}

/// Answers a request; false if there is none.
fn reach(player: &mut Player, step: u64) -> bool {
    let Some(request) = player.request() else {
        return false;
    };
    let table = player.opened.tables[0].clone();
    let at = stamp(step, true);
    let state = batch(&table, at, &[&[Value::Uint(step)]]);
    player.show(answer(request, at, vec![state]));
    true
}

fn typed(player: &mut Player, text: &str) {
    player.act(Action::Ask);
    for letter in text.chars() {
        player.act(Action::Letter(letter));
    }
    player.act(Action::Enter);
}

#[test]
fn it_asks_for_the_start_and_then_for_nothing() {
    let mut player = counted();
    let request = player.request().unwrap();
    assert_eq!((request.to, request.steps), (Some(At::Step(0)), 0));
    assert_eq!(player.request(), None);
    player.show(answer(request, stamp(0, true), Vec::new()));
    assert!(!player.tick(Duration::from_secs(1)), "it stands");
    assert_eq!(player.request(), None);
}

#[test]
fn it_plays_and_asks_for_what_is_due() {
    let mut player = counted();
    reach(&mut player, 0);
    player.act(Action::Toggle);
    assert!(player.tick(Duration::from_millis(250)));
    let request = player.request().unwrap();
    assert_eq!(request.to, Some(At::Time(Time::from_ms(250))));
    // The answer of an earlier step does not set the clock back.
    player.show(answer(request, stamp(2, true), Vec::new()));
    player.tick(Duration::from_millis(50));
    assert_eq!(
        player.request().unwrap().to,
        Some(At::Time(Time::from_ms(300)))
    );
    player.act(Action::Toggle);
    let request = player.request();
    assert_eq!(request, None, "it stands");
    player.tick(Duration::from_secs(1));
    assert_eq!(player.request(), None);
}

#[test]
fn an_answer_that_is_late_is_not_shown_after_a_newer_one() {
    let mut player = counted();
    let first = player.request().unwrap();
    player.act(Action::End);
    let last = player.request().unwrap();
    player.show(answer(last, stamp(100, true), Vec::new()));
    player.show(answer(first, stamp(0, true), Vec::new()));
    assert_eq!(player.now(), stamp(100, true));
}

#[test]
fn steps_stand_and_the_clock_goes_where_they_lead() {
    let mut player = counted();
    reach(&mut player, 0);
    player.act(Action::Toggle);
    player.act(Action::Step(1));
    player.act(Action::Step(1));
    assert!(!player.clock.is_playing());
    let request = player.request().unwrap();
    assert_eq!((request.to, request.steps), (None, 2));
    player.show(answer(request, stamp(7, true), Vec::new()));
    assert_eq!(player.clock.moment(), At::Time(Time::from_ms(700)));
    player.act(Action::Step(-1));
    assert_eq!(player.request().unwrap().steps, -1);
}

#[test]
fn a_moment_is_typed() {
    let mut player = counted();
    reach(&mut player, 0);
    for (text, at) in [
        ("3.5", At::Time(Time::from_ms(3500))),
        ("0:03.5", At::Time(Time::from_ms(3500))),
        ("tick:7", At::Tick(7)),
        ("step:7", At::Step(7)),
        ("50%", At::Time(Time::from_ms(5000))),
    ] {
        typed(&mut player, text);
        assert_eq!(player.request().unwrap().to, Some(at), "{text}");
        assert_eq!(player.message, None);
    }
    typed(&mut player, "soon");
    assert_eq!(player.request(), None);
    assert!(
        player
            .message
            .as_ref()
            .unwrap()
            .starts_with("\"soon\": a moment is a time such as")
    );
    player.act(Action::Ask);
    player.act(Action::Letter('7'));
    player.act(Action::Erase);
    player.act(Action::Erase);
    assert_eq!(player.typing.as_deref(), Some(""));
    player.act(Action::Cancel);
    assert_eq!((player.typing.clone(), player.request()), (None, None));
    // In a recording without times, a number is a step.
    let mut player = super::made::player(Vec::new(), false);
    typed(&mut player, "60");
    assert_eq!(player.request().unwrap().to, Some(At::Step(60)));
}

#[test]
fn while_it_is_sought_the_clock_waits_and_what_is_not_there_is_said() {
    let mut player = counted();
    reach(&mut player, 0);
    player.act(Action::Toggle);
    typed(&mut player, "tick:7");
    let request = player.request().unwrap();
    assert!(!player.tick(Duration::from_millis(200)));
    assert!(
        player.tick(Duration::from_millis(200)),
        "it is late: that is shown"
    );
    assert!(player.is_late());
    player.refuse(
        request.number,
        "tick 7: the recording has no ticks".to_owned(),
    );
    assert_eq!(
        player.message.as_deref(),
        Some("tick 7: the recording has no ticks")
    );
    assert_eq!(player.clock.moment(), At::Step(0));
    player.tick(Duration::from_millis(1));
    assert!(!player.is_late());
}

#[test]
fn the_start_is_shown_if_the_first_moment_is_refused() {
    let mut player = counted();
    player.go(At::Step(5000));
    let request = player.request().unwrap();
    player.refuse(request.number, "step 5000 is not recorded".to_owned());
    assert_eq!(player.request().unwrap().to, Some(At::Step(0)));
}

#[test]
fn markers_are_gone_to_one_after_the_other() {
    let mut player = counted();
    reach(&mut player, 0);
    let mark = |step: Option<u64>, kind, text: &str| Marker {
        stamp: step.map(|step| stamp(step, true)),
        kind,
        source: String::new(),
        text: text.to_owned(),
        count: 1,
    };
    player.mark(vec![
        mark(Some(80), MarkerKind::Event, "late goal"),
        mark(Some(20), MarkerKind::Event, "early goal"),
        mark(None, MarkerKind::Finding(Severity::Info), "odd size"),
    ]);
    player.mark(vec![mark(
        Some(20),
        MarkerKind::Finding(Severity::Error),
        "cheat",
    )]);
    let order: Vec<&str> = player.marks.iter().map(|mark| &*mark.text).collect();
    assert_eq!(
        order,
        ["cheat", "odd size", "early goal", "late goal"],
        "worst first"
    );
    for step in [20, 80] {
        player.act(Action::Mark(1));
        assert!(reach(&mut player, step));
    }
    player.act(Action::Mark(1));
    assert_eq!(
        player.message.as_deref(),
        Some("no marker after this moment")
    );
    player.act(Action::Mark(-1));
    assert_eq!(player.request().unwrap().to, Some(At::Step(20)));
    player.show(answer(
        messages::Request::default(),
        stamp(20, true),
        Vec::new(),
    ));
    // From the list.
    assert!(player.choose("markers"));
    player.act(Action::Move(0, 3));
    player.act(Action::Enter);
    assert_eq!(player.request().unwrap().to, Some(At::Step(80)));
    player.act(Action::Move(0, -2));
    player.act(Action::Enter);
    assert_eq!(
        player.message.as_deref(),
        Some("it is of the recording as a whole")
    );
}

#[test]
fn no_marker_at_a_shared_time_is_left_out() {
    let mut player = counted();
    reach(&mut player, 0);
    let at = |step| Marker {
        stamp: Some(Stamp {
            step,
            ..stamp(20, true)
        }),
        kind: MarkerKind::Event,
        source: "clicks".to_owned(),
        text: String::new(),
        count: 1,
    };
    player.mark(vec![at(21), at(20), at(22)]);
    for (on, step) in [(1, 20), (1, 21), (1, 22), (-1, 21), (-1, 20)] {
        player.act(Action::Mark(on));
        let request = player.request().unwrap();
        assert_eq!(request.to, Some(At::Step(step)), "{on}");
        let there = Stamp {
            step,
            ..stamp(20, true)
        };
        player.show(answer(request, there, Vec::new()));
    }
    // Faster than they are shown.
    for step in [21, 22] {
        player.act(Action::Mark(1));
        assert_eq!(player.request().unwrap().to, Some(At::Step(step)));
    }
}

#[test]
fn views_are_gone_through_and_each_asks_for_its_own() {
    let mut player = player(
        vec![
            table("score", Lane::State, &[("points", Kind::Uint)]),
            table("goals", Lane::Events, &[("team", Kind::Text)]),
        ],
        true,
    );
    let names: Vec<&str> = player.views.iter().map(View::name).collect();
    assert_eq!(names, ["score", "goals", "markers"]);
    assert_eq!(player.request().unwrap().query.states[0].table, "score");
    player.act(Action::NextView(1));
    assert_eq!(
        player.request().unwrap().query.events.unwrap().table,
        "goals"
    );
    // All of it is known: nothing has to be read.
    player.whole.insert("goals".to_owned(), Vec::new());
    assert_eq!(player.request().unwrap().query, messages::Query::default());
    player.act(Action::NextView(-2));
    assert_eq!(player.view, 2);
    player.act(Action::View(0));
    player.act(Action::View(8));
    assert_eq!(player.view, 0);
    assert_eq!(player.act(Action::Quit), Then::End);
}

#[test]
fn the_probe_stays_on_the_grid() {
    let grid = table(
        "grid",
        Lane::Grid,
        &[
            ("*row", Kind::Int),
            ("*col", Kind::Int),
            ("value", Kind::Uint),
        ],
    );
    let mut player = player(vec![grid.clone()], false);
    let cells: Vec<[Value<'_>; 3]> = (0..6)
        .map(|at| {
            [
                Value::Int(at / 3),
                Value::Int(at % 3),
                Value::Uint(at as u64),
            ]
        })
        .collect();
    let rows: Vec<&[Value<'_>]> = cells.iter().map(<[_; 3]>::as_slice).collect();
    let request = player.request().unwrap();
    let state = batch(&grid, stamp(0, false), &rows);
    player.show(answer(request, stamp(0, false), vec![state]));
    let probe = |player: &Player| player.seen().unwrap().1.probe;
    player.act(Action::Move(9, 1));
    assert_eq!(probe(&player), [2, 1]);
    player.act(Action::Move(-1, 9));
    assert_eq!(probe(&player), [1, 1]);
    player.act(Action::Move(-9, -9));
    assert_eq!(probe(&player), [0, 0]);
}
