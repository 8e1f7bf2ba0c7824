//! The simulation that a recording is verified against.

pub mod faulty;
pub mod hash;
pub mod past;

use crate::model::command::{Command, Commands};
use crate::model::{ConfigForm, Header};
use crate::simulation::past::{Past, WrittenBy};

/// A deterministic simulation that is stepped tick by tick.
///
/// Only [`step`](Self::step) and [`field`](Self::field) are needed to verify a recording. The other
/// methods give names to fields and elements; without them a report has only numbers.
///
/// ```
/// use gametape_murk::{Commands, Payload, Simulation};
/// use std::convert::Infallible;
///
/// /// A line of cells; each tick writes what the commands say.
/// struct Line(Vec<f32>);
///
/// impl Simulation for Line {
///     type Error = Infallible;
///
///     fn step(&mut self, _tick: u64, commands: Commands<'_>) -> Result<(), Infallible> {
///         for command in commands {
///             if let Ok(Payload::SetField { coord, value, .. }) = command.payload() {
///                 let cell = coord.iter().next().and_then(|x| usize::try_from(x).ok());
///                 if let Some(cell) = cell.and_then(|x| self.0.get_mut(x)) {
///                     *cell = value;
///                 }
///             }
///         }
///         Ok(())
///     }
///
///     fn field(&self, field: u32) -> Option<&[f32]> {
///         (field == 0).then_some(&self.0)
///     }
/// }
/// ```
pub trait Simulation {
    /// Why a tick could not be made.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Makes one tick. `tick` is the recorded number of the tick, which need not be the number of
    /// steps made so far.
    ///
    /// # Errors
    /// If the simulation can't continue. A tick that fails and leaves the state as it was is not an
    /// error if the recorded simulation treated it the same way.
    fn step(&mut self, tick: u64, commands: Commands<'_>) -> Result<(), Self::Error>;

    /// Returns the values of a field after the last tick, in the order of the hash: cell after
    /// cell, the components of a vector side by side. `None` for a field that does not exist (yet),
    /// which is hashed as an empty one.
    fn field(&self, field: u32) -> Option<&[f32]>;

    /// Returns the hash of the simulation's own configuration, if it has one. A recording with
    /// another hash is refused before the first tick (see [`config_form`](Self::config_form)).
    fn config_hash(&self) -> Option<u64> {
        None
    }

    /// Returns the form of a recording's `config_hash` if the recording can be of this simulation;
    /// `None` if it is of another one, and is refused. By default the hash is compared with
    /// [`config_hash`](Self::config_hash); a simulation may accept other forms.
    fn config_form(&self, header: &Header<'_>) -> Option<ConfigForm> {
        match (header.config_hash, self.config_hash()) {
            (0, _) | (_, None) => Some(ConfigForm::Unset),
            (recorded, Some(own)) => (recorded == own).then_some(ConfigForm::Whole),
        }
    }

    /// Returns the name of a field; `None` if it has only a number.
    fn field_name(&self, field: u32) -> Option<&str> {
        let _ = field;
        None
    }

    /// Returns the cell of an element of a field (an index into the values of
    /// [`field`](Self::field)).
    fn locate(&self, field: u32, element: usize) -> Option<Location> {
        let _ = (field, element);
        None
    }

    /// Returns the field and the element that a command writes; `None` if it writes none, or more
    /// than one.
    fn target(&self, command: &Command<'_>) -> Option<(u32, usize)> {
        let _ = command;
        None
    }

    /// Returns the simulation's own number of the last tick; `None` if it has none, and after a
    /// tick that failed and left the state as it was. The results are passed back to the simulation
    /// when it is asked [who wrote a value](Self::written_by).
    fn made(&self) -> Option<u64> {
        None
    }

    /// Returns the last writer of a value in the state after a frame ([`Past::frame`]); the
    /// simulation may be some ticks ahead of it. `None` if the writer is not certain.
    ///
    /// This is the implementation for a simulation in which commands act in the order of the
    /// recording, last until they are set again, and nothing else writes the same values:
    ///
    /// ```
    /// # use gametape_murk::{CommandBuf, Commands, Envelope, Past, Payload, Simulation, WrittenBy, read, verify};
    /// # use std::convert::Infallible;
    /// # struct Line([f32; 4]);
    /// impl Simulation for Line {
    /// #   type Error = Infallible;
    /// #   fn step(&mut self, _: u64, commands: Commands<'_>) -> Result<(), Infallible> {
    /// #       for command in commands {
    /// #           if let Some((0, cell)) = self.target(&command)
    /// #               && let Ok(Payload::SetField { value, .. }) = command.payload()
    /// #           {
    /// #               self.0[cell] = value;
    /// #           }
    /// #       }
    /// #       Ok(())
    /// #   }
    /// #   fn field(&self, field: u32) -> Option<&[f32]> { (field == 0).then_some(&self.0) }
    /// #   fn target(&self, command: &gametape_murk::Command<'_>) -> Option<(u32, usize)> {
    /// #       let Ok(Payload::SetField { coord, field, .. }) = command.payload() else { return None };
    /// #       Some((field, coord.iter().next()? as usize))
    /// #   }
    ///     // …
    ///     fn written_by(&self, field: u32, element: usize, past: &Past<'_>) -> Option<WrittenBy> {
    ///         let sets = |command: &_| self.target(command) == Some((field, element));
    ///         past.last_command(sets).map(WrittenBy::Command)
    ///     }
    /// }
    ///
    /// # let mut bytes = gametape_murk::doc_example();
    /// // Cell 2 is set at tick 2; at tick 3 it is recorded as 7.
    /// # let hash = gametape_murk::snapshot_hash([[0.0, 0.5, 7.0, 1.5].as_slice()]);
    /// # let end = bytes.len();
    /// # bytes[end - 8..].copy_from_slice(&hash.to_le_bytes());
    /// let error = verify(&read(&bytes)?, &mut Line([0.0; 4])).unwrap_err();
    /// let found = error.divergence().unwrap();
    /// let Some(WrittenBy::Command(command)) = &found.written_by else { panic!() };
    /// assert_eq!((found.tick, command.tick, command.value), (3, 2, Some(1.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn written_by(&self, field: u32, element: usize, past: &Past<'_>) -> Option<WrittenBy> {
        let _ = (field, element, past);
        None
    }

    /// Returns the coordinate that a [`SetField`](crate::Payload::SetField) must name to write an
    /// element of a field. By default it is that of the element's cell, in fields with one value
    /// per cell.
    fn coord_of(&self, field: u32, element: usize) -> Option<Vec<i32>> {
        let location = self.locate(field, element)?;
        (location.components == 1).then_some(location.coord)
    }
}

/// A simulation that can save its state and restore it.
///
/// After `restore(&saved)` every further tick must be the same, bit for bit, as it was after
/// `saved` was taken.
pub trait Checkpoint: Simulation {
    /// A saved state.
    type State: Send + Sync;

    /// Saves the state after the last tick.
    fn checkpoint(&self) -> Self::State;

    /// Restores a saved state.
    ///
    /// # Errors
    /// If the state is of another world.
    fn restore(&mut self, state: &Self::State) -> Result<(), Self::Error>;

    /// Returns a saved state with another value in one place; `None` if that is not possible. It is
    /// used to continue a replay from a value that explains a hash.
    fn with_value(
        &self,
        state: &Self::State,
        field: u32,
        element: usize,
        value: f32,
    ) -> Option<Self::State> {
        let _ = (state, field, element, value);
        None
    }

    /// Returns true if later ticks depend only on the fields and on the number of ticks made. The
    /// effect of a mistake is then visible at once, so that earlier ticks need not be searched.
    fn shows_all(&self) -> bool {
        false
    }
}

/// A place in a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The cell's coordinate.
    pub coord: Vec<i32>,
    /// The component of a vector field.
    pub component: u32,
    /// The number of components of the field: 1 for a scalar.
    pub components: u32,
}

impl std::fmt::Display for Location {
    /// `[3, 4]`, or `[3, 4].1` for the second component of a vector.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.coord)?;
        if self.components > 1 {
            write!(f, ".{}", self.component)?;
        }
        Ok(())
    }
}
