//! Paints a map: positions, paths, and the time spent in each place.

use std::collections::BTreeMap;

use super::page::{MARGIN, Page, WIDTH};
use super::palette::{FAINT, Heat, INK, PATH, RULE, Rgb, of_tint};
use super::signs::{self, Icon};
use super::svg::{Anchor, Letters, N, Svg, bold_width, fitted};
use crate::scene::map::{Entity, Labels, MAX_NAMED, Projection};
use crate::scene::symbols::Tint;
use crate::scene::tracks::{Density, Track};
use crate::scene::views::Points;
use gametape::core::surface::plain;
use gametape::core::text::Grouped;

/// The largest number of entities whose paths are told apart by shades; more paths would hide one another.
pub const MAX_FOLLOWED: usize = 24;
/// The largest width of a name.
const NAME: f64 = 120.0;
const LETTER: f64 = 13.0;
/// The room for numbers: left of the map and below it.
const LEFT: f64 = 52.0;
const BELOW: f64 = 40.0;
/// The largest and the least height of the ground.
const MAX_HEIGHT: f64 = 720.0;
const MIN_HEIGHT: f64 = 220.0;

/// The area that the map is drawn on.
#[derive(Clone, Copy)]
pub struct Ground {
    pub projection: Projection,
    wide: f64,
    high: f64,
}

impl Ground {
    /// Makes the area for a projection, with the same scale in both directions.
    pub fn new(projection: Projection) -> Self {
        let wide = WIDTH - 2.0 * MARGIN - LEFT;
        let ratio =
            (projection.up[1] - projection.up[0]) / (projection.across[1] - projection.across[0]);
        let high = if ratio.is_finite() {
            wide * ratio
        } else {
            MIN_HEIGHT
        };
        let high = high.clamp(MIN_HEIGHT, MAX_HEIGHT).round();
        Self {
            projection: projection.fit(wide, high),
            wide,
            high,
        }
    }

    fn spot(&self, at: (f64, f64)) -> (f64, f64) {
        let (right, up) = self.projection.part(at);
        (MARGIN + LEFT + right * self.wide, (1.0 - up) * self.high)
    }
}

/// A map with all that is drawn on it.
pub struct MapDrawing<'s> {
    pub map: &'s [Points],
    pub ground: Ground,
    /// The entities, each with the number of its table.
    pub entities: &'s [(usize, Entity)],
    pub tracks: &'s [Track],
    pub density: Option<(&'s Density, &'static str)>,
    /// The legend of the paths.
    pub paths: &'static str,
}

impl MapDrawing<'_> {
    /// The unit of the positions.
    pub fn unit(&self) -> &str {
        self.map.first().map_or("", |points| &points.unit)
    }

    pub fn draw(&self, page: &mut Page) {
        page.y += 14.0;
        let mut svg = Svg::default();
        let most = self.density.map_or(0.0, |(density, _)| {
            self.heat(&mut svg, density);
            density.times.iter().copied().fold(0.0, f64::max)
        });
        self.rules(&mut svg);
        let shades = self.shades();
        let shade = |nth: usize, entity: &Entity| {
            let key = (nth, entity.name.clone());
            if self.is_ground() {
                return PATH;
            }
            of_tint(entity.tint, shades.get(&key).copied().unwrap_or_default())
        };
        // Many paths are a background for the signs at their ends.
        let faint = if self.tracks.len() > MAX_FOLLOWED {
            0.3
        } else {
            0.6
        };
        for track in self.tracks {
            let ink = shade(track.nth, &track.entity);
            for path in &track.paths {
                let places = path.iter().map(|at| self.ground.spot(*at));
                svg.path(places, ink, 1.8, faint);
            }
        }
        self.signs(&mut svg, shade);
        page.place(&svg, self.ground.high + BELOW);
        page.legend(&self.entries());
        if self.density.is_some() && !self.entities.is_empty() {
            page.note("signs: where things were last");
        }
        if let Some((_, unit)) = self.density.filter(|_| most > 0.0) {
            page.time_scale("how long something was in each square", most, unit);
        }
    }

    /// Whether colours show times, so that they cannot tell so many entities apart.
    const fn is_ground(&self) -> bool {
        self.density.is_some() && self.entities.len() > MAX_NAMED
    }

    /// Gives entities of one colour different shades, unless there are too many.
    fn shades(&self) -> BTreeMap<(usize, String), usize> {
        let mut shades = BTreeMap::new();
        let tracked = self.tracks.iter().map(|track| (track.nth, &track.entity));
        let all = tracked.chain(self.entities.iter().map(|(nth, entity)| (*nth, entity)));
        let mut seen: Vec<(Tint, usize)> = Vec::new();
        for (nth, entity) in all {
            let key = (nth, entity.name.clone());
            if shades.len() > MAX_FOLLOWED {
                return BTreeMap::new();
            }
            if shades.contains_key(&key) {
                continue;
            }
            let of = seen.iter().position(|(tint, _)| *tint == entity.tint);
            let shade = if let Some((_, count)) = of.and_then(|at| seen.get_mut(at)) {
                *count += 1;
                *count
            } else {
                seen.push((entity.tint, 0));
                0
            };
            shades.insert(key, shade);
        }
        shades
    }

    fn heat(&self, svg: &mut Svg, density: &Density) {
        use std::fmt::Write;
        let most = density.times.iter().copied().fold(0.0, f64::max);
        let mut paths: BTreeMap<Rgb, String> = BTreeMap::new();
        let wide = self.ground.wide / density.across.max(1) as f64;
        let high = self.ground.high / density.down.max(1) as f64;
        for (at, long) in density.times.iter().enumerate() {
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

    /// Draws the frame, lines at round numbers, and the numbers.
    fn rules(&self, svg: &mut Svg) {
        let Ground {
            projection,
            wide,
            high,
        } = self.ground;
        let (left, bottom) = (MARGIN + LEFT, high);
        let small = Letters::new(11.0).ink(FAINT);
        let (step, digits) = step(projection.across, wide / 80.0);
        for at in marks(projection.across, step) {
            let (x, _) = self.ground.spot((at, 0.0));
            svg.put(format_args!(
                r#"<path d="M{} 0v{}" stroke="{RULE}"/>"#,
                N(x),
                N(high)
            ));
            let letters = small.anchor(Anchor::Middle);
            svg.text(x, bottom + 15.0, letters, &plain(at + 0.0, digits));
        }
        let (step, digits) = self::step(projection.up, high / 60.0);
        for at in marks(projection.up, step) {
            let (_, y) = self.ground.spot((0.0, at));
            svg.put(format_args!(
                r#"<path d="M{} {}h{}" stroke="{RULE}"/>"#,
                N(left),
                N(y),
                N(wide)
            ));
            let letters = small.anchor(Anchor::End);
            svg.text(
                left - 6.0,
                y + 4.0,
                letters,
                &plain(projection.vertical(at), digits),
            );
        }
        svg.put(format_args!(
            r#"<rect x="{}" y="0" width="{}" height="{}" fill="none" stroke="{FAINT}"/>"#,
            N(left),
            N(wide),
            N(high)
        ));
        let [right, up] = projection.map_axes();
        let unit = match self.unit() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let letters = Letters::new(12.0).ink(INK);
        let text = format!("{}{unit} →", right.name);
        let end = letters.anchor(Anchor::End);
        svg.text(left + wide, bottom + 31.0, end, &text);
        let arrow = if projection.downward { "↓" } else { "↑" };
        svg.text(MARGIN, -6.0, letters, &format!("{}{unit} {arrow}", up.name));
    }

    /// Draws the signs, and the names that fit beside them.
    fn signs(&self, svg: &mut Svg, shade: impl Fn(usize, &Entity) -> Rgb) {
        let r = match self.entities.len() {
            few if few <= MAX_NAMED => 6.5,
            some if some <= 5 * MAX_NAMED => 4.5,
            _ => 3.0,
        };
        let right = MARGIN + LEFT + self.ground.wide;
        let mut labels = Labels::new([MARGIN + LEFT, 0.0, right, self.ground.high]);
        for (nth, entity) in self.entities {
            let (x, y) = self.ground.spot(entity.at);
            signs::entity(svg, (x, y), r, entity.sign, shade(*nth, entity));
            labels.take([x - r, y - r, x + r, y + r]);
        }
        if self.entities.len() > MAX_NAMED {
            return;
        }
        for (nth, entity) in self.entities {
            let (x, y) = self.ground.spot(entity.at);
            let name = fitted(&entity.name, LETTER, NAME);
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
            if let Some(at) = labels.put(places, area) {
                let ink = shade(*nth, entity);
                let letters = Letters::new(LETTER).ink(ink).halo().bold();
                svg.text(at.0, at.1, letters, &name);
            }
        }
    }

    /// The legend: the meaning of each sign, and how often it is there.
    fn entries(&self) -> Vec<(Icon, String)> {
        let mut counts: Vec<(&Entity, &str, usize)> = Vec::new();
        for (nth, entity) in self.entities {
            let table = self.map.get(*nth).map_or("", |points| &points.table);
            let name = entity.team.as_deref().unwrap_or(table);
            let same = |(other, of, _): &&mut (&Entity, &str, usize)| {
                *of == name && other.sign == entity.sign
            };
            match counts.iter_mut().find(same) {
                Some((.., count)) => *count += 1,
                None => counts.push((entity, name, 1)),
            }
        }
        let entry = |(entity, name, count): (&Entity, &str, usize)| {
            let colour = if self.is_ground() {
                PATH
            } else {
                of_tint(entity.tint, 0)
            };
            let icon = Icon::Sign(entity.sign, colour);
            let text = if count > 1 {
                format!("{name}: {}", Grouped(count as u64))
            } else {
                name.to_owned()
            };
            (icon, text)
        };
        let mut entries: Vec<(Icon, String)> = counts.into_iter().map(entry).collect();
        if self.tracks.iter().any(|track| !track.paths.is_empty()) {
            entries.push((Icon::Path(FAINT), self.paths.to_owned()));
        }
        entries
    }
}

/// Returns a round step, of which the range has about `count`, and the decimals of its multiples.
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
        let found: Vec<f64> = marks([-31.0, 44.0], step).collect();
        assert_eq!(found.first(), Some(&-30.0));
        assert_eq!(found.last(), Some(&40.0));
        assert_eq!(self::step([0.0, 0.3], 6.0).1, 2);
        assert_eq!(marks([0.1, 0.2], 1.0).count(), 0);
    }
}
