//! A recording at a moment.

use gametape::At;

use super::grid;
use super::map::{self, FOLLOWED, Ground};
use super::seen::{Source, placed};
use super::subject::{Drawn, Fault, Subject, symbols, tiles, value};
use crate::scene::board::Board;
use crate::scene::cells::Cells;
use crate::scene::map::{Sides, trail};
use crate::scene::text::told;
use crate::scene::views::{Grid, Points};
use crate::scene::words;

/// The cells of a grid.
pub fn grid(subject: &Subject<'_>, grid: &Grid, source: &mut Source<'_>) -> Result<Drawn, Fault> {
    let now = source.seek(subject.args.at)?;
    let states = source.states(subject.view)?;
    let table = source.table(&grid.table).zip(states.first());
    let Some((table, batch)) = table else {
        return Err(subject.fault("nothing holds"));
    };
    let cells = Cells::new(grid, table, batch);
    let value = value(subject, grid, table)?;
    let drawing = grid::Drawing {
        board: Board {
            grid,
            table,
            cells: &cells,
            batch,
            cursor: states.get(1),
        },
        tiles: tiles(subject, grid, table, &cells)?,
        value,
    };
    let mut page = subject.page(&told(now));
    drawing.at(&mut page, &symbols(grid, batch));
    let mut words = words::cells(&drawing.board, value, now);
    if let Some(note) = drawing.note(drawing.together()) {
        words = format!("{words} In the picture {note}.");
    }
    Ok(Drawn {
        picture: subject.finish(page, &words),
        view: subject.title.clone(),
        at: Some(now),
        over: None,
        show: None,
        words,
        problem: None,
        made: None,
    })
}

/// Positions.
pub fn map(subject: &Subject<'_>, map: &[Points], source: &mut Source<'_>) -> Result<Drawn, Fault> {
    let (bounds, count) = source.bounds(map, None)?;
    let now = source.seek(subject.args.at)?;
    let batches = source.states(subject.view)?;
    let sides = Sides::new(map, &bounds, subject.args.plane.into());
    let ground = Ground::new(sides);
    let things = placed(map, &batches, &ground.sides);
    if things.is_empty() {
        return Err(subject.fault(&format!("nothing has a position at {}", told(now))));
    }
    let problem = source.problem.take();
    let start = match source.seek(Some(trail(now))) {
        Ok(start) => start,
        // It begins later.
        Err(_) => source.seek(Some(At::Step(source.first().step)))?,
    };
    let (mut tracks, _) = source.tracks(map, &ground.sides, count, (start, now))?;
    source.problem = problem;
    if tracks.len() > 20 * FOLLOWED {
        tracks.clear();
    }
    let long = if now.time.is_some() {
        "the second before"
    } else {
        "the steps before"
    };
    let drawing = map::Drawing {
        map,
        ground,
        things: &things,
        tracks: &tracks,
        density: None,
        ways: long,
    };
    let mut page = subject.page(&told(now));
    page.y += 14.0;
    drawing.draw(&mut page);
    let unit = map.first().map_or("", |points| &points.unit);
    let words = format!(
        "Positions at {}: {}. {}.",
        told(now),
        words::things(map, &things, &ground.sides),
        words::sides(&ground.sides, unit)
    );
    Ok(Drawn {
        picture: subject.finish(page, &words),
        view: subject.title.clone(),
        at: Some(now),
        over: None,
        show: None,
        words,
        problem: None,
        made: None,
    })
}
