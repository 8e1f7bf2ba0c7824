//! Checks of a description, made before anything is allocated, so that the origin neither panics
//! nor takes too much memory or time.
//!
//! The origin refuses some descriptions itself. Descriptions that it accepts and then panics on in
//! a later tick are refused here, because a description may come from a recording of unknown
//! origin.

use std::collections::HashMap;

use gametape_core::text::Grouped;
use murk_core::{FieldId, FieldSet};
use murk_propagator::Propagator as OriginPropagator;
use murk_space::Space as OriginSpace;

use super::error::{Place, WorldError, WorldFault, shown};
use super::guard::Counting;
use super::own::running::Probed;
use super::own::{Around, Kinds};
use super::propagator::{Costs, Ids, Named, Propagator, Surroundings, Use, known_kinds};
use super::space::{Edge, Space};
use super::value::FindNan;
use super::world::{Field, FieldType, Mutability, World};

/// The longest description that is read, in bytes.
pub(super) const MAX_DESCRIPTION: usize = 1 << 20;
/// The most values of all fields of a world together (cells times values per cell).
pub(super) const MAX_VALUES: u64 = 64 << 20;
/// The most values of a field that is not static; the origin stores them in one piece.
pub(super) const MAX_FIELD_VALUES: u64 = 16 << 20;
/// The most values of all sparse fields together. With more, the origin can run out of memory in
/// the middle of a run, and then it drops writes silently.
pub(super) const MAX_SPARSE_VALUES: u64 = 16 << 20;
/// The most memory that a world may take, in bytes, as far as it can be estimated.
pub(super) const MAX_MEMORY: u64 = 1 << 30;
/// The most cells that the morphological operations of a tick may visit.
pub(super) const MAX_VISITS: u64 = 1 << 28;
/// The most fields.
pub(super) const MAX_FIELDS: usize = 4096;
/// The most propagators.
pub(super) const MAX_PROPAGATORS: usize = 1024;
/// The longest name of a field, and of its unit, in bytes.
pub(super) const MAX_NAME: usize = 256;
/// The most components of a product space.
pub(super) const MAX_COMPONENTS: usize = 16;
/// The deepest nesting of product spaces.
pub(super) const MAX_NESTING: usize = 4;
/// The most numbers in a coordinate.
pub(super) const MAX_DIMENSIONS: usize = 32;
/// The most commands in a tick; a frame of a recording can't have more.
pub(super) const MAX_INGRESS_QUEUE: u32 = 1_000_000;

/// The origin's parts of a world that passed the checks.
pub(super) struct WorldParts {
    pub(super) space: Box<dyn OriginSpace>,
    pub(super) propagators: Vec<Box<dyn OriginPropagator>>,
    pub(super) countings: Vec<Counting>,
}

fn limit(what: &'static str, claimed: u64, limit: u64) -> Result<(), WorldFault> {
    if claimed > limit {
        return Err(WorldFault::Limit {
            what,
            claimed,
            limit,
        });
    }
    Ok(())
}

fn some(what: &'static str, count: usize) -> Result<(), WorldFault> {
    match count {
        0 => Err(WorldFault::Empty { what }),
        _ => Ok(()),
    }
}

fn name(text: &str) -> Result<(), WorldFault> {
    if text.is_empty() || text.len() > MAX_NAME || text.chars().any(char::is_control) {
        return Err(WorldFault::Name { limit: MAX_NAME });
    }
    Ok(())
}

/// Adds the place to a fault.
fn in_place<T>(result: Result<T, WorldFault>, place: Place, key: &str) -> Result<T, WorldError> {
    result.map_err(|fault| WorldError::new(place, key, fault))
}

impl World {
    /// Checks the whole description. A world that was read has passed already.
    ///
    /// # Errors
    /// Same as [`World::from_toml`], but without a line.
    pub fn check(&self) -> Result<(), WorldError> {
        self.parts().map(drop)
    }

    /// Checks what can be checked if some propagators have unknown kinds.
    pub(super) fn check_plain(&self) -> Result<(), WorldError> {
        let cells = self.check_cells()?;
        let numbers = self.check_names()?;
        self.check_propagators(cells, &numbers, &[])
    }

    /// Returns true if this program can build every propagator.
    pub(super) fn is_known(&self) -> bool {
        self.propagators.iter().all(|propagator| match propagator {
            Propagator::Own(own) => own.is_known(),
            _ => true,
        })
    }

    pub(super) fn parts(&self) -> Result<WorldParts, WorldError> {
        let cells = self.check_cells()?;
        let numbers = self.check_names()?;
        let own = self.build_own(&numbers)?;
        self.check_propagators(cells, &numbers, &own)?;
        self.assemble(&numbers, own)
    }

    /// Checks the time step, the queue, the space and the fields; returns the number of cells.
    fn check_cells(&self) -> Result<u64, WorldError> {
        if !self.dt.is_finite() || self.dt <= 0.0 {
            let fault = WorldFault::Value(format!("must be finite and above 0, not {:?}", self.dt));
            return Err(WorldError::new(Place::World, "dt", fault));
        }
        let queue = self.max_ingress_queue;
        let key = "max_ingress_queue";
        in_place(some("command", queue as usize), Place::World, key)?;
        let most = limit("commands in a tick", queue.into(), MAX_INGRESS_QUEUE.into());
        in_place(most, Place::World, key)?;
        check_space(&self.space, 0)?;
        let most = limit(
            "dimensions",
            self.space.ndim() as u64,
            MAX_DIMENSIONS as u64,
        );
        in_place(most, Place::Space, "components")?;
        let cells = self.space.cell_count().unwrap_or(u64::MAX);
        in_place(limit("cells", cells, MAX_VALUES), Place::Space, "")?;
        self.check_fields(cells)?;
        let count = self.propagators.len();
        in_place(some("propagator", count), Place::World, "propagator")?;
        let most = limit("propagators", count as u64, MAX_PROPAGATORS as u64);
        in_place(most, Place::World, "propagator")?;
        // Registered kinds define their own keys, but a recording must be able to hold them.
        if self.propagators.iter().any(|one| one.stock().is_none()) {
            let bytes = self.canonical().len() as u64;
            let most = limit("bytes of canonical text", bytes, MAX_DESCRIPTION as u64);
            in_place(most, Place::World, "propagator")?;
        }
        Ok(cells)
    }

    fn check_fields(&self, cells: u64) -> Result<(), WorldError> {
        let count = self.fields.len();
        in_place(some("field", count), Place::World, "field")?;
        let most = limit("fields", count as u64, MAX_FIELDS as u64);
        in_place(most, Place::World, "field")?;
        let (mut values, mut sparse) = (0_u64, 0_u64);
        for (index, field) in self.fields.iter().enumerate() {
            let place = || field_place(index, field);
            in_place(name(&field.name), place(), "name")?;
            if let Some(units) = &field.units {
                in_place(name(units), place(), "units")?;
            }
            match field.field_type {
                FieldType::Vector { dims: 0 } => in_place(some("value", 0), place(), "dims")?,
                FieldType::Categorical { n_values: 0 } => {
                    in_place(some("value", 0), place(), "n_values")?;
                }
                _ => {}
            }
            if let Some((min, max)) = field.bounds
                && !(min.is_finite() && max.is_finite() && min <= max)
            {
                let fault = WorldFault::Value(format!(
                    "bounds are two finite numbers, the lesser one first, not {min:?} and {max:?}"
                ));
                return Err(WorldError::new(place(), "bounds", fault));
            }
            let own = cells.saturating_mul(field.field_type.components().into());
            if field.mutability != Mutability::Static {
                let most = limit("values in one field", own, MAX_FIELD_VALUES);
                in_place(most, place(), "")?;
            }
            values = values.saturating_add(own);
            in_place(
                limit("values in all fields", values, MAX_VALUES),
                place(),
                "",
            )?;
            if field.mutability == Mutability::Sparse {
                sparse = sparse.saturating_add(own);
                let most = limit("values in sparse fields", sparse, MAX_SPARSE_VALUES);
                in_place(most, place(), "mutability")?;
            }
        }
        Ok(())
    }

    pub(super) fn check_names(&self) -> Result<HashMap<&str, usize>, WorldError> {
        let mut numbers = HashMap::with_capacity(self.fields.len());
        for (index, field) in self.fields.iter().enumerate() {
            if let Some(first) = numbers.insert(&*field.name, index) {
                let place = field_place(index, field);
                return Err(WorldError::new(
                    place,
                    "name",
                    WorldFault::Duplicate { first },
                ));
            }
        }
        Ok(numbers)
    }

    fn check_propagators(
        &self,
        cells: u64,
        numbers: &HashMap<&str, usize>,
        own: &[Option<Probed>],
    ) -> Result<(), WorldError> {
        let dimensions = u32::try_from(self.space.ndim()).unwrap_or(u32::MAX);
        let around = Surroundings {
            space: &self.space,
            cells,
            fields: &self.fields,
            numbers,
        };
        let mut writers = vec![None; self.fields.len()];
        let mut visits = 0_u64;
        for (index, propagator) in self.propagators.iter().enumerate() {
            let place = || propagator_place(index, propagator);
            let in_propagator = |(key, fault)| WorldError::new(place(), key, fault);
            let mut nan = FindNan::default();
            propagator.give_keys(&mut nan);
            if let Some(key) = nan.0 {
                return Err(in_propagator((key, WorldFault::Nan)));
            }
            let Some(stock) = propagator.stock() else {
                if let Some(Some(probed)) = own.get(index) {
                    self.check_own(probed, index, &mut writers)
                        .map_err(|fault| WorldError::new(place(), "", fault))?;
                }
                continue;
            };
            for (named, used) in stock.uses() {
                self.check_use(&around, named, used, index, &mut writers)
                    .map_err(in_propagator)?;
            }
            stock.check(&around).map_err(in_propagator)?;
            visits = visits.saturating_add(stock.visits(dimensions, cells));
            let most = limit("cells looked at in a tick", visits, MAX_VISITS);
            in_place(most, place(), "radius")?;
        }
        let scratch = own.iter().flatten().map(OriginPropagator::scratch_bytes);
        let scratch = scratch.max().unwrap_or(0) as u64;
        let memory = memory_of(self, cells).saturating_add(own_memory(self, cells, scratch));
        in_place(
            limit("bytes of memory", memory, MAX_MEMORY),
            Place::World,
            "",
        )
    }

    /// Builds the propagators of registered kinds.
    pub(super) fn build_own(
        &self,
        numbers: &HashMap<&str, usize>,
    ) -> Result<Vec<Option<Probed>>, WorldError> {
        let mut space = None;
        let mut built = Vec::with_capacity(self.propagators.len());
        for (index, propagator) in self.propagators.iter().enumerate() {
            let Propagator::Own(own) = propagator else {
                built.push(None);
                continue;
            };
            let place = || propagator_place(index, propagator);
            if !own.is_known() {
                let fault = WorldFault::UnknownKind {
                    found: shown(own.kind()),
                    known: known_kinds(&Kinds::new()),
                };
                return Err(WorldError::new(place(), "kind", fault));
            }
            let space = match &mut space {
                Some(space) => space,
                none => none.insert(self.origin_space()?),
            };
            let around = Around {
                space: &self.space,
                fields: &self.fields,
                numbers,
                dt: self.dt,
            };
            let probed = Probed::of(own, around, &**space);
            built.push(Some(probed.map_err(|error| {
                let (key, fault) = error.into_parts();
                WorldError::new(place(), &key, fault)
            })?));
        }
        Ok(built)
    }

    /// Checks that the fields of a registered propagator exist, and that no other propagator writes
    /// them.
    fn check_own(
        &self,
        probed: &Probed,
        index: usize,
        writers: &mut [Option<usize>],
    ) -> Result<(), WorldFault> {
        let field = |id: FieldId| {
            let field = usize::try_from(id.0)
                .ok()
                .and_then(|at| self.fields.get(at));
            let count = self.fields.len();
            let missing =
                || WorldFault::Value(format!("works on field {id}, the world has {count}"));
            field.ok_or_else(missing)
        };
        let (mut reads, writes) = probed.uses();
        reads.try_for_each(|id| field(id).map(drop))?;
        for (id, _) in writes {
            let field = field(*id)?;
            if field.mutability == Mutability::Static {
                return Err(is_static(field));
            }
            let writer = writers.get_mut(id.0 as usize);
            if let Some(other) = writer.and_then(|writer| writer.replace(index)) {
                let field = field.name.clone();
                return Err(WorldFault::Conflict { field, other });
            }
        }
        Ok(())
    }

    pub(super) fn origin_space(&self) -> Result<Box<dyn OriginSpace>, WorldError> {
        let built = self.space.build();
        built.map_err(|error| {
            WorldError::new(Place::Space, "", WorldFault::Origin(error.to_string()))
        })
    }

    /// Checks that a field of propagator `index` exists, and that no other propagator writes it.
    fn check_use(
        &self,
        around: &Surroundings<'_>,
        named: Named<'_>,
        used: Use,
        index: usize,
        writers: &mut [Option<usize>],
    ) -> Result<(), (&'static str, WorldFault)> {
        let (key, number, missing) = match named {
            Named::Key(key, name) => {
                let missing = WorldFault::NoField { name: name.into() };
                (key, around.numbers.get(name).copied(), missing)
            }
            Named::Number(number, needed) => {
                let fields = self.fields.len();
                let missing = WorldFault::NoFieldNumber { needed, fields };
                ("", Some(number), missing)
            }
        };
        let Some((number, field)) = number.and_then(|n| Some((n, self.fields.get(n)?))) else {
            return Err((key, missing));
        };
        if used == Use::Read {
            return Ok(());
        }
        // The origin asserts it in debug builds.
        if used == Use::Update && field.mutability == Mutability::Static {
            return Err((key, is_static(field)));
        }
        let writer = writers.get_mut(number);
        match writer.and_then(|writer| writer.replace(index)) {
            None => Ok(()),
            Some(other) => {
                let field = field.name.clone();
                Err((key, WorldFault::Conflict { field, other }))
            }
        }
    }

    /// Builds the origin's parts, which are small, and lets the origin check them.
    fn assemble(
        &self,
        numbers: &HashMap<&str, usize>,
        own: Vec<Option<Probed>>,
    ) -> Result<WorldParts, WorldError> {
        let space = self.origin_space()?;
        let ids = Ids(numbers);
        let (mut propagators, mut countings) = (Vec::new(), Vec::new());
        for ((index, propagator), own) in self.propagators.iter().enumerate().zip(own) {
            let place = || propagator_place(index, propagator);
            let (built, counting): (Box<dyn OriginPropagator>, _) = match (propagator.stock(), own)
            {
                (Some(stock), _) => {
                    let built = stock.build(&ids).map_err(WorldFault::Value);
                    let rebuild = stock.rebuild(&ids).map_err(WorldFault::Value);
                    let built = in_place(built, place(), "")?;
                    let rebuild = in_place(rebuild, place(), "")?;
                    (
                        built,
                        rebuild.map_or(Counting::Unaffected, Counting::Rebuilt),
                    )
                }
                (None, Some(probed)) => (Box::new(probed), Counting::TrueTick(place().to_string())),
                (None, None) => continue,
            };
            if let Some(max) = built.max_dt(&*space)
                && self.dt > max
            {
                let by = place().to_string();
                let fault = WorldFault::TimeStep {
                    dt: self.dt,
                    max,
                    by,
                };
                return Err(WorldError::new(Place::World, "dt", fault));
            }
            propagators.push(built);
            countings.push(counting);
        }
        let fields: FieldSet = (0..self.field_count()).map(FieldId).collect();
        let plan = murk_propagator::validate_pipeline(&propagators, &fields, self.dt, &*space);
        let plan = plan.map_err(|error| WorldFault::Origin(error.to_string()));
        in_place(plan, Place::World, "").map(|_| WorldParts {
            space,
            propagators,
            countings,
        })
    }
}

fn is_static(field: &Field) -> WorldFault {
    let name = &field.name;
    WorldFault::Value(format!(
        "field {name:?} is static: nothing can be written to it"
    ))
}

fn field_place(index: usize, field: &Field) -> Place {
    Place::Field {
        index,
        name: field.name.clone(),
    }
}

fn propagator_place(index: usize, propagator: &Propagator) -> Place {
    Place::Propagator {
        index,
        kind: propagator.kind().to_owned(),
    }
}

fn check_space(space: &Space, depth: usize) -> Result<(), WorldError> {
    let error = |key, fault| Err(WorldError::new(Place::Space, key, fault));
    let sizes = match space {
        Space::Line1D { len, .. } | Space::Ring1D { len } => vec![("len", *len)],
        Space::Square4 { rows, cols, .. }
        | Space::Square8 { rows, cols, .. }
        | Space::Hex2D { rows, cols } => vec![("rows", *rows), ("cols", *cols)],
        Space::Fcc12 { w, h, d, edge } => {
            let sizes = vec![("w", *w), ("h", *h), ("d", *d)];
            if let Some((key, size)) = sizes.iter().find(|(_, size)| size % 2 != 0)
                && *edge == Edge::Wrap
            {
                let fault = WorldFault::Value(format!(
                    "must be even where the edge wraps, not {}",
                    Grouped(u64::from(*size))
                ));
                return error(key, fault);
            }
            sizes
        }
        Space::Product { components } => {
            if depth >= MAX_NESTING {
                let claimed = depth as u64 + 1;
                let most = limit("products in each other", claimed, MAX_NESTING as u64);
                return in_place(most, Place::Space, "components");
            }
            let count = components.len();
            in_place(some("component", count), Place::Space, "components")?;
            let most = limit("components", count as u64, MAX_COMPONENTS as u64);
            in_place(most, Place::Space, "components")?;
            return components
                .iter()
                .try_for_each(|component| check_space(component, depth + 1));
        }
    };
    match sizes.into_iter().find(|(_, size)| *size == 0) {
        Some((key, _)) => error(key, WorldFault::Empty { what: "cell" }),
        None => Ok(()),
    }
}

/// The number of copies of a field's values in memory: two buffers of the origin, its copy of the
/// last tick, ours, and one of a running propagator.
const COPIES: u64 = 5;
/// The number of scratch values that the origin allocates for each cell.
const SCRATCH: u64 = 4;
const VALUE: u64 = size_of::<f32>() as u64;
/// The bytes that the origin reserves for each command of its queue.
const QUEUED: u64 = 128;

/// Returns the most bytes that a world takes; `u64::MAX` if 64 bits can't count them.
fn memory_of(world: &World, cells: u64) -> u64 {
    let fields = world.fields.iter().fold(0_u64, |sum, field| {
        let copies = match field.mutability {
            // Both buffers share it.
            Mutability::Static => COPIES - 1,
            Mutability::PerTick | Mutability::Sparse => COPIES,
        };
        sum.saturating_add(u64::from(field.field_type.components()).saturating_mul(copies))
    });
    let costs = Costs::of(&world.space);
    let steps = world.propagators.iter();
    let step = steps.filter_map(|propagator| Some(propagator.stock()?.memory(&costs)));
    (fields.saturating_add(SCRATCH))
        .saturating_mul(VALUE)
        .saturating_add(step.max().unwrap_or(0))
        .saturating_mul(cells)
        .saturating_add(QUEUED * u64::from(world.max_ingress_queue))
}

/// Returns the additional bytes for registered propagators, the largest of which asks for this much
/// scratch space: after a restore, each field is copied twice, and scratch space is allocated
/// twice.
fn own_memory(world: &World, cells: u64, scratch: u64) -> u64 {
    let has_own = world.propagators.iter().any(|one| one.stock().is_none());
    let values = world.fields.iter().fold(0_u64, |sum, field| {
        sum.saturating_add(field.field_type.components().into())
    });
    let copies = values.saturating_mul(cells).saturating_mul(2 * VALUE);
    let copies = if has_own { copies } else { 0 };
    copies.saturating_add(scratch.saturating_mul(2))
}
