//! However somebody goes through a recording, what holds at a moment is what stepping from the start to
//! it comes to; and a range is what is left of all rows.

use std::cmp::Ordering;
use std::sync::LazyLock;

use gametape::core::table::kit::{Row, all_of, by_key, holding, rows_of, scanned};
use gametape::core::table::{Changes, Playback};
use gametape::core::tape::Options;
use gametape::{At, Lane, Recording, Scan, Stamp, TableDef, Time};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::samples::samples;

/// A recording, and what stepping through it gave.
struct Known {
    recording: Recording,
    tables: Vec<TableDef>,
    stamps: Vec<Stamp>,
    /// Of each step what holds of each table; of a table of events nothing.
    states: Vec<Vec<Vec<Row>>>,
}

impl Known {
    fn of(recording: Recording) -> Self {
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

    /// The newest step that is not after a moment of the recording.
    fn newest(&self, at: At) -> Option<usize> {
        let is_behind = |stamp: &Stamp| at.order(*stamp) == Some(Ordering::Greater);
        let upto = self.stamps.partition_point(|stamp| !is_behind(stamp));
        let ended = at.order(*self.stamps.last()?) == Some(Ordering::Less);
        upto.checked_sub(1).filter(|_| !ended)
    }
}

fn held(play: &mut dyn Playback, table: &TableDef) -> Vec<Row> {
    if table.lane == Lane::Events {
        return Vec::new();
    }
    by_key(table, &play.state(&all_of(table)).unwrap())
}

/// Recordings of every format.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for format in gametape::formats().iter() {
        // Of many, the shorter ones: each step of them is kept.
        let mut found = samples(format.name());
        found.sort_by_key(Vec::len);
        found.truncate(4);
        for bytes in found {
            let recording = Recording::from_bytes(bytes, "a").unwrap();
            let convert = |to: &str| {
                let made = recording.convert(to, &Options::new()).unwrap();
                Recording::from_bytes(made.content.bytes().unwrap(), "b").unwrap()
            };
            if all.len() % 3 == 0 {
                all.push(Known::of(convert("capture")));
            }
            if format.name() == "echoreplay" {
                all.push(Known::of(convert("butter")));
            }
            all.push(Known::of(recording));
        }
    }
    all
});

/// How somebody goes on.
#[derive(Clone, Debug)]
enum Move {
    /// To a step; to its tick, or its time and so many nanoseconds.
    Step(Index),
    Tick(Index, u64),
    Time(Index, i64),
    /// To the next step, so many times.
    On(u8),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
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
    fn at(&self, known: &Known) -> Option<At> {
        let stamp = |at: &Index| known.stamps[at.index(known.stamps.len())];
        match self {
            Self::Step(at) => Some(At::Step(stamp(at).step)),
            Self::Tick(at, on) => Some(At::Tick(stamp(at).tick?.saturating_add(*on))),
            Self::Time(at, on) => Some(At::Time(Time(stamp(at).time?.0 + on))),
            Self::On(_) => None,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_holds_is_what_stepping_comes_to(which: Index, moves in moves(), table: Index) {
        let known = which.get(&KNOWN);
        let mut play = known.recording.playback().unwrap();
        let mut at = 0;
        let table = table.index(known.tables.len());
        let def = &known.tables[table];
        let mut changes = (def.lane != Lane::Events).then(|| Changes::of(def, &all_of(def)).unwrap());
        let mut followed = Vec::new();
        for go in &moves {
            if let Some(to) = go.at(known) {
                match (play.seek(to), known.newest(to)) {
                    (Ok(stamp), Some(wanted)) => {
                        prop_assert_eq!(stamp, known.stamps[wanted]);
                        at = wanted;
                    }
                    // It stays where it is.
                    (Err(_), None) => {}
                    (found, wanted) => prop_assert!(false, "{to:?}: {found:?}, not {wanted:?}"),
                }
            } else if let Move::On(times) = go {
                for _ in 0..*times {
                    let next = play.step().unwrap();
                    prop_assert_eq!(next, known.stamps.get(at + 1).copied());
                    at += usize::from(next.is_some());
                }
            }
            prop_assert_eq!(play.now(), known.stamps[at]);
            let wanted = &known.states[at][table];
            prop_assert!(held(&mut *play, def) == *wanted, "{} at {:?}", def.name, play.now());
            if let Some(changes) = &mut changes {
                followed.extend(rows_of(&changes.next(&mut *play).unwrap()));
                followed = holding(def, &followed);
                let now = followed.iter().map(|row: &Row| Row { stamp: play.now(), ..row.clone() });
                prop_assert!(now.eq(wanted.iter().cloned()), "the changes of {}", def.name);
            }
        }
    }

    #[test]
    fn a_range_is_what_is_left_of_all_rows(which: Index, ends in moves(), table: Index, fewer: Index) {
        let known = which.get(&KNOWN);
        let def = table.get(&known.tables);
        let tape = known.recording.tape();
        let all = scanned(tape, &all_of(def));
        let mut ends = ends.iter().filter_map(|end| end.at(known));
        let (from, to) = (ends.next(), ends.next());
        // One column alone.
        let column = fewer.index(def.columns.len());
        let scan = Scan { from, to, ..all_of(def) };
        let scan = scan.columns([&*def.columns[column].name]);
        if scan.check_range().is_err() {
            return Ok(());
        }
        let within = |row: &&Row| {
            let is = |at: Option<At>, no: Ordering| at.and_then(|at| at.order(row.stamp)) != Some(no);
            def.lane == Lane::Facts || is(from, Ordering::Less) && is(to, Ordering::Greater)
        };
        let key = def.columns[column].key;
        let wanted = all.iter().filter(within).map(|row| {
            let value = row.values[column].clone();
            // Of what ends the key alone is known.
            assert!(!row.ended || key || value.value() == gametape::Value::Null);
            Row { values: vec![value], ..row.clone() }
        });
        let found = scanned(tape, &scan);
        prop_assert!(wanted.eq(found), "{scan:?} of {}", known.recording.format().name());
    }
}
