//! Positions, seen from one side: which way is right and up, and what is where.

use gametape::{At, Batch, Stamp, Time, Value};

use super::cells::number;
use super::range::Bounds;
use super::tint::{Tint, sign, tint};
use super::views::Points;
use gametape::core::table::shown;

const AXES: [&str; 3] = ["x", "y", "z"];

/// A trail goes back so far, in times or in steps.
const TRAIL: Time = Time::from_ms(1000);
const TRAIL_STEPS: u64 = 30;

/// Where the trails of a moment begin.
pub fn trail(now: Stamp) -> At {
    match now.time {
        Some(time) => At::Time(Time(time.0.saturating_sub(TRAIL.0).max(0))),
        None => At::Step(now.step.saturating_sub(TRAIL_STEPS)),
    }
}

/// From where positions are looked at: what goes right, and what goes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Plane {
    /// From above, where `y` is the height.
    #[default]
    Xz,
    Xy,
    Zy,
}

impl Plane {
    #[cfg(feature = "play")]
    pub const fn next(self) -> Self {
        match self {
            Self::Xz => Self::Xy,
            Self::Xy => Self::Zy,
            Self::Zy => Self::Xz,
        }
    }

    /// Which coordinates: right, up.
    const fn axes(self) -> [usize; 2] {
        match self {
            Self::Xz => [0, 2],
            Self::Xy => [0, 1],
            Self::Zy => [2, 1],
        }
    }
}

/// What goes right and what goes up, and from where to where.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sides {
    axes: [usize; 2],
    /// What is greater is further down, as pixels are.
    pub flipped: bool,
    pub across: [f64; 2],
    pub up: [f64; 2],
}

impl Sides {
    /// Everything within the bounds fits.
    pub fn new(map: &[Points], bounds: &Bounds, plane: Plane) -> Self {
        let three = map.iter().all(|points| points.three);
        let plane = if three { plane } else { Plane::Xy };
        let long = |axis: usize| {
            let range = bounds.get(axis).copied().flatten();
            range.map_or(0.0, |range| range.to - range.from)
        };
        // From above what is longer goes right, as screens do; it is turned for that. Axes are
        // right-handed: as x goes right, z goes down, else it would be seen from below.
        let above = three && plane == Plane::Xz;
        let turned = above && long(2) > long(0);
        let axes = if turned { [2, 0] } else { plane.axes() };
        let flipped = if above {
            !turned
        } else {
            map.iter().any(|points| points.unit == "px")
        };
        let bound = |axis: usize| {
            let range = bounds.get(axis).copied().flatten();
            let (from, to) = range.map_or((0.0, 0.0), |range| (range.from, range.to));
            let room = ((to - from) * 0.05).max(0.5);
            [from - room, to + room]
        };
        let [across, mut up] = axes.map(bound);
        if flipped {
            up = [-up[1], -up[0]];
        }
        Self {
            axes,
            flipped,
            across,
            up,
        }
    }

    /// As far apart each way, in a room that is so wide and so high.
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

    /// What the coordinates are called that go right, and up.
    pub fn names(&self) -> [&'static str; 2] {
        self.axes
            .map(|axis| AXES.get(axis).copied().unwrap_or_default())
    }

    /// Where the position of a row is, if it has one.
    pub fn place(&self, points: &Points, batch: &Batch, row: usize) -> Option<(f64, f64)> {
        let [x, y] = self
            .axes
            .map(|axis| number(batch.get(row, points.at + axis)));
        let (x, y) = (x?, y?);
        Some((x, if self.flipped { -y } else { y }))
    }
}

/// A thing at a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Thing {
    pub at: (f64, f64),
    pub sign: char,
    pub name: String,
    pub team: Option<String>,
    pub tint: Tint,
}

/// The things of a table, of which it is the first or another one on its map.
pub fn things<'s>(
    points: &'s Points,
    nth: usize,
    batch: &'s Batch,
    sides: &'s Sides,
) -> impl Iterator<Item = Thing> + 's {
    (0..batch.len()).filter_map(move |row| {
        let at = sides.place(points, batch, row)?;
        Some(thing(points, nth, batch, row, at))
    })
}

/// The thing of a row.
pub fn thing(points: &Points, nth: usize, batch: &Batch, row: usize, at: (f64, f64)) -> Thing {
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
    Thing {
        at,
        sign: team.as_deref().map_or(own, sign),
        name: text(points.name).unwrap_or_else(key),
        tint: tint(team.as_deref().unwrap_or(&points.table)),
        team,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::range::Range;

    /// The direction, in x, y and z, that goes right on the picture, and up.
    fn directions(sides: &Sides) -> [[i32; 3]; 2] {
        let of =
            |axis: usize, sign: i32| std::array::from_fn(|at| if at == axis { sign } else { 0 });
        let [right, up] = sides.axes;
        [of(right, 1), of(up, if sides.flipped { -1 } else { 1 })]
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
                let sides = Sides::new(std::slice::from_ref(&points), &bounds, plane);
                eye(directions(&sides))
            };
            assert_eq!(of(Plane::Xz), [0, 1, 0], "from above");
            assert_eq!(of(Plane::Xy), [0, 0, 1], "from before");
            assert_eq!(of(Plane::Zy), [-1, 0, 0], "from the side");
        }
    }
}
