//! A part of a recording has the same content as the whole has in that range.

use std::cmp::Ordering;
use std::ops::Range;

use gametape::core::table::kit::{Row, all_of, scanned};
use gametape::core::tape::{self, Options};
use gametape::{At, Cut, Lane, Recording, Stamp, Time};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::known::{KNOWN, Known, Move, moves};

/// Returns the stamps in a range; `None` if there are none.
fn wanted(stamps: &[Stamp], cut: &Cut) -> Option<Range<usize>> {
    let order = |at: Option<At>, stamp: &Stamp| at.and_then(|at| at.order(*stamp));
    let is_behind = |stamp: &Stamp| order(cut.to, stamp) == Some(Ordering::Greater);
    let end = stamps.iter().position(is_behind).unwrap_or(stamps.len());
    let is_in = |stamp: &Stamp| order(cut.from, stamp) != Some(Ordering::Less);
    let start = stamps[..end].iter().position(is_in)?;
    Some(start..end)
}

/// Returns whether all numbers that were rounded again are as accurate as the format promises.
fn is_within_bounds(report: &Value) -> bool {
    let numbers = report["numbers"].as_array().unwrap();
    numbers.iter().all(|number| number["beyond"] == 0)
}

/// A part, and the whole recording it was cut from.
struct Both<'k> {
    whole: &'k Known,
    part: &'k Known,
    kept: Range<usize>,
    /// Whether no number was rounded.
    exact: bool,
}

impl Both<'_> {
    /// Maps a stamp of the part to the whole. Steps and times may start again at 0, but continue at
    /// the same pace.
    fn back(&self, stamp: Stamp) -> Stamp {
        let (first, began) = (self.part.stamps[0], self.whole.stamps[self.kept.start]);
        let time = |stamp: Stamp| {
            let passed = stamp.time?.0 - first.time?.0;
            Some(Time(began.time?.0 + passed))
        };
        Stamp {
            step: stamp.step - first.step + began.step,
            tick: stamp.tick,
            time: time(stamp),
        }
    }

    fn name(&self) -> &str {
        self.whole.recording.format().name()
    }

    fn states(&self) {
        assert_eq!(self.part.stamps.len(), self.kept.len(), "{}", self.name());
        for (at, stamp) in self.part.stamps.iter().enumerate() {
            let was = self.kept.start + at;
            assert_eq!(self.back(*stamp), self.whole.stamps[was], "{}", self.name());
            for (table, def) in self.whole.tables.iter().enumerate() {
                // Facts are computed from the part, so they may differ.
                if def.lane == Lane::Facts {
                    continue;
                }
                let [ours, theirs] =
                    [&self.part.states[at], &self.whole.states[was]].map(|state| &state[table]);
                assert_eq!(ours.len(), theirs.len(), "{} of {}", def.name, self.name());
                let values = |rows: &[Row]| -> Vec<_> {
                    rows.iter().map(|row| row.values.clone()).collect()
                };
                assert!(
                    !self.exact || values(ours) == values(theirs),
                    "{} of {} at {stamp:?}",
                    def.name,
                    self.name()
                );
            }
        }
    }

    fn events(&self) {
        let last = self.whole.stamps[self.kept.end - 1].step;
        let began = self.whole.stamps[self.kept.start].step;
        let events = |def: &&gametape::TableDef| def.lane == Lane::Events;
        for def in self.whole.tables.iter().filter(events) {
            // The first step of a part has no previous step, so changes relative to it are not
            // given.
            let is_in = |row: &Row| row.stamp.step > began && row.stamp.step <= last;
            let all = scanned(&**self.whole.recording.tape(), &all_of(def));
            let all: Vec<Row> = all.into_iter().filter(is_in).collect();
            let part = scanned(&**self.part.recording.tape(), &all_of(def)).into_iter();
            let part = part.map(|row| Row {
                stamp: self.back(row.stamp),
                ..row
            });
            let part: Vec<Row> = part.filter(is_in).collect();
            assert_eq!(part.len(), all.len(), "{} of {}", def.name, self.name());
            assert!(
                !self.exact || part == all,
                "{} of {}",
                def.name,
                self.name()
            );
        }
    }
}

fn check(whole: &Known, cut: &Cut) -> Result<(), TestCaseError> {
    let name = whole.recording.format().name();
    let wanted = wanted(&whole.stamps, cut);
    let made = match whole.recording.cut(cut, &Options::new()) {
        Ok(made) => made,
        Err(error) => {
            let error = error.tape_error().unwrap();
            let begins = wanted.is_none_or(|wanted| wanted.start == 0);
            match error {
                tape::Error::Scan(_) => prop_assert!(
                    cut.from
                        .zip(cut.to)
                        .is_some_and(|(from, to)| from.is_behind(to))
                ),
                tape::Error::NothingIn { .. } => prop_assert!(begins, "{name}: {error}"),
                tape::Error::Uncut { at_start, .. } => {
                    prop_assert!(!at_start || !begins, "{name}: {error}");
                }
                error => prop_assert!(false, "{name}: {error}"),
            }
            return Ok(());
        }
    };
    let Some(wanted) = wanted else {
        return Err(TestCaseError::fail(format!("{name}: nothing is in {cut}")));
    };
    let cutout = &made.outcome;
    prop_assert_eq!(cutout.kept.first, whole.stamps[wanted.start]);
    prop_assert_eq!(cutout.kept.last, whole.stamps[wanted.end - 1]);
    prop_assert_eq!(cutout.kept.is_all, wanted.len() == whole.stamps.len());
    let bytes = made.content.bytes().unwrap();
    if cutout.kept.is_all {
        prop_assert_eq!(&bytes, &*whole.recording.input().bytes().unwrap());
        return Ok(());
    }
    let part = Known::of(Recording::from_bytes(bytes.clone(), "part").unwrap());
    let report = cutout.converted.report.as_ref();
    prop_assert!(report.is_none_or(|report| is_within_bounds(&report.data)));
    let both = Both {
        whole,
        part: &part,
        kept: wanted,
        exact: report.is_none(),
    };
    both.states();
    both.events();
    let again = Cut::new(Some(At::Step(0)), None);
    let again = part.recording.cut(&again, &Options::new()).unwrap();
    prop_assert!(again.outcome.kept.is_all && again.content.bytes().unwrap() == bytes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_part_says_what_the_whole_says_there(which: Index, ends in moves(), open in 0..4_u8) {
        let whole = which.get(&KNOWN);
        let mut ends: Vec<At> = ends.iter().filter_map(|end: &Move| end.at(whole)).collect();
        ends.truncate(2);
        // In most cases the range is not backwards.
        if let [from, to] = ends[..] && open > 0 && from.is_behind(to) {
            ends.reverse();
        }
        let mut ends = ends.into_iter();
        let cut = match open {
            1 => Cut::new(ends.next(), None),
            2 => Cut::new(None, ends.next()),
            _ => Cut::new(ends.next(), ends.next()),
        };
        check(whole, &cut)?;
    }
}

#[test]
fn an_event_is_found_by_its_number() {
    let recording = Recording::from_bytes(gametape_samples::mines::example(), "a.rmv").unwrap();
    let around = |text: &str| {
        let event = text.parse().unwrap();
        let ms = Time::from_ms;
        recording.around(&event, ms(1000), ms(500))
    };
    let table = recording.tables().unwrap();
    let table = table.iter().find(|table| table.name == "mouse_events");
    let rows = scanned(&**recording.tape(), &all_of(table.unwrap()));
    let third = rows[2].stamp.time.unwrap();
    let range = Cut::new(
        Some(At::Time(Time(third.0 - 1_000_000_000))),
        Some(At::Time(Time(third.0 + 500_000_000))),
    );
    assert_eq!(around("mouse_events:3").unwrap(), range);
    assert_eq!(around("mouse_event:3").unwrap(), range);
    let refused = |text: &str| around(text).unwrap_err().message();
    let last = rows.len();
    assert!(around(&format!("mouse_events:{last}")).is_ok());
    assert_eq!(
        refused(&format!("mouse_events:{}", last + 1)),
        format!(
            "mouse_events has {last} rows: there is no mouse_events:{}",
            last + 1
        )
    );
    assert!(refused("mouse_evnets").contains("did you mean \"mouse_events\"?"));
    assert!(refused("cursor:1").starts_with("cursor is a table of state"));
}
