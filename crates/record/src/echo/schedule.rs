//! The times of requests, and the clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gametape_echo::Time;

/// Times at a steady rate. Each is computed from the start, so that they do not drift.
#[derive(Debug)]
pub(super) struct Schedule {
    start: Instant,
    rate: u64,
    /// The number of the next time.
    next: u64,
}

impl Schedule {
    /// Creates a schedule of `rate` times a second from now on; 0 counts as 1.
    pub(super) fn new(rate: u32) -> Self {
        Self {
            start: Instant::now(),
            rate: u64::from(rate.max(1)),
            next: 0,
        }
    }

    /// Returns the duration until the next time; zero if it has come.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        let nanos = u128::from(self.next) * 1_000_000_000 / u128::from(self.rate);
        let due = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        due.saturating_sub(now.saturating_duration_since(self.start))
    }

    /// Takes the last time that has come. Returns how many times before it were missed.
    pub(super) fn take(&mut self, now: Instant) -> u64 {
        let nanos = now.saturating_duration_since(self.start).as_nanos();
        let come = u64::try_from(nanos * u128::from(self.rate) / 1_000_000_000).unwrap_or(u64::MAX);
        let missed = come.saturating_sub(self.next);
        self.next = come.max(self.next).saturating_add(1);
        missed
    }
}

/// A wall clock that never goes back, because the times of a recording must not.
#[derive(Debug)]
pub(super) struct Clock {
    last: Option<(Time, Instant)>,
}

impl Clock {
    /// Creates a clock that starts after `last`, the time of an existing frame.
    pub(super) fn new(last: Option<Time>) -> Self {
        Self {
            last: last.map(|time| (time, Instant::now())),
        }
    }

    /// Returns the time, in UTC.
    pub(super) fn now(&mut self) -> Time {
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis());
        let wall = i64::try_from(wall).unwrap_or(i64::MAX);
        self.at(wall, Instant::now())
    }

    fn at(&mut self, wall: i64, now: Instant) -> Time {
        let (time, mark) = match self.last {
            // The system's clock was set back: the time continues from the last one.
            Some((last, mark)) if wall < last.0 => {
                let since = now.saturating_duration_since(mark).as_millis();
                let since = i64::try_from(since).unwrap_or(i64::MAX);
                // Fractions of a millisecond must add up.
                let mark = if since > 0 { now } else { mark };
                (Time(last.0.saturating_add(since)), mark)
            }
            _ => (Time(wall), now),
        };
        self.last = Some((time, mark));
        time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_do_not_drift_and_late_ones_are_missed() {
        let mut schedule = Schedule::new(30);
        let start = schedule.start;
        let ms = |ms: u64| start + Duration::from_millis(ms);
        assert_eq!(schedule.wait(start), Duration::ZERO);
        assert_eq!(schedule.take(start), 0);
        // A third of a hundred milliseconds.
        assert_eq!(schedule.wait(ms(10)), Duration::from_nanos(23_333_333));
        // 34 ms is late by less than one time: it is taken, and the next one stays where it is.
        assert_eq!(schedule.take(ms(34)), 0);
        assert_eq!(schedule.wait(ms(34)), Duration::from_nanos(32_666_666));
        // Late by two: the last one is taken.
        assert_eq!(schedule.take(ms(140)), 2);
        assert_eq!(schedule.wait(ms(140)), Duration::from_nanos(26_666_666));
        // A hundred hours later the times are still at the same places.
        assert_eq!(schedule.take(ms(360_000_000)), 10_800_000 - 5);
        assert_eq!(
            schedule.wait(ms(360_000_000)),
            Duration::from_nanos(33_333_333)
        );
    }

    #[test]
    fn time_never_goes_back() {
        let start = Instant::now();
        let mut clock = Clock::new(Some(Time(5_000)));
        let mark = clock.last.unwrap().1;
        let after = |ms: u64| mark + Duration::from_millis(ms);
        assert_eq!(clock.at(4_000, after(20)), Time(5_020));
        assert_eq!(clock.at(4_020, after(40)), Time(5_040));
        // It goes forward with the wall clock.
        assert_eq!(clock.at(9_000, after(41)), Time(9_000));
        assert_eq!(clock.at(9_033, after(42)), Time(9_033));
        let mut clock = Clock::new(None);
        assert_eq!(clock.at(7, start), Time(7));
    }
}
