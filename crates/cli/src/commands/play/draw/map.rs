//! Positions, seen from above.

use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Points as Dots};

use super::paint::Paint;
use super::pen::{Pen, width as columns};
use super::rows::clipped;
use crate::commands::play::news::Shot;
use crate::commands::play::sight::Sight;
use crate::scene::map::{Sides, Thing, things};
use crate::scene::views::Points;
use gametape::core::table::plain;

/// With more things than this their names would hide each other.
const NAMED: usize = 40;
/// The longest name.
const NAME: usize = 14;
pub fn draw(pen: &mut Pen<'_>, map: &[Points], sight: &Sight, shot: &Shot) {
    let height = pen.height().saturating_sub(1);
    // A line is as high as two columns are wide.
    let room = [pen.width(), 2 * height].map(|room| room.max(1) as f64);
    let sides = Sides::new(map, &sight.bounds, sight.plane).fit(room[0], room[1]);
    let paint = pen.paint;
    let states = map.iter().zip(&shot.states);
    let things: Vec<Thing> = states
        .enumerate()
        .flat_map(|(at, (points, batch))| things(points, at, batch, &sides))
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
    let [right, up] = sides.names();
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
        right,
        end(sides.across).trim_end(),
        up,
        if sides.flipped { "down" } else { "up" },
        end(down).trim_end(),
    );
    pen.put(0, height, &text, paint.faint());
}

/// Things, and the names for which there is room beside them.
fn put(field: &mut Pen<'_>, things: &[Thing], sides: &Sides) {
    let paint = field.paint;
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
        field.put(x, y, &thing.sign.to_string(), paint.tint(thing.tint));
        taken.push((y, x..x + 1));
    }
    // With more things their names would hide all else.
    for thing in things.iter().filter(|_| things.len() <= NAMED) {
        let name = clipped(&thing.name, NAME);
        let ((x, y), wide) = (cell(thing), columns(&name));
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
            field.put(x, y, &name, paint.tint(thing.tint));
            taken.push((y, x..x + wide));
        }
    }
}
