//! Times as programs of all regions spell them: other separators, digits and calendars.
//!
//! A Windows program that formats a date without naming a region uses that of its user.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

use super::time::Time;
use crate::rule::Rule;

/// The first year of the game, and a year that no recording of it reaches.
const YEARS: std::ops::Range<i64> = 2017..2100;
/// The same in milliseconds since 1970.
const DATES: std::ops::Range<i64> = 1_483_228_800_000..4_102_444_800_000;
/// The longest text that may be a time, in bytes: digits of other scripts have up to four.
const LONGEST: usize = 160;
/// From noon on, a 12-hour clock is ahead by this many hours.
const NOON: i64 = 12;

/// The digit zero of each script whose digits Windows or .NET may write.
const ZEROS: [u32; 22] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
    0x0D66, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810, 0x19D0, 0xA9D0, 0xFF10,
];

/// A calendar whose years are not those of the Gregorian one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Calendar {
    /// The same months and days; the name, and what to add to its year.
    Shifted(&'static str, i64),
    Persian,
    Hijri,
}

/// Calendars with the Gregorian months: the name, what to add to a year, and the last year of an era.
const SHIFTED: [(&str, i64, i64); 5] = [
    ("Buddhist", -543, i64::MAX),
    ("Korean", -2333, i64::MAX),
    ("Taiwan", 1911, i64::MAX),
    // The era Heisei ended in its year 31, and Reiwa began in that year.
    ("Japanese", 1988, 31),
    ("Japanese", 2018, 28),
];

impl Calendar {
    /// The calendar that gives this year to a year since the game exists.
    fn of(year: i64) -> Option<Self> {
        if YEARS.contains(&year) {
            return None;
        }
        let shifted = SHIFTED
            .iter()
            .find(|(_, shift, last)| year <= *last && YEARS.contains(&(year + shift)));
        if let Some((name, shift, _)) = shifted {
            return Some(Self::Shifted(name, *shift));
        }
        match year {
            // To 2058 and from 2016 on; they meet in no year of the game so far.
            1396..1438 => Some(Self::Persian),
            1438..1524 => Some(Self::Hijri),
            _ => None,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Shifted(name, _) => name,
            Self::Persian => "Persian",
            Self::Hijri => "Islamic",
        }
    }

    /// The Gregorian date of a date of this calendar.
    fn date(self, year: i64, month: i64, day: i64) -> Option<Date> {
        let (start, before) = match self {
            Self::Shifted(_, shift) => return gregorian(year + shift, month, day),
            _ if !(1..=12).contains(&month) || !(1..=31).contains(&day) => return None,
            // Leap years repeat every 33 years; right for 1343 to 1472.
            Self::Persian => {
                let leaps = (8 * year + 21) / 33;
                let months = (month - 1) * 30 + (month - 1).min(6);
                (gregorian(622, 3, 21)?, (year - 1) * 365 + leaps + months)
            }
            // The tabular calendar; that of Umm al-Qura may differ by a day.
            Self::Hijri => {
                let leaps = (11 * year + 3) / 30;
                let months = (month - 1) * 29 + month / 2;
                (gregorian(622, 7, 19)?, (year - 1) * 354 + leaps + months)
            }
        };
        start
            .checked_add(jiff::Span::new().try_days(before + day - 1).ok()?)
            .ok()
    }
}

fn gregorian(year: i64, month: i64, day: i64) -> Option<Date> {
    let small = |number: i64| i8::try_from(number).ok();
    Date::new(i16::try_from(year).ok()?, small(month)?, small(day)?).ok()
}

/// A time as a line spells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpelledTime {
    pub time: Time,
    /// It is not spelled `yyyy/MM/dd HH:mm:ss.fff`.
    pub is_odd: bool,
    /// The calendar of its year, and the year as it is spelled.
    pub calendar: Option<(Calendar, i64)>,
}

impl SpelledTime {
    /// The finding that its year is one of another calendar.
    #[inline]
    pub(crate) fn calendar_rule(&self) -> Option<Rule> {
        let (calendar, year) = self.calendar?;
        let read = Timestamp::from_millisecond(self.time.0).ok()?;
        Some(Rule::TimeCalendar {
            year,
            calendar: calendar.name(),
            read: Offset::UTC.to_datetime(read).year().into(),
        })
    }
}

/// Reads the time of a line, however it is spelled.
#[inline]
pub(crate) fn read(text: &[u8]) -> Option<SpelledTime> {
    match Time::usual(text) {
        Some(time) if DATES.contains(&time.0) => Some(SpelledTime {
            time,
            is_odd: !is_exact(text),
            calendar: None,
        }),
        _ => Spelling::of(text)?.read(),
    }
}

/// Whether a time that was read is spelled as recorders are to spell it, with any number of digits.
#[inline]
fn is_exact(text: &[u8]) -> bool {
    let at = |at: usize| text.get(at).copied();
    at(10) == Some(b' ') && at(13) == Some(b':') && matches!(at(19), None | Some(b'.'))
}

/// The parts of a time: groups of digits.
struct Spelling {
    numbers: [i64; 7],
    /// Minutes ahead of UTC, if that is said.
    offset: Option<i64>,
    /// The second half of the day, on a 12-hour clock; `None` on others.
    afternoon: Option<bool>,
    is_odd: bool,
}

impl Spelling {
    #[cold]
    fn of(text: &[u8]) -> Option<Self> {
        let text =
            std::str::from_utf8(text.get(..text.len().min(LONGEST) + 1).unwrap_or(text)).ok()?;
        if text.len() > LONGEST {
            return None;
        }
        // Marks of the direction of writing stand before some digits.
        let text = text.trim_matches(|c: char| c.is_whitespace() || is_mark(c));
        let (groups, rest) = groups(text)?;
        let [year, month, day, hour, minute, second, fraction] = groups;
        if year.count > 4
            || [month, day, hour, minute, second]
                .iter()
                .any(|n| n.count > 2)
        {
            return None;
        }
        let scale = 10_i64.checked_pow(u32::try_from(fraction.count).ok()?)?;
        let ms = i128::from(fraction.value) * 1000 / i128::from(scale);
        let (offset, afternoon) = suffix(rest)?;
        Some(Self {
            numbers: [
                year.value,
                month.value,
                day.value,
                hour.value,
                minute.value,
                second.value,
                i64::try_from(ms).ok()?,
            ],
            offset,
            afternoon,
            is_odd: Time::usual(text.as_bytes()).is_none() || !is_exact(text.as_bytes()),
        })
    }

    fn read(&self) -> Option<SpelledTime> {
        let [year, month, day, hour, minute, second, ms] = self.numbers;
        let calendar = Calendar::of(year);
        let date = match calendar {
            Some(calendar) => calendar.date(year, month, day),
            None => gregorian(year, month, day),
        };
        let hour = match self.afternoon {
            None => hour,
            Some(_) if !(1..=NOON).contains(&hour) => return None,
            Some(afternoon) => hour % NOON + if afternoon { NOON } else { 0 },
        };
        let small = |number: i64| i8::try_from(number).ok();
        let clock = jiff::civil::Time::new(
            small(hour)?,
            small(minute)?,
            small(second)?,
            i32::try_from(ms * 1_000_000).ok()?,
        );
        let at = DateTime::from_parts(date?, clock.ok()?);
        let at: Timestamp = Offset::UTC.to_timestamp(at).ok()?;
        let ahead = self.offset.unwrap_or(0) * 60_000;
        Some(SpelledTime {
            time: Time(at.as_millisecond().checked_sub(ahead)?),
            is_odd: self.is_odd,
            calendar: calendar.map(|calendar| (calendar, year)),
        })
    }
}

/// A group of digits.
#[derive(Clone, Copy, Default)]
struct Group {
    value: i64,
    count: usize,
}

/// Splits a text into seven groups of digits, and what follows them. The fraction may be missing.
fn groups(text: &str) -> Option<([Group; 7], &str)> {
    let mut groups = [Group::default(); 7];
    let mut rest = text;
    for (nth, group) in groups.iter_mut().enumerate() {
        let start = rest.find(|c| digit(c).is_some());
        // The first begins the text; between two, there is little.
        let between = rest.get(..start.unwrap_or(rest.len())).unwrap_or_default();
        let is_near = between.len() <= 12 && (nth > 0 || between.is_empty());
        // A text that stands for a time has no tabs, quotes and brackets.
        let is_plain = !between.contains(|c: char| c.is_control() || "{}[]\"\\".contains(c));
        let is_zone = nth == 6 && between.contains(['Z', 'z', '+', '-', '\u{2212}']);
        let Some(start) = start.filter(|_| is_near && is_plain && !is_zone) else {
            return (nth == 6).then_some((groups, rest));
        };
        rest = rest.get(start..)?;
        while let Some(value) = rest.chars().next().and_then(digit) {
            group.value = group.value.checked_mul(10)?.checked_add(value)?;
            group.count += 1;
            rest = rest.get(rest.chars().next()?.len_utf8()..)?;
        }
    }
    Some((groups, rest))
}

/// The value of a digit of any script.
fn digit(c: char) -> Option<i64> {
    let value = |zero: &u32| u32::from(c).checked_sub(*zero).filter(|value| *value < 10);
    ZEROS.iter().find_map(value).map(i64::from)
}

const fn is_mark(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// What follows a time: nothing, the zone of ISO 8601, or the half of the day.
fn suffix(rest: &str) -> Option<(Option<i64>, Option<bool>)> {
    let rest = rest.trim();
    let is_word = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(rest));
    match rest.chars().next() {
        None => return Some((None, None)),
        Some('Z' | 'z') if rest.len() == 1 => return Some((Some(0), None)),
        _ if is_word(&["AM", "A.M.", "a. m."]) => return Some((None, Some(false))),
        _ if is_word(&["PM", "P.M.", "p. m."]) => return Some((None, Some(true))),
        Some('+' | '-' | '\u{2212}') => {}
        // A word or a mark after the last group says nothing about the time.
        Some(c) if !c.is_ascii() || matches!(c, '.' | ';' | ')') => {
            return (rest.chars().count() <= 4 && !rest.chars().any(char::is_numeric))
                .then_some((None, None));
        }
        Some(_) => return None,
    }
    let mut digits = rest.chars().filter_map(digit);
    let mut two = || Some(digits.next()? * 10 + digits.next()?);
    let hours = two()?;
    let minutes = two().unwrap_or(0);
    let ahead = hours * 60 + minutes;
    let is_ahead = rest.starts_with('+');
    (ahead <= 18 * 60).then_some((Some(if is_ahead { ahead } else { -ahead }), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<SpelledTime> {
        read(text.as_bytes())
    }

    const RIGHT: Time = Time(1_641_092_400_034);

    #[test]
    fn times_of_all_regions_are_read() {
        let usual = at("2022/01/02 03:00:00.034").unwrap();
        assert_eq!((usual.time, usual.is_odd), (RIGHT, false));
        for text in [
            "2022/01/02 03.00.00.034",
            "2022.01.02 03:00:00.034",
            "2022-01-02 03:00:00.034",
            "2022-01-02 03.00.00,034",
            "2022. 01. 02. 03:00:00.034",
            "2022. 1. 2. 3:00:00.034",
            "2022 01 02 03 00 00 034",
            "2022年01月02日 03时00分00.034",
            "2022-01-02T03:00:00.034Z",
            "2022-01-02T05:00:00.034+02:00",
            "2022-01-01T21:30:00.034-0530",
            "2022/01/02 03:00:00.034 AM",
            "٢٠٢٢/٠١/٠٢ ٠٣:٠٠:٠٠.٠٣٤",
            "\u{200F}۲۰۲۲/۰۱/۰۲ ۰۳:۰۰:۰۰.۰۳۴",
            "२०२२-०१-०२ ०३:००:००.०३४",
            "２０２２/０１/０２ ０３:００:００.０３４",
        ] {
            let read = at(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.time, read.is_odd), (RIGHT, true), "{text}");
            assert_eq!(read.calendar, None, "{text}");
        }
    }

    #[test]
    fn years_of_other_calendars_are_read_and_named() {
        for (text, name) in [
            ("2565/01/02 03:00:00.034", "Buddhist"),
            ("๒๕๖๕-๐๑-๐๒ ๐๓:๐๐:๐๐.๐๓๔", "Buddhist"),
            ("4355/01/02 03:00:00.034", "Korean"),
            ("0111/01/02 03:00:00.034", "Taiwan"),
            ("0004/01/02 03:00:00.034", "Japanese"),
            ("1400/10/12 03:00:00.034", "Persian"),
            ("1443/05/28 03:00:00.034", "Islamic"),
        ] {
            let read = at(text).unwrap_or_else(|| panic!("{text}"));
            let named = read.calendar.map(|(calendar, _)| calendar.name());
            assert_eq!((read.time, named), (RIGHT, Some(name)), "{text}");
        }
        // A leap day of a year that is none as spelled.
        assert_eq!(
            at("2567/02/29 00:00:00.000").unwrap().time,
            at("2024/02/29 00:00:00.000").unwrap().time
        );
        // Years before the game that no calendar explains stay as they are.
        assert_eq!(at("1970/01/01 00:00:00.000").unwrap().time, Time(0));
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "404",
            "2022/01/02",
            "2022/01/02 03:00",
            "2022/13/02 03:00:00.034",
            "2022/02/30 03:00:00.034",
            "2022/01/02 24:00:00.034",
            "2022/01/02 13:00:00.034 PM",
            "20220102 03:00:00.034",
            "x2022/01/02 03:00:00.034",
            "2022/01/02 03:00:00.034 {\"a\":1}",
            "{\"a\":2022,\"b\":1,\"c\":2,\"d\":3,\"e\":4,\"f\":5,\"g\":6}",
            "10.20.30.40",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }
}
