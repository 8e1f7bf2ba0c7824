//! Descriptions of a scene in words, for readers who cannot see it.

use std::collections::BTreeMap;

use gametape::core::text::{Counted, Grouped};
use gametape::{Stamp, Value};

use super::board::{Board, Changes};
use super::dwell::Dwell;
use super::map::{Entity, Projection};
use super::range::number;
use super::time::{Axis, moment_in_words};
use gametape::core::surface::{plain, shown};

use super::tracks::Density;
use super::views::Points;

/// The largest number of items that are named; more are counted.
const NAMED: usize = 12;
/// The length at which a name is cut.
const NAME: usize = 40;

/// A coordinate, to a tenth.
fn tenth(value: f64) -> String {
    // A tenth does not matter in a number this large.
    if value.abs() >= 1e9 {
        return plain(value, 1);
    }
    let text = format!("{value:.1}");
    if text == "-0.0" {
        "0.0".to_owned()
    } else {
        text
    }
}

/// ` kelvin`, or nothing.
pub fn unit(unit: &str) -> String {
    if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    }
}

/// The number of cells that hold each text, the commonest first.
pub fn counted<'b>(board: &Board<'b>) -> Vec<(&'b str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in 0..board.batch.len() {
        if let Value::Text(text) = board.batch.get(row, board.value) {
            *counts.entry(text).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Names the first of many items: `a, b, c and 3 more`.
fn some(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    let more = items.len().saturating_sub(NAMED);
    let named = items
        .get(..items.len() - more)
        .unwrap_or_default()
        .join(", ");
    if more > 0 {
        format!("{named} and {} more", Grouped(more as u64))
    } else {
        named
    }
}

/// A name, cut at [`NAME`] letters.
fn named(name: &str) -> String {
    let short: String = name.chars().take(NAME).collect();
    if short.len() < name.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// `16 x 16 cells`
fn size(board: &Board<'_>) -> String {
    let keys = board.grid.keys();
    let sizes = keys.iter().zip(board.cells.size);
    let sizes = sizes.filter_map(|(key, size)| key.map(|_| Grouped(size as u64).to_string()));
    let sizes: Vec<String> = sizes.collect();
    format!("{} cells", sizes.join(" x "))
}

/// The places of all cells.
fn places(board: &Board<'_>) -> impl Iterator<Item = [usize; 3]> + use<> {
    let [across, down, deep] = board.cells.size;
    (0..deep).flat_map(move |z| (0..down).flat_map(move |y| (0..across).map(move |x| [x, y, z])))
}

/// Describes the cells at a moment.
pub fn cells(board: &Board<'_>, now: Stamp) -> String {
    let what = if board.is_text() {
        let counts = counted(board).into_iter();
        some(counts.map(|(text, count)| {
            let text = if text.is_empty() {
                "empty".to_owned()
            } else {
                named(&shown(Value::Text(text), None))
            };
            format!("{} {text}", Grouped(count as u64))
        }))
    } else {
        numbers(board)
    };
    let mut words = format!(
        "{} at {}: {}; {what}.",
        board.table.name,
        moment_in_words(now),
        size(board)
    );
    if let Some(compared) = compared(board) {
        words.push(' ');
        words.push_str(&compared);
    }
    if let Some([x, y]) = board.cursor() {
        words = format!("{words} The cursor is at {}.", board.place([x, y, 0]));
    }
    words
}

fn numbers(board: &Board<'_>) -> String {
    let column = board.column();
    let name = column.map_or("", |column| &column.name);
    let unit = unit(column.map_or("", |column| &column.unit));
    let (mut sum, mut count) = (0.0, 0_u32);
    let mut ends: Option<[(f64, [usize; 3]); 2]> = None;
    for at in places(board) {
        let row = board.cells.row(at);
        let Some(number) = row.and_then(|row| number(board.batch.get(row, board.value))) else {
            continue;
        };
        sum += number;
        count += 1;
        let [least, most] = ends.get_or_insert([(number, at); 2]);
        if number < least.0 {
            *least = (number, at);
        }
        if number > most.0 {
            *most = (number, at);
        }
    }
    match ends {
        None => format!("none of them has a number as {name}"),
        Some([least, most]) if least.0 >= most.0 => {
            format!("{name} is {}{unit} everywhere", plain(least.0, 3))
        }
        Some([least, most]) => format!(
            "{name} from {} to {}{unit}, the greatest at {}, {} in the mean",
            plain(least.0, 3),
            plain(most.0, 3),
            board.place(most.1),
            plain(sum / f64::from(count), 3),
        ),
    }
}

/// Compares two columns of the grid, if it has two to compare.
fn compared(board: &Board<'_>) -> Option<String> {
    let (one, other) = board.grid.compared?;
    let name = |at: usize| board.table.columns.get(at).map(|column| &*column.name);
    let names = format!("{} and {}", name(one)?, name(other)?);
    let differ: Vec<[usize; 3]> = places(board)
        .filter(|at| board.cells.row(*at).is_some_and(|row| board.differs(row)))
        .collect();
    Some(match differ.first() {
        None => format!("The columns {names} agree in every cell."),
        Some(first) => {
            let cells = Counted(differ.len() as u64, "cell");
            let first = board.place(*first);
            format!("The columns {names} differ in {cells}, the first at {first}.")
        }
    })
}

/// `from 1.000 s, step 10 to 2.000 s, step 20`
pub fn stretch(from: Stamp, to: Stamp) -> String {
    format!("from {} to {}", moment_in_words(from), moment_in_words(to))
}

/// Describes how often cells changed.
pub fn changes(board: &Board<'_>, changes: &Changes, when: &str) -> String {
    let name = board.column().map_or("", |column| &column.name);
    let counts = &changes.counts;
    let changed = counts.iter().filter(|count| **count > 0).count();
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    let most = places(board)
        .filter_map(|at| Some((*counts.get(board.cells.index(at)?)?, at)))
        // The first of those that changed equally often.
        .min_by_key(|(count, _)| std::cmp::Reverse(*count));
    let most = most.filter(|(count, _)| *count > 0);
    let (changed, total) = (Grouped(changed as u64), Grouped(total));
    let table = &board.table.name;
    let size = size(board);
    match most {
        None => format!("How often {name} of {table} changed {when}: none of {size} did."),
        Some((count, at)) => format!(
            "How often {name} of {table} changed {when}: {changed} of {size} did, {total} times in all; most often that at {}, {} times.",
            board.place(at),
            Grouped(count.into())
        ),
    }
}

/// Describes where the cursor was.
pub fn dwell(board: &Board<'_>, dwell: &Dwell, when: &str) -> String {
    let over = dwell.over.iter().filter(|long| **long > 0.0).count();
    let longest = places(board)
        .filter_map(|at| Some((*dwell.over.get(board.cells.index(at)?)?, at)))
        .fold(
            None,
            |most: Option<(f64, [usize; 3])>, (long, at)| match most {
                Some(most) if most.0 >= long => Some(most),
                _ => Some((long, at)),
            },
        );
    let mut words = format!(
        "Where the cursor was {when}: over {} of {} of {}",
        Grouped(over as u64),
        size(board),
        board.table.name
    );
    let unit = dwell.unit;
    if let Some((long, at)) = longest.filter(|(long, _)| *long > 0.0) {
        let long = plain(long, 3);
        words = format!("{words}, longest over {}, {long} {unit}", board.place(at));
    }
    if dwell.outside > 0.0 {
        words = format!("{words}; beside them {} {unit}", plain(dwell.outside, 3));
    }
    words.push('.');
    words
}

/// Describes the entities: their number, their teams and their names.
pub fn entities(map: &[Points], entities: &[(usize, Entity)], projection: &Projection) -> String {
    let unit = unit(map.first().map_or("", |points| &points.unit));
    let mut parts = Vec::new();
    for (nth, points) in map.iter().enumerate() {
        let own = entities.iter().filter(|(of, _)| *of == nth);
        let own: Vec<&Entity> = own.map(|(_, entity)| entity).collect();
        match own.as_slice() {
            [] => parts.push(format!("{}: nowhere", points.table)),
            [entity] if points.keys == 0 => {
                let [right, up] = projection.map_axes();
                parts.push(format!(
                    "{} at {} {}, {} {}{unit}",
                    points.table,
                    right.name,
                    tenth(entity.at.0),
                    up.name,
                    tenth(projection.vertical(entity.at.1))
                ));
            }
            own => parts.push(format!("{}: {}", points.table, teams(points, own))),
        }
    }
    parts.join("; ")
}

/// `8 (4 of blue: Ash, Elm …)`; entities without a name are only counted.
fn teams(points: &Points, entities: &[&Entity]) -> String {
    let mut teams: BTreeMap<Option<&str>, Vec<String>> = BTreeMap::new();
    for entity in entities {
        let team = teams.entry(entity.team.as_deref()).or_default();
        team.push(named(&entity.name));
    }
    let parts = teams.into_iter().filter_map(|(team, names)| {
        let count = Grouped(names.len() as u64);
        match (team, points.name) {
            (Some(team), Some(_)) => Some(format!("{count} of {}: {}", named(team), some(names))),
            (Some(team), None) => Some(format!("{count} of {}", named(team))),
            (None, Some(_)) => Some(some(names)),
            (None, None) => None,
        }
    });
    let parts: Vec<String> = parts.collect();
    let all = Grouped(entities.len() as u64);
    match parts.as_slice() {
        [] => all.to_string(),
        parts => format!("{all} ({})", parts.join("; ")),
    }
}

/// Describes the axes of a map.
pub fn projection(projection: &Projection, of: &str) -> String {
    let unit = unit(of);
    let [right, up] = projection.map_axes().map(|axis| {
        let (from, to) = (tenth(axis.from), tenth(axis.to));
        (
            axis.name,
            axis.direction,
            format!("from {from} to {to}{unit}"),
        )
    });
    format!(
        "{} goes right, {}, {} {}, {}",
        right.0, right.2, up.0, up.1, up.2
    )
}

/// Describes the place where entities spent the most time.
pub fn densest(density: &Density, projection: &Projection, of: &str, axis: Axis) -> String {
    let across = density.across.max(1);
    let longest = density.times.iter().copied().enumerate();
    let longest = longest.fold(
        (0, 0.0),
        |most: (usize, f64), (at, long)| {
            if long > most.1 { (at, long) } else { most }
        },
    );
    let middle = |at: usize, count: usize, [from, to]: [f64; 2]| {
        from + (at as f64 + 0.5) / count.max(1) as f64 * (to - from)
    };
    let (at, long) = longest;
    let x = middle(at % across, across, projection.across);
    let y = middle(at / across, density.down, projection.up);
    let [right, up] = projection.map_axes();
    format!(
        "longest around {} {}, {} {}{}, {} {}",
        right.name,
        tenth(x),
        up.name,
        tenth(projection.vertical(y)),
        unit(of),
        plain(long, 2),
        axis.unit()
    )
}
