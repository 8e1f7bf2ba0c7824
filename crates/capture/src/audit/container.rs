//! Checks a capture's container: checksums, indexes, summary.

use std::collections::BTreeMap;

use crate::container::{ChunkPlace, WalkEnd, Walked, message_index, messages};
use crate::cursor::Chunks;
use crate::ranges::{Crc, Window};
use crate::read::Capture;
use crate::read::end::Ending;
use crate::read::facts::read_schema;
use crate::replay::{Later, Replay};
use crate::rule::{CaptureRule, DATA_SECTION, Error, Finding, Findings, fault};

fn whole(rule: CaptureRule) -> Finding {
    Finding::new(rule.into())
}

/// Checks everything around the packets, and returns a replay for them. A chunk that cannot be
/// unpacked is reported when its packets are read.
pub(crate) fn check(capture: &Capture<'_>, findings: &mut Findings) -> Result<Replay, Error> {
    let size = capture.ranges().size();
    match capture.ending() {
        Ending::Whole => {}
        Ending::NoSummary => findings.push(whole(CaptureRule::NoSummary)),
        Ending::Cut(at) => {
            let bytes = size - at;
            let zeros = Window::new(capture.ranges()).zeros_at_end(at)?;
            findings.push(whole(CaptureRule::Cut { bytes, zeros }).at(at));
        }
        Ending::BadSummary => {
            if let Some(error) = capture.problem() {
                findings.push(fault(error)?);
            }
        }
    }
    if let Some(after) = capture.after() {
        findings.push(after.finding());
    }
    if !capture.has_facts() {
        let tick_ns = capture.tick_ns();
        findings.push(whole(CaptureRule::NoMetadata { tick_ns }));
    }
    let walked = capture.walked()?;
    let passed = Passed::through(capture, walked.end)?;
    if let WalkEnd::DataEnd { crc, .. } = walked.end
        && let Err(error) = CaptureRule::check_crc(DATA_SECTION, crc, passed.crc, 0)
    {
        findings.push(fault(error)?);
    }
    if walked.loose > 0 {
        let messages = walked.loose;
        findings.push(whole(CaptureRule::Loose { messages }));
    }
    if walked.foreign > 0 {
        let records = walked.foreign;
        findings.push(whole(CaptureRule::ForeignRecords { records }));
    }
    if let Some((start, schema)) = capture.summary() {
        summary(capture, &walked, start, schema, findings);
    }
    findings.extend(passed.findings);
    Ok(Replay::looking_ahead(capture.schema(), passed.later))
}

/// Compares the summary with the result of the walk.
fn summary(
    capture: &Capture<'_>,
    walked: &Walked,
    start: u64,
    schema: Option<&[u8]>,
    findings: &mut Findings,
) {
    match walked.end {
        WalkEnd::Cut(at) => findings.push(whole(CaptureRule::IndexAlone).at(at)),
        _ => places(capture, &walked.chunks, findings),
    }
    if let WalkEnd::DataEnd { at, end, .. } = walked.end
        && end != start
    {
        let rule = CaptureRule::SummaryStart {
            data_end: end,
            summary: start,
        };
        findings.push(whole(rule).at(at));
    }
    if let Some(json) = schema
        && read_schema(json).is_ok_and(|schema| schema.hash() != capture.schema().hash())
    {
        findings.push(whole(CaptureRule::OtherSchema));
    }
}

/// Compares the chunks that the summary lists with those in the file.
fn places(capture: &Capture<'_>, walked: &[ChunkPlace], findings: &mut Findings) {
    let listed = capture.chunks();
    if listed.len() != walked.len() {
        let rule = CaptureRule::ChunkCount {
            listed: listed.len() as u64,
            there: walked.len() as u64,
        };
        findings.push(whole(rule));
        return;
    }
    // The counts are derived from lengths that need not be right for the places to be.
    let place = |chunk: &ChunkPlace| {
        let mut place = ChunkPlace {
            counts: BTreeMap::new(),
            ..chunk.clone()
        };
        if !capture.wild_of(place.at).is_empty() {
            (place.start_time, place.end_time) = (0, 0);
        }
        place
    };
    let mut both = listed.iter().zip(walked);
    if let Some((_, chunk)) = both.find(|(a, b)| place(a) != place(b)) {
        let chunk = chunk.at;
        findings.push(whole(CaptureRule::ChunkDiffers { chunk }));
    }
}

/// The result of one pass through the data section.
///
/// A capture is read twice: in this pass, and again when its packets are applied. The two cannot be
/// combined, because the headers of all packets decide which states have to be kept. (The walk
/// before reads only the heads of the records.)
struct Passed {
    /// The checksum of the data section, if one is recorded.
    crc: u32,
    later: Later,
    findings: Findings,
}

impl Passed {
    fn through(capture: &Capture<'_>, end: WalkEnd) -> Result<Self, Error> {
        let border = match end {
            WalkEnd::DataEnd { at, crc, .. } if crc != 0 => at,
            _ => 0,
        };
        let mut window = Window::new(capture.ranges());
        let mut crc = Crc::from(0);
        let mut chunks = Chunks::new(capture);
        let mut later = Later::default();
        let mut findings = Findings::default();
        let mut counts = Some(BTreeMap::new());
        let mut unindexed = 0;
        let places = capture.chunks();
        for (number, place) in places.iter().enumerate() {
            crc.up_to(border.min(place.content()), &mut window)?;
            let offset = match chunks.open(&mut window) {
                Ok(offset) => offset,
                // A chunk that cannot be unpacked is reported when its packets are read.
                Err(error) => {
                    fault(error)?;
                    counts = None;
                    continue;
                }
            };
            let next = places.get(number + 1);
            // Includes the indexes of the chunk while they are in the window.
            let behind = next.map_or(border, |next| border.min(next.at));
            crc.up_to(behind, &mut window)?;
            look_ahead(&mut chunks, &mut later)?;
            let mut there = messages_in(chunks.unpacked(), offset);
            // The indexes have the recorded times.
            for wild in capture.wild_of(offset) {
                let mut all = there.values_mut().flatten();
                if let Some((log_time, _)) = all.find(|(_, at)| *at == wild.at) {
                    *log_time = wild.log_time;
                }
            }
            if let Some(counts) = &mut counts {
                for (channel, list) in &there {
                    *counts.entry(*channel).or_default() += list.len() as u64;
                }
            }
            let listed = listed(&mut window, place, &mut findings)?;
            if place.loose_to.is_some() {
                continue;
            }
            if place.indexes.is_empty() && !there.is_empty() && capture.ending() == Ending::Whole {
                unindexed += 1;
                continue;
            }
            // In a capture that was cut off, the indexes of the last chunk may be missing.
            if listed != there && (capture.ending() == Ending::Whole || next.is_some()) {
                findings.push(whole(CaptureRule::MessageIndex).at(offset));
            }
        }
        if unindexed > 0 {
            let chunks = unindexed;
            findings.push(whole(CaptureRule::Unindexed { chunks }));
        }
        crc.up_to(border, &mut window)?;
        if let Some(there) = counts {
            statistics(capture, &there, &mut findings);
        }
        Ok(Self {
            crc: crc.finish(),
            later,
            findings,
        })
    }
}

/// Reads the headers of the packets in the open chunk. Damage is reported when the packets are
/// applied.
fn look_ahead(chunks: &mut Chunks<'_>, later: &mut Later) -> Result<(), Error> {
    loop {
        match chunks.next_here() {
            Ok(None) => return Ok(()),
            Ok(Some(packet)) => later.packet(&packet),
            Err(error) => drop(fault(error)?),
        }
    }
}

/// Compares the number of messages per channel in the summary with the actual one.
fn statistics(capture: &Capture<'_>, there: &BTreeMap<u16, u64>, findings: &mut Findings) {
    let Some(counted) = capture.counts() else {
        return;
    };
    let mut counted = counted.clone();
    counted.retain(|_, count| *count > 0);
    if counted != *there {
        let [counted, there] = [&counted, there].map(|map| map.values().sum::<u64>());
        findings.push(whole(CaptureRule::Statistics { counted, there }));
    }
}

/// For each channel, the log times of messages and their positions in the chunk.
type MessagesByChannel = BTreeMap<u16, Vec<(u64, usize)>>;

/// The messages that are in a chunk.
fn messages_in(unpacked: &[u8], offset: u64) -> MessagesByChannel {
    let mut there = MessagesByChannel::new();
    for (at, message) in messages(unpacked, 0, offset).map_while(Result::ok) {
        let list = there.entry(message.channel).or_default();
        list.push((message.log_time, at));
    }
    there
}

/// The messages that the chunk's indexes list.
fn listed(
    window: &mut Window<'_>,
    place: &ChunkPlace,
    findings: &mut Findings,
) -> Result<MessagesByChannel, Error> {
    let mut listed = MessagesByChannel::new();
    for (channel, at) in &place.indexes {
        match message_index(window, *at, *channel) {
            Ok(mut list) if !list.is_empty() => {
                list.sort_unstable_by_key(|(_, at)| *at);
                listed.insert(*channel, list);
            }
            Ok(_) => {}
            Err(error) => findings.push(fault(error)?),
        }
    }
    Ok(listed)
}
