//! Random tales, compared with what comparing whole states by hand gives.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// For each step and ship: a position, an end, or no row.
type Tale = Vec<[Option<Option<i8>>; 3]>;

fn told(tale: &Tale) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, ships) in (0..).zip(tale) {
        for (number, said) in (0..).zip(ships) {
            match said {
                None => {}
                Some(None) => rows.push(gone(step(at), number)),
                Some(Some(x)) => rows.push(ship(step(at), number, f64::from(*x))),
            }
        }
    }
    rows
}

/// Computes the same by comparing the whole state at each step.
fn by_hand([ours, theirs]: [&Tale; 2]) -> ([u64; 3], BTreeSet<u64>) {
    let mut held = [BTreeMap::new(), BTreeMap::new()];
    let (mut counts, mut steps) = ([0; 3], BTreeSet::new());
    for at in 0..ours.len().max(theirs.len()) {
        let mut new = BTreeSet::new();
        for (held, tale) in held.iter_mut().zip([ours, theirs]) {
            for (number, said) in tale
                .get(at)
                .iter()
                .flat_map(|ships| ships.iter().enumerate())
            {
                match said {
                    None => continue,
                    Some(None) => held.remove(&number),
                    Some(Some(x)) => held.insert(number, *x),
                };
                new.insert(number);
            }
        }
        for number in new {
            let count = match (held[0].get(&number), held[1].get(&number)) {
                (Some(a), Some(b)) if a != b => 0,
                (Some(_), None) => 1,
                (None, Some(_)) => 2,
                _ => continue,
            };
            counts[count] += 1;
            steps.insert(at as u64);
        }
    }
    (counts, steps)
}

proptest! {
    #[test]
    fn states_differ_as_they_do_by_hand(
        ours: Vec<[Option<Option<bool>>; 3]>,
        changes in vec((any::<prop::sample::Index>(), 0..3_usize, any::<Option<Option<bool>>>()), 0..4),
    ) {
        let ours: Tale = ours
            .iter()
            .map(|ships| ships.map(|said| said.map(|x| x.map(i8::from))))
            .collect();
        let mut theirs = ours.clone();
        for (at, ship, said) in changes.iter().filter(|_| !ours.is_empty()) {
            let at = at.index(theirs.len());
            theirs[at][*ship] = said.map(|x| x.map(i8::from));
        }
        let found = compared((ships(), told(&ours)), (ships(), told(&theirs)));
        let (counts, steps) = by_hand([&ours, &theirs]);
        let table = found.tables.first().cloned().unwrap_or_default();
        prop_assert_eq!([table.rows, table.only_first, table.only_second], counts);
        prop_assert_eq!(&found.steps, &steps.iter().copied().collect::<Vec<_>>());
        let first = found.first().and_then(|(_, first)| Some(first.stamp?.step));
        prop_assert_eq!(first, steps.first().copied());
    }
}
