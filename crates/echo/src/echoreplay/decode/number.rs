//! Parsing numbers.
//!
//! A recording consists mostly of numbers, most of them with some eight digits after the point, so those
//! are parsed eight at a time.

/// A number, as it is spelled.
#[derive(Clone, Copy)]
pub(super) struct Number<'t> {
    pub text: &'t str,
    negative: bool,
    /// The digits without the point. Valid only if `exact`.
    digits: u64,
    /// The power of ten by which to scale the digits.
    exponent: i32,
    /// All digits fit in `digits`.
    exact: bool,
    /// Without a point and an exponent.
    pub whole: bool,
}

/// The message for an invalid number.
pub(super) const NO_NUMBER: &str = "this is no number";

/// Parses the number at the start of a text.
#[inline]
pub(super) fn number(text: &str) -> Result<Number<'_>, &'static str> {
    let bytes = text.as_bytes();
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut digits, count) = leading(bytes, start);
    let mut at = start + count;
    // JSON has no leading zeros.
    if count == 0 || (count > 1 && bytes.get(start) == Some(&b'0')) {
        return Err(NO_NUMBER);
    }
    let mut used = count;
    let mut exponent = 0;
    let mut whole = true;
    if bytes.get(at) == Some(&b'.') {
        whole = false;
        at += 1;
        let (fraction, count) = leading(bytes, at);
        if count == 0 {
            return Err(NO_NUMBER);
        }
        at += count;
        used += count;
        // With too many digits, only their count is needed.
        let power = POWERS.get(count).copied().unwrap_or(0);
        digits = digits.wrapping_mul(power).wrapping_add(fraction);
        exponent = -(count as i32);
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        whole = false;
        at += 1;
        let sign = bytes.get(at);
        at += usize::from(matches!(sign, Some(b'+' | b'-')));
        let (power, count) = leading(bytes, at);
        if count == 0 {
            return Err(NO_NUMBER);
        }
        at += count;
        // For an absurd power, a difference of 10,000 is irrelevant.
        let power = if count > 8 {
            10_000
        } else {
            power.min(10_000) as i32
        };
        let power = if sign == Some(&b'-') { -power } else { power };
        exponent += power;
    }
    Ok(Number {
        text: text.get(..at).unwrap_or_default(),
        negative,
        digits,
        exponent,
        exact: used <= 19,
        whole,
    })
}

/// Parses the number at the start of a text if it has a common spelling: not too many digits, no exponent,
/// and not at the end of the text. Returns it with its size. In other cases, [`number`] parses it.
#[inline(always)]
pub(super) fn usual(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut digits, mut at) = few(bytes, start)?;
    let mut power = 1.0;
    if bytes.get(at)? == &b'.' {
        let sixteen = bytes.get(at + 1..)?.first_chunk::<16>()?;
        let (low, high) = sixteen.split_first_chunk()?;
        let (first, found) = of_eight(u64::from_le_bytes(*low));
        let (second, more) = of_eight(u64::from_le_bytes(*high.first_chunk()?));
        // Without a branch, since every other number would be mispredicted.
        let full = u64::from(found == 8);
        let more = more * full as usize;
        let fraction = first * POWERS.get(more)? + second * full;
        let count = found + more;
        // A `u64` holds nineteen digits.
        if count == 0 || at - start + count > 19 {
            return None;
        }
        digits = digits * POWERS.get(count)? + fraction;
        power = *EXACT_POWERS.get(count)?;
        at += 1 + count;
    }
    if digits > 1 << 53 || matches!(bytes.get(at)?, b'e' | b'E' | b'0'..=b'9') {
        return None;
    }
    let number = digits as f64 / power;
    Some((if negative { -number } else { number }, at))
}

/// Like [`usual`], for whole numbers of few digits.
#[inline]
pub(super) fn usual_whole(bytes: &[u8]) -> Option<(i64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let (digits, at) = few(bytes, usize::from(negative))?;
    if matches!(bytes.get(at)?, b'.' | b'e' | b'E' | b'0'..=b'9') {
        return None;
    }
    let number = digits as i64;
    Some((if negative { -number } else { number }, at))
}

/// Parses up to nine digits without leading zeros. Returns the number and its end.
#[inline]
fn few(bytes: &[u8], start: usize) -> Option<(u64, usize)> {
    let digit = |at: usize| {
        let digit = bytes.get(at)?.wrapping_sub(b'0');
        (digit < 10).then_some(u64::from(digit))
    };
    let mut number = digit(start)?;
    let mut at = start + 1;
    if number == 0 {
        return Some((0, at));
    }
    while let Some(digit) = digit(at)
        && at < start + 9
    {
        number = number * 10 + digit;
        at += 1;
    }
    Some((number, at))
}

impl Number<'_> {
    /// The nearest `f64`; infinity if it is out of range.
    #[inline]
    pub(super) fn float(&self) -> f64 {
        // Both numbers are exact, so the quotient is rounded once.
        let small = usize::try_from(-self.exponent)
            .ok()
            .and_then(|power| EXACT_POWERS.get(power));
        match small {
            Some(power) if self.exact && self.digits <= 1 << 53 => {
                let number = self.digits as f64 / power;
                if self.negative { -number } else { number }
            }
            _ => self.text.parse().unwrap_or(f64::NAN),
        }
    }

    /// The value if it is whole, however it is spelled.
    #[inline]
    pub(super) fn whole(&self) -> Option<i128> {
        if self.whole && self.exact {
            let number = i128::from(self.digits);
            return Some(if self.negative { -number } else { number });
        }
        if self.whole {
            return self.text.parse().ok();
        }
        let number = self.float();
        // The cast saturates, and no caller accepts the largest value.
        (number.fract() == 0.0).then_some(number as i128)
    }
}

/// The digits from `start` on as a number, and how many there are. With more than 19, the number is
/// meaningless.
#[inline]
fn leading(bytes: &[u8], start: usize) -> (u64, usize) {
    let mut number = 0_u64;
    let mut count = 0;
    while let Some(eight) = bytes.get(start + count..).and_then(<[u8]>::first_chunk) {
        let (digits, found) = of_eight(u64::from_le_bytes(*eight));
        let power = POWERS.get(found).copied().unwrap_or(0);
        number = number.wrapping_mul(power).wrapping_add(digits);
        count += found;
        if found < 8 {
            return (number, count);
        }
    }
    while let Some(byte @ b'0'..=b'9') = bytes.get(start + count) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        count += 1;
    }
    (number, count)
}

/// The number formed by up to eight leading digits, and how many there are. The first digit is the lowest
/// byte.
#[inline]
const fn of_eight(text: u64) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let values = text ^ (ONES * 0x30);
    // Sets the top bit of every byte that is no digit. The bits above the first such byte may be wrong.
    let others = (values.wrapping_add(ONES * 0x76) | values) & (ONES * 0x80);
    let count = others.trailing_zeros() / 8;
    // Shifts in leading zeros up to eight digits, then combines pairs, and then four pairs at once.
    let values = match values.checked_shl(64 - 8 * count) {
        Some(values) => values,
        None => 0,
    };
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let mask = 0x0000_00FF_0000_00FF;
    let odd = (pairs & mask).wrapping_mul(100 + (1_000_000 << 32));
    let even = ((pairs >> 16) & mask).wrapping_mul(1 + (10_000 << 32));
    (odd.wrapping_add(even) >> 32, count as usize)
}

/// The powers of ten that fit in a `u64`.
const POWERS: [u64; 20] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
    10_000_000_000_000,
    100_000_000_000_000,
    1_000_000_000_000_000,
    10_000_000_000_000_000,
    100_000_000_000_000_000,
    1_000_000_000_000_000_000,
    10_000_000_000_000_000_000,
];

/// The powers of ten that an `f64` holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_equal_those_of_the_standard_library() {
        for text in [
            "0",
            "-0",
            "-0.0",
            "0.0",
            "1",
            "-1",
            "123456789",
            "12345678.12345678",
            "0.1e-400",
            "1e400",
            "-1e400",
            "1e22",
            "1e23",
            "9007199254740993",
            "18446744073709551615",
            "18446744073709551616",
            "0.30000000000000004",
            "123456789012345678901234567890.5",
            "0.000000000000000000000000000000000001",
            "5e-324",
            "2.4703282292062327e-324",
            "1E+5",
            "1e-0000000000000000000005",
            "0e99999999999",
        ] {
            let number = number(text).unwrap();
            assert_eq!(number.text, text);
            let right: f64 = text.parse().unwrap();
            assert_eq!(number.float().to_bits(), right.to_bits(), "{text}");
            let line = format!("{text},                ");
            if let Some((number, size)) = usual(line.as_bytes()) {
                assert_eq!(
                    (number.to_bits(), size),
                    (right.to_bits(), text.len()),
                    "{text}"
                );
            }
        }
        for text in [
            "", "-", "+1", ".5", "1.", "01", "-01", "1.e5", "1e", "1e+", "a", "00", "--1", "-.1",
        ] {
            assert!(number(text).is_err(), "{text}");
            let line = format!("{text},                ");
            assert!(usual(line.as_bytes()).is_none(), "{text}");
            assert!(usual_whole(line.as_bytes()).is_none(), "{text}");
        }
        assert_eq!(usual(b"-12.375,                "), Some((-12.375, 7)));
        assert_eq!(usual_whole(b"-123456789,"), Some((-123_456_789, 10)));
        assert_eq!(usual_whole(b"0]"), Some((0, 1)));
        assert_eq!(usual_whole(b"1.0,"), None);
        assert_eq!(number("1.5,").unwrap().text, "1.5");
        assert_eq!(number("12.0").unwrap().whole(), Some(12));
        assert_eq!(number("-3").unwrap().whole(), Some(-3));
        assert_eq!(number("1.5").unwrap().whole(), None);
        for whole in [17_425_518_296_944_243_947, i128::MAX, i128::MIN] {
            let text = whole.to_string();
            assert_eq!(number(&text).unwrap().whole(), Some(whole));
        }
    }

    proptest! {
        #[test]
        fn any_spelling_reads_as_the_standard_library_reads_it(
            text in "-?(0|[1-9][0-9]{0,22})(\\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?",
            suffix in "[,\\]} ]?",
        ) {
            let line = format!("{text}{suffix}");
            let number = number(&line).unwrap();
            prop_assert_eq!(number.text, &text);
            let right: f64 = text.parse().unwrap();
            prop_assert_eq!(number.float().to_bits(), right.to_bits());
            let line = format!("{text},                ");
            if let Some((number, size)) = usual(line.as_bytes()) {
                prop_assert_eq!((number.to_bits(), size), (right.to_bits(), text.len()));
            }
            if let Some((number, size)) = usual_whole(line.as_bytes()) {
                prop_assert_eq!((Ok(number), size), (text.parse(), text.len()));
            }
        }
    }
}
