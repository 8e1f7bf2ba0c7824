//! Recordings of worlds, their explanations, and propagators made of closures.

use std::time::Duration;

use gametape_murk::engine::own::{
    FieldId, FieldSet, Propagator, PropagatorError, StepContext, WriteMode,
};
use gametape_murk::engine::{EngineWorld, World};
use gametape_murk::{
    CommandBuf, Divergence, Explanation, Simulation, State, VerifyError, Writer, explain_slip_with,
    read, verify,
};

/// Long enough for a slow machine: speed is not tested here.
pub const LIMIT: Duration = Duration::from_mins(10);

/// Returns the recording of a run of a world, from tick 1; `taken` are the commands that the run really takes.
pub fn recorded(world: &World, said: &[CommandBuf], taken: &[CommandBuf]) -> Vec<u8> {
    recorded_with(world, said, taken, |_, _| {})
}

/// [`recorded`] with a change of the run before each tick.
pub fn recorded_with(
    world: &World,
    said: &[CommandBuf],
    taken: &[CommandBuf],
    mut change: impl FnMut(u64, &mut EngineWorld),
) -> Vec<u8> {
    let header = world.header();
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    let mut run = world.build().unwrap();
    for (tick, (said, taken)) in (1..).zip(said.iter().zip(taken)) {
        change(tick, &mut run);
        run.step(tick, taken.as_commands()).unwrap();
        let hash = State::of(&run, header.field_count).hash();
        writer.push(tick, said.as_commands(), hash).unwrap();
    }
    writer.finish().unwrap()
}

/// Returns the divergence of a recording and its explanation; `None` if it does not diverge.
pub fn explained(
    world: &World,
    bytes: &[u8],
    limit: Duration,
) -> Option<(Divergence, Explanation)> {
    let replay = read(bytes).unwrap();
    let divergence = match verify(&replay, &mut world.build().unwrap()) {
        Ok(_) => return None,
        Err(VerifyError::SnapshotMismatch(divergence)) => *divergence,
        Err(other) => panic!("{other}"),
    };
    let frame = replay.frames().nth(divergence.frame as usize).unwrap();
    let variants = world.slips(None, frame.unwrap().commands().len() as u32);
    let mut simulation = world.build().unwrap();
    let watch = &mut |_| true;
    let found = explain_slip_with(
        &replay,
        &mut simulation,
        &divergence,
        limit,
        variants,
        watch,
    );
    Some((divergence, found.unwrap()))
}

/// A propagator that writes one field.
pub struct Acting<F> {
    pub reads: Vec<FieldId>,
    pub previous: Vec<FieldId>,
    pub writes: (FieldId, WriteMode),
    pub step: F,
}

impl<F: Fn(&mut StepContext<'_>) + Send + Sync + 'static> Acting<F> {
    /// Returns a propagator that declares to read nothing.
    pub fn boxed(field: FieldId, mode: WriteMode, step: F) -> Box<dyn Propagator> {
        Box::new(Self {
            reads: Vec::new(),
            previous: Vec::new(),
            writes: (field, mode),
            step,
        })
    }
}

impl<F: Fn(&mut StepContext<'_>) + Send + Sync + 'static> Propagator for Acting<F> {
    fn name(&self) -> &'static str {
        "acting"
    }

    fn reads(&self) -> FieldSet {
        self.reads.iter().copied().collect()
    }

    fn reads_previous(&self) -> FieldSet {
        self.previous.iter().copied().collect()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        vec![self.writes]
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        (self.step)(ctx);
        Ok(())
    }
}
