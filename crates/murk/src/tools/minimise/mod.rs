//! Finds the smallest command log that still diverges.

mod model;
mod report;

use std::path::Path;

use gametape_core::tape::{Error, Work};

use crate::engine::{EngineWorld, World};
use crate::replay::minimise::minimise_kept;
use crate::replay::sync_test::compare;
use crate::tape::{
    Diverged, MurkTape, WorldFile, build, judged, needed, replayed, stopped, unwritable,
};
use crate::{
    Cause, CommandLog, Commands, Difference, Divergence, Explanation, Header, SLIP_TIME,
    Simulation, Slip, State, SyncError, VerifyError, Writer, explain_slip_with, minimise as search,
    read, sync_test, verify,
};
use model::{Model, ModelRun};
pub use report::MinimisedRecording;

/// Options of minimising.
#[derive(Clone, Default, Debug)]
pub struct Minimise {
    /// The world that the recording was made in, if it carries none.
    pub world: Option<WorldFile>,
    /// Another world. The fault is then that both worlds differ. Without it, the fault is the
    /// difference between the recording and its replay.
    pub against: Option<WorldFile>,
    /// The most logs to try.
    pub max_trials: u64,
}

/// Returns the header and the commands of a whole recording.
pub(super) fn log_of(
    tape: &MurkTape,
    work: &Work<'_>,
) -> Result<(Header<'static>, CommandLog), Error> {
    let mut log = CommandLog::new();
    let read = tape.each(work, |frame| {
        log.push(frame.tick, frame.commands());
        Ok::<(), Error>(())
    })?;
    Ok((read.whole()?, log))
}

/// Finds the smallest log of commands that still shows the fault, and records it.
///
/// With a second world, the fault is that the states of both worlds differ. Otherwise it is the
/// difference between the recording and its replay, and a single cause must explain it: one value,
/// or one slip. The new recording goes wrong in the same way, and its verification has the same
/// result; if a few ticks after the fault are needed for that, they are kept.
///
/// # Errors
/// [`MurkError::Unwritable`](crate::tape::MurkError) if there is no such fault; errors of a world
/// and of the recording; [`Error::Cancelled`].
pub fn minimise(
    tape: &MurkTape,
    options: &Minimise,
    work: &Work<'_>,
) -> Result<MinimisedRecording, Error> {
    // The rest takes much longer, and nobody knows how long.
    let work = &work.silent();
    let (header, log) = log_of(tape, work)?;
    let search = Minimising {
        world: needed(&header, options.world.as_ref(), tape.kinds())?,
        given: options.world.as_ref().map(|file| file.path.as_path()),
        max_trials: options.max_trials,
        header,
        log,
        work,
    };
    match &options.against {
        Some(file) => search.against(&file.read()?, file),
        None => search.against_recording(tape),
    }
}

fn step(simulation: &mut EngineWorld, tick: u64, commands: Commands<'_>) -> Result<(), Error> {
    simulation
        .step(tick, commands)
        .map_err(|error| stopped(format!("tick {tick}: {error}")))
}

/// The number of runs of a world that must be the same.
const RUNS: usize = 4;
/// The number of their ticks, if there are as many; a few ticks seldom show that a world is not
/// deterministic.
const AT_LEAST: usize = 1000;

/// Checks that several runs of a world are the same. Otherwise a fault that shows once need not
/// show again.
///
/// # Errors
/// [`MurkError::Unwritable`](crate::tape::MurkError) if they are not.
fn in_sync(
    run: impl Fn() -> Result<EngineWorld, Error>,
    log: &CommandLog,
    fields: u32,
    which: &str,
) -> Result<(), Error> {
    let runs = (0..RUNS).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    match sync_test(runs, || log.iter(), fields) {
        Err(SyncError::Desync(desync)) => Err(unwritable(format!(
            "nothing can be minimised, because {which} is not deterministic: tick {}: {desync}. Next: gametape sync-test RECORDING --runs 8",
            desync.tick
        ))),
        Err(other) => Err(stopped(other.to_string())),
        Ok(_) => Ok(()),
    }
}

/// The input of a search.
struct Minimising<'o> {
    world: World,
    given: Option<&'o Path>,
    max_trials: u64,
    header: Header<'static>,
    log: CommandLog,
    work: &'o Work<'o>,
}

/// The result of verifying a recording.
struct Verdict {
    divergence: Box<Divergence>,
    found: Option<Explanation>,
}

impl Verdict {
    /// Creates it from a divergence and its explanation.
    ///
    /// # Errors
    /// [`MurkError::Unwritable`](crate::tape::MurkError) if the world is not deterministic: a fault
    /// that appears in one run may then be absent from the next.
    fn of(divergence: Box<Divergence>, found: Option<Explanation>) -> Result<Self, Error> {
        if let Some(parted) = found.as_ref().and_then(|found| found.parted.as_ref()) {
            return Err(unwritable(format!("nothing can be minimised: {parted}")));
        }
        let divergence = match &found {
            Some(found) => judged(divergence, found),
            None => divergence,
        };
        Ok(Self { divergence, found })
    }

    fn slip(&self) -> Option<&Slip> {
        self.found.as_ref()?.slips.first()
    }

    /// Returns true if the other verdict is the same, for a log with fewer commands.
    fn is_said_by(&self, other: &Self) -> bool {
        let same_cause = match (&self.divergence.cause, &other.divergence.cause) {
            (Cause::Value(one), Cause::Value(other)) => one == other,
            // Causes that explain more than the diverging hash are compared below.
            (Cause::Slip(_), _) | (_, Cause::Slip(_)) => self.slip().is_some(),
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        };
        let Some(slip) = self.slip() else {
            return same_cause;
        };
        let text = |slip: &Slip| slip.command().map(|command| command.text.clone());
        let is_same = |other: &Slip| other.kind() == slip.kind() && text(other) == text(slip);
        same_cause && other.found.iter().flat_map(|f| &f.slips).any(is_same)
    }
}

impl Minimising<'_> {
    /// Returns the recording's world in its initial state.
    fn start(&self) -> Result<EngineWorld, Error> {
        build(&self.world, self.given)
    }

    fn against(&self, other: &World, file: &WorldFile) -> Result<MinimisedRecording, Error> {
        let fields = self.header.field_count;
        let (ours, theirs) = (self.world.header(), other.header());
        let shape = |header: &Header<'_>| (header.field_count, header.cell_count);
        if shape(&ours) != shape(&theirs) {
            return Err(unwritable(format!(
                "its world has {} fields of {} cells, the second one {} of {}: their states can't be compared",
                ours.field_count, ours.cell_count, theirs.field_count, theirs.cell_count
            )));
        }
        let second = || build(other, Some(&file.path));
        let shows = |log: &CommandLog| -> Result<Option<usize>, Error> {
            let mut ours = self.start()?;
            let mut theirs = second()?;
            for (at, (tick, commands)) in log.iter().enumerate() {
                self.work.wanted()?;
                step(&mut ours, tick, commands)?;
                step(&mut theirs, tick, commands)?;
                if State::of(&ours, fields) != State::of(&theirs, fields) {
                    return Ok(Some(at + 1));
                }
            }
            Ok(None)
        };
        let found = search(&self.log, self.max_trials, shows)?
            .ok_or_else(|| unwritable("both worlds have the same state at every tick"))?;
        let mut whole = self.log.clone();
        whole.truncate(found.log.len().max(AT_LEAST));
        for log in [&whole, &found.log] {
            in_sync(|| self.start(), log, fields, "the first world")?;
            in_sync(second, log, fields, "the second world")?;
        }
        // The recording has the first world's hashes, and the second one's at the diverging tick.
        let (mut ours, mut theirs) = (self.start()?, second()?);
        let mut hashes = Vec::with_capacity(found.log.len());
        for (tick, commands) in found.log.iter() {
            step(&mut ours, tick, commands)?;
            step(&mut theirs, tick, commands)?;
            hashes.push(State::of(&ours, fields).hash());
        }
        let theirs = State::of(&theirs, fields);
        if let Some(last) = hashes.last_mut() {
            *last = theirs.hash();
        }
        let (differences, differing) = compare(&ours, &State::of(&ours, fields), &theirs);
        let bytes = self.recorded(&found.log, &hashes)?;
        let verdict = self.verdict(&bytes)?;
        let mut small = self.minimised(&found, bytes, verdict, true);
        // Both states are available, so all differences are known without a hash.
        (small.differences, small.differing) = (differences, differing);
        Ok(small)
    }

    /// Returns the verdict on the recording.
    fn first_verdict(&self, tape: &MurkTape) -> Result<Verdict, Error> {
        let mut simulation = self.start()?;
        let other = |error: VerifyError<_>| unwritable(error.to_string());
        let replayed = replayed(tape, &self.header, &mut simulation, self.work, other)?;
        let Err(diverged) = replayed else {
            return Err(unwritable(
                "the recording does not diverge; name a second world with --against",
            ));
        };
        let diverged = Diverged::anew(diverged.divergence);
        let watch = &mut |_| true;
        let (divergence, found) = diverged.explained(tape, &self.world, None, SLIP_TIME, watch)?;
        Verdict::of(divergence, found)
    }

    /// Returns the ways in which the recording may have gone wrong, the reported one first.
    fn models(&self, verdict: &Verdict) -> Result<Vec<Model>, Error> {
        let frame = usize::try_from(verdict.divergence.frame).unwrap_or(usize::MAX);
        let mut models = Vec::new();
        if let Some(slip) = verdict.slip() {
            if let Slip::Parameter { .. } | Slip::Order { .. } = slip {
                let commands = self.log.iter().nth(frame).map_or(0, |(_, all)| all.len());
                let mut variants = self.world.variants(None, commands as u32);
                let world = variants
                    .find(|(other, _)| other == slip)
                    .map(|(_, world)| world);
                let world = world.map(Box::new);
                models.extend(world.map(|world| Model::World { frame, world }));
            }
            models.extend(Model::of(slip, &self.start()?, &self.log));
        }
        let divergence = &verdict.divergence;
        match &divergence.cause {
            Cause::Value(value) => models.push(Model::Value {
                frame,
                value: value.clone(),
            }),
            Cause::Hash { .. } => models.push(Model::Hash {
                frame,
                damage: divergence.recorded_hash ^ divergence.replayed_hash,
            }),
            _ => {}
        }
        Ok(models)
    }

    fn against_recording(&self, tape: &MurkTape) -> Result<MinimisedRecording, Error> {
        let verdict = self.first_verdict(tape)?;
        let frame = usize::try_from(verdict.divergence.frame).unwrap_or(usize::MAX);
        for model in self.models(&verdict)? {
            let mut cut = self.log.clone();
            cut.truncate(model.frames());
            let shows = |log: &CommandLog, kept: &[usize]| {
                let run = self.run(&model, log, kept, frame)?;
                Ok(self.is_shown(&run, &verdict, frame)?.then_some(log.len()))
            };
            let found =
                minimise_kept(&cut, self.max_trials, shows).map_err(|error: Error| error)?;
            if let Some(found) = found {
                return self.written(&model, &found, &verdict, frame);
            }
        }
        let divergence = &verdict.divergence;
        Err(unwritable(format!(
            "tick {}: {divergence}. Only a divergence that one value or one slip explains can be minimised without a second world (--against)",
            divergence.tick
        )))
    }

    fn run(
        &self,
        model: &Model,
        log: &CommandLog,
        kept: &[usize],
        frame: usize,
    ) -> Result<ModelRun, Error> {
        self.work.wanted()?;
        let fields = self.header.field_count;
        model
            .run(&mut self.start()?, fields, (log, kept), frame)
            .map_err(|error| stopped(error.to_string()))
    }

    /// Returns true if the replay and the recording differ at this frame in the same way.
    fn is_shown(&self, run: &ModelRun, verdict: &Verdict, frame: usize) -> Result<bool, Error> {
        if run.parted != Some(frame) {
            return Ok(false);
        }
        let Cause::Value(value) = &verdict.divergence.cause else {
            return Ok(true);
        };
        let (differences, count) = compare(&self.start()?, &run.replayed, &run.was);
        let same = |other: &Difference| other == value;
        Ok(count == 1 && differences.first().is_some_and(same))
    }

    /// Records a log in the world, with the hashes of a recording that went wrong. As many ticks
    /// after the fault are kept as are needed for the same verdict.
    fn written(
        &self,
        model: &Model,
        found: &crate::Minimised,
        first: &Verdict,
        frame: usize,
    ) -> Result<MinimisedRecording, Error> {
        let mut shortest = None;
        let room = self.log.len() - found.log.len();
        let tails = [0, 1, 2, 4, 8, 16, 32, 64]
            .into_iter()
            .filter(|tail| *tail <= room);
        for tail in tails {
            let mut log = found.log.clone();
            let after = self.log.iter().skip(log.len()).take(tail);
            let empty = after.map(|(tick, _)| (tick, Commands::default()));
            empty.for_each(|(tick, none)| log.push(tick, none));
            let hashes = self.hashes(model, &log, &found.kept, frame)?;
            let bytes = self.recorded(&log, &hashes)?;
            let verdict = self.verdict(&bytes)?;
            let same = verdict
                .as_ref()
                .is_some_and(|verdict| first.is_said_by(verdict));
            let found = crate::Minimised {
                log,
                ..found.clone()
            };
            if same {
                return Ok(self.minimised(&found, bytes, verdict, true));
            }
            shortest.get_or_insert((found, bytes, verdict));
        }
        let Some((found, bytes, verdict)) = shortest else {
            return Err(unwritable("two replays differ: see sync-test"));
        };
        Ok(self.minimised(&found, bytes, verdict, false))
    }

    /// Returns the hash of each frame of a log in the recording that went wrong.
    fn hashes(
        &self,
        model: &Model,
        log: &CommandLog,
        kept: &[usize],
        frame: usize,
    ) -> Result<Vec<u64>, Error> {
        let run = self.run(model, log, kept, frame)?;
        let mut simulation = self.start()?;
        let before = log.len() - run.recorded.len();
        let mut hashes = Vec::with_capacity(log.len());
        for (tick, commands) in log.iter().take(before) {
            step(&mut simulation, tick, commands)?;
            hashes.push(State::of(&simulation, self.header.field_count).hash());
        }
        hashes.extend(run.recorded);
        Ok(hashes)
    }

    /// Returns a recording of a log with these hashes.
    fn recorded(&self, log: &CommandLog, hashes: &[u64]) -> Result<Vec<u8>, Error> {
        // The recording carries its world, even if the first one did not.
        let header = Header {
            build: self.header.build.clone(),
            ..self.world.header()
        };
        let mut writer = Writer::new(Vec::new(), &header)?;
        for ((tick, commands), hash) in log.iter().zip(hashes) {
            writer.push(tick, commands, *hash)?;
        }
        Ok(writer.finish()?)
    }

    /// Returns the verdict on the written recording, which is what it is made for.
    fn verdict(&self, bytes: &[u8]) -> Result<Option<Verdict>, Error> {
        let replay = read(bytes)?;
        let divergence = match verify(&replay, &mut self.start()?) {
            Ok(_) => return Ok(None),
            Err(VerifyError::SnapshotMismatch(divergence)) => divergence,
            Err(other) => return Err(stopped(other.to_string())),
        };
        let commands = self.log.iter().map(|(_, commands)| commands.len()).max();
        let variants = self.world.slips(None, commands.unwrap_or(0) as u32);
        let found = explain_slip_with(
            &replay,
            &mut self.start()?,
            &divergence,
            SLIP_TIME,
            variants,
            &mut |_| self.work.wanted().is_ok(),
        );
        self.work.wanted()?;
        let found = found.map_err(|error| stopped(error.to_string()))?;
        Verdict::of(divergence, Some(found)).map(Some)
    }

    fn minimised(
        &self,
        found: &crate::Minimised,
        bytes: Vec<u8>,
        verdict: Option<Verdict>,
        same: bool,
    ) -> MinimisedRecording {
        let last_tick = found.log.iter().last().map_or(0, |(tick, _)| tick);
        let (divergence, explanation) = match verdict {
            Some(verdict) => (Some(verdict.divergence), verdict.found),
            None => (None, None),
        };
        let value = divergence.as_ref().and_then(|found| found.cause.value());
        let differences: Vec<Difference> = value.into_iter().cloned().collect();
        MinimisedRecording {
            ticks: [self.log.len() as u64, found.log.len() as u64],
            commands: [self.log.commands() as u64, found.log.commands() as u64],
            trials: found.trials,
            minimal: found.complete,
            tick: divergence.as_ref().map_or(last_tick, |found| found.tick),
            differing: differences.len() as u64,
            differences,
            divergence,
            explanation,
            same,
            bytes,
        }
    }
}
