//! Writes SVG. Text of a recording goes through [`Svg::text`] and [`Svg::said`] alone, which escape it.

use std::fmt::{self, Display, Write};

use super::ink::{INK, Rgb, WHITE};

/// SVG that is being written.
#[derive(Default)]
pub struct Svg(String);

/// A number, as short as it is exact enough: to a hundredth.
#[derive(Clone, Copy)]
pub struct N(pub f64);

impl Display for N {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is no number is nowhere; what is too far away is not seen.
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

/// Text in XML.
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
                // XML has no such characters, not even escaped.
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                // Nor is text turned around by what it says.
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

/// Where a text is, of its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy)]
pub struct Letters {
    pub size: f64,
    pub ink: Rgb,
    pub anchor: Anchor,
    pub bold: bool,
    /// White around it, where it stands on something.
    pub halo: bool,
}

impl Letters {
    /// Dark ones that start at their place.
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
    /// Elements that hold no text of a recording.
    pub fn put(&mut self, what: fmt::Arguments<'_>) {
        // A string takes all that is written.
        let _ = self.0.write_fmt(what);
        self.0.push('\n');
    }

    /// A text; `y` is that of its base line.
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

    /// An element of a text: `title`, `desc`.
    pub fn said(&mut self, element: &str, id: &str, text: &str) {
        let _ = writeln!(
            self.0,
            r#"<{element} id="{id}">{}</{element}>"#,
            Escaped(text)
        );
    }

    /// What was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Goes on with what was written elsewhere.
    pub fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let told: Vec<String> = [0.0, -0.001, 1.5, -0.25, -12.345, 1e300, f64::NAN, 3.0]
            .map(|number| N(number).to_string())
            .to_vec();
        assert_eq!(
            told,
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
}
