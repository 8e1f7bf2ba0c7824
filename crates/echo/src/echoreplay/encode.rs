//! From the model to JSON, spelled as the game spells it.

use crate::error::WriteError;
use crate::model::{Bones, Frame, Object, Team, Time};

use super::decode::{MOST, MOST_UNKNOWN, Members, Others, write_object};
use super::foreign::Foreign;
use super::json::JsonWriter;

/// Writes the line of a frame. On failure, the caller has to remove what was written.
pub(super) fn frame(frame: &Frame, out: &mut Vec<u8>) -> Result<(), WriteError> {
    counts(frame)?;
    time(frame.time, out)?;
    out.push(b'\t');
    let foreign = Foreign::of_session(&frame.session)?;
    let mut json = JsonWriter::new(out);
    write_object(&frame.session, Object::Session, &foreign, &mut json)?;
    if let Some(bones) = &frame.bones {
        json.separate();
        self::bones(bones, &mut json)?;
    }
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// Checks the numbers that are counted in a byte. Readers refuse more, too.
fn counts(frame: &Frame) -> Result<(), WriteError> {
    let teams = &frame.session.teams;
    let players = |team: &Team| team.players.len();
    let bones = frame.bones.as_ref();
    for (what, count, most, holds) in [
        ("teams", teams.len(), MOST, "255"),
        (
            "players of a team",
            teams.iter().map(players).max().unwrap_or(0),
            MOST,
            "255",
        ),
        (
            "teams and players",
            teams.iter().map(players).sum::<usize>() + teams.len(),
            2 * MOST,
            "510",
        ),
        (
            "skeletons",
            bones.map_or(0, |bones| bones.user_bones.len()),
            MOST,
            "255",
        ),
        (
            "foreign members",
            frame.session.unknown.len(),
            MOST_UNKNOWN,
            "65,535",
        ),
        (
            "foreign members of bones",
            bones.map_or(0, |bones| bones.unknown.len()),
            MOST_UNKNOWN,
            "65,535",
        ),
    ] {
        if count > most {
            return Err(WriteError::Unstorable {
                what,
                found: count.to_string(),
                holds,
            });
        }
    }
    Ok(())
}

fn time(time: Time, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let text = time.to_string();
    if Time::parse(text.as_bytes()) != Some(time) {
        return Err(WriteError::Unstorable {
            what: "the time",
            found: text,
            holds: "the years 0 to 9999",
        });
    }
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn bones(bones: &Bones, json: &mut JsonWriter<'_>) -> Result<(), WriteError> {
    let foreign = Foreign::of_bones(bones)?;
    let mut o = json.object();
    bones.write(Object::Bones, &foreign, &mut o)?;
    // Success is reported unless something else is.
    if !foreign.has(Object::Bones, "err_code") {
        o.whole("err_code", 0);
    }
    foreign.write(Object::Bones, &mut o);
    o.end();
    Ok(())
}
