//! From JSON to the model, in place: a frame read into the frame before it allocates next to nothing.

mod cursor;
mod number;
mod object;
mod player;
mod reference;
mod scalar;
mod session;

use std::mem;

pub(super) use self::cursor::{Cursor, Read};
use self::object::Source;
pub(super) use self::object::{Ids, MOST, MOST_UNKNOWN, Members, Others, write_object};
pub(super) use self::player::{BONES_ANSWER, PLAYER, POSE, STATS, TEAM, USER_BONES};
pub(super) use self::reference::look;
pub(super) use self::session::{DISC, LAST_SCORE, LAST_THROW, PAUSE, PLAYSPACE, SESSION, pair};
use super::place;
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
    session_with(text, session, Ids::Unsigned)
}

/// [`session`], with user ids of a kind.
pub(super) fn session_with(text: &[u8], session: &mut Session, ids: Ids) -> Result<(), Fault> {
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err(no_session(text));
    }
    let text = utf8(text)?;
    let mut source = Source::new(text, mem::take(&mut session.unknown));
    source.ids = ids;
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
    bones_with(text, bones, false)
}

/// [`bones`], where lists of bones may be longer than they are.
pub(super) fn bones_with(
    text: &[u8],
    bones: &mut Option<Bones>,
    longer: bool,
) -> Result<(), Fault> {
    let mut read = bones.take().unwrap_or_default();
    if text.trim_ascii().is_empty() {
        return Ok(());
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
    std::str::from_utf8(text).is_ok_and(|text| {
        let mut json = Cursor::new(text);
        json.raw().is_ok() && json.end().is_ok()
    })
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

/// The start of what stands where something else should, with `#` for its digits: they may be those
/// of an account or of an address. Up to three that are all there is, such as 404, are neither.
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
