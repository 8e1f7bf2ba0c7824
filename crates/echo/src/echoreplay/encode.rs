//! From the model to JSON, spelled as the game spells it.

use crate::error::WriteError;
use crate::model::{
    Bones, Disc, Frame, Game, LastScore, LastThrow, Object, Pause, Payload, Player, PlayerBones,
    Pose, Session, Stats, THROW_MEMBERS, Team, Time,
};

use super::decode::{MOST, MOST_UNKNOWN};
use super::foreign::Foreign;
use super::json::{Members, Writer};

/// Writes the line of a frame. What is written of it where that fails is the caller's to take back.
pub(super) fn frame(frame: &Frame, out: &mut Vec<u8>) -> Result<(), WriteError> {
    counts(frame)?;
    time(frame.time, out)?;
    out.push(b'\t');
    let foreign = Foreign::of_session(&frame.session)?;
    let mut json = Writer::new(out);
    session(&frame.session, &foreign, &mut json)?;
    if let Some(bones) = &frame.bones {
        json.separate();
        self::bones(bones, &mut json)?;
    }
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// What is counted in a byte. Readers refuse more, too.
fn counts(frame: &Frame) -> Result<(), WriteError> {
    let teams = &frame.session.teams;
    let players = |team: &Team| team.players.len();
    let bones = frame.bones.as_ref();
    for (what, count, most, holds) in [
        ("teams", teams.len(), MOST, "255"),
        (
            "players of a team",
            teams.iter().map(players).max().unwrap_or(0),
            MOST,
            "255",
        ),
        (
            "teams and players",
            teams.iter().map(players).sum::<usize>() + teams.len(),
            2 * MOST,
            "510",
        ),
        (
            "skeletons",
            bones.map_or(0, |bones| bones.user_bones.len()),
            MOST,
            "255",
        ),
        (
            "foreign members",
            frame.session.unknown.len(),
            MOST_UNKNOWN,
            "65,535",
        ),
        (
            "foreign members of bones",
            bones.map_or(0, |bones| bones.unknown.len()),
            MOST_UNKNOWN,
            "65,535",
        ),
    ] {
        if count > most {
            return Err(WriteError::Unstorable {
                what,
                found: count.to_string(),
                holds,
            });
        }
    }
    Ok(())
}

fn time(time: Time, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let text = time.to_string();
    if Time::parse(text.as_bytes()) != Some(time) {
        return Err(WriteError::Unstorable {
            what: "the time",
            found: text,
            holds: "the years 0 to 9999",
        });
    }
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn session(
    session: &Session,
    foreign: &Foreign<'_>,
    json: &mut Writer<'_>,
) -> Result<(), WriteError> {
    let mut o = json.object();
    if let Some(disc) = &session.disc {
        o.member("disc", |json| self::disc(disc, foreign, json))?;
    }
    o.whole(
        "orange_team_restart_request",
        i64::from(session.orange_team_restart_request),
    );
    o.text("sessionid", &session.sessionid);
    o.text("game_clock_display", &session.game_clock_display);
    o.text("game_status", session.game_status.as_str());
    o.text("sessionip", &session.sessionip);
    o.text("match_type", &session.match_type);
    o.text("map_name", session.map_name.as_str());
    o.number("right_shoulder_pressed2", session.inputs.right_shoulder2)?;
    o.member("teams", |json| {
        json.list(session.teams.iter().zip(0..=u8::MAX), |json, (team, at)| {
            self::team(team, at, foreign, json)
        })
    })?;
    o.whole("blue_round_score", session.blue_round_score.into());
    points(&mut o, "orange_points", session.orange_points, session)?;
    if let Some(player) = &session.player {
        o.member("player", |json| playspace(player, foreign, json))?;
    }
    o.flag("private_match", session.private_match);
    o.whole(
        "blue_team_restart_request",
        i64::from(session.blue_team_restart_request),
    );
    o.flag("tournament_match", session.tournament_match);
    o.whole("orange_round_score", session.orange_round_score.into());
    o.whole("total_round_count", session.total_round_count.into());
    o.number("left_shoulder_pressed2", session.inputs.left_shoulder2)?;
    o.number("left_shoulder_pressed", session.inputs.left_shoulder)?;
    if let Some(pause) = &session.pause {
        o.member("pause", |json| self::pause(pause, foreign, json))?;
    }
    o.number("right_shoulder_pressed", session.inputs.right_shoulder)?;
    points(&mut o, "blue_points", session.blue_points, session)?;
    if let Some(throw) = &session.last_throw {
        o.member("last_throw", |json| last_throw(throw, foreign, json))?;
    }
    o.text("client_name", &session.client_name);
    o.number("game_clock", session.game_clock)?;
    if let Some(possession) = session.possession {
        o.member("possession", |json| {
            json.list(possession, |json, place| {
                json.whole(place.into());
                Ok(())
            })
        })?;
    }
    if let Some(score) = &session.last_score {
        o.member("last_score", |json| last_score(score, foreign, json))?;
    }
    if let Some(code) = session.err_code {
        o.whole("err_code", code.into());
    }
    if let Some(description) = &session.err_description {
        o.text("err_description", description);
    }
    if let Some(payload) = &session.payload {
        self::payload(payload, &mut o)?;
    }
    if let Some(name) = &session.rules_changed_by {
        o.text("rules_changed_by", name);
    }
    if let Some(at) = session.rules_changed_at {
        o.whole("rules_changed_at", at);
    }
    foreign.write(Object::Session, &mut o);
    o.end();
    Ok(())
}

/// Whole numbers in arena, fractions in combat.
fn points(
    o: &mut Members<'_, '_>,
    name: &'static str,
    points: f32,
    session: &Session,
) -> Result<(), WriteError> {
    let whole = points as i32;
    let exact = (whole as f32).to_bits() == points.to_bits();
    if exact && whole != i32::MAX && session.map_name.game() != Game::Combat {
        o.whole(name, whole.into());
        return Ok(());
    }
    o.number(name, points)
}

fn payload(payload: &Payload, o: &mut Members<'_, '_>) -> Result<(), WriteError> {
    o.flag("contested", payload.contested);
    o.number("payload_multiplier", payload.payload_multiplier)?;
    o.whole("payload_checkpoint", payload.payload_checkpoint.into());
    o.number("payload_distance", payload.payload_distance)?;
    o.whole("payload_defenders", payload.payload_defenders.into());
    o.number("payload_speed", payload.payload_speed)
}

fn disc(disc: &Disc, foreign: &Foreign<'_>, json: &mut Writer<'_>) -> Result<(), WriteError> {
    let mut o = json.object();
    directions(&disc.pose, "position", &mut o)?;
    o.numbers("velocity", &disc.velocity)?;
    o.whole("bounce_count", disc.bounce_count.into());
    foreign.write(Object::Disc, &mut o);
    o.end();
    Ok(())
}

fn playspace(pose: &Pose, foreign: &Foreign<'_>, json: &mut Writer<'_>) -> Result<(), WriteError> {
    let mut o = json.object();
    o.numbers("vr_left", &pose.left)?;
    o.numbers("vr_position", &pose.position)?;
    o.numbers("vr_forward", &pose.forward)?;
    o.numbers("vr_up", &pose.up)?;
    foreign.write(Object::VrPlayer, &mut o);
    o.end();
    Ok(())
}

fn pause(pause: &Pause, foreign: &Foreign<'_>, json: &mut Writer<'_>) -> Result<(), WriteError> {
    let mut o = json.object();
    o.text("paused_state", pause.paused_state.as_str());
    o.text("unpaused_team", pause.unpaused_team.as_str());
    o.text(
        "paused_requested_team",
        pause.paused_requested_team.as_str(),
    );
    o.number("unpaused_timer", pause.unpaused_timer)?;
    o.number("paused_timer", pause.paused_timer)?;
    foreign.write(Object::Pause, &mut o);
    o.end();
    Ok(())
}

fn last_throw(
    throw: &LastThrow,
    foreign: &Foreign<'_>,
    json: &mut Writer<'_>,
) -> Result<(), WriteError> {
    let mut o = json.object();
    for (name, number) in THROW_MEMBERS.into_iter().zip(throw.to_array()) {
        o.number(name, number)?;
    }
    foreign.write(Object::LastThrow, &mut o);
    o.end();
    Ok(())
}

fn last_score(
    score: &LastScore,
    foreign: &Foreign<'_>,
    json: &mut Writer<'_>,
) -> Result<(), WriteError> {
    let mut o = json.object();
    o.number("disc_speed", score.disc_speed)?;
    o.text("team", score.team.as_str());
    o.text("goal_type", score.goal_type.as_str());
    o.whole("point_amount", score.point_amount.into());
    o.number("distance_thrown", score.distance_thrown)?;
    o.text("person_scored", &score.person_scored);
    o.text("assist_scored", &score.assist_scored);
    foreign.write(Object::LastScore, &mut o);
    o.end();
    Ok(())
}

fn team(
    team: &Team,
    at: u8,
    foreign: &Foreign<'_>,
    json: &mut Writer<'_>,
) -> Result<(), WriteError> {
    let mut o = json.object();
    // A team without players has no such member, as the spectators' show.
    if !team.players.is_empty() {
        o.member("players", |json| {
            json.list(
                team.players.iter().zip(0..=u8::MAX),
                |json, (player, place)| self::player(player, (at, place), foreign, json),
            )
        })?;
    }
    o.text("team", &team.name);
    o.flag("possession", team.possession);
    if let Some(stats) = &team.stats {
        o.member("stats", |json| {
            self::stats(stats, Object::TeamStats(at), foreign, json)
        })?;
    }
    foreign.write(Object::Team(at), &mut o);
    o.end();
    Ok(())
}

fn player(
    player: &Player,
    (team, at): (u8, u8),
    foreign: &Foreign<'_>,
    json: &mut Writer<'_>,
) -> Result<(), WriteError> {
    let hand_or_head = |o: &mut Members<'_, '_>, name, pose: &Pose, part, position| {
        o.member(name, |json| {
            let mut o = json.object();
            directions(pose, position, &mut o)?;
            foreign.write(Object::Pose(team, at, part), &mut o);
            o.end();
            Ok(())
        })
    };
    let mut o = json.object();
    o.text("name", &player.name);
    hand_or_head(&mut o, "rhand", &player.rhand, 3, "pos")?;
    o.whole("playerid", player.playerid.into());
    if let Some(stats) = &player.stats {
        o.member("stats", |json| {
            self::stats(stats, Object::PlayerStats(team, at), foreign, json)
        })?;
    }
    o.count("userid", player.userid);
    o.whole("number", player.number.into());
    o.whole("level", player.level.into());
    o.flag("stunned", player.stunned);
    o.whole("ping", player.ping.into());
    o.number("packetlossratio", player.packetlossratio)?;
    o.flag("invulnerable", player.invulnerable);
    if let Some(holding) = &player.holding_left {
        o.holding("holding_left", holding);
    }
    o.flag("possession", player.possession);
    hand_or_head(&mut o, "head", &player.head, 0, "position")?;
    hand_or_head(&mut o, "body", &player.body, 1, "position")?;
    if let Some(holding) = &player.holding_right {
        o.holding("holding_right", holding);
    }
    hand_or_head(&mut o, "lhand", &player.lhand, 2, "pos")?;
    o.flag("blocking", player.blocking);
    o.numbers("velocity", &player.velocity)?;
    // The game of 2021 does not tell of emotes.
    if player.is_emote_playing {
        o.flag("is_emote_playing", true);
    }
    if let Some(loadout) = &player.loadout {
        o.text("Weapon", loadout.weapon.as_str());
        o.text("Ordnance", loadout.ordnance.as_str());
        o.text("TacMod", loadout.tac_mod.as_str());
        o.text("Arm", loadout.arm.as_str());
    }
    foreign.write(Object::Player(team, at), &mut o);
    o.end();
    Ok(())
}

fn stats(
    stats: &Stats,
    at: Object,
    foreign: &Foreign<'_>,
    json: &mut Writer<'_>,
) -> Result<(), WriteError> {
    let mut o = json.object();
    o.number("possession_time", stats.possession_time)?;
    for (name, count) in [
        ("points", stats.points),
        ("saves", stats.saves),
        ("goals", stats.goals),
        ("stuns", stats.stuns),
        ("passes", stats.passes),
        ("catches", stats.catches),
        ("steals", stats.steals),
        ("blocks", stats.blocks),
        ("interceptions", stats.interceptions),
        ("assists", stats.assists),
        ("shots_taken", stats.shots_taken),
    ] {
        o.whole(name, count.into());
    }
    foreign.write(at, &mut o);
    o.end();
    Ok(())
}

fn directions(
    pose: &Pose,
    position: &'static str,
    o: &mut Members<'_, '_>,
) -> Result<(), WriteError> {
    o.numbers(position, &pose.position)?;
    o.numbers("forward", &pose.forward)?;
    o.numbers("left", &pose.left)?;
    o.numbers("up", &pose.up)
}

fn bones(bones: &Bones, json: &mut Writer<'_>) -> Result<(), WriteError> {
    let foreign = Foreign::of_bones(bones)?;
    let mut o = json.object();
    o.member("user_bones", |json| {
        json.list(
            bones.user_bones.iter().zip(0..=u8::MAX),
            |json, (player, at)| skeleton(player, at, &foreign, json),
        )
    })?;
    if !foreign.has(Object::Bones, "err_code") {
        o.whole("err_code", 0);
    }
    foreign.write(Object::Bones, &mut o);
    o.end();
    Ok(())
}

fn skeleton(
    bones: &PlayerBones,
    at: u8,
    foreign: &Foreign<'_>,
    json: &mut Writer<'_>,
) -> Result<(), WriteError> {
    let mut o = json.object();
    o.numbers("bone_t", bones.positions.as_flattened())?;
    o.numbers("bone_o", bones.rotations.as_flattened())?;
    foreign.write(Object::UserBones(at), &mut o);
    o.end();
    Ok(())
}
