//! The page of a picture: a title, drawings, legends and scales, one below the other.

use gametape::core::surface::plain;

use super::palette::{FAINT, Heat, RULE, Rgb};
use super::signs::{self, Icon};
use super::svg::{Anchor, Letters, N, Svg, fitted, width};
use crate::scene::range::decimals;

/// The width of a picture in SVG units: pixels, unless `--width` scales the picture.
pub const WIDTH: f64 = 800.0;
/// The margin around the drawing.
pub const MARGIN: f64 = 24.0;
/// The largest width of the drawing.
pub const ROOM: f64 = WIDTH - 2.0 * MARGIN;
const TITLE: f64 = 20.0;
const SMALL: f64 = 13.0;
/// The largest number of entries in a legend.
const ENTRIES: usize = 24;

/// A picture in the making.
pub struct Page {
    pub svg: Svg,
    /// The place of the next part.
    pub y: f64,
}

/// A finished picture.
#[derive(Debug)]
pub struct Picture {
    /// The picture as SVG.
    pub svg: String,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

impl Page {
    /// Starts a page with a title and a line below it.
    pub fn new(title: &str, under: &str) -> Self {
        let mut svg = Svg::default();
        let title = fitted(title, TITLE * 1.12, ROOM);
        svg.text(MARGIN, 36.0, Letters::new(TITLE).bold(), &title);
        let under = fitted(under, SMALL, ROOM);
        svg.text(MARGIN, 57.0, Letters::new(SMALL).ink(FAINT), &under);
        Self { svg, y: 74.0 }
    }

    /// Adds a drawing of this height.
    pub fn place(&mut self, drawing: &Svg, height: f64) {
        self.svg.put(format_args!(
            r#"<g transform="translate(0 {})">"#,
            N(self.y)
        ));
        self.svg.append(drawing);
        self.svg.put(format_args!("</g>"));
        self.y += height;
    }

    /// Adds a line of small text.
    pub fn note(&mut self, text: &str) {
        let text = fitted(text, SMALL, ROOM);
        let letters = Letters::new(SMALL).ink(FAINT);
        self.svg.text(MARGIN, self.y + SMALL, letters, &text);
        self.y += 22.0;
    }

    /// Adds a legend of signs.
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

    /// Adds a scale of times, up to the longest. Colours grow with the square root of the time.
    pub fn time_scale(&mut self, what: &str, most: f64, unit: &str) {
        let ticks = [0.0, 0.25, 0.5, 1.0].map(|part: f64| {
            let time = plain(part * part * most, decimals(most));
            (part, format!("{time} {unit}"))
        });
        self.scale(what, |part| Heat::Counts.at(part), &ticks);
    }

    /// Adds a scale of colours. `at` gives the colour of a part of the bar; ticks have numbers.
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
                // The overlap hides the seams.
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

    /// Finishes the picture, scaled to a width in pixels. The words describe it to readers who cannot see it.
    pub fn finish(self, title: &str, words: &str, width: u32) -> Picture {
        let height = (self.y + MARGIN - 12.0).ceil();
        let pixels = (height * f64::from(width) / WIDTH).round().max(1.0) as u32;
        let mut svg = Svg::default();
        svg.put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{pixels}" viewBox="0 0 {} {}" role="img" aria-labelledby="title desc" font-family="'DejaVu Sans',Verdana,sans-serif">"#,
            N(WIDTH),
            N(height)
        ));
        svg.element("title", "title", title);
        svg.element("desc", "desc", words);
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
