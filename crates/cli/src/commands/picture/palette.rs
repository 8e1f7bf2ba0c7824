//! Colours on white.

use std::fmt;

use crate::scene::symbols::{Face, Tint, face, tint};

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl Rgb {
    /// Mixes in a part, from 0 to 1, of another colour.
    pub fn to(self, other: Self, part: f64) -> Self {
        let part = part.clamp(0.0, 1.0);
        let mix = |from: u8, to: u8| {
            (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8
        };
        Self(
            mix(self.0, other.0),
            mix(self.1, other.1),
            mix(self.2, other.2),
        )
    }
}

pub const WHITE: Rgb = Rgb(255, 255, 255);
pub const BLACK: Rgb = Rgb(16, 18, 22);
/// Text.
pub const INK: Rgb = Rgb(31, 35, 40);
/// Less important text.
pub const FAINT: Rgb = Rgb(99, 107, 117);
/// Lines in the background.
pub const RULE: Rgb = Rgb(222, 225, 230);
/// Empty places.
pub const NOTHING: Rgb = Rgb(246, 247, 249);
/// Marks cells whose compared columns differ.
pub const DIFFERS: Rgb = Rgb(207, 34, 46);
/// Paths.
pub const PATH: Rgb = Rgb(9, 55, 120);
/// Between cells.
pub const GAP: Rgb = Rgb(152, 160, 171);
const OPEN: Rgb = Rgb(238, 240, 243);
const CLOSED: Rgb = Rgb(184, 193, 205);
const PRESSED: Rgb = Rgb(214, 219, 226);

/// The values of cells, from least to greatest: dark blue to yellow.
const VALUES: [Rgb; 10] = [
    Rgb(68, 1, 84),
    Rgb(72, 40, 120),
    Rgb(62, 73, 137),
    Rgb(49, 104, 142),
    Rgb(38, 130, 142),
    Rgb(31, 158, 137),
    Rgb(53, 183, 121),
    Rgb(110, 206, 88),
    Rgb(181, 222, 43),
    Rgb(253, 231, 37),
];
/// Counts and times, from least to greatest: nearly white to dark red.
const COUNTS: [Rgb; 9] = [
    Rgb(255, 247, 236),
    Rgb(254, 232, 200),
    Rgb(253, 212, 158),
    Rgb(253, 187, 132),
    Rgb(252, 141, 89),
    Rgb(239, 101, 72),
    Rgb(215, 48, 31),
    Rgb(179, 0, 0),
    Rgb(127, 0, 0),
];
/// Colours without a meaning that are easy to tell apart.
const APART: [Rgb; 10] = [
    Rgb(31, 119, 180),
    Rgb(214, 110, 0),
    Rgb(44, 140, 44),
    Rgb(178, 60, 170),
    Rgb(0, 140, 150),
    Rgb(160, 120, 0),
    Rgb(110, 80, 200),
    Rgb(200, 40, 100),
    Rgb(40, 150, 110),
    Rgb(130, 90, 70),
];
/// The colours of numbers in Minesweeper.
const DIGITS: [Rgb; 10] = [
    FAINT,
    Rgb(0, 0, 230),
    Rgb(0, 115, 0),
    Rgb(208, 0, 0),
    Rgb(0, 0, 115),
    Rgb(115, 0, 0),
    Rgb(0, 115, 115),
    BLACK,
    Rgb(110, 110, 110),
    BLACK,
];

/// The meaning of a scale of colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heat {
    /// The values of cells.
    Values,
    /// Counts and times.
    Counts,
}

/// The number of shades in a scale. Runs of cells with the same shade are drawn as one.
const SHADES: f64 = 64.0;

impl Heat {
    /// The colour at a part of the scale, from 0 to 1.
    pub fn at(self, part: f64) -> Rgb {
        let stops: &[Rgb] = match self {
            Self::Values => &VALUES,
            Self::Counts => &COUNTS,
        };
        let part = if part.is_finite() { part } else { 0.0 };
        let part = (part.clamp(0.0, 1.0) * SHADES).round() / SHADES;
        let place = part * stops.len().saturating_sub(1) as f64;
        let stop = |at: f64| stops.get(at as usize).copied().unwrap_or(WHITE);
        stop(place.floor()).to(stop(place.ceil()), place.fract())
    }
}

/// The colour of a tint, in one of four shades.
pub fn of_tint(tint: Tint, nth: usize) -> Rgb {
    let base = match tint {
        Tint::Blue => Rgb(22, 104, 227),
        Tint::Orange => Rgb(224, 108, 0),
        Tint::Red => Rgb(207, 34, 46),
        Tint::Green => Rgb(26, 127, 55),
        Tint::Grey => Rgb(120, 126, 134),
        Tint::Other(number) => APART.get(number % APART.len()).copied().unwrap_or(INK),
    };
    match nth % 4 {
        0 => base,
        1 => base.to(BLACK, 0.4),
        2 => base.to(WHITE, 0.35),
        _ => base.to(BLACK, 0.65),
    }
}

/// The background of a cell that holds a text.
pub fn ground(text: &str) -> Rgb {
    match face(text) {
        Face::Number(_) | Face::Blank | Face::Mine => OPEN,
        Face::Closed | Face::Flag | Face::Question => CLOSED,
        Face::Pressed => PRESSED,
        Face::Wall => Rgb(74, 80, 90),
        Face::Blast => Rgb(248, 81, 73),
        Face::Other => of_tint(tint(text), 0).to(WHITE, 0.72),
    }
}

/// The colour of the text in a cell.
pub fn letter(text: &str) -> Rgb {
    match face(text) {
        Face::Number(digit) => DIGITS.get(digit as usize).copied().unwrap_or(INK),
        Face::Other => of_tint(tint(text), 1),
        _ => BLACK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_end_to_end() {
        assert_eq!(Heat::Values.at(0.0), VALUES[0]);
        assert_eq!(Heat::Values.at(1.0), VALUES[9]);
        assert_eq!(Heat::Counts.at(f64::NAN), COUNTS[0]);
        assert_eq!(Rgb(0, 10, 255).to_string(), "#000aff");
    }
}
