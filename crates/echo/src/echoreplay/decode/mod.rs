//! From JSON to the model, in place: a frame read into the frame before it allocates next to
//! nothing.

mod object;
mod player;
mod scalar;
mod session;

use std::mem;

use serde::de::{DeserializeSeed, IgnoredAny};

use self::object::{In, Notes};
pub(super) use self::player::{BONES_ANSWER, PLAYER, POSE, STATS, TEAM, USER_BONES};
pub(super) use self::session::{DISC, LAST_SCORE, LAST_THROW, PAUSE, PLAYSPACE, SESSION, pair};
use super::{depth, place};
use crate::model::{Bones, Object, Session};
use crate::rule::Rule;

/// Why a text is not what it should be, and at which of its bytes.
#[derive(Debug)]
pub(super) struct Fault {
    pub rule: Rule,
    pub at: u64,
}

impl Fault {
    const fn new(rule: Rule) -> Self {
        Self { rule, at: 0 }
    }
}

/// Reads the answer of `/session`.
pub(super) fn session(text: &[u8], session: &mut Session) -> Result<(), Fault> {
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err(no_session(text));
    }
    let text = utf8(text)?;
    let mut notes = Notes::new(text, mem::take(&mut session.unknown));
    let result = whole(text, session::root(session, &mut notes));
    let met = notes.met;
    session.unknown = notes.unknown;
    if let Err(error) = result {
        let at = error.offset() as u64;
        let message = message(&error);
        let rule = Rule::LineJson { message };
        return Err(Fault { rule, at });
    }
    if !met {
        return Err(no_session(text.as_bytes()));
    }
    if !session.unknown.is_empty() {
        let mut unknown = mem::take(&mut session.unknown);
        // Where a member comes twice, what was foreign in the first may have no place in the last.
        unknown.retain(|member| place::exists(session, member.object));
        place::order(&mut unknown);
        session.unknown = unknown;
    }
    Ok(())
}

/// Reads the answer of `/player_bones`; without bones there is none.
pub(super) fn bones(text: &[u8], bones: &mut Option<Bones>) -> Result<(), Fault> {
    let mut read = bones.take().unwrap_or_default();
    if text.trim_ascii().is_empty() {
        return Ok(());
    }
    let text = utf8(text)?;
    let mut notes = Notes::new(text, mem::take(&mut read.unknown));
    let root = In {
        this: &mut read,
        at: Object::Bones,
        notes: &mut notes,
    };
    let result = whole(text, root);
    if let Err(error) = result {
        let at = error.offset() as u64;
        let message = message(&error);
        let rule = Rule::BonesJson { message };
        return Err(Fault { rule, at });
    }
    if let Some((player, list, found)) = notes.bones {
        return Err(Fault::new(Rule::BonesLength {
            player,
            list,
            found,
        }));
    }
    if !read.user_bones.is_empty() {
        let players = read.user_bones.len();
        read.unknown = notes.unknown;
        // The writer says that all is well where nothing says otherwise.
        read.unknown.retain(|member| match member.object {
            Object::UserBones(player) => usize::from(player) < players,
            _ => member.name != "err_code" || member.json != "0",
        });
        place::order(&mut read.unknown);
        *bones = Some(read);
    }
    Ok(())
}

/// Whether a text is JSON from its beginning to its end.
pub(super) fn is_whole(text: &[u8]) -> bool {
    !depth::exceeds(text) && sonic_rs::from_slice::<IgnoredAny>(text).is_ok()
}

fn whole<'de>(
    text: &'de str,
    seed: impl DeserializeSeed<'de, Value = ()>,
) -> Result<(), sonic_rs::Error> {
    let mut json = sonic_rs::Deserializer::from_str(text);
    seed.deserialize(&mut json)?;
    json.end()
}

fn utf8(text: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(text).map_err(|error| Fault {
        rule: Rule::LineUtf8,
        at: error.valid_up_to() as u64,
    })
}

#[cold]
fn no_session(text: &[u8]) -> Fault {
    Fault::new(Rule::NoSession { found: clip(text) })
}

/// The start of what stands where something else should.
#[cold]
pub(super) fn clip(text: &[u8]) -> String {
    const MOST: usize = 24;
    let text = text.trim_ascii();
    let start = text.get(..MOST).unwrap_or(text);
    let mut clipped: String = String::from_utf8_lossy(start)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.len() > MOST {
        clipped.push('…');
    }
    clipped
}

/// What the library says, without the place (which the finding has) and without what it cites of the
/// text (which may be a name).
#[cold]
fn message(error: &sonic_rs::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let said = line.rfind(" at line ").and_then(|end| line.get(..end));
    said.unwrap_or(line).to_owned()
}
