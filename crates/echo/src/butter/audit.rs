//! The audit of a .butter: its structure, the faults of the reference, and the match in it.

use gametape_core::Input;

use super::chunk::Table;
use super::header::{Compression, Header};
use super::play::{Playing, Seen};
use super::read::{Frames, read_with};
use super::stream::{Decoder, Reader};
use crate::audit::SessionAudit;
use crate::error::{Error, Finding, Findings};
use crate::limits::{Limits, ReadOptions};
use crate::model::{BONES, Frame, GameStatus, GoalType, Map, PausedState, Time};
use crate::rule::Rule;
use crate::trace::Trace;

/// The result of auditing a .butter.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Audit {
    /// The findings, worst first.
    pub findings: Findings,
    /// The header, if it could be read. An unfinished recording has several; this is the last.
    pub header: Option<Header>,
    /// Statistics of the chunks and frames that were read.
    pub seen: Seen,
    /// The times at which the first and the last frame were recorded.
    pub times: Option<(Time, Time)>,
    /// The time from the first frame to the latest, in milliseconds, by the game clock where the wall clock
    /// was changed.
    pub duration_ms: u64,
    /// What tells that another recording is of the same match.
    pub(crate) trace: Trace,
}

/// Audits a .butter in memory: its structure, the reference's faults in it, and the match. Never fails:
/// whatever can't be read is a finding.
///
/// ```
/// let bytes = gametape_echo::doc_example();
/// let cut = &bytes[..bytes.len() - 1];
/// let audit = gametape_echo::butter::audit(cut);
/// let worst = audit.findings.iter().next().unwrap();
/// assert_eq!(worst.code(), "butter.truncated");
/// ```
#[must_use]
pub fn audit(bytes: &[u8]) -> Audit {
    audit_with(bytes, Limits::DEFAULT)
}

/// Like [`audit()`], with other limits.
#[must_use]
pub fn audit_with(bytes: &[u8], limits: Limits) -> Audit {
    read_with(bytes, ReadOptions::lenient().limits(limits))
        .and_then(|file| audited(file.table(), &mut file.frames()))
        .unwrap_or_else(broken)
}

/// Like [`audit_with`], for inputs that may be large: memory use is bounded by one chunk.
///
/// # Errors
/// [`Error::Io`].
pub fn audit_input(input: &Input, limits: Limits) -> Result<Audit, Error> {
    audit_stream(input, input.stream(), limits)
}

/// Like [`audit_input`]. The frames come from a stream of the same bytes.
pub(crate) fn audit_stream(
    input: &Input,
    stream: impl std::io::Read,
    limits: Limits,
) -> Result<Audit, Error> {
    let options = ReadOptions::lenient().limits(limits);
    let audit = Table::read(input, options)
        .and_then(|table| audited(&table, &mut Reader::with_options(stream, options)));
    match audit {
        Err(error @ Error::Malformed(_)) => Ok(broken(error)),
        audit => audit,
    }
}

fn broken(error: Error) -> Audit {
    let mut audit = Audit::default();
    audit.findings.extend(error.into_finding());
    audit
}

/// Frames in order, together with the reader's statistics.
trait FrameSource {
    fn next(&mut self) -> Result<Option<&Frame>, Error>;
    fn decoder(&self) -> &Decoder;
}

impl FrameSource for Frames<'_> {
    fn next(&mut self) -> Result<Option<&Frame>, Error> {
        self.next_frame()
    }

    fn decoder(&self) -> &Decoder {
        self.decoder()
    }
}

impl<R: std::io::Read> FrameSource for Reader<R> {
    fn next(&mut self) -> Result<Option<&Frame>, Error> {
        self.next_frame()
    }

    fn decoder(&self) -> &Decoder {
        self.decoder()
    }
}

/// Audits the frames. Fails only where the source fails.
fn audited(table: &Table, frames: &mut impl FrameSource) -> Result<Audit, Error> {
    let mut found = Findings::new();
    let Some(header) = table.header() else {
        found.push(Finding::new(Rule::Empty));
        return Ok(Audit {
            findings: found,
            ..Audit::default()
        });
    };
    of_header(header, &mut found);
    if table.empty_chunks() > 0 && !table.is_unfinished() {
        found.push(Finding::new(Rule::EmptyChunks {
            chunks: table.empty_chunks(),
        }));
    }
    let mut walk = Walk::default();
    loop {
        match frames.next() {
            Ok(None) => break,
            Ok(Some(frame)) => walk.frame(frame, &mut found),
            // A limit was exceeded, or the chunk is too large: reading can't continue.
            Err(Error::Malformed(finding)) => {
                found.push(*finding);
                break;
            }
            Err(error) => return Err(error),
        }
        if let Some(playing) = frames.decoder().playing() {
            walk.packed(playing, &mut found);
        }
    }
    walk.session.finish(&mut found);
    let decoder = frames.decoder();
    walk.end_chunk(decoder.header().unwrap_or(header), &mut found);
    found.extend(decoder.findings().iter().cloned());
    let seen = decoder.seen();
    if table.is_unfinished() {
        let frames = seen.frames;
        found.push(Finding::new(Rule::Unfinished { frames }).at(table.rest()));
    }
    of_reader(&seen, &mut found);
    found.sort();
    Ok(Audit {
        findings: found,
        header: decoder.header().cloned(),
        seen,
        times: walk.times,
        duration_ms: walk.session.duration_ms(),
        trace: walk.session.trace().clone(),
    })
}

fn of_header(header: &Header, found: &mut Findings) {
    let mut raise = |rule| found.push(Finding::new(rule));
    if header.version < 3 {
        raise(Rule::OldVersion {
            version: header.version,
        });
    }
    if header.compression == Compression::ZstdDictionary {
        raise(Rule::Dictionary);
    }
    if matches!(header.map_name(), Map::Other(_)) {
        raise(Rule::Code {
            what: "map",
            code: header.map >> 1,
        });
    }
    if !header.client_name.is_ascii() {
        raise(Rule::NotAscii {
            what: "the client's name",
        });
    }
    for (second, player) in header.players.iter().enumerate() {
        if !player.name.is_ascii() {
            raise(Rule::NotAscii {
                what: "a player's name",
            });
        }
        let before = header.players.iter().take(second);
        for (first, other) in before.enumerate() {
            let (first, second) = (first as u32 + 1, second as u32 + 1);
            if other.userid == player.userid {
                raise(Rule::HeaderUserid { first, second });
            }
            if other.name == player.name {
                raise(Rule::HeaderName { first, second });
            }
        }
    }
}

/// Turns what the reader saw and repaired into findings.
fn of_reader(seen: &Seen, found: &mut Findings) {
    let mended = &seen.mended;
    let rules = [
        (
            seen.early_chunks,
            Rule::EarlyVersion {
                chunks: seen.early_chunks,
            },
        ),
        (
            seen.reference_chunks,
            Rule::ReferenceWriter {
                chunks: seen.reference_chunks,
            },
        ),
        (
            seen.unchecked_chunks,
            Rule::Unchecked {
                chunks: seen.unchecked_chunks,
            },
        ),
        (
            mended.motion,
            Rule::FrozenMotion {
                moves: mended.motion,
            },
        ),
        (
            mended.bones,
            Rule::DriftingBones {
                keyframes: mended.bones,
            },
        ),
        (
            mended.bones_lost,
            Rule::BonesLost {
                keyframes: mended.bones_lost,
            },
        ),
        (
            mended.bone_players,
            Rule::BonePlayers {
                frames: mended.bone_players,
            },
        ),
        (
            mended.wrapped,
            Rule::WrappedStats {
                counts: mended.wrapped,
            },
        ),
        (
            mended.pause_timers,
            Rule::PauseTimers {
                keyframes: mended.pause_timers,
            },
        ),
    ];
    for (count, rule) in rules {
        if count > 0 {
            found.push(Finding::new(rule));
        }
    }
}

/// Milliseconds since 1970 of the dates that have a year of four digits.
const DATES: std::ops::Range<i64> = 0..253_402_300_800_000;

/// Checks frames in their stored form.
#[derive(Default)]
struct Walk {
    session: SessionAudit,
    frames: u64,
    chunk: u64,
    in_chunk: u64,
    keyframes: u64,
    before: Option<Time>,
    times: Option<(Time, Time)>,
}

impl Walk {
    fn frame(&mut self, frame: &Frame, found: &mut Findings) {
        let time = frame.time;
        self.session.push(self.frames, frame, found);
        self.times = Some((self.times.map_or(time, |(first, _)| first), time));
    }

    fn packed(&mut self, playing: &Playing, found: &mut Findings) {
        let (packed, layout, chunks) = playing.packed();
        let at = self.frames;
        let (start, time) = self.times.unwrap_or_default();
        let since = time.since(start);
        let mut raise = |rule| found.push(Finding::new(rule).step(at).time(Some(since)));
        if chunks != self.chunk {
            if !packed.keyframe {
                raise(Rule::ChunkStart { chunk: chunks - 1 });
            }
            if let Some(before) = self.before {
                let passed = time.0.saturating_sub(before.0);
                if passed > 65_000 && playing.is_reference() {
                    raise(Rule::TimeCut {
                        seconds: passed.unsigned_abs() / 1000,
                    });
                }
            }
        }
        if packed.keyframe && !DATES.contains(&packed.time) {
            raise(Rule::Time { ms: packed.time });
        }
        let has = layout.included(packed.bits);
        let players = playing.header.players.len() as u32;
        if has.status {
            // Combat stores 0.
            if GameStatus::from_code(packed.status).is_none() && packed.status != 0 {
                raise(Rule::Code {
                    what: "game status",
                    code: packed.status,
                });
            }
        }
        if has.inputs && packed.inputs > 15 {
            raise(Rule::Reserved {
                what: "the inputs",
                bits: (packed.inputs & 0xF0).into(),
            });
        }
        if has.pause {
            // 5 stands for a state that has no code.
            if PausedState::from_code(packed.pause.state).is_none() && packed.pause.state != 5 {
                raise(Rule::Code {
                    what: "paused state",
                    code: packed.pause.state,
                });
            }
            if packed.pause.flags > 0x3F {
                raise(Rule::Reserved {
                    what: "the pause",
                    bits: (packed.pause.flags & 0xC0).into(),
                });
            }
        }
        if has.score {
            if GoalType::from_code(packed.score.flags >> 3).is_none() {
                raise(Rule::Code {
                    what: "goal type",
                    code: packed.score.flags >> 3,
                });
            }
            for index in [packed.score.person, packed.score.assist] {
                if u32::from(index) > players {
                    raise(Rule::ScoreIndex { index, players });
                }
            }
        }
        if packed.team_bits > 0x1F {
            raise(Rule::Reserved {
                what: "the teams",
                bits: (packed.team_bits & 0xE0).into(),
            });
        }
        for player in &packed.players {
            if player.index == 0 {
                raise(Rule::UnknownPlayer);
            }
            if layout.loadout() && player.loadout > 0x7F {
                raise(Rule::Reserved {
                    what: "a loadout",
                    bits: 0x80,
                });
            }
        }
        for bones in &packed.bones {
            let bits = (bones.positions | bones.rotations) & 1 << BONES;
            if bits != 0 {
                raise(Rule::Reserved {
                    what: "the masks of bones",
                    bits,
                });
            }
        }
        if chunks != self.chunk {
            self.end_chunk(&playing.header, found);
            self.chunk = chunks;
        }
        self.in_chunk += 1;
        self.keyframes += u64::from(packed.keyframe);
        self.frames += 1;
        self.before = Some(time);
    }

    /// Judges how a chunk was divided, once it has ended.
    fn end_chunk(&mut self, header: &Header, found: &mut Findings) {
        // An unfinished recording is not divided into chunks yet.
        let Some(chunk) = self.chunk.checked_sub(1) else {
            return;
        };
        let frames = self.in_chunk;
        let interval = header.keyframe_interval;
        if self.keyframes > 1 {
            found.push(Finding::new(Rule::InnerKeyframes {
                chunk,
                keyframes: self.keyframes,
            }));
        } else if frames > u64::from(interval.max(1)) {
            found.push(Finding::new(Rule::Interval {
                chunk,
                frames,
                interval,
            }));
        }
        self.in_chunk = 0;
        self.keyframes = 0;
    }
}
