//! A picture as a whole: what it is of, what is drawn, what signs and colours mean, one below the other.

use super::ink::{FAINT, RULE, Rgb};
use super::letters::{fitted, width};
use super::signs::{self, Icon};
use super::svg::{Anchor, Letters, N, Svg};

/// How wide a picture is, in its own units, which are pixels unless it is wanted larger.
pub const WIDTH: f64 = 800.0;
/// Around what is drawn.
pub const MARGIN: f64 = 24.0;
/// How wide what is drawn may be.
pub const ROOM: f64 = WIDTH - 2.0 * MARGIN;
const TITLE: f64 = 20.0;
const SMALL: f64 = 13.0;
/// More entries than this say less.
const ENTRIES: usize = 24;

/// A picture that is being made.
pub struct Page {
    pub svg: Svg,
    /// Where the next thing goes.
    pub y: f64,
}

/// A finished picture.
pub struct Picture {
    pub svg: String,
    /// In pixels.
    pub width: u32,
    pub height: u32,
}

impl Page {
    /// With what it is of.
    pub fn new(title: &str, under: &str) -> Self {
        let mut svg = Svg::default();
        let title = fitted(title, TITLE * 1.12, ROOM);
        svg.text(MARGIN, 36.0, Letters::new(TITLE).bold(), &title);
        let under = fitted(under, SMALL, ROOM);
        svg.text(MARGIN, 57.0, Letters::new(SMALL).ink(FAINT), &under);
        Self { svg, y: 74.0 }
    }

    /// A line of small text.
    pub fn note(&mut self, text: &str) {
        let text = fitted(text, SMALL, ROOM);
        let letters = Letters::new(SMALL).ink(FAINT);
        self.svg.text(MARGIN, self.y + SMALL, letters, &text);
        self.y += 22.0;
    }

    /// What signs mean.
    pub fn legend(&mut self, entries: &[(Icon, String)]) {
        let mut x = MARGIN;
        let more = entries.len().saturating_sub(ENTRIES);
        let more = (more > 0).then(|| format!("and {more} more"));
        let shown = entries.iter().take(ENTRIES);
        let shown = shown.map(|(icon, text)| (Some(icon), text.as_str()));
        for (icon, text) in shown.chain(more.iter().map(|text| (None, text.as_str()))) {
            let text = fitted(text, SMALL, ROOM - 30.0);
            let wide = 24.0 + width(&text, SMALL);
            if x + wide > WIDTH - MARGIN && x > MARGIN {
                x = MARGIN;
                self.y += 24.0;
            }
            if let Some(icon) = icon {
                signs::icon(&mut self.svg, x, self.y + 1.0, icon);
            }
            self.svg
                .text(x + 22.0, self.y + 13.0, Letters::new(SMALL), &text);
            x += wide + 16.0;
        }
        if !entries.is_empty() {
            self.y += 28.0;
        }
    }

    /// What colours mean: `at` gives the colour of a part of the bar, and ticks say numbers.
    pub fn scale(&mut self, what: &str, at: impl Fn(f64) -> Rgb, ticks: &[(f64, String)]) {
        const BAR: f64 = 320.0;
        const STEPS: u32 = 64;
        let y = self.y;
        self.svg
            .text(MARGIN, y + 12.0, Letters::new(SMALL).ink(FAINT), what);
        let left = MARGIN + 14.0;
        let top = y + 20.0;
        let step = BAR / f64::from(STEPS);
        for nth in 0..STEPS {
            let colour = at(f64::from(nth) / f64::from(STEPS - 1));
            let x = left + f64::from(nth) * step;
            self.svg.put(format_args!(
                r#"<rect x="{}" y="{}" width="{}" height="14" fill="{colour}"/>"#,
                N(x),
                N(top),
                // Without seams.
                N(step + 0.4),
            ));
        }
        for (part, text) in ticks {
            let x = left + part * BAR;
            self.svg.put(format_args!(
                r#"<path d="M{} {}v4" stroke="{FAINT}"/>"#,
                N(x),
                N(top + 14.0)
            ));
            let letters = Letters::new(12.0).anchor(Anchor::Middle);
            self.svg.text(x, top + 30.0, letters, text);
        }
        self.y = top + 40.0;
    }

    /// All of it, as wide as this in pixels; in words, too, for who can't see it.
    pub fn finish(self, title: &str, words: &str, width: u32) -> Picture {
        let height = (self.y + MARGIN - 12.0).ceil();
        let pixels = (height * f64::from(width) / WIDTH).round().max(1.0) as u32;
        let mut svg = Svg::default();
        svg.put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{pixels}" viewBox="0 0 {} {}" role="img" aria-labelledby="title desc" font-family="'DejaVu Sans',Verdana,sans-serif">"#,
            N(WIDTH),
            N(height)
        ));
        svg.said("title", "title", title);
        svg.said("desc", "desc", words);
        svg.put(format_args!(
            r##"<rect width="{}" height="{}" fill="#ffffff" stroke="{RULE}"/>"##,
            N(WIDTH),
            N(height)
        ));
        svg.append(&self.svg);
        svg.put(format_args!("</svg>"));
        Picture {
            svg: svg.as_str().to_owned(),
            width,
            height: pixels,
        }
    }
}
