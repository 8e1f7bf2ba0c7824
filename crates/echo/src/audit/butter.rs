//! The audit of a .butter: its structure, the faults of the reference, and the match in it.

use super::SessionAudit;
use crate::butter::{Compression, Frames, Header, ReadOptions, Seen, Strictness};
use crate::finding::{Finding, Findings};
use crate::limits::Limits;
use crate::model::{GameStatus, GoalType, Map, PausedState, Time};
use crate::rule::Rule;

/// What an audit of a .butter found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ButterAudit {
    /// What is wrong or odd, worst first.
    pub findings: Findings,
    /// The header, where it could be read; of a recording that was not finished, the last.
    pub header: Option<Header>,
    /// What its chunks and frames have shown.
    pub seen: Seen,
    /// When the first and the last frame were recorded.
    pub times: Option<(Time, Time)>,
}

/// Audits a .butter. Never fails: what can't be read is a finding.
///
/// ```
/// let bytes = gametape_echo::doc_example();
/// let cut = &bytes[..bytes.len() - 1];
/// let audit = gametape_echo::audit::butter(cut, &gametape_echo::Limits::default());
/// let worst = audit.findings.iter().next().unwrap();
/// assert_eq!(worst.code(), "butter.truncated");
/// ```
#[must_use]
pub fn butter(bytes: &[u8], limits: &Limits) -> ButterAudit {
    let mut audit = ButterAudit::default();
    let options = ReadOptions {
        strictness: Strictness::Lenient,
        limits: *limits,
        dialect: None,
    };
    let file = match options.read(bytes) {
        Ok(file) => file,
        Err(error) => {
            audit.findings.extend(error.into_finding());
            return audit;
        }
    };
    let Some(header) = file.header() else {
        audit.findings.push(Finding::new(Rule::Empty));
        return audit;
    };
    let mut found = Findings::default();
    of_header(header, &mut found);
    if file.empty_chunks() > 0 && !file.is_unfinished() {
        found.push(Finding::new(Rule::EmptyChunks {
            chunks: file.empty_chunks(),
        }));
    }
    let mut walk = Walk::default();
    let mut frames = file.frames();
    loop {
        match frames.next_frame() {
            Ok(None) => break,
            Ok(Some(frame)) => {
                let time = frame.time;
                walk.session.push(walk.frames, None, frame, &mut found);
                audit.times = Some((audit.times.map_or(time, |(first, _)| first), time));
            }
            // A limit, or a chunk too large: reading can't go on.
            Err(error) => {
                found.extend(error.into_finding());
                break;
            }
        }
        walk.packed(&frames, &mut found);
    }
    walk.session.finish(&mut found);
    walk.end_chunk(frames.header().unwrap_or(header), &mut found);
    for finding in frames.findings() {
        found.push(finding.clone());
    }
    if file.is_unfinished() {
        let frames = frames.seen().frames;
        found.push(Finding::new(Rule::Unfinished { frames }).at(file.rest()));
    }
    of_reader(&frames.seen(), &mut found);
    found.sort();
    ButterAudit {
        findings: found,
        header: frames.header().cloned(),
        seen: frames.seen(),
        times: audit.times,
    }
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

/// What the reader met and mended.
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

/// Milliseconds after 1970 that have a date of four digits.
const DATES: std::ops::Range<i64> = 0..253_402_300_800_000;

/// The frames as they are stored.
#[derive(Default)]
struct Walk {
    session: SessionAudit,
    frames: u64,
    chunk: u64,
    in_chunk: u64,
    keyframes: u64,
    before: Option<Time>,
}

impl Walk {
    fn packed(&mut self, frames: &Frames<'_>, found: &mut Findings) {
        let Some((packed, layout, chunks)) = frames.packed() else {
            return;
        };
        let at = self.frames;
        let time = frames.time();
        let mut raise = |rule| found.push(Finding::new(rule).in_frame(at, Some(time)));
        if chunks != self.chunk {
            if !packed.keyframe {
                raise(Rule::ChunkStart { chunk: chunks - 1 });
            }
            if let Some(before) = self.before {
                let passed = time.0.saturating_sub(before.0);
                if passed > 65_000 && frames.is_reference() {
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
        let players = frames
            .header()
            .map_or(0, |header| header.players.len() as u32);
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
            let bits = (bones.positions | bones.rotations) & 1 << crate::model::BONES;
            if bits != 0 {
                raise(Rule::Reserved {
                    what: "the masks of bones",
                    bits,
                });
            }
        }
        if chunks != self.chunk {
            if let Some(header) = frames.header() {
                self.end_chunk(header, found);
            }
            self.chunk = chunks;
        }
        self.in_chunk += 1;
        self.keyframes += u64::from(packed.keyframe);
        self.frames += 1;
        self.before = Some(time);
    }

    /// A chunk has ended: judges how it was cut.
    fn end_chunk(&mut self, header: &Header, found: &mut Findings) {
        // Of a recording that was not finished, chunks are still to be cut.
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
