//! Members that the model does not know, to be written back into their objects.

use super::decode::{
    self, BONES_ANSWER, DISC, LAST_SCORE, LAST_THROW, Others, PAUSE, PLAYER, PLAYSPACE, POSE,
    SESSION, STATS, TEAM, USER_BONES,
};
use super::json::JsonMembers;
use super::place;
use crate::error::WriteError;
use crate::model::{Bones, Object, Session, Unknown};

/// The foreign members of a frame, sorted by object.
pub(super) struct Foreign<'m>(Vec<&'m Unknown>);

impl<'m> Foreign<'m> {
    /// Returns those of a session. Each is checked: it has a place, it is no known member, and it is JSON.
    pub(super) fn of_session(session: &'m Session) -> Result<Self, WriteError> {
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
    pub(super) fn of_bones(bones: &'m Bones) -> Result<Self, WriteError> {
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

    pub(super) fn has(&self, object: Object, name: &str) -> bool {
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
