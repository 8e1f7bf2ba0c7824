//! Recordings of every format, and the result of stepping through them.

use std::cmp::Ordering;
use std::sync::LazyLock;

use gametape::core::table::Playback;
use gametape::core::table::kit::{Row, all_of, by_key};
use gametape::core::tape::Options;
use gametape::echo::echoreplay::Writer;
use gametape::echo::{Frame, butter};
use gametape::murk::engine::World;
use gametape::{At, Lane, OptionValue, Recording, Stamp, TableDef, Time};
use gametape_samples::echo::{Match, MatchOptions};
use proptest::prelude::*;
use proptest::sample::Index;

/// A recording, and the result of stepping through it.
pub struct Known {
    pub recording: Recording,
    pub tables: Vec<TableDef>,
    pub stamps: Vec<Stamp>,
    /// For each step the state of each table; empty for tables of events.
    pub states: Vec<Vec<Vec<Row>>>,
}

impl Known {
    pub fn of(recording: Recording) -> Self {
        let tables = recording.tables().unwrap();
        let (mut stamps, mut states) = (Vec::new(), Vec::new());
        {
            let mut play = recording.playback().unwrap();
            let mut now = Some(play.now());
            while let Some(stamp) = now {
                stamps.push(stamp);
                states.push(tables.iter().map(|table| held(&mut *play, table)).collect());
                now = play.step().unwrap();
            }
        }
        Self {
            recording,
            tables,
            stamps,
            states,
        }
    }

    /// Returns the newest step that is not after a moment.
    pub fn newest(&self, at: At) -> Option<usize> {
        let is_behind = |stamp: &Stamp| at.order(*stamp) == Some(Ordering::Greater);
        let upto = self.stamps.partition_point(|stamp| !is_behind(stamp));
        let ended = at.order(*self.stamps.last()?) == Some(Ordering::Less);
        upto.checked_sub(1).filter(|_| !ended)
    }
}

pub fn held(play: &mut dyn Playback, table: &TableDef) -> Vec<Row> {
    if table.lane == Lane::Events {
        return Vec::new();
    }
    by_key(table, &play.state(&all_of(table)).unwrap())
}

/// Recordings of every format.
pub static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for format in gametape::formats().iter() {
        // Use the shorter samples, because the state of each step is kept.
        let mut found = samples(format.name());
        found.sort_by_key(Vec::len);
        found.truncate(4);
        for bytes in found {
            let recording = Recording::from_bytes(bytes, "a").unwrap();
            let convert = |to: &str, options: Options| {
                let made = recording.convert(to, &options).unwrap();
                Recording::from_bytes(made.content.bytes().unwrap(), "b").unwrap()
            };
            if all.len() % 3 == 0 {
                all.push(Known::of(convert("capture", Options::new())));
            }
            if format.name() == "echoreplay" {
                all.push(Known::of(convert("butter", Options::new())));
                let few = Options::new().with("keyframe-every", OptionValue::Count(30));
                all.push(Known::of(convert("butter", few)));
            }
            all.push(Known::of(recording));
        }
    }
    all
});

/// A move of the playback.
#[derive(Clone, Debug)]
pub enum Move {
    /// Seek to a step, to its tick, or to its time plus some nanoseconds.
    Step(Index),
    Tick(Index, u64),
    Time(Index, i64),
    /// Step forward this many times.
    On(u8),
}

pub fn moves() -> impl Strategy<Value = Vec<Move>> {
    let any = any::<Index>;
    let one = prop_oneof![
        4 => any().prop_map(Move::Step),
        2 => (any(), 0..3_u64).prop_map(|(at, on)| Move::Tick(at, on)),
        2 => (any(), -40_000_000..40_000_000_i64).prop_map(|(at, on)| Move::Time(at, on)),
        3 => (0..4_u8).prop_map(Move::On),
    ];
    proptest::collection::vec(one, 1..12)
}

impl Move {
    pub fn at(&self, known: &Known) -> Option<At> {
        let stamp = |at: &Index| known.stamps[at.index(known.stamps.len())];
        match self {
            Self::Step(at) => Some(At::Step(stamp(at).step)),
            Self::Tick(at, on) => Some(At::Tick(stamp(at).tick?.saturating_add(*on))),
            Self::Time(at, on) => Some(At::Time(Time(stamp(at).time?.0 + on))),
            Self::On(_) => None,
        }
    }
}

fn frames() -> Vec<Frame> {
    let options = MatchOptions {
        frames: Some(200),
        ..MatchOptions::default()
    };
    Match::new(options).collect()
}

/// Returns recordings of a format; none for formats that are captures themselves.
pub fn samples(format: &str) -> Vec<Vec<u8>> {
    match format {
        "rmv" => {
            let games = gametape_samples::mines::scenarios();
            let record = |scenario| gametape_samples::mines::record(scenario, 3).unwrap();
            let write = |game| gametape::mines::rmv::write(&game).unwrap();
            games.iter().map(record).map(write).collect()
        }
        "murk" => {
            let played = |(_, text): &(&str, &str)| {
                let world = World::from_toml(text).unwrap();
                gametape_samples::murk::record(&world, world.build().unwrap(), 1, 40).unwrap()
            };
            let worlds = gametape_samples::murk::ALL.iter();
            let mut all: Vec<Vec<u8>> = worlds.map(played).collect();
            all.push(gametape::murk::doc_example());
            all
        }
        "echoreplay" => {
            let mut text = Writer::new(Vec::new());
            for frame in frames() {
                text.push(&frame).unwrap();
            }
            vec![text.finish().unwrap()]
        }
        "butter" => {
            vec![butter::write(&frames(), butter::Options::default()).unwrap()]
        }
        "capture" | "delta" => Vec::new(),
        other => panic!("{other} has no sample recording: add one, and it is tested"),
    }
}

/// Returns several megabytes of lines.
pub fn long_match() -> Vec<u8> {
    let options = MatchOptions {
        frames: Some(1500),
        ..MatchOptions::default()
    };
    let mut text = Writer::new(Vec::new());
    for frame in Match::new(options) {
        text.push(&frame).unwrap();
    }
    text.finish().unwrap()
}
