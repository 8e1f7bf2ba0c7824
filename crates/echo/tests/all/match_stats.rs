//! Statistics of matches with a known course.

use crate::common::arena::{frames, score, stats};
use crate::common::{frames_of, read_strictly};
use gametape_echo::stats::JoinEvent;
use gametape_echo::{
    Frame, Game, GameStatus, GoalType, Holding, Map, PausedState, Payload, Player, Stats, TeamId,
    butter,
};
use gametape_samples::echo::MatchOptions;

fn player(frame: &mut Frame) -> &mut Player {
    &mut frame.session.teams[0].players[0]
}

#[test]
fn the_timeline_lists_events_with_their_times() {
    let frames = frames(300, |at, frame| {
        let session = &mut frame.session;
        session.game_status = match at {
            0..10 | 250..260 => GameStatus::RoundStart,
            50..70 => GameStatus::Score,
            200..250 => GameStatus::RoundOver,
            _ => GameStatus::Playing,
        };
        // The first is described 300 ms late, the second 200 ms early, the third not at all.
        session.blue_points = if (50..250).contains(&at) { 3.0 } else { 0.0 };
        session.orange_points = match at {
            120..180 => 2.0,
            180..250 => 4.0,
            _ => 0.0,
        };
        if at >= 53 {
            let mut first = score(TeamId::Blue, 3, "player-01");
            first.assist_scored = "player-02".into();
            session.last_score = Some(first);
        }
        if at >= 118 {
            let mut second = score(TeamId::Orange, 2, "player-00");
            second.goal_type = GoalType::SelfGoal;
            session.last_score = Some(second);
        }
        let pause = session.pause.as_mut().unwrap();
        if (90..110).contains(&at) {
            pause.paused_state = PausedState::Paused;
            pause.paused_requested_team = TeamId::Orange;
        }
        if (105..110).contains(&at) {
            pause.paused_state = PausedState::Unpausing;
            pause.unpaused_team = TeamId::Blue;
        }
        session.blue_team_restart_request = (150..155).contains(&at);
        session.rules_changed_by = Some(if at < 160 { "[INVALID]" } else { "player-02" }.into());
        session.rules_changed_at = Some(if at < 160 { 0 } else { 99 });
    });
    let found = stats(&frames);
    assert_eq!(
        (found.frames, found.duration_ms, found.recorded_ms),
        (300, 29_900, 29_900)
    );
    assert_eq!(found.interval_ms, Some(100));
    assert!((found.frames_per_s.unwrap() - 10.0).abs() < 1e-9);
    let timeline = &found.timeline;

    let goals: Vec<_> = timeline
        .goals
        .iter()
        .map(|goal| {
            let thrower = goal.thrower.as_deref();
            (goal.time_ms, goal.frame, &goal.team, goal.points, thrower)
        })
        .collect();
    assert_eq!(
        goals,
        [
            (5_000, 50, &TeamId::Blue, 3.0, Some("player-01")),
            (12_000, 120, &TeamId::Orange, 2.0, Some("player-00")),
            (18_000, 180, &TeamId::Orange, 2.0, None),
        ]
    );
    assert_eq!(timeline.goals[0].assist.as_deref(), Some("player-02"));
    assert_eq!(timeline.goals[0].disc_speed, Some(12.5));
    assert_eq!(timeline.goals[1].goal_type.as_deref(), Some("SELF GOAL"));
    assert_eq!(timeline.goals[1].assist, None);
    assert_eq!(timeline.goals[2].goal_type, None);

    let scores: Vec<_> = timeline
        .score
        .iter()
        .map(|score| (score.time_ms, score.blue, score.orange))
        .collect();
    assert_eq!(
        scores,
        [
            (0, 0.0, 0.0),
            (5_000, 3.0, 0.0),
            (12_000, 3.0, 2.0),
            (18_000, 3.0, 4.0),
            (25_000, 0.0, 0.0),
        ]
    );
    let rounds: Vec<_> = timeline
        .rounds
        .iter()
        .map(|round| (round.from_ms, round.to_ms, round.blue, round.orange))
        .collect();
    assert_eq!(
        rounds,
        [(0, Some(20_000), 3.0, 4.0), (25_000, None, 0.0, 0.0)]
    );
    let [pause] = timeline.pauses.as_slice() else {
        panic!("{:?}", timeline.pauses);
    };
    assert_eq!((pause.from_ms, pause.to_ms), (9_000, Some(11_000)));
    assert_eq!(pause.requested_by, TeamId::Orange);
    assert_eq!(pause.ended_by, TeamId::Blue);
    assert_eq!(timeline.restart_requests.len(), 1);
    assert_eq!(timeline.restart_requests[0].time_ms, 15_000);
    assert_eq!(timeline.rules_changes.len(), 1);
    assert_eq!(timeline.rules_changes[0].by, "player-02");
    assert_eq!(timeline.status.len(), 7);
    assert_eq!(found.left_out, 0);

    // 10 to 50, 70 to 90, 110 to 200 and 260 to 300; the last frame has no duration.
    assert_eq!(found.possession.playing_ms, 18_900);
    assert_eq!(found.possession.none_ms, 18_900);
}

#[test]
fn players_are_measured_while_present() {
    let frames = frames(100, |at, frame| {
        let session = &mut frame.session;
        session.teams[0].possession = (10..40).contains(&at);
        session.teams[1].possession = (30..50).contains(&at);
        let disc = session.disc.as_mut().unwrap();
        // 10 m/s along x, and once back to the middle.
        disc.pose.position[0] = if at < 50 { at as f32 } else { (at - 50) as f32 };
        disc.velocity = [10.0, 0.0, 0.0];
        let player = player(frame);
        // 5 m/s along z for 5 s, a respawn, then still.
        player.head.position[2] = if at <= 50 { at as f32 * 0.5 } else { -60.0 };
        player.velocity = [3.0, 0.0, if at == 20 { 4.0 } else { 0.0 }];
        player.possession = (10..15).contains(&at);
        player.holding_right = Some(Holding::Disc).filter(|_| (12..22).contains(&at));
        player.stunned = matches!(at, 30..35 | 60..61);
        player.ping = if at < 50 { 30 } else { 50 };
        player.packetlossratio = if at < 25 { 0.2 } else { 0.0 };
        player.number = if at < 3 { 0 } else { 12 };
        player.stats = Some(Stats {
            possession_time: at as f32 / 10.0,
            points: i32::from(at >= 50) * 2,
            ..Stats::default()
        });
    });
    let found = stats(&frames);
    let one = &found.players[0];
    assert_eq!(found.players.len(), 6);
    assert_eq!((one.name.as_str(), one.userid), ("player-00", 1_000));
    assert_eq!((one.number, one.level), (12, 50));
    assert_eq!(one.teams, [TeamId::Blue]);
    assert_eq!(one.present_ms, 9_900);
    assert!((one.distance - 25.0).abs() < 1e-5, "{}", one.distance);
    assert_eq!(one.top_speed, 5.0);
    assert!((one.mean_speed.unwrap() - 25.0 / 9.9).abs() < 1e-5);
    assert_eq!((one.possession_ms, one.disc_held_ms), (500, 1_000));
    assert_eq!((one.stunned, one.stunned_ms), (2, 600));
    let ping = one.ping.unwrap();
    assert_eq!((ping.min, ping.max), (30, 50));
    assert!((ping.mean - 40.0).abs() < 1e-9 && (ping.deviation - 10.0).abs() < 1e-9);
    assert!((one.packet_loss.unwrap() - 0.05).abs() < 1e-7);
    assert_eq!(one.stats.points, 2);

    let disc = found.disc.unwrap();
    assert!((disc.distance - 98.0).abs() < 1e-9, "{}", disc.distance);
    assert_eq!(disc.top_speed, 10.0);
    let share = found.possession;
    // From 30 to 40 both report possession.
    assert_eq!((share.blue_ms, share.orange_ms), (2_000, 1_000));
    assert_eq!(share.playing_ms, 9_900);
    assert!((share.shares().unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn returning_players_keep_their_counts() {
    let frames = frames(90, |at, frame| {
        let stuns = match at {
            0..30 => 7,
            // The game counts from 0 again.
            50..70 => 2,
            _ => 4,
        };
        let counted = Some(Stats {
            possession_time: stuns as f32,
            stuns,
            ..Stats::default()
        });
        player(frame).stats = counted;
        let teams = &mut frame.session.teams;
        if (30..50).contains(&at) {
            teams[0].players.remove(0);
        }
        if at >= 70 {
            let player = teams[0].players.remove(0);
            teams[1].players.push(player);
        }
    });
    let found = stats(&frames);
    let one = &found.players[0];
    assert_eq!((one.stats.stuns, one.stats.possession_time), (11, 11.0));
    assert_eq!(one.teams, [TeamId::Blue, TeamId::Orange]);
    // 0 to 29, until it is gone in 30, and 50 to 89.
    assert_eq!(one.present_ms, 3_000 + 3_900);
    assert_eq!(found.players.len(), 6);
    let events: Vec<_> = found
        .timeline
        .joins
        .iter()
        .map(|event| (event.time_ms, event.event, &event.team, event.userid))
        .collect();
    assert_eq!(
        events,
        [
            (3_000, JoinEvent::Leave, &TeamId::Blue, 1_000),
            (5_000, JoinEvent::Join, &TeamId::Blue, 1_000),
            (7_000, JoinEvent::Move, &TeamId::Orange, 1_000),
        ]
    );
}

#[test]
fn sudden_death_is_play_and_a_pause_is_none() {
    let frames = frames(100, |at, frame| {
        let session = &mut frame.session;
        session.game_status = match at {
            0..40 => GameStatus::Playing,
            40..50 => GameStatus::PreSuddenDeath,
            _ => GameStatus::SuddenDeath,
        };
        session.pause.as_mut().unwrap().paused_state = match at {
            // A request stops nothing.
            50..60 => PausedState::PausedRequested,
            60..65 => PausedState::Pausing,
            65..70 => PausedState::Paused,
            70..75 => PausedState::Unpausing,
            _ => PausedState::Unpaused,
        };
    });
    let played = 9_900 - 1_000 - 1_500;
    assert_eq!(stats(&frames).possession.playing_ms, played);
    // In a .butter, the request has no code.
    let bytes = butter::write(&frames, butter::Options::default()).unwrap();
    let back = read_strictly(&bytes).frames;
    assert_eq!(stats(&back).possession.playing_ms, played);
}

#[test]
fn gaps_and_time_that_runs_backwards_count_as_not_recorded() {
    let mut frames = frames(40, |at, frame| {
        frame.session.teams[0].possession = true;
        player(frame).head.position[0] = at as f32 * 0.1;
        frame.session.blue_points = if at < 20 { 0.0 } else { 6.0 };
    });
    for (at, frame) in frames.iter_mut().enumerate() {
        frame.time.0 += match at {
            0..20 => 0,
            20..30 => 60_000,
            _ => -1_000_000,
        };
    }
    let found = stats(&frames);
    assert_eq!(
        (found.frames, found.recorded_ms),
        (40, 1_900 + 900 + 100 + 900)
    );
    assert_eq!(found.duration_ms, found.recorded_ms + 60_100);
    // The time that runs backwards does so while the game clock runs on, which tells how long it was.
    assert_eq!(found.possession.blue_ms, 3_800);
    assert_eq!(found.players[0].present_ms, 3_800);
    assert!((found.players[0].distance - 3.8).abs() < 1e-5);
    // The points of the gap have no known time: they were not made in its last frame.
    assert_eq!(found.timeline.goals, []);
    assert_eq!(found.timeline.score.len(), 2);

    // The extremes of time.
    for (frame, ms) in frames.iter_mut().zip([i64::MIN, i64::MAX, 0, i64::MIN]) {
        frame.time.0 = ms;
    }
    assert_eq!(stats(&frames[..4]).recorded_ms, 0);
}

#[test]
fn combat_follows_the_payload() {
    let frames = frames(50, |at, frame| {
        let session = &mut frame.session;
        session.map_name = Map::Dyson;
        (session.disc, session.last_score) = (None, None);
        session.blue_points = at as f32 * 0.1;
        session.payload = Some(Payload {
            contested: (10..20).contains(&at),
            payload_checkpoint: i32::from(at > 30),
            payload_distance: if at < 40 { at as f32 } else { 35.0 },
            payload_speed: 1.5,
            ..Payload::default()
        });
    });
    let found = stats(&frames);
    let payload = found.payload.unwrap();
    assert_eq!((payload.distance, payload.max_distance), (35.0, 39.0));
    assert_eq!((payload.checkpoints, payload.contested_ms), (1, 1_000));
    assert_eq!(payload.top_speed, 1.5);
    assert_eq!(found.disc, None);
    assert_eq!(found.timeline.goals, []);
    // 0 to 4: points that grow with every frame do not flood the timeline.
    assert_eq!(found.timeline.score.len(), 5);
    assert_eq!(found.blue_points, 4.9);
}

#[test]
fn user_ids_stay_out_of_json_and_keys_are_the_apis() {
    let mut frames = frames(3, |_, _| {});
    frames[2].session.teams[1].players.pop();
    let json = serde_json::to_value(stats(&frames)).unwrap();
    let text = json.to_string();
    assert!(!text.contains("userid") && !text.contains("1005"), "{text}");
    assert_eq!(json["players"][3]["teams"][0], "orange");
    assert_eq!(json["players"][3]["stats"]["shots_taken"], 0);
    assert_eq!(json["timeline"]["joins"][0]["event"], "leave");
    assert_eq!(json["timeline"]["status"][0]["status"], "playing");
}

/// The final values of an invented match, and a .butter of it agrees closely.
#[test]
fn a_whole_match_adds_up() {
    for game in [Game::Arena, Game::Combat] {
        let options = MatchOptions {
            seed: 5,
            game,
            frames: Some(9_000),
            ..MatchOptions::default()
        };
        let frames = frames_of(options);
        let found = stats(&frames);
        let last = &frames.last().unwrap().session;
        if game == Game::Arena {
            for (team, points) in [
                (TeamId::Blue, last.blue_points),
                (TeamId::Orange, last.orange_points),
            ] {
                let goals = found.timeline.goals.iter();
                let sum: f32 = goals
                    .filter(|goal| goal.team == team)
                    .map(|goal| goal.points)
                    .sum();
                assert_eq!(sum, points);
            }
            assert!(!found.timeline.goals.is_empty());
            assert!(
                found
                    .timeline
                    .goals
                    .iter()
                    .all(|goal| goal.thrower.is_some())
            );
        }
        for player in &found.players {
            assert!(player.top_speed > 1.0, "{player:?}");
            assert!(player.mean_speed.unwrap() < f64::from(player.top_speed));
        }

        let bytes = butter::write(&frames, butter::Options::default()).unwrap();
        let back = stats(&read_strictly(&bytes).frames);
        assert_eq!(back.timeline.status, found.timeline.status);
        assert_eq!(back.possession, found.possession);
        assert_eq!(back.timeline.goals.len(), found.timeline.goals.len());
        assert_eq!(back.players.len(), found.players.len());
        for (a, b) in found.players.iter().zip(&back.players) {
            assert_eq!((&a.name, a.present_ms), (&b.name, b.present_ms));
            assert_eq!(a.stunned, b.stunned);
            let off = (a.distance - b.distance).abs() / a.distance;
            assert!(off < 0.01, "{} and {} m", a.distance, b.distance);
        }
    }
}
