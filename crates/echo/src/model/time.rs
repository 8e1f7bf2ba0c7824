//! When a frame was recorded.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Milliseconds since 1970-01-01 00:00, by the recorder's wall clock taken as UTC (an .echoreplay has no
/// time zone).
///
/// ```
/// use gametape_echo::Time;
/// let time: Time = "2022/01/02 03:00:00.034".parse()?;
/// assert_eq!(time, Time(1_641_092_400_034));
/// assert_eq!(time.to_string(), "2022/01/02 03:00:00.034");
/// // Some recorders write dots.
/// assert_eq!("2022/01/02 03.00.00.034".parse(), Ok(time));
/// # Ok::<(), gametape_echo::ParseTimeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Time(pub i64);

/// The error for a text that is no time of the form `yyyy/MM/dd HH:mm:ss.fff`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a time of the form yyyy/MM/dd HH:mm:ss.fff")]
pub struct ParseTimeError;

impl Time {
    /// Parses `yyyy/MM/dd HH:mm:ss.fff`. Dots may replace the colons, and the fraction may have one to
    /// seven digits or be missing; digits after the third are ignored.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        Self::usual(text)
    }

    /// Like [`Time::parse`].
    #[inline]
    pub(super) fn usual(text: &[u8]) -> Option<Self> {
        let number = |digits: &[u8]| {
            digits.iter().try_fold(0_i64, |n, digit| {
                digit
                    .is_ascii_digit()
                    .then(|| n * 10 + i64::from(digit - b'0'))
            })
        };
        let (date, clock) = text.split_at_checked(10)?;
        let (clock, fraction) = clock.split_at_checked(9)?;
        let &[y0, y1, y2, y3, b'/', m0, m1, b'/', d0, d1] = date else {
            return None;
        };
        let &[b' ' | b'T', h0, h1, s1, n0, n1, s2, c0, c1] = clock else {
            return None;
        };
        if s1 != s2 || !matches!(s1, b':' | b'.') {
            return None;
        }
        let (month, day) = (number(&[m0, m1])?, number(&[d0, d1])?);
        let (hour, minute, second) = (number(&[h0, h1])?, number(&[n0, n1])?, number(&[c0, c1])?);
        let year = number(&[y0, y1, y2, y3])?;
        let ms = match fraction {
            [] => 0,
            [b'.' | b',', digits @ ..] if (1..=7).contains(&digits.len()) => {
                number(digits)?;
                let mut three = [b'0'; 3];
                for (to, from) in three.iter_mut().zip(digits) {
                    *to = *from;
                }
                number(&three)?
            }
            _ => return None,
        };
        let small = |number: i64| i8::try_from(number).ok();
        let civil = DateTime::new(
            i16::try_from(year).ok()?,
            small(month)?,
            small(day)?,
            small(hour)?,
            small(minute)?,
            small(second)?,
            i32::try_from(ms * 1_000_000).ok()?,
        );
        let timestamp = Offset::UTC.to_timestamp(civil.ok()?).ok()?;
        Some(Self(timestamp.as_millisecond()))
    }
}

impl Time {
    /// The time in a text below the millisecond that [`Time::parse`] returns, in 100 ns.
    #[cfg(feature = "tape")]
    pub(crate) fn below_ms(text: &[u8]) -> u16 {
        /// After the point and three digits.
        const START: usize = 23;
        if Self::usual(text).is_none() {
            return 0;
        }
        let digits = (START..START + 4).map(|at| text.get(at).copied().unwrap_or(b'0'));
        digits.fold(0, |sum, digit| {
            sum * 10 + u16::from(digit.saturating_sub(b'0').min(9))
        })
    }

    /// The time since another, such as that of a recording's first frame.
    ///
    /// ```
    /// use gametape_echo::Time;
    /// assert_eq!(Time(1_641_092_400_034).since(Time(1_641_092_400_000)).ms(), 34.0);
    /// ```
    #[must_use]
    pub const fn since(self, start: Self) -> gametape_core::Time {
        gametape_core::Time::from_ms(self.0.saturating_sub(start.0))
    }
}

impl std::str::FromStr for Time {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        Self::parse(text.as_bytes()).ok_or(ParseTimeError)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(timestamp) = Timestamp::from_millisecond(self.0) else {
            // Not a year of the calendar.
            return write!(f, "{} ms", self.0);
        };
        let at = Offset::UTC.to_datetime(timestamp);
        write!(
            f,
            "{:04}/{:02}/{:02} {:02}:{:02}:{:02}.{:03}",
            at.year(),
            at.month(),
            at.day(),
            at.hour(),
            at.minute(),
            at.second(),
            at.millisecond()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_recorders_write_them() {
        let at = |text: &str| Time::parse(text.as_bytes());
        assert_eq!(at("1970/01/01 00:00:00.000"), Some(Time(0)));
        assert_eq!(at("1969/12/31 23:59:59.999"), Some(Time(-1)));
        assert_eq!(at("2000/02/29 12:00:00"), Some(Time(951_825_600_000)));
        assert_eq!(at("2022/01/02 03.04.05.6"), at("2022/01/02 03:04:05.600"));
        assert_eq!(
            at("2022/01/02 03:04:05.6789999"),
            at("2022/01/02 03:04:05.678")
        );
        for bad in [
            "",
            "2022/01/02",
            "2022/13/02 03:04:05.000",
            "2022/02/29 03:04:05.000",
            "2022/01/02 24:04:05.000",
            "2022/01/02 03:04.05.000",
            "2022-01-02 03:04:05.000",
            "2022/01/02 03:04:05.",
            "2022/01/02 03:04:05.12345678",
            "2022/01/02 03:04:05 000",
            "+022/01/02 03:04:05.000",
        ] {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    #[test]
    fn every_time_can_be_shown() {
        for ms in [i64::MIN, -62_167_219_200_000, -1, 0, 253_402_207_199_999] {
            let text = Time(ms).to_string();
            if let Some(back) = Time::parse(text.as_bytes()) {
                assert_eq!(back, Time(ms), "{text}");
            }
        }
        assert_eq!(Time(i64::MAX).to_string(), format!("{} ms", i64::MAX));
    }
}
