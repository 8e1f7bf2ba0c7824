//! Checking: every packet is read and applied, and the container held against what is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gametape_capture::{Added, CaptureError, Packet, Packets, Replay, Role};
use gametape_delta::Rule;
use gametape_delta::wire::{HEADER_BYTES, Header};

use super::open::{PacketFile, packet_files};
use super::{container, open};
use crate::source::Source;
use crate::{Audit, Error, Finding, Severity};

/// Findings of one code that are listed; the others are counted.
const LISTED: u64 = 20;

pub(super) fn audit(path: &Path, source: &Source) -> Result<Audit, Error> {
    let packets = match open(path, source) {
        Ok(packets) => packets,
        // What can't be opened at all is the one finding.
        Err(Error::Broken {
            code,
            offset,
            message,
            ..
        }) => {
            return Ok(Audit {
                findings: vec![Finding {
                    code,
                    severity: Severity::Error,
                    offset,
                    tick: None,
                    event: None,
                    message,
                    place: offset.map_or_else(String::new, |at| format!("byte {at}")),
                }],
                summary: String::new(),
            });
        }
        Err(error) => return Err(error),
    };
    let mut auditor = Auditor::new(&packets);
    if let Packets::Capture(capture) = &packets {
        container::check(capture, &mut auditor.findings);
    }
    auditor.packets(&packets);
    if auditor.packets == 0 {
        let code = match &packets {
            Packets::Capture(_) => "capture.empty",
            Packets::Delta(_) => "delta.empty",
        };
        let message = "there are no packets: nothing was recorded, or nothing is left".into();
        auditor.findings.of_file(code, Severity::Warning, message);
    }
    if path.is_dir() {
        names(&packet_files(path)?, source, &mut auditor.findings);
    }
    Ok(auditor.finish())
}

/// Findings, so many of a kind.
#[derive(Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    counts: BTreeMap<&'static str, u64>,
}

impl Findings {
    pub fn push(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.code).or_default();
        *count += 1;
        if *count <= LISTED {
            self.list.push(finding);
        }
    }

    /// About the file.
    pub fn of_file(&mut self, code: &'static str, severity: Severity, message: String) {
        self.at(code, severity, None, message);
    }

    /// About a place in the file.
    pub fn at(
        &mut self,
        code: &'static str,
        severity: Severity,
        offset: Option<u64>,
        message: String,
    ) {
        self.push(Finding {
            code,
            severity,
            offset,
            tick: None,
            event: None,
            message,
            place: offset.map_or_else(String::new, |at| format!("byte {at}")),
        });
    }

    pub fn error(&mut self, error: &CaptureError) {
        self.at(
            error.code(),
            Severity::Error,
            error.offset(),
            error.to_string(),
        );
    }

    fn finish(mut self) -> Vec<Finding> {
        for (code, count) in self.counts {
            if count > LISTED {
                let listed = self.list.iter().find(|finding| finding.code == code);
                self.list.push(Finding {
                    code,
                    severity: listed.map_or(Severity::Error, |finding| finding.severity),
                    offset: None,
                    tick: None,
                    event: None,
                    message: format!("{} more of this kind", count - LISTED),
                    place: String::new(),
                });
            }
        }
        self.list
            .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self.list
    }
}

struct Auditor {
    findings: Findings,
    replay: Replay,
    packets: u64,
    applied: u64,
    last_tick: Option<u32>,
    /// Ticks whose packets could not be applied.
    failed: BTreeSet<u32>,
    /// Packets that build on those, and their last tick.
    behind: Option<(u64, u32)>,
    log_tick_ns: Option<u64>,
}

impl Auditor {
    fn new(packets: &Packets<'_>) -> Self {
        Self {
            findings: Findings::default(),
            replay: packets.replay(),
            packets: 0,
            applied: 0,
            last_tick: None,
            failed: BTreeSet::new(),
            behind: None,
            log_tick_ns: match packets {
                Packets::Capture(capture) => Some(capture.log_tick_ns()),
                Packets::Delta(_) => None,
            },
        }
    }

    fn packets(&mut self, packets: &Packets<'_>) {
        let mut cursor = packets.cursor();
        loop {
            match cursor.next_packet() {
                Ok(None) => break,
                Ok(Some(packet)) => self.packet(&packet),
                Err(error) => self.findings.error(&error),
            }
        }
        if let Some((count, last)) = self.behind {
            let (packets, build) = if count == 1 {
                ("packet", "builds")
            } else {
                ("packets", "build")
            };
            self.findings.of_file(
                "delta.baseline-missing",
                Severity::Error,
                format!(
                    "{count} {packets}, the last of tick {last}, {build} on packets that could not be applied"
                ),
            );
        }
    }

    fn packet(&mut self, packet: &Packet<'_>) {
        let header = match Header::read(packet.bytes) {
            Ok((header, _)) => header,
            Err(error) => {
                self.packets += u64::from(packet.role != Role::Added);
                self.note(
                    packet,
                    None,
                    error.code(),
                    Severity::Error,
                    &error.to_string(),
                );
                return;
            }
        };
        let tick = Some(header.tick);
        if let Some(times) = packet.times {
            self.times(packet, &header, times.sequence, times.log_time);
        }
        if packet.role == Role::Added {
            self.added(packet, header.tick);
            return;
        }
        self.packets += 1;
        if let Some(last) = self.last_tick {
            let again = header.tick == last && header.baseline().is_some();
            if header.tick < last || again {
                let message = format!("a packet of tick {} comes after tick {last}", header.tick);
                self.note(
                    packet,
                    tick,
                    "capture.tick-order",
                    Severity::Error,
                    &message,
                );
            }
        }
        self.last_tick = self.last_tick.max(tick);
        match self.replay.apply_strictly(packet) {
            Ok(deviation) => {
                self.applied += 1;
                self.failed.remove(&header.tick);
                if let Some(error) = deviation {
                    let severity = match error.rule {
                        Rule::TickOrder { .. } => Severity::Error,
                        _ => Severity::Warning,
                    };
                    self.note(packet, tick, error.code(), severity, &error.to_string());
                }
            }
            Err(CaptureError::Packet { source, .. }) => {
                self.failed.insert(header.tick);
                let message = match missing_baseline(&source.rule) {
                    Some(baseline) if self.failed.contains(&baseline) => {
                        let (count, _) = self.behind.unwrap_or_default();
                        self.behind = Some((count + 1, header.tick));
                        return;
                    }
                    Some(baseline) => not_recorded(baseline),
                    None => source.to_string(),
                };
                self.note(packet, tick, source.code(), Severity::Error, &message);
            }
            Err(error) => {
                self.failed.insert(header.tick);
                let message = error.to_string();
                self.note(packet, tick, error.code(), Severity::Error, &message);
            }
        }
    }

    fn times(&mut self, packet: &Packet<'_>, header: &Header, sequence: u32, log_time: u64) {
        let tick = header.tick;
        if sequence != tick {
            let message =
                format!("the message has the sequence number {sequence}, its packet tick {tick}");
            self.note(
                packet,
                Some(tick),
                "capture.sequence",
                Severity::Error,
                &message,
            );
        }
        let expected = self
            .log_tick_ns
            .unwrap_or_default()
            .saturating_mul(tick.into());
        if log_time != expected {
            let message =
                format!("the message has the log time {log_time}, tick {tick} is {expected}");
            self.note(
                packet,
                Some(tick),
                "capture.log-time",
                Severity::Error,
                &message,
            );
        }
        let full = header.baseline().is_none();
        if full != (packet.role != Role::Delta) {
            let what = if full { "a full snapshot" } else { "a delta" };
            let message = format!("{what} is on the topic {:?}", packet.role.topic());
            self.note(
                packet,
                Some(tick),
                "capture.topic",
                Severity::Error,
                &message,
            );
        }
    }

    fn added(&mut self, packet: &Packet<'_>, tick: u32) {
        match self.replay.apply_added(packet) {
            Ok(Added::Same) => {}
            Ok(Added::Resumed) if self.last_tick == Some(tick) => {
                self.failed.remove(&tick);
            }
            // Of a tick that the stream does not have, or not any more.
            Ok(Added::Differs | Added::Resumed) => {
                let message = "the full snapshot that the recorder added is not the state that the stream has";
                self.note(
                    packet,
                    Some(tick),
                    "capture.keyframe",
                    Severity::Error,
                    message,
                );
            }
            Err(CaptureError::Packet { source, .. }) => {
                let message = format!("the full snapshot that the recorder added: {source}");
                self.note(packet, Some(tick), source.code(), Severity::Error, &message);
            }
            Err(error) => self.findings.error(&error),
        }
    }

    fn note(
        &mut self,
        packet: &Packet<'_>,
        tick: Option<u32>,
        code: &'static str,
        severity: Severity,
        message: &str,
    ) {
        let place = match tick {
            Some(tick) => format!(
                "packet {}, tick {tick}, byte {}",
                packet.index, packet.offset
            ),
            None => format!("packet {}, byte {}", packet.index, packet.offset),
        };
        self.findings.push(Finding {
            code,
            severity,
            offset: Some(packet.offset),
            tick: tick.map(u64::from),
            event: Some(packet.index),
            message: message.to_owned(),
            place,
        });
    }

    fn finish(self) -> Audit {
        let s = if self.packets == 1 { "" } else { "s" };
        let applied = if self.packets == 0 {
            "nothing to apply".to_owned()
        } else if self.applied == self.packets {
            match self.replay.state() {
                Some(state) => {
                    let count = state.len();
                    let of = if count == 1 { "entity" } else { "entities" };
                    format!("all applied, {count} {of} at tick {}", state.tick())
                }
                None => "all applied".to_owned(),
            }
        } else {
            format!("{} applied", self.applied)
        };
        Audit {
            findings: self.findings.finish(),
            summary: format!("{} packet{s}, {applied}", self.packets),
        }
    }
}

/// The tick whose state is missing, where that is what is wrong.
pub(super) const fn missing_baseline(rule: &Rule) -> Option<u32> {
    match rule {
        Rule::BaselineMissing { baseline } => Some(*baseline),
        _ => None,
    }
}

/// As those who look at a recording would say it.
pub(super) fn not_recorded(baseline: u32) -> String {
    format!("it builds on tick {baseline}, which is not recorded before it")
}

/// The names of a folder's files against what is in them.
fn names(files: &[PacketFile], source: &Source, findings: &mut Findings) {
    let mut at = 0;
    for file in files {
        let Ok(meta) = file.path.metadata() else {
            continue;
        };
        let offset = at;
        at += meta.len() as usize;
        // Of this file alone: the next one is no part of its packet.
        let header = source.get(offset..at).map(Header::read);
        let name = file
            .path
            .file_name()
            .unwrap_or_default()
            .display()
            .to_string();
        let Some(Ok((header, payload))) = header else {
            if meta.len() < HEADER_BYTES as u64 {
                findings.at(
                    "delta.file-size",
                    Severity::Warning,
                    Some(offset as u64),
                    format!(
                        "{name} has {} bytes, a packet has {HEADER_BYTES} or more",
                        meta.len()
                    ),
                );
            }
            continue;
        };
        if (header.tick, header.baseline()) != (file.tick, file.baseline) {
            let said = |tick: u32, baseline: Option<u32>| {
                baseline.map_or_else(
                    || format!("a full snapshot of tick {tick}"),
                    |baseline| format!("a delta of tick {tick} on tick {baseline}"),
                )
            };
            findings.at(
                "delta.file-name",
                Severity::Warning,
                Some(offset as u64),
                format!(
                    "{name} holds {}, its name says {}",
                    said(header.tick, header.baseline()),
                    said(file.tick, file.baseline)
                ),
            );
        }
        let size = HEADER_BYTES as u64 + u64::from(payload);
        if size != meta.len() {
            findings.at(
                "delta.file-size",
                Severity::Warning,
                Some(offset as u64),
                format!("{name} has {} bytes, its packet {size}", meta.len()),
            );
        }
    }
}
