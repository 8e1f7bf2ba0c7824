//! From JSON to the model, in place: a frame read into an existing one allocates next to nothing.

mod cursor;
mod mend;
mod number;
mod object;
mod scalar;
mod seen;
mod session;

use std::mem;

pub(super) use self::cursor::{Cursor, Read, is_whole};
pub(super) use self::mend::{
    MendedText, REQUIRED, bare, bones as mend_bones, session as mend_session,
};
use self::object::Source;
pub(super) use self::object::{MOST, MOST_UNKNOWN, Members, Others, write_object};
pub(super) use self::seen::SeenMembers;
pub(super) use self::session::{
    BONES_ANSWER, DISC, LAST_SCORE, LAST_THROW, PAUSE, PLAYER, PLAYSPACE, POSE, SESSION, STATS,
    TEAM, USER_BONES, pair,
};
use super::place;
use crate::model::{Bones, Object, Session};
use crate::rule::Rule;

/// Why a text is invalid, and at which byte.
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

/// What was met in an answer that was read.
pub(super) struct Met {
    /// Something is not spelled as the API spells it, or is `null`.
    pub odd: bool,
    /// The members of its objects.
    pub seen: SeenMembers,
}

/// Reads a response of `/session`.
pub(super) fn session(text: &[u8], session: &mut Session) -> Result<Met, Fault> {
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err(no_session(text));
    }
    let text = utf8(text)?;
    let mut source = Source::new(text, mem::take(&mut session.unknown));
    let result = whole(session, Object::Session, &mut source);
    session.unknown = source.unknown;
    if result.is_err() {
        let at = source.json.at() as u64;
        let reason = source.json.why();
        let rule = Rule::LineJson { reason };
        return Err(Fault { rule, at });
    }
    if !source.met {
        return Err(no_session(text.as_bytes()));
    }
    let met = Met {
        odd: source.json.odd,
        seen: source.seen,
    };
    if !session.unknown.is_empty() {
        let mut unknown = mem::take(&mut session.unknown);
        // If a member occurs twice, foreign members of the first may have no place in the last.
        unknown.retain(|member| place::exists(session, member.object));
        place::order(&mut unknown);
        session.unknown = unknown;
    }
    Ok(met)
}

/// Reads a response of `/player_bones`. A response without bones gives `None`.
pub(super) fn bones(text: &[u8], bones: &mut Option<Bones>) -> Result<bool, Fault> {
    bones_with(text, bones, false)
}

/// Like [`bones`], with the choice to accept longer lists of bones. Returns whether something in them is
/// odd.
pub(super) fn bones_with(
    text: &[u8],
    bones: &mut Option<Bones>,
    longer: bool,
) -> Result<bool, Fault> {
    let mut read = bones.take().unwrap_or_default();
    if text.trim_ascii().is_empty() {
        return Ok(false);
    }
    let text = utf8(text)?;
    let mut source = Source::new(text, mem::take(&mut read.unknown));
    if whole(&mut read, Object::Bones, &mut source).is_err() {
        let at = source.json.at() as u64;
        let message = source.json.why();
        let rule = Rule::BonesJson { message };
        return Err(Fault { rule, at });
    }
    if let Some((player, list, found)) = source.bones
        && !longer
    {
        return Err(Fault::new(Rule::BonesLength {
            player,
            list,
            found,
        }));
    }
    if !read.user_bones.is_empty() {
        let players = read.user_bones.len();
        read.unknown = source.unknown;
        // The writer adds the members that report success unless others are present.
        read.unknown.retain(|member| match member.object {
            Object::UserBones(player) => usize::from(player) < players,
            _ => member.name != "err_code" || member.json != "0",
        });
        place::order(&mut read.unknown);
        *bones = Some(read);
    }
    Ok(source.json.odd)
}

/// Whether the whole text is one value, however damaged its parts are.
pub(super) fn is_closed(text: &[u8]) -> bool {
    is_whole(text) || mend::is_closed(bare(text).0)
}

fn whole<T: Members>(this: &mut T, at: Object, source: &mut Source<'_>) -> Read {
    object::object(this, at, source)?;
    source.json.end()
}

pub(super) fn utf8(text: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(text).map_err(|error| Fault {
        rule: Rule::LineUtf8,
        at: error.valid_up_to() as u64,
    })
}

#[cold]
fn no_session(text: &[u8]) -> Fault {
    Fault::new(Rule::NoSession { found: clip(text) })
}

/// Returns the start of an unexpected value, for a message, with `#` in place of digits: they may belong to
/// an account or an address. Up to three digits that are the whole value, such as 404, are kept.
#[cold]
pub(super) fn clip(text: &[u8]) -> String {
    const MOST: usize = 24;
    let text = text.trim_ascii();
    let start = text.get(..MOST).unwrap_or(text);
    let is_status = text.len() <= 3;
    let mut clipped: String = String::from_utf8_lossy(start)
        .chars()
        .map(|c| match c {
            c if c.is_control() => ' ',
            c if c.is_numeric() && !is_status => '#',
            c => c,
        })
        .collect();
    if text.len() > MOST {
        clipped.push('…');
    }
    clipped
}
