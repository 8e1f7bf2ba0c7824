//! The walk over what is no player's.
// Whether numbers are equal is what is asked here.
#![allow(clippy::float_cmp)]

use super::before::Before;
use super::sink::{At, Sink, both, pose};
use crate::field::Field;
use crate::model::{
    Disc, Game, LastThrow, PausedState, Payload, Pose, Session, THROW_MEMBERS, TeamId,
};

pub(super) fn walk<S: Sink>(a: &Session, b: &Session, before: Option<&Before>, sink: &mut S) {
    let at = At::Frame;
    header(a, b, sink);
    let statuses = [&a.game_status, &b.game_status];
    sink.coded(Field::Status, at, "game_status", statuses, |status| {
        status.code().is_some()
    });
    let clocks = [a.game_clock, b.game_clock];
    sink.number(Field::GameClock, at, "game_clock", clocks, None);
    points(a, b, sink);
    inputs(a, b, sink);
    let asks = |s: &Session| [s.blue_team_restart_request, s.orange_team_restart_request];
    let members = "blue_team_restart_request, orange_team_restart_request";
    sink.alike(Field::RestartRequests, at, members, [&asks(a), &asks(b)]);
    pause(a, b, before, sink);
    last_score(a, b, sink);
    last_throw(a, b, sink);
    if let Some((x, y)) = both(
        sink,
        at,
        "player",
        (a.player.as_ref(), b.player.as_ref()),
        |pose| *pose == Pose::default(),
    ) {
        pose(
            sink,
            [Field::PlayspacePosition, Field::PlayspaceRotation],
            at,
            ["player.vr_position", "player.vr_forward, vr_up"],
            [x, y],
            before.and_then(|before| before.playspace.as_ref()),
        );
    }
    disc(a, b, before, sink);
    payload(a, b, sink);
    rules(a, b, sink);
    rest(a, b, sink);
}

/// What a .butter keeps in its header.
fn header<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let at = At::Frame;
    // Hexadecimal digits of either case are one id.
    let same = if sink.tolerance().kept_only {
        a.sessionid.eq_ignore_ascii_case(&b.sessionid)
    } else {
        a.sessionid == b.sessionid
    };
    sink.other(Field::SessionId, at, "sessionid", same, || {
        [a, b].map(|s| s.sessionid.to_string())
    });
    // Addresses stay out of text.
    let same = a.sessionip == b.sessionip;
    sink.other(Field::SessionIp, at, "sessionip", same, || {
        ["an address", "another one"].map(str::to_owned)
    });
    let names = [&a.client_name, &b.client_name];
    sink.coded(Field::ClientName, at, "client_name", names, |name| {
        name.is_ascii()
    });
    let maps = [&a.map_name, &b.map_name];
    sink.coded(Field::MapName, at, "map_name", maps, |map| {
        map.code().is_some()
    });
    let private = [&a.private_match, &b.private_match];
    sink.same(Field::PrivateMatch, at, "private_match", private);
    let rounds = |s: &Session| [s.blue_round_score, s.orange_round_score];
    let members = "blue_round_score, orange_round_score";
    sink.alike(Field::RoundScores, at, members, [&rounds(a), &rounds(b)]);
    let counts = [&a.total_round_count, &b.total_round_count];
    sink.same(Field::RoundCount, at, "total_round_count", counts);
}

fn points<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let field = match a.map_name.game() {
        Game::Arena => Field::Points,
        Game::Combat => Field::CombatPoints,
        Game::Other => Field::PointsElsewhere,
    };
    for (member, values) in [
        ("blue_points", [a.blue_points, b.blue_points]),
        ("orange_points", [a.orange_points, b.orange_points]),
    ] {
        let [x, y] = values;
        if field == Field::PointsElsewhere {
            let same = x.to_bits() == y.to_bits();
            sink.other(field, At::Frame, member, same, || {
                [x, y].map(|points| points.to_string())
            });
        } else {
            sink.number(field, At::Frame, member, values, None);
        }
    }
}

fn inputs<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let all = |s: &Session| {
        let inputs = s.inputs;
        [
            inputs.left_shoulder,
            inputs.right_shoulder,
            inputs.left_shoulder2,
            inputs.right_shoulder2,
        ]
    };
    let (x, y) = (all(a), all(b));
    let partly = x.iter().any(|value| *value != 0.0 && *value != 1.0);
    let field = if partly {
        Field::AnalogueInputs
    } else {
        Field::Inputs
    };
    let member = "left_shoulder_pressed, right_shoulder_pressed, …2";
    sink.alike(field, At::Frame, member, [&x, &y]);
}

fn pause<S: Sink>(a: &Session, b: &Session, before: Option<&Before>, sink: &mut S) {
    let at = At::Frame;
    let Some((x, y)) = both(
        sink,
        at,
        "pause",
        (a.pause.as_ref(), b.pause.as_ref()),
        |pause| {
            matches!(
                pause.paused_state,
                PausedState::Unpaused | PausedState::None
            ) && pause.paused_requested_team == TeamId::None
                && pause.unpaused_team == TeamId::None
                && pause.paused_timer == 0.0
                && pause.unpaused_timer == 0.0
        },
    ) else {
        return;
    };
    let states = [&x.paused_state, &y.paused_state];
    sink.coded(Field::PauseState, at, "pause.paused_state", states, |s| {
        s.code().is_some()
    });
    let team = |team: &TeamId| team.code().is_some();
    let teams = [&x.paused_requested_team, &y.paused_requested_team];
    let member = "pause.paused_requested_team";
    sink.coded(Field::PauseTeams, at, member, teams, team);
    let teams = [&x.unpaused_team, &y.unpaused_team];
    sink.coded(Field::PauseTeams, at, "pause.unpaused_team", teams, team);
    let [paused, unpaused] = match before.and_then(|before| before.pause) {
        Some(timers) => timers.map(Some),
        None => [None; 2],
    };
    let timers = [x.paused_timer, y.paused_timer];
    sink.number(Field::PauseTimer, at, "pause.paused_timer", timers, paused);
    let timers = [x.unpaused_timer, y.unpaused_timer];
    let member = "pause.unpaused_timer";
    sink.number(Field::PauseTimer, at, member, timers, unpaused);
}

fn last_score<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let at = At::Frame;
    if a.map_name.game() != Game::Arena {
        let scores = [&a.last_score, &b.last_score];
        return sink.alike(Field::LastScoreElsewhere, at, "last_score", scores);
    }
    let pair = (a.last_score.as_ref(), b.last_score.as_ref());
    let Some((x, y)) = both(sink, at, "last_score", pair, |_| false) else {
        return;
    };
    let teams = [&x.team, &y.team];
    sink.coded(Field::ScoreTeam, at, "last_score.team", teams, |team| {
        team.code().is_some()
    });
    let types = [&x.goal_type, &y.goal_type];
    sink.coded(Field::GoalType, at, "last_score.goal_type", types, |goal| {
        goal.code().is_some()
    });
    for (member, names) in [
        (
            "last_score.person_scored",
            [&x.person_scored, &y.person_scored],
        ),
        (
            "last_score.assist_scored",
            [&x.assist_scored, &y.assist_scored],
        ),
    ] {
        sink.coded(Field::Scorers, at, member, names, |name| name.is_ascii());
    }
    let points = [&x.point_amount, &y.point_amount];
    let member = "last_score.point_amount";
    // A bit tells 2 points from 3.
    sink.coded(Field::ScorePoints, at, member, points, |points| {
        matches!(points, 2 | 3)
    });
    let speeds = [x.disc_speed, y.disc_speed];
    sink.number(Field::ScoreSpeed, at, "last_score.disc_speed", speeds, None);
    let distances = [x.distance_thrown, y.distance_thrown];
    let member = "last_score.distance_thrown";
    sink.number(Field::ScoreDistance, at, member, distances, None);
}

fn last_throw<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let pair = (a.last_throw.as_ref(), b.last_throw.as_ref());
    let nothing = |throw: &LastThrow| throw.to_array().iter().all(|x| *x == 0.0);
    if let Some((x, y)) = both(sink, At::Frame, "last_throw", pair, nothing) {
        let values = x.to_array().into_iter().zip(y.to_array());
        for (member, (x, y)) in THROW_MEMBERS.into_iter().zip(values) {
            sink.number(Field::Throw, At::Frame, member, [x, y], None);
        }
    }
}

fn disc<S: Sink>(a: &Session, b: &Session, before: Option<&Before>, sink: &mut S) {
    let at = At::Frame;
    if a.map_name.game() != Game::Arena {
        return sink.alike(Field::DiscElsewhere, at, "disc", [&a.disc, &b.disc]);
    }
    let pair = (a.disc.as_ref(), b.disc.as_ref());
    let nothing = |disc: &Disc| *disc == Disc::default();
    if let Some((x, y)) = both(sink, at, "disc", pair, nothing) {
        let [position, velocity] = match before.and_then(|before| before.disc.as_ref()) {
            Some([position, velocity]) => [Some(position), Some(velocity)],
            None => [None, None],
        };
        pose(
            sink,
            [Field::DiscPosition, Field::DiscRotation],
            at,
            ["disc.position", "disc.forward, up"],
            [&x.pose, &y.pose],
            position,
        );
        let velocities = [&x.velocity, &y.velocity];
        let field = Field::DiscVelocity;
        sink.vector(field, at, "disc.velocity", velocities, velocity);
        let bounces = [&x.bounce_count, &y.bounce_count];
        sink.same(Field::BounceCount, at, "disc.bounce_count", bounces);
    }
}

fn payload<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let at = At::Frame;
    if a.map_name.game() != Game::Combat {
        let payloads = [&a.payload, &b.payload];
        return sink.alike(Field::PayloadElsewhere, at, "payload", payloads);
    }
    let pair = (a.payload.as_ref(), b.payload.as_ref());
    let nothing = |payload: &Payload| *payload == Payload::default();
    if let Some((x, y)) = both(sink, at, "payload", pair, nothing) {
        let contested = [&x.contested, &y.contested];
        sink.same(Field::Contested, at, "contested", contested);
        let counts = |p: &Payload| [p.payload_checkpoint, p.payload_defenders].map(i64::from);
        let members = ["payload_checkpoint", "payload_defenders"];
        let values = [counts(x), counts(y)];
        let [x_counts, y_counts] = &values;
        sink.whole(Field::PayloadCounts, at, &members, [x_counts, y_counts]);
        let distances = [x.payload_distance, y.payload_distance];
        let field = Field::PayloadDistance;
        sink.number(field, at, "payload_distance", distances, None);
        let speeds = [x.payload_speed, y.payload_speed];
        sink.number(Field::PayloadSpeed, at, "payload_speed", speeds, None);
        let [m, n] = [x.payload_multiplier, y.payload_multiplier];
        let same = m.to_bits() == n.to_bits();
        let field = Field::PayloadMultiplier;
        sink.other(field, at, "payload_multiplier", same, || {
            [m, n].map(|number| number.to_string())
        });
    }
}

fn rules<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let stored = a.map_name.game() == Game::Arena && a.private_match;
    let field = if stored {
        Field::RulesChanged
    } else {
        Field::RulesElsewhere
    };
    let nobody = |s: &Session| {
        let by = s.rules_changed_by.as_deref().unwrap_or_default();
        matches!(by, "" | "[INVALID]") && s.rules_changed_at.unwrap_or(0) == 0
    };
    let same = (a.rules_changed_by == b.rules_changed_by
        && a.rules_changed_at == b.rules_changed_at)
        || (sink.tolerance().kept_only && nobody(a) && nobody(b));
    let show = |s: &Session| {
        let by = s.rules_changed_by.as_deref().unwrap_or("nobody");
        format!("{by} at {}", s.rules_changed_at.unwrap_or(0))
    };
    let member = "rules_changed_by, rules_changed_at";
    sink.other(field, At::Frame, member, same, || [show(a), show(b)]);
}

/// What a .butter has no room for.
fn rest<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let at = At::Frame;
    let types = [&a.match_type, &b.match_type];
    sink.same(Field::MatchType, at, "match_type", types);
    let tournament = [&a.tournament_match, &b.tournament_match];
    sink.same(Field::TournamentMatch, at, "tournament_match", tournament);
    let clocks = [&a.game_clock_display, &b.game_clock_display];
    sink.same(Field::ClockDisplay, at, "game_clock_display", clocks);
    let possessions = [&a.possession, &b.possession];
    sink.alike(Field::Possession, at, "possession", possessions);
    // That all is well goes without saying.
    let error = |s: &Session| {
        let text = s.err_description.clone().unwrap_or_default();
        (s.err_code.unwrap_or(0), text)
    };
    let same = (a.err_code == b.err_code && a.err_description == b.err_description)
        || (sink.tolerance().kept_only && error(a) == error(b));
    let member = "err_code, err_description";
    sink.other(Field::ApiError, at, member, same, || {
        // What the description says stays out of text, as addresses do.
        let code = |s: &Session| s.err_code.unwrap_or(0);
        if code(a) != code(b) {
            return [a, b].map(|s| code(s).to_string());
        }
        ["a description", "another one"].map(str::to_owned)
    });
    let same = a.unknown == b.unknown;
    let field = Field::UnknownMembers;
    sink.other(field, at, "unknown members", same, || {
        [a, b].map(|s| s.unknown.len().to_string())
    });
}
