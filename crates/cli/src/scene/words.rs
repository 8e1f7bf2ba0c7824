//! What is to be seen, in words: for who can't see it.

use std::collections::BTreeMap;

use gametape::{ColumnDef, Stamp, Value};

use super::board::Board;
use super::cells::number;
use super::change::Changes;
use super::clock::Lasts;
use super::map::{Sides, Thing};
use super::stay::Stay;
use gametape::core::table::{plain, shown};

use super::text::told;
use super::tracks::Density;
use super::views::Points;

/// More than these are counted, not named.
const NAMED: usize = 12;
/// The longest name that is said in full.
const NAME: usize = 40;

/// A coordinate, to a tenth.
fn tenth(value: f64) -> String {
    // Far away that says nothing.
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

/// How often each text stands in the cells, commonest first.
pub fn counted<'b>(board: &Board<'b>, value: usize) -> Vec<(&'b str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in 0..board.batch.len() {
        if let Value::Text(text) = board.batch.get(row, value) {
            *counts.entry(text).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Some of many: `a, b, c and 3 more`.
fn some(told: impl IntoIterator<Item = String>) -> String {
    let told: Vec<String> = told.into_iter().collect();
    let more = told.len().saturating_sub(NAMED);
    let named = told.get(..told.len() - more).unwrap_or_default().join(", ");
    if more > 0 {
        format!("{named} and {more} more")
    } else {
        named
    }
}

/// A name, as long as somebody listens to it.
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
    let [across, down, deep] = board.cells.size;
    let keys = [
        (Some(board.grid.across), across),
        (board.grid.down, down),
        (board.grid.deep, deep),
    ];
    let sizes = keys.iter().filter(|(key, _)| key.is_some());
    let sizes: Vec<String> = sizes.map(|(_, size)| size.to_string()).collect();
    format!("{} cells", sizes.join(" x "))
}

/// All places that cells may be at.
fn places(board: &Board<'_>) -> impl Iterator<Item = [usize; 3]> + use<> {
    let [across, down, deep] = board.cells.size;
    (0..deep).flat_map(move |z| (0..down).flat_map(move |y| (0..across).map(move |x| [x, y, z])))
}

/// The cells at a moment.
pub fn cells(board: &Board<'_>, value: usize, now: Stamp) -> String {
    let column = board.table.columns.get(value);
    let what = if board.is_text(value) {
        let counts = counted(board, value).into_iter();
        some(counts.map(|(text, count)| {
            let text = if text.is_empty() {
                "empty".to_owned()
            } else {
                named(&shown(Value::Text(text), None))
            };
            format!("{count} {text}")
        }))
    } else {
        numbers(board, value, column)
    };
    let mut words = format!(
        "{} at {}: {}; {what}.",
        board.table.name,
        told(now),
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

fn numbers(board: &Board<'_>, value: usize, column: Option<&ColumnDef>) -> String {
    let name = column.map_or("", |column| &column.name);
    let unit = unit(column.map_or("", |column| &column.unit));
    let (mut sum, mut count) = (0.0, 0_u32);
    let mut ends: Option<[(f64, [usize; 3]); 2]> = None;
    for at in places(board) {
        let row = board.cells.row(at);
        let Some(number) = row.and_then(|row| number(board.batch.get(row, value))) else {
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

/// Whether two columns say the same.
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
            let s = if differ.len() == 1 { "" } else { "s" };
            format!(
                "The columns {names} differ in {} cell{s}, the first at {}.",
                differ.len(),
                board.place(*first)
            )
        }
    })
}

/// `from 1.000 s, step 10 to 2.000 s, step 20`
pub fn stretch(from: Stamp, to: Stamp) -> String {
    format!("from {} to {}", told(from), told(to))
}

/// How often cells changed.
pub fn changes(board: &Board<'_>, value: usize, changes: &Changes, when: &str) -> String {
    let name = board.table.columns.get(value);
    let name = name.map_or("", |column| &column.name);
    let counts = &changes.counts;
    let changed = counts.iter().filter(|count| **count > 0).count();
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    let most = places(board)
        .filter_map(|at| Some((*counts.get(board.cells.index(at)?)?, at)))
        // The first of those that changed as often.
        .min_by_key(|(count, _)| std::cmp::Reverse(*count));
    let most = most.filter(|(count, _)| *count > 0);
    let table = &board.table.name;
    let size = size(board);
    match most {
        None => format!("How often {name} of {table} changed {when}: none of {size} did."),
        Some((count, at)) => format!(
            "How often {name} of {table} changed {when}: {changed} of {size} did, {total} times in all; most often that at {}, {count} times.",
            board.place(at)
        ),
    }
}

/// Where the cursor was.
pub fn stay(board: &Board<'_>, stay: &Stay, when: &str) -> String {
    let over = stay.over.iter().filter(|long| **long > 0.0).count();
    let longest = places(board)
        .filter_map(|at| Some((*stay.over.get(board.cells.index(at)?)?, at)))
        .fold(
            None,
            |most: Option<(f64, [usize; 3])>, (long, at)| match most {
                Some(most) if most.0 >= long => Some(most),
                _ => Some((long, at)),
            },
        );
    let mut words = format!(
        "Where the cursor was {when}: over {over} of {} of {}",
        size(board),
        board.table.name
    );
    let unit = stay.unit;
    if let Some((long, at)) = longest.filter(|(long, _)| *long > 0.0) {
        let long = plain(long, 3);
        words = format!("{words}, longest over {}, {long} {unit}", board.place(at));
    }
    if stay.beside > 0.0 {
        words = format!("{words}; beside them {} {unit}", plain(stay.beside, 3));
    }
    words.push('.');
    words
}

/// How many things there are, of which team, and who.
pub fn things(map: &[Points], things: &[(usize, Thing)], sides: &Sides) -> String {
    let unit = unit(map.first().map_or("", |points| &points.unit));
    let mut told = Vec::new();
    for (nth, points) in map.iter().enumerate() {
        let own = things.iter().filter(|(of, _)| *of == nth);
        let own: Vec<&Thing> = own.map(|(_, thing)| thing).collect();
        match own.as_slice() {
            [] => told.push(format!("{}: nowhere", points.table)),
            [thing] if points.keys == 0 => {
                let [right, up] = sides.names();
                let y = if sides.flipped {
                    -thing.at.1
                } else {
                    thing.at.1
                };
                told.push(format!(
                    "{} at {right} {}, {up} {}{unit}",
                    points.table,
                    tenth(thing.at.0),
                    tenth(y)
                ));
            }
            own => told.push(format!("{}: {}", points.table, teams(points, own))),
        }
    }
    told.join("; ")
}

/// `8 (4 of blue: Ash, Elm …)`; numbers alone are not said.
fn teams(points: &Points, things: &[&Thing]) -> String {
    let mut teams: BTreeMap<Option<&str>, Vec<String>> = BTreeMap::new();
    for thing in things {
        let team = teams.entry(thing.team.as_deref()).or_default();
        team.push(named(&thing.name));
    }
    let told = teams.into_iter().filter_map(|(team, names)| {
        let count = names.len();
        match (team, points.name) {
            (Some(team), Some(_)) => Some(format!("{count} of {}: {}", named(team), some(names))),
            (Some(team), None) => Some(format!("{count} of {}", named(team))),
            (None, Some(_)) => Some(some(names)),
            (None, None) => None,
        }
    });
    let told: Vec<String> = told.collect();
    match told.as_slice() {
        [] => things.len().to_string(),
        told => format!("{} ({})", things.len(), told.join("; ")),
    }
}

/// From where to where a map goes.
pub fn sides(sides: &Sides, of: &str) -> String {
    let [right, up] = sides.names();
    let [from, to] = sides.up;
    let (way, from, to) = if sides.flipped {
        ("down", -to, -from)
    } else {
        ("up", from, to)
    };
    format!(
        "{right} goes right, from {} to {}{unit}, {up} {way}, from {} to {}{unit}",
        tenth(sides.across[0]),
        tenth(sides.across[1]),
        tenth(from),
        tenth(to),
        unit = unit(of)
    )
}

/// Where things were longest.
pub fn densest(density: &Density, sides: &Sides, of: &str, lasts: Lasts) -> String {
    let across = density.across.max(1);
    let longest = density.long.iter().copied().enumerate();
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
    let x = middle(at % across, across, sides.across);
    let y = middle(at / across, density.down, sides.up);
    let y = if sides.flipped { 0.0 - y } else { y };
    let [right, up] = sides.names();
    format!(
        "longest around {right} {}, {up} {}{}, {} {}",
        tenth(x),
        tenth(y),
        unit(of),
        plain(long, 2),
        lasts.unit()
    )
}
