//! Draws a map.

use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Points as Dots};

use super::paint::Paint;
use super::pen::{Pen, width as columns};
use super::rows::clipped;
use crate::commands::play::messages::Response;
use crate::commands::play::view_state::ViewState;
use gametape::core::surface::plain;
use gametape_picture::scene::map::{Entity, Labels, MAX_NAMED, Projection, entities};
use gametape_picture::scene::views::Points;

/// The largest width of a name.
const NAME: usize = 14;

/// Draws a map with its trails.
pub fn draw(pen: &mut Pen<'_>, map: &[Points], view_state: &ViewState, response: &Response) {
    let height = pen.height().saturating_sub(1);
    // A line is as high as two columns are wide.
    let room = [pen.width(), 2 * height].map(|room| room.max(1) as f64);
    let projection =
        Projection::new(map, &view_state.bounds, view_state.plane).fit(room[0], room[1]);
    let paint = pen.paint;
    let entities = entities(map, &response.states, &projection);
    let trails = map
        .iter()
        .zip(&response.trails)
        .flat_map(|(points, trail)| {
            let projection = &projection;
            trail.iter().flat_map(move |batch| {
                (0..batch.len()).filter_map(move |row| projection.place(points, batch, row))
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
        .x_bounds(projection.across)
        .y_bounds(projection.up)
        .paint(|scene| {
            scene.draw(&Dots {
                coords: &trails,
                color,
            });
        });
    let mut field = pen.part(0, height);
    canvas.render(field.area, field.buffer);
    put(&mut field, &entities, &projection);
    let unit = map.first().map_or("", |points| &points.unit);
    let [right, up] = projection.map_axes().map(|axis| {
        let (from, to) = (plain(axis.from, 1), plain(axis.to, 1));
        let text = format!("{} {}, {from} to {to} {unit}", axis.name, axis.direction);
        text.trim_end().to_owned()
    });
    let other = if map.iter().all(|points| points.three) {
        "  (v: another side)"
    } else {
        ""
    };
    pen.put(0, height, &format!("{right}; {up}{other}"), paint.faint());
}

/// Draws the signs of entities, and the names that fit beside them.
fn put(field: &mut Pen<'_>, entities: &[(usize, Entity)], projection: &Projection) {
    let paint = field.paint;
    let [width, height] = [field.width(), field.height()];
    let cell = |entity: &Entity| {
        let (right, up) = projection.part(entity.at);
        let place =
            |part: f64, room: usize| (part * room.saturating_sub(1) as f64).round() as usize;
        let down = height.saturating_sub(1).saturating_sub(place(up, height));
        (place(right, width), down)
    };
    let mut labels = Labels::new([0.0, 0.0, width as f64, height as f64]);
    let area = |wide: usize| move |(x, y): (f64, f64)| [x, y, x + wide as f64, y + 1.0];
    for (_, entity) in entities {
        let (x, y) = cell(entity);
        field.put(x, y, &entity.sign.to_string(), paint.tint(entity.tint));
        labels.take(area(1)((x as f64, y as f64)));
    }
    if entities.len() > MAX_NAMED {
        return;
    }
    for (_, entity) in entities {
        let name = clipped(&entity.name, NAME);
        let wide = columns(&name);
        let (x, y) = cell(entity);
        let (x, y) = (x as f64, y as f64);
        let places = [
            (x + 1.0, y),
            (x - wide as f64, y),
            (x, y + 1.0),
            (x, y - 1.0),
        ];
        if let Some((x, y)) = labels.put(places, area(wide)) {
            field.put(x as usize, y as usize, &name, paint.tint(entity.tint));
        }
    }
}
