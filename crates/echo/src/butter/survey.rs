//! Surveying a chunk before it is decoded: its frames and its writer.

use gametape_core::ByteReader;

use super::code::difference::is_zero;
use super::code::primitive::{Halves, from_half};
use super::frame::packed::{Layout, Packed, PackedPause, PackedPose};
use super::frame::reference::{Dialect, Falls, FallsSeen, UnstoredTimers};
use super::frame::unpack::Parts;
use crate::rule::Rule;

/// The number of differences that only one kind of writer writes, for a chunk to count for its neighbours,
/// too.
const CLEAR: u64 = 4;

/// The result of walking over a chunk's frames.
#[derive(Clone, PartialEq, Debug)]
pub struct Survey {
    pub layout: Layout,
    /// The number of differences that only the reference writes.
    pub reference: u64,
    /// The number of differences that the reference leaves out.
    pub exact: u64,
    pub frames: u64,
    pub keyframes: u64,
    /// The time of the first keyframe.
    pub first: Option<i64>,
    /// Milliseconds from it to the last frame, by the sum of differences.
    pub last: i64,
    /// When the rules were changed, from frames with a pause.
    pub rules: RulesTimes,
    /// The chunk starts within a pause and does not store its timers.
    pub in_pause: bool,
    /// Keyframes that don't store the timers of pauses, if the chunk is the reference's.
    pub unstored_timers: Vec<UnstoredTimers>,
    /// The number of bytes of whole frames.
    pub whole: usize,
    /// The fault after them, if there is one.
    pub error: Option<Rule>,
}

impl Survey {
    /// Walks over a chunk. For early version 3, the layout that reaches the chunk's end is taken.
    pub fn of(raw: &[u8], layout: Layout, packed: &mut Packed) -> Self {
        let survey = Self::walk(raw, layout, packed);
        let is_valid = survey.error.is_none() && !survey.rules.is_late();
        if is_valid || layout.version < 3 || layout.short_pause {
            return survey;
        }
        let early = Self::walk(raw, layout.early(), packed);
        let better = match (&survey.error, &early.error) {
            (Some(_), None) => true,
            (None, Some(_)) => false,
            // The rules end with a NUL, so a misplaced start of the text does not show in its length.
            _ if survey.whole == early.whole => survey.rules.is_late() && early.rules.is_time(),
            // One frame may look valid by chance.
            _ => early.whole > survey.whole && early.frames > 1,
        };
        if better { early } else { survey }
    }

    /// The writer of the chunk, if it shows.
    pub const fn dialect(&self) -> Option<Dialect> {
        match (self.reference, self.exact) {
            (0, 0) => None,
            (_, 0) => Some(Dialect::Reference),
            _ => Some(Dialect::Exact),
        }
    }

    /// The writer of the chunk and its neighbours, if it shows clearly. A damaged byte is not enough.
    pub fn dialect_of_file(&self) -> Option<Dialect> {
        let clear = self.error.is_none() && self.reference.max(self.exact) >= CLEAR;
        self.dialect().filter(|_| clear)
    }

    fn walk(raw: &[u8], layout: Layout, packed: &mut Packed) -> Self {
        let mut survey = Self {
            layout,
            reference: 0,
            exact: 0,
            frames: 0,
            keyframes: 0,
            first: None,
            last: 0,
            rules: RulesTimes::default(),
            in_pause: false,
            unstored_timers: Vec::new(),
            whole: 0,
            error: None,
        };
        let mut falls = Falls::default();
        let mut evidence = Evidence::default();
        let mut input = ByteReader::new(raw);
        while !input.is_empty() {
            let at = input.offset();
            let start = input;
            // One difference is enough, and a few are clear: the rest of the chunk would only confirm it.
            let clear = evidence.exact >= CLEAR;
            if !clear || packed.read_parts(&mut input, layout, Parts::NONE).is_err() {
                input = start;
                if let Err(rule) = packed.read(&mut input, layout) {
                    survey.error = Some(rule);
                    break;
                }
            }
            survey.whole = input.offset();
            survey.frames += 1;
            if packed.keyframe {
                survey.keyframes += 1;
                survey.first.get_or_insert(packed.time);
                survey.last = packed.time;
            } else {
                survey.last = survey.last.saturating_add(packed.time);
            }
            if !clear {
                evidence.see(packed, layout);
            }
            let has = layout.included(packed.bits);
            if has.pause && has.rules {
                survey.rules.see(packed.rules_at);
            }
            let pause = has.pause.then_some(&packed.pause);
            falls.see(at, packed.keyframe, pause);
            if at == 0 && packed.keyframe {
                survey.in_pause = pause.is_some_and(|pause| pause.is_at_zero() && pause.is_on());
            }
        }
        survey.unstored_timers = falls.found();
        (survey.reference, survey.exact) = (evidence.reference, evidence.exact);
        survey
    }
}

/// Whether the times of rules are plausible. In a frame that is read one byte too late, their last byte is
/// the first letter of the text after them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RulesTimes {
    times: u64,
    /// The number of times that end with a letter.
    late: u64,
    /// The number of times that end as moderate numbers do.
    near: u64,
}

/// Whether a time of rules ends like one that is read a byte too late. A writer of such a time would be
/// mistaken for another.
pub const fn ends_with_letter(rules_at: i64) -> bool {
    let [.., last] = rules_at.to_le_bytes();
    matches!(last, b' '..=b'~')
}

impl RulesTimes {
    fn see(&mut self, at: i64) {
        let [.., last] = at.to_le_bytes();
        self.times += 1;
        self.late += u64::from(ends_with_letter(at));
        self.near += u64::from(matches!(last, 0 | 0xFF));
    }

    const fn is_late(self) -> bool {
        self.times > 0 && self.late == self.times
    }

    const fn is_time(self) -> bool {
        self.near == self.times
    }
}

fn square(halves: Halves) -> f32 {
    halves.iter().map(|&half| from_half(half).powi(2)).sum()
}

/// Recognises the reference's files. The reference leaves out a difference whose bytes equal those of the
/// frame before; other writers leave out zeros. So only the reference writes a zero, when something comes
/// to rest, and it never writes the same difference twice, nor very small moves.
#[derive(Default)]
struct Evidence {
    frame: u64,
    players: Vec<SurveyedPlayer>,
    vr: SurveySigns,
    disc: SurveySigns,
    disc_velocity: Halves,
    pause: Option<PackedPause>,
    falls: FallsSeen,
    reference: u64,
    exact: u64,
}

#[derive(Clone, Copy, Default)]
struct SurveySigns {
    /// The last frame that had it, from 1; 0 for none.
    at: u64,
    pose: PackedPose,
}

#[derive(Clone, Copy, Default)]
struct SurveyedPlayer {
    poses: [SurveySigns; 4],
}

impl Evidence {
    fn see(&mut self, packed: &Packed, layout: Layout) {
        self.frame += 1;
        if packed.keyframe {
            self.vr.at = 0;
            self.disc.at = 0;
            self.pause = None;
        }
        let has = layout.included(packed.bits);
        if has.pause {
            if let Some(last) = self.pause
                && (last.flags, last.state) == (packed.pause.flags, packed.pause.state)
            {
                if packed.pause.is_at_zero() {
                    self.reference += 1;
                } else if last.timers() == packed.pause.timers() {
                    self.exact += 1;
                }
            }
            self.pause = Some(packed.pause);
        }
        // It is unknown which parts the reference's older packages leave out.
        if layout.version >= 3 && !layout.short_pause {
            let pause = has.pause.then_some(&packed.pause);
            self.reference += u64::from(self.falls.see(packed.keyframe, pause));
            let small = |bits: u8, velocity: Halves| {
                layout.player_included(bits).velocity && square(velocity) < 0.000_099
            };
            let players = packed.players.iter();
            let slow = players.filter(|player| small(player.state, player.velocity));
            // A millimetre, less the truncation of three numbers.
            let near = |position: &&[i32; 3]| position.iter().map(|n| n.pow(2)).sum::<i32>() <= 4;
            let still = packed.bone_positions.iter().filter(near);
            self.exact += (slow.count() + still.count()) as u64;
        }
        if has.vr {
            let still = packed.vr.rotation == self.vr.pose.rotation;
            let same = still && packed.vr.position == self.vr.pose.position;
            if self.vr.at > 0 && still {
                self.reference += u64::from(is_zero(packed.vr.position));
                self.exact += u64::from(same && !is_zero(packed.vr.position));
            }
            self.vr = SurveySigns {
                at: self.frame,
                pose: packed.vr,
            };
        }
        if has.disc {
            let still = packed.disc.rotation == self.disc.pose.rotation;
            let zero = is_zero(packed.disc.position) && is_zero(packed.disc_velocity);
            let same = packed.disc.position == self.disc.pose.position
                && packed.disc_velocity == self.disc_velocity;
            if self.disc.at > 0 && still {
                self.reference += u64::from(zero);
                self.exact += u64::from(same && !zero);
            }
            self.disc = SurveySigns {
                at: self.frame,
                pose: packed.disc,
            };
            self.disc_velocity = packed.disc_velocity;
        }
        for player in &packed.players {
            // Players whose name the header lacks are told apart by their number within the match.
            let at = match player.index {
                0 => 256 + usize::from(player.playerid),
                index => index.into(),
            };
            if at >= self.players.len() {
                self.players.resize(at + 1, SurveyedPlayer::default());
            }
            let Some(seen) = self.players.get_mut(at) else {
                continue;
            };
            let mut bits = player.pose_bits;
            for (seen, pose) in seen.poses.iter_mut().zip(&player.poses) {
                let (moved, turned) = (bits & 1 != 0, bits & 2 != 0);
                // It is known if it was in the frame before, in the same chunk and since its keyframe.
                let known = !packed.keyframe && seen.at == self.frame - 1 && seen.at > 0;
                if moved && known {
                    if is_zero(pose.position) {
                        self.reference += 1;
                    } else if !turned && pose.position == seen.pose.position {
                        self.exact += 1;
                    }
                }
                if moved {
                    seen.pose.position = pose.position;
                }
                // Parts left out for a player who was away do not repeat.
                seen.at = if moved || known { self.frame } else { 0 };
                bits >>= 2;
            }
        }
    }
}
