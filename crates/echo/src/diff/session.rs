//! The walk over everything except teams and players.
// Comparing numbers exactly is intended here.
#![allow(clippy::float_cmp)]

use super::pairs::{disc, is_same, last_score, pause, payload, session};
use super::sink::{At, Before, Sink, both, debugged, pose, shown};
use crate::field::Field;
use crate::model::{
    Disc, Game, LastThrow, PausedState, Payload, Pose, Session, THROW_MEMBERS, TeamId,
};

pub(super) fn walk<S: Sink>(a: &Session, b: &Session, before: Option<&Before>, sink: &mut S) {
    let at = At::Frame;
    header(a, b, sink);
    session::game_status(sink, at, [a, b]);
    session::game_clock(sink, at, [a, b], None);
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

/// Values that a .butter keeps in its header.
fn header<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let at = At::Frame;
    // Hexadecimal digits of either case are the same id.
    let field = if a.sessionid.eq_ignore_ascii_case(&b.sessionid) {
        Field::SessionIdCase
    } else {
        Field::SessionId
    };
    sink.other(field, at, "sessionid", a.sessionid == b.sessionid, || {
        shown(&a.sessionid, &b.sessionid)
    });
    session::sessionip(sink, at, [a, b]);
    session::client_name(sink, at, [a, b]);
    session::map_name(sink, at, [a, b]);
    session::private_match(sink, at, [a, b]);
    let rounds = |s: &Session| [s.blue_round_score, s.orange_round_score];
    let same = rounds(a) == rounds(b);
    let members = "blue_round_score, orange_round_score";
    sink.other(Field::RoundScores, at, members, same, || {
        debugged(&rounds(a), &rounds(b))
    });
    session::total_round_count(sink, at, [a, b]);
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
    pause::paused_state(sink, at, [x, y]);
    pause::paused_requested_team(sink, at, [x, y]);
    pause::unpaused_team(sink, at, [x, y]);
    let [paused, unpaused] = match before.and_then(|before| before.pause) {
        Some(timers) => timers.map(Some),
        None => [None; 2],
    };
    pause::paused_timer(sink, at, [x, y], paused);
    pause::unpaused_timer(sink, at, [x, y], unpaused);
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
    last_score::team(sink, at, [x, y]);
    last_score::goal_type(sink, at, [x, y]);
    last_score::person_scored(sink, at, [x, y]);
    last_score::assist_scored(sink, at, [x, y]);
    // One bit distinguishes 2 points from 3.
    let (field, equal) = (Field::ScorePoints, x.point_amount == y.point_amount);
    let same = is_same(sink, field, equal, || matches!(x.point_amount, 2 | 3));
    let member = "last_score.point_amount";
    sink.other(field, at, member, same, || {
        shown(&x.point_amount, &y.point_amount)
    });
    last_score::disc_speed(sink, at, [x, y], None);
    last_score::distance_thrown(sink, at, [x, y], None);
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
        disc::velocity(sink, at, [x, y], velocity);
        disc::bounce_count(sink, at, [x, y]);
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
        payload::contested(sink, at, [x, y]);
        payload::payload_checkpoint(sink, at, [x, y]);
        payload::payload_defenders(sink, at, [x, y]);
        payload::payload_distance(sink, at, [x, y], None);
        payload::payload_speed(sink, at, [x, y], None);
        payload::payload_multiplier(sink, at, [x, y], None);
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

/// Values that a .butter can't store.
fn rest<S: Sink>(a: &Session, b: &Session, sink: &mut S) {
    let at = At::Frame;
    session::match_type(sink, at, [a, b]);
    session::tournament_match(sink, at, [a, b]);
    session::game_clock_display(sink, at, [a, b]);
    let same = a.possession == b.possession;
    sink.other(Field::Possession, at, "possession", same, || {
        debugged(&a.possession, &b.possession)
    });
    // Reporting success is the same as reporting nothing.
    let error = |s: &Session| {
        let text = s.err_description.clone().unwrap_or_default();
        (s.err_code.unwrap_or(0), text)
    };
    let same = (a.err_code == b.err_code && a.err_description == b.err_description)
        || (sink.tolerance().kept_only && error(a) == error(b));
    let member = "err_code, err_description";
    sink.other(Field::ApiError, at, member, same, || {
        // The description of an error is not put into text, like addresses.
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
    let same = a.missing == b.missing;
    let field = Field::MissingMembers;
    sink.other(field, at, "missing members", same, || {
        [a, b].map(|s| s.missing.count().to_string())
    });
}
