//! All ways to read the text of an .echoreplay agree, and a readable line is written the same
//! again.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::Read;

use gametape_echo::echoreplay::{self, Feed, Line, Lines, Reader, Redactor, read_with};
use gametape_echo::{
    Fed, Findings, Frame, Holding, Limits, ReadOptions, Severity, Strictness, WriteError,
};

use super::assert_same;
use crate::ways::{Failure, FedWay, Format, Way, agree};

/// Longer lines are of no additional use.
const LIMITS: Limits = Limits {
    max_chunk_bytes: 0,
    max_line_bytes: 1 << 16,
    ..Limits::DEFAULT
};

/// Small enough to be reached by small inputs.
const SMALL: Limits = Limits {
    max_chunk_bytes: 0,
    max_line_bytes: 60,
    ..Limits::DEFAULT
};

/// A slice, any [`Read`] and bytes fed by hand give the same lines, frames, findings or error, for
/// any bytes, strictly and leniently, with the usual limits and with tiny ones. The same is true if
/// only lines are requested.
///
/// Lines have the reported offsets and are written unchanged. The frame of a line, when written,
/// reads as the same frame, bit for bit, both into a reused frame and into a new one; a frame that
/// cannot be written has a number that is not finite. A redacted line reads as before, except for
/// names, user ids and the address: none of them is left, and each is consistently replaced by
/// another one.
pub fn echoreplay_line(data: &[u8]) {
    for (at, limits) in [LIMITS, SMALL].into_iter().enumerate() {
        let options = |strictness| ReadOptions { strictness, limits };
        let (strict, notes) = every_way(data, options(Strictness::Strict), 2 * at);
        let (lenient, findings) = every_way(data, options(Strictness::Lenient), 2 * at + 1);
        assert!(lenient.is_none(), "{lenient:?}");
        match strict {
            Some(error) => assert!(
                findings.has(error.code) || is_lossy(&findings),
                "{error:?}: {findings:?}"
            ),
            None => assert_eq!(notes, findings),
        }
    }
    each_line(data);
}

/// A line that owns its bytes.
#[derive(PartialEq, Debug)]
struct Copied {
    bytes: Vec<u8>,
    columns: [usize; 4],
    index: u64,
    offset: u64,
}

impl From<Line<'_>> for Copied {
    fn from(line: Line<'_>) -> Self {
        let mut bytes = Vec::new();
        line.write(&mut bytes);
        assert_eq!(bytes.len(), line.size());
        Self {
            bytes,
            columns: [
                line.time.len(),
                line.session.len(),
                line.bones.map_or(usize::MAX, <[u8]>::len),
                line.ending.len(),
            ],
            index: line.index,
            offset: line.offset,
        }
    }
}

struct Text;

/// The findings, and the offset of the next line.
type TextKnown = (Findings, u64);

/// A line, and its frame if frames are wanted.
#[derive(Debug)]
struct ShownLine(Copied, Option<Frame>);

impl PartialEq for ShownLine {
    fn eq(&self, other: &Self) -> bool {
        // Comparing as text is slow, but treats all NaNs as equal.
        let same = || self.1 == other.1 || format!("{:?}", self.1) == format!("{:?}", other.1);
        self.0 == other.0 && same()
    }
}

/// The three readers have the same methods.
macro_rules! next {
    ($reader:expr, $with_frame:expr, $next_line:expr) => {{
        if $with_frame {
            let frame = $reader.next_frame()?.cloned();
            frame.map(|frame| {
                let line = $reader.line().expect("a frame is of a line");
                ShownLine(line.into(), Some(frame))
            })
        } else {
            $next_line.map(|line| ShownLine(line.into(), None))
        }
    }};
}

impl Format for Text {
    /// And whether frames are wanted.
    type Options = (ReadOptions, bool);
    type Item = ShownLine;
    type Known = TextKnown;
    const GROWS: bool = false;

    fn slice(data: &[u8], (options, with_frame): Self::Options) -> impl Way<Self> {
        Reading(read_with(data, options), with_frame)
    }

    fn source(source: impl Read, (options, with_frame): Self::Options) -> impl Way<Self> {
        Reading(Reader::with_options(source, options), with_frame)
    }

    fn feed((options, with_frame): Self::Options) -> impl FedWay<Self> {
        Reading(Feed::with_options(options), with_frame)
    }
}

/// A reader of lines, with or without their frames.
struct Reading<R>(R, bool);

impl Way<Text> for Reading<Lines<'_>> {
    fn next(&mut self) -> Result<Option<ShownLine>, Failure> {
        Ok(next!(self.0, self.1, self.0.next().transpose()?))
    }

    fn known(&mut self) -> Option<TextKnown> {
        Some((self.0.findings().clone(), self.0.offset()))
    }
}

impl<R: Read> Way<Text> for Reading<Reader<R>> {
    fn next(&mut self) -> Result<Option<ShownLine>, Failure> {
        Ok(next!(self.0, self.1, self.0.next_line()?))
    }

    fn known(&mut self) -> Option<TextKnown> {
        Some((self.0.findings().clone(), self.0.offset()))
    }
}

impl FedWay<Text> for Reading<Feed> {
    fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    fn finish(&mut self) {
        self.0.finish();
    }

    fn next(&mut self) -> Result<Fed<ShownLine>, Failure> {
        if !self.1 {
            return Ok(match self.0.next_line()? {
                Fed::Item(line) => Fed::Item(ShownLine(line.into(), None)),
                Fed::NeedMore => Fed::NeedMore,
                Fed::End => Fed::End,
            });
        }
        let frame = match self.0.next_frame()? {
            Fed::Item(frame) => frame.clone(),
            Fed::NeedMore => return Ok(Fed::NeedMore),
            Fed::End => return Ok(Fed::End),
        };
        let line = self.0.line().expect("a frame is of a line");
        Ok(Fed::Item(ShownLine(line.into(), Some(frame))))
    }

    fn known(&mut self) -> Option<TextKnown> {
        Some((self.0.findings().clone(), self.0.offset()))
    }
}

fn every_way(data: &[u8], options: ReadOptions, vary: usize) -> (Option<Failure>, Findings) {
    agree::<Text>(data, (options, false), vary);
    let given = agree::<Text>(data, (options, true), vary);
    let (findings, _) = given.known.expect("nothing stands before the lines");
    let mut end = 0;
    for line in read_with(data, options).map_while(Result::ok) {
        assert!(line.offset >= end);
        end = line.offset + line.size() as u64;
    }
    (given.failure, findings)
}

fn each_line(data: &[u8]) {
    let mut lines = read_with(data, ReadOptions::lenient().limits(LIMITS));
    let mut redacted = Redacted::default();
    while lines.next_frame().expect("leniently").is_some() {
        let (line, frame) = (lines.line().expect("a frame is of a line"), lines.frame());
        let bytes = Copied::from(line).bytes;
        let start = line.offset as usize;
        assert_eq!(data[start..start + bytes.len()], bytes);
        // If the bones are invalid, the reader leaves them out, whereas reading the line alone
        // gives an error.
        match line.frame() {
            Ok(alone) => assert_same(&alone, frame, "alone"),
            // A lenient reader loses only the member.
            Err(_) if is_lossy(lines.findings()) => {}
            Err(error) => {
                let bones = line.offset + (line.time.len() + line.session.len() + 2) as u64;
                assert!(error.offset() >= Some(bones), "{error}");
                assert_eq!(frame.bones, None);
            }
        }
        written(frame);
        redacted.line(line, frame);
    }
}

/// Whether a lenient reader lost members that a strict one refuses.
fn is_lossy(findings: &Findings) -> bool {
    findings.has("echoreplay.member") || findings.has("echoreplay.text")
}

fn written(frame: &Frame) {
    let mut text = b"before".to_vec();
    match echoreplay::write_frame(frame, &mut text) {
        Ok(()) => {
            let text = text.strip_prefix(b"before").expect("it is kept");
            let mut lines = echoreplay::read(text);
            let is_there = lines.next_frame().expect("just written").is_some();
            assert!(is_there, "just written");
            assert_eq!(lines.line().map(|line| line.size()), Some(text.len()));
            // Members that the model does not know are noted.
            assert!(lines.findings().worst() <= Some(Severity::Info));
            let back = lines.frame();
            assert_same(frame, back, "written");
            let mut again = Vec::new();
            echoreplay::write_frame(back, &mut again).expect("it was written before");
            assert_eq!(text, again);
        }
        Err(WriteError::Unstorable { found, .. }) => {
            assert_eq!(text, b"before");
            let infinite = format!("{frame:?}").contains("inf");
            assert!(infinite, "{found}: {frame:?}");
        }
        Err(error) => panic!("{error}"),
    }
}

/// The replacements of names and ids.
#[derive(Default)]
struct Redacted {
    lines: Redactor,
    frames: Redactor,
    names: Renamed<String>,
    ids: Renamed<u64>,
}

/// A one-to-one renaming.
struct Renamed<T>(HashMap<T, T>, HashMap<T, T>);

impl<T> Default for Renamed<T> {
    fn default() -> Self {
        Self(HashMap::new(), HashMap::new())
    }
}

impl<T: Hash + Eq + Clone + std::fmt::Debug> Renamed<T> {
    fn check(&mut self, from: &T, to: &T) {
        let known = self.0.entry(from.clone()).or_insert_with(|| to.clone());
        assert_eq!(known, to, "{from:?} was another before");
        let known = self.1.entry(to.clone()).or_insert_with(|| from.clone());
        assert_eq!(known, from, "{to:?} is two");
    }
}

impl Redacted {
    fn line(&mut self, line: Line<'_>, frame: &Frame) {
        let mut text = Vec::new();
        line.redacted(&mut self.lines, &mut text)
            .expect("what reads can be redacted");
        let mut lines = read_with(&text, ReadOptions::lenient());
        let found = lines.next_frame().expect("leniently").is_some();
        assert!(found, "{:?}", lines.findings());
        let after = lines.frame();
        self.compare(frame, after);

        // Redacting the model gives the same result, except for numbers, which are assigned in
        // order of appearance.
        let mut model = frame.clone();
        self.frames.frame(&mut model);
        assert_same(
            &blank(model),
            &blank(after.clone()),
            String::from_utf8_lossy(&text),
        );
    }

    fn compare(&mut self, before: &Frame, after: &Frame) {
        let (names, ids) = secrets(before);
        let (new_names, new_ids) = secrets(after);
        assert_eq!((names.len(), ids.len()), (new_names.len(), new_ids.len()));
        for (from, to) in names.iter().zip(&new_names) {
            let nobody = from.is_empty() || from == "[INVALID]";
            let number = to.strip_prefix("Player ").map(str::parse::<u64>);
            assert!(
                matches!(number, Some(Ok(1..))) || (nobody && from == to),
                "{to}"
            );
            self.names.check(from, to);
        }
        for (from, to) in ids.iter().zip(&new_ids) {
            assert_eq!(*from == 0, *to == 0);
            self.ids.check(from, to);
        }
        let ip = after.session.sessionip.as_str();
        let none = before.session.sessionip.is_empty();
        assert!(ip == "0.0.0.0" || (none && ip.is_empty()), "{ip}");
    }
}

/// The names and user ids in a frame.
fn secrets(frame: &Frame) -> (Vec<String>, Vec<u64>) {
    let session = &frame.session;
    let mut names = vec![session.client_name.to_string()];
    if let Some(score) = &session.last_score {
        names.push(score.person_scored.to_string());
        names.push(score.assist_scored.to_string());
    }
    names.extend(session.rules_changed_by.iter().map(ToString::to_string));
    let mut ids = Vec::new();
    for (_, player) in session.players() {
        names.push(player.name.to_string());
        ids.push(player.userid);
    }
    (names, ids)
}

/// A frame without names, ids and the content of hands.
fn blank(mut frame: Frame) -> Frame {
    let session = &mut frame.session;
    session.client_name.clear();
    session.sessionip.clear();
    if let Some(score) = &mut session.last_score {
        score.person_scored.clear();
        score.assist_scored.clear();
    }
    if let Some(name) = &mut session.rules_changed_by {
        name.clear();
    }
    for player in session.teams.iter_mut().flat_map(|team| &mut team.players) {
        player.name.clear();
        player.userid = 0;
        for hand in [&mut player.holding_left, &mut player.holding_right] {
            if let Some(Holding::Number(number)) = hand {
                *number = 0;
            }
        }
    }
    frame
}
