//! Reads a recording and draws the view, the moment or the stretch that was asked for.

use gametape::core::text::Grouped;
use gametape::{At, Batch, Lane, Recording, Stamp, TableDef, Work};

use super::grid;
use super::map::{self, Ground, MAX_FOLLOWED};
use super::page::Page;
use super::source::Source;
use super::subject::{Drawn, Ends, Fault, Subject, shown};
use super::tiles::Tiles;
use crate::scene::board::{Board, Cells, Legend};
use crate::scene::describe;
use crate::scene::map::{Projection, entities, trail};
use crate::scene::time::{Axis, Stretch, moment_in_words, time};
use crate::scene::views::{Grid, Points, View, views};
use crate::subject::{Options, Show};

/// Draws a moment of a recording, or a stretch of it. Of a broken recording, the readable part is drawn: see
/// [`Drawn::problem`]. It reports no progress, because it may read the recording several times.
///
/// # Errors
/// [`Fault::Error`] if the recording cannot be read, or lacks the moment; [`Fault::Message`] if it has nothing
/// that can be drawn, or not the view or the column that was asked for.
pub fn draw(recording: &Recording, options: &Options, work: &Work<'_>) -> Result<Drawn, Fault> {
    let mut source = Source::new(recording, options.secrets, work.silent())?;
    let all = views(&source.tables);
    let (view, title) = choose(&all, &source, options)?;
    if source.is_empty() {
        let path = shown(recording.path().as_os_str());
        let nothing = || Fault::Message(format!("{path}: there is nothing in it to draw"));
        return Err(source.broken()?.map_or_else(nothing, Fault::from));
    }
    let path = recording.path();
    let name = path.file_name().unwrap_or(path.as_os_str());
    let subject = Subject {
        options,
        path,
        view: &view,
        title,
        name: shown(name),
        format: recording.version(),
    };
    let mut drawn = match (&view, &options.over) {
        (View::Grid(grid), None) => grid_at(&subject, grid, &mut source),
        (View::Map(map), None) => map_at(&subject, map, &mut source),
        (View::Grid(grid), Some(stretch)) => grid_over(&subject, grid, stretch, &mut source),
        (View::Map(map), Some(stretch)) => map_over(&subject, map, stretch, &mut source),
        _ => Err(subject.fault("this view can't be drawn")),
    }?;
    drawn.problem = source.problem;
    drawn.playback_problem = source.playback_problem;
    Ok(drawn)
}

/// Returns the view that was asked for, and its name; by default the first that can be drawn. A table of
/// a map is drawn alone when it is asked for by name.
fn choose(all: &[View], source: &Source<'_>, options: &Options) -> Result<(View, String), Fault> {
    let path = shown(source.recording.path().as_os_str());
    let drawable = all.iter().flat_map(|view| {
        let alone = match view {
            View::Map(map) => map.as_slice(),
            _ => &[],
        };
        let alone = alone.iter().map(|points| {
            let view = View::Map(vec![points.clone()]);
            (view, points.table.clone())
        });
        let whole = matches!(view, View::Grid(_) | View::Map(_));
        let whole = whole.then(|| (view.clone(), view.name().to_owned()));
        whole.into_iter().chain(alone)
    });
    let drawable: Vec<(View, String)> = drawable.collect();
    let names: Vec<&str> = drawable.iter().map(|(_, name)| name.as_str()).collect();
    let names = names.join(", ");
    let wanted =
        |(_, name): &&(View, String)| options.view.as_ref().is_none_or(|wanted| wanted == name);
    if let Some(found) = drawable.iter().find(wanted) {
        return Ok(found.clone());
    }
    if names.is_empty() {
        // The reason may be that the recording is broken.
        if let Some(error) = source.broken()? {
            return Err(error.into());
        }
        return Err(Fault::Message(format!(
            "{path}: {}",
            nothing_to_draw(&source.tables)
        )));
    }
    let name = options.view.as_deref().unwrap_or_default();
    Err(Fault::Message(
        if all.iter().any(|view| view.name() == name) {
            format!("{path}: {name} has neither cells nor positions to draw; {names} have")
        } else {
            format!("{path}: there is no view {name:?}; there are {names}")
        },
    ))
}

/// Explains why there is nothing to draw.
fn nothing_to_draw(tables: &[TableDef]) -> String {
    let others = tables.iter().filter(|table| table.lane != Lane::Facts);
    let others: Vec<&str> = others.map(|table| &*table.name).collect();
    let had = if others.is_empty() {
        "it has no tables but facts".to_owned()
    } else {
        format!("it has {}", others.join(", "))
    };
    format!(
        "there is nothing to draw: {had}, and no cells or positions. A picture needs a grid, or a state with \
         number columns x and y (or lon and lat) of one unit; where these are computed, the recording has to \
         carry what they are computed from, such as its world or the names of its schema"
    )
}

/// A grid at the moment that the source is at.
struct GridScene {
    table: TableDef,
    cells: Cells,
    legend: Legend,
    states: Vec<Batch>,
}

impl GridScene {
    fn read(subject: &Subject<'_>, grid: &Grid, source: &mut Source<'_>) -> Result<Self, Fault> {
        let states = source.states(subject.view)?;
        let table = source.table(&grid.table).cloned().zip(states.first());
        let Some((table, batch)) = table else {
            return Err(subject.fault("nothing holds"));
        };
        let mut legend = Legend::default();
        legend.learn(grid, batch);
        Ok(Self {
            cells: Cells::new(grid, &table, batch),
            table,
            legend,
            states,
        })
    }

    fn drawing<'s>(
        &'s self,
        subject: &Subject<'_>,
        grid: &'s Grid,
    ) -> Result<grid::GridDrawing<'s>, Fault> {
        let Self {
            table,
            cells,
            legend,
            states,
        } = self;
        let Some(batch) = states.first() else {
            return Err(subject.fault("nothing holds"));
        };
        let board = Board {
            grid,
            table,
            cells,
            legend,
            batch,
            cursor: states.get(1),
            value: subject.value(grid, table)?,
        };
        let Some(tiles) = Tiles::new(grid, table, cells) else {
            return Err(subject.fault(&format!(
                "{} has no cells then, or more than can be drawn",
                grid.table
            )));
        };
        Ok(grid::GridDrawing { board, tiles })
    }
}

/// Draws the cells of a grid at a moment.
fn grid_at(subject: &Subject<'_>, grid: &Grid, source: &mut Source<'_>) -> Result<Drawn, Fault> {
    let now = source.seek_when(subject.options.at.as_ref())?;
    let scene = GridScene::read(subject, grid, source)?;
    let drawing = scene.drawing(subject, grid)?;
    let mut page = subject.page(&moment_in_words(now));
    drawing.at(&mut page);
    let words = describe::cells(&drawing.board, now);
    let words = noted(words, drawing.note(drawing.merging()));
    Ok(Drawn {
        at: Some(now),
        ..subject.drawn(page, words)
    })
}

fn noted(words: String, note: Option<String>) -> String {
    match note {
        Some(note) => format!("{words} In the picture {note}."),
        None => words,
    }
}

/// Draws how often cells changed, or how long the cursor was over each.
fn grid_over(
    subject: &Subject<'_>,
    grid: &Grid,
    stretch: &Stretch,
    source: &mut Source<'_>,
) -> Result<Drawn, Fault> {
    let default = match grid.cursor {
        Some(_) => Show::Time,
        None => Show::Changes,
    };
    let show = subject.options.show.unwrap_or(default);
    let ends = source.stretch(stretch)?;
    let scene = GridScene::read(subject, grid, source)?;
    let problem = source.problem.take();
    let drawing = scene.drawing(subject, grid)?;
    let mut page = subject.page(&stretch_title(ends));
    let between = describe::stretch(ends.0, ends.1);
    let (words, how) = match (show, &grid.cursor) {
        (Show::Changes, _) => {
            let changes = source.changes(&drawing.board, ends)?;
            drawing.changes(&mut page, &changes);
            let words = describe::changes(&drawing.board, &changes, &between);
            (words, grid::MOST_CHANGED)
        }
        (_, Some(cursor)) => {
            let dwell = source.dwell(cursor, &scene.cells, ends)?;
            drawing.dwell(&mut page, &dwell);
            let words = describe::dwell(&drawing.board, &dwell, &between);
            (words, grid::LONGEST)
        }
        (_, None) => {
            let table = &grid.table;
            let sentence = format!("no cursor goes over {table}; what there is to show is changes");
            return Err(subject.fault(&sentence));
        }
    };
    source.problem = problem;
    Ok(over(
        subject,
        page,
        (ends, show),
        noted(words, drawing.note(how)),
    ))
}

/// Draws the positions at a moment.
fn map_at(subject: &Subject<'_>, map: &[Points], source: &mut Source<'_>) -> Result<Drawn, Fault> {
    let (bounds, count) = source.bounds(map, None)?;
    let now = source.seek_when(subject.options.at.as_ref())?;
    let batches = source.states(subject.view)?;
    let ground = Ground::new(Projection::new(map, &bounds, subject.options.plane));
    let entities = entities(map, &batches, &ground.projection);
    let when = moment_in_words(now);
    if entities.is_empty() {
        return Err(subject.fault(&format!("nothing has a position at {when}")));
    }
    let problem = source.problem.take();
    let start = match source.seek(Some(trail(now))) {
        Ok(start) => start,
        // The recording begins later.
        Err(_) => source.seek(Some(At::Step(source.first().step)))?,
    };
    let (mut tracks, _) = source.tracks(map, &ground.projection, count, (start, now))?;
    source.problem = problem;
    if tracks.len() > 20 * MAX_FOLLOWED {
        tracks.clear();
    }
    let drawing = map::MapDrawing {
        map,
        ground,
        entities: &entities,
        tracks: &tracks,
        density: None,
        paths: if now.time.is_some() {
            "the second before"
        } else {
            "the steps before"
        },
    };
    let mut page = subject.page(&when);
    drawing.draw(&mut page);
    let words = format!(
        "Positions at {when}: {}. {}.",
        describe::entities(map, &entities, &ground.projection),
        describe::projection(&ground.projection, drawing.unit())
    );
    Ok(Drawn {
        at: Some(now),
        ..subject.drawn(page, words)
    })
}

/// Draws the paths of entities, or the time that they spent in each place.
fn map_over(
    subject: &Subject<'_>,
    map: &[Points],
    stretch: &Stretch,
    source: &mut Source<'_>,
) -> Result<Drawn, Fault> {
    if subject.options.show == Some(Show::Changes) {
        let sentence = "a map has no cells that change; what there is to show is ways and time";
        return Err(subject.fault(sentence));
    }
    let ends = source.stretch(stretch)?;
    let between = describe::stretch(ends.0, ends.1);
    let batches = source.states(subject.view)?;
    let problem = source.problem.take();
    let (bounds, count) = source.bounds(map, Some(ends))?;
    if count == 0 {
        return Err(subject.fault(&format!("nothing has a position {between}")));
    }
    let default = if count > MAX_FOLLOWED {
        Show::Time
    } else {
        Show::Ways
    };
    let show = subject.options.show.unwrap_or(default);
    let ground = Ground::new(Projection::new(map, &bounds, subject.options.plane));
    let (mut tracks, density) = source.tracks(map, &ground.projection, count, ends)?;
    source.problem = problem;
    let entities = entities(map, &batches, &ground.projection);
    if show == Show::Time {
        tracks.clear();
    }
    let axis = Axis::new(ends.0, ends.1);
    let drawing = map::MapDrawing {
        map,
        ground,
        entities: &entities,
        tracks: &tracks,
        density: (show == Show::Time).then_some((&density, axis.unit())),
        paths: "the way of each; its sign is where it was last",
    };
    let mut page = subject.page(&stretch_title(ends));
    drawing.draw(&mut page);
    let what = match show {
        Show::Time => "How long things were where",
        _ => "Where things went",
    };
    let mut words = format!("{what} {between}: ");
    if show == Show::Time {
        words.push_str(&describe::densest(
            &density,
            &ground.projection,
            drawing.unit(),
            axis,
        ));
        words.push_str("; ");
    }
    let entities = describe::entities(map, &entities, &ground.projection);
    let axes = describe::projection(&ground.projection, drawing.unit());
    let words = format!("{words}in the end {entities}. {axes}.");
    Ok(over(subject, page, (ends, show), words))
}

/// `1.000 s to 2.000 s, tick 3 to 9`; steps if there are neither times nor ticks.
fn stretch_title((from, to): (Stamp, Stamp)) -> String {
    let times = from.time.zip(to.time);
    let times = times.map(|(from, to)| format!("{} to {}", time(from), time(to)));
    let ticks = from.tick.zip(to.tick);
    let ticks = ticks.map(|(from, to)| format!("tick {} to {}", Grouped(from), Grouped(to)));
    let steps = times.is_none() && ticks.is_none();
    let steps = steps.then(|| format!("step {} to {}", Grouped(from.step), Grouped(to.step)));
    let parts: Vec<String> = [times, ticks, steps].into_iter().flatten().collect();
    parts.join(", ")
}

fn over(subject: &Subject<'_>, page: Page, (ends, show): (Ends, Show), words: String) -> Drawn {
    Drawn {
        over: Some(ends),
        show: Some(Show::name(show)),
        ..subject.drawn(page, words)
    }
}
