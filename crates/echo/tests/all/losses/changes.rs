//! A change of every field.

use gametape_echo::{
    Bones, Disc, Field, Frame, GameStatus, GoalType, Holding, LastThrow, Loadout, Map, Object,
    Payload, PlayerBones, Team, TeamId, Unknown, Weapon,
};

use crate::common::arena::{arena, pose, score};

/// A frame that has everything.
pub fn full() -> Frame {
    let mut frame = arena(2_000);
    let session = &mut frame.session;
    session.player = Some(pose([0.1, 0.2, 0.3]));
    session.last_throw = Some(LastThrow {
        arm_speed: 4.0,
        ..LastThrow::default()
    });
    session.last_score = Some(score(TeamId::Blue, 2, "player-01"));
    session.disc.as_mut().unwrap().velocity = [4.0, 5.0, 6.0];
    let player = &mut session.teams[1].players[2];
    player.velocity = [1.0, 2.0, 3.0];
    player.stats.as_mut().unwrap().possession_time = 100.0;
    frame.bones = Some(Bones {
        user_bones: vec![PlayerBones::default(); 6],
        unknown: vec![],
    });
    frame
}

fn on(map: Map) -> Frame {
    let mut frame = full();
    let session = &mut frame.session;
    session.map_name = map;
    session.private_match = false;
    (session.disc, session.last_score) = (None, None);
    session.payload = Some(Payload::default());
    frame
}

pub type Change = fn(&mut Frame);

/// A change of each field, on each map where it counts: the field, where it is found, the change.
pub fn changes() -> Vec<(Field, Frame, &'static str, Change)> {
    let mut all: Vec<(Field, Frame, &'static str, Change)> = Vec::new();
    let mut add = |field, frame: &Frame, path: &'static str, change: Change| {
        all.push((field, frame.clone(), path, change));
    };
    macro_rules! player {
        ($field:ident, $path:literal, |$player:ident| $change:expr) => {
            add(
                Field::$field,
                &full(),
                concat!("teams[1].players[2] \"player-12\" ", $path),
                |frame| {
                    let $player = &mut frame.session.teams[1].players[2];
                    $change;
                },
            );
        };
    }
    macro_rules! session {
        ($field:ident, $frame:expr, $path:literal, |$session:ident| $change:expr) => {
            add(Field::$field, &$frame, $path, |frame| {
                let $session = &mut frame.session;
                $change;
            });
        };
    }
    add(Field::Time, &full(), "time", |frame| frame.time.0 += 1);
    player!(HeadPosition, "head.position.x", |p| p.head.position[0] +=
        0.5);
    player!(BodyPosition, "body.position.y", |p| p.body.position[1] +=
        0.5);
    player!(HandPosition, "lhand.pos.z", |p| p.lhand.position[2] += 0.5);
    player!(HandPosition, "rhand.pos.z", |p| p.rhand.position[2] += 0.5);
    player!(HeadRotation, "head.forward, up", |p| turn(&mut p.head));
    player!(BodyRotation, "body.forward, up", |p| turn(&mut p.body));
    player!(HandRotation, "rhand.forward, up", |p| turn(&mut p.rhand));
    player!(Orientation, "body.forward, up", |p| {
        (p.body.forward, p.body.left, p.body.up) = Default::default();
    });
    player!(PlayerVelocity, "velocity.y", |p| p.velocity[1] = -2.0);
    player!(PossessionTime, "stats.possession_time", |p| {
        p.stats.as_mut().unwrap().possession_time += 0.5;
    });
    player!(Counts, "stats.interceptions", |p| {
        p.stats.as_mut().unwrap().interceptions += 1;
    });
    player!(Presence, "stats", |p| {
        p.stats = None;
    });
    player!(PacketLoss, "packetlossratio", |p| p.packetlossratio = 0.01);
    player!(Ping, "ping", |p| p.ping += 1);
    player!(PlayerId, "playerid", |p| p.playerid = 9);
    player!(UserId, "userid", |p| p.userid += 1);
    player!(Number, "number", |p| p.number += 1);
    player!(Level, "level", |p| p.level += 1);
    player!(PlayerFlags, "flags", |p| p.is_emote_playing = true);
    player!(Holding, "holding_right", |p| {
        p.holding_right = Some(Holding::Geo);
    });
    player!(LoadoutElsewhere, "loadout", |p| p.loadout = Some(loadout()));
    add(
        Field::Name,
        &full(),
        "teams[1].players[2] \"other\" name",
        |frame| frame.session.teams[1].players[2].name = "else".into(),
    );
    session!(Players, full(), "teams[1].players", |s| s.teams[1]
        .players
        .pop());
    session!(Teams, full(), "teams", |s| s.teams.push(Team::default()));
    session!(TeamName, full(), "teams[0].team", |s| s.teams[0].name =
        "Splash".into());
    session!(TeamPossession, full(), "teams[0].possession", |s| {
        s.teams[0].possession = true;
    });
    session!(Counts, full(), "teams[0].stats.stuns", |s| {
        s.teams[0].stats.as_mut().unwrap().stuns += 1;
    });
    session!(DiscPosition, full(), "disc.position.z", |s| {
        s.disc.as_mut().unwrap().pose.position[2] = 0.1;
    });
    session!(DiscRotation, full(), "disc.forward, up", |s| {
        turn(&mut s.disc.as_mut().unwrap().pose);
    });
    session!(DiscVelocity, full(), "disc.velocity.x", |s| {
        s.disc.as_mut().unwrap().velocity[0] = 4.1;
    });
    session!(BounceCount, full(), "disc.bounce_count", |s| {
        s.disc.as_mut().unwrap().bounce_count = 2;
    });
    session!(PlayspacePosition, full(), "player.vr_position.x", |s| {
        s.player.as_mut().unwrap().position[0] = 0.2;
    });
    session!(PlayspaceRotation, full(), "player.vr_forward, vr_up", |s| {
        turn(s.player.as_mut().unwrap());
    });
    session!(GameClock, full(), "game_clock", |s| s.game_clock += 0.01);
    session!(ClockDisplay, full(), "game_clock_display", |s| {
        s.game_clock_display = "01:00.00".into();
    });
    session!(Throw, full(), "last_throw.speed_from_arm", |s| {
        s.last_throw.as_mut().unwrap().speed_from_arm = 0.5;
    });
    session!(Presence, full(), "last_throw", |s| s.last_throw = None);
    session!(ScoreSpeed, full(), "last_score.disc_speed", |s| {
        s.last_score.as_mut().unwrap().disc_speed += 0.1;
    });
    session!(ScoreDistance, full(), "last_score.distance_thrown", |s| {
        s.last_score.as_mut().unwrap().distance_thrown += 0.1;
    });
    session!(ScorePoints, full(), "last_score.point_amount", |s| {
        s.last_score.as_mut().unwrap().point_amount = 3;
    });
    session!(ScoreTeam, full(), "last_score.team", |s| {
        s.last_score.as_mut().unwrap().team = TeamId::Orange;
    });
    session!(GoalType, full(), "last_score.goal_type", |s| {
        s.last_score.as_mut().unwrap().goal_type = GoalType::Headbutt;
    });
    session!(Scorers, full(), "last_score.assist_scored", |s| {
        s.last_score.as_mut().unwrap().assist_scored = "player-02".into();
    });
    session!(PauseTimer, full(), "pause.paused_timer", |s| {
        s.pause.as_mut().unwrap().paused_timer = 0.5;
    });
    session!(PauseState, full(), "pause.paused_state", |s| {
        s.pause.as_mut().unwrap().paused_state = "pausing".into();
    });
    session!(PauseTeams, full(), "pause.unpaused_team", |s| {
        s.pause.as_mut().unwrap().unpaused_team = TeamId::Blue;
    });
    session!(Points, full(), "orange_points", |s| s.orange_points += 2.0);
    session!(SessionId, full(), "sessionid", |s| s.sessionid =
        "another".into());
    session!(SessionIp, full(), "sessionip", |s| s.sessionip =
        "198.51.100.9".into());
    session!(ClientName, full(), "client_name", |s| s.client_name =
        "other".into());
    session!(PrivateMatch, full(), "private_match", |s| s.private_match =
        false);
    session!(Status, full(), "game_status", |s| s.game_status =
        GameStatus::Score);
    session!(
        Inputs,
        full(),
        "left_shoulder_pressed, right_shoulder_pressed, …2",
        |s| {
            s.inputs.right_shoulder2 = 1.0;
        }
    );
    session!(
        RestartRequests,
        full(),
        "blue_team_restart_request, orange_team_restart_request",
        |s| s.orange_team_restart_request = true
    );
    session!(
        RulesChanged,
        full(),
        "rules_changed_by, rules_changed_at",
        |s| {
            s.rules_changed_at = Some(7);
        }
    );
    session!(
        RoundScores,
        full(),
        "blue_round_score, orange_round_score",
        |s| {
            s.blue_round_score = 1;
        }
    );
    session!(RoundCount, full(), "total_round_count", |s| s
        .total_round_count =
        1);
    session!(MatchType, full(), "match_type", |s| s.match_type =
        "Other".into());
    session!(TournamentMatch, full(), "tournament_match", |s| s
        .tournament_match =
        true);
    session!(Possession, full(), "possession", |s| s.possession =
        Some([0, 1]));
    session!(ApiError, full(), "err_code, err_description", |s| s
        .err_code =
        Some(-6));
    session!(UnknownMembers, full(), "unknown members", |s| {
        s.unknown.push(Unknown {
            object: Object::Disc,
            name: "colour".into(),
            json: "7".into(),
        });
    });
    session!(PayloadElsewhere, full(), "payload", |s| s.payload =
        Some(Payload::default()));
    add(
        Field::BonePosition,
        &full(),
        "user_bones[4].bone_t[22].y",
        |frame| {
            frame.bones.as_mut().unwrap().user_bones[4].positions[22][1] = 0.001;
        },
    );
    add(
        Field::BoneRotation,
        &full(),
        "user_bones[4].bone_o[22]",
        |frame| {
            let half = 1.0_f32.to_radians() / 2.0;
            let rotation = [half.sin(), 0.0, 0.0, half.cos()];
            frame.bones.as_mut().unwrap().user_bones[4].rotations[22] = rotation;
        },
    );
    add(Field::BonePlayers, &full(), "user_bones", |frame| {
        frame.bones.as_mut().unwrap().user_bones.pop();
    });
    session!(CombatPoints, on(Map::Gauss), "blue_points", |s| s
        .blue_points =
        0.5);
    session!(PayloadDistance, on(Map::Gauss), "payload_distance", |s| {
        s.payload.as_mut().unwrap().payload_distance = 0.1;
    });
    session!(PayloadSpeed, on(Map::Gauss), "payload_speed", |s| {
        s.payload.as_mut().unwrap().payload_speed = 0.1;
    });
    session!(PayloadCounts, on(Map::Gauss), "payload_defenders", |s| {
        s.payload.as_mut().unwrap().payload_defenders = 1;
    });
    session!(
        PayloadMultiplier,
        on(Map::Gauss),
        "payload_multiplier",
        |s| {
            s.payload.as_mut().unwrap().payload_multiplier = 2.0;
        }
    );
    session!(Contested, on(Map::Gauss), "contested", |s| {
        s.payload.as_mut().unwrap().contested = true;
    });
    add(
        Field::Loadout,
        &on(Map::Gauss),
        "teams[0].players[0] \"player-00\" loadout",
        |frame| {
            frame.session.teams[0].players[0].loadout = Some(loadout());
        },
    );
    add(
        Field::HoldingElsewhere,
        &on(Map::Gauss),
        "teams[0].players[0] \"player-00\" holding_left",
        |frame| frame.session.teams[0].players[0].holding_left = None,
    );
    session!(DiscElsewhere, on(Map::Gauss), "disc", |s| s.disc =
        Some(Disc::default()));
    session!(LastScoreElsewhere, on(Map::Gauss), "last_score", |s| {
        s.last_score = Some(score(TeamId::Blue, 2, "player-01"));
    });
    session!(
        RulesElsewhere,
        on(Map::Gauss),
        "rules_changed_by, rules_changed_at",
        |s| {
            s.rules_changed_at = Some(7);
        }
    );
    session!(PointsElsewhere, on(Map::Lobby), "blue_points", |s| s
        .blue_points =
        2.0);
    session!(MapName, on(Map::Lobby), "map_name", |s| s.map_name =
        Map::TutorialArena);
    let mut pressed = full();
    pressed.session.inputs.left_shoulder = 0.5;
    session!(
        AnalogueInputs,
        pressed,
        "left_shoulder_pressed, right_shoulder_pressed, …2",
        |s| {
            s.inputs.left_shoulder = 1.0;
        }
    );
    all
}

fn loadout() -> Loadout {
    Loadout {
        weapon: Weapon::Scout,
        ordnance: "stun".into(),
        tac_mod: "heal".into(),
        arm: "Left".into(),
    }
}

/// By a degree about the axis up.
fn turn(pose: &mut gametape_echo::Pose) {
    let (sin, cos) = 1.0_f32.to_radians().sin_cos();
    pose.forward = [sin, 0.0, cos];
    pose.left = [cos, 0.0, -sin];
}
