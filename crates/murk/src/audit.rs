//! Audits: every check of a recording that needs no replay.

use std::collections::HashMap;

use crate::error::{Finding, Findings};
use crate::layout::Frame;
use crate::limits::{Limits, ReadOptions};
use crate::model::Header;
use crate::model::command::{Command, Commands};
use crate::model::payload::Payload;
use crate::read::{WholeFrames, read_with};
use crate::rule::Rule;

/// The result of an audit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Audit {
    /// One finding for each rule that is broken or stretched.
    pub findings: Findings,
    /// The number of whole frames.
    pub frames: u64,
}

/// Audits a recording in memory without replaying it. It never fails: a problem that stops the
/// reader is a finding.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// let audit = gametape_murk::audit(&bytes[..bytes.len() - 5]);
/// assert!(audit.findings.has("murk.truncated"));
/// assert_eq!(audit.frames, 2);
/// ```
#[must_use]
pub fn audit(bytes: &[u8]) -> Audit {
    audit_with(bytes, Limits::DEFAULT)
}

/// [`audit()`] with other limits.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// use gametape_murk::{Limits, audit_with};
/// let limits = Limits { max_commands: 0, ..Limits::DEFAULT };
/// let audit = audit_with(&bytes, limits);
/// assert!(audit.findings.has("murk.limit") && audit.frames == 0);
/// ```
#[must_use]
pub fn audit_with(bytes: &[u8], limits: Limits) -> Audit {
    let mut audit = Audit::default();
    let replay = match read_with(bytes, ReadOptions::lenient().limits(limits)) {
        Ok(replay) => replay,
        Err(error) => {
            if let Some(finding) = error.into_finding() {
                audit.findings.push(finding);
            }
            return audit;
        }
    };
    let mut auditor = Auditor::new(replay.header());
    let mut frames = replay.frames();
    let mut whole = WholeFrames::default();
    for frame in frames.by_ref().flatten() {
        if whole.push(&frame).is_some() {
            auditor.note(frame.blank(bytes));
            break;
        }
        auditor.push(&frame, &AnyWorld);
    }
    let WholeFrames { frames: count, .. } = whole;
    audit.findings = auditor.finish(frames.findings());
    audit
        .findings
        .push(Finding::new(Rule::NotSimulated { frames: count }));
    audit.findings.sort();
    audit.frames = count;
    audit
}

/// An audit that is given the frames one by one, for callers that also do something else with them.
#[derive(Debug, Default)]
pub struct Auditor {
    findings: Findings,
    frames: u64,
    last_tick: Option<u64>,
}

impl Auditor {
    /// Creates an audit of a recording with this header.
    #[must_use]
    pub fn new(header: &Header<'_>) -> Self {
        let mut auditor = Self::default();
        auditor.header(header);
        auditor
    }

    fn header(&mut self, header: &Header<'_>) {
        if header.config_hash == 0 {
            self.findings.push(Finding::new(Rule::ConfigUnset));
        }
        let build = &header.build;
        if build.toolchain != crate::build::TOOLCHAIN {
            self.findings.push(Finding::new(Rule::OtherToolchain {
                recorded: build.toolchain.to_string(),
                here: crate::build::TOOLCHAIN,
            }));
        }
        if build.target_triple != crate::build::TARGET {
            self.findings.push(Finding::new(Rule::OtherTarget {
                recorded: build.target_triple.to_string(),
                here: crate::build::TARGET,
            }));
        }
    }

    /// Returns the number of frames so far.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the findings so far.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Adds a finding of the caller.
    pub fn note(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Checks the next frame.
    #[inline]
    pub fn push(&mut self, frame: &Frame<'_>, world: &impl CommandCheck) {
        self.frames += 1;
        self.tick(frame);
        let commands = frame.commands();
        if !commands.is_empty() {
            self.commands(frame, commands, world);
        }
    }

    fn commands(&mut self, frame: &Frame<'_>, commands: Commands<'_>, world: &impl CommandCheck) {
        let (count, limit) = (commands.len() as u64, world.queue_limit());
        if count > limit {
            self.at(frame, Rule::QueueFull { count, limit });
        }
        // The engine counts its ticks from 1, independently of the recording's tick numbers.
        let engine_tick = frame.index + 1;
        let mut classes: Option<(u8, u8)> = None;
        for (at, command) in (0..).zip(commands) {
            self.command(frame, at, &command, world, engine_tick);
            let class = command.envelope.priority_class;
            classes = Some(match classes {
                None => (class, class),
                Some((low, high)) => (low.min(class), high.max(class)),
            });
        }
        if classes.is_some_and(|(low, high)| low < high) {
            self.priorities(frame, commands, world, engine_tick);
        }
    }

    /// Ends the audit and returns its findings; `problems` are the ones that stopped the reader.
    #[must_use]
    pub fn finish(mut self, problems: &Findings) -> Findings {
        if self.frames == 0 && problems.is_empty() {
            self.findings.push(Finding::new(Rule::NoFrames));
        }
        self.findings.extend(problems.iter().cloned());
        self.findings.sort();
        self.findings
    }

    #[cold]
    fn at(&mut self, frame: &Frame<'_>, rule: Rule) {
        self.findings.push(frame.finding(rule));
    }

    #[inline]
    fn tick(&mut self, frame: &Frame<'_>) {
        let now = frame.tick;
        match self.last_tick.replace(now) {
            Some(before) if now.checked_sub(before) != Some(1) => {
                self.at(frame, Rule::of_tick(before, now));
            }
            _ => {}
        }
    }

    fn command(
        &mut self,
        frame: &Frame<'_>,
        at: u32,
        command: &Command<'_>,
        world: &impl CommandCheck,
        engine_tick: u64,
    ) {
        let (payload, rest) = match Payload::decode(command.payload_type, command.payload) {
            Ok(decoded) => decoded,
            Err(error) => return self.at(frame, Rule::of_payload(at, error)),
        };
        if !rest.is_empty() {
            let rule = Rule::TrailingPayload {
                command: at,
                kind: payload.name(),
                bytes: rest.len() as u64,
            };
            self.at(frame, rule);
        }
        let envelope = &command.envelope;
        if envelope.source_id.is_none() && envelope.source_seq.is_some() {
            self.at(frame, Rule::SourceSeqUnused { command: at });
        }
        if let Some(rejection) = world.check(command, engine_tick) {
            self.at(frame, rejection.rule(at, command, &payload));
        }
    }

    /// Finds cells that two commands of different priority write. Commands are applied in the order
    /// of their class, so the last one, which has the lowest priority, wins.
    #[inline(never)]
    fn priorities(
        &mut self,
        frame: &Frame<'_>,
        commands: Commands<'_>,
        world: &impl CommandCheck,
        engine_tick: u64,
    ) {
        type Write = (u32, u8, u32);
        let mut cells: HashMap<&[u8], Write> = HashMap::new();
        for (at, command) in (0_u32..).zip(commands) {
            let Ok(Payload::SetField {
                coord,
                field,
                value,
            }) = command.payload()
            else {
                continue;
            };
            if world.check(&command, engine_tick).is_some() {
                continue;
            }
            // The coordinate and the field are the payload up to the value.
            let Some(cell) = command.payload.get(..4 + 4 * coord.len() + 4) else {
                continue;
            };
            let new = (at, command.envelope.priority_class, value.to_bits());
            let old = *cells.entry(cell).or_insert(new);
            if old.1 == new.1 {
                continue;
            }
            let (higher, lower) = if old.1 < new.1 {
                (old, new)
            } else {
                (new, old)
            };
            cells.insert(cell, lower);
            if higher.2 != lower.2 {
                let rule = Rule::PriorityLost {
                    higher: higher.0,
                    lower: lower.0,
                    higher_class: higher.1,
                    lower_class: lower.1,
                    field,
                    cell: coord.iter().take(MAX_COORD).collect(),
                };
                self.at(frame, rule);
            }
        }
    }
}

/// The most numbers of a coordinate that a finding shows; no space has as many.
const MAX_COORD: usize = 16;

impl Rejection {
    pub(crate) fn rule(self, command: u32, stored: &Command<'_>, payload: &Payload<'_>) -> Rule {
        let (cell, field) = match payload {
            Payload::SetField { coord, field, .. } => {
                (coord.iter().take(MAX_COORD).collect(), *field)
            }
            _ => (Vec::new(), 0),
        };
        match self {
            Self::Expired => Rule::CommandExpired {
                command,
                expires: stored.envelope.expires_after_tick,
            },
            Self::Unsupported => Rule::CommandUnsupported {
                command,
                kind: payload.name(),
            },
            Self::Outside => Rule::CommandOutside { command, cell },
            Self::UnknownField => Rule::CommandUnknownField { command, field },
            Self::StaticField => Rule::CommandStaticField { command, field },
            Self::Overwritten => Rule::CommandOverwritten { command, field },
        }
    }
}

/// A world's check of a command before it is submitted. Feature `engine` has an implementation for
/// Murk's own worlds.
pub trait CommandCheck {
    /// Returns why the command is never applied at this tick; `None` if it is. The tick is the
    /// engine's own count, which starts with 1.
    fn check(&self, command: &Command<'_>, engine_tick: u64) -> Option<Rejection>;

    /// Returns the number of commands that the engine takes in one tick.
    fn queue_limit(&self) -> u64 {
        DEFAULT_INGRESS_QUEUE.into()
    }
}

/// The number of commands that Murk's engine takes in a tick, unless it is configured otherwise.
pub const DEFAULT_INGRESS_QUEUE: u32 = 1024;

/// Why a command is never applied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// It expired before the tick it was submitted at.
    Expired,
    /// The engine does not apply commands of this kind.
    Unsupported,
    /// The coordinate is not a cell of the world.
    Outside,
    /// The world has no field of this number.
    UnknownField,
    /// The field never changes.
    StaticField,
    /// A propagator writes the field after the commands, in each tick.
    Overwritten,
}

/// The rules that hold in every world of Murk's lockstep engine, for recordings without a world.
#[derive(Clone, Copy, Default, Debug)]
pub struct AnyWorld;

impl CommandCheck for AnyWorld {
    #[inline]
    fn check(&self, command: &Command<'_>, engine_tick: u64) -> Option<Rejection> {
        if command.envelope.expires_after_tick < engine_tick {
            return Some(Rejection::Expired);
        }
        match command.payload() {
            Ok(Payload::SetField { .. }) | Err(_) => None,
            Ok(_) => Some(Rejection::Unsupported),
        }
    }
}
