//! Tests with recordings of each kind.

use gametape_samples::mines::{self, Tampering};
use snapbox::{assert_data_eq, str};

use super::TestStage;
use crate::commands::play::player::actions::Action;

#[test]
fn a_board_with_its_cursor_and_what_the_rules_say_otherwise() {
    let bytes = mines::example();
    let tampered = Tampering::BoardEvent.of(&bytes).unwrap();
    let mut stage = TestStage::open(tampered, "game.rmv").unwrap();
    stage.act(Action::Mark(1));
    assert_data_eq!(
        stage.screen(80, 24),
        str![[r#"
game.rmv  rmv v2                                        || 1x  0.701 s  step 126
 1 board  2 map  3 cursor  4 counters  5 mouse_events  6 board_events  7 game  >
 _        1 ■ ■
1 1       1 ■ ■
■ ■ 1       ■ ■
■ ■ 2!1 1 1   ■
■ ■ ■ 1 F 2<□ ■
■ ■ 1 1 1 2 F ■
■ ■ 2     1 1 1
■ ■ 2
col 0, row 0: recorded open_0, rules open_0
recorded (c: other)  ■ closed  F flag  □ pressed









0.000 s ━━━━━━━━━━━━━━━━━━X───────────────────────────────────────────── 2.472 s
X error rmv.board-event: the recording says cell (2, 3) shows 2, the rules giv …
space play , . step h l 5 s - + speed n p marker g go to tab view ? keys q quit

"#]]
    );
    // The whole game, and back: a moment looks the same from either side.
    stage.go("1");
    let seen = stage.screen(80, 24);
    stage.act(Action::End);
    let last = stage.screen(80, 24);
    assert_ne!(seen, last);
    stage.go("1");
    assert_eq!(stage.screen(80, 24), seen);
    stage.go("9:59");
    assert!(stage.screen(80, 24).contains("9:59.000 is not recorded"));
    let step = stage.player.now().step;
    stage.act(Action::Step(1));
    assert_eq!(stage.player.now().step, step + 1);
    stage.act(Action::Step(-1));
    assert_eq!(stage.player.now().step, step);
}

#[test]
fn a_broken_recording_is_played_up_to_the_damage() {
    let cut = Tampering::Cut.of(&mines::example()).unwrap();
    let mut stage = TestStage::open(cut, "cut.rmv").unwrap();
    stage.act(Action::End);
    let screen = stage.screen(80, 24);
    let header = screen.lines().next().unwrap();
    assert!(
        header.starts_with("cut.rmv  rmv v2  damaged: event "),
        "{header}"
    );
    assert!(
        screen.contains("X error rmv.truncated: the file ends in the"),
        "{screen}"
    );
}

#[test]
fn a_recording_that_is_broken_at_its_start_is_refused() {
    let bytes = mines::example();
    let refused = TestStage::open(bytes[..40].to_vec(), "start.rmv")
        .err()
        .unwrap();
    assert!(refused.starts_with("start.rmv: "), "{refused}");
    let refused = TestStage::open(b"nothing of the kind".to_vec(), "a.txt")
        .err()
        .unwrap();
    assert!(refused.starts_with("a.txt: "), "{refused}");
}

#[test]
fn a_world_is_a_heat_map_and_its_faults_are_marked() {
    use gametape::murk::engine::World;
    use gametape::murk::{Fault, Faulty};
    let world = World::from_toml(gametape_samples::murk::HEAT).unwrap();
    let fault = Fault {
        step: 30,
        field: 3,
        element: 100,
        bit: 20,
    };
    let faulty = Faulty::new(world.build().unwrap(), fault);
    let bytes = gametape_samples::murk::record(&world, faulty, 7, 40).unwrap();
    let mut stage = TestStage::open(bytes, "heat.murk").unwrap();
    stage.see("heat");
    stage.act(Action::Mark(1));
    stage.act(Action::Move(4, 6));
    assert_data_eq!(
        stage.screen(80, 24),
        str![[r#"
heat.murk  murk v3  not as recorded: frame 29…  || 1x  3.000 s  tick 30  step 29
 1 stove  2 smoke  3 haze  4 heat  5 gradient  6 ticks  7 commands  8 run  9 pa>
@@oo==--------------------------
oo==--------------------------::
==--------------------------::::
--------------------------::::::
------------------------::::::::
----------------------::::::::::
--------[]----------::::::::::::
------------------::::::::::::::
----------------::::::::::::::::
--------------::::::::::::::::::
------------::::::::::::::::::::
----------::::::::::::::::::::::
--------::::::::::::::::::::::::
------::::::::::::::::::::::::::
----::::::::::::::::::::::::::::
--::::::::::::::::::::::::::::..
row 6, col 4: value 0.001 kelvin
-20.000 .:-=+o*%#@ 100.000 kelvin

0.100 s ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━X──────────────── 4.000 s
X error murk.snapshot-mismatch: field 3 (heat) at [6, 4] is 0.0014147513 in th …
space play , . step h l 5 s - + speed n p marker g go to tab view ? keys q quit

"#]]
    );
    stage.see("gradient");
    assert!(stage.screen(80, 24).contains("value_0 (c: other)"));
    stage.act(Action::Value);
    assert!(stage.screen(80, 24).contains("value_1 (c: other)"));
}

#[test]
fn however_many_events_there_are_they_are_markers() {
    use gametape::echo::butter;
    use gametape_samples::echo::{Match, MatchOptions};
    let options = MatchOptions {
        rate_hz: 5,
        frames: Some(4000),
        players_per_team: 1,
        ..MatchOptions::default()
    };
    let frames: Vec<_> = Match::new(options).collect();
    let butter = butter::write(&frames, butter::Options::default()).unwrap();
    let stage = TestStage::open(butter, "match.butter").unwrap();
    let of = |table: &str| {
        let marks = stage.player.marks.iter();
        marks.filter(|mark| mark.source == table).count()
    };
    assert!(of("throws") > 60, "{} throws", of("throws"));
    assert!(of("goals") > 0);
}

#[test]
fn events_at_every_step_are_no_markers() {
    let bytes = mines::example();
    let mut stage = TestStage::open(bytes, "game.rmv").unwrap();
    stage.act(Action::Mark(1));
    assert_eq!(
        stage.player.message.as_deref(),
        Some("no marker after this moment")
    );
    assert!(stage.player.choose("markers"));
    let screen = stage.screen(80, 24);
    assert!(screen.contains("mouse_events × "), "{screen}");
    assert!(
        screen.contains("too close together for the timeline"),
        "{screen}"
    );
}

#[test]
fn a_match_is_a_map_with_goals_as_markers() {
    use gametape::echo::butter;
    use gametape_samples::echo::{Match, MatchOptions};
    let options = MatchOptions {
        seed: 3,
        rate_hz: 10,
        frames: Some(300),
        players_per_team: 2,
        ..MatchOptions::default()
    };
    let frames: Vec<_> = Match::new(options).collect();
    let butter = butter::write(&frames, butter::Options::default()).unwrap();
    let mut stage = TestStage::open(butter, "match.butter").unwrap();
    stage.go("12.5");
    assert_data_eq!(
        stage.screen(80, 24),
        str![[r#"
match.butter  butter v3                                || 1x  12.403 s  step 124
 1 map  2 game  3 players  4 bones  5 disc  6 payload  7 goals  8 throws  9 joi>






   ⠠⠄⠤●Quince2                                                          ○Oak2
                                        ◆disc
   ⠠⠠⠄⠄⠤●Dogwood                                                       ○Alder









z right, -36.3 to 36.3 m; x up, -18.4 to 14.3 m  (v: another side)
0.000 s ━━━━━━━━━━━━━━━━━━━━━━━━━━┃───────────◆───i──────────────────◆─ 29.904 s
i 1 remark   ◆ 3 events
space play , . step h l 5 s - + speed n p marker g go to tab view ? keys q quit

"#]]
    );
    stage.see("players");
    stage.see("goals");
    stage.see("match");
    assert!(stage.screen(80, 24).contains("rate_hz"));
}
