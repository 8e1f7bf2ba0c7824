use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::tape::{BusyTime, Print};

const fn def(kind: &'static str) -> RelationDef {
    RelationDef {
        kind,
        code: kind,
        severity: Severity::Warning,
        says: "",
        doc: "",
    }
}

const DEFS: &[RelationDef] = &[def("strong"), def("weak"), def("at-once")];

fn print(relation: usize, hash: u64, bits: u8) -> Print {
    Print {
        relation,
        hash,
        bits,
    }
}

fn find(tapes: &[Traces]) -> Vec<Related> {
    let mut relations = Relations::new();
    for (at, traces) in tapes.iter().enumerate() {
        assert_eq!(relations.add(DEFS, traces) as usize, at);
    }
    relations.find()
}

fn printed(prints: &[Print]) -> Traces {
    Traces {
        prints: prints.to_vec(),
        busy: Vec::new(),
    }
}

fn busy(who: u64, from: i64, to: i64) -> Traces {
    let time = BusyTime {
        relation: 2,
        who,
        from,
        to,
    };
    Traces {
        prints: Vec::new(),
        busy: vec![time],
    }
}

fn pairs(found: &[Related]) -> Vec<(u32, &'static str, u32)> {
    let pairs = found.iter().flat_map(|related| {
        let of = |other: &u32| (related.tape, related.relation.kind, *other);
        related.others.iter().map(of)
    });
    pairs.collect()
}

#[test]
fn the_strongest_alone_is_told_and_in_both() {
    let strong = |hash| print(0, hash, 60);
    let weak = |hash| print(1, hash, 60);
    let found = find(&[
        printed(&[strong(1), weak(5), weak(6)]),
        printed(&[strong(1), weak(5)]),
        printed(&[strong(2), weak(5), weak(6)]),
        printed(&[strong(3), weak(7)]),
        Traces::default(),
    ]);
    assert_eq!(
        pairs(&found),
        [
            (0, "strong", 1),
            (0, "weak", 2),
            (1, "strong", 0),
            (1, "weak", 2),
            (2, "weak", 0),
            (2, "weak", 1),
        ]
    );
}

#[test]
fn formats_keep_to_themselves() {
    const OTHERS: &[RelationDef] = &[def("other")];
    let mut relations = Relations::new();
    relations.add(DEFS, &printed(&[print(0, 1, 60)]));
    relations.add(OTHERS, &printed(&[print(0, 1, 60)]));
    // A relation that the format does not declare is ignored.
    relations.add(OTHERS, &printed(&[print(1, 1, 60)]));
    assert!(relations.find().is_empty());
}

#[test]
fn what_chance_gives_is_a_fact_and_no_warning() {
    let tapes = |count: u64, bits| {
        let other = (1..count - 1).map(|hash| printed(&[print(0, hash, bits)]));
        let same = [0, 0].map(|hash| printed(&[print(0, hash, bits)]));
        let all: Vec<Traces> = same.into_iter().chain(other).collect();
        find(&all).first().unwrap().severity
    };
    // 1,000 recordings make about half a million pairs, or 2^19.
    assert_eq!(tapes(1000, 26), Severity::Warning);
    assert_eq!(tapes(1000, 25), Severity::Info);
    assert_eq!(tapes(2, 6), Severity::Info);
    assert_eq!(tapes(2, 7), Severity::Warning);
}

#[test]
fn of_a_crowd_some_are_named_and_the_rest_is_counted() {
    let crowd = vec![printed(&[print(0, 1, 60), print(0, 2, 60)]); 100];
    let found = find(&crowd);
    assert_eq!(found.len(), 100);
    for related in found {
        assert_eq!(related.others.len(), NAMED);
        assert!(!related.others.contains(&related.tape));
        assert_eq!(related.more, 99 - NAMED as u64);
    }
}

/// Whoever is named names back, whatever the order; nothing more is said to be there.
#[test]
fn of_a_group_all_are_named() {
    for count in [2, 3, 5, 9, 10, ALL + 1] {
        for apart in 1..4 {
            // Others between them, and more prints in common than one.
            let tapes = (0..count * apart).map(|at| {
                let own = 100 + at as u64;
                let hash = if at % apart == 0 { 1 } else { own };
                printed(&[print(0, hash, 60), print(0, hash + 1000, 60)])
            });
            let found = find(&tapes.collect::<Vec<Traces>>());
            assert_eq!(found.len(), count);
            for related in found {
                let all = (0..count).map(|at| (at * apart) as u32);
                let others: Vec<u32> = all.filter(|tape| *tape != related.tape).collect();
                assert_eq!((related.others, related.more), (others, 0));
            }
        }
    }
    // Groups that overlap, each of them small enough.
    let hashes = |at: u64| [print(0, at / 2, 60), print(0, 100 + at / 3, 60)];
    let tapes: Vec<Traces> = (0..40).map(|at| printed(&hashes(at))).collect();
    let pairs: BTreeSet<_> = pairs(&find(&tapes)).into_iter().collect();
    let back = pairs.iter().map(|(one, kind, other)| (*other, *kind, *one));
    assert_eq!(back.collect::<BTreeSet<_>>(), pairs);
}

#[test]
fn nobody_is_in_two_places() {
    let found = find(&[
        busy(1, 0, 10),
        busy(1, 10, 20),
        busy(2, 5, 15),
        busy(1, 19, 25),
        // This span started in the same second as another and ended in that second.
        busy(3, 1, 0),
        busy(3, 1, 9),
    ]);
    assert_eq!(pairs(&found), [(1, "at-once", 3), (3, "at-once", 1)]);
}

/// Computes the relations slowly. Two recordings have a relation if they share a print of it, and
/// no chain of stronger shared prints connects them.
fn slow(tapes: &[Vec<Print>]) -> BTreeSet<(u32, &'static str, u32)> {
    let mut class: Vec<usize> = (0..tapes.len()).collect();
    let mut found = BTreeSet::new();
    for (kind, relation) in DEFS.iter().enumerate().take(2) {
        let mut joined = Vec::new();
        for (a, ours) in tapes.iter().enumerate() {
            for (b, theirs) in tapes.iter().enumerate() {
                let ours = ours.iter().filter(|print| print.relation == kind);
                let common = ours.clone().any(|print| theirs.contains(print));
                if common && class[a] != class[b] {
                    found.insert((a as u32, relation.kind, b as u32));
                    joined.push((a, b));
                }
            }
        }
        for (a, b) in joined {
            let (from, to) = (class[a], class[b]);
            class
                .iter_mut()
                .filter(|c| **c == from)
                .for_each(|c| *c = to);
        }
    }
    found
}

/// Where each is busy at the same time as so few others, all of these are named.
fn at_once_as_known(spans: &[(i64, i64)]) -> Result<(), TestCaseError> {
    let tapes: Vec<Traces> = spans
        .iter()
        .map(|(from, long)| busy(1, *from, from + long))
        .collect();
    let found = find(&tapes);
    for (a, (from, long)) in spans.iter().enumerate() {
        let is_other = |b: usize| {
            let (other, far) = spans.get(b).copied().unwrap_or_default();
            a != b && other < from + long && *from < other + far
        };
        let known: Vec<u32> = (0..spans.len())
            .filter(|b| is_other(*b))
            .map(|b| b as u32)
            .collect();
        let related = found.iter().find(|related| related.tape as usize == a);
        let others = related.map(|related| related.others.clone());
        let others = others.unwrap_or_default();
        let more = related.map_or(0, |related| related.more);
        if known.len() <= ALL {
            prop_assert_eq!((&others, more), (&known, 0), "{}", a);
        } else {
            prop_assert!(others.iter().all(|other| known.contains(other)));
            prop_assert!(
                others.len() == NAMED && more > 0,
                "{} {} {}",
                a,
                others.len(),
                more
            );
        }
    }
    Ok(())
}

/// Many that are short, and one that outlasts them.
#[test]
fn who_stays_longest_is_not_forgotten() {
    for at in [0, 30, ALL as i64 + 10] {
        let mut spans = vec![(0, 10); ALL + 20];
        spans.push((at, 200));
        spans.extend([(150, 10), (155, 40), (190, 1)]);
        at_once_as_known(&spans).unwrap();
    }
}

proptest! {
    #[test]
    fn all_that_are_at_once_are_found(
        spans in prop::collection::vec((0..300_i64, 1..120_i64), 0..200)
    ) {
        at_once_as_known(&spans)?;
    }

    #[test]
    fn all_that_are_related_are_found_and_nothing_else(
        tapes in prop::collection::vec(prop::collection::vec((0..2_usize, 0..6_u64), 0..4), 0..9)
    ) {
        let tapes: Vec<Vec<Print>> = tapes
            .into_iter()
            .map(|prints| prints.into_iter().map(|(kind, hash)| print(kind, hash, 60)).collect())
            .collect();
        let traces: Vec<Traces> = tapes.iter().map(|prints| printed(prints)).collect();
        let found: BTreeSet<_> = pairs(&find(&traces)).into_iter().collect();
        prop_assert_eq!(found, slow(&tapes));
    }
}
