//! The generated matches have the properties of real ones.

use std::collections::BTreeSet;
use std::time::Duration;

use gametape_echo::{
    Frame, Game, GameStatus, GoalType, Holding, PausedState, Player, Pose, Session, Stats, TeamId,
    Vec3, clock_display,
};
use gametape_samples::echo::{Match, MatchOptions};

fn options(seed: u64) -> MatchOptions {
    MatchOptions {
        seed,
        ..MatchOptions::default()
    }
}

/// Matches of every kind, with some thousand frames each.
fn kinds() -> impl Iterator<Item = MatchOptions> {
    (0..12).map(|seed| MatchOptions {
        game: if seed % 4 == 3 {
            Game::Combat
        } else {
            Game::Arena
        },
        rate_hz: [10, 15, 30, 60][seed as usize % 4],
        frames: Some(6000),
        players_per_team: [5, 4, 1, 16][seed as usize / 3],
        spectators: (seed % 3) as u8,
        bones: seed % 5 == 0,
        private: seed % 2 == 0,
        pauses: seed % 3 == 0,
        ..options(seed)
    })
}

#[test]
fn a_seed_gives_the_same_match_however_it_is_read() {
    for kind in kinds() {
        // A frame that is filled from another match.
        let other = MatchOptions {
            game: Game::Combat,
            bones: !kind.bones,
            private: !kind.private,
            spectators: 3,
            seed: 99,
            ..kind.clone()
        };
        let mut frame = Match::new(other).nth(100).expect("100 frames");
        let mut again = Match::new(kind.clone());
        for expected in Match::new(kind.clone()).take(2000) {
            assert!(again.next_into(&mut frame));
            assert_eq!(frame, expected);
        }
    }
    assert_ne!(
        Match::new(options(1)).nth(600),
        Match::new(options(2)).nth(600)
    );
}

/// A hash of the numbers in a frame: clock, points, velocities, poses, disc, last throw and bones.
fn digest(frame: &Frame, hash: u64) -> u64 {
    let session = &frame.session;
    let mut numbers = vec![session.game_clock, session.blue_points];
    for (_, player) in session.players() {
        numbers.extend(player.velocity);
        for pose in [player.head, player.body, player.lhand, player.rhand] {
            numbers.extend(pose.position.into_iter().chain(pose.left).chain(pose.up));
        }
    }
    numbers.extend(session.disc.iter().flat_map(|disc| disc.pose.position));
    numbers.extend(session.last_throw.iter().flat_map(|throw| throw.to_array()));
    for bones in frame.bones.iter().flat_map(|bones| &bones.user_bones) {
        numbers.extend(bones.positions.iter().flatten());
        numbers.extend(bones.rotations.iter().flatten());
    }
    numbers.into_iter().fold(hash, |hash, number| {
        (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn a_seed_gives_the_same_match_everywhere() {
    // Changes with the generator and with fastrand, but never with the platform or the optimisation
    // level.
    let digest = |game| {
        let kind = MatchOptions {
            game,
            bones: true,
            private: true,
            pauses: true,
            ..options(5)
        };
        Match::new(kind)
            .take(9000)
            .fold(0xcbf2_9ce4_8422_2325, |hash, frame| digest(&frame, hash))
    };
    assert_eq!(
        [digest(Game::Arena), digest(Game::Combat)],
        [7_248_461_628_408_821_258, 13_614_777_267_725_184_983]
    );
}

fn sums(players: &[Player]) -> Stats {
    let mut sum = Stats::default();
    for stats in players.iter().filter_map(|player| player.stats) {
        sum.possession_time += stats.possession_time;
        sum.points += stats.points;
        sum.saves += stats.saves;
        sum.goals += stats.goals;
        sum.stuns += stats.stuns;
        sum.passes += stats.passes;
        sum.catches += stats.catches;
        sum.steals += stats.steals;
        sum.blocks += stats.blocks;
        sum.interceptions += stats.interceptions;
        sum.assists += stats.assists;
        sum.shots_taken += stats.shots_taken;
    }
    sum
}

fn named<'a>(session: &'a Session, name: &str) -> Option<&'a Player> {
    session
        .players()
        .map(|(_, player)| player)
        .find(|player| player.name == name)
}

/// Checks the changes that a goal makes from one frame to the next. Returns whether there was a
/// goal.
fn check_score(before: &Session, after: &Session) -> bool {
    let teams = [
        (TeamId::Blue, before.blue_points, after.blue_points),
        (TeamId::Orange, before.orange_points, after.orange_points),
    ];
    let starts = matches!(
        after.game_status,
        GameStatus::RoundStart | GameStatus::PreMatch
    );
    let mut scored = false;
    for (place, (team, had, has)) in teams.into_iter().enumerate() {
        if has < had {
            assert!(
                starts && has == 0.0,
                "{} from {had} to {has}",
                after.game_status
            );
        }
        if has <= had {
            continue;
        }
        scored = true;
        assert!(matches!(
            after.game_status,
            GameStatus::Score | GameStatus::PostSuddenDeath
        ));
        let score = after.last_score.as_ref().expect("a last score");
        assert_eq!(score.team, team);
        assert_eq!(score.point_amount, (has - had) as i32);
        assert!(score.point_amount == if score.distance_thrown >= 10.0 { 3 } else { 2 });
        let long = matches!(
            score.goal_type,
            GoalType::LongShot | GoalType::LongBounceShot
        );
        assert_eq!(long, score.point_amount == 3);
        assert!(score.disc_speed < 40.0 && score.distance_thrown < 80.0);
        let stats = |session, name| named(session, name).and_then(|player| player.stats);
        let who = &score.person_scored;
        let [had, has] = [before, after].map(|session| stats(session, who).expect("the scorer"));
        assert_eq!(has.points - had.points, score.point_amount);
        assert_eq!(has.goals - had.goals, 1);
        assert!(has.shots_taken >= has.goals);
        assert!(after.teams[place].players.iter().any(|p| p.name == who));
        if score.assist_scored != "[INVALID]" {
            let who = &score.assist_scored;
            assert_ne!(who, &score.person_scored);
            let (had, has) = (stats(before, who), stats(after, who));
            assert_eq!(has.map(|s| s.assists), had.map(|s| s.assists + 1));
        }
    }
    if !scored {
        let goals = |session: &Session| {
            let stats = session.teams.iter().filter_map(|team| team.stats);
            stats.map(|stats| stats.goals).collect::<Vec<_>>()
        };
        let fewer = goals(after).into_iter().zip(goals(before));
        assert!(fewer.into_iter().all(|(has, had)| has <= had));
    }
    scored
}

fn check_possession(session: &Session) {
    let flagged: Vec<_> = session
        .teams
        .iter()
        .enumerate()
        .flat_map(|(team, t)| {
            let players = t.players.iter().enumerate();
            players.filter_map(move |(place, player)| {
                player.possession.then_some([team as i32, place as i32])
            })
        })
        .collect();
    match session.possession {
        Some([-1, -1]) => assert!(flagged.is_empty()),
        Some(place) => assert_eq!(flagged, [place]),
        None => panic!("no possession"),
    }
    for (index, team) in session.teams.iter().enumerate() {
        let possesses = session.possession.is_some_and(|[at, _]| at == index as i32);
        assert_eq!(team.possession, possesses);
    }
    // The player who holds the disc possesses it, holds it with one hand, and is at its position.
    for (_, player) in session.players() {
        let holds = [&player.holding_left, &player.holding_right];
        let discs = holds
            .iter()
            .filter(|hold| ***hold == Some(Holding::Disc))
            .count();
        assert!(discs < 2 && (discs == 0 || player.possession));
        if let (1, Some(disc)) = (discs, &session.disc) {
            assert!(distance(disc.pose.position, player.head.position) < 1.5);
        }
        for hold in holds.into_iter().flatten() {
            if let Holding::Number(id) = hold {
                assert!(session.players().any(|(_, p)| p.playerid as u64 == *id));
            }
        }
    }
}

fn distance(a: Vec3, b: Vec3) -> f32 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b) * (a - b))
        .sum::<f32>()
        .sqrt()
}

#[test]
fn points_statistics_and_clock_agree_through_whole_matches() {
    use GameStatus as S;
    let (mut goals, mut pauses, mut sudden, mut joined) = (0, 0, 0, 0);
    for seed in 0..16 {
        let mut before: Option<Frame> = None;
        let mut seen = BTreeSet::new();
        let kind = MatchOptions {
            rate_hz: 15,
            private: seed % 2 == 0,
            pauses: seed % 4 < 2,
            ..options(seed)
        };
        for frame in Match::new(kind) {
            let now = &frame.session;
            for team in &now.teams[..2] {
                assert_eq!(team.stats, Some(sums(&team.players)));
            }
            check_possession(now);
            assert_eq!(now.game_clock_display, clock_display(now.game_clock));
            seen.extend(now.players().map(|(_, player)| player.userid));
            if let Some(before) = before.take() {
                assert!(frame.time > before.time && frame.time.0 < before.time.0 + 100);
                let before = &before.session;
                goals += u32::from(check_score(before, now));
                let paused = |s: &Session| {
                    s.pause.as_ref().map(|p| p.paused_state.clone()) != Some(PausedState::Unpaused)
                };
                pauses += u32::from(paused(now) && !paused(before));
                sudden += u32::from(
                    now.game_status == S::SuddenDeath && before.game_status != S::SuddenDeath,
                );
                if before.game_status == S::Playing && now.game_status == S::Playing {
                    let went = before.game_clock - now.game_clock;
                    assert!(if paused(now) {
                        went == 0.0
                    } else {
                        (0.05..0.09).contains(&went) || now.game_clock == 0.0
                    });
                }
                let follows = match before.game_status {
                    S::PreMatch | S::Score => vec![S::RoundStart],
                    S::RoundStart => vec![S::Playing],
                    S::Playing => vec![S::Score, S::RoundOver, S::PreSuddenDeath],
                    S::PreSuddenDeath => vec![S::SuddenDeath],
                    S::SuddenDeath => vec![S::PostSuddenDeath, S::RoundOver],
                    S::PostSuddenDeath => vec![S::RoundOver],
                    S::RoundOver => vec![S::RoundStart, S::PostMatch],
                    _ => vec![],
                };
                assert!(
                    now.game_status == before.game_status || follows.contains(&now.game_status),
                    "{} after {}",
                    now.game_status,
                    before.game_status
                );
            }
            before = Some(frame);
        }
        let last = before.expect("frames").session;
        assert_eq!(last.game_status, S::PostMatch);
        assert!(last.blue_round_score + last.orange_round_score <= last.total_round_count);
        joined += seen.len() - 10;
    }
    assert!(goals > 16 * 8, "{goals} goals");
    assert!(
        pauses > 8 && joined > 50,
        "{pauses} pauses, {joined} joined"
    );
    assert!(sudden > 0, "no sudden death");
}

fn check_pose(pose: &Pose) {
    let dot = |a: Vec3, b: Vec3| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let (f, l, u) = (pose.forward, pose.left, pose.up);
    for (a, b) in [(f, l), (f, u), (l, u)] {
        assert!(dot(a, b).abs() < 3e-3, "{pose:?}");
        assert!((dot(a, a) - 1.0).abs() < 3e-3 && (dot(b, b) - 1.0).abs() < 3e-3);
    }
    let left = [
        u[1] * f[2] - u[2] * f[1],
        u[2] * f[0] - u[0] * f[2],
        u[0] * f[1] - u[1] * f[0],
    ];
    assert!(distance(left, l) < 4e-3, "left is up × forward: {pose:?}");
    for number in pose.position.into_iter().chain(f).chain(l).chain(u) {
        let noisy = (number * 1000.0).round() * 0.001;
        assert_eq!(noisy.to_bits(), number.to_bits(), "whole thousandths");
    }
}

#[test]
fn what_moves_moves_as_it_says() {
    for kind in kinds() {
        let mut before: Option<Frame> = None;
        let (mut moved, mut stood, mut jumps) = (0_u32, 0_u32, 0_u32);
        for frame in Match::new(kind.clone()) {
            let now = &frame.session;
            for (_, player) in now.players() {
                let poses = [&player.head, &player.body, &player.lhand, &player.rhand];
                poses.into_iter().for_each(check_pose);
                for hand in [&player.lhand, &player.rhand] {
                    assert!(distance(hand.position, player.head.position) < 1.5);
                }
                for (at, wall) in player.head.position.iter().zip([20.0, 20.0, 80.0]) {
                    assert!(at.abs() < wall);
                }
            }
            now.disc.iter().for_each(|disc| check_pose(&disc.pose));
            now.player.iter().for_each(check_pose);
            if let Some(before) = &before {
                let dt = (frame.time.0 - before.time.0) as f32 / 1000.0;
                for (team, player) in now.players().filter(|(team, _)| *team < 2) {
                    let Some(was) = before.session.player_by_userid(player.userid) else {
                        continue;
                    };
                    let gone = distance(player.head.position, was.head.position);
                    let speed = distance(player.velocity, [0.0; 3]);
                    if gone == 0.0 {
                        stood += 1;
                    } else if (gone - speed * dt).abs() < 0.15 {
                        moved += 1;
                    } else {
                        jumps += 1;
                    }
                    assert!(speed < 20.0, "{speed} m/s in team {team}");
                }
            }
            before = Some(frame);
        }
        // Except at starts and walls, positions agree with velocities.
        assert!(moved > jumps * 50, "{moved} {stood} {jumps}: {kind:?}");
        assert!(stood > 100, "{moved} {stood} {jumps}: {kind:?}");
    }
}

#[test]
fn options_are_kept() {
    for kind in kinds() {
        let frames: Vec<_> = Match::new(kind.clone()).collect();
        assert_eq!(frames.len(), 6000);
        assert_eq!(frames[0].time, kind.start);
        let took = frames[5999].time.0 - frames[0].time.0;
        let due = 5999 * 1000 / i64::from(kind.rate_hz);
        assert!((took - due).abs() < 10, "{took} ms, not {due}");
        let arena = kind.game == Game::Arena;
        for frame in &frames {
            let session = &frame.session;
            assert_eq!(session.map_name.game(), kind.game);
            assert_eq!(session.private_match, kind.private);
            assert_eq!(session.rules_changed_by.is_some(), kind.private);
            assert_eq!(session.disc.is_some(), arena);
            assert_eq!(session.last_score.is_some(), arena);
            assert_eq!(session.payload.is_some(), !arena);
            let [blue, orange, watching] = &session.teams[..] else {
                panic!("{} teams", session.teams.len());
            };
            for team in [blue, orange] {
                assert!((1..=usize::from(kind.players_per_team)).contains(&team.players.len()));
                for player in &team.players {
                    assert_eq!(player.holding_left.is_some(), arena);
                    assert_eq!(player.loadout.is_some(), !arena);
                    assert!((20..=120).contains(&player.ping));
                    assert!((0..100).contains(&player.number) && player.level <= 50);
                }
            }
            let spectators = usize::from(kind.spectators);
            assert!((spectators..=spectators + 1).contains(&watching.players.len()));
            let bones = frame.bones.as_ref().map(|bones| bones.user_bones.len());
            let players = blue.players.len() + orange.players.len();
            assert_eq!(bones, kind.bones.then_some(players));
            assert!(named(session, &session.client_name).is_some());
            assert!(
                kind.pauses || !arena || {
                    let pause = session.pause.as_ref().expect("pause");
                    pause.paused_state == PausedState::Unpaused
                }
            );
        }
    }
}

#[test]
fn who_joins_is_unknown_for_two_frames_and_nobody_joins_unasked() {
    let mut fresh = std::collections::BTreeMap::new();
    let mut last = BTreeSet::new();
    for (at, frame) in Match::new(options(4)).enumerate() {
        let now: BTreeSet<_> = frame.session.players().map(|(_, p)| p.userid).collect();
        let ids: BTreeSet<_> = frame.session.players().map(|(_, p)| p.playerid).collect();
        assert_eq!(ids.len(), now.len());
        for (_, player) in frame.session.players() {
            if at > 0 && !last.contains(&player.userid) {
                fresh.insert(player.userid, 0);
            }
            match fresh.get_mut(&player.userid) {
                Some(frames @ 0..2) => {
                    *frames += 1;
                    assert_eq!((player.level, player.number), (0, 0));
                }
                _ => assert!(player.level > 0),
            }
        }
        last = now;
    }
    assert!(fresh.len() > 3, "{} joined", fresh.len());
    let alone = MatchOptions {
        joins: false,
        ..options(4)
    };
    assert!(Match::new(alone).all(|frame| frame.session.players().count() == 10));
}

#[test]
fn two_hours_stay_within_what_a_butter_can_name() {
    let kind = MatchOptions {
        rate_hz: 2,
        players_per_team: 16,
        spectators: 16,
        ..options(11)
    }
    .lasting(Duration::from_hours(2));
    assert_eq!(kind.frames, Some(14_400));
    let mut people = BTreeSet::new();
    for frame in Match::new(kind) {
        let players = frame.session.players();
        people.extend(players.map(|(_, player)| (player.name.clone(), player.userid)));
    }
    let names: BTreeSet<_> = people.iter().map(|(name, _)| name).collect();
    assert!(people.len() <= 255 && names.len() == people.len());
}

#[test]
fn combat_is_pushed_and_held_up() {
    let kind = MatchOptions {
        game: Game::Combat,
        rate_hz: 10,
        ..options(8)
    };
    let (mut contested, mut far, mut loadouts) = (0, 0.0_f32, BTreeSet::new());
    let mut points = 0.0;
    let mut last = Session::default();
    for frame in Match::new(kind) {
        let session = frame.session;
        let payload = session.payload.expect("a payload");
        contested += u32::from(payload.contested);
        far = far.max(payload.payload_distance);
        assert!((0.0..=120.0).contains(&payload.payload_distance));
        let now = session.blue_points + session.orange_points;
        assert!(now >= points, "points never fall within a match");
        points = now;
        for (_, player) in session.players() {
            loadouts.extend(player.loadout.as_ref().map(|l| l.weapon.to_string()));
        }
        last = session;
    }
    assert_eq!(last.map_name.game(), Game::Combat);
    assert!(contested > 100 && far > 20.0, "{contested} {far}");
    assert_eq!(loadouts.len(), 4);
    assert_eq!(last.blue_round_score + last.orange_round_score, 2);
}
