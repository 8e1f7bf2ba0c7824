//! Versions 1 and 2, and version 3 of packages 1.3.2 and 1.3.3.
//!
//! There is no public recording of these: a writer in the tests makes them, see `common::old`.

use crate::common::old::{Old, write};
use crate::common::walk::different;
use crate::common::{frames_of, match_options, read_all, read_strictly, seen};
use fastrand::Rng;
use gametape_echo::butter::{self, from_basis, from_smallest3, to_basis, to_smallest3_nearest};
use gametape_echo::{
    Arm, Bones, Disc, Frame, Game, GameStatus, GoalType, Holding, Inputs, LastScore, LastThrow,
    Loadout, Map, Ordnance, Pause, PausedState, Payload, Player, PlayerBones, Pose, ReadOptions,
    Stats, TacMod, TeamId, Vec3, Weapon,
};
use gametape_samples::echo::MatchOptions;

/// A multiple of 1/16 that a half can hold, as can its differences.
fn exact(rng: &mut Rng) -> f32 {
    rng.i32(-500..500) as f32 / 16.0
}

fn vector(rng: &mut Rng) -> Vec3 {
    [exact(rng), exact(rng), exact(rng)]
}

fn pose(rng: &mut Rng) -> Pose {
    let code = to_smallest3_nearest(from_basis(
        [rng.f32() - 0.5, rng.f32() - 0.5, 0.3],
        [rng.f32() - 0.5, 0.4, rng.f32() - 0.5],
    ));
    let [forward, left, up] = to_basis(from_smallest3(code));
    Pose {
        position: vector(rng),
        forward,
        left,
        up,
    }
}

fn stats(rng: &mut Rng) -> Stats {
    let mut count = || rng.i32(0..200);
    Stats {
        points: count(),
        saves: count(),
        goals: count(),
        stuns: count() * 300,
        passes: count(),
        catches: count(),
        steals: count(),
        blocks: count(),
        interceptions: count(),
        assists: count(),
        shots_taken: count(),
        possession_time: exact(rng).abs(),
    }
}

fn holding(rng: &mut Rng, users: &[u64]) -> Holding {
    match rng.u8(..4) {
        0 => Holding::None,
        1 => Holding::Geo,
        2 => Holding::Disc,
        _ => Holding::Number(users[rng.usize(..users.len())]),
    }
}

fn player(rng: &mut Rng, player: &mut Player, users: &[u64], old: Old, arena: bool) {
    let mut change = || rng.u8(..3) == 0;
    let [counts, net, hands, moves, turns] = [(); 5].map(|()| change());
    if counts {
        player.stats = Some(stats(rng));
    }
    if net {
        player.ping = rng.i32(0..900);
        player.packetlossratio = rng.i32(0..17) as f32 / 16.0;
    }
    if hands && (arena || old == Old::One) {
        player.holding_left = Some(holding(rng, users));
        player.holding_right = Some(holding(rng, users));
    }
    if moves {
        player.velocity = vector(rng);
        player.head = pose(rng);
        player.lhand.position = vector(rng);
    }
    if turns {
        player.body = pose(rng);
        let turned = pose(rng);
        player.rhand = Pose {
            position: player.rhand.position,
            ..turned
        };
        player.possession = rng.bool();
        player.blocking = rng.bool();
        player.stunned = rng.bool();
        player.invulnerable = rng.bool();
        player.is_emote_playing = rng.bool() && old == Old::EarlyThree;
    }
    if !arena && old != Old::One && counts {
        player.loadout = Some(Loadout {
            weapon: Weapon::Assault,
            ordnance: Ordnance::from_code(rng.u8(..4)).unwrap(),
            tac_mod: TacMod::from_code(rng.u8(..4)).unwrap(),
            arm: Arm::Right,
        });
    }
}

/// Frames with exact values only, and with every part that can occur.
fn frames(old: Old, game: Game, seed: u64, count: usize) -> Vec<Frame> {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let arena = game == Game::Arena;
    let mut frame = frames_of(MatchOptions {
        game,
        private: true,
        joins: false,
        players_per_team: 2,
        spectators: 1,
        bones: false,
        ..match_options(seed, 1)
    })
    .remove(0);
    let users: Vec<u64> = frame.session.players().map(|(_, p)| p.userid).collect();
    let session = &mut frame.session;
    session.disc = arena.then(Disc::default);
    session.last_score = None;
    session.payload = None;
    (session.rules_changed_at, session.rules_changed_by) = (None, None);
    if arena && old == Old::EarlyThree {
        session.rules_changed_at = Some([0, -1, 1_637_000_000_000][seed as usize % 3]);
        session.rules_changed_by = Some("Somebody".into());
    }
    for (at, team) in session.teams.iter_mut().enumerate() {
        team.stats = (at < 2).then(Stats::default);
        for player in &mut team.players {
            *player = Player {
                name: player.name.clone(),
                userid: player.userid,
                playerid: player.playerid,
                number: 5,
                level: 50,
                stats: Some(Stats::default()),
                holding_left: (arena || old == Old::One).then_some(Holding::None),
                holding_right: (arena || old == Old::One).then_some(Holding::None),
                head: pose(rng),
                body: pose(rng),
                lhand: pose(rng),
                rhand: pose(rng),
                loadout: (!arena && old != Old::One).then_some(Loadout {
                    weapon: Weapon::Scout,
                    ordnance: Ordnance::Arc,
                    tac_mod: TacMod::Heal,
                    arm: Arm::Left,
                }),
                ..Player::default()
            };
        }
    }
    let names: Vec<_> = session.players().map(|(_, p)| p.name.clone()).collect();
    let mut frames = Vec::new();
    for at in 0..count {
        frame.time.0 += rng.i64(1..60_000);
        let session = &mut frame.session;
        session.game_clock = exact(rng);
        if at == 0 || rng.bool() {
            session.game_status = GameStatus::from_code(rng.u8(1..11)).unwrap();
        }
        if at == 0 || rng.bool() {
            session.blue_points = rng.u8(..).into();
            session.orange_points = rng.u8(..).into();
            if old == Old::EarlyThree && !arena {
                session.blue_points += 0.5;
            }
        }
        if at == 0 || rng.bool() {
            session.inputs = Inputs {
                left_shoulder: rng.u8(..2).into(),
                right_shoulder: rng.u8(..2).into(),
                left_shoulder2: rng.u8(..2).into(),
                right_shoulder2: rng.u8(..2).into(),
            };
        }
        if at == 0 || rng.bool() {
            session.blue_team_restart_request = rng.bool();
            session.orange_team_restart_request = rng.bool();
            session.pause = Some(Pause {
                // The four states that two bits can express.
                paused_state: PausedState::from_code(rng.u8(..4)).unwrap(),
                unpaused_team: TeamId::from_code(rng.u8(..4)).unwrap(),
                paused_requested_team: TeamId::from_code(rng.u8(..4)).unwrap(),
                paused_timer: exact(rng),
                unpaused_timer: exact(rng),
            });
        }
        if arena && (at == 0 || rng.bool()) {
            session.last_score = Some(LastScore {
                disc_speed: exact(rng),
                team: TeamId::Orange,
                goal_type: GoalType::from_code(rng.u8(..9)).unwrap(),
                point_amount: rng.i32(2..4),
                distance_thrown: exact(rng),
                person_scored: names[rng.usize(..names.len())].clone(),
                assist_scored: butter::INVALID.into(),
            });
        }
        if at == 0 || rng.bool() {
            session.last_throw = Some(LastThrow::from_array([(); 13].map(|()| exact(rng))));
        }
        if at == 0 || rng.bool() {
            session.player = Some(pose(rng));
        }
        if arena && (at == 0 || rng.bool()) {
            session.disc = Some(Disc {
                pose: pose(rng),
                velocity: vector(rng),
                bounce_count: 0,
            });
        }
        if !arena && old == Old::EarlyThree && (at == 0 || rng.bool()) {
            session.payload = Some(Payload {
                contested: rng.bool(),
                payload_checkpoint: rng.i32(0..4),
                payload_defenders: rng.i32(0..5),
                payload_distance: exact(rng),
                payload_speed: exact(rng),
                payload_multiplier: 0.0,
            });
        }
        for team in &mut session.teams {
            if team.stats.is_some() {
                team.possession = rng.bool();
                if rng.u8(..4) == 0 {
                    team.stats = Some(stats(rng));
                }
            }
            for to in &mut team.players {
                player(rng, to, &users, old, arena);
            }
        }
        if at == count / 2 {
            // One player changes teams.
            let moved = session.teams[0].players.remove(0);
            session.teams[1].players.push(moved);
        }
        let bones = frame.bones.get_or_insert_with(|| Bones {
            user_bones: vec![PlayerBones::default(); 3],
            unknown: Vec::new(),
        });
        for position in bones.user_bones.iter_mut().flat_map(|b| &mut b.positions) {
            if at == 0 || rng.bool() {
                *position = [(); 3].map(|()| rng.i32(-250..250) as f32 / 256.0);
            }
        }
        if at == 0 {
            for rotation in bones.user_bones.iter_mut().flat_map(|b| &mut b.rotations) {
                let any = [(); 4].map(|()| rng.f32() - 0.5);
                let norm = any.iter().map(|c| c * c).sum::<f32>().sqrt();
                *rotation = from_smallest3(to_smallest3_nearest(any.map(|c| c / norm)));
            }
        }
        frames.push(frame.clone());
    }
    frames
}

#[test]
fn every_part_of_every_old_version_comes_back_to_the_last_bit() {
    for old in [Old::One, Old::Two, Old::EarlyThree] {
        for game in [Game::Arena, Game::Combat] {
            for seed in 0..20 {
                let frames = frames(old, game, seed, 30);
                let bytes = write(old, &frames, 7);
                let read = read_strictly(&bytes);
                assert_eq!(read.frames.len(), frames.len());
                for (at, (a, b)) in frames.iter().zip(&read.frames).enumerate() {
                    let fields = different(a, b);
                    assert!(
                        fields.is_empty(),
                        "{old:?} {game:?} {seed}, frame {at}: {fields:?}"
                    );
                    for ((_, a), (_, b)) in a.session.players().zip(b.session.players()) {
                        assert_eq!((&a.holding_left, &a.loadout), (&b.holding_left, &b.loadout));
                        assert_eq!((a.number, a.level), (b.number, b.level));
                    }
                    assert_eq!(a.session.payload, b.session.payload);
                }
                let file = butter::read(&bytes).unwrap();
                let seen = seen(&bytes);
                assert_eq!(seen.chunks, 5);
                let early = if old == Old::EarlyThree { 5 } else { 0 };
                assert_eq!(seen.early_chunks, early, "{old:?} {game:?} {seed}");
                assert_eq!(
                    file.index()
                        .iter()
                        .filter(|info| info.error.is_some())
                        .count(),
                    0
                );
                assert_eq!(
                    file.header().unwrap().map_name() == Map::Arena,
                    game == Game::Arena
                );
                // Salvage leaves the file as it is.
                assert!(butter::salvage(&bytes).unwrap().0 == bytes);
            }
        }
    }
}

#[test]
fn an_early_file_that_is_cut_keeps_its_whole_frames() {
    let frames = frames(Old::EarlyThree, Game::Arena, 3, 4);
    let bytes = write(Old::EarlyThree, &frames, 4);
    let whole = read_strictly(&bytes).frames;
    let mut seen = 0;
    for cut in (0..bytes.len()).rev() {
        let read = read_all(&bytes[..cut], ReadOptions::lenient()).frames;
        // One frame alone does not show that the file is early.
        assert!(read.len() < 2 || read == whole[..read.len()], "{cut}");
        seen = seen.max(read.len());
    }
    assert_eq!(seen, 3);
}

#[cfg(feature = "tape")]
#[test]
fn parts_of_old_versions_read_like_the_whole() {
    use crate::cut::{cut, errors, steps};
    use gametape_echo::tape::Butter;

    let told = gametape_core::tape::Options::new();
    for old in [Old::One, Old::Two, Old::EarlyThree] {
        for game in [Game::Arena, Game::Combat] {
            let whole = write(old, &frames(old, game, 5, 30), 7);
            let decoded = read_strictly(&whole).frames;
            for (from, to) in [
                (0, 13),
                (0, 16),
                (7, 9),
                (7, 20),
                (10, 25),
                (28, 29),
                (14, 14),
            ] {
                let (part, cutout) = cut(&Butter, &whole, steps(from, to), &told);
                let read = read_strictly(&part).frames;
                let report = errors(&decoded[from..=to], &read).report();
                let beyond = report.numbers.iter().find(|number| number.beyond > 0);
                assert!(
                    beyond.is_none(),
                    "{old:?} {game:?} {from} to {to}: {beyond:?}"
                );
                // Where whole chunks are copied, the version stays, and so does every bit.
                let is_old = butter::read(&part).unwrap().header().unwrap().version < 3;
                if old != Old::EarlyThree && from % 7 == 0 {
                    assert!(is_old && read == decoded[from..=to] && !cutout.converted.is_lossy());
                }
            }
        }
    }
}
