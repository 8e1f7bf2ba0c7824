//! The audit: reads and applies every packet, and compares the container with its content.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gametape_core::Severity;
use gametape_core::text::{Counted, Grouped};
use gametape_delta as delta;
use gametape_delta::wire::Header;

use crate::layout::Role;
use crate::packets::{Clock, Packet, Packets, Times};
use crate::replay::{Added, Replay};
use crate::rule::{CaptureRule, Error, Finding, Findings, Rule};

mod container;

pub(crate) use container::check;

/// The result of an audit.
#[derive(Clone, PartialEq, Debug)]
pub struct Audit {
    /// The findings, worst first.
    pub findings: Findings,
    /// The number of packets in the stream.
    pub packets: u64,
    /// The number of packets that could be applied.
    pub applied: u64,
    /// The tick and the number of entities of the last state, if there is one.
    pub last: Option<(u32, u64)>,
}

/// `60 packets, all applied, 12 entities at tick 60`
impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, ", Counted(self.packets, "packet"))?;
        match self.last {
            _ if self.packets == 0 => f.write_str("nothing to apply"),
            _ if self.applied < self.packets => write!(f, "{} applied", Grouped(self.applied)),
            None => f.write_str("all applied"),
            Some((tick, entities)) => write!(
                f,
                "all applied, {} at tick {}",
                Counted(entities, "entity"),
                Grouped(tick.into())
            ),
        }
    }
}

/// Reads and applies all packets, and checks the container around them.
///
/// # Errors
/// The recording cannot be read. Anything wrong with its content is a finding.
pub fn audit(packets: &Packets<'_>) -> Result<Audit, Error> {
    audit_telling(packets, &|_| ())
}

/// The same; tells the offset of each packet.
pub(crate) fn audit_telling(packets: &Packets<'_>, tell: &dyn Fn(u64)) -> Result<Audit, Error> {
    let mut findings = Findings::default();
    let replay = match packets {
        Packets::Capture(capture) => check(capture, &mut findings)?,
        Packets::Delta(_) => packets.replay()?,
    };
    let mut auditor = Auditor::new(packets, replay, findings);
    auditor.all(packets, tell)?;
    // What explains why there are no packets need not be said twice.
    let is_explained = auditor
        .findings
        .iter()
        .any(|finding| finding.severity() == Severity::Error);
    if auditor.packets == 0 && !is_explained {
        let rule = match packets {
            Packets::Capture(_) => CaptureRule::CaptureEmpty,
            Packets::Delta(_) => CaptureRule::DeltaEmpty,
        };
        auditor.findings.push(Finding::new(rule.into()));
    }
    Ok(auditor.finish())
}

struct Auditor {
    findings: Findings,
    replay: Replay,
    clock: Clock,
    packets: u64,
    applied: u64,
    last_tick: Option<u32>,
    /// Ticks whose packets could not be applied.
    failed: BTreeSet<u32>,
    /// The number of packets that build on those, and the last tick of these packets.
    behind: Option<(u64, u32)>,
    log_tick_ns: u64,
    /// The ticks of packets that were recorded with another one, which is far off.
    wild: BTreeMap<u32, u32>,
}

impl Auditor {
    fn new(packets: &Packets<'_>, replay: Replay, findings: Findings) -> Self {
        Self {
            findings,
            replay,
            clock: Clock::new(packets.tick_ns()),
            packets: 0,
            applied: 0,
            last_tick: None,
            failed: BTreeSet::new(),
            behind: None,
            log_tick_ns: match packets {
                Packets::Capture(capture) => capture.log_tick_ns(),
                Packets::Delta(_) => 0,
            },
            wild: wild_ticks(packets),
        }
    }

    fn all(&mut self, packets: &Packets<'_>, tell: &dyn Fn(u64)) -> Result<(), Error> {
        let mut cursor = packets.cursor();
        while let Some(packet) = cursor.next_or_fault()? {
            match packet {
                Ok(packet) => {
                    tell(packet.offset);
                    self.packet(&packet);
                }
                Err(finding) => self.findings.push(finding),
            }
        }
        for (topic, messages) in cursor.foreign() {
            let topic = topic.to_owned();
            let rule = CaptureRule::ForeignChannel { topic, messages };
            self.findings.push(Finding::new(rule.into()));
        }
        if let Some((packets, last_tick)) = self.behind {
            let rule = CaptureRule::NotApplied { packets, last_tick };
            self.findings.push(Finding::new(rule.into()));
        }
        Ok(())
    }

    fn packet(&mut self, packet: &Packet<'_>) {
        let header = match Header::read(packet.bytes) {
            Ok((header, _)) => header,
            Err(error) => {
                self.packets += u64::from(packet.role != Role::Added);
                self.note(packet, Rule::Wire(error));
                return;
            }
        };
        // The first packet starts the clock.
        let _ = self.clock.time(header.tick);
        if let Some(times) = packet.times {
            self.times(packet, &header, times);
        }
        if packet.role == Role::Added {
            self.added(packet, header.tick);
            return;
        }
        self.packets += 1;
        if let Some(tick) = self.wild.remove(&header.tick) {
            let meant = header.tick;
            self.note(packet, CaptureRule::WildTick { tick, meant });
        }
        if let Some(last) = self.last_tick {
            let again = header.tick == last && header.baseline().is_some();
            if header.tick < last || again {
                let tick = header.tick;
                self.note(packet, CaptureRule::TickOrder { tick, last });
            }
        }
        self.last_tick = self.last_tick.max(Some(header.tick));
        match self.replay.apply_strictly(packet) {
            Ok(deviation) => {
                self.applied += 1;
                self.failed.remove(&header.tick);
                if let Some(error) = deviation {
                    self.note(packet, Rule::Wire(error));
                }
            }
            Err(error) => self.not_applied(packet, header.tick, error),
        }
    }

    fn not_applied(&mut self, packet: &Packet<'_>, tick: u32, error: Error) {
        self.failed.insert(tick);
        match missing_baseline(&error) {
            Some(baseline) if self.failed.contains(&baseline) => {
                let (count, _) = self.behind.unwrap_or_default();
                self.behind = Some((count + 1, tick));
            }
            Some(baseline) => self.note(packet, CaptureRule::NotRecorded { baseline }),
            None => {
                if let Some(finding) = error.into_finding() {
                    self.note(packet, finding.rule);
                }
            }
        }
    }

    fn times(&mut self, packet: &Packet<'_>, header: &Header, times: Times) {
        let tick = header.tick;
        let (sequence, log_time) = (times.sequence, times.log_time);
        if sequence != tick {
            self.note(packet, CaptureRule::Sequence { sequence, tick });
        }
        let expected = self.log_tick_ns.saturating_mul(tick.into());
        if log_time != expected {
            let rule = CaptureRule::LogTime {
                log_time,
                tick,
                expected,
            };
            self.note(packet, rule);
        }
        let full = header.baseline().is_none();
        if full != (packet.role != Role::Delta) {
            let topic = packet.role.topic();
            self.note(packet, CaptureRule::Topic { full, topic });
        }
    }

    fn added(&mut self, packet: &Packet<'_>, tick: u32) {
        match self.replay.apply_added(packet) {
            Ok(Added::Same) => {}
            Ok(Added::Resumed) if self.last_tick == Some(tick) => {
                self.failed.remove(&tick);
            }
            // The added snapshot is of a tick that the stream does not have, or no longer has.
            Ok(Added::Differs | Added::Resumed) => self.note(packet, CaptureRule::Keyframe),
            Err(error) => match error.into_finding().map(|finding| finding.rule) {
                Some(Rule::Wire(source)) => self.note(packet, Rule::Added(source)),
                Some(rule) => self.note(packet, rule),
                None => {}
            },
        }
    }

    fn note(&mut self, packet: &Packet<'_>, rule: impl Into<Rule>) {
        let found = packet.finding(rule);
        let time = packet.tick().and_then(|tick| self.clock.time(tick));
        self.findings.push(found.time(time));
    }

    fn finish(self) -> Audit {
        let state = self.replay.state();
        let mut findings = self.findings;
        findings.sort();
        Audit {
            findings,
            packets: self.packets,
            applied: self.applied,
            last: state.map(|state| (state.tick(), state.len() as u64)),
        }
    }
}

/// The packets whose ticks are far off: the ticks that are meant, and those that are recorded.
pub(crate) fn wild_ticks(packets: &Packets<'_>) -> BTreeMap<u32, u32> {
    match packets {
        Packets::Capture(capture) => {
            let wild = capture.wild();
            wild.map(|wild| (wild.meant, wild.tick)).collect()
        }
        Packets::Delta(_) => BTreeMap::new(),
    }
}

/// The tick whose state is missing, if that is the error.
pub(crate) fn missing_baseline(error: &Error) -> Option<u32> {
    match error.rule()?.wire()? {
        delta::Rule::BaselineMissing { baseline } => Some(*baseline),
        _ => None,
    }
}
