//! Replaying a recording, and comparing each state with what was recorded.

use std::io::Read;

use crate::checks::Checks;
use crate::divergence::Divergence;
use crate::error::Error;
use crate::frame::Frame;
use crate::limits::MAX_FIELDS;
use crate::model::Header;
use crate::read::{Frames, Replay};
use crate::simulation::Simulation;
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

    pub(crate) const fn of_step(frame: &Frame<'_>, source: E) -> Self {
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
/// A `config_hash` of 0 is unset and matches every simulation; [`Simulation::config_form`] says which
/// others do. After an error the simulation may
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

/// A verification that is fed frame by frame.
#[derive(Debug)]
pub struct Verifier<'s, S> {
    simulation: &'s mut S,
    checks: Checks,
}

impl<'s, S: Simulation> Verifier<'s, S> {
    /// A verification of a recording with this header.
    ///
    /// # Errors
    /// [`VerifyError::ConfigMismatch`], [`VerifyError::TooManyFields`].
    pub fn new(header: &Header<'_>, simulation: &'s mut S) -> Result<Self, VerifyError<S::Error>> {
        if simulation.config_form(header).is_none() {
            return Err(VerifyError::ConfigMismatch {
                recorded: header.config_hash,
                expected: simulation.config_hash().unwrap_or_default(),
            });
        }
        Ok(Self {
            simulation,
            checks: Checks::new(replayable(header)?),
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
            self.settle()?;
            return Err(VerifyError::of_step(frame, source));
        }
        self.stepped(frame)
    }

    /// [`Verifier::push`] of a frame whose tick the simulation has made: whoever wants to go on behind
    /// a wrong state makes it.
    pub(crate) fn stepped(&mut self, frame: &Frame<'_>) -> Result<(), VerifyError<S::Error>> {
        let stepped = self.checks.stepped(self.simulation, frame);
        stepped.map_err(VerifyError::SnapshotMismatch)
    }

    /// Compares what waits.
    ///
    /// # Errors
    /// [`VerifyError::SnapshotMismatch`].
    pub fn finish(mut self) -> Result<Verified, VerifyError<S::Error>> {
        self.settle()?;
        Ok(self.verified())
    }

    /// Compares what waits, before more frames come.
    pub(crate) fn settle(&mut self) -> Result<(), VerifyError<S::Error>> {
        let compared = self.checks.compare(self.simulation);
        compared.map_err(VerifyError::SnapshotMismatch)
    }

    /// Frames whose hashes were compared, all of them right.
    #[must_use]
    pub const fn verified(&self) -> Verified {
        let (frames, last_tick) = self.checks.verified();
        Verified { frames, last_tick }
    }

    /// The simulation. It may be some ticks ahead of [`Verifier::verified`].
    #[must_use]
    pub const fn simulation(&self) -> &S {
        self.simulation
    }

    /// What compares, without the simulation.
    #[cfg(feature = "tape")]
    pub(crate) fn into_checks(self) -> Checks {
        self.checks
    }

    #[cfg(feature = "tape")]
    pub(crate) const fn simulation_mut(&mut self) -> &mut S {
        self.simulation
    }
}
