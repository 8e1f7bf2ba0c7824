//! The description of a recording of a match.

use gametape_core::tape::{Error, Info, Partial, Secrets, object};
use serde_json::{Map, Value, json};

use super::encoding::EchoFormat;
use super::frames::Frames;
use super::opened::EchoTape;
use crate::butter::{self, Header};
use crate::{
    Error as ReadError, Findings, Frame, Map as ArenaMap, ReadOptions, Rule, Session, Time,
};

/// The text that replaces a secret.
pub(super) const HIDDEN: &str = "<hidden>";

/// Players that are listed; more are counted.
const MAX_PLAYERS: usize = 1_000;

fn secret(text: &str, secrets: Secrets) -> Value {
    match secrets {
        _ if text.is_empty() => Value::Null,
        Secrets::Hide => HIDDEN.into(),
        Secrets::Show => text.into(),
    }
}

/// A player, as last seen.
struct Seen {
    userid: u64,
    name: String,
    team: Option<&'static str>,
    number: i32,
    level: i32,
}

impl Seen {
    fn show(&self, secrets: Secrets) -> Value {
        json!({
            "name": self.name,
            "team": self.team,
            "number": self.number,
            "level": self.level,
            "user_id": match secrets {
                Secrets::Hide => HIDDEN.into(),
                Secrets::Show => Value::from(self.userid),
            },
        })
    }
}

const TEAMS: [&str; 3] = ["blue", "orange", "spectator"];

/// The facts that all frames together give.
#[derive(Default)]
pub(super) struct Summary {
    frames: u64,
    /// Earliest and latest.
    times: Option<(Time, Time)>,
    session: Option<Box<Session>>,
    last: Option<(f32, f32, i32, i32)>,
    session_id: String,
    sessions: u64,
    with_bones: u64,
    foreign: u64,
    players: Vec<Seen>,
    left_out: u64,
}

impl Summary {
    pub fn push(&mut self, frame: &Frame) {
        let session = &frame.session;
        self.frames += 1;
        let (from, to) = self.times.unwrap_or((frame.time, frame.time));
        self.times = Some((from.min(frame.time), to.max(frame.time)));
        if self.session.is_none() {
            self.session = Some(Box::new(session.clone()));
        }
        if self.sessions == 0 || self.session_id != session.sessionid.as_str() {
            self.session_id = session.sessionid.to_string();
            self.sessions += 1;
        }
        self.last = Some((
            session.blue_points,
            session.orange_points,
            session.blue_round_score,
            session.orange_round_score,
        ));
        self.with_bones += u64::from(frame.bones.is_some());
        self.foreign += u64::from(!session.unknown.is_empty());
        for (team, player) in session.players() {
            let room = self.players.len() < MAX_PLAYERS;
            let known = self.players.iter_mut().find(|p| p.userid == player.userid);
            let team = TEAMS.get(team).copied();
            match known {
                Some(known) => {
                    known.team = team;
                    // 0 for a couple of frames after joining.
                    if player.number != 0 {
                        known.number = player.number;
                    }
                    if player.level != 0 {
                        known.level = player.level;
                    }
                }
                None if room => self.players.push(Seen {
                    userid: player.userid,
                    name: player.name.to_string(),
                    team,
                    number: player.number,
                    level: player.level,
                }),
                None => self.left_out += 1,
            }
        }
    }
}

/// From the header alone: of a .butter what stands before the chunks, of an .echoreplay the first
/// line.
pub(super) fn header(tape: &EchoTape, secrets: Secrets) -> Result<Partial<Info>, Error> {
    let of_tape = (tape.format, tape.input.size());
    match tape.format {
        EchoFormat::Butter => {
            let table = butter::Table::read(&tape.input, ReadOptions::lenient())?;
            let header = table.header();
            let mut details = Map::new();
            if let Some(header) = header {
                details = of_header(header, secrets);
                stored(header, table.chunks().len() as u64, None, &mut details);
                let players = header.players.iter().map(|player| {
                    Seen {
                        userid: player.userid,
                        name: player.name().to_string(),
                        team: None,
                        number: player.number.into(),
                        level: player.level.into(),
                    }
                    .show(secrets)
                });
                details.insert("players".into(), players.collect());
            }
            let version = header.map_or(butter::VERSION, |header| header.version);
            let problem = cut(&table).map(Into::into);
            Ok(Partial::new(
                info(of_tape, version.into(), None, details),
                problem,
            ))
        }
        EchoFormat::Echoreplay => {
            let mut frames = tape.frames()?;
            let mut summary = Summary::default();
            if let Some(frame) = frames.next()? {
                summary.push(frame);
            }
            // What is wrong further on is not looked for.
            let problem = frames.findings().problem();
            let mut details = of_session(&summary, secrets);
            details.insert("recorded_to".into(), Value::Null);
            details.insert("rate_hz".into(), Value::Null);
            details.insert("bone_frames".into(), Value::Null);
            container(tape.is_zip(), None, &mut details);
            details.insert("players".into(), players(&summary, secrets));
            Ok(Partial::new(info(of_tape, 1, None, details), problem))
        }
    }
}

/// The error for a .butter whose table of chunks shows that the last chunk is incomplete.
fn cut(table: &butter::Table) -> Option<ReadError> {
    let mut chunks = table.chunks().iter();
    let chunk = chunks.find(|chunk| chunk.there < chunk.size)?;
    let rule = Rule::Truncated {
        what: "a chunk",
        needed: chunk.size,
        left: chunk.there,
    };
    Some(ReadError::at(rule, chunk.offset))
}

/// From all frames.
pub(super) fn whole(tape: &EchoTape, secrets: Secrets) -> Result<Partial<Info>, Error> {
    let mut frames = tape.frames()?;
    let mut summary = Summary::default();
    let problem = loop {
        match frames.next() {
            Ok(Some(frame)) => summary.push(frame),
            Ok(None) => break frames.findings().problem(),
            Err(error @ ReadError::Io { .. }) => return Err(error.into()),
            Err(error) if summary.frames == 0 => return Err(error.into()),
            Err(error) => break Some(error.into()),
        }
    };
    Ok(Partial::new(
        of_frames(&Known::of(tape, &frames), &summary, secrets),
        problem,
    ))
}

/// The facts about a recording, besides its frames, that are known after all frames were read.
pub(super) struct Known<'k> {
    pub format: EchoFormat,
    /// Bytes of the file.
    pub bytes: u64,
    /// Whether it is in a zip.
    pub zip: bool,
    pub findings: &'k Findings,
    /// For a .butter: its header, if it has one, and the properties that were detected.
    pub butter: Option<(Option<&'k Header>, butter::Seen)>,
}

impl<'k> Known<'k> {
    pub fn of(tape: &EchoTape, frames: &'k Frames) -> Self {
        Self {
            format: tape.format,
            bytes: tape.input.size(),
            zip: tape.is_zip(),
            findings: frames.findings(),
            butter: frames
                .butter()
                .map(|reader| (reader.header(), reader.seen())),
        }
    }
}

/// From what all frames told, and from who read them.
pub(super) fn of_frames(known: &Known<'_>, summary: &Summary, secrets: Secrets) -> Info {
    let mut details = of_session(summary, secrets);
    let mut version = 1;
    if let Some((header, seen)) = known.butter {
        version = header.map_or(butter::VERSION, |h| h.version).into();
        if let Some(header) = header {
            if summary.frames == 0 {
                details = of_header(header, secrets);
            }
            stored(header, seen.chunks, Some(seen), &mut details);
        }
    } else {
        let members = known.findings.iter().find_map(|found| match found.rule {
            Rule::ZipMembers { members } => Some(members),
            _ => None,
        });
        container(known.zip, members, &mut details);
    }
    if known.format == EchoFormat::Butter {
        // It keeps no such member.
        details.insert("tournament".into(), Value::Null);
    }
    details.insert("players".into(), players(summary, secrets));
    info((known.format, known.bytes), version, Some(summary), details)
}

fn info(
    (format, bytes): (EchoFormat, u64),
    version: u32,
    summary: Option<&Summary>,
    details: Map<String, Value>,
) -> Info {
    let duration = |(from, to): (Time, Time)| to.0.abs_diff(from.0);
    Info {
        duration_ms: summary.and_then(|summary| summary.times).map(duration),
        frames: summary.map(|summary| summary.frames),
        details,
        ..Info::new(format.info(), version, bytes)
    }
}

/// The facts in the header of a .butter.
fn of_header(header: &Header, secrets: Secrets) -> Map<String, Value> {
    let map = header.map_name();
    object(json!({
        "map": map.as_str(),
        "game": game(&map),
        "match_type": header.match_type(),
        "private": header.private_match(),
        "session_id": header.session_id().as_str(),
        "server": secret(&header.session_ip(), secrets),
        "client": String::from_utf8_lossy(&header.client_name),
        "rounds": {
            "of": header.total_round_count,
            "blue": header.round_scores & 15,
            "orange": header.round_scores >> 4,
        },
    }))
}

pub(super) fn game(map: &ArenaMap) -> &'static str {
    match map.game() {
        crate::Game::Arena => "arena",
        crate::Game::Combat => "combat",
        crate::Game::Other => "other",
    }
}

fn of_session(summary: &Summary, secrets: Secrets) -> Map<String, Value> {
    let Some(session) = &summary.session else {
        return Map::new();
    };
    let (from, to) = summary.times.unwrap_or_default();
    let (blue, orange, blue_rounds, orange_rounds) = summary.last.unwrap_or_default();
    let ms = to.0.abs_diff(from.0);
    let rate = (ms > 0).then(|| {
        let rate = summary.frames.saturating_sub(1) as f64 * 1000.0 / ms as f64;
        (rate * 100.0).round() / 100.0
    });
    object(json!({
        "recorded_from": from.to_string(),
        "recorded_to": to.to_string(),
        "rate_hz": rate,
        "map": session.map_name.as_str(),
        "game": game(&session.map_name),
        "match_type": session.match_type.as_str(),
        "private": session.private_match,
        "tournament": session.tournament_match,
        "session_id": session.sessionid.as_str(),
        "sessions": (summary.sessions > 1).then_some(summary.sessions),
        "server": secret(&session.sessionip, secrets),
        "client": session.client_name.as_str(),
        "points": { "blue": points(blue), "orange": points(orange) },
        "rounds": { "of": session.total_round_count, "blue": blue_rounds, "orange": orange_rounds },
        "bone_frames": summary.with_bones,
        "unknown_members": (summary.foreign > 0).then_some(summary.foreign),
    }))
}

/// Points are whole in the arena, and not in combat.
fn points(value: f32) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e6 {
        (value as i64).into()
    } else {
        value.into()
    }
}

/// How a .butter is stored; `seen` is what was seen of all of it.
fn stored(
    header: &Header,
    chunks: u64,
    seen: Option<butter::Seen>,
    details: &mut Map<String, Value>,
) {
    let mut put = |key: &str, value: Value| details.insert(key.into(), value);
    put("compression", header.compression.name().into());
    put("keyframe_every", header.keyframe_interval.into());
    put("chunks", chunks.into());
    if let Some(seen) = seen {
        put("keyframes", seen.keyframes.into());
        // Others write what the reference might have written, until it shows.
        let reference = seen.reference_chunks > 0;
        put("written_by", json!(reference.then_some("the reference")));
        put(
            "dialect",
            json!((seen.early_chunks > 0).then_some("early version 3")),
        );
    }
}

fn container(zip: bool, members: Option<u64>, details: &mut Map<String, Value>) {
    let name = if zip { "zip" } else { "text" };
    details.insert("container".into(), name.into());
    if let Some(members) = members {
        details.insert("files_in_zip".into(), members.into());
    }
}

fn players(summary: &Summary, secrets: Secrets) -> Value {
    if summary.frames == 0 {
        // Nobody knows who they would be.
        return Value::Null;
    }
    summary.players.iter().map(|p| p.show(secrets)).collect()
}
