//! Arbitrary indexes that do not belong to the recording.

use gametape_murk::{Entry, Index};

const HEAD: usize = 48;
const ENTRY: usize = 20;

/// Splits an index from the recording after it, if there is one.
pub(super) fn split(data: &[u8]) -> (&[u8], &[u8]) {
    let frames = data.get(32..40).and_then(<[u8]>::first_chunk);
    let frames = frames.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let end = usize::try_from(frames)
        .ok()
        .and_then(|frames| frames.checked_mul(ENTRY)?.checked_add(HEAD))
        .filter(|&end| end <= data.len());
    data.split_at(end.unwrap_or(data.len()))
}

/// The index with a matching count and checksums, so that its other content is examined.
pub(super) fn signed(index: &[u8]) -> Vec<u8> {
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
pub(super) fn forged(index: &[u8], recording: &[u8], plan: &[u8]) {
    let mut forged = index.to_vec();
    for pair in plan.chunks_exact(2).take(4) {
        let at = usize::from(pair[0]) * 3 % forged.len();
        forged[at] ^= pair[1];
    }
    check(&forged, recording);
    check(&signed(&forged), recording);
}

/// Nothing panics; frames are those of the recording, and repairs agree with the recording.
pub(super) fn check(index: &[u8], recording: &[u8]) {
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
