//! Replaying a recording, and comparing each state with what was recorded.

use std::collections::VecDeque;
use std::io::Read;

use crate::command_buf::CommandBuf;
use crate::divergence::{Cause, Divergence, MAX_TOUCHES, Touch};
use crate::error::Error;
use crate::hash::{LANES, SnapshotHasher, snapshot_hashes};
use crate::limits::MAX_FIELDS;
use crate::model::{Frame, Header};
use crate::payload::Payload;
use crate::read::{Frames, Replay};
use crate::simulation::Simulation;
use crate::state::State;
use crate::stream::Reader;

/// Why a recording is not verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError<E: std::error::Error + 'static> {
    /// The recording can't be read to its end.
    #[error(transparent)]
    Read(#[from] Error),
    /// The recording was made with another configuration than the simulation has.
    #[error("the recording's config_hash is {recorded:016x}, the simulation's is {expected:016x}")]
    ConfigMismatch {
        /// The recording's.
        recorded: u64,
        /// The simulation's.
        expected: u64,
    },
    /// The header claims more fields than anything is replayed with.
    #[error("the header claims {fields} fields; up to {MAX_FIELDS} are replayed")]
    TooManyFields {
        /// The claim.
        fields: u32,
    },
    /// The replayed state is not the recorded one.
    #[error("tick {}: {}", .0.tick, .0)]
    SnapshotMismatch(Box<Divergence>),
    /// The simulation could not make a tick.
    #[error("tick {tick}: {source}")]
    Simulation {
        /// The frame, from 0.
        frame: u64,
        /// The frame's `tick_id`: the recording's own count, which need not go with `frame`.
        tick: u64,
        /// What the simulation says.
        source: E,
    },
}

impl<E: std::error::Error> VerifyError<E> {
    /// Where determinism broke, if that is what happened.
    #[must_use]
    pub fn divergence(&self) -> Option<&Divergence> {
        match self {
            Self::SnapshotMismatch(divergence) => Some(divergence),
            _ => None,
        }
    }

    const fn of_step(frame: &Frame<'_>, source: E) -> Self {
        Self::Simulation {
            frame: frame.index,
            tick: frame.tick,
            source,
        }
    }
}

/// A recording that was replayed to its end, every state as recorded.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Verified {
    /// Frames whose hashes were compared, all of them right.
    pub frames: u64,
    /// The `tick_id` of the last of them; `None` where there are none.
    pub last_tick: Option<u64>,
}

/// Replays a recording in `simulation`, which has to be in its initial state.
///
/// A `config_hash` of 0 is unset and matches every simulation. After an error the simulation may
/// have run some ticks beyond it: states are hashed several at a time.
///
/// # Errors
/// See [`VerifyError`].
///
/// ```
/// use gametape_murk::{Simulation, Commands, Payload, read, verify};
/// # struct Line([f32; 4]);
/// # impl Simulation for Line {
/// #     type Error = std::convert::Infallible;
/// #     fn step(&mut self, _: u64, commands: Commands<'_>) -> Result<(), Self::Error> {
/// #         for command in commands {
/// #             if let Ok(Payload::SetField { coord, value, .. }) = command.payload() {
/// #                 for x in coord { self.0[x as usize] = value; }
/// #             }
/// #         }
/// #         Ok(())
/// #     }
/// #     fn field(&self, field: u32) -> Option<&[f32]> { (field == 0).then_some(&self.0) }
/// # }
/// # let mut bytes = gametape_murk::doc_example();
/// let verified = verify(&read(&bytes)?, &mut Line([0.0; 4]))?;
/// assert_eq!(verified.frames, 3);
///
/// // Had cell 2 been recorded as 7 at the last tick:
/// let hash = gametape_murk::snapshot_hash([[0.0, 0.5, 7.0, 1.5].as_slice()]);
/// let end = bytes.len();
/// bytes[end - 8..].copy_from_slice(&hash.to_le_bytes());
/// let error = verify(&read(&bytes)?, &mut Line([0.0; 4])).unwrap_err();
/// let divergence = error.divergence().unwrap();
/// let value = divergence.cause.value().unwrap();
/// assert_eq!((divergence.tick, value.element), (3, 2));
/// assert_eq!((value.replayed, value.recorded), (1.0, 7.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify<S: Simulation>(
    replay: &Replay<'_>,
    simulation: &mut S,
) -> Result<Verified, VerifyError<S::Error>> {
    let mut verifier = Verifier::new(replay.header(), simulation)?;
    for frame in replay.frames() {
        verifier.push(&frame?)?;
    }
    verifier.finish()
}

/// [`verify`], from any source; memory does not grow with the recording.
///
/// # Errors
/// See [`VerifyError`].
pub fn verify_stream<R: Read, S: Simulation>(
    reader: &mut Reader<R>,
    simulation: &mut S,
) -> Result<Verified, VerifyError<S::Error>> {
    let mut verifier = Verifier::new(reader.header()?, simulation)?;
    while let Some(frame) = reader.next_frame()? {
        verifier.push(&frame)?;
    }
    verifier.finish()
}

/// Makes the ticks of these frames without looking at a hash, up to the first that `is_last`; false
/// where none is.
pub(crate) fn run<S: Simulation>(
    frames: Frames<'_>,
    simulation: &mut S,
    is_last: impl Fn(&Frame<'_>) -> bool,
) -> Result<bool, VerifyError<S::Error>> {
    for frame in frames {
        let frame = frame?;
        simulation
            .step(frame.tick, frame.commands())
            .map_err(|source| VerifyError::of_step(&frame, source))?;
        if is_last(&frame) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The header's count of fields, if anything can be replayed with it.
pub(crate) const fn replayable<E: std::error::Error>(
    header: &Header<'_>,
) -> Result<u32, VerifyError<E>> {
    match header.field_count {
        fields if fields > MAX_FIELDS => Err(VerifyError::TooManyFields { fields }),
        fields => Ok(fields),
    }
}

/// Largest state that is copied, so that several can be hashed at once; larger ones are hashed
/// where they are.
const MAX_COPIED_BYTES: usize = 2 << 20;
/// Commands that are remembered, to name those that touched a cell.
const HISTORY_BYTES: usize = 1 << 20;
/// Frames that are remembered.
const HISTORY_FRAMES: usize = 1024;

/// A verification that is fed frame by frame.
#[derive(Debug)]
pub struct Verifier<'s, S> {
    simulation: &'s mut S,
    field_count: u32,
    /// States that wait to be hashed; all of one shape.
    waiting: Vec<State>,
    pending: Vec<Pending>,
    history: History,
    verified: Verified,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    frame: u64,
    tick: u64,
    offset: u64,
    recorded: u64,
}

impl<'s, S: Simulation> Verifier<'s, S> {
    /// A verification of a recording with this header.
    ///
    /// # Errors
    /// [`VerifyError::ConfigMismatch`], [`VerifyError::TooManyFields`].
    pub fn new(header: &Header<'_>, simulation: &'s mut S) -> Result<Self, VerifyError<S::Error>> {
        match simulation.config_hash() {
            Some(expected) if header.config_hash != 0 && header.config_hash != expected => {
                return Err(VerifyError::ConfigMismatch {
                    recorded: header.config_hash,
                    expected,
                });
            }
            _ => {}
        }
        Ok(Self {
            simulation,
            field_count: replayable(header)?,
            waiting: vec![State::default(); LANES],
            pending: Vec::with_capacity(LANES),
            history: History::default(),
            verified: Verified::default(),
        })
    }

    /// Replays a frame. Its hash may be compared only when some more have come, or at the end.
    ///
    /// # Errors
    /// [`VerifyError::SnapshotMismatch`], of this frame or one of the last before it;
    /// [`VerifyError::Simulation`]. No further frame must be pushed.
    pub fn push(&mut self, frame: &Frame<'_>) -> Result<(), VerifyError<S::Error>> {
        if let Err(source) = self.simulation.step(frame.tick, frame.commands()) {
            // What was recorded before may differ already: that comes first.
            self.compare()?;
            return Err(VerifyError::of_step(frame, source));
        }
        self.stepped(frame)
    }

    /// [`Verifier::push`] of a frame whose tick the simulation has made: whoever wants to go on behind
    /// a wrong state makes it.
    pub(crate) fn stepped(&mut self, frame: &Frame<'_>) -> Result<(), VerifyError<S::Error>> {
        self.history.push(frame);
        let pending = Pending {
            frame: frame.index,
            tick: frame.tick,
            offset: frame.offset,
            recorded: frame.snapshot_hash,
        };
        if self.size() > MAX_COPIED_BYTES {
            self.compare()?;
            return self.compare_in_place(pending);
        }
        if !self.fits() {
            self.compare()?;
        }
        if let Some(state) = self.waiting.get_mut(self.pending.len()) {
            state.copy(self.simulation, self.field_count);
        }
        self.pending.push(pending);
        if self.pending.len() == LANES {
            self.compare()?;
        }
        Ok(())
    }

    /// Compares what waits.
    ///
    /// # Errors
    /// [`VerifyError::SnapshotMismatch`].
    pub fn finish(mut self) -> Result<Verified, VerifyError<S::Error>> {
        self.settle()?;
        Ok(self.verified)
    }

    /// Compares what waits, before more frames come.
    pub(crate) fn settle(&mut self) -> Result<(), VerifyError<S::Error>> {
        self.compare()
    }

    /// Frames whose hashes were compared, all of them right.
    #[must_use]
    pub const fn verified(&self) -> Verified {
        self.verified
    }

    /// The simulation. It may be some ticks ahead of [`Verifier::verified`].
    #[must_use]
    pub const fn simulation(&self) -> &S {
        self.simulation
    }

    #[cfg(feature = "tape")]
    pub(crate) const fn simulation_mut(&mut self) -> &mut S {
        self.simulation
    }

    fn size(&self) -> usize {
        (0..self.field_count)
            .map(|field| size_of_val(self.simulation.field(field).unwrap_or_default()))
            .sum()
    }

    /// True if the simulation's state has the shape of those that wait.
    fn fits(&self) -> bool {
        match (self.pending.len(), self.waiting.first()) {
            (0, _) | (_, None) => true,
            (_, Some(first)) => (0..self.field_count)
                .map(|field| self.simulation.field(field).unwrap_or_default().len())
                .eq(first.lengths().iter().copied()),
        }
    }

    fn compare(&mut self) -> Result<(), VerifyError<S::Error>> {
        let count = self.pending.len();
        let states = self.waiting.get(..count).unwrap_or_default();
        let Some(first) = states.first() else {
            return Ok(());
        };
        let values: Vec<&[f32]> = states.iter().map(State::values).collect();
        let mut hashes = [0; LANES];
        snapshot_hashes(&values, first.lengths(), &mut hashes);
        let hashes = hashes.get(..count).unwrap_or_default();
        for (at, ((pending, &hash), state)) in
            self.pending.iter().zip(hashes).zip(states).enumerate()
        {
            if hash != pending.recorded {
                let ahead = self.pending.iter().zip(hashes).skip(at + 1);
                let ahead: Vec<(u64, u64)> = ahead.map(|(p, &hash)| (p.tick, hash)).collect();
                return Err(self.diverged(*pending, hash, state, ahead));
            }
            self.history.hashed(pending.tick, hash);
            self.verified.frames += 1;
            self.verified.last_tick = Some(pending.tick);
        }
        self.pending.clear();
        Ok(())
    }

    fn compare_in_place(&mut self, pending: Pending) -> Result<(), VerifyError<S::Error>> {
        let hash = hash_of(self.simulation, self.field_count);
        if hash != pending.recorded {
            let state = State::of(self.simulation, self.field_count);
            return Err(self.diverged(pending, hash, &state, Vec::new()));
        }
        self.history.hashed(pending.tick, hash);
        self.verified.frames += 1;
        self.verified.last_tick = Some(pending.tick);
        Ok(())
    }

    #[cold]
    fn diverged(
        &self,
        pending: Pending,
        replayed_hash: u64,
        state: &State,
        ahead: Vec<(u64, u64)>,
    ) -> VerifyError<S::Error> {
        // A state that does not change is the same at many ticks: that says nothing.
        let others = self
            .history
            .hashes
            .iter()
            .rev()
            .copied()
            .chain(ahead)
            .filter(|&(_, hash)| hash != replayed_hash);
        let cause = Cause::find(self.simulation, state, pending.recorded, others);
        let touches = match cause.value() {
            Some(value) => {
                self.history
                    .touches(self.simulation, pending.frame, value.field, value.element)
            }
            None => Vec::new(),
        };
        VerifyError::SnapshotMismatch(Box::new(Divergence {
            frame: pending.frame,
            tick: pending.tick,
            offset: pending.offset,
            recorded_hash: pending.recorded,
            replayed_hash,
            cause,
            touches,
        }))
    }
}

/// The hash of a simulation's state, nothing copied.
pub(crate) fn hash_of<S: Simulation + ?Sized>(simulation: &S, field_count: u32) -> u64 {
    let mut hasher = SnapshotHasher::new();
    for field in 0..field_count {
        hasher.field();
        hasher.values(simulation.field(field).unwrap_or_default());
    }
    hasher.finish()
}

/// The last frames' commands and hashes.
#[derive(Default, Debug)]
struct History {
    frames: VecDeque<(u64, u64, CommandBuf)>,
    bytes: usize,
    hashes: VecDeque<(u64, u64)>,
}

impl History {
    fn push(&mut self, frame: &Frame<'_>) {
        let commands = frame.commands();
        let size = commands.as_bytes().len();
        if commands.is_empty() || size > HISTORY_BYTES {
            return;
        }
        let mut space = CommandBuf::new();
        while self.bytes + size > HISTORY_BYTES || self.frames.len() >= HISTORY_FRAMES {
            match self.frames.pop_front() {
                Some((_, _, old)) => {
                    self.bytes -= old.as_commands().as_bytes().len();
                    space = old;
                }
                None => break,
            }
        }
        space.assign(commands);
        self.bytes += size;
        self.frames.push_back((frame.index, frame.tick, space));
    }

    fn hashed(&mut self, tick: u64, hash: u64) {
        if self.hashes.len() == 64 {
            self.hashes.pop_front();
        }
        self.hashes.push_back((tick, hash));
    }

    /// The commands that wrote a value, up to a frame, the latest first.
    fn touches<S: Simulation>(
        &self,
        simulation: &S,
        until: u64,
        field: u32,
        element: usize,
    ) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (frame, tick, commands) in self.frames.iter().rev() {
            if *frame > until {
                continue;
            }
            let here: Vec<Touch> = (0..)
                .zip(commands.as_commands())
                .filter(|(_, command)| simulation.target(command) == Some((field, element)))
                .map(|(at, command)| Touch {
                    frame: *frame,
                    tick: *tick,
                    command: at,
                    value: match command.payload() {
                        Ok(Payload::SetField { value, .. }) => Some(value),
                        _ => None,
                    },
                    source_id: command.envelope.source_id,
                })
                .collect();
            touches.extend(here.into_iter().rev());
            if touches.len() >= MAX_TOUCHES {
                touches.truncate(MAX_TOUCHES);
                break;
            }
        }
        touches
    }
}
