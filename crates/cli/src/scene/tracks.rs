//! Where things went, and where they were for how long.

use std::collections::BTreeMap;

use gametape::core::table::Owned;
use gametape::{Batch, Stamp};

use super::clock::Lasts;
use super::map::{Sides, Thing, thing};
use super::views::Points;

/// Places of all ways together, and of one of them: more than that are thinned.
const PLACES: usize = 60_000;
const MOST: usize = 20_000;
/// Things that are followed, at most.
const THINGS: usize = 4096;
/// Squares across that times are counted in.
const ACROSS: usize = 72;

/// How long things were in each square of a map.
#[derive(Clone, PartialEq, Debug)]
pub struct Density {
    pub across: usize,
    pub down: usize,
    /// Row after row, from the lowest.
    pub long: Vec<f64>,
}

/// The ways of a thing.
pub struct Track {
    /// Which table of the map it is of.
    pub nth: usize,
    /// As it was when it was first seen.
    pub thing: Thing,
    pub ways: Vec<Vec<(f64, f64)>>,
    since: Option<(Stamp, (f64, f64))>,
    seen: usize,
    every: usize,
    held: usize,
}

/// While rows are read.
pub struct Tracks<'s> {
    sides: &'s Sides,
    lasts: Lasts,
    most: usize,
    density: Density,
    all: Vec<Track>,
    known: BTreeMap<(usize, Vec<Owned>), usize>,
    /// There were more things than are followed.
    pub more: bool,
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
        if self.ways.is_empty() {
            self.ways.push(Vec::new());
        }
        let Some(way) = self.ways.last_mut() else {
            return;
        };
        if way.last() != Some(&at) && self.seen.is_multiple_of(self.every) {
            way.push(at);
            self.held += 1;
        }
        if self.held > most {
            self.ways.retain(|way| way.len() > 1);
            for way in &mut self.ways {
                let mut nth = 0_usize;
                way.retain(|_| {
                    nth += 1;
                    nth % 2 == 1
                });
            }
            self.held = self.ways.iter().map(Vec::len).sum();
            self.every = self.every.saturating_mul(2);
        }
    }

    fn stop(&mut self) {
        if self.ways.last().is_some_and(|way| !way.is_empty()) {
            self.ways.push(Vec::new());
        }
    }
}

impl<'s> Tracks<'s> {
    /// Of about so many things.
    pub fn new(sides: &'s Sides, lasts: Lasts, things: usize) -> Self {
        let ratio = (sides.up[1] - sides.up[0]) / (sides.across[1] - sides.across[0]);
        let down = (ACROSS as f64 * ratio).round().clamp(1.0, 400.0) as usize;
        Self {
            sides,
            lasts,
            most: (PLACES / things.max(1)).clamp(32, MOST),
            density: Density {
                across: ACROSS,
                down,
                long: vec![0.0; ACROSS * down],
            },
            all: Vec::new(),
            known: BTreeMap::new(),
            more: false,
        }
    }

    /// Some rows of a table of the map; what held before is as if it were of `from`.
    pub fn see(&mut self, nth: usize, points: &Points, batch: &Batch, from: Option<Stamp>) {
        for row in 0..batch.len() {
            let at = self.sides.place(points, batch, row);
            let known = (nth, key(points, batch, row));
            let place = match (self.known.get(&known), at) {
                (Some(place), _) => *place,
                // What was never anywhere goes nowhere.
                (None, None) => continue,
                (None, Some(_)) if self.all.len() >= THINGS => {
                    self.more = true;
                    continue;
                }
                (None, Some(at)) => {
                    self.all.push(Track {
                        nth,
                        thing: thing(points, nth, batch, row, at),
                        ways: Vec::new(),
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
            self.hold(before, stamp);
        }
    }

    /// A thing was there until now.
    fn hold(&mut self, since: Option<(Stamp, (f64, f64))>, until: Stamp) {
        let Some((since, (x, y))) = since else {
            return;
        };
        let long = self.lasts.between(since, until);
        let bin = |at: f64, [from, to]: [f64; 2], count: usize| {
            let part = (at - from) / (to - from);
            // Outside there is nothing: bounds are those of the rows that are read.
            ((part * count as f64).clamp(0.0, count.saturating_sub(1) as f64)) as usize
        };
        let Density { across, down, .. } = self.density;
        let place = bin(y, self.sides.up, down) * across + bin(x, self.sides.across, across);
        if let Some(bin) = self.density.long.get_mut(place) {
            *bin += long;
        }
    }

    /// All of it, until now.
    pub fn end(mut self, until: Stamp) -> (Vec<Track>, Density) {
        for at in 0..self.all.len() {
            let Some(track) = self.all.get_mut(at) else {
                continue;
            };
            let since = track.since.take();
            // Where it is now may have been thinned away.
            if let Some(((_, place), way)) = since.zip(track.ways.last_mut())
                && way.last() != Some(&place)
            {
                way.push(place);
            }
            self.hold(since, until);
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

    /// However long a way is, and however often it is broken: it has its ends, and few places.
    #[test]
    fn long_ways_are_thinned_to_their_ends() {
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
        let sides = Sides::new(
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
            let mut tracks = Tracks::new(&sides, Lasts::Seconds, 1);
            tracks.see(0, &points, &batch, None);
            let (tracks, density) = tracks.end(stamp);
            let [track] = tracks.as_slice() else {
                panic!("{} tracks", tracks.len());
            };
            let places: usize = track.ways.iter().map(Vec::len).sum();
            assert!(places <= MOST + 1, "{places}");
            let last = track.ways.last().and_then(|way| way.last());
            assert_eq!(last, Some(&(100_000.0, 1.0)));
            let long: f64 = density.long.iter().sum();
            let wanted = if broken { 50.0 } else { 100.0 };
            assert!((long - wanted).abs() < 0.01, "{long}");
            if !broken {
                assert!(places > MOST / 4, "{places}");
                assert_eq!(track.ways[0].first(), Some(&(0.0, 1.0)));
            }
        }
    }
}
