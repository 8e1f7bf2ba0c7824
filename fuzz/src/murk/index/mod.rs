//! Indexes of recordings, and reports about broken recordings.

mod arbitrary;
mod explained;
mod flipped;

use ::arbitrary::{Result, Unstructured};
use gametape_murk::{Error, Index, IndexBuilder, Indexed, MAGIC, audit, read, salvage};

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
        let (index, recording) = arbitrary::split(data);
        anyones(recording);
        arbitrary::check(index, recording);
        arbitrary::check(&arbitrary::signed(index), recording);
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
        return explained::check(&mut script);
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
    flipped::check(&index, recording, &frames, plan);
    arbitrary::forged(&bytes, recording, plan);
}
