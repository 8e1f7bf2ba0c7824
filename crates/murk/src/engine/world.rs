//! The description of a world and its fields, as plain data.

use std::borrow::Cow;

use murk_core::{BoundaryBehavior, FieldMutability};

use super::define::{kinds, words};
use super::error::{Place, WorldError, WorldFault};
use super::own::Kinds;
use super::propagator::Propagator;
use super::space::Space;
use super::value::{Sink, TableWriter};
use crate::audit::DEFAULT_INGRESS_QUEUE;
use crate::model::{Build, ConfigForm, Header};
use crate::simulation::hash::config_hash;

/// The version of the engine that runs the worlds.
pub const MURK_VERSION: &str = "0.1.9";

/// The first line of a canonical description.
const FIRST_LINE: &str = "# gametape world 1\n";
/// The start of the first line in every version.
const ANY_VERSION: &str = "# gametape world ";

/// A world: everything that Murk's lockstep engine needs to make the same ticks again.
///
/// It is read from a TOML file, and its [`canonical`](Self::canonical) text goes into a
/// recording's header, so that the recording can be verified without anything else.
///
/// ```
/// use gametape_murk::engine::World;
/// let world = World::from_toml(r#"
///     seed = 42
///     dt = 0.1
///     [space]
///     kind = "square4"
///     rows = 16
///     cols = 16
///     edge = "absorb"
///     [[field]]
///     name = "heat"
///     type = "scalar"
///     mutability = "per_tick"
///     [[propagator]]
///     kind = "scalar_diffusion"
///     input_field = "heat"
///     output_field = "heat"
///     coefficient = 0.1
/// "#)?;
/// assert_eq!(world.cell_count(), 256);
/// let carried = World::from_descriptor(&world.canonical()).unwrap()?;
/// assert_eq!(carried, world);
/// # Ok::<(), gametape_murk::engine::WorldError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct World {
    /// The seed of the random numbers. (The engine does not use it; noise has the seed of its
    /// propagator.)
    pub seed: u64,
    /// The seconds from one tick to the next.
    pub dt: f64,
    /// The number of commands that the engine takes in one tick.
    pub max_ingress_queue: u32,
    /// The cells.
    pub space: Space,
    /// The fields of each cell.
    pub fields: Vec<Field>,
    /// The propagators, in the order in which they run in each tick.
    pub propagators: Vec<Propagator>,
}

impl World {
    /// Creates a world without fields and propagators.
    #[must_use]
    pub const fn new(space: Space, dt: f64) -> Self {
        Self {
            seed: 0,
            dt,
            max_ingress_queue: DEFAULT_INGRESS_QUEUE,
            space,
            fields: Vec::new(),
            propagators: Vec::new(),
        }
    }

    /// Reads the world that a recording carries; `None` if its descriptor is empty or is not a
    /// description of a world.
    ///
    /// # Errors
    /// Same as [`World::from_toml`]; [`WorldFault::Version`] for a description in an encoding of a later
    /// gametape.
    #[must_use]
    pub fn from_descriptor(descriptor: &[u8]) -> Option<Result<Self, WorldError>> {
        Self::from_descriptor_with(descriptor, &Kinds::new())
    }

    /// [`World::from_descriptor`] for a world whose propagators may have these kinds, too.
    ///
    /// # Errors
    /// Same as [`World::from_toml_with`]; [`WorldFault::Version`].
    #[must_use]
    pub fn from_descriptor_with(
        descriptor: &[u8],
        kinds: &Kinds,
    ) -> Option<Result<Self, WorldError>> {
        let rest = descriptor.strip_prefix(ANY_VERSION.as_bytes())?;
        let version = rest.split(|&byte| byte == b'\n').next().unwrap_or(rest);
        let error = |fault| WorldError::new(Place::World, "", fault).at_line(Some(1));
        if version.trim_ascii_end() != b"1" {
            let found = version.get(..16.min(version.len())).unwrap_or_default();
            let found = String::from_utf8_lossy(found).into_owned();
            return Some(Err(error(WorldFault::Version { found })));
        }
        Some(match std::str::from_utf8(descriptor) {
            Ok(text) => Self::from_toml_with(text, kinds),
            Err(utf8) => Err(error(WorldFault::Utf8 {
                at: utf8.valid_up_to(),
            })),
        })
    }

    /// Returns true for a description of any version.
    pub(super) fn is_ours(descriptor: &[u8]) -> bool {
        descriptor.starts_with(ANY_VERSION.as_bytes())
    }

    /// Returns the description as it is stored in recordings, with every default filled in, keys in
    /// a fixed order, and numbers that read back bit by bit. Descriptions of the same world have
    /// the same bytes, independently of their comments and their layout.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut text = FIRST_LINE.to_owned();
        let mut table = TableWriter::lines(&mut text);
        table.key("seed", &self.seed);
        table.key("dt", &self.dt);
        table.key("max_ingress_queue", &self.max_ingress_queue);
        text.push_str("\n[space]\n");
        self.space.give_keys(&mut TableWriter::lines(&mut text));
        for field in &self.fields {
            text.push_str("\n[[field]]\n");
            let mut table = TableWriter::lines(&mut text);
            table.key("name", &field.name);
            field.field_type.give_keys(&mut table);
            table.key("mutability", &field.mutability);
            table.key("units", &field.units);
            table.key("bounds", &field.bounds);
            table.key("boundary", &field.boundary);
        }
        for propagator in &self.propagators {
            text.push_str("\n[[propagator]]\n");
            propagator.write(&mut text);
        }
        text.into_bytes()
    }

    /// Returns the number of cells; `u64::MAX` if 64 bits can't count them, which is impossible for
    /// a world that was read.
    #[must_use]
    pub fn cell_count(&self) -> u64 {
        self.space.cell_count().unwrap_or(u64::MAX)
    }

    /// Returns the number of fields.
    #[must_use]
    pub fn field_count(&self) -> u32 {
        u32::try_from(self.fields.len()).unwrap_or(u32::MAX)
    }

    /// Returns the hash in the headers of this world's recordings.
    #[must_use]
    pub fn config_hash(&self) -> u64 {
        self.hash_with(&self.canonical())
    }

    fn hash_with(&self, canonical: &[u8]) -> u64 {
        config_hash(
            self.seed,
            self.dt,
            self.field_count(),
            self.cell_count(),
            canonical,
        )
    }

    /// Returns the header of a recording of this world, made by this program.
    #[must_use]
    pub fn header(&self) -> Header<'static> {
        let canonical = self.canonical();
        Header {
            build: Build {
                toolchain: Cow::Borrowed(crate::build::TOOLCHAIN),
                target_triple: Cow::Borrowed(crate::build::TARGET),
                murk_version: Cow::Borrowed(MURK_VERSION),
                compile_flags: Cow::Borrowed(crate::build::PROFILE),
            },
            seed: self.seed,
            config_hash: self.hash_with(&canonical),
            field_count: self.field_count(),
            cell_count: self.cell_count(),
            space_descriptor: Cow::Owned(canonical),
        }
    }

    /// Returns the number of the field with this name.
    #[must_use]
    pub fn field_number(&self, name: &str) -> Option<u32> {
        let index = self.fields.iter().position(|field| field.name == name)?;
        u32::try_from(index).ok()
    }
}

/// The inputs of a world's `config_hash`, in each of its forms.
pub(super) struct Config {
    pub dt: f64,
    pub fields: u32,
    pub cells: u64,
    /// The hash of the whole world.
    pub whole: u64,
}

impl Config {
    /// Returns the form of a recording's hash; `None` if it is the hash of another world.
    ///
    /// The seed is the recording's, because the engine does not use one.
    pub fn form(&self, header: &Header<'_>) -> Option<ConfigForm> {
        let descriptor = &header.space_descriptor;
        let of = |descriptor: &[u8]| {
            config_hash(header.seed, self.dt, self.fields, self.cells, descriptor)
        };
        match header.config_hash {
            0 => Some(ConfigForm::Unset),
            hash if hash == self.whole => Some(ConfigForm::Whole),
            hash if hash == of(&[]) => Some(ConfigForm::Counts),
            // A description of ours is a whole world, and its whole hash would have matched.
            hash if !World::is_ours(descriptor) && hash == of(descriptor) => {
                Some(ConfigForm::Descriptor)
            }
            _ => None,
        }
    }
}

words! {
    /// How long a field's values last.
    Mutability("mutability") of FieldMutability {
        /// All zeros, forever: the engine has no way to write it.
        Static = "static" => FieldMutability::Static,
        /// For one tick, unless a propagator carries them over.
        PerTick = "per_tick" => FieldMutability::PerTick,
        /// Until they are written again.
        Sparse = "sparse" => FieldMutability::Sparse,
    }

    /// The treatment of values outside of a field's bounds. (The engine does not use it.)
    Boundary("behaviour") of BoundaryBehavior {
        /// They are set to the bound.
        Clamp = "clamp" => BoundaryBehavior::Clamp,
        /// They are reflected.
        Reflect = "reflect" => BoundaryBehavior::Reflect,
        /// They are absorbed.
        Absorb = "absorb" => BoundaryBehavior::Absorb,
        /// They re-enter at the other bound.
        Wrap = "wrap" => BoundaryBehavior::Wrap,
    }
}

kinds! {
    /// The content of a field in each cell.
    FieldType by "type" {
        /// A number.
        Scalar = "scalar" {}
        /// Several numbers.
        Vector = "vector" {
            /// The number of components.
            dims: u32,
        }
        /// One of a few values, as a number.
        Categorical = "categorical" {
            /// The number of values.
            n_values: u32,
        }
    }
}

impl FieldType {
    /// Returns the number of values in each cell.
    #[must_use]
    pub const fn components(&self) -> u32 {
        match self {
            Self::Vector { dims } => *dims,
            Self::Scalar {} | Self::Categorical { .. } => 1,
        }
    }
}

/// A field of a world. Commands name it by its number in the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// The name, which is unique.
    pub name: String,
    /// The content of each cell.
    pub field_type: FieldType,
    /// How long values last.
    pub mutability: Mutability,
    /// The unit.
    pub units: Option<String>,
    /// The least and the greatest value. (The engine does not use them.)
    pub bounds: Option<(f32, f32)>,
    /// The treatment of values outside of the bounds.
    pub boundary: Boundary,
}
