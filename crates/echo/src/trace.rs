//! What tells that two recordings are of one match: hashes of the frames, and of the sessions with their times.

use std::hash::{DefaultHasher, Hash, Hasher};

use compact_str::CompactString;

use crate::model::{Frame, Time};

/// The number of sessions of a recording that are compared.
const MAX_SESSIONS: usize = 16;

/// Follows the frames.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Trace {
    /// A hash of all frames: of their times, the game's clock, and where players and disc are.
    frames: u64,
    session: CompactString,
    spans: Vec<SessionSpan>,
}

/// The time of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SessionSpan {
    session: u64,
    from: Time,
    to: Time,
}

impl Trace {
    pub fn frame(&mut self, frame: &Frame) {
        let session = &frame.session;
        self.mix(frame.time.0.cast_unsigned());
        self.mix(session.game_clock.to_bits().into());
        if let Some(disc) = &session.disc {
            self.position(disc.pose.position);
        }
        for (_, player) in session.players() {
            self.position(player.head.position);
        }
        let is_same = self.session == session.sessionid;
        if is_same && let Some(span) = self.spans.last_mut() {
            (span.from, span.to) = (span.from.min(frame.time), span.to.max(frame.time));
        } else if self.spans.len() < MAX_SESSIONS {
            self.session.clone_from(&session.sessionid);
            let mut hasher = DefaultHasher::new();
            session.sessionid.hash(&mut hasher);
            self.spans.push(SessionSpan {
                session: hasher.finish(),
                from: frame.time,
                to: frame.time,
            });
        }
    }

    fn position(&mut self, [x, y, z]: [f32; 3]) {
        let low = u64::from(x.to_bits()) << 32 | u64::from(y.to_bits());
        self.mix(low);
        self.mix(z.to_bits().into());
    }

    /// A multiplication and a rotation spread each number well enough to compare recordings.
    const fn mix(&mut self, number: u64) {
        let mixed = (self.frames ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.frames = mixed.rotate_left(29);
    }
}

#[cfg(feature = "tape")]
mod relations {
    use gametape_core::Severity;
    use gametape_core::tape::{BusyTime, Print, RelationDef, Traces};

    use super::Trace;

    /// The clocks of two clients may be apart by so many milliseconds.
    const APART_MS: i64 = 5_000;
    /// A hash with this many bits of information does not occur twice by chance.
    const CERTAIN: u8 = 80;

    /// The relations, strongest first.
    pub(crate) const RELATIONS: &[RelationDef] = &[
        RelationDef {
            kind: "same-frames",
            code: "echo.same-frames",
            severity: Severity::Warning,
            says: "the same frames as",
            doc: "All frames have the same times, clocks and positions as those of another recording.\n\nA copy, whatever its name and container: keep one of them.",
        },
        RelationDef {
            kind: "same-match",
            code: "echo.same-match",
            severity: Severity::Info,
            says: "the same match as",
            doc: "Another recording has the same session at the same time, give or take 5 s.\n\nFine: two clients recorded one match, or one recording was converted from the other. Count the match once. `diff` compares two clients by the game clock.",
        },
    ];

    impl Trace {
        /// What is compared with other recordings.
        pub fn traces(&self) -> Traces {
            let print = Print {
                relation: 0,
                hash: self.frames,
                bits: CERTAIN,
            };
            let named = !self.session.is_empty();
            let busy = self.spans.iter().filter(|_| named).map(|span| BusyTime {
                relation: 1,
                who: span.session,
                from: span.from.0.saturating_sub(APART_MS),
                to: span.to.0.saturating_add(APART_MS),
            });
            Traces {
                prints: (!self.spans.is_empty())
                    .then_some(print)
                    .into_iter()
                    .collect(),
                busy: busy.collect(),
            }
        }
    }
}

#[cfg(feature = "tape")]
pub(crate) use relations::RELATIONS;
