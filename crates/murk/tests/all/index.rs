//! The index: finding ticks, mending bits, and being refused.

use crate::common::{bounds, recording};
use gametape_murk::{
    CommandBuf, Header, Index, IndexBuilder, IndexError, ReadOptions, Unused, Writer, read,
    read_with,
};

#[test]
fn the_index_finds_every_tick_and_nothing_else() {
    let whole = recording(300, 26);
    let replay = read(&whole).unwrap();
    let index = IndexBuilder::of(&replay).unwrap();
    let index = Index::open(&index).unwrap();
    index.check(&whole).unwrap();
    assert!(index.is_whole().unwrap() && index.ticks_rise());
    for frame in replay.frames() {
        let frame = frame.unwrap();
        let found = index.frame(&whole, frame.tick).unwrap().unwrap();
        assert_eq!(found.frame(), frame);
    }
    assert!(index.find(0).unwrap().is_none() && index.find(301).unwrap().is_none());
    assert_eq!(index.damages(&whole).count(), 0);
}

#[test]
fn the_index_of_ticks_that_fall_finds_the_first_of_each() {
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    for (at, tick) in [5, 5, 3, 0, 9].into_iter().enumerate() {
        writer
            .push(tick, CommandBuf::new().as_commands(), at as u64)
            .unwrap();
    }
    let bytes = writer.finish().unwrap();
    let index = IndexBuilder::of(&read(&bytes).unwrap()).unwrap();
    let index = Index::open(&index).unwrap();
    assert!(!index.ticks_rise());
    let hash = |tick| {
        index
            .frame(&bytes, tick)
            .unwrap()
            .map(|found| found.frame().snapshot_hash)
    };
    assert_eq!(
        [hash(5), hash(3), hash(0), hash(9), hash(4)],
        [Some(0), Some(2), Some(3), Some(4), None]
    );
}

/// Every flipped bit of the recording is named by the index, and flipped back.
#[test]
fn every_flipped_bit_is_named_and_turned_back() {
    let whole = recording(15, 27);
    let bounds = bounds(&whole);
    let index = IndexBuilder::of(&read(&whole).unwrap()).unwrap();
    let index = Index::open(&index).unwrap();
    for byte in 0..whole.len() {
        let bit = byte % 8;
        let mut flipped = whole.clone();
        flipped[byte] ^= 1 << bit;
        index.check(&flipped).unwrap();
        let (mended, left) = index.mend(&mut flipped).unwrap();
        assert!(left.is_empty());
        let [damage] = mended.as_slice() else {
            panic!("{mended:?}")
        };
        let place = damage.bit().unwrap();
        assert_eq!((place.offset, place.bit), (byte as u64, bit as u8));
        let frame = bounds
            .iter()
            .filter(|start| **start <= byte)
            .count()
            .checked_sub(1);
        assert_eq!(damage.entry.map(|entry| entry.frame as usize), frame);
        assert_eq!(flipped, whole);
    }
    // Two bits in one frame can't be turned back, and are not.
    let mut flipped = whole.clone();
    flipped[bounds[7] + 1] ^= 1;
    flipped[bounds[7] + 9] ^= 1;
    let broken = flipped.clone();
    let (mended, left) = index.mend(&mut flipped).unwrap();
    assert!(mended.is_empty() && left.len() == 1 && flipped == broken);
    let tick = index.entry(7).unwrap().unwrap().tick;
    let error = index.frame(&broken, tick).unwrap_err();
    assert_eq!(error.code(), "murk.frame-changed");
}

#[test]
fn a_stale_or_damaged_index_is_refused() {
    let whole = recording(15, 28);
    let replay = read(&whole).unwrap();
    let index = IndexBuilder::of(&replay).unwrap();
    // The recording grew, shrank, was made again with other hashes, or is another one.
    let mut longer = whole.clone();
    longer.extend_from_slice(&[0; 20]);
    let mut other = whole.clone();
    let end = other.len();
    other[end - 8..].fill(0xee);
    let mut header = whole.clone();
    header[22..29].fill(0x77);
    let open = Index::open(&index).unwrap();
    for stale in [
        &longer,
        &whole[..whole.len() - 20].to_vec(),
        &other,
        &header,
    ] {
        let refused = open.check(stale.as_slice()).unwrap_err();
        assert!(matches!(refused, IndexError::Unused(why) if why.is_stale()));
    }
    for cut in 0..index.len() {
        assert!(Index::open(&index[..cut]).is_err());
    }
    for byte in 0..48 {
        let mut broken = index.clone();
        broken[byte] ^= 1;
        assert!(matches!(
            Index::open(&broken),
            Err(IndexError::Unused(Unused::Malformed(_)))
        ));
    }
    let mut broken = index.clone();
    *broken.last_mut().unwrap() ^= 1;
    assert!(!Index::open(&broken).unwrap().is_whole().unwrap());
    // A recording that can't be read has no index.
    assert!(IndexBuilder::of(&read(&whole[..whole.len() - 1]).unwrap()).is_err());
    let lenient = read_with(&whole[..whole.len() - 1], ReadOptions::lenient()).unwrap();
    assert!(IndexBuilder::of(&lenient).is_err());
    // An index that is built while recording is the same.
    let mut builder = IndexBuilder::new();
    for frame in replay.frames() {
        builder.push(&frame.unwrap());
    }
    assert_eq!(
        builder.finish(&whole[..replay.header_size() as usize]),
        index
    );
}
