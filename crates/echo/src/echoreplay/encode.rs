//! From the model to JSON, spelled as the game spells it; members that the model does not know go back into their
//! objects.

use super::decode::{
    self, BONES_ANSWER, DISC, LAST_SCORE, LAST_THROW, MOST, MOST_UNKNOWN, Members, Others, PAUSE,
    PLAYER, PLAYSPACE, POSE, SESSION, STATS, TEAM, USER_BONES, write_object,
};
use super::json::{JsonMembers, JsonWriter};
use super::place;
use crate::error::WriteError;
use crate::model::{Bones, Frame, Object, Session, Team, Time, Unknown};

/// Writes the line of a frame. On failure, the caller has to remove what was written.
pub(super) fn frame(frame: &Frame, out: &mut Vec<u8>) -> Result<(), WriteError> {
    counts(frame)?;
    time(frame.time, out)?;
    out.push(b'\t');
    let foreign = Foreign::of_session(&frame.session)?;
    let mut json = JsonWriter::new(out);
    write_object(&frame.session, Object::Session, &foreign, &mut json)?;
    if let Some(bones) = &frame.bones {
        json.separate();
        self::bones(bones, &mut json)?;
    }
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// Checks the numbers that are counted in a byte. Readers refuse more, too.
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

fn bones(bones: &Bones, json: &mut JsonWriter<'_>) -> Result<(), WriteError> {
    let foreign = Foreign::of_bones(bones)?;
    let mut o = json.object();
    bones.write(Object::Bones, &foreign, &mut o)?;
    // Success is reported unless something else is.
    if !foreign.has(Object::Bones, "err_code") {
        o.whole("err_code", 0);
    }
    foreign.write(Object::Bones, &mut o);
    o.end();
    Ok(())
}

/// The foreign members of a frame, sorted by object.
struct Foreign<'m>(Vec<&'m Unknown>);

impl<'m> Foreign<'m> {
    /// Returns those of a session. Each is checked: it has a place, it is no known member, and it is JSON.
    fn of_session(session: &'m Session) -> Result<Self, WriteError> {
        Self::new(&session.unknown, |member| {
            if !place::exists(session, member.object) {
                return Err("members of objects that the frame has");
            }
            if member.object == Object::Session && member.name == "possession" {
                // The value, if it is not two numbers.
                let other = session.possession.is_none()
                    && member.json != "null"
                    && decode::pair(&member.json).is_none();
                return if other {
                    Ok(())
                } else {
                    Err("a possession in the model")
                };
            }
            Ok(())
        })
    }

    /// Returns those of the bones.
    fn of_bones(bones: &'m Bones) -> Result<Self, WriteError> {
        Self::new(&bones.unknown, |member| match member.object {
            Object::Bones if member.name == "err_code" && member.json == "0" => {
                Err("an error code other than 0")
            }
            Object::Bones => Ok(()),
            Object::UserBones(player) if usize::from(player) < bones.user_bones.len() => Ok(()),
            _ => Err("members of objects that the frame has"),
        })
    }

    fn new(
        unknown: &'m [Unknown],
        check: impl Fn(&Unknown) -> Result<(), &'static str>,
    ) -> Result<Self, WriteError> {
        if unknown.is_empty() {
            return Ok(Self(Vec::new()));
        }
        for member in unknown {
            let known = names(member.object).contains(&member.name.as_str())
                && !(member.object == Object::Session && member.name == "possession");
            let result = if known {
                Err("members that the model does not know")
            } else if member.json.bytes().any(|byte| byte < b' ')
                || member.json.trim() != member.json
                || !decode::is_whole(member.json.as_bytes())
            {
                Err("JSON on one line, without blanks around it")
            } else {
                check(member)
            };
            if let Err(holds) = result {
                return Err(WriteError::Unstorable {
                    what: "a foreign member",
                    found: format!("{:?} of {:?}", member.name, member.object),
                    holds,
                });
            }
        }
        let mut members: Vec<&Unknown> = unknown.iter().collect();
        members.sort_by_key(|member| place::rank(member.object));
        Ok(Self(members))
    }

    fn of(&self, object: Object) -> &[&'m Unknown] {
        if self.0.is_empty() {
            return &[];
        }
        let rank = place::rank(object);
        let start = self.0.partition_point(|m| place::rank(m.object) < rank);
        let end = self.0.partition_point(|m| place::rank(m.object) <= rank);
        self.0.get(start..end).unwrap_or_default()
    }

    fn has(&self, object: Object, name: &str) -> bool {
        self.of(object).iter().any(|member| member.name == name)
    }
}

impl Others for Foreign<'_> {
    fn write(&self, object: Object, o: &mut JsonMembers<'_, '_>) {
        for member in self.of(object) {
            o.raw(&member.name, &member.json);
        }
    }
}

/// The names of an object's members that the model knows.
const fn names(object: Object) -> &'static [&'static str] {
    match object {
        Object::Session => SESSION,
        Object::Disc => DISC,
        Object::Pause => PAUSE,
        Object::LastScore => LAST_SCORE,
        Object::LastThrow => LAST_THROW,
        Object::VrPlayer => PLAYSPACE,
        Object::Team(_) => TEAM,
        Object::TeamStats(_) | Object::PlayerStats(..) => STATS,
        Object::Player(..) => PLAYER,
        Object::Pose(..) => POSE,
        Object::Bones => BONES_ANSWER,
        Object::UserBones(_) => USER_BONES,
    }
}
