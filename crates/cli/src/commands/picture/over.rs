//! What became of a recording from one moment to another.

use gametape::{Stamp, Time};

use super::map::{self, FOLLOWED, Ground};
use super::seen::{Source, placed};
use super::subject::{Drawn, Ends, Fault, Subject, named, symbols, tiles, value};
use super::{grid, page};
use crate::args::Show;
use crate::scene::board::Board;
use crate::scene::cells::Cells;
use crate::scene::clock::Lasts;
use crate::scene::map::Sides;
use crate::scene::stretch::Stretch;
use crate::scene::views::{Grid, Points};
use crate::scene::words;

/// `1.000 s to 2.000 s, tick 3 to 9`; steps where there is nothing else.
fn when((from, to): (Stamp, Stamp)) -> String {
    let times = from.time.zip(to.time);
    let times = times.map(|(from, to)| {
        let [from, to] = [from, to].map(|time| Time::from_ms(time.whole_ms()));
        format!("{from} to {to}")
    });
    let ticks = from.tick.zip(to.tick);
    let ticks = ticks.map(|(from, to)| format!("tick {from} to {to}"));
    let steps = times.is_none() && ticks.is_none();
    let steps = steps.then(|| format!("step {} to {}", from.step, to.step));
    let told: Vec<String> = [times, ticks, steps].into_iter().flatten().collect();
    told.join(", ")
}

fn drawn(
    subject: &Subject<'_>,
    page: page::Page,
    (ends, show): (Ends, Show),
    words: String,
) -> Drawn {
    Drawn {
        picture: subject.finish(page, &words),
        view: subject.title.clone(),
        at: None,
        over: Some(ends),
        show: Some(named(show)),
        words,
        problem: None,
        made: None,
    }
}

/// How often cells changed, or where the cursor was over them.
pub fn grid(
    subject: &Subject<'_>,
    grid: &Grid,
    stretch: Stretch,
    source: &mut Source<'_>,
) -> Result<Drawn, Fault> {
    let otherwise = match grid.cursor {
        Some(_) => Show::Time,
        None => Show::Changes,
    };
    let show = subject.args.show.unwrap_or(otherwise);
    let ends = source.stretch(stretch.from, stretch.to)?;
    let states = source.states(subject.view)?;
    let problem = source.problem.take();
    let table = source.table(&grid.table).cloned().zip(states.first());
    let Some((table, batch)) = table else {
        return Err(subject.fault("nothing holds"));
    };
    let cells = Cells::new(grid, &table, batch);
    let value = value(subject, grid, &table)?;
    let drawing = grid::Drawing {
        board: Board {
            grid,
            table: &table,
            cells: &cells,
            batch,
            cursor: states.get(1),
        },
        tiles: tiles(subject, grid, &table, &cells)?,
        value,
    };
    let mut page = subject.page(&when(ends));
    let between = words::stretch(ends.0, ends.1);
    let (mut words, how) = match (show, &grid.cursor) {
        (Show::Changes, _) => {
            let changes = source.changes(grid, value, &cells, ends)?;
            drawing.changes(&mut page, &changes);
            let words = words::changes(&drawing.board, value, &changes, &between);
            (words, "as often as that which changed most")
        }
        (_, Some(cursor)) => {
            let stay = source.stay(cursor, &cells, ends)?;
            drawing.stay(&mut page, &stay, &symbols(grid, batch));
            let words = words::stay(&drawing.board, &stay, &between);
            (words, "as long as over that where it was longest")
        }
        (_, None) => {
            let table = &grid.table;
            let sentence = format!("no cursor goes over {table}; what there is to show is changes");
            return Err(subject.fault(&sentence));
        }
    };
    if let Some(note) = drawing.note(how) {
        words = format!("{words} In the picture {note}.");
    }
    source.problem = problem;
    Ok(drawn(subject, page, (ends, show), words))
}

/// Where things went, or where they were for how long.
pub fn map(
    subject: &Subject<'_>,
    map: &[Points],
    stretch: Stretch,
    source: &mut Source<'_>,
) -> Result<Drawn, Fault> {
    if subject.args.show == Some(Show::Changes) {
        let sentence = "a map has no cells that change; what there is to show is ways and time";
        return Err(subject.fault(sentence));
    }
    let ends = source.stretch(stretch.from, stretch.to)?;
    let batches = source.states(subject.view)?;
    let problem = source.problem.take();
    let (bounds, count) = source.bounds(map, Some(ends))?;
    if count == 0 {
        let between = words::stretch(ends.0, ends.1);
        return Err(subject.fault(&format!("nothing has a position {between}")));
    }
    let otherwise = if count > FOLLOWED {
        Show::Time
    } else {
        Show::Ways
    };
    let show = subject.args.show.unwrap_or(otherwise);
    let ground = Ground::new(Sides::new(map, &bounds, subject.args.plane.into()));
    let (mut tracks, density) = source.tracks(map, &ground.sides, count, ends)?;
    source.problem = problem;
    let things = placed(map, &batches, &ground.sides);
    if show == Show::Time {
        tracks.clear();
    }
    let lasts = Lasts::of(ends.0, ends.1);
    let drawing = map::Drawing {
        map,
        ground,
        things: &things,
        tracks: &tracks,
        density: (show == Show::Time).then_some((&density, lasts.unit())),
        ways: "the way of each; its sign is where it was last",
    };
    let mut page = subject.page(&when(ends));
    page.y += 14.0;
    drawing.draw(&mut page);
    let unit = map.first().map_or("", |points| &points.unit);
    let what = match show {
        Show::Time => "How long things were where",
        _ => "Where things went",
    };
    let mut words = format!("{what} {}: ", words::stretch(ends.0, ends.1));
    if show == Show::Time {
        words.push_str(&words::densest(&density, &ground.sides, unit, lasts));
        words.push_str("; ");
    }
    let things = words::things(map, &things, &ground.sides);
    let sides = words::sides(&ground.sides, unit);
    words = format!("{words}in the end {things}. {sides}.");
    Ok(drawn(subject, page, (ends, show), words))
}
