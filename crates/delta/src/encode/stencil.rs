//! Entities of which all bits are known but those of id and values.

use alloc::vec::Vec;

use crate::bits::BitWriter;
use crate::schema::{Form, Layout, full_mask, ones};

/// Entities that have the same components, and of which the same values are sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Shape {
    pub components: u64,
    /// The values that are sent: the lowest bit is for the last one.
    pub values: u64,
}

/// The stencils of one section. Entities tend to change the same fields, so that few stencils serve
/// most of them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Stencils {
    all: Vec<Stencil>,
    /// Rises with each entity that has a stencil, and falls with each that has none.
    luck: u32,
    /// The number of entities until the next attempt: where fields change at random, to look for
    /// stencils only takes time.
    rest: u32,
}

/// All bits of the entities of a shape, with holes for id and values.
#[derive(Clone, Default, Debug)]
struct Stencil {
    shape: Shape,
    /// Whether such entities came twice in a row.
    tried: bool,
    bytes: usize,
    /// The bits of the first word that are the same for all: masks, and what flips signs.
    first: u64,
    /// In the order of the words; none if it is not cut, or if entities have no fixed size.
    holes: Vec<Hole>,
}

/// Where a value is in a word, or a part of it.
#[derive(Clone, Copy, Default, Debug)]
struct Hole {
    mask: u64,
    /// The index of the value.
    at: u32,
    /// How far the value is rotated to the left.
    turn: u8,
    word: u8,
    /// Whether no other hole is in this word.
    last: bool,
    /// If so, the bits of the next word that are the same for all.
    next: u64,
}

/// Two to the power of this many stencils are kept: 26 KB.
const BITS: u32 = 5;

/// Entities with more words or holes have no stencil.
const WORDS: usize = 8;
const HOLES: usize = 32;

/// The most luck. A miss costs twice what a hit gains.
const LUCK: u32 = 100;

/// How many entities have no stencil after luck ran out.
const REST: u32 = 2000;

impl Stencils {
    /// Writes an entity; returns false if there is no stencil for it, or not yet. `whole` says that
    /// components are named of which no value is sent.
    #[inline(always)]
    pub fn write(
        &mut self,
        layout: &Layout,
        whole: bool,
        shape: Shape,
        (id, codes): (u32, &[u64]),
        to: &mut BitWriter,
    ) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            return false;
        }
        let key = shape.components.rotate_left(32) ^ shape.values;
        let at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize;
        match self.all.get_mut(at) {
            Some(stencil) if stencil.shape == shape && !stencil.holes.is_empty() => {
                self.luck = LUCK.min(self.luck + 1);
                return stencil.write(id, codes, to);
            }
            Some(stencil) if stencil.shape == shape && stencil.tried => {}
            Some(stencil) if stencil.shape != shape => {
                stencil.shape = shape;
                stencil.tried = false;
                stencil.holes.clear();
            }
            _ => self.learn(layout, whole, shape, at),
        }
        if self.luck < 2 {
            (self.luck, self.rest) = (LUCK, REST);
        }
        self.luck -= 2;
        false
    }

    /// Cuts the stencil at `at`: such an entity came the second time in a row.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, layout: &Layout, whole: bool, shape: Shape, at: usize) {
        if self.all.is_empty() {
            self.luck = LUCK;
            // All memory at once, so that nothing is allocated later.
            self.all.extend((0..1 << BITS).map(|_| Stencil {
                holes: Vec::with_capacity(HOLES),
                ..Stencil::default()
            }));
        }
        if let Some(stencil) = self.all.get_mut(at) {
            stencil.tried = stencil.shape == shape;
            stencil.shape = shape;
            if stencil.tried && stencil.cut(layout, whole).is_none() {
                stencil.holes.clear();
            }
        }
    }
}

impl Stencil {
    #[inline(always)]
    fn write(&self, id: u32, codes: &[u64], to: &mut BitWriter) -> bool {
        let mut word = self.first ^ u64::from(id.swap_bytes()) << 32;
        let mut space = to.space(8 * WORDS).iter_mut();
        for hole in &self.holes {
            let Some(code) = codes.get(hole.at as usize) else {
                return false;
            };
            word ^= code.rotate_left(hole.turn.into()) & hole.mask;
            if hole.last {
                let Some(to) = space.next() else {
                    return false;
                };
                *to = word.to_be_bytes();
                word = hole.next;
            }
        }
        to.advance(self.bytes);
        true
    }

    /// Finds the place of each bit; `None` if there are too many, or a varuint among them.
    fn cut(&mut self, layout: &Layout, whole: bool) -> Option<()> {
        let Shape { components, values } = self.shape;
        let total = layout.values(components);
        let sent = |component: usize, first: usize| {
            let count = layout.fields(component).len();
            values.unbounded_shr((total - first - count) as u32) & full_mask(count)
        };
        let (mut named, mut first) = (0, 0);
        for component in ones(components) {
            named |= u64::from(whole || sent(component, first) != 0) << 63 >> component;
            first += layout.fields(component).len();
        }
        self.holes.clear();
        let (mut words, mut end) = ([0; WORDS], 32);
        let count = layout.components();
        self.add(
            &mut words,
            &mut end,
            named.unbounded_shr(64 - count as u32),
            count,
            None,
        )?;
        first = 0;
        for component in ones(components) {
            let (plans, mask) = (layout.fields(component), sent(component, first));
            if mask != 0 {
                self.add(&mut words, &mut end, mask, plans.len(), None)?;
            }
            for (at, plan) in plans.iter().enumerate() {
                if mask >> (plans.len() - 1 - at) & 1 == 1 {
                    let Form::Bits { bits, flip } = plan.form else {
                        return None;
                    };
                    self.add(&mut words, &mut end, flip, bits as usize, Some(first + at))?;
                }
            }
            first += plans.len();
        }
        self.bytes = end.div_ceil(8);
        self.first = words[0];
        // The last hole of each word, from the last word on; a word without holes has no place.
        let mut words_left = end.div_ceil(64);
        for hole in self.holes.iter_mut().rev() {
            if usize::from(hole.word) + 1 == words_left {
                hole.last = true;
                hole.next = words.get(words_left).copied().unwrap_or(0);
                words_left -= 1;
            }
        }
        (words_left == 0).then_some(())
    }

    /// Adds bits after the first `end`, and holes for a value there.
    fn add(
        &mut self,
        words: &mut [u64; WORDS],
        end: &mut usize,
        bits: u64,
        count: usize,
        value: Option<usize>,
    ) -> Option<()> {
        let start = *end;
        *end += count;
        if end.div_ceil(64) > WORDS || self.holes.len() + 2 > HOLES {
            return None;
        }
        for (at, word) in words.iter_mut().enumerate() {
            let from = |bit: usize| u64::MAX.unbounded_shr(bit.saturating_sub(64 * at) as u32);
            let mask = from(start) ^ from(*end);
            let turn = end.wrapping_neg() as u32 % 64;
            *word |= bits.rotate_left(turn) & mask;
            if let Some(value) = value.filter(|_| mask != 0) {
                self.holes.push(Hole {
                    at: value as u32,
                    word: at as u8,
                    turn: turn as u8,
                    mask,
                    ..Hole::default()
                });
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use crate::encode::Encoder;
    use crate::schema::{Codec, Component, Field, Schema};
    use crate::snapshot::Snapshot;
    use crate::wire::HEADER_BYTES;
    use crate::{Limits, Value};

    fn codecs() -> impl Strategy<Value = Codec> {
        prop_oneof![
            8 => (1..=64_u8).prop_map(|bits| Codec::UInt { bits }),
            4 => (1..=64_u8).prop_map(|bits| Codec::SInt { bits }),
            2 => Just(Codec::Bool),
            2 => (0..1000_i64).prop_map(|max_q| Codec::FixedPoint { min_q: 0, max_q, scale: 1 }),
            1 => Just(Codec::VarUInt),
        ]
    }

    /// A value of a codec, from random bits.
    fn value(codec: Codec, bits: u64) -> Value {
        match codec {
            Codec::Bool => Value::Bool(bits & 1 == 1),
            Codec::UInt { bits: width } => Value::UInt(bits >> (64 - width)),
            Codec::SInt { bits: width } => Value::SInt(bits as i64 >> (64 - width)),
            Codec::FixedPoint { max_q, .. } => {
                Value::FixedPoint((bits % (max_q as u64 + 1)) as i64)
            }
            _ => Value::VarUInt(bits as u32),
        }
    }

    /// The entities of a packet with one section, without its frame.
    fn body(packet: &[u8]) -> Vec<u8> {
        let varuint =
            |at: usize| at + packet[at..].iter().take_while(|byte| **byte > 127).count() + 1;
        packet[varuint(varuint(HEADER_BYTES + 1))..].to_vec()
    }

    proptest! {
        /// Each entity alone has no stencil, since a stencil is cut for the second one.
        #[test]
        fn entities_have_the_same_bytes_together_and_alone(
            components in prop::collection::vec(prop::collection::vec(codecs(), 0..12), 1..5),
            kinds in prop::collection::vec(any::<u64>(), 1..4),
            values: u64,
            scattered: bool,
        ) {
            let fields = |codecs: &Vec<Codec>| (1..).zip(codecs).map(|(id, codec)| Field::new(id, *codec)).collect::<Vec<_>>();
            let definitions = (1..).zip(&components).map(|(id, codecs)| Component::new(id, fields(codecs)));
            let schema = Schema::new(definitions.collect::<Vec<_>>()).unwrap();
            let mut random = values | 1;
            let mut next = || { random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1); random ^ random << 31 };
            let (mut old, mut new) = (Snapshot::new(&schema, 1), Snapshot::new(&schema, 2));
            for id in 1..60 {
                let kind = kinds[id as usize % kinds.len()];
                old.entry(id);
                new.entry(id);
                for (index, codecs) in components.iter().enumerate().filter(|(index, _)| kind >> index & 1 == 0) {
                    let before: Vec<Value> = codecs.iter().map(|codec| value(*codec, next())).collect();
                    let after = codecs.iter().zip(&before).enumerate().map(|(at, (codec, before))| {
                        if kind >> (4 + 3 * index + at) & 1 == 0 { value(*codec, next()) } else { *before }
                    });
                    let after: Vec<Value> = after.collect();
                    old.entry(id).set(index as u16 + 1, &before).unwrap();
                    new.entry(id).set(index as u16 + 1, &after).unwrap();
                }
            }
            if scattered {
                old.remove(7);
                new.remove(7);
            }
            let mut packet = Vec::new();
            let mut encoder = Encoder::new(&schema).limits(Limits::NONE);
            let only = |state: &Snapshot, id| {
                let mut state = state.clone();
                state.retain(|other| other == id);
                state
            };
            // Twice, because at first there are no stencils.
            for _ in 0..2 {
                encoder.full(&new, &mut packet).unwrap();
                let mut alone = Vec::new();
                for id in new.ids() {
                    let mut one = Vec::new();
                    Encoder::new(&schema).full(&only(&new, *id), &mut one).unwrap();
                    alone.extend(body(&one));
                }
                prop_assert_eq!(body(&packet), alone);
                encoder.delta(&old, &new, &mut packet).unwrap();
                let mut alone = Vec::new();
                for id in new.ids() {
                    let mut one = Vec::new();
                    Encoder::new(&schema).delta(&only(&old, *id), &only(&new, *id), &mut one).unwrap();
                    if one.len() > HEADER_BYTES {
                        alone.extend(body(&one));
                    }
                }
                let together = if packet.len() > HEADER_BYTES { body(&packet) } else { Vec::new() };
                prop_assert_eq!(together, alone);
            }
        }
    }
}
