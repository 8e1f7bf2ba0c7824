//! Worlds with registered propagators: compared with the origin's engine, and after a restore.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use gametape_murk::engine::own::{
    FieldId, FieldSet, Kinds, Own, ParameterError, Parameters, Propagator, PropagatorError,
    StepContext, WriteMode,
};
use gametape_murk::engine::{EngineError, Place, World, WorldError, WorldFault};
use gametape_murk::{
    Checkpoint, CommandBuf, Simulation, Slip, SyncError, read, rollback_test, sync_test,
};
use murk_engine::WorldConfig;
use murk_space::Space;
use proptest::prelude::*;

use super::checkpoint::check;
use super::commands::{record, replay, ticks};
use super::worlds::config;
use crate::common::refusals;
use crate::common::runs::Acting;

/// Mixes everything that a propagator can see into one field: the last values, the values that
/// others have written in this tick and before it, the tick, the time step, scratch space, and
/// fields that it did not declare.
#[derive(Clone, Debug)]
struct Mix {
    into: u32,
    full: bool,
    reads: Vec<u32>,
    previous: Vec<u32>,
    /// Fails if the first field that it reads is above this in its first cell.
    most: f32,
}

impl Propagator for Mix {
    fn name(&self) -> &'static str {
        "mix"
    }

    fn reads(&self) -> FieldSet {
        self.reads.iter().copied().map(FieldId).collect()
    }

    fn reads_previous(&self) -> FieldSet {
        self.previous.iter().copied().map(FieldId).collect()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        let mode = if self.full {
            WriteMode::Full
        } else {
            WriteMode::Incremental
        };
        vec![(FieldId(self.into), mode)]
    }

    fn scratch_bytes(&self) -> usize {
        64
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        let (tick, dt) = (ctx.tick_id().0 as f32, ctx.dt() as f32);
        let cells = ctx.space().cell_count();
        let mut sum = vec![tick * dt; cells];
        for (cell, sum) in sum.iter_mut().enumerate() {
            for &field in &self.reads {
                let values = ctx.reads().read(FieldId(field)).unwrap();
                *sum = *sum * 0.5 + values[cell % values.len()];
            }
            for &field in &self.previous {
                let values = ctx.reads_previous().read(FieldId(field)).unwrap();
                *sum = *sum * 0.25 - values[cell % values.len()];
            }
            // The origin may show fields that were not declared.
            for field in 0..6 {
                let both = [ctx.reads(), ctx.reads_previous()];
                let values = both.map(|reader| reader.read(FieldId(field)));
                *sum += values
                    .into_iter()
                    .flatten()
                    .map(<[f32]>::len)
                    .sum::<usize>() as f32;
            }
        }
        if let Some(&first) = self.reads.first()
            && ctx.reads().read(FieldId(first)).unwrap()[0] > self.most
        {
            let constraint = "too much".to_owned();
            return Err(PropagatorError::ConstraintViolation { constraint });
        }
        let left = ctx.scratch().remaining() as f32;
        ctx.scratch().alloc(8).unwrap()[0] = left;
        let out = ctx.writes().write(FieldId(self.into)).unwrap();
        for (at, value) in out.iter_mut().enumerate() {
            *value = if self.full { 0.0 } else { *value * 0.5 } + sum[at % cells] + left;
        }
        Ok(())
    }
}

/// The kind of [`Mix`], with fields by name, in lists.
fn mix(keys: &mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> {
    let numbers = |keys: &mut Parameters<'_>, key| -> Result<Vec<u32>, ParameterError> {
        let names: Vec<String> = keys.take_or(key, Vec::new())?;
        let fields = keys.fields();
        let number = |name: &String| fields.iter().position(|field| field.name == *name);
        let found = names.iter().map(number).collect::<Option<Vec<_>>>();
        let found = found.ok_or_else(|| ParameterError::new(key, "names no field"))?;
        Ok(found.into_iter().map(|at| at as u32).collect())
    };
    Ok(Box::new(Mix {
        into: keys.field("into")?.0,
        full: keys.take_or("full", false)?,
        reads: numbers(keys, "reads")?,
        previous: numbers(keys, "previous")?,
        most: keys.take_or("most", f32::INFINITY)?,
    }))
}

/// A world of such propagators, as a description and from the origin's parts.
#[derive(Clone, Debug)]
struct Plan {
    square: bool,
    /// The mutability and the number of values per cell.
    fields: Vec<(&'static str, u32)>,
    mixes: Vec<Mix>,
}

impl Plan {
    fn toml(&self) -> String {
        let space = if self.square {
            "kind = 'square8'\nrows = 3\ncols = 2\nedge = 'wrap'"
        } else {
            "kind = 'line1d'\nlen = 5\nedge = 'absorb'"
        };
        let mut text = format!("dt = 0.375\n[space]\n{space}\n");
        for (at, (mutability, dims)) in self.fields.iter().enumerate() {
            let _ = write!(
                text,
                "[[field]]\nname = 'f{at}'\ntype = 'vector'\ndims = {dims}\nmutability = '{mutability}'\n"
            );
        }
        let names = |fields: &[u32]| {
            let names: Vec<String> = fields.iter().map(|at| format!("'f{at}'")).collect();
            names.join(", ")
        };
        for mix in &self.mixes {
            let (reads, previous) = (names(&mix.reads), names(&mix.previous));
            let _ = write!(
                text,
                "[[propagator]]\nkind = 'mix'\ninto = 'f{}'\nfull = {}\nreads = [{reads}]\nprevious = [{previous}]\nmost = {:?}\n",
                mix.into, mix.full, mix.most
            );
        }
        text
    }

    fn config(&self) -> WorldConfig {
        config(&self.toml(), &|at| Box::new(self.mixes[at].clone()))
    }
}

prop_compose! {
    /// Up to four fields, some of which are written, in any order.
    fn plans(failing: bool)(
        square in any::<bool>(),
        fields in prop::collection::vec((0_usize..3, 1_u32..3), 1..5),
        written in prop::collection::vec(any::<(u8, bool, u8, u8)>(), 1..4),
    ) -> Plan {
        let lasting = if failing { ["per_tick", "static", "per_tick"] } else { ["per_tick", "static", "sparse"] };
        let mut fields: Vec<_> = fields.into_iter().map(|(at, dims)| (lasting[at], dims)).collect();
        fields.push((lasting[0], 1));
        let count = fields.len() as u32;
        let some = |bits: u8| (0..count).filter(|at| bits >> at & 1 == 1).collect::<Vec<_>>();
        let mut mixes: Vec<Mix> = Vec::new();
        for (at, full, reads, previous) in written {
            let into = u32::from(at) % count;
            if fields[into as usize].0 != "static" && mixes.iter().all(|mix| mix.into != into) {
                let most = if failing { 2.0 } else { f32::INFINITY };
                mixes.push(Mix { into, full, reads: some(reads), previous: some(previous), most });
            }
        }
        if mixes.is_empty() {
            mixes.push(Mix { into: count - 1, full: false, reads: vec![], previous: vec![], most: 0.0 });
        }
        Plan { square, fields, mixes }
    }
}

fn kinds() -> Kinds {
    Kinds::new().with("mix", mix)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// A world that is never restored equals the origin's, bit for bit; a restored one continues
    /// like it.
    #[test]
    fn worlds_of_ones_own_go_on_after_a_restore(
        plan in plans(false),
        seed in any::<u64>(),
        save in 0_usize..9,
        wander in 0_usize..5,
    ) {
        let world = World::from_toml_with(&plan.toml(), &kinds()).unwrap();
        let ticks = ticks(&world, seed, 14);
        let bytes = record(plan.config(), world.field_count(), &ticks);
        let recording = read(&bytes).unwrap();
        replay(&mut world.build().unwrap(), &recording);
        check(&world, &recording, save, wander);
    }

    /// The same with ticks that fail now and then, depending on commands.
    #[test]
    fn ticks_that_fail_between_others_fail_after_a_restore(
        plan in plans(true),
        seed in any::<u64>(),
        save in 0_usize..9,
        wander in 0_usize..5,
    ) {
        let world = World::from_toml_with(&plan.toml(), &kinds()).unwrap();
        let ticks = ticks(&world, seed, 14);
        let bytes = record(plan.config(), world.field_count(), &ticks);
        let recording = read(&bytes).unwrap();
        check(&world, &recording, save, wander);
    }

    /// A program that does not know the kind reads the same world and writes the same bytes.
    #[test]
    fn worlds_of_ones_own_are_the_same_to_those_who_do_not_know_them(plan in plans(true)) {
        let world = World::from_toml_with(&plan.toml(), &kinds()).unwrap();
        let canonical = world.canonical();
        prop_assert_eq!(&World::from_descriptor_with(&canonical, &kinds()).unwrap().unwrap(), &world);
        let strange = World::from_descriptor_with(&canonical, &Kinds::new().or_unknown());
        let strange = strange.unwrap().unwrap();
        prop_assert_eq!(&strange.canonical(), &canonical);
        prop_assert_eq!(strange.config_hash(), world.config_hash());
        prop_assert!(strange.check().unwrap_err().is_unknown_kind());
        prop_assert!(World::from_descriptor(&canonical).unwrap().unwrap_err().is_unknown_kind());
        // The parameters of registered propagators are tried like any others.
        let own = |slip: &Slip| matches!(slip, Slip::Parameter { key, .. } if key.contains("(mix)"));
        prop_assert!(world.variants(None, 0).any(|(slip, other)| own(&slip) && other.check().is_ok()));
        for (number, _) in (0..).zip(&world.fields) {
            let writer = plan.mixes.iter().position(|mix| mix.into == number);
            prop_assert_eq!(world.writer(number), writer);
        }
    }
}

const HEAD: &str = "dt = 0.5\nspace = { kind = 'line1d', len = 4, edge = 'wrap' }
[[field]]\nname = 'a'\ntype = 'scalar'\nmutability = 'per_tick'
[[field]]\nname = 'b'\ntype = 'scalar'\nmutability = 'static'
[[propagator]]\nkind = ";

fn refused(keys: &str, kinds: &Kinds) -> String {
    let error = World::from_toml_with(&format!("{HEAD}{keys}\n"), kinds).unwrap_err();
    error.to_string()
}

/// Errors of a kind about its keys have the line and the key.
#[test]
fn keys_of_ones_own_are_refused_by_line_and_key() {
    let kinds = kinds().with("still", |_| -> Result<_, _> {
        Err(ParameterError::new("", "does nothing at all"))
    });
    refusals(
        r#"
        'mix'
            line 11, propagator 0 (mix), into: missing
        'mix'\ninto = 'c'
            line 13, propagator 0 (mix), into: the world has no field "c"
        'mix'\ninto = 'a'\nfull = 1
            line 14, propagator 0 (mix), full: true or false is needed, this is the integer 1
        'mix'\ninto = 'a'\nreads = ['a', 'z']
            line 14, propagator 0 (mix), reads: names no field
        'mix'\ninto = 'a'\nspeed = 1
            line 14, propagator 0 (mix), speed: unknown key; known keys: into, full, reads, previous, most
        'mix'\ninto = 'b'
            line 11, propagator 0 (mix): field "b" is static: nothing can be written to it
        'mix'\ninto = 'a'\n[[propagator]]\nkind = 'mix'\ninto = 'a'
            line 14, propagator 1 (mix): writes field "a", as propagator 0 does
        'mix'\ninto = 'a'\n[[propagator]]\nkind = 'identity_copy'\nfield = 'a'
            line 16, propagator 1 (identity_copy), field: writes field "a", as propagator 0 does
        'mix'\ninto = 'a'\nmost = nan
            line 14, propagator 0 (mix), most: not a number (NaN)
        'mix'\ninto = 1979-05-27
            line 13, propagator 0 (mix), into: a string, a number, a boolean, a list or a table is needed, this is a date
        'still'
            line 11, propagator 0 (still): does nothing at all
        'rain'
            line 12, propagator 0 (rain), kind: "rain" is not defined; known kinds: scalar_diffusion, gradient_compute, identity_copy, morphological_op, noise_injection, resource_field, wave_propagation, flow_field, agent_emission, diffusion, agent_movement, reward, mix, still; a registered kind is known only to the program that registers it
        "#,
        |keys| refused(keys, &kinds),
    );
    let stock = Kinds::new().with("identity_copy", mix);
    assert_eq!(
        refused("'identity_copy'\nfield = 'a'", &stock),
        "line 12, propagator 0 (identity_copy), kind: is a stock kind, and one that this program registers: give its own another name"
    );
}

/// Keys of any shape are sorted in the canonical text, and read back unchanged.
#[test]
fn keys_of_any_shape_are_kept() {
    let keep = Kinds::new().or_unknown();
    let keys = "zeta = [1, 0x10, -1_000]\nalpha = 1e3\n\"a key\" = 'text\"\\'\nsub.b = true\nsub.a = [{ x = inf }, { }]\n";
    let own = Own::new("odd", keys, &keep).unwrap();
    assert_eq!(
        own.keys(),
        "\"a key\" = \"text\\\"\\\\\"\nalpha = 1000.0\nsub = { a = [{ x = inf }, { }], b = true }\nzeta = [1, 16, -1000]\n"
    );
    assert_eq!(Own::new("odd", own.keys(), &keep).unwrap(), own);
    let none = Own::new("odd", keys, &Kinds::new()).unwrap_err();
    assert!(
        matches!(none.fault(), WorldFault::UnknownKind { .. }),
        "{none}"
    );
    // A world that is built in code has the same description as one that was read.
    let mut world = World::from_toml_with(&format!("{HEAD}'odd'\n{keys}"), &keep).unwrap();
    let canonical = world.canonical();
    world.propagators = vec![own.into()];
    assert_eq!(world.canonical(), canonical);
}

/// Panics in the given method.
struct Rude(&'static str, FieldId);

impl Rude {
    fn at(&self, place: &str) {
        assert!(self.0 != place, "no {place}");
    }
}

impl Propagator for Rude {
    fn name(&self) -> &'static str {
        self.at("name");
        "rude"
    }

    fn reads(&self) -> FieldSet {
        self.at("reads");
        FieldSet::empty()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        self.at("writes");
        vec![(self.1, WriteMode::Incremental)]
    }

    fn max_dt(&self, _: &dyn Space) -> Option<f64> {
        self.at("max_dt");
        None
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        let tick = ctx.tick_id().0;
        let out = ctx.writes().write(self.1).unwrap();
        out[0] += 1.0;
        assert!(tick != 3 || self.0 != "third step", "not {}", out[0]);
        Ok(())
    }
}

fn rude(place: &'static str) -> Kinds {
    Kinds::new().with("rude", move |keys| {
        assert!(place != "build", "no build");
        Ok(Box::new(Rude(place, keys.field("into")?)))
    })
}

/// A panic is an error with the propagator's name; restoring a saved state makes the world usable
/// again.
#[test]
fn what_panics_is_an_error() {
    for place in ["build", "name", "reads", "writes", "max_dt"] {
        assert_eq!(
            refused("'rude'\ninto = 'a'", &rude(place)),
            format!("line 11, propagator 0 (rude): building it panics: no {place}")
        );
    }
    let text = format!("{HEAD}'rude'\ninto = 'a'\n");
    let world = World::from_toml_with(&text, &rude("third step")).unwrap();
    let mut engine = world.build().unwrap();
    let nothing = CommandBuf::new();
    engine.step(1, nothing.as_commands()).unwrap();
    let saved = engine.checkpoint();
    engine.step(2, nothing.as_commands()).unwrap();
    let panicked = EngineError::Panicked {
        propagator: "propagator 0 (rude)".into(),
        message: "not 3".into(),
    };
    for _ in 0..2 {
        let error = engine.step(3, nothing.as_commands()).unwrap_err();
        assert_eq!(error, panicked);
        assert_eq!(engine.field(0).unwrap(), [2.0, 0.0, 0.0, 0.0]);
    }
    engine.restore(&saved).unwrap();
    engine.step(2, nothing.as_commands()).unwrap();
    assert_eq!(engine.field(0).unwrap(), [2.0, 0.0, 0.0, 0.0]);
    assert_eq!(engine.step(3, nothing.as_commands()), Err(panicked));
}

/// The recorded columns of a tick do not depend on a world that can't be replayed.
#[cfg(feature = "tape")]
#[test]
fn ticks_are_told_where_the_replay_of_their_world_ends() {
    use gametape_core::table::Scan;
    use gametape_core::tape::{Format, Source, Work};
    use std::ops::ControlFlow;

    let text = format!("{HEAD}'rude'\ninto = 'a'\n");
    let world = World::from_toml_with(&text, &rude("nowhere")).unwrap();
    let bytes = crate::common::tapes::played(&world, 5, |_| CommandBuf::new());
    let count = |place: &'static str, columns: &[&str]| {
        let tape =
            gametape_murk::tape::Murk::with_kinds(rude(place)).open(Source::new(bytes.clone()));
        let scan = Scan::table("ticks").columns(columns.iter().copied());
        let (mut rows, mut replayed) = (0, 0);
        let scanned = tape.unwrap().scan_table(&scan, &Work::default(), |batch| {
            rows += batch.len();
            replayed += (0..batch.len())
                .filter(|row| batch.get(*row, 0) == batch.get(*row, 1))
                .count();
            Ok(ControlFlow::Continue(()))
        });
        let problem = scanned.unwrap().problem.map(|error| error.to_string());
        (rows, replayed, problem)
    };
    let both = ["hash", "replayed_hash"];
    assert_eq!(count("nowhere", &both), (5, 5, None));
    let (rows, replayed, problem) = count("third step", &both);
    assert_eq!((rows, replayed), (5, 2));
    let problem = problem.unwrap();
    assert!(
        problem.starts_with("tick 3: propagator 0 (rude)"),
        "{problem}"
    );
    assert_eq!(count("third step", &["hash", "commands"]), (5, 0, None));
}

static SHARED: AtomicU32 = AtomicU32::new(0);
static UNUSED: AtomicU32 = AtomicU32::new(0);

/// A propagator's own count makes the same ticks in each run, and others after going back. A count
/// that runs share makes others in each run.
#[test]
fn what_is_kept_beside_the_fields_is_found() {
    let world = |shared: bool| {
        let kinds = Kinds::new().with("counter", move |keys| {
            let (into, own) = (keys.field("into")?, AtomicU32::new(0));
            let of_all = if shared { &SHARED } else { &UNUSED };
            Ok(Acting::boxed(into, WriteMode::Full, move |ctx| {
                let out = ctx.writes().write(into).unwrap();
                out.fill(own.fetch_add(1, Ordering::Relaxed) as f32);
                out[1] = of_all.fetch_add(1, Ordering::Relaxed) as f32;
            }))
        });
        World::from_toml_with(&format!("{HEAD}'counter'\ninto = 'a'\n"), &kinds).unwrap()
    };
    let nothing = CommandBuf::new();
    let ticks = || (1..=6).map(|tick| (tick, nothing.as_commands()));
    let mut engine = world(false).build().unwrap();
    let gone_back = rollback_test(&mut engine, ticks(), 1, 2);
    let Err(SyncError::Desync(desync)) = gone_back else {
        panic!("{gone_back:?}");
    };
    assert_eq!((desync.tick, desync.differences[0].field), (1, 0));
    let runs = (0..2).map(|_| world(true).build().unwrap()).collect();
    let Err(SyncError::Desync(desync)) = sync_test(runs, ticks, 1) else {
        panic!("in sync");
    };
    let first = &desync.differences[0];
    assert_eq!((desync.tick, first.element, desync.count), (1, 1, 1));
}

/// The memory that a kind asks for is limited, whatever the description says.
#[test]
fn scratch_space_is_bounded() {
    struct Greedy(FieldId);
    impl Propagator for Greedy {
        fn name(&self) -> &'static str {
            "greedy"
        }
        fn reads(&self) -> FieldSet {
            FieldSet::empty()
        }
        fn writes(&self) -> Vec<(FieldId, WriteMode)> {
            vec![(self.0, WriteMode::Full)]
        }
        fn scratch_bytes(&self) -> usize {
            usize::MAX
        }
        fn step(&self, _: &mut StepContext<'_>) -> Result<(), PropagatorError> {
            Ok(())
        }
    }
    let kinds = Kinds::new().with("greedy", |keys| Ok(Box::new(Greedy(keys.field("into")?))));
    let error: WorldError =
        World::from_toml_with(&format!("{HEAD}'greedy'\ninto = 'a'\n"), &kinds).unwrap_err();
    assert!(error.is_limit(), "{error}");
    assert_eq!(*error.place(), Place::World);
    // A field by a number that the world does not have.
    let kinds = Kinds::new().with("far", |_| Ok(Box::new(Greedy(FieldId(7)))));
    assert_eq!(
        refused("'far'", &kinds),
        "line 11, propagator 0 (far): works on field 7, the world has 2"
    );
}
