//! Records a simulation while it runs.

use gametape_core::Output;
use gametape_core::text::Grouped;

use crate::error::WriteError;
use crate::model::Header;
use crate::model::command::Commands;
use crate::replay::comparison::hash_of;
use crate::simulation::Simulation;
use crate::write::Writer;

/// Why a recording stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError<E: std::error::Error + 'static> {
    /// The recording can't be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The simulation could not make a tick. Nothing of that tick was recorded.
    #[error("tick {}: {source}", Grouped(*tick))]
    Simulation {
        /// The caller's number of the tick.
        tick: u64,
        /// The error of the simulation.
        source: E,
    },
}

/// Steps a simulation and records each tick.
///
/// ```
/// # use gametape_murk::{Commands, Simulation};
/// # struct Still([f32; 1]);
/// # impl Simulation for Still {
/// #     type Error = std::convert::Infallible;
/// #     fn step(&mut self, _: u64, _: Commands<'_>) -> Result<(), Self::Error> { Ok(()) }
/// #     fn field(&self, field: u32) -> Option<&[f32]> { (field == 0).then_some(&self.0) }
/// # }
/// use gametape_murk::{CommandBuf, Header, Recorder, Writer, read, verify};
/// let header = Header { field_count: 1, cell_count: 1, ..Header::default() };
/// let mut world = Still([1.5]);
/// let mut recorder = Recorder::new(Writer::new(Vec::new(), &header)?, &header);
/// for tick in 1..=10 {
///     recorder.step(&mut world, tick, CommandBuf::new().as_commands())?;
/// }
/// let bytes = recorder.finish()?;
/// assert_eq!(verify(&read(&bytes)?, &mut Still([1.5]))?.frames, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorder<O: Output> {
    writer: Writer<O>,
    field_count: u32,
}

impl<O: Output> Recorder<O> {
    /// Creates a recorder that writes to `writer`, which was made with (or resumed from) `header`.
    #[must_use]
    pub const fn new(writer: Writer<O>, header: &Header<'_>) -> Self {
        Self {
            writer,
            field_count: header.field_count,
        }
    }

    /// Makes a tick and records it; returns the hash of the state after it.
    ///
    /// # Errors
    /// [`RecordError`]. After an I/O error of [`RecordError::Write`] the frame is kept, and the
    /// next call tries again.
    pub fn step<S: Simulation>(
        &mut self,
        simulation: &mut S,
        tick: u64,
        commands: Commands<'_>,
    ) -> Result<u64, RecordError<S::Error>> {
        simulation
            .step(tick, commands)
            .map_err(|source| RecordError::Simulation { tick, source })?;
        let hash = hash_of(simulation, self.field_count);
        self.writer.push(tick, commands, hash)?;
        Ok(hash)
    }

    /// Returns the writer, to flush it.
    pub const fn writer(&mut self) -> &mut Writer<O> {
        &mut self.writer
    }

    /// Flushes, and returns the output.
    ///
    /// # Errors
    /// Same as [`Writer::finish`].
    pub fn finish(self) -> Result<O, WriteError> {
        self.writer.finish()
    }
}
