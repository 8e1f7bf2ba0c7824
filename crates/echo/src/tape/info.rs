//! The description, the audit and the statistics of a recording.

use compact_str::CompactString;
use gametape_core::tape::{Audit, Error, Info, Measured, Partial, Secrets, Started, Work, object};
use gametape_core::text::{Counted, figure};
use serde_json::{Map, Value, json};

use super::frames::{EchoFormat, Stored, TapeFrames};
use super::opened::EchoTape;
use crate::butter::{self, Header, Seen};
use crate::course::Course;
use crate::model::{UnknownMember, UnknownMembers, is_somebody};
use crate::people::People;
use crate::stats::{MatchStats, StatsBuilder};
use crate::{
    Error as ReadError, Findings, Frame, Limits, Map as ArenaMap, ReadOptions, Rule, Session, Time,
    echoreplay,
};

/// Replaces a secret.
pub(super) const HIDDEN: &str = "<hidden>";

/// The maximum number of players that are listed.
const MAX_PLAYERS: usize = 1_000;

fn secret(text: &str, secrets: Secrets) -> Value {
    match secrets {
        _ if text.is_empty() => Value::Null,
        Secrets::Hide => HIDDEN.into(),
        Secrets::Show => text.into(),
    }
}

/// A player as last seen.
struct Seat {
    userid: u64,
    name: String,
    team: Option<&'static str>,
    number: i32,
    level: i32,
}

impl Seat {
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

/// The players of a match, in the order in which they were first seen.
#[derive(Default)]
struct ListedPlayers {
    people: People,
    seats: Vec<Seat>,
}

impl ListedPlayers {
    fn push(&mut self, session: &Session) {
        self.people.next_frame(session);
        for (team, player) in session.players() {
            let Some(at) = self.people.find(team, player, MAX_PLAYERS) else {
                continue;
            };
            let team = TEAMS.get(team).copied();
            match self.seats.get_mut(at) {
                Some(seat) => {
                    seat.team = team;
                    if seat.name != player.name && is_somebody(&player.name) {
                        seat.name = player.name.to_string();
                    }
                    // 0 for a couple of frames after joining.
                    if player.number != 0 {
                        seat.number = player.number;
                    }
                    if player.level != 0 {
                        seat.level = player.level;
                    }
                }
                None => self.seats.push(Seat {
                    userid: player.userid,
                    name: player.name.to_string(),
                    team,
                    number: player.number,
                    level: player.level,
                }),
            }
        }
    }

    fn show(&self, secrets: Secrets) -> Value {
        self.seats.iter().map(|seat| seat.show(secrets)).collect()
    }
}

/// The settings of a match, from its first frame or from the header of a .butter.
#[derive(Clone)]
pub(super) struct Setting {
    pub map: ArenaMap,
    pub match_type: CompactString,
    pub private: bool,
    /// `None` if unknown: a header does not contain it.
    pub tournament: Option<bool>,
    pub session_id: CompactString,
    /// Empty if unknown.
    pub server: CompactString,
    pub client: CompactString,
    pub rounds: i32,
}

impl Setting {
    fn of_session(session: &Session) -> Self {
        Self {
            map: session.map_name.clone(),
            match_type: session.match_type.clone(),
            private: session.private_match,
            tournament: Some(session.tournament_match),
            session_id: session.sessionid.clone(),
            server: session.sessionip.clone(),
            client: session.client_name.clone(),
            rounds: session.total_round_count,
        }
    }

    pub fn of_header(header: &Header) -> Self {
        Self {
            map: header.map_name(),
            match_type: header.match_type().into(),
            private: header.private_match(),
            tournament: None,
            session_id: header.session_id(),
            server: header.session_ip(),
            client: CompactString::from_utf8_lossy(&header.client_name),
            rounds: header.total_round_count.into(),
        }
    }
}

/// The points of blue and orange, and the rounds that they have won.
#[derive(Clone, Copy)]
pub(super) struct FinalScore {
    pub points: [f32; 2],
    pub rounds: [i32; 2],
}

/// A summary of all frames.
#[derive(Default)]
pub(super) struct Summary {
    pub frames: u64,
    /// The times of the first and the latest frame.
    pub times: Option<(Time, Time)>,
    course: Course,
    /// The settings in the first frame.
    pub setting: Option<Setting>,
    /// The score in the last frame.
    pub score: Option<FinalScore>,
    session_id: CompactString,
    pub sessions: u64,
    pub with_bones: u64,
    unknown: UnknownMembers,
}

impl Summary {
    pub fn push(&mut self, frame: &Frame) {
        let session = &frame.session;
        self.frames += 1;
        let before = self.course.duration_ms();
        self.course.frame(frame);
        let (from, to) = self.times.unwrap_or((frame.time, frame.time));
        let is_latest = self.course.duration_ms() > before;
        self.times = Some((from, if is_latest { frame.time } else { to }));
        if self.setting.is_none() {
            self.setting = Some(Setting::of_session(session));
        }
        if self.sessions == 0 || self.session_id != session.sessionid {
            self.session_id.clone_from(&session.sessionid);
            self.sessions += 1;
        }
        self.score = Some(FinalScore {
            points: [session.blue_points, session.orange_points],
            rounds: [session.blue_round_score, session.orange_round_score],
        });
        self.with_bones += u64::from(frame.bones.is_some());
        self.unknown.push(frame.unknown(), self.frames - 1);
    }

    /// The unknown members, each with its path, the number of its frames, and the first.
    fn unknown_paths(&self) -> Option<Vec<UnknownMember>> {
        Some(self.unknown.each().collect()).filter(|each: &Vec<_>| !each.is_empty())
    }

    /// The time from the first frame to the latest.
    pub fn duration_ms(&self) -> Option<u64> {
        self.times.map(|_| self.course.duration_ms())
    }

    /// The mean number of frames a second, to two decimals.
    pub fn rate_hz(&self) -> Option<f64> {
        let ms = self.duration_ms()?;
        (ms > 0).then(|| {
            let rate = self.frames.saturating_sub(1) as f64 * 1000.0 / ms as f64;
            (rate * 100.0).round() / 100.0
        })
    }

    /// The number of sessions, unless it is one.
    fn unusual_sessions(&self) -> Option<u64> {
        (self.sessions != 1).then_some(self.sessions)
    }

    /// The number of frames with unknown members, if there are any.
    pub fn with_unknown(&self) -> Option<u64> {
        Some(self.unknown.frames).filter(|frames| *frames > 0)
    }
}

/// Describes a recording from its header: for a .butter, the bytes before the chunks, and the time
/// at the start of the first chunk; for an .echoreplay, the first line.
pub(super) fn header(tape: &EchoTape, secrets: Secrets) -> Result<Partial<Info>, Error> {
    let of_tape = (tape.format, tape.input.size());
    match tape.format {
        EchoFormat::Butter => {
            let table = butter::Table::read(&tape.input, ReadOptions::lenient())?;
            let header = table.header();
            let mut details = Map::new();
            if let Some(header) = header {
                let started = table.started(&tape.input)?;
                details.insert("recorded_from".into(), time(started));
                details.extend(of_header(header, secrets));
                put_storage(header, table.chunks().len() as u64, None, &mut details);
                let players = header.players.iter().map(|player| {
                    Seat {
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
            let problem = torn_chunk(&table).map(Into::into);
            Ok(Partial::new(
                info(of_tape, version.into(), None, details),
                problem,
            ))
        }
        EchoFormat::Echoreplay => {
            let mut frames = tape.frames()?;
            let (mut summary, mut roster) = (Summary::default(), ListedPlayers::default());
            if let Some(frame) = frames.next_frame()? {
                summary.push(frame);
                roster.push(&frame.session);
            }
            // Problems after the first line are not looked for.
            let problem = frames.findings().problem();
            let mut details = of_summary(&summary, secrets);
            // The score of the first frame is not that of the end.
            for unknown in [
                "recorded_to",
                "rate_hz",
                "bone_frames",
                "blue_points",
                "orange_points",
                "blue_rounds",
                "orange_rounds",
            ] {
                details.insert(unknown.into(), Value::Null);
            }
            put_container(tape.is_zip(), None, &mut details);
            put_players(&summary, &roster, secrets, &mut details);
            Ok(Partial::new(info(of_tape, 1, None, details), problem))
        }
    }
}

fn time(time: Option<Time>) -> Value {
    time.map(|time| time.to_string()).into()
}

/// The error for the first chunk that is incomplete, by the table of chunks.
fn torn_chunk(table: &butter::Table) -> Option<ReadError> {
    let mut chunks = table.chunks().iter();
    let chunk = chunks.find(|chunk| chunk.there < chunk.size)?;
    let rule = Rule::Truncated {
        what: "a chunk",
        needed: chunk.size,
        left: chunk.there,
    };
    Some(ReadError::at(rule, chunk.offset))
}

/// Describes a recording from all of its frames.
pub(super) fn whole(
    tape: &EchoTape,
    secrets: Secrets,
    work: &Work<'_>,
) -> Result<Partial<Info>, Error> {
    let (mut summary, mut roster) = (Summary::default(), ListedPlayers::default());
    let frames = each(tape, work, |frame| {
        summary.push(frame);
        roster.push(&frame.session);
    })?;
    let info = of_frames(&FileFacts::of(tape, &frames), &summary, &roster, secrets);
    Ok(Partial::new(info, frames.problem()))
}

/// What a reader knows about a recording, apart from the frames, once it has read all of them.
pub(super) struct FileFacts<'k> {
    pub format: EchoFormat,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// Whether the recording is in a zip.
    pub zip: bool,
    pub findings: &'k Findings,
    pub stored: Option<Stored<'k>>,
}

impl<'k> FileFacts<'k> {
    pub fn of(tape: &EchoTape, frames: &'k TapeFrames<'_>) -> Self {
        Self {
            format: tape.format,
            bytes: tape.input.size(),
            zip: tape.is_zip(),
            findings: frames.findings(),
            stored: frames.stored(),
        }
    }

    /// The number of files in a zip, if it is not one.
    pub fn files_in_zip(&self) -> Option<u64> {
        self.findings.iter().find_map(|found| match found.rule {
            Rule::ZipMembers { members } => Some(members),
            _ => None,
        })
    }
}

fn of_frames(
    known: &FileFacts<'_>,
    summary: &Summary,
    roster: &ListedPlayers,
    secrets: Secrets,
) -> Info {
    let mut details = of_summary(summary, secrets);
    let mut version = 1;
    if let Some((header, seen)) = known.stored {
        version = header.map_or(butter::VERSION, |h| h.version).into();
        if let Some(header) = header {
            if summary.frames == 0 {
                details = of_header(header, secrets);
            }
            put_storage(header, seen.chunks, Some(seen), &mut details);
        }
    } else {
        put_container(known.zip, known.files_in_zip(), &mut details);
    }
    if known.format == EchoFormat::Butter {
        // The format has no such member.
        details.insert("tournament".into(), Value::Null);
    }
    put_players(summary, roster, secrets, &mut details);
    info((known.format, known.bytes), version, Some(summary), details)
}

fn info(
    (format, bytes): (EchoFormat, u64),
    version: u32,
    summary: Option<&Summary>,
    details: Map<String, Value>,
) -> Info {
    let from = details.get("recorded_from").and_then(Value::as_str);
    // A time that no calendar has is written as a number.
    let from = from.filter(|from| matches!(from.as_bytes().get(4), Some(b'-' | b'/')));
    Info {
        started: from.map(|from| Started::Local(from.to_owned())),
        duration_ms: summary.and_then(Summary::duration_ms),
        steps: summary.map(|summary| summary.frames),
        details,
        ..Info::new(format.info(), version, bytes)
    }
}

/// The details in the header of a .butter.
fn of_header(header: &Header, secrets: Secrets) -> Map<String, Value> {
    let setting = Setting::of_header(header);
    object(json!({
        "map": setting.map.as_str(),
        "game": game(&setting.map),
        "match_type": setting.match_type.as_str(),
        "private": setting.private,
        "session_id": setting.session_id.as_str(),
        "server": secret(&setting.server, secrets),
        "client": setting.client.as_str(),
        "rounds_of": setting.rounds,
        "blue_rounds": null,
        "orange_rounds": null,
    }))
}

pub(super) fn game(map: &ArenaMap) -> &'static str {
    match map.game() {
        crate::Game::Arena => "arena",
        crate::Game::Combat => "combat",
        crate::Game::Other => "other",
    }
}

/// The details that follow from frames; empty without frames.
fn of_summary(summary: &Summary, secrets: Secrets) -> Map<String, Value> {
    let (Some(setting), Some((from, to)), Some(score)) =
        (&summary.setting, summary.times, summary.score)
    else {
        return Map::new();
    };
    let [blue, orange] = score.points;
    let [blue_rounds, orange_rounds] = score.rounds;
    object(json!({
        "recorded_from": from.to_string(),
        "recorded_to": to.to_string(),
        "rate_hz": summary.rate_hz(),
        "map": setting.map.as_str(),
        "game": game(&setting.map),
        "match_type": setting.match_type.as_str(),
        "private": setting.private,
        "tournament": setting.tournament,
        "session_id": setting.session_id.as_str(),
        "sessions": summary.unusual_sessions(),
        "server": secret(&setting.server, secrets),
        "client": setting.client.as_str(),
        "blue_points": points(blue),
        "orange_points": points(orange),
        "rounds_of": setting.rounds,
        "blue_rounds": blue_rounds,
        "orange_rounds": orange_rounds,
        "bone_frames": summary.with_bones,
        "unknown_members": summary.with_unknown(),
        "unknown_member_paths": summary.unknown_paths(),
    }))
}

/// Points are whole numbers in the arena, but not in combat.
fn points(value: f32) -> Value {
    match small_integer(value.into()) {
        Some(whole) => whole.into(),
        None => value.into(),
    }
}

/// The value as an integer, if it is a whole number of less than seven digits.
fn small_integer(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 1e6).then_some(value as i64)
}

/// Adds how a .butter is stored; `seen` is known once all of it was read.
fn put_storage(header: &Header, chunks: u64, seen: Option<Seen>, details: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| details.insert(key.into(), value);
    put("compression", header.compression.name().into());
    put("keyframe_every", header.keyframe_interval.into());
    put("chunks", chunks.into());
    if let Some(seen) = seen {
        put("keyframes", seen.keyframes.into());
        put("written_by", writer(seen).into());
        put("dialect", dialect(seen).into());
    }
}

/// The writer of a .butter, if the recording shows it: other writers may write what the reference
/// could have written.
pub(super) fn writer(seen: Seen) -> Option<&'static str> {
    (seen.reference_chunks > 0).then_some("the reference")
}

/// The dialect of a .butter, unless it is the usual one.
pub(super) fn dialect(seen: Seen) -> Option<&'static str> {
    (seen.early_chunks > 0).then_some("early version 3")
}

/// The container of an .echoreplay.
pub(super) const fn container(zip: bool) -> &'static str {
    if zip { "zip" } else { "text" }
}

fn put_container(zip: bool, files: Option<u64>, details: &mut Map<String, Value>) {
    details.insert("container".into(), container(zip).into());
    if let Some(files) = files {
        details.insert("files_in_zip".into(), files.into());
    }
}

/// Adds the players; null without frames, because nothing is known about them.
fn put_players(
    summary: &Summary,
    roster: &ListedPlayers,
    secrets: Secrets,
    details: &mut Map<String, Value>,
) {
    let players = (summary.frames > 0).then(|| roster.show(secrets));
    details.insert("players".into(), players.into());
}

/// Audits the structure of the file, and the match in it.
pub(super) fn audit(tape: &EchoTape, work: &Work<'_>) -> Result<Audit, Error> {
    Ok(match tape.format {
        EchoFormat::Butter => {
            let stream = work.watched(&tape.input);
            let audit = butter::audit_stream(&tape.input, stream, Limits::default())?;
            let game = audit.header.as_ref().map(|header| game(&header.map_name()));
            let verdict = verdict(audit.seen.frames, audit.duration_ms, game);
            Audit::new(&audit.findings, verdict).traces(audit.trace.traces())
        }
        EchoFormat::Echoreplay => {
            let audit = echoreplay::audit_stream(work.watched(&tape.input), Limits::default())?;
            let game = audit.map.as_ref().map(game);
            let verdict = verdict(audit.frames, audit.duration_ms, game);
            Audit::new(&audit.findings, verdict).traces(audit.trace.traces())
        }
    })
}

/// `27,000 frames, 15:00.042, arena`.
fn verdict(frames: u64, duration_ms: u64, game: Option<&str>) -> String {
    if frames == 0 {
        return "no frames".into();
    }
    let frames = Counted(frames, "frame");
    let duration = figure("duration_ms", duration_ms);
    format!("{frames}, {duration}, {}", game.unwrap_or_default())
}

/// Computes the statistics of a match and its players.
pub(super) fn stats(tape: &EchoTape, work: &Work<'_>) -> Result<Partial<Measured>, Error> {
    let mut builder = StatsBuilder::new();
    let frames = each(tape, work, |frame| builder.push(frame))?;
    Ok(Partial::new(
        figures(&builder.finish()).into(),
        frames.problem(),
    ))
}

/// Visits all frames, and returns what has read them.
fn each(
    tape: &EchoTape,
    work: &Work<'_>,
    mut visit: impl FnMut(&Frame),
) -> Result<TapeFrames<'static>, Error> {
    let mut frames = tape.frames()?;
    while let Some(frame) = frames.next()? {
        visit(frame);
        tape.done(&frames, work)?;
    }
    Ok(frames)
}

/// The statistics as JSON.
fn figures(stats: &MatchStats) -> Map<String, Value> {
    // Through text, so that 32-bit numbers have their shortest form.
    let text = serde_json::to_vec(stats).unwrap_or_default();
    let mut value = object(serde_json::from_slice(&text).unwrap_or_default());
    for key in ["blue_points", "orange_points"] {
        if let Some(points) = value.get_mut(key) {
            // Without frames, nobody has said how many there are.
            let known = points.as_f64().filter(|_| stats.frames > 0);
            *points = match known.map(|points| (points, small_integer(points))) {
                Some((_, Some(whole))) => whole.into(),
                Some((points, None)) => points.into(),
                None => Value::Null,
            };
        }
    }
    value
}
