//! Draws positions, and the ways to them.

use std::collections::BTreeMap;

use super::ink::{FAINT, Heat, INK, RULE, Rgb, WAY, of_tint};
use super::letters::{bold_width, fitted};
use super::page::{MARGIN, Page, WIDTH};
use super::signs::{self, Icon};
use super::svg::{Anchor, Letters, N, Svg};
use super::way::line;
use crate::scene::map::{Sides, Thing};
use crate::scene::text::digits;
use crate::scene::tracks::{Density, Track};
use crate::scene::views::Points;
use gametape::core::table::plain;

/// With more things than this their names would hide each other; with more than that, their ways.
const NAMED: usize = 40;
pub const FOLLOWED: usize = 24;
/// How wide a name may be.
const NAME: f64 = 120.0;
const LETTER: f64 = 13.0;
/// Where the numbers stand.
const LEFT: f64 = 52.0;
const BELOW: f64 = 40.0;
/// How high the ground may be, and has to be.
const HIGH: f64 = 720.0;
const LOW: f64 = 220.0;

/// What the map is drawn on.
#[derive(Clone, Copy)]
pub struct Ground {
    pub sides: Sides,
    wide: f64,
    high: f64,
}

impl Ground {
    /// All of these sides, as far apart each way.
    pub fn new(sides: Sides) -> Self {
        let wide = WIDTH - 2.0 * MARGIN - LEFT;
        let ratio = (sides.up[1] - sides.up[0]) / (sides.across[1] - sides.across[0]);
        let high = if ratio.is_finite() { wide * ratio } else { LOW };
        let high = high.clamp(LOW, HIGH).round();
        Self {
            sides: sides.fit(wide, high),
            wide,
            high,
        }
    }

    fn spot(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let part = |at: f64, [from, to]: [f64; 2]| (at - from) / (to - from);
        (
            MARGIN + LEFT + part(x, self.sides.across) * self.wide,
            (1.0 - part(y, self.sides.up)) * self.high,
        )
    }
}

/// What is drawn on it.
pub struct Drawing<'s> {
    pub map: &'s [Points],
    pub ground: Ground,
    /// Of which table each is.
    pub things: &'s [(usize, Thing)],
    pub tracks: &'s [Track],
    pub density: Option<(&'s Density, &'static str)>,
    /// What ways and signs say.
    pub ways: &'static str,
}

impl Drawing<'_> {
    pub fn draw(&self, page: &mut Page) {
        let mut svg = Svg::default();
        let most = self.density.map_or(0.0, |(density, _)| {
            self.heat(&mut svg, density);
            density.long.iter().copied().fold(0.0, f64::max)
        });
        self.rules(&mut svg);
        let shades = self.shades();
        let shade = |nth: usize, thing: &Thing| {
            let key = (nth, thing.name.clone());
            if self.is_ground() {
                return WAY;
            }
            of_tint(thing.tint, shades.get(&key).copied().unwrap_or_default())
        };
        // Many ways are a ground for what is at their ends.
        let faint = if self.tracks.len() > FOLLOWED {
            0.3
        } else {
            0.6
        };
        for track in self.tracks {
            let ink = shade(track.nth, &track.thing);
            for way in &track.ways {
                let places = way.iter().map(|at| self.ground.spot(*at));
                line(&mut svg, places, ink, 1.8, faint);
            }
        }
        self.signs(&mut svg, shade);
        page.svg.put(format_args!(
            r#"<g transform="translate(0 {})">"#,
            N(page.y)
        ));
        page.svg.append(&svg);
        page.svg.put(format_args!("</g>"));
        page.y += self.ground.high + BELOW;
        page.legend(&self.entries());
        if self.density.is_some() && !self.things.is_empty() {
            page.note("signs: where things were last");
        }
        if let Some((_, unit)) = self.density.filter(|_| most > 0.0) {
            let tick = |part: f64| {
                (
                    part,
                    format!("{} {unit}", plain(part * part * most, digits(most))),
                )
            };
            let ticks = [0.0, 0.25, 0.5, 1.0].map(tick);
            let what = "how long something was in each square";
            page.scale(what, |part| Heat::Counts.at(part), &ticks);
        }
    }

    /// Whether colours say how long, so that they can't say which thing it is of so many.
    const fn is_ground(&self) -> bool {
        self.density.is_some() && self.things.len() > NAMED
    }

    /// Things of one colour are told apart by its shades, while they are few.
    fn shades(&self) -> BTreeMap<(usize, String), usize> {
        let mut shades = BTreeMap::new();
        let tracked = self.tracks.iter().map(|track| (track.nth, &track.thing));
        let all = tracked.chain(self.things.iter().map(|(nth, thing)| (*nth, thing)));
        let mut seen: Vec<(crate::scene::tint::Tint, usize)> = Vec::new();
        for (nth, thing) in all {
            let key = (nth, thing.name.clone());
            if shades.len() > FOLLOWED {
                return BTreeMap::new();
            }
            if shades.contains_key(&key) {
                continue;
            }
            let of = seen.iter().position(|(tint, _)| *tint == thing.tint);
            let shade = if let Some((_, count)) = of.and_then(|at| seen.get_mut(at)) {
                *count += 1;
                *count
            } else {
                seen.push((thing.tint, 0));
                0
            };
            shades.insert(key, shade);
        }
        shades
    }

    fn heat(&self, svg: &mut Svg, density: &Density) {
        use std::fmt::Write;
        let most = density.long.iter().copied().fold(0.0, f64::max);
        let mut paths: BTreeMap<Rgb, String> = BTreeMap::new();
        let wide = self.ground.wide / density.across.max(1) as f64;
        let high = self.ground.high / density.down.max(1) as f64;
        for (at, long) in density.long.iter().enumerate() {
            if *long <= 0.0 {
                continue;
            }
            let (x, y) = (at % density.across.max(1), at / density.across.max(1));
            let path = paths
                .entry(Heat::Counts.at((long / most).sqrt()))
                .or_default();
            let _ = write!(
                path,
                "M{} {}h{w}v{h}h-{w}z",
                N(MARGIN + LEFT + x as f64 * wide),
                N(self.ground.high - (y + 1) as f64 * high),
                w = N(wide),
                h = N(high)
            );
        }
        for (colour, path) in paths {
            svg.put(format_args!(r#"<path fill="{colour}" d="{path}"/>"#));
        }
    }

    /// The frame, lines at round numbers, and the numbers.
    fn rules(&self, svg: &mut Svg) {
        let Ground { sides, wide, high } = self.ground;
        let (left, bottom) = (MARGIN + LEFT, high);
        let small = Letters::new(11.0).ink(FAINT);
        let (step, digits) = step(sides.across, wide / 80.0);
        for at in marks(sides.across, step) {
            let (x, _) = self.ground.spot((at, 0.0));
            svg.put(format_args!(
                r#"<path d="M{} 0v{}" stroke="{RULE}"/>"#,
                N(x),
                N(high)
            ));
            let letters = small.anchor(Anchor::Middle);
            svg.text(x, bottom + 15.0, letters, &plain(at + 0.0, digits));
        }
        let (step, digits) = self::step(sides.up, high / 60.0);
        for at in marks(sides.up, step) {
            let (_, y) = self.ground.spot((0.0, at));
            svg.put(format_args!(
                r#"<path d="M{} {}h{}" stroke="{RULE}"/>"#,
                N(left),
                N(y),
                N(wide)
            ));
            let at = if sides.flipped { 0.0 - at } else { at + 0.0 };
            let letters = small.anchor(Anchor::End);
            svg.text(left - 6.0, y + 4.0, letters, &plain(at, digits));
        }
        svg.put(format_args!(
            r#"<rect x="{}" y="0" width="{}" height="{}" fill="none" stroke="{FAINT}"/>"#,
            N(left),
            N(wide),
            N(high)
        ));
        let [right, up] = sides.names();
        let unit = self.map.first().map_or("", |points| &points.unit);
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" ({unit})")
        };
        let letters = Letters::new(12.0).ink(INK);
        let text = format!("{right}{unit} →");
        let end = letters.anchor(Anchor::End);
        svg.text(left + wide, bottom + 31.0, end, &text);
        let arrow = if sides.flipped { "↓" } else { "↑" };
        svg.text(MARGIN, -6.0, letters, &format!("{up}{unit} {arrow}"));
    }

    /// Signs, and the names for which there is room beside them.
    fn signs(&self, svg: &mut Svg, shade: impl Fn(usize, &Thing) -> Rgb) {
        let r = match self.things.len() {
            few if few <= NAMED => 6.5,
            some if some <= 5 * NAMED => 4.5,
            _ => 3.0,
        };
        let mut taken: Vec<[f64; 4]> = Vec::new();
        for (nth, thing) in self.things {
            let (x, y) = self.ground.spot(thing.at);
            signs::thing(svg, (x, y), r, thing.sign, shade(*nth, thing));
            taken.push([x - r, y - r, x + r, y + r]);
        }
        if self.things.len() > NAMED {
            return;
        }
        let (right, below) = (MARGIN + LEFT + self.ground.wide, self.ground.high);
        for (nth, thing) in self.things {
            let (x, y) = self.ground.spot(thing.at);
            let name = fitted(&thing.name, LETTER, NAME);
            let wide = bold_width(&name, LETTER);
            let (gap, half) = (r + 4.0, wide / 2.0);
            let places = [
                (x + gap, y + 4.5),
                (x - gap - wide, y + 4.5),
                (x - half, y - gap),
                (x - half, y + gap + 9.0),
                (x + gap * 0.7, y - gap * 0.8),
                (x + gap * 0.7, y + gap + 6.0),
                (x - gap * 0.7 - wide, y - gap * 0.8),
                (x - gap * 0.7 - wide, y + gap + 6.0),
            ];
            let area = |(x, y): (f64, f64)| [x, y - 10.5, x + wide, y + 3.0];
            let free = |at: &(f64, f64)| {
                let own = area(*at);
                let [from, top, to, bottom] = own;
                let within = from >= MARGIN + LEFT && to <= right && top >= 0.0 && bottom <= below;
                within && !taken.iter().any(|other| hit(own, *other))
            };
            if let Some(at) = places.into_iter().find(free) {
                let letters = Letters::new(LETTER).ink(shade(*nth, thing)).halo().bold();
                svg.text(at.0, at.1, letters, &name);
                taken.push(area(at));
            }
        }
    }

    /// What signs mean, and how many there are of each.
    fn entries(&self) -> Vec<(Icon, String)> {
        let mut counts: Vec<(&Thing, &str, usize)> = Vec::new();
        for (nth, thing) in self.things {
            let table = self.map.get(*nth).map_or("", |points| &points.table);
            let name = thing.team.as_deref().unwrap_or(table);
            let same = |(other, of, _): &&mut (&Thing, &str, usize)| {
                *of == name && other.sign == thing.sign
            };
            match counts.iter_mut().find(same) {
                Some((.., count)) => *count += 1,
                None => counts.push((thing, name, 1)),
            }
        }
        let entry = |(thing, name, count): (&Thing, &str, usize)| {
            let colour = if self.is_ground() {
                WAY
            } else {
                of_tint(thing.tint, 0)
            };
            let icon = Icon::Sign(thing.sign, colour);
            let text = if count > 1 {
                format!("{name}: {count}")
            } else {
                name.to_owned()
            };
            (icon, text)
        };
        let mut entries: Vec<(Icon, String)> = counts.into_iter().map(entry).collect();
        if self.tracks.iter().any(|track| !track.ways.is_empty()) {
            entries.push((Icon::Way(FAINT), self.ways.to_owned()));
        }
        entries
    }
}

/// Whether two areas have something in common: left, top, right, bottom.
fn hit(one: [f64; 4], other: [f64; 4]) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

/// A round step that a range has about so many of, and the digits that its numbers need.
fn step([from, to]: [f64; 2], count: f64) -> (f64, usize) {
    let wanted = (to - from) / count.max(1.0);
    let ten = 10_f64.powf(wanted.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|times| times * ten);
    let step = round.into_iter().find(|step| *step >= wanted);
    let step = step.unwrap_or(wanted);
    let digits = (-step.log10()).ceil().clamp(0.0, 6.0) as usize;
    (step, digits)
}

/// The multiples of a step within a range.
fn marks([from, to]: [f64; 2], step: f64) -> impl Iterator<Item = f64> {
    let first = (from / step).ceil();
    let count = ((to / step).floor() - first).clamp(-1.0, 100.0);
    (0..=(count as i64)).map(move |nth| (first + nth as f64) * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beside_a_map_are_round() {
        let (step, digits) = step([-31.0, 44.0], 9.0);
        assert!((step - 10.0).abs() < 1e-9 && digits == 0);
        let told: Vec<f64> = marks([-31.0, 44.0], step).collect();
        assert_eq!(told.first(), Some(&-30.0));
        assert_eq!(told.last(), Some(&40.0));
        assert_eq!(self::step([0.0, 0.3], 6.0).1, 2);
        assert_eq!(marks([0.1, 0.2], 1.0).count(), 0);
    }
}
