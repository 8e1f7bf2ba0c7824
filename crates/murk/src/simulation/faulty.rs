//! A simulation with a fault, to test whether the fault is found.

use crate::model::command::{Command, Commands};
use crate::model::{ConfigForm, Header};
use crate::simulation::past::{Past, WrittenBy};
use crate::simulation::{Location, Simulation};

/// A bit flip in the memory of a simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The step after which it is flipped, from 1. It is flipped for that tick alone.
    pub step: u64,
    /// The field's number, from 0.
    pub field: u32,
    /// The value's place in the field.
    pub element: usize,
    /// The bit of the value, 0 to 31: 31 is its sign.
    pub bit: u8,
}

/// A simulation whose state is read with a fault, for tests and demonstrations.
///
/// ```
/// # use gametape_murk::{Commands, Simulation};
/// # struct Still([f32; 3]);
/// # impl Simulation for Still {
/// #     type Error = std::convert::Infallible;
/// #     fn step(&mut self, _: u64, _: Commands<'_>) -> Result<(), Self::Error> { Ok(()) }
/// #     fn field(&self, field: u32) -> Option<&[f32]> { (field == 0).then_some(&self.0) }
/// # }
/// use gametape_murk::{CommandBuf, Fault, Faulty, Header, Recorder, Writer, read, verify};
/// let header = Header { field_count: 1, cell_count: 3, ..Header::default() };
/// let fault = Fault { step: 2, field: 0, element: 1, bit: 31 };
/// let mut faulty = Faulty::new(Still([1.0, 2.0, 3.0]), fault);
/// let mut recorder = Recorder::new(Writer::new(Vec::new(), &header)?, &header);
/// for tick in 1..=3 {
///     recorder.step(&mut faulty, tick, CommandBuf::new().as_commands())?;
/// }
/// let bytes = recorder.finish()?;
/// let error = verify(&read(&bytes)?, &mut Still([1.0, 2.0, 3.0])).unwrap_err();
/// let found = error.divergence().unwrap();
/// assert_eq!((found.tick, found.cause.value().unwrap().recorded), (2, -2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Faulty<S> {
    simulation: S,
    fault: Fault,
    steps: u64,
    /// The field with the fault, while the fault is visible.
    shown: Option<Vec<f32>>,
}

impl<S> Faulty<S> {
    /// Creates it from a simulation in its initial state and a fault.
    pub const fn new(simulation: S, fault: Fault) -> Self {
        Self {
            simulation,
            fault,
            steps: 0,
            shown: None,
        }
    }
}

impl<S: Simulation> Simulation for Faulty<S> {
    type Error = S::Error;

    fn step(&mut self, tick: u64, commands: Commands<'_>) -> Result<(), S::Error> {
        self.simulation.step(tick, commands)?;
        self.steps += 1;
        self.shown = None;
        if self.steps == self.fault.step {
            let mut values = self
                .simulation
                .field(self.fault.field)
                .unwrap_or_default()
                .to_vec();
            if let Some(value) = values.get_mut(self.fault.element) {
                *value = f32::from_bits(value.to_bits() ^ 1 << (self.fault.bit % 32));
            }
            self.shown = Some(values);
        }
        Ok(())
    }

    fn field(&self, field: u32) -> Option<&[f32]> {
        match &self.shown {
            Some(values) if field == self.fault.field => Some(values),
            _ => self.simulation.field(field),
        }
    }

    fn config_hash(&self) -> Option<u64> {
        self.simulation.config_hash()
    }

    fn config_form(&self, header: &Header<'_>) -> Option<ConfigForm> {
        self.simulation.config_form(header)
    }

    fn field_name(&self, field: u32) -> Option<&str> {
        self.simulation.field_name(field)
    }

    fn locate(&self, field: u32, element: usize) -> Option<Location> {
        self.simulation.locate(field, element)
    }

    fn target(&self, command: &Command<'_>) -> Option<(u32, usize)> {
        self.simulation.target(command)
    }
    fn made(&self) -> Option<u64> {
        self.simulation.made()
    }

    fn written_by(&self, field: u32, element: usize, past: &Past<'_>) -> Option<WrittenBy> {
        self.simulation.written_by(field, element, past)
    }
}
