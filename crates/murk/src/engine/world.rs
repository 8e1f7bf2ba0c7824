//! The description of a world, as plain data.

use std::borrow::Cow;

use super::error::{Fault, Place, WorldError};
use super::field::Field;
use super::own::Kinds;
use super::propagator::Propagator;
use super::space::Space;
use super::value::{Sink, Table};
use crate::hash::config_hash;
use crate::model::{Build, Header};

/// The version of Murk that drives the worlds.
pub const MURK_VERSION: &str = "0.1.9";

/// The first line of a canonical description.
const FIRST_LINE: &str = "# gametape world 1\n";
/// What the first line of every version starts with.
const ANY_VERSION: &str = "# gametape world ";

/// A world: all that Murk's lockstep engine needs to make the same ticks again.
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
    /// Seed of the random numbers. (The engine does not use it: noise is seeded by its
    /// propagator.)
    pub seed: u64,
    /// Seconds from one tick to the next.
    pub dt: f64,
    /// Commands that the engine takes in one tick.
    pub max_ingress_queue: u32,
    /// The cells.
    pub space: Space,
    /// What each cell has.
    pub fields: Vec<Field>,
    /// What happens in each tick, in this order.
    pub propagators: Vec<Propagator>,
}

impl World {
    /// Commands that the engine takes in one tick, if a world says nothing else.
    pub const DEFAULT_INGRESS_QUEUE: u32 = 1024;

    /// A world of empty cells, in which nothing happens: it needs fields and propagators yet.
    #[must_use]
    pub const fn new(space: Space, dt: f64) -> Self {
        Self {
            seed: 0,
            dt,
            max_ingress_queue: Self::DEFAULT_INGRESS_QUEUE,
            space,
            fields: Vec::new(),
            propagators: Vec::new(),
        }
    }

    /// Reads the world that a recording carries; `None` where its descriptor is somebody else's,
    /// or empty.
    ///
    /// # Errors
    /// As [`World::from_toml`]; [`Fault::Version`] for a description in an encoding of a later
    /// gametape.
    #[must_use]
    pub fn from_descriptor(descriptor: &[u8]) -> Option<Result<Self, WorldError>> {
        Self::from_descriptor_with(descriptor, &Kinds::new())
    }

    /// As [`World::from_descriptor`]; propagators may be of these kinds, too.
    ///
    /// # Errors
    /// As [`World::from_toml_with`]; [`Fault::Version`].
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
            return Some(Err(error(Fault::Version { found })));
        }
        Some(match std::str::from_utf8(descriptor) {
            Ok(text) => Self::from_toml_with(text, kinds),
            Err(utf8) => Err(error(Fault::Utf8 {
                at: utf8.valid_up_to(),
            })),
        })
    }

    /// True for a descriptor of any version of ours.
    pub(super) fn is_ours(descriptor: &[u8]) -> bool {
        descriptor.starts_with(ANY_VERSION.as_bytes())
    }

    /// The description as it goes into recordings: every default filled in, keys in a fixed
    /// order, numbers so that they read back bit by bit. Descriptions that mean the same world
    /// have the same bytes, whatever their comments and their layout.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut text = FIRST_LINE.to_owned();
        let mut table = Table::lines(&mut text);
        table.key("seed", &self.seed);
        table.key("dt", &self.dt);
        table.key("max_ingress_queue", &self.max_ingress_queue);
        text.push_str("\n[space]\n");
        self.space.give_keys(&mut Table::lines(&mut text));
        for field in &self.fields {
            text.push_str("\n[[field]]\n");
            let mut table = Table::lines(&mut text);
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

    /// Cells; `u64::MAX` where 64 bits can't count them, which no world that was read has.
    #[must_use]
    pub fn cell_count(&self) -> u64 {
        self.space.cell_count().unwrap_or(u64::MAX)
    }

    /// Fields.
    #[must_use]
    pub fn field_count(&self) -> u32 {
        u32::try_from(self.fields.len()).unwrap_or(u32::MAX)
    }

    /// The hash that a recording of this world has in its header.
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

    /// The header of a recording of this world, made by this program.
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

    /// The number of the field of this name.
    #[must_use]
    pub fn field_number(&self, name: &str) -> Option<u32> {
        let index = self.fields.iter().position(|field| field.name == name)?;
        u32::try_from(index).ok()
    }
}
