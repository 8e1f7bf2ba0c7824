//! Reading the columns of a line, whatever is odd in them.

use super::decode::{self, Fault, MendedText, REQUIRED, SeenMembers};
use crate::model::{Bones, Object, Session};
use crate::rule::Rule;

/// The members that the frames of a recording have had.
#[derive(Debug)]
pub(crate) struct Usual(SeenMembers);

impl Usual {
    pub(crate) const fn new() -> Self {
        Self(SeenMembers::NOTHING)
    }
}

/// How to read lines that are odd.
pub(super) struct Odd<'u> {
    /// What can't be read is lost, and no fault of the line.
    pub lenient: bool,
    /// The members that the frames so far have had. Without them, notes are not needed.
    pub usual: Option<&'u mut Usual>,
}

/// Reads the session of a line. Returns what is odd in it.
#[inline]
pub(super) fn session(
    text: &[u8],
    session: &mut Session,
    odd: &mut Odd<'_>,
) -> Result<Vec<Rule>, Fault> {
    let (fault, seen) = match decode::session(text, session) {
        Ok(met) => {
            let lacks = match &mut odd.usual {
                Some(usual) => usual.0.lacks(&met.seen, &REQUIRED),
                None => false,
            };
            if !met.odd && !lacks && session.unknown.is_empty() {
                return Ok(Vec::new());
            }
            (None, Some(met.seen))
        }
        Err(fault) => (Some(fault), None),
    };
    odd_session(text, session, odd, fault, seen)
}

#[cold]
#[inline(never)]
fn odd_session(
    text: &[u8],
    session: &mut Session,
    odd: &mut Odd<'_>,
    fault: Option<Fault>,
    seen: Option<SeenMembers>,
) -> Result<Vec<Rule>, Fault> {
    let is_read = fault.is_none();
    let may_be_old = session.unknown.iter().any(is_of_old_api);
    // Without notes, there is nothing to do for what was read.
    if is_read && odd.usual.is_none() && !may_be_old {
        return Ok(Vec::new());
    }
    let nothing = SeenMembers::NOTHING;
    let usual = odd.usual.as_ref().map_or(&nothing, |usual| &usual.0);
    let Some(mended) = decode::mend_session(text, usual) else {
        return fault.map_or_else(|| Ok(unknown(&session.unknown)), Err);
    };
    let MendedText { text, notes, .. } = &mended;
    let mut notes = notes.clone();
    if let Some(fault) = fault {
        let is_readable = odd.lenient || mended.is_whole;
        if !is_readable || decode::session(text.as_bytes(), session).is_err() {
            return Err(fault);
        }
    } else if may_be_old && decode::session(text.as_bytes(), session).is_err() {
        return Ok(Vec::new());
    }
    if let (Some(usual), None) = (&mut odd.usual, seen) {
        usual.0.lacks(&mended.seen, &REQUIRED);
    }
    notes.extend(unknown(&session.unknown));
    Ok(notes)
}

/// Whether it is the pose of a player or the payload, as some versions of the API have it.
fn is_of_old_api(member: &crate::model::Unknown) -> bool {
    match member.object {
        Object::Player(..) => member.name == "position",
        Object::Session => member.name == "payload",
        _ => false,
    }
}

/// The largest number of unknown members that are named in a frame.
const MOST: usize = 64;

/// Names the members that the model does not know, each once.
fn unknown(members: &[crate::model::Unknown]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for member in members {
        let member = member.path();
        let rule = match &*member {
            "possession" => Rule::MemberLost {
                member,
                why: "is not two whole numbers",
            },
            _ => Rule::MemberUnknown { member },
        };
        if rules.len() == MOST {
            break;
        }
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

/// Reads the bones of a line. Returns what is odd in them.
#[inline]
pub(super) fn bones(text: &[u8], bones: &mut Option<Bones>) -> Result<Vec<Rule>, Fault> {
    match decode::bones(text, bones) {
        Ok(false) => Ok(Vec::new()),
        Ok(true) => Ok(decode::mend_bones(text).map_or_else(Vec::new, |mended| mended.notes)),
        Err(fault) => odd_bones(text, bones, fault),
    }
}

#[cold]
#[inline(never)]
fn odd_bones(text: &[u8], bones: &mut Option<Bones>, fault: Fault) -> Result<Vec<Rule>, Fault> {
    if let (b"", 1..) = decode::bare(text) {
        return Ok(vec![Rule::NulAfter]);
    }
    if matches!(fault.rule, Rule::BonesLength { .. }) {
        return Err(fault);
    }
    match decode::mend_bones(text) {
        // A skeleton of which a part is lost is none.
        Some(mended) if mended.is_whole => match decode::bones(mended.text.as_bytes(), bones) {
            Ok(_) => Ok(mended.notes),
            Err(fault) => Err(fault),
        },
        _ => Err(fault),
    }
}
