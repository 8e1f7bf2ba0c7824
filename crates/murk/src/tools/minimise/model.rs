//! Models of a recorded simulation that went wrong, to record it again with fewer commands.

use crate::engine::{EngineError, EngineWorld, World};
use crate::{
    Checkpoint, CommandAt, CommandBuf, CommandLog, Commands, Difference, Simulation, Slip, State,
    slip,
};

/// A tick that was made: its commands, each with its number in the whole log, and the frame in
/// which it is recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct MadeTick {
    commands: CommandBuf,
    numbers: Vec<usize>,
    frame: Option<usize>,
}

impl MadeTick {
    fn add(&mut self, at: usize, commands: Commands<'_>, number: usize) -> Option<()> {
        let before = self.commands.as_commands().iter().take(at);
        let after = self.commands.as_commands().iter().skip(at);
        self.commands = slip::stored(before.chain(commands).chain(after))?;
        self.numbers.insert(at.min(self.numbers.len()), number);
        Some(())
    }

    /// Removes a command and returns it.
    fn take(&mut self, at: usize) -> Option<(CommandBuf, usize)> {
        let (mut taken, mut rest) = (CommandBuf::new(), CommandBuf::new());
        for (place, command) in self.commands.as_commands().iter().enumerate() {
            let into = if place == at { &mut taken } else { &mut rest };
            into.push_stored(&command).ok()?;
        }
        self.commands = rest;
        (at < self.numbers.len()).then(|| (taken, self.numbers.remove(at)))
    }

    fn truncate(&mut self, count: usize) -> Option<()> {
        while self.numbers.len() > count {
            self.take(self.numbers.len() - 1)?;
        }
        Some(())
    }

    /// Returns those of its commands that are kept.
    fn kept(&self, kept: &[usize]) -> Option<CommandBuf> {
        let commands = self.commands.as_commands().iter().zip(&self.numbers);
        let kept = commands.filter(|(_, number)| kept.binary_search(number).is_ok());
        slip::stored(kept.map(|(command, _)| command))
    }
}

/// How the recorded simulation deviated from the log.
#[derive(Clone, Debug)]
pub(super) enum Model {
    /// It took these commands. The numbers are the first frame that differs, and the end of the
    /// frames that do.
    Log {
        ticks: Vec<MadeTick>,
        from: usize,
        frames: usize,
    },
    /// A value changed by itself at a frame.
    Value { frame: usize, value: Difference },
    /// The hash at a frame is damaged.
    Hash { frame: usize, damage: u64 },
    /// It was another world from a frame on.
    World { frame: usize, world: Box<World> },
}

/// The result of a log and its recording.
pub(super) struct ModelRun {
    /// The recorded hashes from the first frame that can differ.
    pub recorded: Vec<u64>,
    /// The first frame at which they are not those of the replay.
    pub parted: Option<usize>,
    /// The replayed and the recorded state at the frame in question.
    pub replayed: State,
    pub was: State,
}

/// Returns the frame of a tick near another frame.
fn frame_of(log: &CommandLog, tick: u64, near: usize) -> Option<usize> {
    let ticks = log.iter().enumerate();
    let same = ticks.filter(|(_, (other, _))| *other == tick);
    same.map(|(frame, _)| frame)
        .min_by_key(|frame| frame.abs_diff(near))
}

impl Model {
    /// Returns the models of a slip; a command that moved may have come first or last.
    pub fn of(slip: &Slip, simulation: &EngineWorld, log: &CommandLog) -> Vec<Self> {
        let mut number = 0;
        let ticks: Vec<MadeTick> = log
            .iter()
            .enumerate()
            .map(|(frame, (_, commands))| {
                let mut buffer = CommandBuf::new();
                buffer.assign(commands);
                let first = number;
                number += commands.len();
                MadeTick {
                    commands: buffer,
                    numbers: (first..number).collect(),
                    frame: Some(frame),
                }
            })
            .collect();
        [true, false]
            .into_iter()
            .filter_map(|first| Self::changed(slip, simulation, log, ticks.clone(), first))
            .collect()
    }

    fn changed(
        slip: &Slip,
        simulation: &EngineWorld,
        log: &CommandLog,
        mut ticks: Vec<MadeTick>,
        first: bool,
    ) -> Option<Self> {
        let place = |at: &CommandAt| (at.frame as usize, at.command as usize);
        let (from, frames) = match slip {
            Slip::Dropped(at) => {
                let (frame, command) = place(at);
                ticks.get_mut(frame)?.take(command)?;
                (frame, frame + 1)
            }
            Slip::Doubled { command, again } => {
                let (frame, command) = place(command);
                let into = frame_of(log, *again, frame)?;
                let (again, number) = ticks.get(frame)?.clone().take(command)?;
                ticks
                    .get_mut(into)?
                    .add(usize::MAX, again.as_commands(), number)?;
                (into, frame.max(into) + 1)
            }
            Slip::Moved { command, to } => {
                let (frame, command) = place(command);
                let into = frame_of(log, *to, frame)?;
                let (moved, number) = ticks.get_mut(frame)?.take(command)?;
                let at = if first { 0 } else { usize::MAX };
                ticks.get_mut(into)?.add(at, moved.as_commands(), number)?;
                (frame.min(into), frame.max(into) + 1)
            }
            Slip::Swapped { one, other } => {
                let ((one, first), (two, second)) = (place(one), place(other));
                let (later, its) = ticks.get_mut(two)?.take(second)?;
                let (earlier, number) = ticks.get_mut(one)?.take(first)?;
                ticks.get_mut(one)?.add(first, later.as_commands(), its)?;
                ticks
                    .get_mut(two)?
                    .add(second, earlier.as_commands(), number)?;
                (one, two + 1)
            }
            Slip::Cut { frame, taken, .. } => {
                let frame = *frame as usize;
                ticks.get_mut(frame)?.truncate(*taken as usize)?;
                (frame, frame + 1)
            }
            Slip::Aimed { command, at } => {
                let coord = simulation.coord_of(at.field, at.element)?;
                let (frame, command) = place(command);
                let tick = ticks.get_mut(frame)?;
                tick.set(command, Some((at.field, &coord)), None)?;
                (frame, frame + 1)
            }
            Slip::OtherValue { command, wrote, .. } => {
                let (frame, command) = place(command);
                ticks.get_mut(frame)?.set(command, None, Some(*wrote))?;
                (frame, frame + 1)
            }
            Slip::Missing {
                before,
                ticks: more,
            } => {
                let frame = log.iter().position(|(tick, _)| tick == *before)?;
                let more = vec![MadeTick::default(); *more as usize];
                ticks.splice(frame..frame, more);
                (frame, frame + 1)
            }
            Slip::Repeated { frame, .. } => {
                let frame = *frame as usize;
                (frame < ticks.len()).then(|| ticks.remove(frame))?;
                (frame, frame + 1)
            }
            Slip::Exchanged { frame, .. } => {
                let frame = *frame as usize;
                (frame + 1 < ticks.len()).then(|| ticks.swap(frame, frame + 1))?;
                (frame, frame + 2)
            }
            _ => return None,
        };
        Some(Self::Log {
            ticks,
            from,
            frames,
        })
    }

    /// Returns the number of frames that are needed to show it.
    pub const fn frames(&self) -> usize {
        match self {
            Self::Log { frames, .. } => *frames,
            Self::Value { frame, .. } | Self::Hash { frame, .. } | Self::World { frame, .. } => {
                *frame + 1
            }
        }
    }

    const fn from(&self) -> usize {
        match self {
            Self::Log { from, .. } => *from,
            Self::Value { frame, .. } | Self::Hash { frame, .. } | Self::World { frame, .. } => {
                *frame
            }
        }
    }

    /// Runs a log with only these commands both ways; `at` is the frame whose states are wanted.
    /// The simulation must be in its initial state.
    pub fn run(
        &self,
        simulation: &mut EngineWorld,
        fields: u32,
        (log, kept): (&CommandLog, &[usize]),
        at: usize,
    ) -> Result<ModelRun, EngineError> {
        let from = self.from();
        let frames: Vec<(u64, Commands<'_>)> = log.iter().collect();
        for &(tick, commands) in frames.iter().take(from) {
            simulation.step(tick, commands)?;
        }
        let start = simulation.checkpoint();
        let mut run = ModelRun {
            recorded: vec![0; frames.len().saturating_sub(from)],
            parted: None,
            replayed: State::default(),
            was: State::default(),
        };
        self.recorded(simulation, fields, (&frames, kept), at, &mut run)?;
        simulation.restore(&start)?;
        for (frame, &(tick, commands)) in frames.iter().enumerate().skip(from) {
            simulation.step(tick, commands)?;
            let state = State::of(simulation, fields);
            let is_right = run.recorded.get(frame - from) == Some(&state.hash());
            if !is_right && run.parted.is_none() {
                run.parted = Some(frame);
            }
            if frame == at {
                run.replayed = state;
            }
            if run.parted.is_some() && frame >= at {
                break;
            }
        }
        Ok(run)
    }

    /// Returns the recorded hashes, from a simulation that is before the first frame that can
    /// differ.
    fn recorded(
        &self,
        simulation: &mut EngineWorld,
        fields: u32,
        (frames, kept): (&[(u64, Commands<'_>)], &[usize]),
        at: usize,
        run: &mut ModelRun,
    ) -> Result<(), EngineError> {
        let from = self.from();
        let mut own = None;
        if let Self::World { world, .. } = self {
            let built = world.build();
            let mut built = built.map_err(|error| EngineError::Engine(error.to_string()))?;
            built.adopt(&simulation.checkpoint())?;
            own = Some(built);
        }
        let simulation = own.as_mut().unwrap_or(simulation);
        if let Self::Log { ticks, .. } = self {
            // A frame that is recorded twice has the hash of the one before it.
            let before = State::of(simulation, fields).hash();
            run.recorded.fill(before);
            for tick in ticks.iter().skip(from) {
                if tick.frame.is_some_and(|frame| frame >= frames.len()) {
                    break;
                }
                let commands = tick.kept(kept).unwrap_or_default();
                simulation.step(0, commands.as_commands())?;
                if let Some(frame) = tick.frame {
                    self.put(State::of(simulation, fields), frame, at, run);
                }
            }
            return Ok(());
        }
        for (frame, &(tick, commands)) in frames.iter().enumerate().skip(from) {
            simulation.step(tick, commands)?;
            if let Self::Value { frame: of, value } = self
                && *of == frame
            {
                let state = simulation.checkpoint();
                let (field, element) = (value.field, value.element);
                let changed = simulation.with_value(&state, field, element, value.recorded);
                if let Some(changed) = changed {
                    simulation.restore(&changed)?;
                }
            }
            self.put(State::of(simulation, fields), frame, at, run);
        }
        Ok(())
    }
}

impl Model {
    /// Stores the recorded state of a frame.
    fn put(&self, state: State, frame: usize, at: usize, run: &mut ModelRun) {
        let mut hash = state.hash();
        if let Self::Hash { frame: of, damage } = self
            && *of == frame
        {
            hash ^= damage;
        }
        let place = frame.checked_sub(self.from());
        if let Some(place) = place.and_then(|place| run.recorded.get_mut(place)) {
            *place = hash;
        }
        if frame == at {
            run.was = state;
        }
    }
}

impl MadeTick {
    /// Changes the value or the target of a command.
    fn set(&mut self, at: usize, aim: Option<(u32, &[i32])>, given: Option<f32>) -> Option<()> {
        let (taken, number) = self.take(at)?;
        let command = taken.as_commands().iter().next()?;
        let changed = slip::set(&command, aim, given)?;
        self.add(at, changed.as_commands(), number)
    }
}
