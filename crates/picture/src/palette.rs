//! Colours on white.

#![allow(clippy::unreadable_literal)] // A colour reads as 0xrrggbb.

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
    /// The colour of `0xrrggbb`.
    const fn hex(hex: u32) -> Self {
        Self((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
    }

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
const VALUES: [u32; 10] = [
    0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b,
    0xfde725,
];
/// Counts and times, from least to greatest: nearly white to dark red.
const COUNTS: [u32; 9] = [
    0xfff7ec, 0xfee8c8, 0xfdd49e, 0xfdbb84, 0xfc8d59, 0xef6548, 0xd7301f, 0xb30000, 0x7f0000,
];
/// Colours without a meaning that are easy to tell apart.
const APART: [u32; 10] = [
    0x1f77b4, 0xd66e00, 0x2c8c2c, 0xb23caa, 0x008c96, 0xa07800, 0x6e50c8, 0xc82864, 0x28966e,
    0x825a46,
];
/// The colours of numbers in Minesweeper.
const DIGITS: [u32; 10] = [
    0x636b75, 0x0000e6, 0x007300, 0xd00000, 0x000073, 0x730000, 0x007373, 0x101216, 0x6e6e6e,
    0x101216,
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
        let stops: &[u32] = match self {
            Self::Values => &VALUES,
            Self::Counts => &COUNTS,
        };
        let part = if part.is_finite() { part } else { 0.0 };
        let part = (part.clamp(0.0, 1.0) * SHADES).round() / SHADES;
        let place = part * stops.len().saturating_sub(1) as f64;
        let stop = |at: f64| stops.get(at as usize).map_or(WHITE, |hex| Rgb::hex(*hex));
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
        Tint::Other(number) => APART
            .get(number % APART.len())
            .map_or(INK, |hex| Rgb::hex(*hex)),
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
        Face::Number(digit) => DIGITS.get(digit as usize).map_or(INK, |hex| Rgb::hex(*hex)),
        Face::Other => of_tint(tint(text), 1),
        _ => BLACK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_end_to_end() {
        assert_eq!(Heat::Values.at(0.0), Rgb(68, 1, 84));
        assert_eq!(Heat::Values.at(1.0), Rgb(253, 231, 37));
        assert_eq!(Heat::Counts.at(f64::NAN), Rgb(255, 247, 236));
        assert_eq!(Rgb(0, 10, 255).to_string(), "#000aff");
    }
}
