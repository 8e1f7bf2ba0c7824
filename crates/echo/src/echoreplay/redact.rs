//! Removing the identities of the players: from frames, and from the text of a session, in which it finds
//! the sensitive values.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;

use compact_str::{CompactString, format_compact};

use super::decode::{self, Cursor, Fault, Read, SeenMembers};
use super::json::JsonWriter;
use crate::members::{
    Kind, TURNS, bones_members, disc_members, last_score_members, last_throw_members, limb_members,
    pause_members, player_members, playspace_members, session_members, skeleton_members,
    stats_members, team_members,
};
use crate::model::{Frame, Holding};
use crate::rule::Rule;
use crate::visit::{Edited, Editor};

/// The name that stands for nobody.
const NOBODY: &str = "[INVALID]";

/// The replacement for a server's address.
const NOWHERE: &str = "0.0.0.0";

/// The replacement for the description of an error, which could contain anything.
const HIDDEN: &str = "<hidden>";

/// Hands hold players by their `playerid`, a byte. A larger number is a user id.
const MOST_PLAYERID: u64 = 255;

/// Replaces the names, ids and addresses in a recording. Players' names become `Player 1`, `Player 2`, …
/// and user ids 1, 2, …, in the order of appearance and the same in every frame of a recording; the
/// server's address becomes `0.0.0.0`, and the description of an error `<hidden>`.
///
/// Names are those of players, `client_name`, `person_scored`, `assist_scored` and `rules_changed_by`. Ids
/// are `userid`, and what a hand holds if it is a known id or above 255, which no `playerid` is. The rest
/// stays: the session id, which identifies the match and not a person; the names of teams; and times. In
/// members that the API does not have, whose meaning is unknown, the names and ids that were met are
/// replaced wherever they stand, within texts too; [`Redactor::unknown`] counts these members.
///
/// ```
/// use gametape_echo::{Frame, Player, Team, echoreplay::Redactor};
/// let ann = Player { name: "Ann".into(), userid: 1_583_780_395, ..Player::default() };
/// let mut frame = Frame::default();
/// frame.session.teams.push(Team { players: vec![ann], ..Team::default() });
/// frame.session.client_name = "Ann".into();
///
/// Redactor::new().frame(&mut frame);
/// assert_eq!(frame.session.client_name, "Player 1");
/// assert_eq!(frame.session.teams[0].players[0].userid, 1);
/// ```
#[derive(Clone, Default, Debug)]
pub struct Redactor {
    names: HashMap<CompactString, u64>,
    ids: HashMap<u64, u64>,
    unknown: u64,
}

impl Redactor {
    /// Creates a redactor that has seen no player.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Redacts a frame. Lines and frames of the same recording share the numbering.
    pub fn frame(&mut self, frame: &mut Frame) {
        for turn in TURNS {
            frame.session.edit(&mut Turn(self, turn));
        }
        let met = MetPeople {
            names: &self.names,
            ids: &self.ids,
        };
        let of_bones = frame.bones.iter_mut().flat_map(|bones| &mut bones.unknown);
        for unknown in frame.session.unknown.iter_mut().chain(of_bones) {
            self.unknown += 1;
            let new = met.json(&unknown.json);
            if let Some(new) = new {
                unknown.json = new.into();
            }
        }
    }

    /// Returns the number of members of unknown meaning in all lines and frames so far. They may say more of
    /// a player than a name.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.unknown
    }

    /// Redacts the text of a session. One that is not spelled as the API spells it is written anew.
    pub(super) fn session(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let as_spelled = decode::utf8(text).and_then(|text| Ok((text, walk(session, text)?)));
        match as_spelled {
            Ok((text, found)) => self.spans(text, &found, out),
            Err(fault) => {
                let mended = decode::mend_session(text, &SeenMembers::NOTHING).ok_or(fault)?;
                self.spans(&mended.text, &walk(session, &mended.text)?, out);
            }
        }
        Ok(())
    }

    /// Redacts the text of the bones, in which only members of unknown meaning mention players. Bones that can't
    /// be read are one such member.
    pub(super) fn bones(&mut self, text: &[u8], out: &mut Vec<u8>) {
        match decode::utf8(text) {
            Ok(text) => {
                let found = walk(bones, text).unwrap_or_else(|_| {
                    let mut found = Vec::new();
                    unknown(text, text.len(), &mut found);
                    found
                });
                self.spans(text, &found, out);
            }
            Err(_) => out.extend_from_slice(text),
        }
    }

    /// Writes a text, with its sensitive values replaced.
    fn spans(&mut self, text: &str, found: &[Span<'_>], out: &mut Vec<u8>) {
        // Numbers are assigned in the order of the model …
        let mut order: Vec<&Span<'_>> = found.iter().collect();
        order.sort_by_key(|span| span.turn);
        for span in order {
            match &span.value {
                Sensitive::Name(name) => drop(self.number(name)),
                Sensitive::Account(id) => drop(self.id(*id)),
                Sensitive::Held(held, _) => drop(self.held(*held)),
                Sensitive::Member => self.unknown += 1,
                Sensitive::Address | Sensitive::Description | Sensitive::Unknown(_) => {}
            }
        }
        // … and written in the order of the text.
        let mut done = 0;
        for span in found {
            out.extend_from_slice(text.get(done..span.start).unwrap_or_default().as_bytes());
            done = span.end;
            let kept = text.get(span.start..span.end).unwrap_or_default();
            // Writing to memory can't fail.
            let _ = match &span.value {
                Sensitive::Name(name) => match self.number(name) {
                    Some(number) => write!(out, "\"Player {number}\""),
                    None => write!(out, "{kept}"),
                },
                Sensitive::Account(id) => write!(out, "{}", self.id(*id)),
                Sensitive::Held(held, _) if self.held(*held) == *held => write!(out, "{kept}"),
                Sensitive::Held(held, true) => write!(out, "\"{}\"", self.held(*held)),
                Sensitive::Held(held, false) => write!(out, "{}", self.held(*held)),
                Sensitive::Unknown(mention) => {
                    let met = MetPeople {
                        names: &self.names,
                        ids: &self.ids,
                    };
                    match met.replaced(mention) {
                        Some(new) => write!(out, "{new}"),
                        None => write!(out, "{kept}"),
                    }
                }
                Sensitive::Member => write!(out, "{kept}"),
                Sensitive::Address => write!(out, "\"{NOWHERE}\""),
                Sensitive::Description => write!(out, "\"{HIDDEN}\""),
            };
        }
        out.extend_from_slice(text.get(done..).unwrap_or_default().as_bytes());
    }

    /// The number of a name; `None` for nobody's.
    fn number(&mut self, name: &str) -> Option<u64> {
        if name.is_empty() || name == NOBODY {
            return None;
        }
        let next = self.names.len() as u64 + 1;
        Some(match self.names.get(name) {
            Some(number) => *number,
            None => *self.names.entry(name.into()).or_insert(next),
        })
    }

    /// The number of a user id. 0, which is nobody's, stays.
    fn id(&mut self, id: u64) -> u64 {
        let next = self.ids.len() as u64 + 1;
        match id {
            0 => 0,
            id => *self.ids.entry(id).or_insert(next),
        }
    }

    /// What a hand holds: the number of a user id, or the value as it is.
    fn held(&mut self, held: u64) -> u64 {
        match self.ids.get(&held) {
            Some(number) => *number,
            None if held > MOST_PLAYERID => self.id(held),
            None => held,
        }
    }
}

/// Finds the sensitive values of a session.
fn walk(of: Object, text: &str) -> Result<Vec<Span<'_>>, Fault> {
    let mut json = Cursor::new(text);
    let mut found = Vec::new();
    let walked = object(of, &mut json, &mut found).and_then(|()| json.end());
    match walked {
        Ok(()) => Ok(found),
        Err(_) => Err(Fault {
            rule: Rule::LineJson { reason: json.why() },
            at: json.at() as u64,
        }),
    }
}

/// The members that are redacted in one turn.
struct Turn<'r>(&'r mut Redactor, u8);

impl Editor for Turn<'_> {
    fn name(&mut self, turn: u8, name: &mut CompactString) {
        if turn == self.1
            && let Some(number) = self.0.number(name)
        {
            *name = format_compact!("Player {number}");
        }
    }

    fn account(&mut self, turn: u8, account: &mut u64) {
        if turn == self.1 {
            *account = self.0.id(*account);
        }
    }

    fn hand(&mut self, turn: u8, hand: &mut Option<Holding>) {
        if turn == self.1
            && let Some(Holding::Number(number)) = hand
        {
            *number = self.0.held(*number);
        }
    }

    fn address(&mut self, address: &mut CompactString) {
        if !address.is_empty() {
            *address = NOWHERE.into();
        }
    }

    fn said(&mut self, said: &mut CompactString) {
        if !said.is_empty() {
            *said = HIDDEN.into();
        }
    }
}

/// A sensitive value.
pub(super) enum Sensitive<'t> {
    Name(Cow<'t, str>),
    Account(u64),
    /// What a hand holds, which may be a user id; and whether it is spelled as a text.
    Held(u64, bool),
    Address,
    Description,
    /// A member of unknown meaning starts here.
    Member,
    /// A text or a number in it.
    Unknown(Mention<'t>),
}

/// A span of the text that holds a sensitive value.
pub(super) struct Span<'t> {
    pub start: usize,
    pub end: usize,
    pub value: Sensitive<'t>,
    /// See [`TURNS`].
    pub turn: u8,
}

/// A member: its kind, the turn in which it is redacted, and the members of its objects.
struct RedactedMember(Kind, u8, Object);

/// Looks up a member of an object by name.
type Object = fn(&str) -> Option<RedactedMember>;

/// Makes a lookup function for each object of the [table](crate::members).
macro_rules! sensitive {
    (
        $object:ident
        $(
            $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
            $doc:literal $(, $attr:ident $value:tt)*;
        )*
    ) => {
        fn $object(member: &str) -> Option<RedactedMember> {
            Some(match member {
                $($name => sensitive!(known $kind $place),)*
                _ => return None,
            })
        }
    };
    (known part $place:tt) => { RedactedMember(Kind::text, 1, nothing) };
    (known object ($of:ident, $which:expr)) => { RedactedMember(Kind::object, 1, $of) };
    (known teams ($of:ident)) => { RedactedMember(Kind::teams, 1, $of) };
    (known players ($of:ident)) => { RedactedMember(Kind::players, 1, $of) };
    // Nothing in these is sensitive but what the API does not have.
    (known limb $place:tt) => { RedactedMember(Kind::limb, 1, limb) };
    (known stats $place:tt) => { RedactedMember(Kind::stats, 1, stats) };
    (known playspace $place:tt) => { RedactedMember(Kind::playspace, 1, playspace) };
    (known skeletons $place:tt) => { RedactedMember(Kind::skeletons, 1, skeleton) };
    (known $kind:ident ($p:ident, $turn:literal)) => { RedactedMember(Kind::$kind, $turn, nothing) };
    (known $kind:ident $place:tt) => { RedactedMember(Kind::$kind, 1, nothing) };
}

fn nothing(_: &str) -> Option<RedactedMember> {
    None
}

session_members! { sensitive session }
disc_members! { sensitive disc }
pause_members! { sensitive pause }
last_score_members! { sensitive last_score }
last_throw_members! { sensitive last_throw }
team_members! { sensitive teams }
player_members! { sensitive players }
limb_members! { sensitive limb }
stats_members! { sensitive stats }
playspace_members! { sensitive playspace }
bones_members! { sensitive bones }
skeleton_members! { sensitive skeleton }

/// Finds the sensitive values of an object.
fn object<'t>(object: Object, json: &mut Cursor<'t>, spans: &mut Vec<Span<'t>>) -> Read {
    if json.null()? {
        return Ok(());
    }
    json.open_object()?;
    let mut first = true;
    while let Some(name) = json.member(&mut first)? {
        let Some(RedactedMember(kind, turn, of)) = object(&name) else {
            let value = json.raw()?;
            unknown(value, json.at(), spans);
            continue;
        };
        match kind {
            Kind::name | Kind::maybe_name => text(json, turn, spans, Sensitive::Name)?,
            Kind::account => number(json, turn, spans, Sensitive::Account)?,
            Kind::hand => hand(json, turn, spans)?,
            // An empty address stays, as an empty name does.
            Kind::address => text(json, turn, spans, |address| match &*address {
                "" => Sensitive::Name(address),
                _ => Sensitive::Address,
            })?,
            Kind::said => text(json, turn, spans, |said| match &*said {
                "" => Sensitive::Name(said),
                _ => Sensitive::Description,
            })?,
            Kind::object => self::object(of, json, spans)?,
            Kind::limb | Kind::stats | Kind::playspace if json.peek() == b'{' => {
                self::object(of, json, spans)?;
            }
            Kind::teams | Kind::players | Kind::skeletons => list(of, json, spans)?,
            _ => drop(json.raw()?),
        }
    }
    Ok(())
}

/// Adds the values of a member of unknown meaning, which ends here.
fn unknown<'t>(value: &'t str, end: usize, spans: &mut Vec<Span<'t>>) {
    let start = end.saturating_sub(value.len());
    let mut add = |from: usize, to: usize, value| {
        spans.push(Span {
            start: start + from,
            end: start + to,
            value,
            turn: u8::MAX,
        });
    };
    add(0, 0, Sensitive::Member);
    mentions(value, |from, to, mention| {
        add(from, to, Sensitive::Unknown(mention));
    });
}

fn list<'t>(item: Object, json: &mut Cursor<'t>, spans: &mut Vec<Span<'t>>) -> Read {
    if json.null()? {
        return Ok(());
    }
    json.open_list()?;
    let mut first = true;
    while json.item(&mut first)? {
        object(item, json, spans)?;
    }
    Ok(())
}

fn hand<'t>(json: &mut Cursor<'t>, turn: u8, spans: &mut Vec<Span<'t>>) -> Read {
    if json.peek() != b'"' {
        return number(json, turn, spans, |held| Sensitive::Held(held, false));
    }
    text(json, turn, spans, |held| match Holding::from(&*held) {
        Holding::Number(number) => Sensitive::Held(number, true),
        // A text that is no number means nobody.
        _ => Sensitive::Held(0, true),
    })
}

/// Reads a sensitive text. Any other value in its place could be sensitive, too.
fn text<'t>(
    json: &mut Cursor<'t>,
    turn: u8,
    spans: &mut Vec<Span<'t>>,
    sensitive: impl FnOnce(Cow<'t, str>) -> Sensitive<'t>,
) -> Read {
    if json.null()? {
        return Ok(());
    }
    if json.peek() != b'"' {
        return Err(json.stop("a text is expected"));
    }
    let start = json.at();
    let text = json.string()?;
    spans.push(Span {
        start,
        end: json.at(),
        value: sensitive(text),
        turn,
    });
    Ok(())
}

fn number<'t>(
    json: &mut Cursor<'t>,
    turn: u8,
    spans: &mut Vec<Span<'t>>,
    sensitive: impl FnOnce(u64) -> Sensitive<'t>,
) -> Read {
    if json.null()? {
        return Ok(());
    }
    json.peek();
    let start = json.at();
    let Some(Ok(number)) = json.whole()?.map(u64::try_from) else {
        return Err(json.stop("a whole number of 64 bits, not negative, is expected"));
    };
    spans.push(Span {
        start,
        end: json.at(),
        value: sensitive(number),
        turn,
    });
    Ok(())
}

/// A name is looked for within texts if it has this many bytes at the least. A shorter one would be found in
/// words.
const SHORTEST: usize = 3;
/// And this many at most; the game's have 20 characters.
const LONGEST: usize = 80;

/// A value within a member of unknown meaning.
pub(super) enum Mention<'t> {
    /// A text, which may be a key.
    Text(Cow<'t, str>),
    Number(u64),
}

/// The names and accounts that were met.
#[derive(Clone, Copy)]
pub(super) struct MetPeople<'m> {
    pub names: &'m HashMap<CompactString, u64>,
    pub ids: &'m HashMap<u64, u64>,
}

/// Finds the texts and numbers of JSON that has been read before; gives where each starts and ends.
pub(super) fn mentions<'t>(json: &'t str, mut found: impl FnMut(usize, usize, Mention<'t>)) {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = json.get(at..).unwrap_or_default();
        match byte {
            b'"' => {
                let mut cursor = Cursor::new(rest);
                let Ok(text) = cursor.string() else {
                    return;
                };
                let end = at + cursor.at();
                found(at, end, Mention::Text(text));
                at = end;
            }
            b'0'..=b'9' => {
                let is_part =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                let length = rest.bytes().take_while(is_part).count();
                let digits = rest.get(..length).unwrap_or_default();
                if let Ok(number) = digits.parse() {
                    found(at, at + length, Mention::Number(number));
                }
                at += length;
            }
            _ => at += 1,
        }
    }
}

impl MetPeople<'_> {
    /// The JSON that replaces a value; `None` if it says nothing of a player.
    pub fn replaced(self, mention: &Mention<'_>) -> Option<String> {
        match mention {
            Mention::Number(number) => self.ids.get(number).map(u64::to_string),
            Mention::Text(text) => {
                let mut out = Vec::new();
                JsonWriter::new(&mut out).text(&self.text(text)?);
                String::from_utf8(out).ok()
            }
        }
    }

    /// The JSON of a member of unknown meaning, if it mentions a player.
    pub fn json(self, json: &str) -> Option<String> {
        let (mut out, mut done) = (String::new(), 0);
        mentions(json, |from, to, mention| {
            if let Some(new) = self.replaced(&mention) {
                out.push_str(json.get(done..from).unwrap_or_default());
                out.push_str(&new);
                done = to;
            }
        });
        out.push_str(json.get(done..).unwrap_or_default());
        (done > 0).then_some(out)
    }

    fn text(self, text: &str) -> Option<String> {
        if let Some(new) = self.word(text) {
            return Some(new);
        }
        let mut out = String::new();
        let mut done = 0;
        let mut ends = true;
        for (at, letter) in text.char_indices() {
            let starts = std::mem::replace(&mut ends, !letter.is_alphanumeric());
            if at < done || !starts {
                continue;
            }
            if let Some((end, new)) = self.longest(text, at) {
                out.push_str(text.get(done..at).unwrap_or_default());
                out.push_str(&new);
                done = end;
            }
        }
        out.push_str(text.get(done..).unwrap_or_default());
        (done > 0).then_some(out)
    }

    /// The longest name or account that starts at a place in a text.
    fn longest(self, text: &str, at: usize) -> Option<(usize, String)> {
        let rest = text.get(at..)?;
        let ends = rest.char_indices().map(|(end, _)| end).skip(1);
        let ends = ends.take_while(|end| *end <= LONGEST).chain([rest.len()]);
        let mut best = None;
        for end in ends.filter(|end| (SHORTEST..=LONGEST).contains(end)) {
            let goes_on = rest.get(end..).and_then(|rest| rest.chars().next());
            let word = rest.get(..end)?;
            if !goes_on.is_some_and(char::is_alphanumeric)
                && let Some(new) = self.word(word)
            {
                best = Some((at + end, new));
            }
        }
        best
    }

    /// What replaces a name, or an account that is written as a text.
    fn word(self, word: &str) -> Option<String> {
        let mut out = String::new();
        if let Some(number) = self.names.get(word) {
            let _ = write!(out, "Player {number}");
        } else {
            let id = word.parse().ok().filter(|_| !word.starts_with('+'))?;
            let _ = write!(out, "{}", self.ids.get(&id)?);
        }
        Some(out)
    }
}
