//! The paths of entities on a map, and the time that they spend in each part of it.

use std::collections::BTreeMap;

use gametape::core::table::Owned;
use gametape::{Batch, Stamp};

use super::map::{Entity, Projection, entity};
use super::time::Axis;
use super::views::Points;

/// The largest number of places in all paths together, and in the paths of one entity; more are thinned.
const PLACES: usize = 60_000;
const MOST: usize = 20_000;
/// The largest number of entities that are followed.
const ENTITIES: usize = 4096;
/// The number of squares across in which times are counted.
const ACROSS: usize = 72;

/// The time that entities spent in each square of a map.
#[derive(Clone, PartialEq, Debug)]
pub struct Density {
    pub across: usize,
    pub down: usize,
    /// Row by row, the lowest row first.
    pub times: Vec<f64>,
}

/// The paths of an entity.
pub struct Track {
    /// The number of its table on the map.
    pub nth: usize,
    /// The entity as it was first seen.
    pub entity: Entity,
    pub paths: Vec<Vec<(f64, f64)>>,
    since: Option<(Stamp, (f64, f64))>,
    seen: usize,
    every: usize,
    held: usize,
}

/// Follows entities while rows are read.
pub struct Tracker<'s> {
    projection: &'s Projection,
    axis: Axis,
    most: usize,
    density: Density,
    all: Vec<Track>,
    known: BTreeMap<(usize, Vec<Owned>), usize>,
}

/// The key of a row.
pub fn key(points: &Points, batch: &Batch, row: usize) -> Vec<Owned> {
    (0..points.keys)
        .map(|at| batch.get(row, at).into())
        .collect()
}

impl Track {
    fn go(&mut self, at: (f64, f64), most: usize) {
        self.seen += 1;
        if self.paths.is_empty() {
            self.paths.push(Vec::new());
        }
        let Some(path) = self.paths.last_mut() else {
            return;
        };
        if path.last() != Some(&at) && self.seen.is_multiple_of(self.every) {
            path.push(at);
            self.held += 1;
        }
        if self.held > most {
            self.paths.retain(|path| path.len() > 1);
            for path in &mut self.paths {
                let mut nth = 0_usize;
                path.retain(|_| {
                    nth += 1;
                    nth % 2 == 1
                });
            }
            self.held = self.paths.iter().map(Vec::len).sum();
            self.every = self.every.saturating_mul(2);
        }
    }

    fn stop(&mut self) {
        if self.paths.last().is_some_and(|path| !path.is_empty()) {
            self.paths.push(Vec::new());
        }
    }
}

impl<'s> Tracker<'s> {
    /// Starts; paths are thinned so that those of about `entities` fit in memory.
    pub fn new(projection: &'s Projection, axis: Axis, entities: usize) -> Self {
        let ratio =
            (projection.up[1] - projection.up[0]) / (projection.across[1] - projection.across[0]);
        let down = (ACROSS as f64 * ratio).round().clamp(1.0, 400.0) as usize;
        Self {
            projection,
            axis,
            most: (PLACES / entities.max(1)).clamp(32, MOST),
            density: Density {
                across: ACROSS,
                down,
                times: vec![0.0; ACROSS * down],
            },
            all: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// Takes rows of a table of the map. Rows that held before count as of `from`.
    pub fn see(&mut self, nth: usize, points: &Points, batch: &Batch, from: Option<Stamp>) {
        for row in 0..batch.len() {
            let at = self.projection.place(points, batch, row);
            let known = (nth, key(points, batch, row));
            let place = match (self.known.get(&known), at) {
                (Some(place), _) => *place,
                // An entity without a position is not followed.
                (None, None) => continue,
                (None, Some(_)) if self.all.len() >= ENTITIES => continue,
                (None, Some(at)) => {
                    self.all.push(Track {
                        nth,
                        entity: entity(points, nth, batch, row, at),
                        paths: Vec::new(),
                        since: None,
                        seen: 0,
                        every: 1,
                        held: 0,
                    });
                    let place = self.all.len() - 1;
                    self.known.insert(known, place);
                    place
                }
            };
            let at = at.filter(|_| !batch.is_end(row));
            let stamp = from.unwrap_or_else(|| batch.stamp(row));
            let Some(track) = self.all.get_mut(place) else {
                continue;
            };
            let before = track.since.take();
            match at {
                Some(at) => {
                    track.since = Some((stamp, at));
                    track.go(at, self.most);
                }
                None => track.stop(),
            }
            self.count(before, stamp);
        }
    }

    /// Counts the time that an entity spent at a place.
    fn count(&mut self, since: Option<(Stamp, (f64, f64))>, until: Stamp) {
        let Some((since, (x, y))) = since else {
            return;
        };
        let length = self.axis.between(since, until);
        let bin = |at: f64, [from, to]: [f64; 2], count: usize| {
            let part = (at - from) / (to - from);
            // No place is outside: the bounds are those of the rows that are read.
            ((part * count as f64).clamp(0.0, count.saturating_sub(1) as f64)) as usize
        };
        let Density { across, down, .. } = self.density;
        let place =
            bin(y, self.projection.up, down) * across + bin(x, self.projection.across, across);
        if let Some(bin) = self.density.times.get_mut(place) {
            *bin += length;
        }
    }

    /// Ends the paths.
    pub fn end(mut self, until: Stamp) -> (Vec<Track>, Density) {
        for at in 0..self.all.len() {
            let Some(track) = self.all.get_mut(at) else {
                continue;
            };
            let since = track.since.take();
            // The last place may have been thinned away.
            if let Some(((_, place), path)) = since.zip(track.paths.last_mut())
                && path.last() != Some(&place)
            {
                path.push(place);
            }
            self.count(since, until);
        }
        (self.all, self.density)
    }
}

#[cfg(test)]
mod tests {
    use gametape::{Batch, Kind, Time, Value};

    use super::*;
    use crate::scene::map::Plane;
    use crate::scene::range::Range;

    /// A path of any length, broken or not, keeps its ends and few places.
    #[test]
    fn long_paths_are_thinned_to_their_ends() {
        let points = Points {
            table: "players".to_owned(),
            columns: Vec::new(),
            keys: 1,
            at: 1,
            three: false,
            name: None,
            team: None,
            unit: String::new(),
        };
        let range = Some(Range {
            from: 0.0,
            to: 100_000.0,
        });
        let projection = Projection::new(
            std::slice::from_ref(&points),
            &[range, range, None],
            Plane::Xy,
        );
        for broken in [false, true] {
            let mut batch = Batch::new([Kind::Uint, Kind::Float64, Kind::Float64]);
            let mut stamp = Stamp::default();
            for step in 0..100_001_u64 {
                stamp.step = step;
                stamp.time = Some(Time::from_ms(step as i64));
                let gone = broken && step % 2 == 1 && step < 100_000;
                let x = (!gone).then_some(step as f64);
                batch.push(stamp, [Value::Uint(7), x.into(), Value::Float64(1.0)]);
            }
            let mut tracks = Tracker::new(&projection, Axis::Time, 1);
            tracks.see(0, &points, &batch, None);
            let (tracks, density) = tracks.end(stamp);
            let [track] = tracks.as_slice() else {
                panic!("{} tracks", tracks.len());
            };
            let places: usize = track.paths.iter().map(Vec::len).sum();
            assert!(places <= MOST + 1, "{places}");
            let last = track.paths.last().and_then(|path| path.last());
            assert_eq!(last, Some(&(100_000.0, 1.0)));
            let long: f64 = density.times.iter().sum();
            let wanted = if broken { 50.0 } else { 100.0 };
            assert!((long - wanted).abs() < 0.01, "{long}");
            if !broken {
                assert!(places > MOST / 4, "{places}");
                assert_eq!(track.paths[0].first(), Some(&(0.0, 1.0)));
            }
        }
    }
}
