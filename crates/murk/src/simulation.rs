//! What a recording is verified against.

use crate::command::{Command, Commands};

/// A deterministic simulation that can be stepped tick by tick.
///
/// Only [`step`](Self::step) and [`field`](Self::field) are needed to verify a recording. The
/// other methods give names to what is found: without them a report counts fields and elements.
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
    /// Where the simulation can't go on. A tick that fails and leaves the state as it was is no
    /// error if the recorded simulation took it the same way.
    fn step(&mut self, tick: u64, commands: Commands<'_>) -> Result<(), Self::Error>;

    /// The values of a field after the last tick, in the order they are hashed: cell after cell,
    /// the components of a vector side by side. `None` for a field that does not exist (yet): it
    /// is hashed as an empty one.
    fn field(&self, field: u32) -> Option<&[f32]>;

    /// The hash of the simulation's own configuration, if it has one: a recording that names
    /// another is refused before the first tick.
    fn config_hash(&self) -> Option<u64> {
        None
    }

    /// What people call a field; `None` where only its number is known.
    fn field_name(&self, field: u32) -> Option<&str> {
        let _ = field;
        None
    }

    /// Which cell the element of a field (an index into [`field`](Self::field)'s values) is of.
    fn locate(&self, field: u32, element: usize) -> Option<Location> {
        let _ = (field, element);
        None
    }

    /// The field and the element that a command writes; `None` where it writes none, or more than
    /// one.
    fn target(&self, command: &Command<'_>) -> Option<(u32, usize)> {
        let _ = command;
        None
    }

    /// The coordinate that a [`SetField`](crate::Payload::SetField) has to name to write an element of a
    /// field; where nothing else is said, that of the element's cell in fields of one value a cell.
    fn coord_of(&self, field: u32, element: usize) -> Option<Vec<i32>> {
        let location = self.locate(field, element)?;
        (location.components == 1).then_some(location.coord)
    }
}

/// A simulation that can save its state and go back to it.
///
/// After `restore(&saved)` every further tick has to be the same, bit for bit, as it was after the
/// moment `saved` was taken.
pub trait Checkpoint: Simulation {
    /// A saved state.
    type State: Send + Sync;

    /// Saves the state after the last tick.
    fn checkpoint(&self) -> Self::State;

    /// Goes back to a saved state.
    ///
    /// # Errors
    /// Where the state is of another world.
    fn restore(&mut self, state: &Self::State) -> Result<(), Self::Error>;

    /// A saved state with another value in one place; `None` where that can't be made. It lets a value
    /// that explains a hash be run on.
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

    /// True if later ticks depend on nothing but the fields and on how many ticks were made: nothing is
    /// remembered that no field shows. What goes wrong is then seen at once, and need not be looked for
    /// in earlier ticks.
    fn shows_all(&self) -> bool {
        false
    }
}

/// A place in a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The cell's coordinate.
    pub coord: Vec<i32>,
    /// Component of a vector field.
    pub component: u32,
    /// Components that the field has: 1 for a scalar.
    pub components: u32,
}

impl std::fmt::Display for Location {
    /// `[3, 4]`, or `[3, 4].1` for a vector's second component.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.coord)?;
        if self.components > 1 {
            write!(f, ".{}", self.component)?;
        }
        Ok(())
    }
}
