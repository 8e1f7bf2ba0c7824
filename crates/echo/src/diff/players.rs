//! The walk over teams and players.

use super::pairs::{is_same, player, team};
use super::sink::{At, Before, PlayerBefore, Sink, both, debugged, shown};
use crate::field::Field;
use crate::model::{
    Arm, Game, Holding, Loadout, Ordnance, Player, Session, Stats, TacMod, Team, Weapon,
};
use crate::model::{COUNT_NAMES, counts};

pub(super) fn walk<S: Sink>(a: &Session, b: &Session, before: Option<&Before>, sink: &mut S) {
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
    before: Option<&Before>,
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
