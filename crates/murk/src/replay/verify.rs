//! Replays a recording, and compares each state with the recorded hash.

use gametape_core::text::Grouped;
use std::io::Read;

use crate::divergence::Divergence;
use crate::error::Error;
use crate::layout::Frame;
use crate::limits::MAX_REPLAYED_FIELDS;
use crate::model::Header;
use crate::read::{Frames, Replay};
use crate::replay::comparison::HashComparison;
use crate::simulation::Simulation;
use crate::stream::Reader;

/// Why a recording is not verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError<E: std::error::Error + 'static> {
    /// The recording can't be read to its end.
    #[error(transparent)]
    Read(#[from] Error),
    /// The recording was made with another configuration than that of the simulation.
    #[error("the recording's config_hash is {recorded:016x}, the simulation's is {expected:016x}")]
    ConfigMismatch {
        /// The hash in the recording.
        recorded: u64,
        /// The hash of the simulation.
        expected: u64,
    },
    /// The header claims more fields than a simulation is replayed with.
    #[error("the header claims {fields} fields; up to {MAX_REPLAYED_FIELDS} are replayed")]
    TooManyFields {
        /// The claimed number.
        fields: u32,
    },
    /// The replayed state is not the recorded one.
    #[error("tick {}: {}", Grouped(.0.tick), .0)]
    SnapshotMismatch(Box<Divergence>),
    /// The simulation could not make a tick.
    #[error("tick {}: {source}", Grouped(*tick))]
    Simulation {
        /// The frame, from 0.
        frame: u64,
        /// The frame's `tick_id`, the recording's own count. It need not follow `frame`.
        tick: u64,
        /// The error of the simulation.
        source: E,
    },
}

impl<E: std::error::Error> VerifyError<E> {
    /// Returns the divergence, if that is the error.
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

/// A recording that was replayed to its end, with every state as recorded.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Verified {
    /// The number of frames that were compared and matched.
    pub frames: u64,
    /// The `tick_id` of the last of them; `None` if there are none.
    pub last_tick: Option<u64>,
}

/// Replays a recording in `simulation`, which must be in its initial state.
///
/// A `config_hash` of 0 is unset and matches every simulation; [`Simulation::config_form`] decides
/// about others. After an error the simulation may be some ticks further, because states are hashed
/// several at a time.
///
/// # Errors
/// [`VerifyError`].
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

/// [`verify`] for any source. The memory does not grow with the recording.
///
/// # Errors
/// [`VerifyError`].
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

/// Makes the ticks of these frames without comparing hashes, up to the first for which `is_last` is
/// true. Returns false if there is none.
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

/// Returns the header's count of fields, if a simulation can be replayed with it.
pub(crate) const fn replayable<E: std::error::Error>(
    header: &Header<'_>,
) -> Result<u32, VerifyError<E>> {
    match header.field_count {
        fields if fields > MAX_REPLAYED_FIELDS => Err(VerifyError::TooManyFields { fields }),
        fields => Ok(fields),
    }
}

/// A verification that is given the frames one by one.
#[derive(Debug)]
pub struct Verifier<'s, S> {
    simulation: &'s mut S,
    checks: HashComparison,
}

impl<'s, S: Simulation> Verifier<'s, S> {
    /// Creates a verification of a recording with this header.
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
            checks: HashComparison::new(replayable(header)?),
        })
    }

    /// Replays a frame. The comparison may be delayed until a few more frames have come, or the
    /// end.
    ///
    /// # Errors
    /// [`VerifyError::SnapshotMismatch`] of this frame or one of the last frames before it, and
    /// [`VerifyError::Simulation`]. No further frame must be pushed.
    pub fn push(&mut self, frame: &Frame<'_>) -> Result<(), VerifyError<S::Error>> {
        if let Err(source) = self.simulation.step(frame.tick, frame.commands()) {
            // An earlier state may differ already; that divergence comes first.
            self.settle()?;
            return Err(VerifyError::of_step(frame, source));
        }
        self.stepped(frame)
    }

    /// [`Verifier::push`] for a frame whose tick the caller has made already, in order to continue
    /// after a wrong state.
    pub(crate) fn stepped(&mut self, frame: &Frame<'_>) -> Result<(), VerifyError<S::Error>> {
        let stepped = self.checks.stepped(self.simulation, frame);
        stepped.map_err(VerifyError::SnapshotMismatch)
    }

    /// Compares the waiting states.
    ///
    /// # Errors
    /// [`VerifyError::SnapshotMismatch`].
    pub fn finish(mut self) -> Result<Verified, VerifyError<S::Error>> {
        self.settle()?;
        Ok(self.verified())
    }

    /// Compares the waiting states before more frames come.
    pub(crate) fn settle(&mut self) -> Result<(), VerifyError<S::Error>> {
        let compared = self.checks.compare(self.simulation);
        compared.map_err(VerifyError::SnapshotMismatch)
    }

    /// Returns the number of frames that were compared and matched.
    #[must_use]
    pub const fn verified(&self) -> Verified {
        let (frames, last_tick) = self.checks.verified();
        Verified { frames, last_tick }
    }

    /// Returns the simulation. It may be some ticks ahead of [`Verifier::verified`].
    #[must_use]
    pub const fn simulation(&self) -> &S {
        self.simulation
    }

    /// Returns the comparison without the simulation.
    #[cfg(feature = "tape")]
    pub(crate) fn into_checks(self) -> HashComparison {
        self.checks
    }

    #[cfg(feature = "tape")]
    pub(crate) const fn simulation_mut(&mut self) -> &mut S {
        self.simulation
    }
}
