//! Writes SVG, and measures text. Text of a recording goes only through [`Svg::text`] and
//! [`Svg::element`], which escape it.

use std::fmt::{self, Display, Write};

use super::palette::{INK, Rgb, WHITE};

/// A step shorter than this is not drawn.
const NEAR: f64 = 0.6;

/// SVG in the making.
#[derive(Default)]
pub struct Svg(String);

/// A number, rounded to hundredths and written as short as possible.
#[derive(Clone, Copy)]
pub struct N(pub f64);

impl Display for N {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // NaN becomes 0; a place too far away is not visible anyway.
        let value = if self.0.is_finite() { self.0 } else { 0.0 };
        let hundredths = (value.clamp(-1e6, 1e6) * 100.0).round() as i64;
        let (whole, part) = (hundredths / 100, hundredths.abs() % 100);
        let sign = if hundredths < 0 && whole == 0 {
            "-"
        } else {
            ""
        };
        match (part, part % 10) {
            (0, _) => write!(f, "{whole}"),
            (part, 0) => write!(f, "{sign}{whole}.{}", part / 10),
            (part, _) => write!(f, "{sign}{whole}.{part:02}"),
        }
    }
}

/// Text, escaped for XML.
pub struct Escaped<'t>(pub &'t str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\n' | '\t' => f.write_char(' ')?,
                // XML cannot hold these characters, not even escaped.
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                // These characters would change the direction of the text.
                '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    f.write_char('\u{fffd}')?;
                }
                letter if letter.is_control() => f.write_char('\u{fffd}')?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// The point of a text that is at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// The look of a text.
#[derive(Clone, Copy)]
pub struct Letters {
    pub size: f64,
    pub ink: Rgb,
    pub anchor: Anchor,
    pub bold: bool,
    /// A white outline, for text on a drawing.
    pub halo: bool,
}

impl Letters {
    /// Dark text that starts at its place.
    pub const fn new(size: f64) -> Self {
        Self {
            size,
            ink: INK,
            anchor: Anchor::Start,
            bold: false,
            halo: false,
        }
    }

    pub const fn ink(self, ink: Rgb) -> Self {
        Self { ink, ..self }
    }

    pub const fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub const fn halo(self) -> Self {
        Self { halo: true, ..self }
    }
}

impl Svg {
    /// Writes elements that hold no text of a recording.
    pub fn put(&mut self, what: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.0.write_fmt(what);
        self.0.push('\n');
    }

    /// Writes a text; `y` is its base line.
    pub fn text(&mut self, x: f64, y: f64, letters: Letters, text: &str) {
        let Letters { size, ink, .. } = letters;
        let anchor = match letters.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let bold = if letters.bold {
            r#" font-weight="700""#
        } else {
            ""
        };
        let _ = write!(
            self.0,
            r#"<text x="{}" y="{}" font-size="{}" fill="{ink}"{anchor}{bold}"#,
            N(x),
            N(y),
            N(size)
        );
        if letters.halo {
            let _ = write!(
                self.0,
                r#" stroke="{WHITE}" stroke-width="3" stroke-linejoin="round" paint-order="stroke""#
            );
        }
        let _ = writeln!(self.0, ">{}</text>", Escaped(text));
    }

    /// Writes an element that holds text: `title`, `desc`.
    pub fn element(&mut self, element: &str, id: &str, text: &str) {
        let _ = writeln!(
            self.0,
            r#"<{element} id="{id}">{}</{element}>"#,
            Escaped(text)
        );
    }

    /// A path through some places.
    pub fn path(
        &mut self,
        places: impl Iterator<Item = (f64, f64)>,
        ink: Rgb,
        wide: f64,
        opacity: f64,
    ) {
        let (mut path, mut last) = (String::new(), None);
        let mut skipped = None;
        for (x, y) in places {
            let is_near = |(a, b): &(f64, f64)| (x - a).abs() < NEAR && (y - b).abs() < NEAR;
            if last.as_ref().is_some_and(is_near) {
                skipped = Some((x, y));
                continue;
            }
            let sign = if last.is_none() { 'M' } else { 'L' };
            let _ = write!(path, "{sign}{} {}", N(x), N(y));
            (last, skipped) = (Some((x, y)), None);
        }
        // The path ends at the last place.
        if let Some((x, y)) = skipped {
            let _ = write!(path, "L{} {}", N(x), N(y));
        }
        if path.contains('L') {
            self.put(format_args!(
                r#"<path fill="none" stroke="{ink}" stroke-width="{}" stroke-opacity="{}" stroke-linejoin="round" stroke-linecap="round" d="{path}"/>"#,
                N(wide),
                N(opacity)
            ));
        }
    }

    /// The SVG written so far.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends other SVG.
    pub fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }
}

/// The widths of the ASCII characters from the space on, in thousandths of the font size: those of
/// `DejaVu Sans`, and of `Verdana`, which is as wide.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];
/// The width of bold text relative to normal text.
const BOLD: f64 = 1.12;

/// The width of a text in this font size.
pub fn width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| {
        let known = (letter as usize).checked_sub(32);
        match known.and_then(|at| WIDTHS.get(at)) {
            Some(width) => f64::from(*width),
            // An unknown character counts as wide; East Asian characters are square.
            None if letter as u32 >= 0x1100 => 1000.0,
            None => 700.0,
        }
    };
    text.chars().map(letter).sum::<f64>() * size / 1000.0
}

/// The width of a bold text.
pub fn bold_width(text: &str, size: f64) -> f64 {
    width(text, size) * BOLD
}

/// Cuts a text to fit; a text that was cut ends in `…`.
pub fn fitted(text: &str, size: f64, room: f64) -> String {
    // A longer text never fits; it need not be measured.
    const MOST: usize = 400;
    let mut fits = String::new();
    let (mut used, end) = (0.0, width("…", size));
    let whole = text.chars().nth(MOST).is_none() && width(text, size) <= room;
    if whole {
        return text.to_owned();
    }
    for letter in text.chars().take(MOST) {
        used += width(letter.encode_utf8(&mut [0; 4]), size);
        if used + end > room {
            break;
        }
        fits.push(letter);
    }
    fits.push('…');
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts: Vec<String> = [0.0, -0.001, 1.5, -0.25, -12.345, 1e300, f64::NAN, 3.0]
            .map(|number| N(number).to_string())
            .to_vec();
        assert_eq!(
            texts,
            ["0", "0", "1.5", "-0.25", "-12.35", "1000000", "0", "3"]
        );
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(
            Escaped("<img onerror=\"x\">&\u{0}\u{1b}\u{202e}\u{ffff}").to_string(),
            "&lt;img onerror=&quot;x&quot;&gt;&amp;\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn text_is_cut_where_its_room_ends() {
        assert_eq!(fitted("short", 10.0, 100.0), "short");
        let cut = fitted(&"long ".repeat(1 << 18), 10.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 100.0, "{cut}");
        assert_eq!(fitted("any", 10.0, 0.0), "…");
    }
}
