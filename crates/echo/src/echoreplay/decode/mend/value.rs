//! Values of one kind in the spelling of another, and the kinds of all members, from their tables.

use super::super::cursor::is_whole;
use super::super::number::number;
use super::super::seen;
use super::text::{self, unquoted};
use crate::members::{
    Kind, bones_members, disc_members, last_score_members, last_throw_members, limb_members,
    pause_members, player_members, playspace_members, session_members, skeleton_members,
    stats_members, team_members,
};

/// What became of a value.
#[derive(Debug)]
pub(super) enum Fixed {
    /// It is right as it is spelled.
    Same,
    /// Read from another spelling: the right one, and how it is spelled.
    Read(String, &'static str),
    /// The same, from a spelling that JSON does not have.
    Foreign(String),
    /// A text in which something is replaced, and why.
    Damaged(String, &'static str),
    /// A part is lost, and this is left: and why.
    Left(String, &'static str),
    /// There is none, as is usual.
    Nothing,
    /// It can't be read, and why.
    Lost(&'static str),
}

/// Reads a value without members.
pub(super) fn fix(kind: Kind, name: &str, is_part: bool, span: &[u8]) -> Fixed {
    if span == b"null" {
        let is_usual = is_part
            || matches!(
                kind,
                Kind::maybe_name
                    | Kind::maybe_whole
                    | Kind::said
                    | Kind::hand
                    | Kind::pair
                    | Kind::pos
                    | Kind::position
            );
        return if is_usual {
            Fixed::Nothing
        } else {
            Fixed::Lost("is null")
        };
    }
    match kind {
        Kind::bit
            if is_whole(span) && number(plain(span).0).is_ok() && unquoted(span).is_none() =>
        {
            Fixed::Same
        }
        Kind::whole => whole(span, i32::MIN.into(), i32::MAX.into()),
        Kind::maybe_whole if name == "err_code" => whole(span, i32::MIN.into(), i32::MAX.into()),
        Kind::maybe_whole => whole(span, i64::MIN.into(), i64::MAX.into()),
        Kind::account => whole(span, 0, u64::MAX.into()),
        Kind::hand if unquoted(span).is_none() => whole(span, 0, u64::MAX.into()),
        Kind::number | Kind::points => float(span),
        Kind::flag | Kind::raised if matches!(span, b"true" | b"false") => Fixed::Same,
        Kind::bit | Kind::flag | Kind::raised => flag(span),
        Kind::vector | Kind::velocity | Kind::pos | Kind::position => vector(span),
        Kind::pair | Kind::bones if is_whole(span) => Fixed::Same,
        Kind::pair | Kind::bones => Fixed::Lost("is no list of numbers"),
        _ => string(span),
    }
}

/// The text of a value without white space, and whether it is in quotes.
fn plain(span: &[u8]) -> (&str, bool) {
    let inner = unquoted(span);
    let text = std::str::from_utf8(inner.unwrap_or(span)).unwrap_or_default();
    (text.trim(), inner.is_some())
}

const AS_TEXT: &str = "as text";

fn is_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn whole(span: &[u8], least: i128, most: i128) -> Fixed {
    let (text, is_text) = plain(span);
    if is_word(text, &["true", "false"]) {
        let number = u8::from(is_word(text, &["true"]));
        return Fixed::Read(number.to_string(), "as true or false");
    }
    let json = number(text).ok().filter(|number| number.text == text);
    let (value, is_plain) = match &json {
        Some(number) => (number.whole(), number.whole),
        None => (text.parse().ok(), false),
    };
    match value {
        Some(value) if !(least..=most).contains(&value) => Fixed::Lost("is out of range"),
        Some(_) if is_plain && !is_text => Fixed::Same,
        Some(value) if json.is_none() && !is_text => Fixed::Foreign(value.to_string()),
        Some(value) if is_text => Fixed::Read(value.to_string(), AS_TEXT),
        Some(value) => Fixed::Read(value.to_string(), "with a fraction or an exponent"),
        None => match json.map(|number| number.float().trunc()) {
            Some(part) if part >= least as f64 && part <= most as f64 => Fixed::Left(
                format!("{part:.0}"),
                "is no whole number: its fraction is dropped",
            ),
            _ => Fixed::Lost("is no whole number"),
        },
    }
}

/// The spellings of infinity and of no number that programs write.
fn special(text: &str) -> Option<Fixed> {
    let (is_negative, word) = match text.strip_prefix('-') {
        Some(word) => (true, word),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if is_word(
        word,
        &[
            "infinity",
            "inf",
            "1.#inf",
            "1.#inf00",
            "1.#inf000",
            "\u{221E}",
        ],
    ) {
        let spelled = if is_negative { "-1e999" } else { "1e999" };
        return Some(Fixed::Left(spelled.to_owned(), "is infinite"));
    }
    let start = word.get(..3).unwrap_or_default();
    let is_none = is_word(start, &["nan"]) || word.starts_with("1.#");
    is_none.then_some(Fixed::Lost("is not a number (NaN)"))
}

fn float(span: &[u8]) -> Fixed {
    let (text, is_text) = plain(span);
    if let Some(special) = special(text) {
        return special;
    }
    if is_word(text, &["true", "false"]) {
        let number = u8::from(is_word(text, &["true"]));
        return Fixed::Read(number.to_string(), "as true or false");
    }
    let json = number(text).ok().filter(|number| number.text == text);
    match json.map(|number| number.float()) {
        Some(value) if value.abs() > f64::from(f32::MAX) => {
            Fixed::Left(text.to_owned(), "is infinite")
        }
        Some(_) if is_text => Fixed::Read(text.to_owned(), AS_TEXT),
        Some(_) => Fixed::Same,
        None => match text.parse::<f64>() {
            Ok(value) if value.is_finite() && is_text => Fixed::Read(format!("{value:?}"), AS_TEXT),
            Ok(value) if value.is_finite() => Fixed::Foreign(format!("{value:?}")),
            _ => Fixed::Lost("is no number"),
        },
    }
}

fn flag(span: &[u8]) -> Fixed {
    let (text, is_text) = plain(span);
    let read = match text {
        _ if is_word(text, &["true", "yes"]) => true,
        _ if is_word(text, &["false", "no"]) => false,
        _ => match text.parse::<f64>() {
            Ok(number) if !number.is_nan() => number != 0.0,
            _ => return Fixed::Lost("is neither true nor false"),
        },
    };
    let how = match text.parse::<f64>() {
        _ if is_text => AS_TEXT,
        Ok(_) => "as a number",
        Err(_) => "as true or false, where a number stands",
    };
    Fixed::Read(read.to_string(), how)
}

/// Three numbers. If one of them can't be read, all are lost: no point has two coordinates.
fn vector(span: &[u8]) -> Fixed {
    let Some(inner) = span
        .strip_prefix(b"[")
        .and_then(|span| span.strip_suffix(b"]"))
    else {
        return Fixed::Lost("is no list of three numbers");
    };
    let mut out = String::from("[");
    let (mut how, mut left, mut count) = (None, None, 0);
    for item in inner.split(|byte| *byte == b',') {
        let item = item.trim_ascii();
        count += 1;
        let text = match float(item) {
            Fixed::Same => String::from_utf8_lossy(item).into_owned(),
            Fixed::Read(text, spelled) => {
                how = how.or(Some(spelled));
                text
            }
            Fixed::Left(text, why) => {
                left = left.or(Some(why));
                text
            }
            _ if item == b"null" => return Fixed::Lost("holds null"),
            _ => return Fixed::Lost("holds something that is no number"),
        };
        if count > 1 {
            out.push(',');
        }
        out.push_str(&text);
    }
    out.push(']');
    match (left, how) {
        _ if count != 3 => Fixed::Lost("is no list of three numbers"),
        (Some(why), _) => Fixed::Left(out, why),
        (None, Some(how)) => Fixed::Read(out, how),
        (None, None) => Fixed::Same,
    }
}

fn string(span: &[u8]) -> Fixed {
    if let Some(inner) = unquoted(span) {
        if is_whole(span) {
            return Fixed::Same;
        }
        let (read, why) = text::text(inner);
        let mut out = String::new();
        text::quote(&read, &mut out);
        return Fixed::Damaged(out, why.unwrap_or("is damaged"));
    }
    match std::str::from_utf8(span) {
        Ok(text) if is_whole(span) && !text.starts_with(['{', '[']) => {
            Fixed::Read(format!("\"{text}\""), "without quotes")
        }
        _ => Fixed::Lost("is no text"),
    }
}

/// A member: its name, its kind, and whether it belongs to an optional part.
pub(super) type Row = (&'static str, Kind, bool);

macro_rules! rows {
    ($(
        $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
        $doc:literal $(, $attr:ident $value:tt)*;
    )*) => {
        &[$(row!($name $kind $place)),*]
    };
}

macro_rules! row {
    ($name:literal part ($kind:ident $($place:tt)*)) => {
        ($name, Kind::$kind, true)
    };
    ($name:literal $kind:ident $place:tt) => {
        ($name, Kind::$kind, false)
    };
}

/// In the order of the kinds of objects in [`seen`].
const TABLES: [&[Row]; 12] = [
    session_members! { rows },
    playspace_members! { rows },
    disc_members! { rows },
    pause_members! { rows },
    last_score_members! { rows },
    last_throw_members! { rows },
    team_members! { rows },
    player_members! { rows },
    stats_members! { rows },
    limb_members! { rows },
    bones_members! { rows },
    skeleton_members! { rows },
];

/// The members of a kind of object.
pub(super) fn table(kind: usize) -> &'static [Row] {
    TABLES.get(kind).copied().unwrap_or_default()
}

/// For each kind of object, the members that are in every one of a game, as bits.
pub(in crate::echoreplay) const REQUIRED: [u64; 12] = required();

const fn required() -> [u64; 12] {
    let mut all = [0; 12];
    let mut masks: &mut [u64] = &mut all;
    let mut tables: &[&[Row]] = &TABLES;
    while let ([mask, more_masks @ ..], [table, more_tables @ ..]) = (masks, tables) {
        *mask = mask_of(table);
        (masks, tables) = (more_masks, more_tables);
    }
    all
}

const fn mask_of(mut rows: &[Row]) -> u64 {
    let (mut mask, mut bit) = (0, 1);
    while let [(_, kind, is_part), more @ ..] = rows {
        if is_required(*kind) && !*is_part {
            mask |= bit;
        }
        bit <<= 1;
        rows = more;
    }
    mask
}

const fn is_required(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::account
            | Kind::address
            | Kind::bit
            | Kind::flag
            | Kind::limb
            | Kind::name
            | Kind::number
            | Kind::points
            | Kind::text
            | Kind::vector
            | Kind::velocity
            | Kind::whole
            | Kind::word
    )
}

/// The kind of the object or the objects that a member holds.
pub(super) fn child(name: &str, owner: usize) -> usize {
    match name {
        "disc" => seen::DISC,
        "pause" => seen::PAUSE,
        "last_score" => seen::LAST_SCORE,
        "last_throw" => seen::LAST_THROW,
        "player" => seen::PLAYSPACE,
        "teams" => seen::TEAM,
        "players" => seen::PLAYER,
        "stats" => seen::STATS,
        "user_bones" => seen::USER_BONES,
        _ if owner == seen::PLAYER => seen::POSE,
        _ => seen::SESSION,
    }
}
