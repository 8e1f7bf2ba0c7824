//! Answers that are not spelled as the API spells them: what can be read of them, and what is odd.
//!
//! An answer is copied, member by member, in the spelling that the reader of all others takes. Each
//! deviation is noted with its path. This is slower than reading; it runs only for answers that can't be
//! read at once, or in which something odd was met.

mod text;
mod value;

pub(in crate::echoreplay) use self::value::REQUIRED;
use std::fmt::Write as _;

use gametape_core::Rule as _;

use self::value::{Fixed, fix};
use self::value::{Row, child, table};
use super::cursor::is_whole;
use super::seen::{self, SeenMembers};
use crate::members::Kind;
use crate::rule::Rule;

/// The largest number of notes of one answer.
const MOST: usize = 64;
/// So many zeros are none that a program wrote.
const ZEROS: usize = 16;

/// An answer as the API spells it.
pub(in crate::echoreplay) struct MendedText {
    pub text: String,
    pub notes: Vec<Rule>,
    /// The members that it has in its own spelling.
    pub seen: SeenMembers,
    /// Nothing is lost.
    pub is_whole: bool,
}

/// Mends a response of `/session`, in a recording whose frames have had these members.
#[cold]
pub(in crate::echoreplay) fn session(text: &[u8], usual: &SeenMembers) -> Option<MendedText> {
    Mend::new(text, usual).answer(seen::SESSION)
}

/// Mends a response of `/player_bones`.
#[cold]
pub(in crate::echoreplay) fn bones(text: &[u8]) -> Option<MendedText> {
    Mend::new(text, &SeenMembers::NOTHING).answer(seen::BONES_ANSWER)
}

/// Removes what stands around an answer: byte order marks, zeros, white space. Returns the number of zeros
/// at its end.
pub(in crate::echoreplay) fn bare(text: &[u8]) -> (&[u8], usize) {
    let mut text = text;
    loop {
        let inner = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let inner = inner.strip_prefix(b"\0").unwrap_or(inner).trim_ascii();
        if inner.len() == text.len() {
            break;
        }
        text = inner;
    }
    let mut zeros = 0;
    loop {
        text = text.trim_ascii_end();
        let Some(inner) = text.strip_suffix(b"\0") else {
            return (text, zeros);
        };
        zeros += 1;
        text = inner;
    }
}

/// Whether a text starts and ends with the same object or list.
pub(in crate::echoreplay::decode) fn is_closed(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'[')) && text::span(text) == Some(text.len())
}

/// A step of the path to a member.
enum PathStep {
    Member(Box<str>),
    Item(usize),
}

struct Mend<'t> {
    text: &'t [u8],
    at: usize,
    out: String,
    path: Vec<PathStep>,
    notes: Vec<Rule>,
    usual: &'t SeenMembers,
    seen: SeenMembers,
    is_whole: bool,
}

impl<'t> Mend<'t> {
    fn new(text: &'t [u8], usual: &'t SeenMembers) -> Self {
        Self {
            text,
            at: 0,
            out: String::with_capacity(text.len()),
            path: Vec::new(),
            notes: Vec::new(),
            usual,
            seen: SeenMembers::NOTHING,
            is_whole: true,
        }
    }

    /// Reads the whole answer; `None` if its structure is broken.
    fn answer(mut self, kind: usize) -> Option<MendedText> {
        let (text, zeros) = bare(self.text);
        if zeros >= ZEROS {
            let bytes = zeros as u64;
            self.note(Rule::Zeros { bytes });
        } else if zeros > 0 {
            self.note(Rule::NulAfter);
        }
        if self.text.starts_with(b"\xEF\xBB\xBF") {
            self.note(Rule::ByteOrderMark);
        }
        self.text = text;
        self.object(kind)?;
        (self.at == self.text.len()).then_some(MendedText {
            text: self.out,
            notes: self.notes,
            seen: self.seen,
            is_whole: self.is_whole,
        })
    }

    fn note(&mut self, rule: Rule) {
        let key = |rule: &Rule| (rule.code(), rule.group());
        let is_said = self.notes.iter().any(|note| key(note) == key(&rule));
        if self.notes.len() < MOST && !is_said {
            self.notes.push(rule);
        }
    }

    /// Writes a member that is lost as one that is `null`.
    fn null(&mut self, name: &str, why: &'static str) {
        self.lost(why);
        self.key(name);
        self.out.push_str("null");
    }

    fn lost(&mut self, why: &'static str) {
        self.is_whole = false;
        let member = self.here();
        self.note(Rule::MemberLost { member, why });
    }

    /// The path of the member that is being read.
    fn here(&self) -> String {
        let mut path = String::new();
        for step in &self.path {
            match step {
                PathStep::Item(at) => {
                    // Writing to a string can't fail.
                    let _ = write!(path, "[{at}]");
                }
                PathStep::Member(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
            }
        }
        path
    }

    /// The next byte that is not white space; 0 at the end.
    fn peek(&mut self) -> u8 {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                byte => return byte.copied().unwrap_or(0),
            }
        }
    }

    /// Takes the value at the cursor.
    fn span(&mut self) -> Option<&'t [u8]> {
        self.peek();
        let rest = self.text.get(self.at..)?;
        let size = text::span(rest)?;
        self.at += size;
        rest.get(..size)
    }

    /// Goes to the next member or item, or after the closing bracket; `None` if neither is there.
    fn another(&mut self, end: u8, first: &mut bool) -> Option<bool> {
        let is_first = std::mem::take(first);
        match self.peek() {
            byte if byte == end => {
                self.at += 1;
                Some(false)
            }
            b',' if !is_first => {
                self.at += 1;
                (self.peek() != end).then_some(true)
            }
            _ => is_first.then_some(true),
        }
    }

    /// Writes the name of a member.
    fn key(&mut self, name: &str) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        text::quote(name, &mut self.out);
        self.out.push(':');
    }

    fn object(&mut self, kind: usize) -> Option<()> {
        if self.peek() != b'{' {
            return None;
        }
        self.at += 1;
        self.out.push('{');
        let mut has = 0;
        // Until 2020, the pose of a player stands in the player.
        let mut pose = [None; POSE.len()];
        let mut first = true;
        while self.another(b'}', &mut first)? {
            if self.peek() != b'"' {
                return None;
            }
            let (name, _) = text::text(text::unquoted(self.span()?)?);
            if self.peek() != b':' {
                return None;
            }
            self.at += 1;
            let first = self.peek();
            let place = POSE.iter().position(|part| *part == name);
            if let Some(place) = place.filter(|_| kind == seen::PLAYER && first == b'[') {
                let span = self.span()?;
                if let Some(part) = pose.get_mut(place) {
                    *part = Some(span);
                }
                continue;
            }
            has |= bit_of(kind, &name);
            self.path.push(PathStep::Member(shown(&name)));
            self.member(kind, &name)?;
            self.path.pop();
        }
        self.seen.add(kind, has);
        self.missing(kind, has);
        self.own_pose(has, &pose);
        self.out.push('}');
        Some(())
    }

    /// Notes the members that others have.
    fn missing(&mut self, kind: usize, has: u64) {
        let required = REQUIRED.get(kind).copied().unwrap_or(0);
        for (name, ..) in table(kind) {
            let bit = bit_of(kind, name);
            if required & !has & bit != 0 && self.usual.has(kind, bit) {
                self.path.push(PathStep::Member((*name).into()));
                let member = self.here();
                self.path.pop();
                self.note(Rule::MemberMissing { member });
            }
        }
    }

    /// Writes the pose of a player as that of the head and the body.
    fn own_pose(&mut self, has: u64, pose: &[Option<&[u8]>; POSE.len()]) {
        let parts = POSE.iter().zip(pose);
        let parts = parts.filter_map(|(name, span)| Some((*name, (*span)?)));
        let parts: Vec<_> = parts.collect();
        if parts.is_empty() {
            return;
        }
        let limbs: Vec<&str> = ["head", "body"]
            .into_iter()
            .filter(|limb| has & bit_of(seen::PLAYER, limb) == 0)
            .collect();
        if limbs.is_empty() {
            for (name, span) in parts {
                self.unknown(name, span);
            }
            return;
        }
        self.note(Rule::OldApi);
        for (nth, limb) in limbs.iter().enumerate() {
            self.key(limb);
            self.out.push('{');
            for (name, span) in &parts {
                // What is wrong is said once, of the player's own member.
                self.path.push(PathStep::Member((*name).into()));
                let notes = self.notes.len();
                self.scalar((name, Kind::vector, false), span);
                if nth > 0 {
                    self.notes.truncate(notes);
                }
                self.path.pop();
            }
            self.out.push('}');
        }
    }

    /// Reads the value of a member and writes both.
    fn member(&mut self, owner: usize, name: &str) -> Option<()> {
        let row = table(owner).iter().find(|(known, ..)| *known == name);
        let Some(row @ &(name, kind, _)) = row else {
            if owner == seen::SESSION && name == "payload" && self.peek() == b'{' {
                return self.payload();
            }
            let span = self.span()?;
            self.unknown(name, span);
            return Some(());
        };
        match (kind, self.peek()) {
            (Kind::object | Kind::stats | Kind::playspace | Kind::limb, b'{') => {
                self.key(name);
                self.object(child(name, owner))?;
            }
            (Kind::teams | Kind::players | Kind::skeletons, b'[') => {
                self.key(name);
                self.list(child(name, owner))?;
            }
            // Until 2020, a hand is three numbers.
            (Kind::limb, b'[') => {
                let span = self.span()?;
                self.note(Rule::OldApi);
                self.key(name);
                self.out.push('{');
                let position = if name.ends_with("hand") {
                    "pos"
                } else {
                    "position"
                };
                self.scalar((position, Kind::vector, false), span);
                self.out.push('}');
            }
            (Kind::limb | Kind::teams, b'n') => {
                self.span()?;
                self.null(name, "is null");
            }
            (
                Kind::object | Kind::stats | Kind::playspace | Kind::players | Kind::skeletons,
                b'n',
            ) => {
                self.span()?;
                self.key(name);
                self.out.push_str("null");
            }
            (Kind::object | Kind::stats | Kind::playspace | Kind::limb, _) => {
                self.span()?;
                self.null(name, "is no object");
            }
            (Kind::teams | Kind::players | Kind::skeletons, _) => {
                self.span()?;
                self.null(name, "is no list");
            }
            // No account is negative, and a frame whose player has none would look like another's. The
            // line is refused, with the way to keep it.
            (Kind::account, b'-') => return None,
            _ => {
                let span = self.span()?;
                self.scalar(*row, span);
            }
        }
        Some(())
    }

    fn list(&mut self, kind: usize) -> Option<()> {
        self.at += 1;
        self.out.push('[');
        let mut nth = 0;
        let mut first = true;
        while self.another(b']', &mut first)? {
            if nth > 0 {
                self.out.push(',');
            }
            self.path.push(PathStep::Item(nth));
            if self.peek() == b'{' {
                self.object(kind)?;
            } else {
                // The others keep their places.
                let is_null = self.span()? == b"null";
                self.lost(if is_null { "is null" } else { "is no object" });
                self.out.push_str("{}");
            }
            self.path.pop();
            nth += 1;
        }
        self.out.push(']');
        Some(())
    }

    /// In combat, some versions have the members of the payload in an object, with or without its name.
    fn payload(&mut self) -> Option<()> {
        self.note(Rule::OldApi);
        self.at += 1;
        let mut first = true;
        while self.another(b'}', &mut first)? {
            if self.peek() != b'"' {
                return None;
            }
            let (name, _) = text::text(text::unquoted(self.span()?)?);
            if self.peek() != b':' {
                return None;
            }
            self.at += 1;
            let long = format!("payload_{name}");
            let mut rows = table(seen::SESSION).iter().filter(|(.., is_part)| *is_part);
            let row = rows.find(|(known, ..)| *known == name || *known == long);
            self.path.push(PathStep::Member(shown(&name)));
            let span = self.span()?;
            match row {
                Some(row) => self.scalar(*row, span),
                None => self.unknown(&long, span),
            }
            self.path.pop();
        }
        Some(())
    }

    /// Writes a value without members, as far as it can be read.
    fn scalar(&mut self, (name, kind, is_part): Row, span: &[u8]) {
        let text = match fix(kind, name, is_part, span) {
            Fixed::Same => String::from_utf8_lossy(span).into_owned(),
            Fixed::Nothing => "null".to_owned(),
            Fixed::Lost(why) => return self.null(name, why),
            Fixed::Read(text, how) => {
                let member = self.here();
                self.note(Rule::MemberSpelled { member, how });
                text
            }
            Fixed::Foreign(text) => {
                self.is_whole = false;
                let member = self.here();
                let how = "in a way that JSON does not have";
                self.note(Rule::MemberSpelled { member, how });
                text
            }
            Fixed::Damaged(text, why) => {
                self.is_whole = false;
                let member = self.here();
                self.note(Rule::TextDamaged { member, why });
                text
            }
            Fixed::Left(text, why) => {
                self.lost(why);
                text
            }
        };
        self.key(name);
        self.out.push_str(&text);
    }

    /// Copies a member that the model does not know.
    fn unknown(&mut self, name: &str, span: &[u8]) {
        if let Some(json) = std::str::from_utf8(span).ok().filter(|_| is_whole(span)) {
            self.key(name);
            self.out.push_str(json);
        } else if let Some(inner) = text::unquoted(span) {
            let (read, why) = text::text(inner);
            let member = self.here();
            let why = why.unwrap_or("is damaged");
            self.is_whole = false;
            self.note(Rule::TextDamaged { member, why });
            self.key(name);
            text::quote(&read, &mut self.out);
        } else {
            self.lost("is no JSON");
        }
    }
}

/// The members of a pose.
const POSE: [&str; 4] = ["position", "forward", "left", "up"];

/// The bit of a member of a kind of object.
fn bit_of(kind: usize, name: &str) -> u64 {
    let at = table(kind).iter().position(|(known, ..)| *known == name);
    at.map_or(0, |at| 1 << at)
}

/// A name for messages.
fn shown(name: &str) -> Box<str> {
    gametape_core::text::shortened(&gametape_core::text::printable(name)).into()
}
