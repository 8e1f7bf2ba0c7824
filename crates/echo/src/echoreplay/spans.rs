//! Where the text of a session tells who played, and where.

use std::borrow::Cow;

use super::decode::{Cursor, Read};
use crate::members::{
    Kind, disc_members, last_score_members, last_throw_members, pause_members, player_members,
    session_members, team_members,
};
use crate::model::Holding;

/// What a span of a text tells.
pub(super) enum Told<'t> {
    Name(Cow<'t, str>),
    Account(u64),
    /// What a hand holds: perhaps an account; whether it is spelled as a text.
    Held(u64, bool),
    Address,
    Said,
}

/// A span of a text that tells something.
pub(super) struct Span<'t> {
    pub start: usize,
    pub end: usize,
    pub told: Told<'t>,
    /// See [`TURNS`](crate::members::TURNS).
    pub turn: u8,
}

/// A member: of which kind it is, in which turn it is redacted, what the members of its objects are.
struct Known(Kind, u8, Object);

/// The members of an object, by their names.
type Object = fn(&str) -> Option<Known>;

/// A function for each object of the [table](crate::members), by its place in the model.
macro_rules! told {
    (
        $object:ident
        $(
            $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
            $doc:literal $(, $attr:ident $value:tt)*;
        )*
    ) => {
        fn $object(member: &str) -> Option<Known> {
            Some(match member {
                $($name => told!(known $kind $place),)*
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

session_members! { told session }
disc_members! { told disc }
pause_members! { told pause }
last_score_members! { told last_score }
last_throw_members! { told last_throw }
team_members! { told teams }
player_members! { told players }

/// Finds what the text of a session tells.
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
            Kind::name | Kind::maybe_name => text(json, turn, spans, Told::Name)?,
            Kind::account => number(json, turn, spans, Told::Account)?,
            Kind::hand => hand(json, turn, spans)?,
            // Where nothing is there, it stays, as an empty name does.
            Kind::address => text(json, turn, spans, |address| match &*address {
                "" => Told::Name(address),
                _ => Told::Address,
            })?,
            Kind::said => text(json, turn, spans, |said| match &*said {
                "" => Told::Name(said),
                _ => Told::Said,
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
        return number(json, turn, spans, |held| Told::Held(held, false));
    }
    text(json, turn, spans, |held| match Holding::from(&*held) {
        Holding::Number(number) => Told::Held(number, true),
        // A text that is no number: nobody.
        _ => Told::Held(0, true),
    })
}

/// A text that tells something; what is there instead of one could tell it too.
fn text<'t>(
    json: &mut Cursor<'t>,
    turn: u8,
    spans: &mut Vec<Span<'t>>,
    told: impl FnOnce(Cow<'t, str>) -> Told<'t>,
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
        told: told(text),
        turn,
    });
    Ok(())
}

fn number<'t>(
    json: &mut Cursor<'t>,
    turn: u8,
    spans: &mut Vec<Span<'t>>,
    told: impl FnOnce(u64) -> Told<'t>,
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
        told: told(number),
        turn,
    });
    Ok(())
}
