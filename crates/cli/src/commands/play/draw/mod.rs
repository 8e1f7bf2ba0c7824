//! Draws the screen: a header, the tabs, a view, the timeline, a message, and the keys.

mod grid;
mod list;
mod map;
pub mod paint;
mod pen;
mod rows;
mod timeline;

use gametape::Severity;
use ratatui::Frame;
use ratatui::style::{Modifier, Style};

use self::paint::Paint;
use self::pen::{Pen, width, wrapped};
use super::keys;
use super::player::Player;
use gametape::core::surface::MarkerKind;
use gametape::core::text::Counted;
use gametape_picture::scene::board::Board;
use gametape_picture::scene::time::moment;
use gametape_picture::scene::views::View;

/// The lines above the view (header, tabs) and below it (timeline, keys), without the message.
const ABOVE: usize = 2;
const BELOW: usize = 2;
/// The largest number of lines of the message on a screen of at least `ROOMY` lines; on others, 1.
const MESSAGE: usize = 3;
const ROOMY: usize = 30;

/// Draws the screen until the recording is open.
pub fn opening(frame: &mut Frame<'_>, paint: Paint, path: &str, tenths: u128) {
    let mut pen = pen(frame, paint);
    let dots = ".".repeat((tenths / 5 % 4) as usize);
    pen.put(0, 0, &format!("opening {path} {dots}"), paint.head());
    let seconds = format!("{} s   q quit", tenths / 10);
    pen.put(0, 2, &seconds, paint.faint());
}

fn pen<'f>(frame: &'f mut Frame<'_>, paint: Paint) -> Pen<'f> {
    let area = frame.area();
    Pen {
        buffer: frame.buffer_mut(),
        area,
        paint,
    }
}

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, paint: Paint, player: &Player) {
    let mut pen = pen(frame, paint);
    let message = message(paint, player);
    let most = if pen.height() < ROOMY { 1 } else { MESSAGE };
    let lines = message
        .as_ref()
        .map_or_else(Vec::new, |((sign, _), (text, _))| {
            let room = pen.width().saturating_sub(width(sign));
            wrapped(text, room, most)
        });
    let below = BELOW + lines.len().max(1);
    let room = pen.height().saturating_sub(ABOVE + below);
    header(&mut pen.part(0, 1), player);
    tabs(&mut pen.part(1, 1), player);
    let mut body = pen.part(ABOVE, room);
    if player.help {
        help(&mut body);
    } else {
        view(&mut body, player);
    }
    let mut foot = pen.part(ABOVE + room, below);
    timeline::draw(&mut foot.part(0, 1), player);
    match &message {
        None => counts(&mut foot.part(1, 1), player),
        Some(((sign, its), (_, style))) => {
            let end = foot.put(0, 1, sign, *its);
            for (y, line) in lines.iter().enumerate() {
                foot.put(end, y + 1, line, *style);
            }
        }
    }
    key_line(&mut foot.part(below - 1, 1), player.typing.is_some());
}

/// `final.rmv  rmv v2          > 1x  12.345 s  step 6`; `||` while it is paused.
fn header(pen: &mut Pen<'_>, player: &Player) {
    let sign = if player.clock.is_playing() { ">" } else { "||" };
    let late = if player.is_late() { "… " } else { "" };
    let now = format!(
        " {late}{sign} {}  {}",
        player.clock.speed(),
        moment(player.now())
    );
    let room = pen.width().saturating_sub(width(&now) + 1);
    let format = format!("  {}", player.opened.format);
    let damage = player.problem().map(|problem| format!("  {problem}"));
    // A long path is cut to its end. The damage takes the rest, but a part of it is always visible.
    let most = room.saturating_sub(width(&format) + damage.as_ref().map_or(0, |_| 12));
    let path = end_of(&player.opened.path, most);
    let end = pen.put(0, 0, &path, pen.paint.head());
    let end = pen.put(end, 0, &format, Style::new());
    if let Some(damage) = damage {
        let damage = rows::clipped(&damage, room.saturating_sub(end));
        pen.put(end, 0, &damage, pen.paint.bad());
    }
    pen.put_before(
        pen.width(),
        0,
        &now,
        Style::new().add_modifier(Modifier::BOLD),
    );
}

fn end_of(path: &str, most: usize) -> String {
    if width(path) <= most {
        return path.to_owned();
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    rows::clipped(name, most.max(1))
}

/// Draws the views with their digits. The current view is always visible.
fn tabs(pen: &mut Pen<'_>, player: &Player) {
    let names = player.views.iter().enumerate().map(|(at, view)| {
        let digit = if at < 9 {
            format!("{} ", at + 1)
        } else {
            String::new()
        };
        format!(" {digit}{} ", view.name())
    });
    let names: Vec<String> = names.collect();
    let upto = |from: usize| {
        let seen = names.iter().take(player.view + 1).skip(from);
        seen.map(|name| width(name)).sum::<usize>()
    };
    let from = (0..player.view).find(|from| upto(*from) <= pen.width());
    let from = from.unwrap_or(player.view);
    let upto_end = names
        .iter()
        .skip(from)
        .map(|name| width(name))
        .sum::<usize>();
    let mut x = 0;
    for (at, name) in names.iter().enumerate().skip(from) {
        let style = if at == player.view {
            pen.paint.head().add_modifier(Modifier::REVERSED)
        } else {
            pen.paint.faint()
        };
        x = pen.put(x, 0, name, style);
    }
    // Marks views that do not fit.
    if from > 0 {
        pen.put(0, 0, "<", pen.paint.head());
    }
    if upto_end > pen.width() {
        pen.put_before(pen.width(), 0, ">", pen.paint.head());
    }
}

fn view(pen: &mut Pen<'_>, player: &Player) {
    let (Some((view, view_state)), Some(response)) = (player.seen(), &player.response) else {
        return;
    };
    match view {
        View::Marks => list::marks(pen, &player.marks, player.searched, view_state.down),
        View::Events(name) => {
            if let Some(table) = player.table(name) {
                let (rows, upto) = player.events(name);
                list::events(pen, table, (&rows, upto), view_state.down);
            }
        }
        View::Rows(name) => {
            if let Some((table, now)) = player.table(name).zip(response.state(name)) {
                let before = player
                    .before
                    .as_ref()
                    .and_then(|response| response.state(name));
                rows::draw(pen, table, now, before, view_state);
            }
        }
        View::Grid(grid) => {
            let value = grid.values.get(view_state.value).copied();
            let batch = response.state(&grid.table).zip(value);
            if let Some((table, (batch, value))) = player.table(&grid.table).zip(batch) {
                let scene = grid::Scene {
                    board: Board {
                        grid,
                        table,
                        cells: &view_state.cells,
                        legend: &view_state.legend,
                        batch,
                        cursor: grid.cursor.as_ref().and_then(|table| response.state(table)),
                        value,
                    },
                    view_state,
                };
                grid::draw(pen, &scene);
            }
        }
        // The response may belong to another view.
        View::Map(map) if response.query.trail => map::draw(pen, map, view_state, response),
        View::Map(_) => {}
    }
}

/// The line below the timeline, with a sign before it: the moment that is typed, a message, the marker at
/// this moment, or the damage of the recording.
fn message(paint: Paint, player: &Player) -> Option<((String, Style), (String, Style))> {
    let plain = Style::new();
    let alone = |text: String, style| Some(((String::new(), plain), (text, style)));
    if let Some(typing) = &player.typing {
        return Some((
            ("go to: ".to_owned(), paint.head()),
            (format!("{typing}_"), plain),
        ));
    }
    if let Some(message) = &player.message {
        return alone(message.clone(), paint.changed());
    }
    if let Some(mark) = player.mark_here() {
        let (sign, style) = paint.mark(mark.kind);
        return Some(((format!("{sign} "), style), (mark.to_string(), plain)));
    }
    alone(player.problem()?, paint.bad())
}

/// Draws the number of markers of each kind.
fn counts(pen: &mut Pen<'_>, player: &Player) {
    let kinds = [
        (MarkerKind::Finding(Severity::Error), "error"),
        (MarkerKind::Finding(Severity::Warning), "warning"),
        (MarkerKind::Finding(Severity::Info), "remark"),
        (MarkerKind::Event, "event"),
    ];
    let mut end = 0;
    if !player.searched {
        end = pen.put(end, 0, "looking for markers …   ", pen.paint.faint());
    }
    for (kind, name) in kinds {
        let count = player.count(kind);
        if count > 0 {
            let (sign, style) = pen.paint.mark(kind);
            end = pen.put(end, 0, &format!("{sign} "), style);
            let counted = Counted(count, name);
            end = pen.put(end, 0, &format!("{counted}   "), pen.paint.faint());
        }
    }
}

/// Draws the keys in the last line.
fn key_line(pen: &mut Pen<'_>, typing: bool) {
    let keys: &[(&str, &str)] = if typing { &keys::TYPING } else { &keys::LINE };
    let mut x = 0;
    for (key, what) in keys {
        x = pen.put(x, 0, key, pen.paint.head());
        x = pen.put(x + 1, 0, what, pen.paint.faint()) + 1;
    }
}

/// Draws all keys.
fn help(pen: &mut Pen<'_>) {
    for (y, (key, what)) in keys::ALL.iter().enumerate() {
        pen.put(0, y, key, pen.paint.head());
        pen.put(14, y, what, Style::new());
    }
}
