//! Draws signs: of cells, of entities, of the cursor, and in the legend.

use super::palette::{self, BLACK, DIFFERS, GAP, Rgb, WHITE};
use super::svg::{Anchor, Letters, N, Svg};
use crate::scene::symbols::{Face, face};

/// The icon of an entry in the legend.
#[derive(Clone, Debug)]
pub enum Icon {
    /// A cell with this text; the symbol of that text.
    Cell(String, char),
    /// The sign of an entity.
    Sign(char, Rgb),
    /// A piece of a path in this colour.
    Path(Rgb),
    /// The outline of a cell.
    Outline(Rgb),
}

/// Draws the content of a cell, given its upper left corner and size. The background is drawn already.
pub fn in_cell(svg: &mut Svg, (x, y): (f64, f64), size: f64, text: &str, symbol: char) {
    let (cx, cy) = (x + size / 2.0, y + size / 2.0);
    match face(text) {
        Face::Blank | Face::Closed | Face::Pressed | Face::Wall => {}
        Face::Flag => flag(svg, (cx, cy), size),
        Face::Mine | Face::Blast => mine(svg, (cx, cy), size),
        Face::Number(digit) => written(svg, (cx, cy), size, text, &digit.to_string()),
        Face::Question => written(svg, (cx, cy), size, text, "?"),
        Face::Other => written(svg, (cx, cy), size, text, symbol.encode_utf8(&mut [0; 4])),
    }
}

fn written(svg: &mut Svg, (cx, cy): (f64, f64), size: f64, text: &str, sign: &str) {
    let letters = Letters::new(size * 0.7)
        .ink(palette::letter(text))
        .anchor(Anchor::Middle)
        .bold();
    svg.text(cx, cy + size * 0.255, letters, sign);
}

fn flag(svg: &mut Svg, (x, y): (f64, f64), size: f64) {
    let at = |dx: f64, dy: f64| format!("{} {}", N(x + dx * size), N(y + dy * size));
    svg.put(format_args!(
        r#"<path d="M{}L{}L{}L{}L{}z" fill="{BLACK}"/><path d="M{}L{}" stroke="{BLACK}" stroke-width="{}"/><path d="M{}L{}L{}z" fill="{DIFFERS}"/>"#,
        at(-0.3, 0.34),
        at(-0.16, 0.2),
        at(0.2, 0.2),
        at(0.34, 0.34),
        at(-0.3, 0.34),
        at(0.06, 0.24),
        at(0.06, -0.36),
        N(size * 0.07),
        at(0.09, -0.38),
        at(0.09, 0.06),
        at(-0.36, -0.16),
    ));
}

fn mine(svg: &mut Svg, (x, y): (f64, f64), size: f64) {
    let long = size * 0.36;
    let slant = long * 0.7;
    svg.put(format_args!(
        r#"<path d="M{} {}h{}M{} {}v{}M{} {}l{d} {d}M{} {}l{d} -{d}" stroke="{BLACK}" stroke-width="{}" fill="none"/><circle cx="{}" cy="{}" r="{}" fill="{BLACK}"/><circle cx="{}" cy="{}" r="{}" fill="{WHITE}"/>"#,
        N(x - long),
        N(y),
        N(2.0 * long),
        N(x),
        N(y - long),
        N(2.0 * long),
        N(x - slant),
        N(y - slant),
        N(x - slant),
        N(y + slant),
        N(size * 0.08),
        N(x),
        N(y),
        N(size * 0.24),
        N(x - size * 0.08),
        N(y - size * 0.08),
        N(size * 0.06),
        d = N(2.0 * slant),
    ));
}

/// Draws the sign of an entity on a map.
pub fn entity(svg: &mut Svg, (x, y): (f64, f64), r: f64, sign: char, colour: Rgb) {
    let hollow = matches!(sign, '○' | '◇' | '△' | '□');
    let (fill, line) = if hollow {
        (WHITE, colour)
    } else {
        (colour, WHITE)
    };
    let wide = if hollow { r * 0.4 } else { r * 0.2 };
    let look = format!(
        r#"fill="{fill}" stroke="{line}" stroke-width="{}""#,
        N(wide)
    );
    match sign {
        '●' | '○' => svg.put(format_args!(
            r#"<circle cx="{}" cy="{}" r="{}" {look}/>"#,
            N(x),
            N(y),
            N(r)
        )),
        '▲' | '△' => svg.put(format_args!(
            r#"<path d="M{} {}L{} {}L{} {}z" {look}/>"#,
            N(x),
            N(y - r * 1.15),
            N(x + r * 1.1),
            N(y + r * 0.8),
            N(x - r * 1.1),
            N(y + r * 0.8)
        )),
        '□' => svg.put(format_args!(
            r#"<path d="M{} {}h{s}v{s}h-{s}z" {look}/>"#,
            N(x - r * 0.9),
            N(y - r * 0.9),
            s = N(r * 1.8)
        )),
        _ => svg.put(format_args!(
            r#"<path d="M{} {}l{d} {d}l-{d} {d}l-{d} -{d}z" {look}/>"#,
            N(x),
            N(y - r * 1.25),
            d = N(r * 1.25)
        )),
    }
}

/// Draws an arrow, given its tip.
pub fn cursor(svg: &mut Svg, (x, y): (f64, f64), size: f64) {
    let at = |dx: f64, dy: f64| format!("{} {}", N(x + dx * size), N(y + dy * size));
    svg.put(format_args!(
        r#"<path d="M{}L{}L{}L{}L{}L{}L{}z" fill="{WHITE}" stroke="{BLACK}" stroke-width="{}" stroke-linejoin="round"/>"#,
        at(0.0, 0.0),
        at(0.0, 0.82),
        at(0.19, 0.65),
        at(0.32, 0.95),
        at(0.45, 0.89),
        at(0.32, 0.6),
        at(0.58, 0.58),
        N((size * 0.07).max(1.0)),
    ));
}

/// Draws an icon of the legend, 16 units wide and high.
pub fn icon(svg: &mut Svg, x: f64, y: f64, icon: &Icon) {
    match icon {
        Icon::Cell(text, symbol) => {
            svg.put(format_args!(
                r#"<rect x="{}" y="{}" width="16" height="16" fill="{}" stroke="{GAP}"/>"#,
                N(x),
                N(y),
                palette::ground(text)
            ));
            in_cell(svg, (x, y), 16.0, text, *symbol);
        }
        Icon::Sign(sign, colour) => entity(svg, (x + 8.0, y + 8.0), 6.0, *sign, *colour),
        Icon::Path(colour) => svg.put(format_args!(
            r#"<path d="M{} {}c5 -9 9 7 16 -2" stroke="{colour}" stroke-width="2" fill="none"/>"#,
            N(x),
            N(y + 9.0)
        )),
        Icon::Outline(colour) => svg.put(format_args!(
            r#"<rect x="{}" y="{}" width="14" height="14" fill="none" stroke="{colour}" stroke-width="3"/>"#,
            N(x + 1.0),
            N(y + 1.0)
        )),
    }
}
