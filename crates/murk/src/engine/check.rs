//! What a description must keep to, so that the origin neither panics nor takes more than its
//! due; checked before anything is allocated.
//!
//! The origin refuses a part of it itself. What it takes, and panics on in a later tick, is
//! refused here: a description may come out of a recording of unknown origin.

use std::collections::HashMap;

use murk_core::{FieldId, FieldSet};
use murk_propagator::Propagator as OriginPropagator;
use murk_space::Space as OriginSpace;

use super::cost;
use super::error::{Fault, Place, WorldError};
use super::field::{Field, FieldType, Mutability};
use super::propagator::{Ids, Named, Propagator, Rebuild, Surroundings, Use};
use super::space::{Edge, Space};
use super::value::FindNan;
use super::world::World;

/// Longest description that is read, in bytes.
pub const MAX_DESCRIPTION: usize = 1 << 20;
/// Most values that a world's fields may have together (cells times values a cell).
pub const MAX_VALUES: u64 = 64 << 20;
/// Most values that one field may have, if it is not static: the origin stores it in one piece.
pub const MAX_FIELD_VALUES: u64 = 16 << 20;
/// Most values that the sparse fields may have together. Beyond it the origin can run out of room
/// in the middle of a run, and then drops writes without a word.
pub const MAX_SPARSE_VALUES: u64 = 16 << 20;
/// Most memory that a world may take, in bytes, as far as it can be estimated.
pub const MAX_MEMORY: u64 = 1 << 30;
/// Most cells that the morphological operations of a tick may look at.
pub const MAX_VISITS: u64 = 1 << 28;
/// Most fields.
pub const MAX_FIELDS: usize = 4096;
/// Most propagators.
pub const MAX_PROPAGATORS: usize = 1024;
/// Longest name of a field, and of its unit, in bytes.
pub const MAX_NAME: usize = 256;
/// Most components of one product space.
pub const MAX_COMPONENTS: usize = 16;
/// How deep product spaces may stand in each other.
pub const MAX_NESTING: usize = 4;
/// Most numbers in a coordinate.
pub const MAX_DIMENSIONS: usize = 32;
/// Most commands in a tick: no frame of a recording can hold more.
pub const MAX_INGRESS_QUEUE: u32 = 1_000_000;

/// The origin's parts of a world that was found sound.
pub(super) struct Parts {
    pub(super) space: Box<dyn OriginSpace>,
    pub(super) propagators: Vec<Box<dyn OriginPropagator>>,
    pub(super) rebuilds: Vec<Option<Rebuild>>,
}

fn limit(what: &'static str, claimed: u64, limit: u64) -> Result<(), Fault> {
    if claimed > limit {
        return Err(Fault::Limit {
            what,
            claimed,
            limit,
        });
    }
    Ok(())
}

fn some(what: &'static str, count: usize) -> Result<(), Fault> {
    match count {
        0 => Err(Fault::Empty { what }),
        _ => Ok(()),
    }
}

fn name(text: &str) -> Result<(), Fault> {
    if text.is_empty() || text.len() > MAX_NAME || text.chars().any(char::is_control) {
        return Err(Fault::Name { limit: MAX_NAME });
    }
    Ok(())
}

/// Puts a fault into its place.
fn in_place<T>(result: Result<T, Fault>, place: Place, key: &str) -> Result<T, WorldError> {
    result.map_err(|fault| WorldError::new(place, key, fault))
}

impl World {
    /// Checks all of the description; a world that was read has passed.
    ///
    /// # Errors
    /// As [`World::from_toml`], but that no line can be named.
    pub fn check(&self) -> Result<(), WorldError> {
        self.parts().map(drop)
    }

    pub(super) fn parts(&self) -> Result<Parts, WorldError> {
        if !self.dt.is_finite() || self.dt <= 0.0 {
            let fault = Fault::Value(format!("must be finite and above 0, not {:?}", self.dt));
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
        let numbers = self.check_names()?;
        self.check_propagators(cells, &numbers)?;
        in_place(
            limit("bytes of memory", cost::memory(self, cells), MAX_MEMORY),
            Place::World,
            "",
        )?;
        self.assemble(&numbers)
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
                let fault = Fault::Value(format!(
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

    fn check_names(&self) -> Result<HashMap<&str, usize>, WorldError> {
        let mut numbers = HashMap::with_capacity(self.fields.len());
        for (index, field) in self.fields.iter().enumerate() {
            if let Some(first) = numbers.insert(&*field.name, index) {
                let place = field_place(index, field);
                return Err(WorldError::new(place, "name", Fault::Duplicate { first }));
            }
        }
        Ok(numbers)
    }

    fn check_propagators(
        &self,
        cells: u64,
        numbers: &HashMap<&str, usize>,
    ) -> Result<(), WorldError> {
        let count = self.propagators.len();
        in_place(some("propagator", count), Place::World, "propagator")?;
        let most = limit("propagators", count as u64, MAX_PROPAGATORS as u64);
        in_place(most, Place::World, "propagator")?;
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
                return Err(in_propagator((key, Fault::Nan)));
            }
            let stock = propagator.stock();
            for (named, used) in stock.uses() {
                self.check_use(&around, named, used, index, &mut writers)
                    .map_err(in_propagator)?;
            }
            stock.check(&around).map_err(in_propagator)?;
            visits = visits.saturating_add(stock.visits(dimensions, cells));
            let most = limit("cells looked at in a tick", visits, MAX_VISITS);
            in_place(most, place(), "radius")?;
        }
        Ok(())
    }

    /// That a field which propagator `index` uses is there, and written by it alone.
    fn check_use(
        &self,
        around: &Surroundings<'_>,
        named: Named<'_>,
        used: Use,
        index: usize,
        writers: &mut [Option<usize>],
    ) -> Result<(), (&'static str, Fault)> {
        let (key, number, missing) = match named {
            Named::Key(key, name) => {
                let missing = Fault::NoField { name: name.into() };
                (key, around.numbers.get(name).copied(), missing)
            }
            Named::Number(number, needed) => {
                let fields = self.fields.len();
                let missing = Fault::NoFieldNumber { needed, fields };
                ("", Some(number), missing)
            }
        };
        let Some((number, field)) = number.and_then(|n| Some((n, self.fields.get(n)?))) else {
            return Err((key, missing));
        };
        if used == Use::Read {
            return Ok(());
        }
        // The origin asserts it, in debug builds.
        if used == Use::Update && field.mutability == Mutability::Static {
            let fault = Fault::Value(format!(
                "field {:?} is static: nothing can be written to it",
                field.name
            ));
            return Err((key, fault));
        }
        let writer = writers.get_mut(number);
        match writer.and_then(|writer| writer.replace(index)) {
            None => Ok(()),
            Some(other) => {
                let field = field.name.clone();
                Err((key, Fault::Conflict { field, other }))
            }
        }
    }

    /// Builds the origin's parts, which are small, and has the origin look at them.
    fn assemble(&self, numbers: &HashMap<&str, usize>) -> Result<Parts, WorldError> {
        let space = self
            .space
            .build()
            .map_err(|error| WorldError::new(Place::Space, "", Fault::Origin(error.to_string())))?;
        let ids = Ids(numbers);
        let (mut propagators, mut rebuilds) = (Vec::new(), Vec::new());
        for (index, propagator) in self.propagators.iter().enumerate() {
            let place = || propagator_place(index, propagator);
            let stock = propagator.stock();
            let built = stock.build(&ids).map_err(Fault::Value);
            let built = in_place(built, place(), "")?;
            if let Some(max) = built.max_dt(&*space)
                && self.dt > max
            {
                let by = place().to_string();
                let fault = Fault::TimeStep {
                    dt: self.dt,
                    max,
                    by,
                };
                return Err(WorldError::new(Place::World, "dt", fault));
            }
            propagators.push(built);
            let rebuild = stock.rebuild(&ids).map_err(Fault::Value);
            rebuilds.push(in_place(rebuild, place(), "")?);
        }
        let fields: FieldSet = (0..self.field_count()).map(FieldId).collect();
        let plan = murk_propagator::validate_pipeline(&propagators, &fields, self.dt, &*space);
        let plan = plan.map_err(|error| Fault::Origin(error.to_string()));
        in_place(plan, Place::World, "").map(|_| Parts {
            space,
            propagators,
            rebuilds,
        })
    }
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
                let fault = Fault::Value(format!("must be even where the edge wraps, not {size}"));
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
        Some((key, _)) => error(key, Fault::Empty { what: "cell" }),
        None => Ok(()),
    }
}
