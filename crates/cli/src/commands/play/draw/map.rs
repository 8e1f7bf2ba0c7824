//! Positions, seen from above.

use gametape::{Batch, Value};
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Points as Dots};

use super::paint::Paint;
use super::pen::{Pen, width as columns};
use super::rows::clipped;
use crate::commands::play::cells::number;
use crate::commands::play::news::Shot;
use crate::commands::play::sight::{Plane, Sight};
use crate::commands::play::text::{plain, shown};
use crate::commands::play::views::Points;

/// With more things than this their names would hide each other.
const NAMED: usize = 40;
/// The longest name.
const NAME: usize = 14;
const AXES: [&str; 3] = ["x", "y", "z"];

/// A thing at a place.
struct Thing {
    at: (f64, f64),
    sign: char,
    name: String,
    style: Style,
}

/// What goes right and what goes up, and from where to where.
struct Sides {
    axes: [usize; 2],
    /// What is greater is further down, as pixels are.
    flipped: bool,
    across: [f64; 2],
    up: [f64; 2],
}

impl Sides {
    /// Everything that was seen fits, and is as far apart each way.
    fn new(map: &[Points], sight: &Sight, width: usize, height: usize) -> Self {
        let three = map.iter().all(|points| points.three);
        let plane = if three { sight.plane } else { Plane::Xy };
        let long = |axis: usize| {
            let range = sight.bounds.get(axis).copied().flatten();
            range.map_or(0.0, |range| range.to - range.from)
        };
        // From above what is longer goes right, as screens do; it is turned for that, not mirrored.
        let turned = three && plane == Plane::Xz && long(2) > long(0);
        let axes = if turned { [2, 0] } else { plane.axes() };
        let flipped = turned || map.iter().any(|points| points.unit == "px");
        let bound = |axis: usize| {
            let range = sight.bounds.get(axis).copied().flatten();
            let (from, to) = range.map_or((0.0, 0.0), |range| (range.from, range.to));
            let room = ((to - from) * 0.05).max(0.5);
            [from - room, to + room]
        };
        let [mut across, mut up] = axes.map(bound);
        if flipped {
            up = [-up[1], -up[0]];
        }
        // A line is as high as two columns are wide.
        let scale = ((across[1] - across[0]) / width.max(1) as f64)
            .max((up[1] - up[0]) / (2 * height.max(1)) as f64);
        let widen = |range: &mut [f64; 2], length: f64| {
            let middle = f64::midpoint(range[0], range[1]);
            *range = [middle - length / 2.0, middle + length / 2.0];
        };
        widen(&mut across, scale * width as f64);
        widen(&mut up, scale * (2 * height) as f64);
        Self {
            axes,
            flipped,
            across,
            up,
        }
    }

    fn place(&self, points: &Points, batch: &Batch, row: usize) -> Option<(f64, f64)> {
        let [x, y] = self
            .axes
            .map(|axis| number(batch.get(row, points.at + axis)));
        let (x, y) = (x?, y?);
        Some((x, if self.flipped { -y } else { y }))
    }
}

pub fn draw(pen: &mut Pen<'_>, map: &[Points], sight: &Sight, shot: &Shot) {
    let height = pen.height().saturating_sub(1);
    let sides = Sides::new(map, sight, pen.width(), height);
    let paint = pen.paint;
    let states = map.iter().zip(&shot.states);
    let things: Vec<Thing> = states
        .enumerate()
        .flat_map(|(at, (points, batch))| {
            let sign = if at == 0 { '●' } else { '◆' };
            things(points, batch, sign, &sides, paint)
        })
        .collect();
    let trails = map.iter().zip(&shot.trails).flat_map(|(points, trail)| {
        let sides = &sides;
        trail.iter().flat_map(move |batch| {
            (0..batch.len()).filter_map(move |row| sides.place(points, batch, row))
        })
    });
    let trails: Vec<(f64, f64)> = trails.collect();
    let color = if paint == Paint::None {
        Color::Reset
    } else {
        Color::DarkGray
    };
    let canvas = Canvas::default()
        .marker(Marker::Braille)
        .x_bounds(sides.across)
        .y_bounds(sides.up)
        .paint(|scene| {
            scene.draw(&Dots {
                coords: &trails,
                color,
            });
        });
    let mut field = pen.part(0, height);
    canvas.render(field.area, field.buffer);
    put(&mut field, &things, &sides);
    let unit = map.first().map_or("", |points| &points.unit);
    let end = |range: [f64; 2]| format!("{} to {} {unit}", plain(range[0], 1), plain(range[1], 1));
    let name = |at: usize| AXES.get(sides.axes[at]).copied().unwrap_or("");
    let down = if sides.flipped {
        [-sides.up[1], -sides.up[0]]
    } else {
        sides.up
    };
    let other = if map.iter().all(|points| points.three) {
        "  (v: another side)"
    } else {
        ""
    };
    let text = format!(
        "{} right, {}; {} {}, {}{other}",
        name(0),
        end(sides.across).trim_end(),
        name(1),
        if sides.flipped { "down" } else { "up" },
        end(down).trim_end(),
    );
    pen.put(0, height, &text, paint.faint());
}

/// Things, and the names for which there is room beside them.
fn put(field: &mut Pen<'_>, things: &[Thing], sides: &Sides) {
    let [width, height] = [field.width(), field.height()];
    let place = |at: f64, [from, to]: [f64; 2], room: usize| {
        let part = (at - from) / (to - from);
        (part * room.saturating_sub(1) as f64).round() as usize
    };
    let cell = |thing: &Thing| {
        let up = place(thing.at.1, sides.up, height);
        let down = height.saturating_sub(1).saturating_sub(up);
        (place(thing.at.0, sides.across, width), down)
    };
    let mut taken: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    for thing in things {
        let (x, y) = cell(thing);
        field.put(x, y, &thing.sign.to_string(), thing.style);
        taken.push((y, x..x + 1));
    }
    // With more things their names would hide all else.
    for thing in things.iter().filter(|_| things.len() <= NAMED) {
        let ((x, y), wide) = (cell(thing), columns(&thing.name));
        let left = x.checked_sub(wide);
        let places = [
            Some((x + 1, y)),
            left.map(|left| (left, y)),
            Some((x, y + 1)),
            y.checked_sub(1).map(|above| (x, above)),
        ];
        let free = |(x, y): &(usize, usize)| {
            let hits = |(line, range): &(usize, std::ops::Range<usize>)| {
                line == y && range.start < x + wide && *x < range.end
            };
            *y < height && x + wide <= width && !taken.iter().any(hits)
        };
        if let Some((x, y)) = places.into_iter().flatten().find(free) {
            field.put(x, y, &thing.name, thing.style);
            taken.push((y, x..x + wide));
        }
    }
}

fn things(points: &Points, batch: &Batch, sign: char, sides: &Sides, paint: Paint) -> Vec<Thing> {
    let text = |row: usize, column: Option<usize>| match column.map(|at| batch.get(row, at)) {
        Some(Value::Text(text)) if !text.is_empty() => Some(shown(Value::Text(text), None)),
        _ => None,
    };
    let thing = |row: usize| {
        let keys: Vec<String> = (0..points.keys)
            .map(|at| shown(batch.get(row, at), None))
            .collect();
        let key = if keys.is_empty() {
            points.table.clone()
        } else {
            keys.join(" ")
        };
        let team = text(row, points.team);
        Some(Thing {
            at: sides.place(points, batch, row)?,
            sign: team.as_deref().map_or(sign, Paint::point),
            name: clipped(&text(row, points.name).unwrap_or(key), NAME),
            style: paint.named(team.as_deref().unwrap_or(&points.table)),
        })
    };
    (0..batch.len()).filter_map(thing).collect()
}
