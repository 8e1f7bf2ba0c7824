//! The values of a parameter in a sweep: a range or a list.

use gametape::core::text::Grouped;
use gametape::murk::tools::Sweep;

/// The number of values of a range that does not say, in steps of a tenth of it.
const VALUES: u64 = 11;

/// The decimal digits of a value in a range: what a step adds beyond them is an error of rounding, as in
/// 0.15000000000000002.
const DIGITS: i32 = 15;

/// Parses `A..B`, `A..B/COUNT` or `A,B,C`. A range of whole numbers has each of them, unless it says how many.
pub fn values(text: &str, whole: bool) -> Result<Vec<String>, String> {
    let list = listed(text);
    if !text.contains("..") || text.starts_with(['"', '\'', '[', '{']) {
        if list.iter().any(String::is_empty) {
            return Err("a value is missing".into());
        }
        return Ok(list);
    }
    if list.len() > 1 {
        return Err("either a range, A..B, or a list, A,B,C".into());
    }
    let (ends, count) = match text.rsplit_once('/') {
        Some((ends, count)) => (ends, Some(counted(count)?)),
        None => (text, None),
    };
    let (first, last) = ends.split_once("..").unwrap_or((ends, ""));
    let (first, last) = (first.trim(), last.trim());
    let (from, to) = (number(first)?, number(last)?);
    if from > to {
        return Err(format!(
            "{first} is above {last}: a range begins with the smaller one"
        ));
    }
    if first == last {
        return Err(format!("both ends are {first}: one value needs no range"));
    }
    if whole {
        whole_numbers(first, last, count)
    } else {
        numbers([from, to], count.unwrap_or(VALUES))
    }
}

/// The values of a list. Commas in brackets, braces and quotes are parts of a value.
fn listed(text: &str) -> Vec<String> {
    let (mut depth, mut quote) = (0_usize, None);
    let between = |letter: char| {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => quote = Some(letter),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0 && quote.is_none()
    };
    let values = text.split(between);
    values.map(|value| value.trim().to_owned()).collect()
}

fn counted(text: &str) -> Result<u64, String> {
    let count = text.trim().parse::<u64>();
    let count = count.map_err(|_| format!("{text:?} is no number of values: A..B/11 has 11"))?;
    if count < 2 {
        return Err(format!("a range has at least 2 values, not {count}"));
    }
    bounded(count)
}

fn bounded(count: u64) -> Result<u64, String> {
    let most = Sweep::MOST_RUNS as u64;
    if count > most {
        return Err(format!("a sweep has at most {} runs", Grouped(most)));
    }
    Ok(count)
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("{text:?} is not a number; a range is A..B, or A..B/COUNT"))
}

fn whole_numbers(first: &str, last: &str, count: Option<u64>) -> Result<Vec<String>, String> {
    let whole = |text: &str| {
        let whole = text.parse::<i128>().ok();
        // What is beyond fits no parameter.
        let whole = whole.filter(|whole| whole.unsigned_abs() <= u64::MAX.into());
        whole.ok_or_else(|| format!("{text} is not a whole number, as this parameter is"))
    };
    let (from, to) = (whole(first)?, whole(last)?);
    let apart = to - from;
    let count = match count {
        Some(count) => count,
        None => bounded(u64::try_from(apart + 1).unwrap_or(u64::MAX))?,
    };
    let steps = i128::from(count) - 1;
    if apart % steps != 0 {
        return Err(format!(
            "this parameter is a whole number, and {} of them can't be evenly apart; {first}..{last} has all",
            Grouped(count)
        ));
    }
    let step = apart / steps;
    Ok((0..=steps)
        .map(|at| (from + at * step).to_string())
        .collect())
}

fn numbers([from, to]: [f64; 2], count: u64) -> Result<Vec<String>, String> {
    let largest = from.abs().max(to.abs());
    let digits = DIGITS - 1 - largest.log10().floor() as i32;
    let digits = usize::try_from(digits).unwrap_or(0);
    let steps = (count - 1) as f64;
    let value = |at: u64| {
        let part = at as f64 / steps;
        let exact = match at {
            0 => from,
            _ if at == count - 1 => to,
            _ => from * (1.0 - part) + to * part,
        };
        let rounded: f64 = format!("{exact:.digits$}").parse().unwrap_or(exact);
        // A zero has no sign.
        rounded + 0.0
    };
    let values: Vec<f64> = (0..count).map(value).collect();
    let is_same = |pair: &[f64]| matches!(pair, [one, other] if one >= other);
    if values.windows(2).any(is_same) {
        let count = Grouped(count);
        return Err(format!("{from} and {to} are too close for {count} values"));
    }
    // TOML tells 1.0 from 1.
    Ok(values.iter().map(|value| format!("{value:?}")).collect())
}

/// Seeds: so many from 0 on, a range, or a list.
#[derive(Clone, Debug)]
pub struct Seeds(pub Vec<u64>);

/// Parses [`Seeds`].
pub fn seeds(text: &str) -> Result<Seeds, String> {
    if let Ok(count) = text.parse::<u64>() {
        if count == 0 {
            return Err("a sweep needs at least one seed".into());
        }
        return Ok(Seeds((0..bounded(count)?).collect()));
    }
    let seed = |text: String| {
        let wrong = |_| {
            format!(
                "{text:?} is no seed, a whole number from 0 on; seeds are 20 (0 to 19), 20..39 or 3,5,7"
            )
        };
        text.parse().map_err(wrong)
    };
    let seeds = values(text, true)?.into_iter().map(seed);
    seeds.collect::<Result<_, _>>().map(Seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, whole: bool) -> Result<String, String> {
        values(text, whole).map(|values| values.join(" "))
    }

    #[test]
    fn ranges_and_lists_are_values() {
        for (text, whole, expected) in [
            ("0.1..0.3/5", false, "0.1 0.15 0.2 0.25 0.3"),
            ("0..1", false, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"),
            ("-0.3..0.3/7", false, "-0.3 -0.2 -0.1 0.0 0.1 0.2 0.3"),
            ("1e-3..3e-3/3", false, "0.001 0.002 0.003"),
            ("-1e308..1e308/3", false, "-1e308 0.0 1e308"),
            ("1e-310..3e-310/3", false, "1e-310 2e-310 3e-310"),
            ("1..2/4", false, "1.0 1.33333333333333 1.66666666666667 2.0"),
            ("4..8", true, "4 5 6 7 8"),
            ("-4..8/4", true, "-4 0 4 8"),
            ("0.1", false, "0.1"),
            ("0.1, 0.2,x", false, "0.1 0.2 x"),
            ("[3,4],[5,6]", false, "[3,4] [5,6]"),
            ("\"a,b\",'c..d'", false, "\"a,b\" 'c..d'"),
        ] {
            assert_eq!(of(text, whole).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for (text, whole, expected) in [
            (
                "0.3..0.1",
                false,
                "0.3 is above 0.1: a range begins with the smaller one",
            ),
            (
                "0.1..0.1/3",
                false,
                "both ends are 0.1: one value needs no range",
            ),
            (
                "nan..1",
                false,
                "\"nan\" is not a number; a range is A..B, or A..B/COUNT",
            ),
            (
                "0..inf",
                false,
                "\"inf\" is not a number; a range is A..B, or A..B/COUNT",
            ),
            (
                "0..",
                false,
                "\"\" is not a number; a range is A..B, or A..B/COUNT",
            ),
            (
                "0..=1",
                false,
                "\"=1\" is not a number; a range is A..B, or A..B/COUNT",
            ),
            (
                "0..1..0.1",
                false,
                "\"1..0.1\" is not a number; a range is A..B, or A..B/COUNT",
            ),
            ("0..1/0", false, "a range has at least 2 values, not 0"),
            ("0..1/1", false, "a range has at least 2 values, not 1"),
            (
                "0..1/x",
                false,
                "\"x\" is no number of values: A..B/11 has 11",
            ),
            (
                "0..1/10000001",
                false,
                "a sweep has at most 10,000,000 runs",
            ),
            ("0..10000000", true, "a sweep has at most 10,000,000 runs"),
            (
                "0..18446744073709551615",
                true,
                "a sweep has at most 10,000,000 runs",
            ),
            (
                "1..1.0000000000000002",
                false,
                "1 and 1.0000000000000002 are too close for 11 values",
            ),
            (
                "4.5..8",
                true,
                "4.5 is not a whole number, as this parameter is",
            ),
            (
                "4..9/3",
                true,
                "this parameter is a whole number, and 3 of them can't be evenly apart; 4..9 has all",
            ),
            ("0..1,2", false, "either a range, A..B, or a list, A,B,C"),
            ("", false, "a value is missing"),
            ("1,,2", false, "a value is missing"),
        ] {
            assert_eq!(of(text, whole), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn seeds_are_counted_from_0_or_named() {
        let of = |text| seeds(text).map(|seeds| seeds.0);
        assert_eq!(of("3"), Ok(vec![0, 1, 2]));
        assert_eq!(of("20..22"), Ok(vec![20, 21, 22]));
        assert_eq!(of("7,18446744073709551615"), Ok(vec![7, u64::MAX]));
        assert_eq!(of("0"), Err("a sweep needs at least one seed".into()));
        assert_eq!(
            of("99999999999"),
            Err("a sweep has at most 10,000,000 runs".into())
        );
        for wrong in ["x", "1,-2", "-3..2", "1.5"] {
            assert!(of(wrong).unwrap_err().contains("is no seed"), "{wrong}");
        }
    }
}
