//! A capture's container: checksums, indexes, summary.

use std::collections::BTreeMap;

use gametape_capture::container::{
    ChunkPlace, Inside, WalkEnd, inside, read_message_index, read_summary, walk,
};
use gametape_capture::{Capture, CaptureError, Ending, read_schema};

use super::audit::Findings;
use crate::Severity;

/// Checks what is around the packets. What can't be unpacked is left to those who read packets.
pub(super) fn check(capture: &Capture<'_>, findings: &mut Findings) {
    let bytes = capture.bytes();
    match capture.ending() {
        Ending::Whole => {}
        Ending::NoSummary => findings.of_file(
            "capture.no-summary",
            Severity::Warning,
            "the capture has no index: its recorder was stopped. All packets can be read; gametape repair writes an index".into(),
        ),
        Ending::Cut(at) => findings.at(
            "capture.truncated",
            Severity::Error,
            Some(at),
            format!(
                "the file ends inside a record, or is damaged here: {} bytes are not of a whole chunk",
                bytes.len() as u64 - at
            ),
        ),
        Ending::BadSummary => {
            if let Some(error) = capture.problem() {
                findings.error(&error);
            }
        }
    }
    if !capture.has_facts() {
        findings.of_file(
            "capture.metadata",
            Severity::Warning,
            "the metadata of the capture is not there: how long a tick is, is not known".into(),
        );
    }
    let walked = walk(bytes);
    if let WalkEnd::DataEnd { at, crc, .. } = walked.end {
        let found = crc32fast::hash(bytes.get(..at).unwrap_or_default());
        if crc != 0 && crc != found {
            findings.error(&CaptureError::Crc {
                what: "data section",
                offset: 0,
                recorded: crc,
                found,
            });
        }
    }
    if walked.loose > 0 {
        findings.error(&CaptureError::Loose {
            messages: walked.loose,
        });
    }
    if capture.ending() == Ending::Whole {
        match walked.end {
            WalkEnd::Cut(at) => findings.at(
                "capture.record",
                Severity::Error,
                Some(at as u64),
                "the records behind this place can only be found by the index".into(),
            ),
            _ => places(capture, &walked.chunks, findings),
        }
        if let Ok(Some(summary)) = read_summary(bytes) {
            if let WalkEnd::DataEnd { at, end, .. } = walked.end
                && end != summary.start
            {
                findings.at(
                    "capture.record",
                    Severity::Error,
                    Some(at as u64),
                    format!(
                        "the data section ends at byte {end}, the summary starts at byte {}",
                        summary.start
                    ),
                );
            }
            if let Some(json) = summary.schema
                && read_schema(json).is_ok_and(|schema| schema.hash() != capture.schema().hash())
            {
                findings.of_file(
                    "capture.schema",
                    Severity::Error,
                    "the summary has another schema than the metadata".into(),
                );
            }
        }
    }
    messages(capture, findings);
}

/// The chunks that the summary lists, against those that are there.
fn places(capture: &Capture<'_>, walked: &[ChunkPlace], findings: &mut Findings) {
    let listed = capture.chunks();
    if listed != walked {
        let message = if listed.len() == walked.len() {
            let differ = listed.iter().zip(walked).find(|(a, b)| a != b);
            let at = differ.map_or(0, |(_, chunk)| chunk.at);
            format!("the summary describes the chunk at byte {at} otherwise than it is")
        } else {
            format!(
                "the summary lists {} chunks, {} are there",
                listed.len(),
                walked.len()
            )
        };
        findings.of_file("capture.index", Severity::Error, message);
    }
}

/// The messages of each chunk against its indexes, and all of them against the statistics.
fn messages(capture: &Capture<'_>, findings: &mut Findings) {
    let mut unpacked = Vec::new();
    let mut counts: BTreeMap<u16, u64> = BTreeMap::new();
    let mut whole = true;
    for (number, place) in capture.chunks().iter().enumerate() {
        // That it can't be unpacked is found when its packets are read.
        let Ok(offset) = capture.unpack(number, &mut unpacked) else {
            whole = false;
            continue;
        };
        let mut there: BTreeMap<u16, Vec<(u64, usize)>> = BTreeMap::new();
        let mut at = 0;
        while let Ok(Some((found, end))) = inside(&unpacked, at, offset) {
            if let Inside::Message(message) = found {
                let list = there.entry(message.channel).or_default();
                list.push((message.log_time, at));
                *counts.entry(message.channel).or_default() += 1;
            }
            at = end;
        }
        let mut listed = BTreeMap::new();
        for (channel, at) in &place.indexes {
            match read_message_index(capture.bytes(), *at, *channel) {
                Ok(mut list) if !list.is_empty() => {
                    list.sort_unstable_by_key(|(_, at)| *at);
                    listed.insert(*channel, list);
                }
                Ok(_) => {}
                Err(error) => findings.error(&error),
            }
        }
        // The last chunk of a capture that was cut may have lost its indexes.
        let last = number + 1 == capture.chunks().len();
        if listed != there && (capture.ending() == Ending::Whole || !last) {
            findings.at(
                "capture.index",
                Severity::Error,
                Some(offset),
                "the message indexes of this chunk do not list the messages in it".into(),
            );
        }
    }
    if let Some(counted) = capture.counts()
        && whole
    {
        let counted: BTreeMap<u16, u64> = counted
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(channel, count)| (*channel, *count))
            .collect();
        if counted != counts {
            let [listed, there] = [&counted, &counts].map(|map| map.values().sum::<u64>());
            findings.of_file(
                "capture.statistics",
                Severity::Error,
                format!("the summary counts {listed} messages, {there} are there"),
            );
        }
    }
}
