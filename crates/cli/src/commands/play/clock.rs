//! The clock of the player: its position in the recording and its speed.

use std::time::Duration;

use gametape::core::table::Span;
use gametape::{At, Stamp, Time};

use gametape_picture::scene::time::Axis;

/// The frames drawn in a second. A recording without times plays one step per frame.
pub const FRAMES: u64 = 30;
/// The length of a step on the axis.
const STEP: i64 = 1_000_000;
/// The speeds as powers of two: from an eighth to 64 times as fast.
const SPEEDS: std::ops::RangeInclusive<i32> = -3..=6;

/// The position of the player, in nanoseconds or in millionths of a step, and its speed.
#[derive(Clone, PartialEq, Debug)]
pub struct Clock {
    axis: Axis,
    span: Span,
    at: i64,
    playing: bool,
    /// The speed is two to the power of this.
    speed: i32,
}

impl Clock {
    /// Starts at the first moment, paused.
    pub fn new(span: Span) -> Self {
        let mut clock = Self {
            axis: Axis::new(span.first, span.last),
            span,
            at: 0,
            playing: false,
            speed: 0,
        };
        clock.at = clock.first();
        clock
    }

    pub const fn axis(&self) -> Axis {
        self.axis
    }

    pub const fn span(&self) -> Span {
        self.span
    }

    pub const fn is_playing(&self) -> bool {
        self.playing
    }

    /// The position of a stamp on the axis; a stamp without a time is at the start.
    pub fn place(&self, stamp: Stamp) -> i64 {
        match self.axis {
            Axis::Time => stamp.time.or(self.span.first.time).map_or(0, |time| time.0),
            Axis::Steps => i64::try_from(stamp.step)
                .unwrap_or(i64::MAX)
                .saturating_mul(STEP),
        }
    }

    fn first(&self) -> i64 {
        self.place(self.span.first)
    }

    fn last(&self) -> i64 {
        self.place(self.span.last)
    }

    /// The position on the axis.
    pub const fn at(&self) -> i64 {
        self.at
    }

    /// Goes to a position, or to the nearer end if it is outside the recording.
    pub fn go(&mut self, at: i64) {
        self.at = at.clamp(self.first(), self.last().max(self.first()));
    }

    /// Goes to a part of the recording, from 0 to 1.
    pub fn go_part(&mut self, part: f64) {
        let first = self.first();
        let length = self.last().saturating_sub(first);
        self.go(first.saturating_add((length as f64 * part) as i64));
    }

    /// Goes this many seconds on, or this many hundredths of a recording without times.
    pub fn jump(&mut self, seconds: i64) {
        let length = match self.axis {
            Axis::Time => 1_000_000_000,
            Axis::Steps => (self.last().saturating_sub(self.first()) / 100).max(STEP),
        };
        self.go(self.at.saturating_add(length.saturating_mul(seconds)));
    }

    /// The position as a part of the recording, from 0 to 1.
    pub fn part(&self, at: i64) -> f64 {
        let length = self.last().saturating_sub(self.first());
        if length <= 0 {
            return 0.0;
        }
        let part = at.saturating_sub(self.first()) as f64 / length as f64;
        part.clamp(0.0, 1.0)
    }

    /// The moment to seek. The ends are given as steps, since several steps may share a time.
    pub fn moment(&self) -> At {
        if self.at <= self.first() {
            return At::Step(self.span.first.step);
        }
        if self.at >= self.last() {
            return At::Step(self.span.last.step);
        }
        match self.axis {
            Axis::Time => At::Time(Time(self.at)),
            Axis::Steps => At::Step(u64::try_from(self.at / STEP).unwrap_or_default()),
        }
    }

    /// Plays or pauses. At the end, starts again.
    pub fn toggle(&mut self) {
        self.playing = !self.playing;
        if self.playing && self.at >= self.last() {
            self.at = self.first();
        }
    }

    pub const fn pause(&mut self) {
        self.playing = false;
    }

    /// Doubles the speed this many times; halves it if negative.
    pub fn faster(&mut self, times: i32) {
        self.speed = (self.speed + times).clamp(*SPEEDS.start(), *SPEEDS.end());
    }

    /// `1/8x`, `64x`
    pub fn speed(&self) -> String {
        let times = 1_u32 << self.speed.unsigned_abs();
        if self.speed < 0 {
            format!("1/{times}x")
        } else {
            format!("{times}x")
        }
    }

    /// Advances by a real time. True if the position changed.
    pub fn tick(&mut self, by: Duration) -> bool {
        if !self.playing {
            return false;
        }
        let by = match self.axis {
            Axis::Time => by.as_nanos() as f64,
            Axis::Steps => by.as_secs_f64() * (FRAMES * STEP as u64) as f64,
        };
        let by = by * f64::from(self.speed).exp2();
        self.go(self.at.saturating_add(by as i64));
        self.playing = self.at < self.last();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(step: u64, ms: Option<i64>) -> Stamp {
        Stamp {
            step,
            tick: None,
            time: ms.map(Time::from_ms),
        }
    }

    fn clock(ms: Option<i64>) -> Clock {
        Clock::new(Span {
            first: stamp(3, ms.map(|_| 0)),
            last: stamp(603, ms),
        })
    }

    #[test]
    fn it_goes_along_the_times_at_its_speed_and_stands_at_the_end() {
        let mut clock = clock(Some(10_000));
        assert!(!clock.tick(Duration::from_secs(1)), "it stands at first");
        clock.toggle();
        assert!(clock.tick(Duration::from_millis(1500)));
        assert_eq!(clock.moment(), At::Time(Time::from_ms(1500)));
        clock.faster(2);
        assert_eq!(clock.speed(), "4x");
        clock.tick(Duration::from_secs(1));
        assert_eq!(clock.moment(), At::Time(Time::from_ms(5500)));
        clock.faster(-4);
        assert_eq!(clock.speed(), "1/4x");
        clock.tick(Duration::from_secs(2));
        assert_eq!(clock.moment(), At::Time(Time::from_ms(6000)));
        clock.tick(Duration::from_mins(1));
        assert_eq!(clock.moment(), At::Step(603));
        assert!(!clock.is_playing());
        clock.toggle();
        assert_eq!(clock.moment(), At::Step(3), "it starts again");
    }

    #[test]
    fn speeds_end_at_an_eighth_and_at_64() {
        let mut clock = clock(None);
        clock.faster(-9);
        assert_eq!(clock.speed(), "1/8x");
        clock.faster(99);
        assert_eq!(clock.speed(), "64x");
    }

    #[test]
    fn without_times_a_frame_is_a_step() {
        let mut clock = clock(None);
        assert_eq!(clock.axis(), Axis::Steps);
        clock.toggle();
        clock.tick(Duration::from_secs(1));
        assert_eq!(clock.moment(), At::Step(33));
        clock.jump(5);
        assert_eq!(clock.moment(), At::Step(63), "a twentieth");
        // All of it at one time is no time to go along.
        assert_eq!(
            Clock::new(Span {
                first: stamp(0, Some(0)),
                last: stamp(9, Some(0))
            })
            .axis(),
            Axis::Steps
        );
    }

    #[test]
    fn a_position_outside_is_the_nearer_end() {
        let mut clock = clock(Some(10_000));
        clock.jump(-5);
        assert_eq!(clock.moment(), At::Step(3));
        clock.go_part(0.5);
        assert_eq!(clock.moment(), At::Time(Time::from_ms(5000)));
        assert!((clock.part(clock.at()) - 0.5).abs() < 1e-9);
        clock.jump(500);
        assert_eq!(clock.moment(), At::Step(603));
        // A recording of one moment, and one of none.
        let mut still = Clock::new(Span::default());
        still.toggle();
        still.tick(Duration::from_secs(1));
        assert_eq!(still.moment(), At::Step(0));
        assert!(still.part(0).abs() < 1e-9);
    }
}
