//! Checking each frame's values against what is possible.

use super::{Report, clock_runs};
use crate::field::Field;
use crate::members::Member;
use crate::model::{Bones, Frame, Pose, Session, Vec3, clock_display};
use crate::rule::Rule;
use crate::visit::{Viewed, Viewer};

/// The largest distance from the middle of a map, in metres.
const MAX_POSITION: f32 = 10_000.0;
/// The largest speed, in m/s.
const MAX_SPEED: f32 = 1_000.0;
/// The error that rounding to a thousandth and a .butter's rotations leave in squared lengths and scalar
/// products of unit vectors.
const ROUNDING: f32 = 0.05;
/// The displayed clock may be off by this many seconds: it is rounded, or of another frame.
const SHOWN: f64 = 0.25;
/// If it is off by more seconds than this, it is another time.
const FORGED: f64 = 1.0;

pub(super) fn check(frame: &Frame, report: &mut Report<'_>) {
    let session = &frame.session;
    whole(session, report);
    session.view(&mut Values(report));
    if let Some(all) = &frame.bones {
        bones(all, report);
    }
}

fn whole(session: &Session, report: &mut Report<'_>) {
    let (blue, orange) = (session.blue_round_score, session.orange_round_score);
    let total = session.total_round_count;
    if blue.saturating_add(orange) > total || blue < 0 || orange < 0 {
        report.raise(Rule::RoundScore {
            blue,
            orange,
            total,
        });
    }
    if session.err_code.is_some_and(|code| code != 0) {
        let code = session.err_code.unwrap_or(0);
        report.raise(Rule::ApiError { code });
    }
    if session.teams.len() != 3 && session.err_code.unwrap_or(0) == 0 {
        let found = session.teams.len() as u64;
        report.raise(Rule::Teams { found });
    }
    let (shown, clock) = (&session.game_clock_display, session.clock());
    // The text is mostly the same. One that is rounded differently, by a hundredth or a frame, is not
    // irregular.
    if let Some(clock) = clock.filter(|clock| clock.is_finite())
        && !shown.is_empty()
        && *shown != clock_display(clock)
    {
        let off = seconds(shown).map_or(f64::INFINITY, |shown| {
            (shown - f64::from(clock.max(0.0))).abs()
        });
        let shown = shown.chars().take(16).collect();
        if off > FORGED && clock_runs(session) {
            report.raise(Rule::ClockForged { shown, clock });
        } else if off > SHOWN {
            report.raise(Rule::ClockDisplay { shown, clock });
        }
    }
}

/// Parses a text `mm:ss.cc`.
fn seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.split_once(':')?;
    let minutes: u32 = minutes.parse().ok()?;
    let seconds: f64 = seconds.parse().ok()?;
    Some(f64::from(minutes) * 60.0 + seconds)
}

/// Checks each value by itself, by the ranges in the table of members.
struct Values<'a, 'r>(&'a mut Report<'r>);

/// Whether reports use this field for a member.
#[inline(always)]
fn is(member: &Member, field: Field) -> bool {
    member.fields.contains(&field)
}

impl Values<'_, '_> {
    #[cold]
    #[inline(never)]
    fn odd_number(&mut self, member: &Member, value: f32) {
        self.0.raise(match member.range {
            None => Rule::NotFinite {
                what: member.called,
            },
            Some(_) if is(member, Field::PacketLoss) => Rule::PacketLoss { ratio: value },
            Some(_) => Rule::Inputs { value },
        });
    }

    #[cold]
    #[inline(never)]
    fn odd_whole(&mut self, member: &Member, value: i32, [low, high]: [f64; 2]) {
        self.0.raise(if is(member, Field::Ping) {
            Rule::Ping { ms: value }
        } else {
            Rule::Range {
                what: member.called,
                found: value.into(),
                low: low as i64,
                high: high as i64,
            }
        });
    }
}

impl Viewer for Values<'_, '_> {
    #[inline(always)]
    fn number(&mut self, member: &Member, value: &f32) {
        let is_fine = match member.range {
            None => value.is_finite(),
            Some((low, high)) => {
                // Differences of half floats may end a little below 0.
                let slack = if is(member, Field::PacketLoss) {
                    0.01
                } else {
                    0.0
                };
                (low - slack..=high + slack).contains(&f64::from(*value))
            }
        };
        if !is_fine {
            self.odd_number(member, *value);
        }
    }

    #[inline(always)]
    fn whole(&mut self, member: &Member, value: &i32) {
        if let Some((low, high)) = member.range {
            // −1 stands for a value that a .butter does not store.
            let slack = if is(member, Field::Ping) { 0.0 } else { 1.0 };
            if !(low - slack..=high).contains(&f64::from(*value)) {
                self.odd_whole(member, *value, [low, high]);
            }
        }
    }

    #[inline(always)]
    fn velocity(&mut self, member: &Member, value: &Vec3) {
        velocity(member.called, value, self.0);
    }

    #[inline(always)]
    fn pose(&mut self, member: &Member, value: &Pose) {
        pose(member.called, value, self.0);
    }
}

fn velocity(what: &'static str, velocity: &Vec3, report: &mut Report<'_>) {
    let speed = squared(velocity).sqrt();
    if !speed.is_finite() {
        report.raise(Rule::NotFinite { what });
    } else if speed > MAX_SPEED {
        report.raise(Rule::Speed { what, speed });
    }
}

fn pose(what: &'static str, pose: &Pose, report: &mut Report<'_>) {
    let metres = squared(&pose.position).sqrt();
    if !metres.is_finite() {
        report.raise(Rule::NotFinite { what });
    } else if metres > MAX_POSITION {
        report.raise(Rule::Position { what, metres });
    }
    let (forward, left, up) = (&pose.forward, &pose.left, &pose.up);
    let lengths = [squared(forward), squared(left), squared(up)];
    // The API returns all zeros in lobbies, where there is nothing to show.
    if lengths.iter().all(|length| *length == 0.0) {
        return;
    }
    let [forward_left, forward_up, left_up] = [dot(forward, left), dot(forward, up), dot(left, up)];
    let [f, l, u] = lengths.map(|length| length - 1.0);
    let off = [f, l, u, forward_left, forward_up, left_up].map(f32::abs);
    // A sum is NaN if a part is; a maximum would not be.
    if !off.iter().sum::<f32>().is_finite() {
        report.raise(Rule::NotFinite { what });
        return;
    }
    let off = off.into_iter().fold(0.0, f32::max);
    if off > ROUNDING {
        report.raise(Rule::Basis { what, off });
    }
}

fn bones(bones: &Bones, report: &mut Report<'_>) {
    for player in &bones.user_bones {
        for position in &player.positions {
            let metres = squared(position).sqrt();
            if !metres.is_finite() {
                report.raise(Rule::NotFinite { what: "a bone" });
            } else if metres > MAX_POSITION {
                let what = "a bone";
                report.raise(Rule::Position { what, metres });
            }
        }
        for rotation in &player.rotations {
            let length: f32 = rotation.iter().map(|part| part * part).sum();
            if !length.is_finite() {
                report.raise(Rule::NotFinite { what: "a bone" });
            } else if length != 0.0 && (length - 1.0).abs() > 2.0 * ROUNDING {
                let length = length.sqrt();
                report.raise(Rule::BoneRotation { length });
            }
        }
    }
}

fn squared(vector: &Vec3) -> f32 {
    dot(vector, vector)
}

fn dot(a: &Vec3, b: &Vec3) -> f32 {
    let ([ax, ay, az], [bx, by, bz]) = (*a, *b);
    ax * bx + ay * by + az * bz
}
