//! Finds related recordings among many.

use std::collections::HashMap;

use crate::rule::Severity;
use crate::tape::{RelationDef, Traces};

/// Up to this many related recordings are all named.
const ALL: usize = 64;
/// Of more than [`ALL`], the first few are named and the rest is counted: in a crowd, each would be
/// named as often as the crowd has members.
const NAMED: usize = 8;
/// The number of pairs after which duplicates are removed for the first time.
const ROOM: usize = 1 << 16;
/// The maximum number of simultaneous spans of one person that are compared.
const BUSY: usize = ALL + 1;
/// If this many pairs are expected to share a print by chance, the relation proves nothing.
const BY_CHANCE: f64 = 0.01;

/// A print, with the number of its recording.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Printed {
    kind: u16,
    hash: u64,
    bits: u8,
    tape: u32,
}

/// A span, with the number of its recording.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Busy {
    kind: u16,
    who: u64,
    from: i64,
    to: i64,
    tape: u32,
}

/// The recordings that are related to one recording.
#[derive(Clone, PartialEq, Debug)]
pub struct Related {
    /// The number of this recording.
    pub tape: u32,
    /// The relation.
    pub relation: RelationDef,
    /// The severity of the relation, or [`Severity::Info`] if chance could explain it.
    pub severity: Severity,
    /// The numbers of the other recordings in order: all of them up to 64, of more the first few.
    pub others: Vec<u32>,
    /// How many more there are, at least.
    pub more: u64,
    /// The expected number of pairs, among all recordings, that share this much by chance.
    pub expected: f64,
}

/// Finds related recordings. Add the traces of each recording (a few hundred bytes), then compare
/// all with all.
///
/// ```
/// use gametape_core::Severity;
/// use gametape_core::surface::Relations;
/// use gametape_core::tape::{Print, RelationDef, Traces};
/// const SAME: &[RelationDef] = &[RelationDef {
///     kind: "same-throws",
///     code: "dice.same-throws",
///     severity: Severity::Warning,
///     says: "the same throws as",
///     doc: "",
/// }];
/// let traces = |hash| Traces {
///     prints: vec![Print { relation: 0, hash, bits: 64 }],
///     busy: Vec::new(),
/// };
/// let mut relations = Relations::new();
/// for hash in [7, 9, 7] {
///     relations.add(SAME, &traces(hash));
/// }
/// let found = relations.find();
/// assert_eq!((found[0].tape, &*found[0].others), (0, &[2][..]));
/// assert_eq!((found[1].tape, &*found[1].others), (2, &[0][..]));
/// ```
#[derive(Default)]
pub struct Relations {
    defs: Vec<RelationDef>,
    prints: Vec<Printed>,
    spans: Vec<Busy>,
    tapes: u32,
}

/// A recording, another one, and the expected number of such pairs by chance.
type Pair = (u32, u32, f64);

impl Relations {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a recording of a format with these relations, and returns its number, counted from 0.
    pub fn add(&mut self, defs: &[RelationDef], traces: &Traces) -> u32 {
        let tape = self.tapes;
        self.tapes += 1;
        let Some(kinds) = self.kinds(defs, traces) else {
            return tape;
        };
        let kind = |relation: usize| kinds.get(relation).copied();
        let prints = traces.prints.iter().filter_map(|print| {
            Some(Printed {
                kind: kind(print.relation)?,
                hash: print.hash,
                bits: print.bits,
                tape,
            })
        });
        self.prints.extend(prints);
        let spans = traces.busy.iter().filter_map(|span| {
            Some(Busy {
                kind: kind(span.relation)?,
                who: span.who,
                from: span.from,
                to: span.to,
                tape,
            })
        });
        self.spans.extend(spans);
        tape
    }

    /// Returns the global numbers of a format's relations, in their order.
    fn kinds(&mut self, defs: &[RelationDef], traces: &Traces) -> Option<Vec<u16>> {
        let first = defs.first().filter(|_| !traces.is_empty())?;
        let at = self.defs.iter().position(|def| def.code == first.code);
        let at = at.unwrap_or_else(|| {
            self.defs.extend_from_slice(defs);
            self.defs.len() - defs.len()
        });
        let kinds = (at..at + defs.len()).map(|kind| u16::try_from(kind).ok());
        kinds.collect()
    }

    /// Returns the relations of each recording, in the order of the recordings, the strongest
    /// first. If two recordings are related in several ways, only the strongest relation is
    /// reported.
    #[must_use]
    pub fn find(mut self) -> Vec<Related> {
        self.prints.sort_unstable();
        self.prints.dedup();
        self.spans.sort_unstable();
        let mut classes = Classes((0..self.tapes).collect());
        let mut found = Vec::new();
        for (kind, relation) in (0_u16..).zip(&self.defs) {
            let prints = of_kind(&self.prints, |print| print.kind, kind);
            let spans = of_kind(&self.spans, |span| span.kind, kind);
            let mut pairs = Vec::new();
            let mut most = Most::default();
            same(prints, &mut classes, &mut pairs, &mut most);
            at_once(spans, &mut classes, &mut pairs);
            // Join only after all pairs are known, so that the result does not depend on their
            // order.
            for (a, b, _) in &pairs {
                classes.join(*a, *b);
            }
            tell(*relation, pairs, &most, &mut found);
        }
        // Sort in place, because there may be many.
        let rank = |code| self.defs.iter().position(|def| def.code == code);
        found.sort_unstable_by_key(|related: &Related| (related.tape, rank(related.relation.code)));
        found
    }
}

/// Returns the items of one kind from a sorted slice.
fn of_kind<T>(all: &[T], of: impl Fn(&T) -> u16, kind: u16) -> &[T] {
    let from = all.partition_point(|thing| of(thing) < kind);
    let to = all.partition_point(|thing| of(thing) <= kind);
    all.get(from..to).unwrap_or_default()
}

/// The number of related recordings, for recordings with more than can be named.
#[derive(Default)]
struct Most(HashMap<u32, u64>);

impl Most {
    fn put(&mut self, tape: u32, others: u64) {
        let most = self.0.entry(tape).or_default();
        *most = others.max(*most);
    }
}

/// How many of this many related recordings are named.
const fn named_of(others: u64) -> usize {
    if others > ALL as u64 { NAMED } else { ALL }
}

/// Groups of recordings that already have a stronger relation: a union-find structure.
struct Classes(Vec<u32>);

impl Classes {
    fn of(&mut self, tape: u32) -> u32 {
        let mut at = tape;
        while let Some(&up) = self.0.get(at as usize) {
            if up == at {
                break;
            }
            // Path halving makes later lookups faster.
            let above = self.0.get(up as usize).copied().unwrap_or(up);
            if let Some(slot) = self.0.get_mut(at as usize) {
                *slot = above;
            }
            at = above;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        if let Some(slot) = self.0.get_mut(a.max(b) as usize) {
            *slot = a.min(b);
        }
    }
}

/// Returns, for each strength in bits, how many recordings have a print of that strength.
fn could(prints: &[Printed]) -> HashMap<u8, u64> {
    // One bit for each recording, because there may be many.
    let mut marked = HashMap::<u8, Vec<u64>>::new();
    for print in prints {
        let tapes = marked.entry(print.bits).or_default();
        let at = print.tape as usize / 64;
        if at >= tapes.len() {
            tapes.resize(at + 1, 0);
        }
        if let Some(word) = tapes.get_mut(at) {
            *word |= 1 << (print.tape % 64);
        }
    }
    let count = |tapes: Vec<u64>| tapes.iter().map(|word| u64::from(word.count_ones())).sum();
    let counted = marked.into_iter();
    counted.map(|(bits, tapes)| (bits, count(tapes))).collect()
}

/// Collects the pairs that share a print.
fn same(prints: &[Printed], classes: &mut Classes, pairs: &mut Vec<Pair>, most: &mut Most) {
    let could = could(prints);
    let mut told: HashMap<Vec<(u32, u32)>, f64> = HashMap::new();
    let mut room = ROOM;
    for equal in prints.chunk_by(|a, b| a.hash == b.hash) {
        let Some(first) = equal.first().filter(|_| equal.len() > 1) else {
            continue;
        };
        let tapes = could.get(&first.bits).copied().unwrap_or(0);
        let expected = tapes as f64 * (tapes as f64 - 1.0) / 2.0 / f64::from(first.bits).exp2();
        let mut members: Vec<(u32, u32)> = equal
            .iter()
            .map(|print| (classes.of(print.tape), print.tape))
            .collect();
        members.sort_unstable();
        members.dedup();
        // Of the same ones print after print may be the same: it is told once, of the one that tells most.
        let told = told.entry(members.clone()).or_insert(f64::INFINITY);
        if expected >= *told {
            continue;
        }
        *told = expected;
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            let others = members.len() - group.len();
            let is_other =
                |member: &&(u32, u32)| group.first().is_some_and(|own| own.0 != member.0);
            // Find the members outside of the group by slicing: the group may contain nearly all of
            // them.
            let before =
                members.partition_point(|member| Some(member.0) < group.first().map(|g| g.0));
            let head = members.get(..before).unwrap_or_default();
            let tail = members.get(before + group.len()..).unwrap_or_default();
            let named: Vec<u32> = (head.iter().chain(tail))
                .filter(is_other)
                .take(named_of(others as u64))
                .map(|(_, tape)| *tape)
                .collect();
            for (_, tape) in group {
                pairs.extend(named.iter().map(|other| (*tape, *other, expected)));
                compact(pairs, &mut room);
                if others > ALL {
                    most.put(*tape, others as u64);
                }
            }
        }
    }
}

/// Keeps each pair once, with its strongest shared print.
fn once(pairs: &mut Vec<Pair>) {
    pairs.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    pairs.dedup_by_key(|pair| (pair.0, pair.1));
}

/// Removes duplicate pairs when there are many: the same recordings may share one print after
/// another.
fn compact(pairs: &mut Vec<Pair>, room: &mut usize) {
    if pairs.len() > *room {
        once(pairs);
        *room = ROOM.max(2 * pairs.len());
    }
}

/// Collects the pairs with which one person was busy at the same time.
fn at_once(spans: &[Busy], classes: &mut Classes, pairs: &mut Vec<Pair>) {
    for of_one in spans.chunk_by(|a, b| a.who == b.who) {
        let mut busy: Vec<&Busy> = Vec::new();
        for span in of_one {
            busy.retain(|earlier| earlier.to > span.from);
            for earlier in &busy {
                // Two spans with the same start overlap for certain only if the second lasts longer
                // than an instant.
                let is_sure = earlier.from < span.from || span.to > span.from;
                let are_apart = classes.of(earlier.tape) != classes.of(span.tape);
                if is_sure && are_apart {
                    pairs.push((earlier.tape, span.tape, 0.0));
                    pairs.push((span.tape, earlier.tape, 0.0));
                }
            }
            if busy.len() < BUSY {
                busy.push(span);
                continue;
            }
            // Those stay that more may come to meet: whoever meets one that went meets all of these, too.
            let first = busy.iter_mut().min_by_key(|earlier| earlier.to);
            if let Some(first) = first.filter(|first| first.to < span.to) {
                *first = span;
            }
        }
    }
}

/// Collects, for each recording, the recordings that it is paired with.
fn tell(relation: RelationDef, mut pairs: Vec<Pair>, most: &Most, found: &mut Vec<Related>) {
    once(&mut pairs);
    for of_tape in pairs.chunk_by(|a, b| a.0 == b.0) {
        let Some((tape, _, first)) = of_tape.first() else {
            continue;
        };
        let expected = of_tape.iter().map(|pair| pair.2).fold(*first, f64::min);
        let all = (of_tape.len() as u64).max(most.0.get(tape).copied().unwrap_or(0));
        let named = of_tape.iter().take(named_of(all));
        let others: Vec<u32> = named.map(|pair| pair.1).collect();
        found.push(Related {
            tape: *tape,
            relation,
            severity: if expected < BY_CHANCE {
                relation.severity
            } else {
                relation.severity.min(Severity::Info)
            },
            more: all - others.len() as u64,
            others,
            expected,
        });
    }
}

#[cfg(test)]
mod tests;
