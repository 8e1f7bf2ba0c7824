//! Which slip explains a divergence, asked of the recording at hand.

use std::collections::VecDeque;
use std::time::Duration;

use gametape_core::tape::{Error, Options};

use super::opened::MurkTape;
use crate::engine::{EngineWorld, State, World};
use crate::slip::{Budget, Window, explain_window};
use crate::{
    Checkpoint, Divergence, Explanation, Finding, Frame, Progress, Rule, SLIP_TIME, Simulation,
    Slip,
};

/// Frames between the states that are kept while a recording is verified.
const EVERY: u64 = 64;
/// States that are kept: the oldest is before all that a search looks back to.
const KEPT: usize = 3;
/// Largest state that is kept; with larger ones a search replays the recording from its start.
const MOST_BYTES: usize = 8 << 20;

/// The last states of a replay, and the frame that comes after each.
#[derive(Default)]
pub(super) struct Recent(VecDeque<(u64, State)>);

impl Recent {
    /// A frame whose tick the world has made.
    pub fn stepped(&mut self, frame: &Frame<'_>, world: &EngineWorld) {
        let next = frame.index + 1;
        if !next.is_multiple_of(EVERY) {
            return;
        }
        let bytes: usize = (0..)
            .map_while(|field| world.field(field))
            .map(size_of_val)
            .sum();
        if bytes > MOST_BYTES {
            return;
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back((next, world.checkpoint()));
    }

    /// The last state before a frame.
    fn before(&self, frame: u64) -> Option<&(u64, State)> {
        self.0.iter().rev().find(|(next, _)| *next <= frame)
    }
}

/// How long to search: the option `explain`.
pub(super) fn limit(options: &Options) -> Duration {
    options
        .number("explain")
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .unwrap_or(SLIP_TIME)
}

/// Searches for the slip; `None` where there is no time for it, or the world does not go as far as the
/// divergence a second time. `before` is the world that the recording carries, if another one was given.
///
/// # Errors
/// What the input says.
pub(super) fn explain(
    tape: &MurkTape,
    (world, before): (&World, Option<&World>),
    divergence: &Divergence,
    recent: &Recent,
    limit: Duration,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Option<Explanation>, Error> {
    let Ok(mut simulation) = world.build() else {
        return Ok(None);
    };
    let first = Window::begin(divergence.frame);
    let mut from = 0;
    if let Some((next, state)) = recent.before(first)
        && simulation.restore(state).is_ok()
    {
        from = *next;
    }
    let mut window = Window::new(first, divergence.frame);
    let mut reader = tape.reader();
    let mut stepped = true;
    while let Some(frame) = reader.next_frame()? {
        match frame.index {
            index if index < from => {}
            index if index < first => {
                stepped &= simulation.step(frame.tick, frame.commands()).is_ok();
            }
            _ if !window.push(&frame) => break,
            _ => {}
        }
    }
    if !stepped || window.len() <= window.at() {
        return Ok(None);
    }
    let commands = window.commands(window.at()).len() as u32;
    let budget = Budget::new(limit, watch);
    let variants = world.slips(before, commands);
    let fields = world.field_count();
    Ok(explain_window(&mut simulation, &window, fields, budget, variants).ok())
}

/// What a search says of the divergence goes with it.
pub(crate) fn judged(mut divergence: Box<Divergence>, found: &Explanation) -> Box<Divergence> {
    if let Some(cause) = &found.cause {
        if divergence.cause.value() != cause.value() {
            // They speak of another value than the one that differs.
            divergence.written_by = None;
        }
        divergence.cause = cause.clone();
        divergence.evidence = found.evidence;
    }
    divergence
}

/// What was found, as a finding at the divergence; none where it is but the value that the divergence names.
pub(super) fn finding(divergence: &Divergence, found: Explanation) -> Option<Finding> {
    if found
        .slips
        .iter()
        .any(|slip| matches!(slip, Slip::Value { .. }))
    {
        return None;
    }
    let found = Box::new(found);
    let rule = if found.slips.is_empty() {
        Rule::NoSlip { found }
    } else {
        Rule::OneSlip { found }
    };
    let finding = Finding::new(rule)
        .at(divergence.offset)
        .step(divergence.frame)
        .tick(Some(divergence.tick));
    Some(finding)
}

/// [`explain`] of a recording in this world, as long as a search takes if nothing else is said.
///
/// # Errors
/// What the input says.
pub(crate) fn explain_in(
    tape: &MurkTape,
    world: &World,
    divergence: &Divergence,
) -> Result<Option<Explanation>, Error> {
    let recent = Recent::default();
    explain(
        tape,
        (world, None),
        divergence,
        &recent,
        SLIP_TIME,
        &mut |_| true,
    )
}
