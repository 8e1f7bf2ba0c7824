//! The clock: step, tick and time. No number ever means two of them.

use core::fmt;
use core::str::FromStr;

/// Nanoseconds since the start of the recording.
///
/// ```
/// use gametape_core::Time;
/// assert_eq!(Time::from_ms(83_400).to_string(), "1:23.400");
/// assert_eq!(Time::from_ms(34_884).to_string(), "34.884 s");
/// assert_eq!(Time::from_secs(60), Time::from_ms(60_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Time(pub i64);

impl Time {
    /// 0 ns: where the recording starts.
    pub const START: Self = Self(0);

    /// Converts from seconds. Values beyond the range of 64-bit nanoseconds (292 years) become the
    /// largest or smallest possible time.
    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(SECOND))
    }

    /// Converts from milliseconds. Values beyond the range of 64-bit nanoseconds (292 years) become
    /// the largest or smallest possible time.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// Returns milliseconds, the unit used in every table and in JSON.
    #[must_use]
    pub fn ms(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns whole milliseconds, rounded down.
    #[must_use]
    pub const fn whole_ms(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }
}

/// Writes `34.884 s` for less than a minute, else `1:23.400` or `2:00:05.250`. Parts of a
/// millisecond are shown only if they are not zero; there are then 6 or 9 decimal places.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let (seconds, ns) = (ns / 1_000_000_000, ns % 1_000_000_000);
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        match (hours, minutes) {
            (0, 0) => write!(f, "{sign}{rest}")?,
            (0, minutes) => write!(f, "{sign}{minutes}:{rest:02}")?,
            (hours, minutes) => write!(f, "{sign}{hours}:{minutes:02}:{rest:02}")?,
        }
        match ns {
            ns if ns % 1_000_000 == 0 => write!(f, ".{:03}", ns / 1_000_000)?,
            ns if ns % 1_000 == 0 => write!(f, ".{:06}", ns / 1_000)?,
            ns => write!(f, ".{ns:09}")?,
        }
        if seconds < 60 {
            f.write_str(" s")
        } else {
            Ok(())
        }
    }
}

/// When a row, a frame or a finding occurs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Stamp {
    /// The ordinal of the frame, packet or event, from 0.
    pub step: u64,
    /// The recording's own counter, if it has one.
    pub tick: Option<u64>,
    /// The time since the start of the recording, if it is known.
    pub time: Option<Time>,
}

/// The first and the last moment of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Span {
    /// The first moment.
    pub first: Stamp,
    /// The last moment.
    pub last: Stamp,
}

/// The ways to name a moment of a recording, besides its step.
///
/// ```
/// use gametape_core::{At, Clocks, Time};
/// assert_eq!(Clocks::TIMES.check(Some(At::Time(Time::START))), Ok(()));
/// let error = Clocks::TIMES.check(Some(At::Tick(7))).unwrap_err();
/// assert_eq!(error.to_string(), "tick 7: the recording has no ticks; name a time, or a step");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Clocks {
    /// Whether the recording has its own tick counter.
    pub ticks: bool,
    /// Whether the recording stores the times of its steps.
    pub times: bool,
}

impl Clocks {
    /// The recording has steps only.
    pub const STEPS: Self = Self {
        ticks: false,
        times: false,
    };

    /// The recording stores the times of its steps and has no tick counter.
    pub const TIMES: Self = Self {
        ticks: false,
        times: true,
    };

    /// Describes a recording with a tick counter; `times` says whether it also has times.
    #[must_use]
    pub const fn ticks(times: bool) -> Self {
        Self { ticks: true, times }
    }

    /// Refuses a moment that cannot be looked up.
    ///
    /// # Errors
    /// [`NoClock`] if the moment is a tick and there are no ticks, or a time and there are no
    /// times.
    pub fn check(self, at: Option<At>) -> Result<(), NoClock> {
        let has = match at {
            Some(At::Time(_)) => self.times,
            Some(At::Tick(_)) => self.ticks,
            Some(At::Step(_)) | None => true,
        };
        match at {
            Some(at) if !has => Err(NoClock { at, clocks: self }),
            _ => Ok(()),
        }
    }
}

/// For example `a time, or a step`.
impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.times {
            f.write_str("a time, ")?;
        }
        if self.ticks {
            f.write_str("a tick, ")?;
        }
        f.write_str(if self.times || self.ticks {
            "or a step"
        } else {
            "a step"
        })
    }
}

/// The requested moment uses a clock that the recording does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("{at}: the recording has no {}; name {clocks}", match at {
    At::Tick(_) => "ticks",
    _ => "times",
})]
pub struct NoClock {
    /// The requested moment.
    pub at: At,
    /// The clocks that the recording has.
    pub clocks: Clocks,
}

/// A moment, as a user names it.
///
/// ```
/// use gametape_core::{At, Time};
/// assert_eq!("1:23.4".parse(), Ok(At::Time(Time::from_ms(83_400))));
/// assert_eq!("83.4".parse(), Ok(At::Time(Time::from_ms(83_400))));
/// assert_eq!("0.701 s".parse(), Ok(At::Time(Time::from_ms(701))));
/// assert_eq!("200ms".parse(), Ok(At::Time(Time::from_ms(200))));
/// assert_eq!("tick:137".parse(), Ok(At::Tick(137)));
/// assert_eq!("step:600".parse(), Ok(At::Step(600)));
/// assert_eq!("step 600".parse(), Ok(At::Step(600)));
/// assert_eq!(At::Time(Time::from_ms(83_400)).to_string(), "1:23.400");
/// assert!("tick:-1".parse::<At>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum At {
    /// At this time.
    Time(Time),
    /// At this tick.
    Tick(u64),
    /// At this step.
    Step(u64),
}

impl At {
    /// Returns true if the stamp is at this moment. Times are compared to the millisecond, as
    /// people write them.
    #[must_use]
    pub fn is(self, stamp: Stamp) -> bool {
        match self {
            Self::Step(step) => step == stamp.step,
            Self::Tick(tick) => stamp.tick == Some(tick),
            Self::Time(time) => stamp.time.is_some_and(|t| t.whole_ms() == time.whole_ms()),
        }
    }

    /// Returns true if both moments use the same clock and this one is later.
    #[must_use]
    pub fn is_behind(self, other: Self) -> bool {
        match (self, other) {
            (Self::Step(a), Self::Step(b)) | (Self::Tick(a), Self::Tick(b)) => a > b,
            (Self::Time(a), Self::Time(b)) => a > b,
            _ => false,
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => time.fmt(f),
            Self::Tick(tick) => write!(f, "tick {tick}"),
            Self::Step(step) => write!(f, "step {step}"),
        }
    }
}

/// The text does not name a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a moment is a time such as 1:23.4, 83.4 or 200ms, tick:137, or step:600")]
pub struct ParseAtError;

impl FromStr for At {
    type Err = ParseAtError;

    fn from_str(text: &str) -> Result<Self, ParseAtError> {
        if let Some((clock, number)) = text.split_once([':', ' ']) {
            match clock {
                "tick" => return count(number).map(Self::Tick),
                "step" => return count(number).map(Self::Step),
                _ => {}
            }
        }
        text.parse().map(Self::Time)
    }
}

impl FromStr for Time {
    type Err = ParseAtError;

    /// Reads seconds (`83.4`, `0.701 s`), milliseconds (`200ms`), minutes (`1:23.4`) and hours
    /// (`2:00:05.25`).
    fn from_str(text: &str) -> Result<Self, ParseAtError> {
        let unit = |unit| text.strip_suffix(unit).map(str::trim_end);
        if let Some(ms) = unit("ms") {
            return decimal(ms, 1_000_000).map(Self);
        }
        let seconds = unit("s");
        let text = seconds.unwrap_or(text);
        let Some((more, seconds)) = text.rsplit_once(':').filter(|_| seconds.is_none()) else {
            return decimal(text, SECOND).map(Self);
        };
        let (hours, minutes) = more
            .split_once(':')
            .map_or((None, more), |(hours, minutes)| (Some(hours), minutes));
        let (hours, minutes) = (hours.map(count).transpose()?, count(minutes)?);
        let seconds = decimal(seconds, SECOND)?;
        // 1:75 is a mistake.
        if seconds >= 60 * SECOND || hours.is_some() && minutes >= 60 {
            return Err(ParseAtError);
        }
        let minutes = hours
            .unwrap_or(0)
            .checked_mul(60)
            .and_then(|hours| hours.checked_add(minutes));
        let ns = minutes.and_then(|minutes| {
            let minutes = i64::try_from(minutes).ok()?;
            minutes.checked_mul(60 * SECOND)?.checked_add(seconds)
        });
        ns.map(Self).ok_or(ParseAtError)
    }
}

/// A second in nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// Parses a number with at most 9 decimal places, in this unit of nanoseconds, as nanoseconds.
fn decimal(text: &str, unit: i64) -> Result<i64, ParseAtError> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 9 || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(ParseAtError);
    }
    let places = fraction.bytes().chain(core::iter::repeat(b'0')).take(9);
    let billionths = places.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let ns = i64::try_from(count(whole)?).ok();
    let ns = ns.and_then(|whole| {
        whole
            .checked_mul(unit)?
            .checked_add(billionths / (SECOND / unit))
    });
    ns.ok_or(ParseAtError)
}

/// Parses digits only: no sign, no spaces.
fn count(digits: &str) -> Result<u64, ParseAtError> {
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(ParseAtError);
    }
    digits.parse().map_err(|_| ParseAtError)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn moments_that_nobody_means_are_refused() {
        for text in [
            "",
            ":",
            "1:",
            ":5",
            "1:75",
            "1:2:75",
            "1:60:00",
            "1:2:3:4",
            "-1",
            "+1",
            "1.2.3",
            "1.0123456789",
            "1e3",
            "tick:",
            "tick:1.5",
            "step:x",
            "99999999999999999999",
            "9999999999999",
            " 1",
            "s",
            "ms",
            "1:23 s",
            "1s s",
            "1 h",
            "-1 s",
            "tick: 1",
            "step  1",
        ] {
            assert_eq!(text.parse::<At>(), Err(ParseAtError), "{text:?}");
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in [
            "1:23.400",
            "2:00:05.250",
            "1:00.000",
            "1:23.400500",
            "1:00:00.000000001",
            "0.701 s",
            "34.000000001 s",
        ] {
            let at: At = text.parse().unwrap();
            assert_eq!(at.to_string(), text);
        }
        assert_eq!("75".parse(), Ok(At::Time(Time::from_ms(75_000))));
        assert_eq!(Time(-1_500_000_000).to_string(), "-1.500 s");
        assert_eq!(Time(i64::MIN).whole_ms(), -9_223_372_036_855);
    }
}
