//! The result string of v1: `\n(KEY:VALUE#)*\n`.

use super::error::WriteError;
use crate::{Ending, Level};

/// A v1 result string, split into keys and values.
///
/// ```
/// use gametape_mines::rmv::ResultString;
/// let result = ResultString::parse(b"\nLEVEL:Expert#SCORE:34.88#3BV:128#\n");
/// assert_eq!(result.get("LEVEL"), Some(&b"Expert"[..]));
/// assert_eq!(result.number("3BV"), Some(128));
/// assert!(result.is_well_formed());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultString<'a> {
    body: &'a [u8],
    well_formed: bool,
}

impl<'a> ResultString<'a> {
    /// The keys that ViennaSweeper writes, in order.
    pub const KEYS: [&'static str; 7] =
        ["LEVEL", "SCORE", "NAME", "NICK", "3BV", "NF", "TIMESTAMP"];

    /// Splits `bytes`; malformed parts are left out and reported by
    /// [`ResultString::is_well_formed`].
    #[must_use]
    pub fn parse(bytes: &'a [u8]) -> Self {
        let body = bytes
            .strip_prefix(b"\n")
            .and_then(|rest| rest.strip_suffix(b"\n"));
        let well_formed = body.is_some_and(|body| {
            body.split_inclusive(|&b| b == b'#')
                .all(|pair| pair.ends_with(b"#") && pair.contains(&b':'))
        });
        Self {
            body: body.unwrap_or(bytes),
            well_formed,
        }
    }

    /// True if the string has the form that the specification requires.
    #[must_use]
    pub const fn is_well_formed(&self) -> bool {
        self.well_formed
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        self.body.split(|&b| b == b'#').filter_map(split_pair)
    }

    /// The first key that occurs twice.
    #[must_use]
    pub fn duplicate(&self) -> Option<&'a [u8]> {
        let mut keys: Vec<&[u8]> = self.iter().map(|(key, _)| key).collect();
        keys.sort_unstable();
        keys.windows(2)
            .find_map(|pair| (pair.first() == pair.last()).then(|| pair.first().copied())?)
    }

    /// The first value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.iter()
            .find(|(found, _)| *found == key.as_bytes())
            .map(|(_, value)| value)
    }

    /// The first value of a key, as a whole number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<u32> {
        std::str::from_utf8(self.get(key)?).ok()?.parse().ok()
    }

    /// The score in hundredths of a second; scores have exactly two decimals.
    #[must_use]
    pub fn score_hundredths(&self) -> Option<u64> {
        let text = std::str::from_utf8(self.get("SCORE")?).ok()?;
        let (seconds, hundredths) = text.split_once('.')?;
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if hundredths.len() != 2 || !digits(seconds) || !digits(hundredths) {
            return None;
        }
        let seconds: u64 = seconds.parse().ok()?;
        seconds
            .checked_mul(100)?
            .checked_add(hundredths.parse().ok()?)
    }
}

/// The time as in SCORE: seconds, truncated to two decimals.
pub(super) fn score(ending: Ending) -> String {
    let hundredths = ending.time_ms / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Splits one part of a result string into key and value; a leading line break is not part of the
/// key.
fn split_pair(pair: &[u8]) -> Option<(&[u8], &[u8])> {
    let pair = pair.strip_prefix(b"\n").unwrap_or(pair);
    let colon = pair.iter().position(|&b| b == b':')?;
    Some((pair.get(..colon)?, pair.get(colon + 1..)?))
}

/// A copy of the string in which `other` replaces values: it receives each key and value and may
/// return a new value. Everything else stays as it is, well-formed or not.
pub(super) fn with_values(
    string: &[u8],
    mut other: impl FnMut(&[u8], &[u8]) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let parts = string.split(|&b| b == b'#').map(|pair| {
        let changed = split_pair(pair).and_then(|(key, value)| {
            let start = pair.get(..pair.len() - value.len())?;
            Some([start, &other(key, value)?].concat())
        });
        changed.unwrap_or_else(|| pair.to_vec())
    });
    parts.collect::<Vec<_>>().join(&b'#')
}

/// The values of a result string that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct ResultParts<'a> {
    /// The level; its name is written.
    pub level: Level,
    /// The time, written as seconds truncated to two decimals.
    pub ending: Ending,
    /// The player's name.
    pub name: &'a str,
    /// The player's nickname.
    pub nick: &'a str,
    /// The 3BV of the board.
    pub bbbv: u32,
    /// Whether no flags were placed.
    pub nf: bool,
    /// The Unix time at which the board was generated.
    pub timestamp: u32,
}

impl ResultParts<'_> {
    /// The string as ViennaSweeper writes it.
    ///
    /// # Errors
    /// A name contains `#`, which would end it early, so that the rest could pass for other keys.
    pub fn write(&self) -> Result<String, WriteError> {
        if let Some(name) = [self.name, self.nick]
            .into_iter()
            .find(|name| name.contains('#'))
        {
            return Err(WriteError::Invalid(
                format!("the result string can't hold a name with a #: {name:?}").into(),
            ));
        }
        let level = match self.level {
            Level::Beginner => "Beginner",
            Level::Intermediate => "Intermediate",
            Level::Expert => "Expert",
            Level::Custom => "Custom",
        };
        Ok(format!(
            "\nLEVEL:{level}#SCORE:{}#NAME:{}#NICK:{}#3BV:{}#NF:{}#TIMESTAMP:{}#\n",
            score(self.ending),
            self.name,
            self.nick,
            self.bbbv,
            u8::from(self.nf),
            self.timestamp,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_strings_are_known() {
        for bad in [
            &b""[..],
            b"\n",
            b"LEVEL:x#\n",
            b"\nLEVEL:x\n",
            b"\nLEVEL#\n",
        ] {
            assert!(!ResultString::parse(bad).is_well_formed(), "{bad:?}");
        }
        assert!(ResultString::parse(b"\n\n").is_well_formed());
    }

    #[test]
    fn scores_have_two_decimals() {
        let score = |text: &str| {
            ResultString::parse(format!("\nSCORE:{text}#\n").as_bytes()).score_hundredths()
        };
        assert_eq!(score("34.88"), Some(3488));
        assert_eq!(score("0.67"), Some(67));
        for bad in ["34.8", "34", ".88", "34.-8", "x.00", "1.000"] {
            assert_eq!(score(bad), None, "{bad}");
        }
    }
}
