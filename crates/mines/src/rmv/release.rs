//! The ViennaSweeper release that a recording names.

use std::borrow::Cow;

/// A release of ViennaSweeper, as the version info names it.
///
/// ```
/// use gametape_mines::Release;
/// let info = b"Vienna Minesweeper - Release 4.0.0 Copyright (C) 2008-2023 Christoph Nikolaus Marx";
/// let release = Release::of(info).unwrap();
/// assert_eq!(release.number, [4, 0, 0]);
/// assert_eq!(release.name, "4.0.0");
/// assert_eq!(release.not_before(), 2023);
/// assert_eq!(Release::of(b"another program, release 4.0.0"), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release<'a> {
    /// Major, minor and patch number; 0 for a missing part.
    pub number: [u16; 3],
    /// The release as written: `5.0.0b4`.
    pub name: Cow<'a, str>,
    /// The last year in the copyright notice. The release cannot be older.
    pub copyright: Option<u16>,
}

/// Whether a version info names ViennaSweeper. Letter case and text before the name do not matter:
/// they do not make it another program, of which the audit would demand less.
pub(crate) fn is_vienna_sweeper(version_info: &[u8]) -> bool {
    let first = version_info.iter().position(u8::is_ascii_alphanumeric);
    let named = version_info.get(first.unwrap_or(0)..).unwrap_or_default();
    let begins = named
        .get(..6)
        .is_some_and(|n| n.eq_ignore_ascii_case(b"Vienna"));
    begins || find(version_info, b"Vienna Minesweeper").is_some()
}

/// Finds a word in a text, ignoring case.
fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    let mut parts = text.windows(word.len());
    parts.position(|part| part.eq_ignore_ascii_case(word))
}

impl<'a> Release<'a> {
    /// The release that a version info names; `None` if it names another program or no release.
    #[must_use]
    pub fn of(version_info: &'a [u8]) -> Option<Self> {
        const WORD: &[u8] = b"Release ";
        if !is_vienna_sweeper(version_info) {
            return None;
        }
        let at = find(version_info, WORD)?;
        let rest = version_info.get(at + WORD.len()..)?;
        let end = rest
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.')
            .unwrap_or(rest.len());
        let name = rest.get(..end)?;
        let digits = name
            .iter()
            .position(|byte| !byte.is_ascii_digit() && *byte != b'.')
            .unwrap_or(name.len());
        let mut parts = std::str::from_utf8(name.get(..digits)?).ok()?.split('.');
        let major = parts.next()?.parse().ok()?;
        let mut next = || parts.next().map_or(Some(0), |part| part.parse().ok());
        Some(Self {
            number: [major, next()?, next().unwrap_or(0)],
            name: String::from_utf8_lossy(name),
            copyright: years(rest.get(end..)?).max(),
        })
    }

    /// The major version number.
    #[must_use]
    pub const fn major(&self) -> u16 {
        let [major, ..] = self.number;
        major
    }

    /// The earliest possible year of the release: the later of its copyright year and the year
    /// known from other files of the same major version.
    #[must_use]
    pub fn not_before(&self) -> u16 {
        let known = match self.major() {
            0 | 1 => 0,
            2 | 3 => 2008,
            4 => 2023,
            _ => 2024,
        };
        self.copyright.unwrap_or(0).max(known)
    }
}

/// The four-digit numbers in a text that are plausible years of a computer program (1990 to 2099).
fn years(text: &[u8]) -> impl Iterator<Item = u16> + '_ {
    text.split(|byte| !byte.is_ascii_digit())
        .filter(|digits| digits.len() == 4)
        .filter_map(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
        .filter(|year| (1990..2100).contains(year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_as_they_are_written() {
        let number = |info: &str| Release::of(info.as_bytes()).map(|release| release.number);
        let home = "Vienna Minesweeper - Home Edition - Release 2.2 (c)2008 Christoph";
        assert_eq!(number(home), Some([2, 2, 0]));
        assert_eq!(
            number("Vienna Minesweeper - Release 5.0.0b4"),
            Some([5, 0, 0])
        );
        assert_eq!(
            number("Vienna Minesweeper - Release 3.0.2C"),
            Some([3, 0, 2])
        );
        assert_eq!(number("Vienna Minesweeper - Release 3.0H"), Some([3, 0, 0]));
        for none in [
            "Vienna Minesweeper",
            "Vienna Minesweeper - Release ",
            "Vienna Minesweeper - Release x",
            "Vienna Minesweeper - Release 99999999",
            "Release 5.0.0",
            "",
        ] {
            assert_eq!(number(none), None, "{none}");
        }
    }

    #[test]
    fn neither_letter_case_nor_text_before_the_name_makes_it_another_program() {
        for info in [
            " Vienna Minesweeper - Release 3.0.2C",
            "vienna minesweeper - release 3.0.2C",
            "\u{feff}Vienna Minesweeper - RELEASE 3.0.2C",
            "A copy of Vienna Minesweeper, Release 3.0.2C",
        ] {
            let release = Release::of(info.as_bytes()).map(|release| release.number);
            assert_eq!(release, Some([3, 0, 2]), "{info}");
        }
        for other in ["", "Vien", "Freesweeper", "Like Vienna", "gametape"] {
            assert!(!is_vienna_sweeper(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_release_is_not_older_than_its_copyright() {
        let year = |info: &str| Release::of(info.as_bytes()).map(|release| release.not_before());
        assert_eq!(year("Vienna - Release 2.2 (c)2008 C. N."), Some(2008));
        assert_eq!(year("Vienna - Release 3.0 (C) 2008-2012 C. N."), Some(2012));
        assert_eq!(year("Vienna - Release 5.0.0a1"), Some(2024));
        assert_eq!(year("Vienna - Release 3.0 (C) 9999"), Some(2008));
        assert_eq!(year("Vienna - Release 1.0"), Some(0));
    }
}
