//! Indexes of recordings, and reports about broken recordings.

use std::collections::{BTreeMap, BTreeSet};

use arbitrary::{Result, Unstructured};
use gametape_murk::{
    Bit, Damage, Entry, Error, Frame, Index, IndexBuilder, Indexed, MAGIC, Pieces, State, audit,
    explain, read, salvage,
};

use super::structured;

/// The first bytes of an index.
const INDEX_MAGIC: &[u8] = b"GTMURKI1";

/// Any bytes as a recording, and any bytes as its index: nothing panics, and no impossible value is
/// trusted. The result of salvage reads strictly to the end; the audit has the same number of
/// frames and the problem.
///
/// Bytes that start like a recording are treated as one; bytes that start like an index are treated
/// as an index followed by its recording; other bytes are a script that builds a recording. A
/// recording that can be read to its end has an index, which is complete, knows every frame and
/// finds nothing wrong. A single flipped bit is named exactly and restored. Several flipped bits in
/// one part are reported, and not mistaken for one. Whatever was flipped, a part that is reported
/// as repaired has the right checksum.
///
/// A script also makes states: [`explain`](gametape_murk::explain) names the changed value, and
/// only values that lead to the hash.
pub fn murk_index(data: &[u8]) {
    if data.starts_with(INDEX_MAGIC) {
        let (index, recording) = split(data);
        anyones(recording);
        check_any(index, recording);
        check_any(&signed(index), recording);
    } else if data.starts_with(&MAGIC) {
        anyones(data);
        // The hash of the last frame selects the manipulations.
        let plan = data.rchunks(8).next().unwrap_or_default();
        own(data, plan);
    } else {
        anyones(data);
        let _ = scripted(Unstructured::new(data));
    }
}

fn scripted(mut script: Unstructured<'_>) -> Result<()> {
    if script.arbitrary::<u8>()? % 2 == 0 {
        return check_explained(&mut script);
    }
    let bytes = structured::recording(&mut script)?.write();
    let plan = script.take_rest();
    anyones(&bytes);
    own(&bytes, plan);
    Ok(())
}

/// Checks the reports about any bytes.
fn anyones(bytes: &[u8]) {
    let audit = audit(bytes);
    assert!(!audit.findings.is_empty(), "nothing was simulated");
    for finding in &audit.findings {
        assert!(!finding.to_string().is_empty());
        let inside = finding
            .place
            .offset
            .is_none_or(|at| at <= bytes.len() as u64);
        assert!(inside, "{finding:?}");
    }
    let (kept, salvaged) = match salvage(bytes) {
        Ok(salvaged) => salvaged,
        Err(error) => {
            assert_eq!(audit.frames, 0);
            assert!(audit.findings.has(error.code()), "{error}");
            let header = read(bytes).map(drop).expect_err("no header, nothing kept");
            assert_eq!(header.to_string(), error.to_string());
            return;
        }
    };
    assert_eq!(audit.frames, salvaged.frames);
    assert!(bytes.starts_with(kept));
    assert_eq!(kept.len() as u64 + salvaged.dropped, bytes.len() as u64);
    assert_eq!(salvaged.problem.is_some(), salvaged.dropped > 0);
    if let Some(problem) = &salvaged.problem {
        assert!(audit.findings.has(problem.code()), "{problem}");
    }
    let kept = read(kept).expect("a header");
    let ticks: Vec<u64> = kept
        .frames()
        .map(|frame| frame.expect("it was kept").tick)
        .collect();
    assert_eq!(ticks.len() as u64, salvaged.frames);
    assert_eq!(ticks.last().copied(), salvaged.last_tick);
}

/// Checks a recording with the index that is made from it.
fn own(recording: &[u8], plan: &[u8]) {
    let Ok(replay) = read(recording) else { return };
    let frames: std::result::Result<Vec<_>, Error> = replay.frames().collect();
    let (bytes, frames) = match (IndexBuilder::of(&replay), frames) {
        (Ok(bytes), Ok(frames)) => (bytes, frames),
        (Err(refused), Err(error)) => {
            assert_eq!(refused.to_string(), error.to_string());
            return;
        }
        (index, frames) => panic!("{index:?}, of {frames:?}"),
    };
    let index = Index::open(&bytes).expect("it was built");
    assert!(index.is_whole().expect("memory"));
    assert_eq!(index.frames(), frames.len() as u64);
    index.check(recording).expect("it was built of it");
    assert!(index.damages(recording).next().is_none());
    let rise = frames.windows(2).all(|pair| pair[0].tick < pair[1].tick);
    assert_eq!(index.ticks_rise(), rise);
    for frame in &frames {
        let entry = index.entry(frame.index).expect("memory");
        let entry = entry.expect("as many as frames");
        assert_eq!((entry.offset, entry.tick), (frame.offset, frame.tick));
        // The first of several frames of the same tick.
        let first = frames.iter().find(|other| other.tick == frame.tick);
        let found = index.find(frame.tick).expect("memory");
        let found = found.expect("it is there");
        assert_eq!(Some(found.frame), first.map(|first| first.index));
        let given = index.frame(recording, frame.tick).expect("it is whole");
        assert_eq!(given.as_ref().map(Indexed::frame).as_ref(), first);
        // And no other frame.
        for tick in [frame.tick.wrapping_add(1), frame.tick.wrapping_sub(1)] {
            let there = frames.iter().find(|other| other.tick == tick);
            let found = index.find(tick).expect("memory").map(|entry| entry.frame);
            assert_eq!(found, there.map(|frame| frame.index));
        }
    }
    assert_eq!(index.entry(index.frames()).expect("memory"), None);
    check_flipped(&index, recording, &frames, plan);
    forged(&bytes, recording, plan);
}

const HEAD: usize = 48;
const ENTRY: usize = 20;

/// Splits an index from the recording after it, if there is one.
fn split(data: &[u8]) -> (&[u8], &[u8]) {
    let frames = data.get(32..40).and_then(<[u8]>::first_chunk);
    let frames = frames.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let end = usize::try_from(frames)
        .ok()
        .and_then(|frames| frames.checked_mul(ENTRY)?.checked_add(HEAD))
        .filter(|&end| end <= data.len());
    data.split_at(end.unwrap_or(data.len()))
}

/// The index with a matching count and checksums, so that its other content is examined.
fn signed(index: &[u8]) -> Vec<u8> {
    let mut signed = index.to_vec();
    if signed.len() >= HEAD {
        let frames = (signed.len() - HEAD) / ENTRY;
        signed.truncate(HEAD + frames * ENTRY);
        signed[32..40].copy_from_slice(&(frames as u64).to_le_bytes());
        let entries = crc32fast::hash(&signed[HEAD..]);
        signed[40..44].copy_from_slice(&entries.to_le_bytes());
        let sum = crc32fast::hash(&signed[..HEAD - 4]);
        signed[HEAD - 4..HEAD].copy_from_slice(&sum.to_le_bytes());
    }
    signed
}

/// The right index with some bytes changed according to the plan.
fn forged(index: &[u8], recording: &[u8], plan: &[u8]) {
    let mut forged = index.to_vec();
    for pair in plan.chunks_exact(2).take(4) {
        let at = usize::from(pair[0]) * 3 % forged.len();
        forged[at] ^= pair[1];
    }
    check_any(&forged, recording);
    check_any(&signed(&forged), recording);
}

/// Nothing panics; frames are those of the recording, and repairs agree with the recording.
fn check_any(index: &[u8], recording: &[u8]) {
    let index = match Index::open(index) {
        Ok(index) => index,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let checked = index.check(recording);
    if let Err(stale) = &checked {
        assert!(!stale.to_string().is_empty());
    }
    let entries: Vec<Entry> = (0..index.frames())
        .map_while(|at| index.entry(at).expect("memory"))
        .collect();
    assert_eq!(entries.len() as u64, index.frames());
    assert_eq!(index.entry(index.frames()).expect("memory"), None);
    assert_eq!(index.entry(u64::MAX).expect("memory"), None);
    if index.is_whole().expect("memory") {
        let rise = entries.windows(2).all(|two| two[0].offset < two[1].offset);
        assert!(rise, "frames in each other: {entries:?}");
        let inside = |last: &Entry| last.offset < recording.len() as u64;
        assert!(checked.is_err() || entries.last().is_none_or(inside));
    }
    for entry in entries.iter().take(64) {
        let found = index.find(entry.tick).expect("memory");
        // If ticks do not ascend as declared, a search may miss an entry.
        assert!(index.ticks_rise() || found.is_some());
        assert!(found.is_none_or(|found| found.tick == entry.tick));
        if let Ok(Some(found)) = index.frame(recording, entry.tick) {
            let frame = found.frame();
            assert_eq!(frame.tick, entry.tick, "the tick that was asked for");
            assert!(frame.offset + frame.size() <= recording.len() as u64);
            assert_eq!(frame.commands().iter().count(), frame.commands().len());
        }
    }
    let odd = Entry {
        frame: u64::MAX,
        offset: u64::MAX,
        tick: 0,
        checksum: 0,
    };
    // Entries of other indexes.
    for entry in [odd, Entry { offset: 0, ..odd }, Entry { frame: 0, ..odd }] {
        let _ = index.damage(recording, entry);
    }
    let damages = index.damages(recording).map(|found| found.expect("memory"));
    let damages: Vec<_> = damages.collect();
    assert!(damages.len() as u64 <= index.frames() + 1);
    for damage in &damages {
        assert!(!damage.finding().to_string().is_empty());
        if let Some(bit) = damage.bit() {
            assert!(bit.offset < recording.len() as u64 && bit.bit < 8);
        }
    }
    let mut mended = recording.to_vec();
    let (turned, left) = index.mend(&mut mended).expect("memory");
    let still = index.damages(&mended).map(|found| found.expect("memory"));
    let still: Vec<_> = still.collect();
    assert_eq!(still, left, "what is mended fits");
    assert_eq!(turned.is_empty(), mended == recording);
    let _ = index.header_damage([].as_slice());
}

/// All damages.
fn all_damages<S: Pieces>(index: &Index<S>, recording: &[u8]) -> Vec<Damage> {
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

fn check_flipped<S: Pieces>(index: &Index<S>, recording: &[u8], frames: &[Frame<'_>], plan: &[u8]) {
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
    let damages = all_damages(index, &flipped);
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
    let still = all_damages(index, &flipped);
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
    let damages = all_damages(index, flipped);
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

fn state(fields: &[Vec<u32>]) -> State {
    let floats: Vec<Vec<f32>> = fields
        .iter()
        .map(|field| field.iter().map(|&bits| f32::from_bits(bits)).collect())
        .collect();
    State::from_fields(floats.iter().map(Vec::as_slice))
}

/// Asserts that each candidate leads to the hash.
fn all_lead(fields: &[Vec<u32>], recorded: u64) -> Vec<(usize, usize, u32)> {
    let found = explain(&state(fields), recorded);
    let mut places = Vec::new();
    for candidate in found {
        let (field, element) = (candidate.field as usize, candidate.element);
        let mut changed = fields.to_vec();
        let value = &mut changed[field][element];
        assert_eq!(candidate.replayed.to_bits(), *value);
        let bits = candidate.recorded.to_bits();
        assert_ne!(bits, *value, "no change is no explanation");
        *value = bits;
        assert_eq!(state(&changed).hash(), recorded, "{candidate:?}");
        places.push((field, element, bits));
    }
    assert!(places.is_sorted(), "{places:?}");
    places
}

fn check_explained(script: &mut Unstructured<'_>) -> Result<()> {
    let shape: [u8; 3] = script.arbitrary()?;
    let edits: [(u16, u32); 2] = script.arbitrary()?;
    let any: u64 = script.arbitrary()?;
    let mut fields = Vec::new();
    for length in &shape[..=usize::from(shape[0] % 3)] {
        let field: Vec<u32> = (0..length % 40)
            .map(|_| script.arbitrary())
            .collect::<Result<_>>()?;
        fields.push(field);
    }
    let as_it_is = state(&fields).hash();
    // A single change never leaves the hash unchanged, because each of its steps can be undone.
    assert_eq!(all_lead(&fields, as_it_is), []);
    all_lead(&fields, any);
    all_lead(&fields, as_it_is ^ u64::from(any.trailing_zeros()));

    let places: Vec<(usize, usize)> = fields
        .iter()
        .enumerate()
        .flat_map(|(field, values)| (0..values.len()).map(move |at| (field, at)))
        .collect();
    let mut changed = fields.clone();
    let mut last = None;
    for (place, bits) in edits {
        let Some(&(field, at)) = places.get(usize::from(place) % places.len().max(1)) else {
            return Ok(());
        };
        changed[field][at] ^= bits;
        let recorded = state(&changed).hash();
        let found = all_lead(&fields, recorded);
        let differ = places
            .iter()
            .filter(|&&(f, a)| changed[f][a] != fields[f][a]);
        let differ: Vec<_> = differ.map(|&(f, a)| (f, a, changed[f][a])).collect();
        if let [only] = differ[..] {
            assert!(found.contains(&only), "{only:?} is not among {found:?}");
        }
        last = Some(recorded);
    }
    // The same in the other direction.
    if let Some(recorded) = last {
        all_lead(&changed, as_it_is);
        assert_eq!(state(&changed).hash(), recorded);
    }
    Ok(())
}
