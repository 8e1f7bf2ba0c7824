//! The views of a recording, derived from its tables.

use gametape::core::table::ColumnDef;
use gametape::{Kind, Lane, Scan, Secrets, TableDef};

/// A view of a recording.
#[derive(Clone, PartialEq, Debug)]
pub enum View {
    /// The cells of a grid.
    Grid(Grid),
    /// A map of positions.
    Map(Vec<Points>),
    /// The rows of a table of state or facts.
    Rows(String),
    /// A list of events around now.
    Events(String),
    /// The markers of the timeline.
    Marks,
}

/// A grid; its columns are numbered from 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    pub table: String,
    /// The key that goes to the right.
    pub across: usize,
    /// The key that goes down, if there are two.
    pub down: Option<usize>,
    /// The key of the slices, if there are three.
    pub deep: Option<usize>,
    /// The columns that are not keys.
    pub values: Vec<usize>,
    /// Two text columns that describe the same cell; cells where they differ are marked.
    pub compared: Option<(usize, usize)>,
    /// The table of the cursor: a state of one row with a column and a row.
    pub cursor: Option<String>,
}

/// The positions in a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Points {
    pub table: String,
    /// Columns to ask for.
    pub columns: Vec<String>,
    /// The number of key columns; they come first.
    pub keys: usize,
    /// The column at which the two or three coordinates start.
    pub at: usize,
    pub three: bool,
    /// The columns of the entity's name and team.
    pub name: Option<usize>,
    pub team: Option<usize>,
    pub unit: String,
}

impl Grid {
    /// The key columns: across, down, deep.
    pub const fn keys(&self) -> [Option<usize>; 3] {
        [Some(self.across), self.down, self.deep]
    }
}

impl View {
    /// The name on its tab.
    pub fn name(&self) -> &str {
        match self {
            Self::Grid(grid) => &grid.table,
            Self::Map(_) => "map",
            Self::Rows(table) | Self::Events(table) => table,
            Self::Marks => "markers",
        }
    }

    /// The scans that read all that is drawn at a moment.
    pub fn scans(&self, secrets: Secrets) -> Vec<Scan> {
        let whole = |table: &str| Scan {
            secrets,
            ..Scan::table(table)
        };
        match self {
            Self::Grid(grid) => {
                let cursor = grid.cursor.iter();
                let cursor = cursor.map(|table| whole(table).columns(["col", "row"]));
                std::iter::once(whole(&grid.table)).chain(cursor).collect()
            }
            Self::Map(map) => map
                .iter()
                .map(|points| whole(&points.table).columns(&points.columns))
                .collect(),
            Self::Rows(table) => vec![whole(table)],
            Self::Events(_) | Self::Marks => Vec::new(),
        }
    }
}

/// Returns all views of these tables, the most informative first.
pub fn views(tables: &[TableDef]) -> Vec<View> {
    let of = |lane| tables.iter().filter(move |table| table.lane == lane);
    let name = |table: &TableDef| table.name.to_string();
    let mut views: Vec<View> = of(Lane::Grid)
        .map(|table| grid(table, tables).map_or_else(|| View::Rows(name(table)), View::Grid))
        .collect();
    views.extend(maps(tables).into_iter().map(View::Map));
    views.extend(of(Lane::State).map(|table| View::Rows(name(table))));
    views.extend(of(Lane::Events).map(|table| View::Events(name(table))));
    views.extend(of(Lane::Facts).map(|table| View::Rows(name(table))));
    views.push(View::Marks);
    views
}

/// The names of keys that go across, and of keys that go down.
const ACROSS: [&str; 4] = ["col", "column", "x", "q"];
const DOWN: [&str; 3] = ["row", "y", "r"];

/// A grid of one, two or three keys.
fn grid(table: &TableDef, tables: &[TableDef]) -> Option<Grid> {
    let is = |key: bool| {
        let columns = table.columns.iter().enumerate();
        columns.filter_map(move |(at, column)| (column.key == key).then_some(at))
    };
    let mut keys: Vec<usize> = is(true).collect();
    let values: Vec<usize> = is(false).collect();
    if keys.len() > 3 || values.is_empty() {
        return None;
    }
    // A key by its name, else the last: rows come before columns.
    let mut take = |names: &[&str]| {
        let named = |at: &usize| {
            let column = table.columns.get(*at);
            column.is_some_and(|column| names.contains(&&*column.name))
        };
        let place = keys.iter().position(named);
        let place = place.or_else(|| keys.len().checked_sub(1))?;
        Some(keys.remove(place))
    };
    let across = take(&ACROSS)?;
    let (down, deep) = (take(&DOWN), take(&[]));
    let text = |at: &usize| {
        let column = table.columns.get(*at);
        column.is_some_and(|column| column.kind == Kind::Text)
    };
    let texts: Vec<usize> = values.iter().copied().filter(text).collect();
    let compared = match texts.as_slice() {
        [recorded, rules] => Some((*recorded, *rules)),
        _ => None,
    };
    let cursor = tables.iter().find(|other| {
        let has = |name: &str| other.column(name).is_some();
        let keyed = other.columns.iter().any(|column| column.key);
        other.lane == Lane::State && !keyed && has("col") && has("row")
    });
    let named = table.column("col").is_some() && table.column("row").is_some();
    Some(Grid {
        table: table.name.to_string(),
        across,
        down,
        deep,
        values,
        compared,
        cursor: cursor
            .filter(|_| named)
            .map(|cursor| cursor.name.to_string()),
    })
}

/// Puts positions with the same unit on one map.
fn maps(tables: &[TableDef]) -> Vec<Vec<Points>> {
    let mut maps: Vec<Vec<Points>> = Vec::new();
    for points in tables.iter().filter_map(points) {
        let same = |map: &&mut Vec<Points>| map.iter().any(|other| other.unit == points.unit);
        match maps.iter_mut().find(same) {
            Some(map) => map.push(points),
            None => maps.push(vec![points]),
        }
    }
    maps
}

fn points(table: &TableDef) -> Option<Points> {
    let columns = &table.columns;
    let keys = columns.iter().filter(|column| column.key);
    let keys: Vec<String> = keys.map(|column| column.name.to_string()).collect();
    // A table with two keys has parts of entities, such as bones: too small for a map.
    if table.lane != Lane::State || keys.len() > 1 {
        return None;
    }
    let (place, [x, y, z]) = position(columns)?;
    let three = table.column(&z).is_some();
    let (count, mut wanted) = (keys.len(), keys);
    let mut other = |name: &str| {
        let column = columns.get(table.column(name)?)?;
        let fits = column.kind == Kind::Text && !column.key && !column.secret;
        fits.then(|| {
            wanted.push(name.to_owned());
            wanted.len() - 1
        })
    };
    let (name, team) = (other("name"), other("team"));
    let at = wanted.len();
    wanted.extend([x, y]);
    wanted.extend(three.then_some(z));
    Some(Points {
        table: table.name.to_string(),
        columns: wanted,
        keys: count,
        at,
        three,
        name,
        team,
        unit: place.unit.to_string(),
    })
}

/// The names of a position's coordinates: to the right, upwards, and in the third direction.
const AXES: [[&str; 3]; 3] = [
    ["x", "y", "z"],
    ["lon", "lat", ""],
    ["longitude", "latitude", ""],
];

/// Returns the column of a position's first coordinate, and the names of all. `x` without a prefix is
/// preferred, then a length (`m`, not `m/s`), then the first column.
fn position(columns: &[ColumnDef]) -> Option<(&ColumnDef, [String; 3])> {
    let number = |column: &&ColumnDef| !matches!(column.kind, Kind::Text | Kind::Bool);
    let found = columns.iter().filter(number).filter_map(|column| {
        let (prefix, axes) = AXES.iter().find_map(|axes| {
            let prefix = column.name.strip_suffix(axes[0])?;
            (prefix.is_empty() || prefix.ends_with('_')).then_some((prefix, axes))
        })?;
        let names = axes.map(|axis| match axis {
            "" => String::new(),
            axis => format!("{prefix}{axis}"),
        });
        let mut numbers = columns.iter().filter(number);
        let has = numbers.any(|other| other.name == names[1] && other.unit == column.unit);
        has.then_some((column, prefix, names))
    });
    let best = found.min_by_key(|(column, prefix, _)| {
        let speed = column.unit.contains('/') || prefix.starts_with("vel");
        (!prefix.is_empty(), speed, column.unit.is_empty())
    });
    best.map(|(column, _, names)| (column, names))
}

#[cfg(test)]
mod tests {
    use gametape::ColumnDef;

    use super::*;

    fn table(name: &'static str, lane: Lane, columns: &[(&'static str, Kind, bool)]) -> TableDef {
        let table = TableDef::new(name, lane, "");
        columns.iter().fold(table, |table, (name, kind, key)| {
            let column = ColumnDef::new(*name, *kind, "");
            table.with(if *key { column.key() } else { column })
        })
    }

    #[test]
    fn positions_have_two_coordinates_of_one_unit() {
        let of = |names: &[(&'static str, &'static str)]| {
            let table = TableDef::new("ships", Lane::State, "");
            let table = names.iter().fold(table, |table, (name, unit)| {
                table.with(ColumnDef::new(*name, Kind::Float64, "").unit(*unit))
            });
            points(&table).map(|points| points.columns)
        };
        assert_eq!(
            of(&[("lat", "deg"), ("lon", "deg")]),
            Some(vec!["lon".into(), "lat".into()])
        );
        assert_eq!(
            of(&[("head_x", "m"), ("head_y", "m")]).map(|names| names.len()),
            Some(2)
        );
        assert_eq!(
            of(&[("x", "m"), ("y", "m"), ("z", "m")]).map(|names| names.len()),
            Some(3)
        );
        assert_eq!(of(&[("x", "m"), ("y", "deg")]), None);
        assert_eq!(of(&[("lon", "deg"), ("z", "m")]), None);
    }

    #[test]
    fn a_grid_shows_the_cursor_and_compares_two_texts() {
        let tables = [
            table(
                "cursor",
                Lane::State,
                &[("col", Kind::Uint, false), ("row", Kind::Uint, false)],
            ),
            table(
                "board",
                Lane::Grid,
                &[
                    ("row", Kind::Uint, true),
                    ("col", Kind::Uint, true),
                    ("recorded", Kind::Text, false),
                    ("rules", Kind::Text, false),
                ],
            ),
            table("clicks", Lane::Events, &[("col", Kind::Uint, false)]),
        ];
        let views = views(&tables);
        let names: Vec<&str> = views.iter().map(View::name).collect();
        assert_eq!(names, ["board", "cursor", "clicks", "markers"]);
        let Some(View::Grid(grid)) = views.first() else {
            panic!("{views:?}");
        };
        assert_eq!((grid.across, grid.down, grid.deep), (1, Some(0), None));
        assert_eq!(grid.compared, Some((2, 3)));
        assert_eq!(grid.cursor.as_deref(), Some("cursor"));
    }

    #[test]
    fn grids_of_one_key_and_of_three() {
        let line = table(
            "line",
            Lane::Grid,
            &[("i", Kind::Int, true), ("value", Kind::Float32, false)],
        );
        let Some(View::Grid(grid)) = views(&[line]).into_iter().next() else {
            panic!("no grid");
        };
        assert_eq!((grid.across, grid.down, grid.deep), (0, None, None));
        let cube = table(
            "cube",
            Lane::Grid,
            &[
                ("x", Kind::Int, true),
                ("y", Kind::Int, true),
                ("z", Kind::Int, true),
                ("value", Kind::Float32, false),
            ],
        );
        let Some(View::Grid(grid)) = views(&[cube]).into_iter().next() else {
            panic!("no grid");
        };
        assert_eq!((grid.across, grid.down, grid.deep), (0, Some(1), Some(2)));
    }

    #[test]
    fn a_map_has_lengths_and_no_speeds() {
        let mut players = table(
            "players",
            Lane::State,
            &[
                ("player", Kind::Int, true),
                ("name", Kind::Text, false),
                ("velocity_x", Kind::Float32, false),
                ("velocity_y", Kind::Float32, false),
                ("head_x", Kind::Float32, false),
                ("head_y", Kind::Float32, false),
                ("head_z", Kind::Float32, false),
            ],
        );
        for column in players.columns.iter_mut().skip(2) {
            let speed = column.name.starts_with("velocity");
            column.unit = if speed { "m/s" } else { "m" }.into();
        }
        let Some(View::Map(map)) = views(&[players]).into_iter().next() else {
            panic!("no map");
        };
        let columns: Vec<&str> = map[0].columns.iter().map(String::as_str).collect();
        assert_eq!(columns, ["player", "name", "head_x", "head_y", "head_z"]);
        assert_eq!((map[0].keys, map[0].at, map[0].name), (1, 2, Some(1)));
        assert!(map[0].three);
    }
}
