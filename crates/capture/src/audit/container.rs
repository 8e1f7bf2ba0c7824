//! A capture's container: checksums, indexes, summary.

use std::collections::BTreeMap;

use crate::container::{
    ChunkPlace, Inside, WalkEnd, Walked, inside, read_message_index, read_summary, walk,
};
use crate::facts::read_schema;
use crate::ranges::Window;
use crate::reader::{Capture, Ending};
use crate::rule::{CaptureRule, Error, Finding, Findings, fault};

fn whole(rule: CaptureRule) -> Finding {
    Finding::new(rule.into())
}

/// Checks what is around the packets. What can't be unpacked is left to those who read packets.
pub(super) fn check(capture: &Capture<'_>, findings: &mut Findings) -> Result<(), Error> {
    let size = capture.ranges().size();
    match capture.ending() {
        Ending::Whole => {}
        Ending::NoSummary => findings.push(whole(CaptureRule::NoSummary)),
        Ending::Cut(at) => findings.push(whole(CaptureRule::Cut { bytes: size - at }).at(at)),
        Ending::BadSummary => {
            if let Some(error) = capture.problem() {
                findings.push(fault(error)?);
            }
        }
    }
    if !capture.has_facts() {
        findings.push(whole(CaptureRule::NoMetadata));
    }
    let walked = walk(capture.ranges())?;
    if let WalkEnd::DataEnd { at, crc, .. } = walked.end
        && crc != 0
    {
        let found = Window::new(capture.ranges()).crc(0, at)?;
        if crc != found {
            let rule = CaptureRule::Crc {
                what: "data section",
                recorded: crc,
                found,
            };
            findings.push(whole(rule).at(0));
        }
    }
    if walked.loose > 0 {
        let messages = walked.loose;
        findings.push(whole(CaptureRule::Loose { messages }));
    }
    if capture.ending() == Ending::Whole {
        summary(capture, &walked, findings)?;
    }
    messages(capture, findings)
}

/// The summary against what walking found.
fn summary(capture: &Capture<'_>, walked: &Walked, findings: &mut Findings) -> Result<(), Error> {
    match walked.end {
        WalkEnd::Cut(at) => findings.push(whole(CaptureRule::IndexAlone).at(at)),
        _ => places(capture, &walked.chunks, findings),
    }
    let summary = match read_summary(capture.ranges()) {
        Ok(Some(summary)) => summary,
        Ok(None) => return Ok(()),
        Err(error) => return fault(error).map(drop),
    };
    if let WalkEnd::DataEnd { at, end, .. } = walked.end
        && end != summary.start
    {
        let rule = CaptureRule::SummaryStart {
            data_end: end,
            summary: summary.start,
        };
        findings.push(whole(rule).at(at));
    }
    if let Some(json) = summary.schema
        && read_schema(&json).is_ok_and(|schema| schema.hash() != capture.schema().hash())
    {
        findings.push(whole(CaptureRule::OtherSchema));
    }
    Ok(())
}

/// The chunks that the summary lists, against those that are there.
fn places(capture: &Capture<'_>, walked: &[ChunkPlace], findings: &mut Findings) {
    let listed = capture.chunks();
    if listed != walked {
        let rule = if listed.len() == walked.len() {
            let differ = listed.iter().zip(walked).find(|(a, b)| a != b);
            let chunk = differ.map_or(0, |(_, chunk)| chunk.at);
            CaptureRule::ChunkDiffers { chunk }
        } else {
            CaptureRule::ChunkCount {
                listed: listed.len() as u64,
                there: walked.len() as u64,
            }
        };
        findings.push(whole(rule));
    }
}

/// The messages of each chunk against its indexes, and all of them against the statistics.
fn messages(capture: &Capture<'_>, findings: &mut Findings) -> Result<(), Error> {
    let mut unpacked = Vec::new();
    let mut counts: BTreeMap<u16, u64> = BTreeMap::new();
    let mut all = true;
    for (number, place) in capture.chunks().iter().enumerate() {
        let offset = match capture.unpack(number, &mut unpacked) {
            Ok(offset) => offset,
            // That it can't be unpacked is found when its packets are read.
            Err(error) => {
                fault(error)?;
                all = false;
                continue;
            }
        };
        let there = messages_in(&unpacked, offset);
        for (channel, list) in &there {
            *counts.entry(*channel).or_default() += list.len() as u64;
        }
        let listed = listed(capture, place, findings)?;
        // The last chunk of a capture that was cut may have lost its indexes.
        let last = number + 1 == capture.chunks().len();
        if listed != there && (capture.ending() == Ending::Whole || !last) {
            findings.push(whole(CaptureRule::MessageIndex).at(offset));
        }
    }
    let Some(counted) = capture.counts().filter(|_| all) else {
        return Ok(());
    };
    let counted: BTreeMap<u16, u64> = counted
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(channel, count)| (*channel, *count))
        .collect();
    if counted != counts {
        let [counted, there] = [&counted, &counts].map(|map| map.values().sum::<u64>());
        findings.push(whole(CaptureRule::Statistics { counted, there }));
    }
    Ok(())
}

/// Log times of messages, and where they start in their chunk, by channel.
type Listed = BTreeMap<u16, Vec<(u64, usize)>>;

/// The messages that are in a chunk.
fn messages_in(unpacked: &[u8], offset: u64) -> Listed {
    let mut there = Listed::new();
    let mut at = 0;
    while let Ok(Some((found, end))) = inside(unpacked, at, offset) {
        if let Inside::Message(message) = found {
            let list = there.entry(message.channel).or_default();
            list.push((message.log_time, at));
        }
        at = end;
    }
    there
}

/// The messages that its indexes list.
fn listed(
    capture: &Capture<'_>,
    place: &ChunkPlace,
    findings: &mut Findings,
) -> Result<Listed, Error> {
    let mut listed = Listed::new();
    for (channel, at) in &place.indexes {
        match read_message_index(capture.ranges(), *at, *channel) {
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
