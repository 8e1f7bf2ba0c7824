//! The walk over two frames in parallel; every pair of values goes to a sink.

use super::pairs::{At, FrameBefore, PlayerBefore, Sink, both, debugged, pose, shown};
use super::pairs::{disc, is_same, last_score, pause, payload, player, session, team};
use crate::field::Field;
use crate::model::{
    Arm, Bones, COUNT_NAMES, Disc, Frame, Game, Holding, LastThrow, Loadout, Ordnance, PausedState,
    Payload, Player, Pose, Session, Stats, THROW_MEMBERS, TacMod, Team, TeamId, Weapon, counts,
};

/// Walks over two frames; `before` has the values of the first one's frame before.
pub(crate) fn walk<S: Sink>(a: &Frame, b: &Frame, before: Option<&FrameBefore>, sink: &mut S) {
    let at = At::Frame;
    sink.whole(Field::Time, at, &["time"], [&[a.time.0], &[b.time.0]]);
    session(&a.session, &b.session, before, sink);
    teams(&a.session, &b.session, before, sink);
    bones(a, b, sink);
}

fn bones<S: Sink>(a: &Frame, b: &Frame, sink: &mut S) {
    let at = At::Frame;
    let pair = (a.bones.as_ref(), b.bones.as_ref());
    let nothing = |bones: &Bones| bones.user_bones.is_empty();
    let Some((a, b)) = both(sink, at, "bones", pair, nothing) else {
        return;
    };
    let [x, y] = [a.user_bones.len(), b.user_bones.len()];
    let field = Field::BonePlayers;
    sink.other(field, at, "user_bones", x == y, || shown(&x, &y));
    for (place, (x, y)) in a.user_bones.iter().zip(&b.user_bones).enumerate() {
        for (bone, (x, y)) in x.positions.iter().zip(&y.positions).enumerate() {
            let at = At::Bone(place, bone);
            sink.vector(Field::BonePosition, at, "bone_t", [x, y], None);
        }
        for (bone, (x, y)) in x.rotations.iter().zip(&y.rotations).enumerate() {
            sink.quaternion(At::Bone(place, bone), [x, y]);
        }
    }
    let same = a.unknown == b.unknown;
    let field = Field::UnknownMembers;
    sink.other(field, at, "unknown members of the bones", same, || {
        [a, b].map(|bones| bones.unknown.len().to_string())
    });
}

fn session<S: Sink>(a: &Session, b: &Session, before: Option<&FrameBefore>, sink: &mut S) {
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

fn pause<S: Sink>(a: &Session, b: &Session, before: Option<&FrameBefore>, sink: &mut S) {
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

fn disc<S: Sink>(a: &Session, b: &Session, before: Option<&FrameBefore>, sink: &mut S) {
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

fn teams<S: Sink>(a: &Session, b: &Session, before: Option<&FrameBefore>, sink: &mut S) {
    let [x, y] = [a.teams.len(), b.teams.len()];
    sink.other(Field::Teams, At::Frame, "teams", x == y, || shown(&x, &y));
    let game = a.map_name.game();
    // The place of the team's first player among all.
    let mut first = 0;
    for (place, (x, y)) in a.teams.iter().zip(&b.teams).enumerate() {
        team(game, place, first, [x, y], before, sink);
        first += x.players.len();
    }
}

fn team<S: Sink>(
    game: Game,
    place: usize,
    first: usize,
    [a, b]: [&Team; 2],
    before: Option<&FrameBefore>,
    sink: &mut S,
) {
    let at = At::Team(place);
    team::name(sink, at, [a, b]);
    team::possession(sink, at, [a, b]);
    let time = before.and_then(|before| *before.possession_time.get(place)?);
    stats(at, (a.stats.as_ref(), b.stats.as_ref()), time, sink);
    let [x, y] = [a.players.len(), b.players.len()];
    sink.other(Field::Players, at, "players", x == y, || shown(&x, &y));
    for (nth, (x, y)) in a.players.iter().zip(&b.players).enumerate() {
        let at = At::Player(place, nth, &x.name);
        let before = before.and_then(|before| before.player(first + nth, x.userid));
        player(game, at, [x, y], before, sink);
    }
}

/// Numbers of a player or a team.
fn stats<S: Sink>(
    at: At<'_>,
    pair: (Option<&Stats>, Option<&Stats>),
    before: Option<f32>,
    sink: &mut S,
) {
    let nothing = |stats: &Stats| *stats == Stats::default();
    if let Some((a, b)) = both(sink, at, "stats", pair, nothing) {
        let times = [a.possession_time, b.possession_time];
        let member = "stats.possession_time";
        sink.number(Field::PossessionTime, at, member, times, before);
        let [x, y] = [counts(a), counts(b)].map(|counts| counts.map(i64::from));
        sink.whole(Field::Counts, at, &COUNT_NAMES, [&x, &y]);
    }
}

fn player<S: Sink>(
    game: Game,
    at: At<'_>,
    [a, b]: [&Player; 2],
    before: Option<&PlayerBefore>,
    sink: &mut S,
) {
    player::name(sink, at, [a, b]);
    player::userid(sink, at, [a, b]);
    player::playerid(sink, at, [a, b]);
    player::number(sink, at, [a, b]);
    player::level(sink, at, [a, b]);
    player::ping(sink, at, [a, b]);
    let same = a.missing == b.missing;
    let field = Field::MissingMembers;
    sink.other(field, at, "missing members", same, || {
        [a, b].map(|player| player.missing.count().to_string())
    });
    let loss = before.map(|before| before.packet_loss);
    player::packetlossratio(sink, at, [a, b], loss);
    flags(at, a, b, sink);
    hands(game, at, a, b, sink);
    let time = before.and_then(|before| before.possession_time);
    stats(at, (a.stats.as_ref(), b.stats.as_ref()), time, sink);

    let velocity = before.map(|before| &before.velocity);
    player::velocity(sink, at, [a, b], velocity);
    let positions = before.map(|before| &before.positions);
    let [head, body, lhand, rhand] = match positions {
        Some([head, body, lhand, rhand]) => [Some(head), Some(body), Some(lhand), Some(rhand)],
        None => [None; 4],
    };
    player::head(sink, at, [a, b], head);
    player::body(sink, at, [a, b], body);
    player::lhand(sink, at, [a, b], lhand);
    player::rhand(sink, at, [a, b], rhand);
    loadout(game, at, a, b, sink);
}

fn flags<S: Sink>(at: At<'_>, a: &Player, b: &Player, sink: &mut S) {
    let all = |player: &Player| {
        [
            player.possession,
            player.blocking,
            player.stunned,
            player.invulnerable,
            player.is_emote_playing,
        ]
    };
    let names = |player: &Player| {
        let names = [
            "possession",
            "blocking",
            "stunned",
            "invulnerable",
            "is_emote_playing",
        ];
        let set = names.into_iter().zip(all(player));
        let set: Vec<&str> = set.filter_map(|(name, on)| on.then_some(name)).collect();
        if set.is_empty() {
            "nothing".to_owned()
        } else {
            set.join(" ")
        }
    };
    let same = all(a) == all(b);
    sink.other(Field::PlayerFlags, at, "flags", same, || {
        [names(a), names(b)]
    });
}

fn hands<S: Sink>(game: Game, at: At<'_>, a: &Player, b: &Player, sink: &mut S) {
    let field = if game == Game::Arena {
        Field::Holding
    } else {
        Field::HoldingElsewhere
    };
    let show = |held: &Option<Holding>| match held {
        None => "not there".to_owned(),
        // Recorders before 2022 wrote user ids, which are not put into text.
        Some(Holding::Number(number)) if *number > 255 => "a user id".to_owned(),
        Some(held) => held.to_string(),
    };
    for (member, x, y) in [
        ("holding_left", &a.holding_left, &b.holding_left),
        ("holding_right", &a.holding_right, &b.holding_right),
    ] {
        // A byte holds the numbers of players, up to those with another meaning.
        let is_coded = || match x {
            Some(Holding::Number(number)) => *number < 252,
            Some(Holding::Other(_)) => false,
            _ => true,
        };
        let same = is_same(sink, field, x == y, is_coded);
        sink.other(field, at, member, same, || [show(x), show(y)]);
    }
}

fn loadout<S: Sink>(game: Game, at: At<'_>, a: &Player, b: &Player, sink: &mut S) {
    let field = if game == Game::Combat {
        Field::Loadout
    } else {
        Field::LoadoutElsewhere
    };
    // A .butter has no code for an absent loadout.
    let first = |loadout: &Option<Loadout>| {
        loadout.as_ref().is_none_or(|loadout| {
            loadout.weapon == Weapon::Rocket
                && loadout.ordnance == Ordnance::Stun
                && loadout.tac_mod == TacMod::Sensor
                && loadout.arm == Arm::Left
        })
    };
    let same = a.loadout == b.loadout
        || (sink.tolerance().kept_only && first(&a.loadout) && first(&b.loadout));
    sink.other(field, at, "loadout", same, || {
        debugged(&a.loadout, &b.loadout)
    });
}
