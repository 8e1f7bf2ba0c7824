//! A change of every field.

use gametape_echo::{
    Bones, Disc, Field, Frame, GameStatus, GoalType, Holding, LastThrow, Loadout, Map, Object,
    Payload, Player, PlayerBones, Session, Team, TeamId, Unknown, Weapon, echoreplay,
};

use crate::common::arena::{arena, pose, score};

/// A frame with every part.
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

/// The field, the frame, the path of the difference, and the change.
pub type Change = (Field, Frame, &'static str, fn(&mut Frame));

/// Parts of a frame and their changes, with the prefix of their paths and the frame.
macro_rules! changes {
    ($($before:literal, $part:ident($frame:expr) {
        $($field:ident = $path:literal, |$to:ident| $change:expr;)*
    })*) => {
        vec![$($((Field::$field, $frame, concat!($before, $path), |frame| {
            let $to = $part(frame);
            $change;
        }),)*)*]
    };
}

fn whole(frame: &mut Frame) -> &mut Frame {
    frame
}

fn session(frame: &mut Frame) -> &mut Session {
    &mut frame.session
}

fn player(frame: &mut Frame) -> &mut Player {
    &mut frame.session.teams[1].players[2]
}

/// A frame in which an input is partly pressed.
fn pressed() -> Frame {
    let mut frame = full();
    frame.session.inputs.left_shoulder = 0.5;
    frame
}

/// A change of each field, on each map where it counts.
pub fn changes() -> Vec<Change> {
    changes! {
        "", whole(full()) {
            Time = "time", |frame| frame.time.0 += 1;
            Name = "teams[1].players[2] \"other\" name",
                |frame| frame.session.teams[1].players[2].name = "else".into();
            BonePosition = "user_bones[4].bone_t[22].y",
                |frame| frame.bones.as_mut().unwrap().user_bones[4].positions[22][1] = 0.01;
            BoneRotation = "user_bones[4].bone_o[22]", |frame| {
                let half = 7.0_f32.to_radians() / 2.0;
                let rotation = [half.sin(), 0.0, 0.0, half.cos()];
                frame.bones.as_mut().unwrap().user_bones[4].rotations[22] = rotation;
            };
            BonePlayers = "user_bones", |frame| frame.bones.as_mut().unwrap().user_bones.pop();
        }
        "teams[1].players[2] \"player-12\" ", player(full()) {
            HeadPosition = "head.position.x", |p| p.head.position[0] += 0.5;
            BodyPosition = "body.position.y", |p| p.body.position[1] += 0.5;
            HandPosition = "lhand.pos.z", |p| p.lhand.position[2] += 0.5;
            HandPosition = "rhand.pos.z", |p| p.rhand.position[2] += 0.5;
            HeadRotation = "head.forward, up", |p| turn(&mut p.head);
            BodyRotation = "body.forward, up", |p| turn(&mut p.body);
            HandRotation = "rhand.forward, up", |p| turn(&mut p.rhand);
            Orientation = "body.forward, up",
                |p| (p.body.forward, p.body.left, p.body.up) = Default::default();
            PlayerVelocity = "velocity.y", |p| p.velocity[1] = -2.0;
            PossessionTime = "stats.possession_time",
                |p| p.stats.as_mut().unwrap().possession_time += 0.5;
            Counts = "stats.interceptions", |p| p.stats.as_mut().unwrap().interceptions += 1;
            Presence = "stats", |p| p.stats = None;
            PacketLoss = "packetlossratio", |p| p.packetlossratio = 0.01;
            Ping = "ping", |p| p.ping += 1;
            PlayerId = "playerid", |p| p.playerid = 9;
            UserId = "userid", |p| p.userid += 1;
            Number = "number", |p| p.number += 1;
            Level = "level", |p| p.level += 1;
            PlayerFlags = "flags", |p| p.is_emote_playing = true;
            Holding = "holding_right", |p| p.holding_right = Some(Holding::Geo);
            LoadoutElsewhere = "loadout", |p| p.loadout = Some(loadout());
        }
        "", session(full()) {
            Players = "teams[1].players", |s| s.teams[1].players.pop();
            Teams = "teams", |s| s.teams.push(Team::default());
            TeamName = "teams[0].team", |s| s.teams[0].name = "Splash".into();
            TeamPossession = "teams[0].possession", |s| s.teams[0].possession = true;
            Counts = "teams[0].stats.stuns", |s| s.teams[0].stats.as_mut().unwrap().stuns += 1;
            DiscPosition = "disc.position.z", |s| s.disc.as_mut().unwrap().pose.position[2] = 0.1;
            DiscRotation = "disc.forward, up", |s| turn(&mut s.disc.as_mut().unwrap().pose);
            DiscVelocity = "disc.velocity.x", |s| s.disc.as_mut().unwrap().velocity[0] = 4.1;
            BounceCount = "disc.bounce_count", |s| s.disc.as_mut().unwrap().bounce_count = 2;
            PlayspacePosition = "player.vr_position.x",
                |s| s.player.as_mut().unwrap().position[0] = 0.2;
            PlayspaceRotation = "player.vr_forward, vr_up", |s| turn(s.player.as_mut().unwrap());
            GameClock = "game_clock", |s| s.game_clock += 0.01;
            ClockDisplay = "game_clock_display", |s| s.game_clock_display = "01:00.00".into();
            Throw = "last_throw.speed_from_arm",
                |s| s.last_throw.as_mut().unwrap().speed_from_arm = 0.5;
            Presence = "last_throw", |s| s.last_throw = None;
            ScoreSpeed = "last_score.disc_speed",
                |s| s.last_score.as_mut().unwrap().disc_speed += 0.1;
            ScoreDistance = "last_score.distance_thrown",
                |s| s.last_score.as_mut().unwrap().distance_thrown += 0.1;
            ScorePoints = "last_score.point_amount",
                |s| s.last_score.as_mut().unwrap().point_amount = 3;
            ScoreTeam = "last_score.team", |s| s.last_score.as_mut().unwrap().team = TeamId::Orange;
            GoalType = "last_score.goal_type",
                |s| s.last_score.as_mut().unwrap().goal_type = GoalType::Headbutt;
            Scorers = "last_score.assist_scored",
                |s| s.last_score.as_mut().unwrap().assist_scored = "player-02".into();
            PauseTimer = "pause.paused_timer", |s| s.pause.as_mut().unwrap().paused_timer = 0.5;
            PauseState = "pause.paused_state",
                |s| s.pause.as_mut().unwrap().paused_state = "pausing".into();
            PauseTeams = "pause.unpaused_team",
                |s| s.pause.as_mut().unwrap().unpaused_team = TeamId::Blue;
            Points = "orange_points", |s| s.orange_points += 2.0;
            SessionId = "sessionid", |s| s.sessionid = "another".into();
            SessionIdCase = "sessionid", |s| s.sessionid = s.sessionid.to_ascii_lowercase();
            SessionIp = "sessionip", |s| s.sessionip = "198.51.100.9".into();
            ClientName = "client_name", |s| s.client_name = "other".into();
            PrivateMatch = "private_match", |s| s.private_match = false;
            Status = "game_status", |s| s.game_status = GameStatus::Score;
            Inputs = "left_shoulder_pressed, right_shoulder_pressed, …2",
                |s| s.inputs.right_shoulder2 = 1.0;
            RestartRequests = "blue_team_restart_request, orange_team_restart_request",
                |s| s.orange_team_restart_request = true;
            RulesChanged = "rules_changed_by, rules_changed_at", |s| s.rules_changed_at = Some(7);
            RoundScores = "blue_round_score, orange_round_score", |s| s.blue_round_score = 1;
            RoundCount = "total_round_count", |s| s.total_round_count = 1;
            MatchType = "match_type", |s| s.match_type = "Other".into();
            TournamentMatch = "tournament_match", |s| s.tournament_match = true;
            Possession = "possession", |s| s.possession = Some([0, 1]);
            ApiError = "err_code, err_description", |s| s.err_code = Some(-6);
            UnknownMembers = "unknown members", |s| s.unknown.push(unknown());
            MissingMembers = "missing members", |s| s.missing = nearly_nothing().missing;
            PayloadElsewhere = "payload", |s| s.payload = Some(Payload::default());
        }
        "", session(on(Map::Gauss)) {
            CombatPoints = "blue_points", |s| s.blue_points = 0.5;
            PayloadDistance = "payload_distance",
                |s| s.payload.as_mut().unwrap().payload_distance = 0.1;
            PayloadSpeed = "payload_speed", |s| s.payload.as_mut().unwrap().payload_speed = 0.1;
            PayloadCounts = "payload_defenders",
                |s| s.payload.as_mut().unwrap().payload_defenders = 1;
            PayloadMultiplier = "payload_multiplier",
                |s| s.payload.as_mut().unwrap().payload_multiplier = 2.0;
            Contested = "contested", |s| s.payload.as_mut().unwrap().contested = true;
            DiscElsewhere = "disc", |s| s.disc = Some(Disc::default());
            LastScoreElsewhere = "last_score",
                |s| s.last_score = Some(score(TeamId::Blue, 2, "player-01"));
            RulesElsewhere = "rules_changed_by, rules_changed_at", |s| s.rules_changed_at = Some(7);
        }
        "", whole(on(Map::Gauss)) {
            Loadout = "teams[0].players[0] \"player-00\" loadout",
                |frame| frame.session.teams[0].players[0].loadout = Some(loadout());
            HoldingElsewhere = "teams[0].players[0] \"player-00\" holding_left",
                |frame| frame.session.teams[0].players[0].holding_left = None;
        }
        "", session(on(Map::Lobby)) {
            PointsElsewhere = "blue_points", |s| s.blue_points = 2.0;
            MapName = "map_name", |s| s.map_name = Map::TutorialArena;
        }
        "", session(pressed()) {
            AnalogueInputs = "left_shoulder_pressed, right_shoulder_pressed, …2",
                |s| s.inputs.left_shoulder = 1.0;
        }
    }
}

/// A session of one member.
fn nearly_nothing() -> Session {
    let text = b"2022/01/02 03:00:00.000\t{\"sessionid\":\"A\"}";
    let mut reader = echoreplay::read(text);
    reader.next_frame().unwrap().unwrap().session.clone()
}

fn unknown() -> Unknown {
    Unknown {
        object: Object::Disc,
        name: "colour".into(),
        json: "7".into(),
    }
}

fn loadout() -> Loadout {
    Loadout {
        weapon: Weapon::Scout,
        ordnance: "stun".into(),
        tac_mod: "heal".into(),
        arm: "Left".into(),
    }
}

/// Turns by a degree about the up axis.
fn turn(pose: &mut gametape_echo::Pose) {
    let (sin, cos) = 1.0_f32.to_radians().sin_cos();
    pose.forward = [sin, 0.0, cos];
    pose.left = [cos, 0.0, -sin];
}
