//! The places of entities, and which of them are near.

use alloc::vec::Vec;

use super::model::SendError;
use super::world::World;
use crate::schema::{Codec, Schema, ones};

/// Finds the entities near a place, for [`Sender::encode_near`](crate::Sender::encode_near): in a world
/// of many entities, a sender then passes over those near its receiver, and not over all.
///
/// One grid serves all receivers. It is in the units of the game: a fixed-point value counts as its
/// number divided by the scale, any other number as it is.
///
/// ```
/// use gametape_delta::{
///     Area, Codec, Component, Field, Grid, Receiver, Schema, Sender, Snapshot, Value, World,
/// };
///
/// let fixed = Codec::FixedPoint { min_q: -100_000, max_q: 100_000, scale: 100 };
/// let schema = Schema::new([Component::new(1, [Field::new(1, fixed), Field::new(2, fixed)])])?;
/// let mut world = World::new(&schema);
/// let mut grid = Grid::new(&schema, 1, &[1, 2], 50.0)?;
///
/// let mut state = Snapshot::new(&schema, 1);
/// for id in 0..100 {
///     let x = Value::FixedPoint(i64::from(id) * 1000); // every 10 metres
///     state.entry(id).set(1, &[x, Value::FixedPoint(0)])?;
/// }
/// world.update(&state)?;
/// grid.update(&world); // once a tick
///
/// // For each receiver:
/// let (mut sender, mut receiver) = (Sender::new(&schema), Receiver::new(&schema));
/// let area = Area { centre: [500.0, 0.0, 0.0], enter: 20.0, leave: 25.0 };
/// let mut packet = Vec::new();
/// sender.encode_near(&mut world, &grid, &area, |_| 1, &mut packet)?;
/// receiver.apply(&packet)?;
/// assert_eq!(receiver.view().ids(), [48, 49, 50, 51, 52]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grid {
    schema: Schema,
    /// The index of the component that has the position.
    component: usize,
    axes: Vec<Axis>,
    cell: f64,
    /// The cell of each entity that has a position, with the entity's index; ascending.
    cells: Vec<(u64, u32)>,
    /// The first and the last cell on each axis.
    bounds: [(u64, u64); 3],
    places: Vec<[f64; 3]>,
    /// A bit for each entity: whether it has no position.
    unplaced: Vec<u64>,
    revision: (u64, u32),
}

#[derive(Clone, Copy, Debug)]
struct Axis {
    /// The index of the field in its component.
    field: usize,
    scale: f64,
}

/// The place of a receiver, and how far it sees. An entity that comes as near as `enter` is seen
/// until it is farther away than `leave`: the difference keeps one at the rim from coming and going.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Area {
    /// The place; with two fields, the third number is ignored.
    pub centre: [f64; 3],
    /// The distance at which entities come into view.
    pub enter: f64,
    /// The distance at which they leave it; at least `enter`.
    pub leave: f64,
}

impl Area {
    /// Returns the square of the distance up to which an entity is seen, if it is seen already.
    pub(super) fn reach(&self, is_seen: bool) -> f64 {
        let radius = self.enter.max(if is_seen { self.leave } else { 0.0 });
        radius.max(0.0) * radius.max(0.0)
    }
}

/// An entity that is near.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Near {
    /// Its id.
    pub id: u32,
    /// The square of its distance; 0 if it has no position.
    pub distance_squared: f64,
}

/// Why there is no grid.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// The schema has no such component.
    #[error("the schema has no component {component}")]
    UnknownComponent {
        /// The id that was given.
        component: u16,
    },
    /// The component has no such field.
    #[error("component {component} has no field {field}")]
    UnknownField {
        /// The id of the component.
        component: u16,
        /// The id that was given.
        field: u16,
    },
    /// The field is not a number.
    #[error("field {field} of component {component} is no number")]
    NoNumber {
        /// The id of the component.
        component: u16,
        /// The id of the field.
        field: u16,
    },
    /// A position has two or three fields.
    #[error("a position has 2 or 3 fields, not {fields}")]
    Fields {
        /// The number of fields that were given.
        fields: usize,
    },
    /// The size of a cell is not a positive number.
    #[error("a cell has a size above 0, {size} was given")]
    Cell {
        /// The size that was given.
        size: f64,
    },
}

/// Cells have so many bits on each axis; what is farther away counts as in the outermost cell.
const BITS: u32 = 21;

impl Grid {
    /// Creates a grid over the position in these fields of a component, with cells of a size in the
    /// units of the game. A good size is about half of the distance that receivers see.
    pub fn new(
        schema: &Schema,
        component: u16,
        fields: &[u16],
        cell: f64,
    ) -> Result<Self, GridError> {
        if !(2..=3).contains(&fields.len()) {
            return Err(GridError::Fields {
                fields: fields.len(),
            });
        }
        if !(cell > 0.0 && cell.is_finite()) {
            return Err(GridError::Cell { size: cell });
        }
        let found = schema.component(component);
        let (index, definition) = found.ok_or(GridError::UnknownComponent { component })?;
        let axis = |id: &u16| {
            let at = definition.fields.iter().position(|field| field.id == *id);
            let unknown = GridError::UnknownField {
                component,
                field: *id,
            };
            let at = at.ok_or(unknown)?;
            let scale = match definition.fields.get(at).map(|field| field.codec) {
                Some(Codec::FixedPoint { scale, .. }) => f64::from(scale),
                Some(Codec::Bool) => {
                    return Err(GridError::NoNumber {
                        component,
                        field: *id,
                    });
                }
                _ => 1.0,
            };
            Ok(Axis { field: at, scale })
        };
        Ok(Self {
            schema: schema.clone(),
            component: index,
            axes: fields.iter().map(axis).collect::<Result<_, _>>()?,
            cell,
            cells: Vec::new(),
            bounds: [(0, 0); 3],
            places: Vec::new(),
            unplaced: Vec::new(),
            revision: (0, 0),
        })
    }

    /// Takes the places of all entities of the newest state. To be called after each
    /// [`World::update`], and after [`World::despawn`] if packets are sent before the next update.
    pub fn update(&mut self, world: &World) {
        self.cells.clear();
        self.places.clear();
        self.unplaced.clear();
        self.unplaced.resize(world.ids().len().div_ceil(64), 0);
        self.bounds = [(u64::MAX, 0); 3];
        self.revision = (world.revision(), world.tick());
        let layout = self.schema.layout();
        let plans = layout.fields(self.component);
        for (at, row) in world.state().rows.iter().enumerate() {
            let mut place = [0.0; 3];
            if row.mask >> self.component & 1 == 0 {
                if let Some(word) = self.unplaced.get_mut(at / 64) {
                    *word |= 1 << (at % 64);
                }
                self.places.push(place);
                continue;
            }
            let from = layout.offset(row.mask, self.component);
            for (axis, to) in self.axes.iter().zip(&mut place) {
                let plan = plans.get(axis.field);
                let code = row.codes.get(from + axis.field);
                if let (Some(plan), Some(code)) = (plan, code) {
                    *to = plan.value(*code).as_i128() as f64 / axis.scale;
                }
            }
            let cell = place.map(|number| self.cell_of(number));
            for ((low, high), cell) in self.bounds.iter_mut().zip(cell) {
                (*low, *high) = ((*low).min(cell), (*high).max(cell));
            }
            self.cells.push((key(cell), at as u32));
            self.places.push(place);
        }
        self.cells.sort_unstable();
    }

    /// Checks that it has the places of the world's newest state, and that the area is somewhere.
    pub(super) fn check(&self, world: &World, area: &Area) -> Result<(), SendError> {
        let is_new = self.revision == (world.revision(), world.tick());
        if !is_new || self.places.len() != world.ids().len() {
            return Err(SendError::StaleGrid);
        }
        let mut centre = area.centre.iter().take(self.axes.len());
        let radii = [area.enter, area.leave];
        if centre.all(|number| number.is_finite()) && radii.iter().all(|radius| !radius.is_nan()) {
            Ok(())
        } else {
            Err(SendError::Nowhere)
        }
    }

    pub(super) const fn schema(&self) -> &Schema {
        &self.schema
    }

    fn cell_of(&self, number: f64) -> u64 {
        let middle = 1 << (BITS - 1);
        let cells = number / self.cell;
        let whole = cells as i64;
        let floor = whole.saturating_sub(i64::from(whole as f64 > cells));
        floor.saturating_add(middle).clamp(0, 2 * middle - 1) as u64
    }

    /// Puts the entities within a distance of a place into `found`, and those without a position, in ascending
    /// order: for an explosion, or to ask a game for many weights at once. The grid must be
    /// [updated](Self::update) after the world.
    ///
    /// ```
    /// # use gametape_delta::{Codec, Component, Field, Grid, Schema, Snapshot, Value, World};
    /// # let field = |id| Field::new(id, Codec::SInt { bits: 8 });
    /// # let schema = Schema::new([Component::new(1, [field(1), field(2)])])?;
    /// # let (mut world, mut grid) = (World::new(&schema), Grid::new(&schema, 1, &[1, 2], 8.0)?);
    /// # let mut state = Snapshot::new(&schema, 1);
    /// for (id, x) in [(1, 3), (2, 30)] {
    ///     state.entry(id).set(1, &[Value::SInt(x), Value::SInt(4)])?;
    /// }
    /// world.update(&state)?;
    /// grid.update(&world);
    /// let mut found = Vec::new();
    /// grid.near(&world, [0.0; 3], 10.0, &mut found)?;
    /// assert_eq!((found[0].id, found[0].distance_squared, found.len()), (1, 25.0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn near(
        &self,
        world: &World,
        centre: [f64; 3],
        distance: f64,
        found: &mut Vec<Near>,
    ) -> Result<(), SendError> {
        let area = Area {
            centre,
            enter: distance,
            leave: distance,
        };
        self.check(world, &area)?;
        let reach = area.reach(true);
        found.clear();
        let mut push = |at: usize| {
            let distance_squared = self.distance_squared(at, &area);
            let is_near = distance_squared <= reach;
            if let Some(id) = world.ids().get(at).filter(|_| is_near) {
                found.push(Near {
                    id: *id,
                    distance_squared,
                });
            }
        };
        for (word, bits) in self.unplaced.iter().enumerate() {
            ones(*bits).for_each(|bit| push(word * 64 + bit));
        }
        self.visit(&area, |at| push(at as usize));
        found.sort_unstable_by_key(|near| near.id);
        Ok(())
    }

    /// Sets the bits of all entities that may be within an area, or have no position; also some of
    /// others.
    pub(super) fn candidates(&self, area: &Area, bits: &mut Vec<u64>) {
        bits.clone_from(&self.unplaced);
        self.visit(area, |at| {
            if let Some(word) = bits.get_mut(at as usize / 64) {
                *word |= 1 << (at % 64);
            }
        });
    }

    /// Visits each entity that has a position and may be within an area once; also some of others.
    #[inline]
    fn visit(&self, area: &Area, mut visit: impl FnMut(u32)) {
        let radius = area.enter.max(area.leave).max(0.0);
        let mut ranges = self.bounds;
        for ((low, high), centre) in ranges.iter_mut().zip(area.centre).take(self.axes.len()) {
            *low = (*low).max(self.cell_of(centre - radius));
            *high = (*high).min(self.cell_of(centre + radius));
        }
        if ranges.iter().any(|(low, high)| low > high) {
            return;
        }
        let [(from, to), (y_from, y_to), (z_from, z_to)] = ranges;
        let rows = (y_to - y_from + 1) * (z_to - z_from + 1);
        if rows > self.cells.len() as u64 {
            // Looking at all is less work.
            self.cells.iter().for_each(|(_, at)| visit(*at));
            return;
        }
        for z in z_from..=z_to {
            for y in y_from..=y_to {
                let (first, last) = (key([from, y, z]), key([to, y, z]));
                let before = self.cells.partition_point(|(cell, _)| *cell < first);
                let rest = self.cells.get(before..).unwrap_or_default();
                let row = rest.iter().take_while(|(cell, _)| *cell <= last);
                row.for_each(|(_, at)| visit(*at));
            }
        }
    }

    /// Returns the square of the distance of the entity at `at`; 0 if it has no position.
    pub(super) fn distance_squared(&self, at: usize, area: &Area) -> f64 {
        let is_unplaced = self
            .unplaced
            .get(at / 64)
            .map_or(0, |word| word >> (at % 64));
        let place = self.places.get(at).filter(|_| is_unplaced & 1 == 0);
        place.map_or(0.0, |place| {
            let apart = place.iter().zip(area.centre).take(self.axes.len());
            let squares = apart.map(|(place, centre)| (place - centre) * (place - centre));
            squares.sum()
        })
    }
}

/// Cells with the same y and z are a row, in which they follow one another.
const fn key([x, y, z]: [u64; 3]) -> u64 {
    z << (2 * BITS) | y << BITS | x
}
