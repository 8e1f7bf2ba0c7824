//! A running world: the origin's lockstep engine as a [`Simulation`].

use std::sync::Arc;

use murk_core::{
    Command as OriginCommand, CommandPayload, FieldDef, FieldId, FieldReader, ParameterKey,
    StepError, TickId,
};
use murk_engine::{BackoffConfig, LockstepWorld, WorldConfig};

use super::commands::{Checker, Receipts};
use super::error::{EngineError, Place, WorldError, WorldFault};
use super::guard::{Control, Values, guarded};
use super::own::running::Later;
use super::world::{Config, Field, FieldType, Mutability, World};
use crate::model::command::{Command, Commands};
use crate::model::payload::Payload;
use crate::model::{ConfigForm, Header};
use crate::simulation::past::{Past, WrittenBy};
use crate::simulation::{Checkpoint, Location, Simulation};

/// The number of snapshots that the engine's configuration asks for; a lockstep world keeps none.
const RING: usize = 8;

impl World {
    /// Builds the world at tick 0, when all its fields are zeros.
    ///
    /// # Errors
    /// Same as [`World::check`], and if the origin has no memory for the fields.
    pub fn build(&self) -> Result<EngineWorld, WorldError> {
        let parts = self.parts()?;
        let origin = |error: String| WorldError::new(Place::World, "", WorldFault::Origin(error));
        let space = self.origin_space()?;
        let control = Arc::new(Control::new(Later::new(space, self.field_count())));
        let config = WorldConfig {
            space: parts.space,
            fields: self.fields.iter().map(field_def).collect(),
            propagators: guarded(parts.propagators, parts.countings, &control),
            dt: self.dt,
            seed: self.seed,
            ring_buffer_size: RING,
            max_ingress_queue: self.max_ingress_queue as usize,
            tick_rate_hz: None,
            backoff: BackoffConfig::default(),
        };
        let space = self.origin_space()?;
        let inner = LockstepWorld::new(config).map_err(|error| origin(error.to_string()))?;
        let mut world = EngineWorld {
            checker: self.checker_of(space),
            config: Config {
                dt: self.dt,
                fields: self.field_count(),
                cells: self.cell_count(),
                whole: self.config_hash(),
            },
            names: self.fields.iter().map(|field| field.name.clone()).collect(),
            fields: vec![Vec::new(); self.fields.len()],
            inner,
            control,
            receipts: Receipts::default(),
            failed: Vec::new(),
            failure: None,
            panicked: None,
            may_fail: self.propagators.iter().any(|one| one.stock().is_none()),
        };
        for field in 0..self.fields.len() {
            world.copy_field(field);
        }
        Ok(world)
    }
}

fn field_def(field: &Field) -> FieldDef {
    FieldDef {
        name: field.name.clone(),
        field_type: match field.field_type {
            FieldType::Scalar {} => murk_core::FieldType::Scalar,
            FieldType::Vector { dims } => murk_core::FieldType::Vector { dims },
            FieldType::Categorical { n_values } => murk_core::FieldType::Categorical { n_values },
        },
        mutability: field.mutability.origin(),
        units: field.units.clone(),
        bounds: field.bounds,
        boundary_behavior: field.boundary.origin(),
    }
}

/// A running world, made by [`World::build`] and stepped like any [`Simulation`].
///
/// It is the origin's `LockstepWorld` with a copy of its fields. A tick that fails is not an error,
/// as in the origin: its commands are lost, and nothing is published. After three failures in a row
/// the engine makes no more ticks. (Stock propagators fail in every tick or in none.) A panic of a
/// registered propagator is an error, and so is every further tick until a saved state is restored.
///
/// ```
/// use gametape_murk::engine::World;
/// use gametape_murk::{CommandBuf, Envelope, Payload, Simulation};
///
/// let mut world = World::from_toml(gametape_samples::murk::FORAGING)?.build()?;
/// let mut commands = CommandBuf::new();
/// let set = Payload::SetField { coord: (&[3, 4]).into(), field: 0, value: 1.0 };
/// commands.push(&Envelope::default(), &set)?;
/// world.step(1, commands.as_commands())?;          // a sheep is set on the pasture,
/// let before = world.field(1).unwrap().to_vec();
/// world.step(2, CommandBuf::new().as_commands())?; // and starts to graze
/// let eaten = |cell: &usize| world.field(1).unwrap()[*cell] < before[*cell];
/// let cell = (0..before.len()).find(eaten).unwrap();
/// assert_eq!(world.locate(1, cell).unwrap().coord, [3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EngineWorld {
    inner: LockstepWorld,
    control: Arc<Control>,
    checker: Checker,
    config: Config,
    names: Vec<String>,
    /// The fields after the last tick. The origin lends its own only during a call.
    fields: Vec<Vec<f32>>,
    receipts: Receipts,
    /// The commands of the failed ticks since the last successful one.
    failed: Vec<Vec<OriginCommand>>,
    /// Why the last tick failed.
    failure: Option<String>,
    /// The panic of a registered propagator. The world does not continue after it.
    panicked: Option<EngineError>,
    /// True if a tick may fail after others that succeeded, which only registered propagators do.
    may_fail: bool,
}

impl std::fmt::Debug for EngineWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineWorld")
            .field("tick", &self.tick())
            .field("config_hash", &self.config.whole)
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

impl EngineWorld {
    /// Returns the number of ticks that were made and did not fail.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.inner
            .current_tick()
            .0
            .saturating_add(self.control.shift())
    }

    /// Returns the outcomes of the commands of the last tick.
    #[must_use]
    pub const fn receipts(&self) -> &Receipts {
        &self.receipts
    }

    /// Returns why the last tick failed; `None` if it did not.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Returns the checker of commands.
    #[must_use]
    pub const fn checker(&self) -> &Checker {
        &self.checker
    }

    fn copy_field(&mut self, field: usize) {
        let snapshot = self.inner.snapshot();
        let id = u32::try_from(field).map(FieldId).ok();
        let values = id.and_then(|id| snapshot.read(id)).unwrap_or_default();
        if let Some(copy) = self.fields.get_mut(field) {
            copy.clear();
            copy.extend_from_slice(values);
        }
    }

    /// Copied after a failed tick, too: the values of a sparse field may change then.
    fn copy_fields(&mut self) {
        for field in 0..self.fields.len() {
            if self.checker.is_writable(field) {
                self.copy_field(field);
            }
        }
    }

    fn make_tick(&mut self, mut commands: Vec<OriginCommand>) -> Result<(), EngineError> {
        if let Some(panicked) = &self.panicked {
            return Err(panicked.clone());
        }
        // Kept only if it can be needed: after a failed tick, and before the first one.
        let can_fail = self.may_fail || self.tick() == 0 || !self.failed.is_empty();
        let kept = can_fail.then(|| commands.clone());
        for command in &mut commands {
            // Both sides of the comparison `expires < tick` are shifted equally. A command that
            // expired before the shift gets tick 0, so it stays expired.
            let expires = &mut command.expires_after_tick.0;
            *expires = expires.saturating_sub(self.control.shift());
        }
        let made = self.inner.step_sync(commands).map(|result| result.receipts);
        if let Some((propagator, message)) = self.control.take_panicked() {
            let panicked = EngineError::Panicked {
                propagator,
                message,
            };
            self.panicked = Some(panicked.clone());
            return Err(panicked);
        }
        let failure = match made {
            Ok(receipts) => {
                self.receipts.fill(&receipts);
                self.failed.clear();
                None
            }
            Err(error) => {
                self.receipts.fill(&error.receipts);
                match error.kind {
                    StepError::PropagatorFailed { .. } => {
                        self.failed.push(kept.unwrap_or_default());
                        Some(error.kind.to_string())
                    }
                    StepError::TickDisabled => {
                        let reason = self.failure.clone().unwrap_or_default();
                        return Err(EngineError::TickingDisabled { reason });
                    }
                    other => return Err(EngineError::Engine(other.to_string())),
                }
            }
        };
        self.failure = failure;
        self.copy_fields();
        Ok(())
    }
}

impl Simulation for EngineWorld {
    type Error = EngineError;

    /// Ignores the recorded number of the tick: the engine has its own count, and commands expire
    /// by that.
    fn step(&mut self, _tick: u64, commands: Commands<'_>) -> Result<(), EngineError> {
        self.receipts.reset(commands.len());
        // The engine refuses commands beyond its queue, so they are not converted.
        let taken = commands.iter().take(self.checker.max_ingress_queue());
        let taken = taken.map(|command| origin_command(&command)).collect();
        self.make_tick(taken)
    }

    fn field(&self, field: u32) -> Option<&[f32]> {
        self.fields.get(field as usize).map(Vec::as_slice)
    }

    fn config_hash(&self) -> Option<u64> {
        Some(self.config.whole)
    }

    fn config_form(&self, header: &Header<'_>) -> Option<ConfigForm> {
        self.config.form(header)
    }

    fn field_name(&self, field: u32) -> Option<&str> {
        self.names.get(field as usize).map(String::as_str)
    }

    fn locate(&self, field: u32, element: usize) -> Option<Location> {
        self.checker.locate(field, element)
    }

    fn target(&self, command: &Command<'_>) -> Option<(u32, usize)> {
        self.checker.target(command)
    }

    fn made(&self) -> Option<u64> {
        self.failure.is_none().then(|| self.tick())
    }

    fn written_by(&self, field: u32, element: usize, past: &Past<'_>) -> Option<WrittenBy> {
        self.checker.written_by(field, element, past)
    }

    fn coord_of(&self, field: u32, element: usize) -> Option<Vec<i32>> {
        self.checker.coord_of(field, element)
    }
}

/// Converts a command. A payload that can't be read becomes a custom one, which the engine counts
/// in its queue and does not apply.
fn origin_command(command: &Command<'_>) -> OriginCommand {
    let payload = match command.payload() {
        Ok(Payload::Move { entity_id, target }) => CommandPayload::Move {
            entity_id,
            target_coord: target.iter().collect(),
        },
        Ok(Payload::Spawn {
            coord,
            field_values,
        }) => CommandPayload::Spawn {
            coord: coord.iter().collect(),
            field_values: field_values
                .iter()
                .map(|(field, value)| (FieldId(field), value))
                .collect(),
        },
        Ok(Payload::Despawn { entity_id }) => CommandPayload::Despawn { entity_id },
        Ok(Payload::SetField {
            coord,
            field,
            value,
        }) => CommandPayload::SetField {
            coord: coord.iter().collect(),
            field_id: FieldId(field),
            value,
        },
        Ok(Payload::Custom { type_id, data }) => CommandPayload::Custom {
            type_id,
            data: data.to_vec(),
        },
        Ok(Payload::SetParameter { key, value }) => CommandPayload::SetParameter {
            key: ParameterKey(key),
            value,
        },
        Ok(Payload::SetParameterBatch { parameters }) => CommandPayload::SetParameterBatch {
            params: parameters
                .iter()
                .map(|(key, value)| (ParameterKey(key), value))
                .collect(),
        },
        Err(_) => CommandPayload::Custom {
            type_id: u32::MAX,
            data: Vec::new(),
        },
    };
    let envelope = command.envelope;
    OriginCommand {
        payload,
        expires_after_tick: TickId(envelope.expires_after_tick),
        source_id: envelope.source_id,
        source_seq: envelope.source_seq,
        priority_class: envelope.priority_class,
        arrival_seq: envelope.arrival_seq,
    }
}

/// A saved state of a world: the fields that can change, and the tick.
#[derive(Clone)]
pub struct SavedWorld {
    config_hash: u64,
    tick: u64,
    values: Arc<Values>,
    /// The commands of the failed ticks after that.
    failed: Vec<Vec<OriginCommand>>,
}

impl std::fmt::Debug for SavedWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedWorld")
            .field("tick", &self.tick)
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

impl SavedWorld {
    /// Returns the tick at which it was saved.
    #[must_use]
    pub const fn tick(&self) -> u64 {
        self.tick
    }

    /// Returns the size of its values in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let values: usize = self.values.iter().map(|(_, values)| values.len()).sum();
        values * size_of::<f32>()
    }
}

impl Checkpoint for EngineWorld {
    type State = SavedWorld;

    fn checkpoint(&self) -> SavedWorld {
        let written = self.fields.iter().enumerate();
        let written = written.filter(|(field, _)| self.checker.is_writable(*field));
        let values = written.filter_map(|(field, values)| {
            let id = u32::try_from(field).map(FieldId).ok()?;
            Some((id, values.clone()))
        });
        SavedWorld {
            config_hash: self.config.whole,
            tick: self.tick(),
            values: Arc::new(values.collect()),
            failed: self.failed.clone(),
        }
    }

    /// The result is exact; `guard.rs` explains how.
    ///
    /// # Errors
    /// [`EngineError::OtherWorld`]. [`EngineError::Unrestorable`], which does not occur with stock
    /// propagators, because those fail in every tick or in none; the world is unchanged then.
    /// [`EngineError::Panicked`] if a registered propagator panics in a failed tick that is made
    /// again.
    fn restore(&mut self, state: &SavedWorld) -> Result<(), EngineError> {
        let (tick, failed) = (state.tick, &state.failed);
        if state.config_hash != self.config.whole {
            return Err(EngineError::OtherWorld);
        }
        if tick > 0 && !failed.is_empty() && self.checker.has_sparse() {
            return Err(EngineError::Unrestorable { tick });
        }
        let engine = |error: String| EngineError::Engine(error);
        self.control.set_shift(0);
        let seed = self.inner.seed();
        let reset = self.inner.reset(seed).map(drop);
        reset.map_err(|error| engine(error.to_string()))?;
        self.failed.clear();
        self.failure = None;
        self.panicked = None;
        if tick > 0 {
            self.control.set_pending(Some(Arc::clone(&state.values)));
            let written = self.inner.step_sync(Vec::new()).map(drop);
            self.control.set_pending(None);
            written.map_err(|error| engine(error.to_string()))?;
            self.control.set_shift(tick - 1);
        }
        // If the last ticks failed, they are made again. There is no other way to restore the
        // engine's data on their writes to sparse fields, and its count of failures.
        for commands in failed {
            match self.make_tick(commands.clone()) {
                Ok(()) | Err(EngineError::TickingDisabled { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.copy_fields();
        self.receipts.reset(0);
        Ok(())
    }

    fn with_value(
        &self,
        state: &SavedWorld,
        field: u32,
        element: usize,
        value: f32,
    ) -> Option<SavedWorld> {
        if state.tick == 0 || !state.failed.is_empty() {
            return None;
        }
        let mut changed = state.clone();
        let values = Arc::make_mut(&mut changed.values);
        let (_, values) = values.iter_mut().find(|(id, _)| id.0 == field)?;
        *values.get_mut(element)? = value;
        Some(changed)
    }

    /// The engine keeps only the fields from one tick to the next, unless ticks fail.
    fn shows_all(&self) -> bool {
        self.failed.is_empty()
    }
}

impl Checker {
    fn has_sparse(&self) -> bool {
        self.mutabilities().any(|one| one == Mutability::Sparse)
    }

    /// Returns true for a field that can change.
    fn is_writable(&self, field: usize) -> bool {
        self.mutability(field)
            .is_some_and(|one| one != Mutability::Static)
    }
}

impl EngineWorld {
    /// Restores a state that was saved in a world with the same fields, which may differ otherwise.
    ///
    /// # Errors
    /// Same as [`Checkpoint::restore`]; [`EngineError::OtherWorld`] if the fields differ.
    pub fn adopt(&mut self, state: &SavedWorld) -> Result<(), EngineError> {
        let shape = |state: &SavedWorld| -> Vec<_> {
            let fields = state.values.iter();
            fields
                .map(|(field, values)| (*field, values.len()))
                .collect()
        };
        if shape(&self.checkpoint()) != shape(state) {
            return Err(EngineError::OtherWorld);
        }
        self.restore(&SavedWorld {
            config_hash: self.config.whole,
            ..state.clone()
        })
    }
}
