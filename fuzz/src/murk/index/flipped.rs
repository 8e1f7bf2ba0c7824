//! Flipped bits are found, named and restored.

use std::collections::{BTreeMap, BTreeSet};

use gametape_murk::{Bit, Damage, Frame, Index, Pieces};

/// All damages.
fn damages<S: Pieces>(index: &Index<S>, recording: &[u8]) -> Vec<Damage> {
    let damages = index.damages(recording);
    damages.map(|found| found.expect("memory")).collect()
}

/// A bit of the recording that the plan selects.
fn bit(recording: &[u8], plan: &[u8], at: usize) -> Bit {
    let seed = plan.iter().cycle().skip(at * 3).take(4).zip(1_u64..);
    let seed = seed.fold(at as u64, |seed, (&byte, place)| {
        (seed << 8 | u64::from(byte)).wrapping_add(place)
    });
    let bits = 8 * recording.len() as u64;
    Bit {
        offset: seed % bits / 8,
        bit: (seed % 8) as u8,
    }
}

fn flip(recording: &mut [u8], bit: Bit) {
    recording[bit.offset as usize] ^= 1 << bit.bit;
}

/// The part of the recording with a byte: its frame, or `None` for the header, and its length.
fn part(frames: &[Frame<'_>], header: u64, offset: u64) -> (Option<u64>, u64) {
    match frames.iter().rfind(|frame| frame.offset <= offset) {
        Some(frame) => (Some(frame.index), frame.size()),
        None => (None, header),
    }
}

/// The number of flipped bits for which no other single flipped bit can be mistaken: the distance
/// of the CRC-32 is 6 up to 268 bits, 5 up to 2,974, and 4 up to 91,607.
fn told_apart(length: u64) -> usize {
    match 8 * length {
        0..=268 => 4,
        269..=2_974 => 3,
        2_975..=91_607 => 2,
        _ => 1,
    }
}

pub(super) fn check<S: Pieces>(
    index: &Index<S>,
    recording: &[u8],
    frames: &[Frame<'_>],
    plan: &[u8],
) {
    let header = frames
        .first()
        .map_or(recording.len() as u64, |frame| frame.offset);
    let mut flipped = recording.to_vec();
    for at in 0..3 {
        one(
            index,
            recording,
            &mut flipped,
            bit(recording, plan, at),
            |offset| part(frames, header, offset).0,
        );
    }
    let count = 2 + plan.first().map_or(0, |&byte| usize::from(byte % 12));
    // Every second one is close to the first.
    let first = bit(recording, plan, 4).offset as usize;
    let near = &recording[..recording.len().min(first + 9)];
    let bits: BTreeSet<(u64, u8)> = (0..count)
        .map(|at| {
            let bit = bit(if at % 2 == 0 { near } else { recording }, plan, 5 + at);
            (bit.offset, bit.bit)
        })
        .collect();
    let mut parts: BTreeMap<Option<u64>, (Vec<Bit>, u64)> = BTreeMap::new();
    for &(offset, place) in &bits {
        let bit = Bit { offset, bit: place };
        let (part, length) = part(frames, header, offset);
        let (bits, of) = parts.entry(part).or_default();
        bits.push(bit);
        *of = length;
        flip(&mut flipped, bit);
    }
    let damages = damages(index, &flipped);
    let mut expected = flipped.clone();
    for (part, (bits, length)) in &parts {
        let damage = damages
            .iter()
            .find(|damage| damage.entry.map(|entry| entry.frame) == *part);
        match bits[..] {
            [bit] => {
                assert_eq!(damage.map(Damage::bit), Some(Some(bit)));
                flip(&mut expected, bit);
            }
            _ if bits.len() <= told_apart(*length) => {
                let damage = damage.expect("it is told");
                assert_eq!(
                    damage.bit(),
                    None,
                    "{} flipped in {length} bytes",
                    bits.len()
                );
            }
            // With a chance of about 2⁻³² per bit, the damage is mistaken for another bit; the
            // checksum then fits.
            _ => {
                if let Some(bit) = damage.and_then(Damage::bit) {
                    flip(&mut expected, bit);
                }
            }
        }
    }
    for damage in &damages {
        let part = damage.entry.map(|entry| entry.frame);
        assert!(parts.contains_key(&part), "{damage:?} where nothing is");
        assert!(!damage.finding().to_string().is_empty());
    }
    let (mended, left) = index.mend(&mut flipped).expect("memory");
    assert!(mended.iter().all(|damage| damage.bit().is_some()));
    assert_eq!(mended.len() + left.len(), damages.len());
    assert_eq!(flipped, expected, "mended otherwise than told");
    // Parts that are reported as repaired fit their checksums, the others do not, and nothing else
    // has changed.
    let still = self::damages(index, &flipped);
    assert_eq!(still, left);
    if bits.len() == parts.len() {
        assert_eq!(flipped, recording, "one bit a part, all turned back");
    }
}

/// A single flipped bit is named exactly and restored; only its own frame is refused.
fn one<S: Pieces>(
    index: &Index<S>,
    recording: &[u8],
    flipped: &mut [u8],
    bit: Bit,
    part: impl Fn(u64) -> Option<u64>,
) {
    flip(flipped, bit);
    let damages = damages(index, flipped);
    let [damage] = damages[..] else {
        panic!("{bit:?} is flipped: {damages:?}");
    };
    assert_eq!(damage.bit(), Some(bit));
    let frame = damage.entry.map(|entry| entry.frame);
    assert_eq!(frame, part(bit.offset));
    index.check(flipped).expect("damaged, but no other");
    if let Some(entry) = damage.entry
        && index.find(entry.tick).expect("memory") == Some(entry)
    {
        let error = index.frame(&*flipped, entry.tick).map(drop);
        let error = error.expect_err("it is damaged");
        assert_eq!(error.code(), "murk.frame-changed", "{error}");
    }
    let (mended, left) = index.mend(flipped).expect("memory");
    assert_eq!((mended, left), (vec![damage], vec![]));
    assert_eq!(flipped, recording, "turned back");
}
