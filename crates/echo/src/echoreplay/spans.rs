//! Finding sensitive values in the text of a session.

use std::borrow::Cow;

use super::decode::{Cursor, Read};
use crate::members::{
    Kind, disc_members, last_score_members, last_throw_members, pause_members, player_members,
    session_members, team_members,
};
use crate::model::Holding;

/// A sensitive value.
pub(super) enum Sensitive<'t> {
    Name(Cow<'t, str>),
    Account(u64),
    /// What a hand holds, which may be a user id; and whether it is spelled as a text.
    Held(u64, bool),
    Address,
    Description,
}

/// A span of the text that holds a sensitive value.
pub(super) struct Span<'t> {
    pub start: usize,
    pub end: usize,
    pub value: Sensitive<'t>,
    /// See [`TURNS`](crate::members::TURNS).
    pub turn: u8,
}

/// A member: its kind, the turn in which it is redacted, and the members of its objects.
struct Known(Kind, u8, Object);

/// Looks up a member of an object by name.
type Object = fn(&str) -> Option<Known>;

/// Makes a lookup function for each object of the [table](crate::members).
macro_rules! sensitive {
    (
        $object:ident
        $(
            $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
            $doc:literal $(, $attr:ident $value:tt)*;
        )*
    ) => {
        fn $object(member: &str) -> Option<Known> {
            Some(match member {
                $($name => sensitive!(known $kind $place),)*
                _ => return None,
            })
        }
    };
    (known part $place:tt) => { Known(Kind::text, 1, nothing) };
    (known object ($of:ident, $which:expr)) => { Known(Kind::object, 1, $of) };
    (known teams ($of:ident)) => { Known(Kind::teams, 1, $of) };
    (known players ($of:ident)) => { Known(Kind::players, 1, $of) };
    (known $kind:ident ($p:ident, $turn:literal)) => { Known(Kind::$kind, $turn, nothing) };
    (known $kind:ident $place:tt) => { Known(Kind::$kind, 1, nothing) };
}

fn nothing(_: &str) -> Option<Known> {
    None
}

session_members! { sensitive session }
disc_members! { sensitive disc }
pause_members! { sensitive pause }
last_score_members! { sensitive last_score }
last_throw_members! { sensitive last_throw }
team_members! { sensitive teams }
player_members! { sensitive players }

/// Finds the sensitive values in the text of a session.
pub(super) fn spans<'t>(json: &mut Cursor<'t>, spans: &mut Vec<Span<'t>>) -> Read {
    object(session, json, spans)
}

fn object<'t>(object: Object, json: &mut Cursor<'t>, spans: &mut Vec<Span<'t>>) -> Read {
    if json.null()? {
        return Ok(());
    }
    json.open_object()?;
    let mut first = true;
    while let Some(name) = json.member(&mut first)? {
        let Some(Known(kind, turn, of)) = object(&name) else {
            json.raw()?;
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
            Kind::teams | Kind::players => list(of, json, spans)?,
            _ => drop(json.raw()?),
        }
    }
    Ok(())
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
