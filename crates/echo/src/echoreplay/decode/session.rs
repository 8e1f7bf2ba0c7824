//! The session and the objects in it, except for teams and players.

use std::mem;

use super::cursor::{Cursor, Read};
use super::object::{Members, Others, Source, kind, list, maybe_object, members, write_object};
use super::scalar::{Scalar, part, value};
use crate::echoreplay::json;
use crate::error::WriteError;
use crate::members::{
    disc_members, last_score_members, last_throw_members, pause_members, playspace_members,
    session_members,
};
use crate::model::{Disc, Game, LastScore, LastThrow, Object, Pause, Pose, Session};
use compact_str::CompactString;

/// The playspace of the client: a pose with other names.
#[derive(Default)]
pub(super) struct Playspace(pub Pose);

session_members! {
    members Session as SESSION {
        const LIST: Option<&'static str> = Some("teams");
        const ROOT: bool = true;

        fn blank(&mut self) {
            // Keeps allocations. A member that is the same in every frame is not even written again; a text
            // that is absent is emptied first and so costs a little more.
            let old = mem::take(self);
            self.teams = old.teams;
            self.sessionid = emptied(old.sessionid);
            self.sessionip = emptied(old.sessionip);
            self.client_name = emptied(old.client_name);
            self.match_type = emptied(old.match_type);
            self.game_clock_display = emptied(old.game_clock_display);
        }

        fn clear_list(&mut self) {
            self.teams.clear();
        }
    }
}

fn emptied(mut text: CompactString) -> CompactString {
    text.clear();
    text
}

/// Whole numbers in arena, fractions in combat.
fn points(
    o: &mut json::Members<'_, '_>,
    name: &'static str,
    points: f32,
    session: &Session,
) -> Result<(), WriteError> {
    let whole = points as i32;
    let exact = (whole as f32).to_bits() == points.to_bits();
    if exact && whole != i32::MAX && session.map_name.game() != Game::Combat {
        o.whole(name, whole.into());
        return Ok(());
    }
    o.number(name, points)
}

/// `possession`: two numbers. Anything else is kept as it is spelled.
fn possession(place: &mut Option<[i32; 2]>, source: &mut Source<'_>) -> Read {
    *place = None;
    let mut ahead = source.json.clone();
    let value = ahead.raw()?;
    *place = pair(value);
    if place.is_none() && value != "null" {
        return source.keep(Object::Session, "possession");
    }
    source.json = ahead;
    Ok(())
}

/// Parses a list of two whole numbers.
pub(in crate::echoreplay) fn pair(text: &str) -> Option<[i32; 2]> {
    let mut json = Cursor::new(text);
    let mut pair = [0; 2];
    let mut first = true;
    json.open_list().ok()?;
    for place in &mut pair {
        json.item(&mut first).ok().filter(|more| *more)?;
        place.read(&mut json).ok()?;
    }
    let more = json.item(&mut first).ok()?;
    (!more && json.end().is_ok()).then_some(pair)
}

playspace_members! {
    members Playspace as PLAYSPACE {}
}

disc_members! {
    members Disc as DISC {}
}

pause_members! {
    members Pause as PAUSE {}
}

last_score_members! {
    members LastScore as LAST_SCORE {}
}

last_throw_members! {
    members LastThrow as LAST_THROW {}
}
