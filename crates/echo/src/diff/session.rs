//! The walk over what is no player's.
// Whether numbers are equal is what is asked here.
#![allow(clippy::float_cmp)]

use super::before::Before;
use super::sink::{At, Sink, both, debugged, pose, shown};
use crate::field::Field;
use crate::model::{
    Disc, Game, LastThrow, PausedState, Payload, Pose, Session, THROW_MEMBERS, TeamId,
};

pub(super) fn walk<S: Sink>(a: &Session, b: &Session, before: Option<&Before>, sink: &mut S) {
    let at = At::Frame;
    header(a, b, sink);
    let same =
        a.game_status == b.game_status || (sink.forgives_codes() && a.game_status.code().is_none());
    sink.other(Field::Status, at, "game_status", same, || {
        shown(&a.game_status, &b.game_status)
    });
    let clocks = [a.game_clock, b.game_clock];
    sink.number(Field::GameClock, at, "game_clock", clocks, None);
    points(a, b, sink);
    inputs(a, b, sink);
    let asks = |s: &Session| [s.blue_team_restart_request, s.orange_team_restart_request];
    sink.other(
        Field::RestartRequests,
        at,
        "blue_team_restart_request, orange_team_restart_request",
        asks(a) == asks(b),
        || debugged(&asks(a), &asks(b)),
    );
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
        shown(&a.sessionid, &b.sessionid)
    });
    // Addresses stay out of text.
    let same = a.sessionip == b.sessionip;
    sink.other(Field::SessionIp, at, "sessionip", same, || {
        ["an address", "another one"].map(str::to_owned)
    });
    let same =
        a.client_name == b.client_name || (sink.forgives_codes() && !a.client_name.is_ascii());
    sink.other(Field::ClientName, at, "client_name", same, || {
        shown(&a.client_name, &b.client_name)
    });
    let same = a.map_name == b.map_name || (sink.forgives_codes() && a.map_name.code().is_none());
    sink.other(Field::MapName, at, "map_name", same, || {
        shown(&a.map_name, &b.map_name)
    });
    let same = a.private_match == b.private_match;
    sink.other(Field::PrivateMatch, at, "private_match", same, || {
        shown(&a.private_match, &b.private_match)
    });
    let rounds = |s: &Session| [s.blue_round_score, s.orange_round_score];
    let same = rounds(a) == rounds(b);
    let members = "blue_round_score, orange_round_score";
    sink.other(Field::RoundScores, at, members, same, || {
        debugged(&rounds(a), &rounds(b))
    });
    let same = a.total_round_count == b.total_round_count;
    sink.other(Field::RoundCount, at, "total_round_count", same, || {
        shown(&a.total_round_count, &b.total_round_count)
    });
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
            sink.other(field, At::Frame, member, same, || shown(&x, &y));
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
    let same = x.iter().zip(&y).all(|(x, y)| x == y);
    sink.other(field, At::Frame, member, same, || debugged(&x, &y));
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
    let same = x.paused_state == y.paused_state
        || (sink.forgives_codes() && x.paused_state.code().is_none());
    sink.other(Field::PauseState, at, "pause.paused_state", same, || {
        shown(&x.paused_state, &y.paused_state)
    });
    for (member, x, y) in [
        (
            "pause.paused_requested_team",
            &x.paused_requested_team,
            &y.paused_requested_team,
        ),
        ("pause.unpaused_team", &x.unpaused_team, &y.unpaused_team),
    ] {
        let same = x == y || (sink.forgives_codes() && x.code().is_none());
        sink.other(Field::PauseTeams, at, member, same, || shown(x, y));
    }
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
        let same = a.last_score == b.last_score;
        sink.other(Field::LastScoreElsewhere, at, "last_score", same, || {
            debugged(&a.last_score, &b.last_score)
        });
        return;
    }
    let pair = (a.last_score.as_ref(), b.last_score.as_ref());
    let Some((x, y)) = both(sink, at, "last_score", pair, |_| false) else {
        return;
    };
    let coded = !sink.forgives_codes();
    let same = x.team == y.team || (!coded && x.team.code().is_none());
    sink.other(Field::ScoreTeam, at, "last_score.team", same, || {
        shown(&x.team, &y.team)
    });
    let same = x.goal_type == y.goal_type || (!coded && x.goal_type.code().is_none());
    sink.other(Field::GoalType, at, "last_score.goal_type", same, || {
        shown(&x.goal_type, &y.goal_type)
    });
    for (member, x, y) in [
        (
            "last_score.person_scored",
            &x.person_scored,
            &y.person_scored,
        ),
        (
            "last_score.assist_scored",
            &x.assist_scored,
            &y.assist_scored,
        ),
    ] {
        let same = x == y || (!coded && !x.is_ascii());
        sink.other(Field::Scorers, at, member, same, || shown(x, y));
    }
    // A bit tells 2 points from 3.
    let same = x.point_amount == y.point_amount || (!coded && !matches!(x.point_amount, 2 | 3));
    let member = "last_score.point_amount";
    sink.other(Field::ScorePoints, at, member, same, || {
        shown(&x.point_amount, &y.point_amount)
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
        let same = a.disc == b.disc;
        sink.other(Field::DiscElsewhere, at, "disc", same, || {
            debugged(&a.disc, &b.disc)
        });
        return;
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
        let same = x.bounce_count == y.bounce_count;
        sink.other(Field::BounceCount, at, "disc.bounce_count", same, || {
            shown(&x.bounce_count, &y.bounce_count)
        });
    }
}

fn payload<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let at = At::Frame;
    if a.map_name.game() != Game::Combat {
        let same = a.payload == b.payload;
        sink.other(Field::PayloadElsewhere, at, "payload", same, || {
            debugged(&a.payload, &b.payload)
        });
        return;
    }
    let pair = (a.payload.as_ref(), b.payload.as_ref());
    let nothing = |payload: &Payload| *payload == Payload::default();
    if let Some((x, y)) = both(sink, at, "payload", pair, nothing) {
        let same = x.contested == y.contested;
        sink.other(Field::Contested, at, "contested", same, || {
            shown(&x.contested, &y.contested)
        });
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
        sink.other(field, at, "payload_multiplier", same, || shown(&m, &n));
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
    let same = a.match_type == b.match_type;
    sink.other(Field::MatchType, at, "match_type", same, || {
        shown(&a.match_type, &b.match_type)
    });
    let same = a.tournament_match == b.tournament_match;
    sink.other(Field::TournamentMatch, at, "tournament_match", same, || {
        shown(&a.tournament_match, &b.tournament_match)
    });
    let same = a.game_clock_display == b.game_clock_display;
    sink.other(Field::ClockDisplay, at, "game_clock_display", same, || {
        shown(&a.game_clock_display, &b.game_clock_display)
    });
    let same = a.possession == b.possession;
    sink.other(Field::Possession, at, "possession", same, || {
        debugged(&a.possession, &b.possession)
    });
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
            return shown(&code(a), &code(b));
        }
        ["a description", "another one"].map(str::to_owned)
    });
    let same = a.unknown == b.unknown;
    let field = Field::UnknownMembers;
    sink.other(field, at, "unknown members", same, || {
        [a, b].map(|s| s.unknown.len().to_string())
    });
}
