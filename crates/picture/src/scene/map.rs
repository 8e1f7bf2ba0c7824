//! Maps: positions projected onto a plane, the entities there, and their labels.

use gametape::core::surface::shown;
use gametape::{At, Batch, Stamp, Time, Value};

use super::range::{Bounds, number};
use super::symbols::{Tint, sign, tint};
use super::views::Points;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The length of a trail, in time or in steps.
const TRAIL: Time = Time::from_ms(1000);
const TRAIL_STEPS: u64 = 30;

/// The largest number of entities whose names are shown; more names would hide one another.
pub const MAX_NAMED: usize = 40;

/// Returns the moment at which the trails of a moment begin.
pub fn trail(now: Stamp) -> At {
    match now.time {
        Some(time) => At::Time(Time(time.0.saturating_sub(TRAIL.0).max(0))),
        None => At::Step(now.step.saturating_sub(TRAIL_STEPS)),
    }
}

/// The plane onto which positions are projected: the coordinate that goes right, then the one that goes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Plane {
    /// From above; `y` is the height.
    #[default]
    Xz,
    /// From the front.
    Xy,
    /// From the side.
    Zy,
}

impl Plane {
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Xz => Self::Xy,
            Self::Xy => Self::Zy,
            Self::Zy => Self::Xz,
        }
    }

    /// The coordinates that go right and up.
    const fn axes(self) -> [usize; 2] {
        match self {
            Self::Xz => [0, 2],
            Self::Xy => [0, 1],
            Self::Zy => [2, 1],
        }
    }
}

/// A projection of positions: the coordinates that go right and up, and their ranges.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Projection {
    axes: [usize; 2],
    /// The vertical coordinate grows downward, as pixels do. Then [`Projection::up`] is its negative.
    pub downward: bool,
    pub across: [f64; 2],
    pub up: [f64; 2],
}

/// An axis of a projection, as a reader sees it.
pub struct MapAxis {
    /// `x`, `y` or `z`.
    pub name: &'static str,
    /// `right`, `up` or `down`.
    pub direction: &'static str,
    pub from: f64,
    pub to: f64,
}

impl Projection {
    /// Makes a projection in which everything within the bounds fits.
    pub fn new(map: &[Points], bounds: &Bounds, plane: Plane) -> Self {
        let three = map.iter().all(|points| points.three);
        let plane = if three { plane } else { Plane::Xy };
        let length = |axis: usize| {
            let range = bounds.get(axis).copied().flatten();
            range.map_or(0.0, |range| range.to - range.from)
        };
        // From above, the longer coordinate goes right, since screens are wide. Axes are right-handed: if x
        // goes right, z goes down; otherwise this would be the view from below.
        let above = three && plane == Plane::Xz;
        let turned = above && length(2) > length(0);
        let axes = if turned { [2, 0] } else { plane.axes() };
        let downward = if above {
            !turned
        } else {
            map.iter().any(|points| points.unit == "px")
        };
        let bound = |axis: usize| {
            let range = bounds.get(axis).copied().flatten();
            let (from, to) = range.map_or((0.0, 0.0), |range| (range.from, range.to));
            let margin = ((to - from) * 0.05).max(0.5);
            [from - margin, to + margin]
        };
        let [across, mut up] = axes.map(bound);
        if downward {
            up = [-up[1], -up[0]];
        }
        Self {
            axes,
            downward,
            across,
            up,
        }
    }

    /// Widens one of the ranges so that both have the same scale in an area of this size.
    #[must_use]
    pub fn fit(self, width: f64, height: f64) -> Self {
        let Self { across, up, .. } = self;
        let scale = ((across[1] - across[0]) / width).max((up[1] - up[0]) / height);
        let widen = |range: [f64; 2], length: f64| {
            let middle = f64::midpoint(range[0], range[1]);
            [middle - length / 2.0, middle + length / 2.0]
        };
        Self {
            across: widen(across, scale * width),
            up: widen(up, scale * height),
            ..self
        }
    }

    /// The horizontal axis, then the vertical one.
    pub fn map_axes(&self) -> [MapAxis; 2] {
        let name = |axis: usize| AXES.get(axis).copied().unwrap_or_default();
        let [across, up] = self.axes.map(name);
        let (direction, [from, to]) = if self.downward {
            ("down", [-self.up[1], -self.up[0]])
        } else {
            ("up", self.up)
        };
        [
            MapAxis {
                name: across,
                direction: "right",
                from: self.across[0],
                to: self.across[1],
            },
            MapAxis {
                name: up,
                direction,
                from,
                to,
            },
        ]
    }

    /// The vertical coordinate of a place. Never `-0.0`.
    pub fn vertical(&self, up: f64) -> f64 {
        if self.downward { 0.0 - up } else { up + 0.0 }
    }

    /// A place as parts of the ranges, from 0 to 1: from the left, and from the bottom.
    pub fn part(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let part = |at: f64, [from, to]: [f64; 2]| (at - from) / (to - from);
        (part(x, self.across), part(y, self.up))
    }

    /// The projected position of a row, if it has one.
    pub fn place(&self, points: &Points, batch: &Batch, row: usize) -> Option<(f64, f64)> {
        let [x, y] = self
            .axes
            .map(|axis| number(batch.get(row, points.at + axis)));
        let (x, y) = (x?, y?);
        Some((x, if self.downward { -y } else { y }))
    }
}

/// An entity at a place: a player, a disc, a projectile.
#[derive(Clone, PartialEq, Debug)]
pub struct Entity {
    pub at: (f64, f64),
    pub sign: char,
    pub name: String,
    pub team: Option<String>,
    pub tint: Tint,
}

/// The entities of a map, each with the number of its table; `batches` has a batch for each table.
pub fn entities(
    map: &[Points],
    batches: &[Batch],
    projection: &Projection,
) -> Vec<(usize, Entity)> {
    let tables = map.iter().zip(batches).enumerate();
    tables
        .flat_map(|(nth, (points, batch))| {
            (0..batch.len()).filter_map(move |row| {
                let at = projection.place(points, batch, row)?;
                Some((nth, entity(points, nth, batch, row, at)))
            })
        })
        .collect()
}

/// The entity of a row in the table with this number.
pub fn entity(points: &Points, nth: usize, batch: &Batch, row: usize, at: (f64, f64)) -> Entity {
    let text = |column: Option<usize>| match column.map(|at| batch.get(row, at)) {
        Some(Value::Text(text)) if !text.is_empty() => Some(shown(Value::Text(text), None)),
        _ => None,
    };
    let key = || {
        let keys: Vec<String> = (0..points.keys)
            .map(|at| shown(batch.get(row, at), None))
            .collect();
        if keys.is_empty() {
            points.table.clone()
        } else {
            keys.join(" ")
        }
    };
    let team = text(points.team);
    let own = if nth == 0 { '●' } else { '◆' };
    Entity {
        at,
        sign: team.as_deref().map_or(own, sign),
        name: text(points.name).unwrap_or_else(key),
        tint: tint(team.as_deref().unwrap_or(&points.table)),
        team,
    }
}

/// A rectangle: left, top, right, bottom.
pub type Area = [f64; 4];

/// Places labels so that none overlaps a sign or another label, and none leaves the map.
pub struct Labels {
    map: Area,
    taken: Vec<Area>,
}

impl Labels {
    pub const fn new(map: Area) -> Self {
        Self {
            map,
            taken: Vec::new(),
        }
    }

    /// Reserves an area for a sign.
    pub fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Returns the first place whose area is free, and reserves it.
    pub fn put(
        &mut self,
        places: impl IntoIterator<Item = (f64, f64)>,
        area: impl Fn((f64, f64)) -> Area,
    ) -> Option<(f64, f64)> {
        let [left, top, right, bottom] = self.map;
        let is_free = |own: Area| {
            let within = own[0] >= left && own[1] >= top && own[2] <= right && own[3] <= bottom;
            within && !self.taken.iter().any(|other| overlap(own, *other))
        };
        let found = places.into_iter().find(|place| is_free(area(*place)))?;
        self.taken.push(area(found));
        Some(found)
    }
}

fn overlap(one: Area, other: Area) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::range::Range;

    /// The direction, in x, y and z, that goes right on the picture, and up.
    fn directions(projection: &Projection) -> [[i32; 3]; 2] {
        let of =
            |axis: usize, sign: i32| std::array::from_fn(|at| if at == axis { sign } else { 0 });
        let [right, up] = projection.axes;
        [
            of(right, 1),
            of(up, if projection.downward { -1 } else { 1 }),
        ]
    }

    /// Where the eye is: axes are right-handed, and nothing is seen in a mirror.
    fn eye([right, up]: [[i32; 3]; 2]) -> [i32; 3] {
        [(1, 2), (2, 0), (0, 1)].map(|(one, two)| right[one] * up[two] - right[two] * up[one])
    }

    #[test]
    fn from_above_is_not_from_below() {
        let points = Points {
            table: "players".to_owned(),
            columns: Vec::new(),
            keys: 1,
            at: 1,
            three: true,
            name: None,
            team: None,
            unit: "m".to_owned(),
        };
        let range = |to: f64| Some(Range { from: -to, to });
        for (x, z) in [(15.0, 40.0), (40.0, 15.0)] {
            let bounds = [range(x), range(10.0), range(z)];
            let of = |plane| {
                let projection = Projection::new(std::slice::from_ref(&points), &bounds, plane);
                eye(directions(&projection))
            };
            assert_eq!(of(Plane::Xz), [0, 1, 0], "from above");
            assert_eq!(of(Plane::Xy), [0, 0, 1], "from the front");
            assert_eq!(of(Plane::Zy), [-1, 0, 0], "from the side");
        }
    }
}
