//! Components that only some receivers see.

/// As whom a receiver sees an entity, from the least rights to the most.
///
/// ```
/// use gametape_delta::{Audience, Codec, Component, Field, Receiver, Relevance, Schema, Sender, Snapshot, Value, World};
///
/// let bits = |bits| [Field::new(1, Codec::UInt { bits })];
/// // The place of a player, and his cards.
/// let schema = Schema::new([Component::new(1, bits(7)), Component::new(2, bits(12))])?;
/// let mut world = World::new(&schema);
/// world.restrict(2, Audience::Owner)?;
/// let mut state = Snapshot::new(&schema, 1);
/// for player in [7, 8] {
///     state.entry(player).set(1, &[Value::UInt(50)])?.set(2, &[Value::UInt(1234)])?;
/// }
/// world.update(&state)?;
///
/// // The receiver is player 7.
/// let audience = |player| if player == 7 { Audience::Owner } else { Audience::All };
/// let relevance = |player| Relevance { weight: 1, audience: audience(player) };
/// let (mut sender, mut receiver) = (Sender::new(&schema), Receiver::new(&schema));
/// let mut packet = Vec::new();
/// sender.encode_visible(&mut world, relevance, &mut packet)?;
/// receiver.apply(&packet)?;
/// let sees = |player, component| receiver.view().entity(player).unwrap().component(component).is_some();
/// assert!(sees(7, 1) && sees(7, 2) && sees(8, 1) && !sees(8, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Audience {
    /// Everybody, if nothing else is said.
    #[default]
    All,
    /// The owner's team.
    Team,
    /// The owner.
    Owner,
}

impl Audience {
    pub(super) const EACH: [Self; 3] = [Self::All, Self::Team, Self::Owner];
}

/// How much an entity matters to a receiver, and as whom it sees the entity. A number is a weight,
/// for [`Audience::All`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relevance {
    /// The longer a change waits and the larger this weight is, the sooner the change is sent. With
    /// weight 0 the receiver may not see the entity.
    pub weight: u32,
    /// The rights of the receiver to see components: see [`World::restrict`](crate::World::restrict).
    pub audience: Audience,
}

impl From<u32> for Relevance {
    fn from(weight: u32) -> Self {
        Self {
            weight,
            audience: Audience::All,
        }
    }
}

/// Why a component was not restricted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestrictError {
    /// The schema has no such component.
    #[error("the schema has no component {component}")]
    UnknownComponent {
        /// The id that was given.
        component: u16,
    },
    /// The world has a state, which receivers may have seen.
    #[error("components are restricted before the first state, and this world is at tick {tick}")]
    Late {
        /// The tick of the world.
        tick: u32,
    },
}

/// The components that each audience sees, as masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sees([u64; 3]);

impl Sees {
    pub const EVERYTHING: Self = Self([u64::MAX; 3]);

    pub fn of(self, audience: Audience) -> u64 {
        let Self([all, team, owner]) = self;
        match audience {
            Audience::All => all,
            Audience::Team => team,
            Audience::Owner => owner,
        }
    }

    /// Hides a component from those below an audience, and from no one else.
    pub fn restrict(&mut self, component: usize, least: Audience) {
        for (mask, audience) in self.0.iter_mut().zip(Audience::EACH) {
            *mask &= !(1 << component);
            *mask |= u64::from(audience >= least) << component;
        }
    }

    /// Returns the least audience that sees the same of an entity with these components: its *face*.
    /// Two faces always differ in their components.
    fn face(self, audience: Audience, mask: u64) -> Audience {
        let same = |other: &Audience| (self.of(*other) ^ self.of(audience)) & mask == 0;
        Audience::EACH.into_iter().find(same).unwrap_or(audience)
    }
}

/// An entity as an audience sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// Since when it exists with the components of this face. One that is older at the receiver has
    /// to be destroyed and created.
    pub born: u32,
    /// When any of their values last changed.
    pub changed: u32,
    pub face: Audience,
    /// See [`Head::heir_of`](super::change::Head::heir_of).
    pub heir_of: u32,
}

/// An entity as each audience sees it.
pub(super) type Faces = [Stamp; 3];

/// Returns the faces of an entity at a tick. `before` is the same entity in the state before, with
/// its faces there; `changed` says of each component whether a value changed in this tick.
pub(super) fn faces(
    sees: Sees,
    mask: u64,
    changed: u64,
    tick: u32,
    before: Option<(u64, &Faces)>,
) -> Faces {
    Audience::EACH.map(|audience| {
        let face = sees.face(audience, mask);
        let visible = sees.of(audience);
        let same = before.filter(|(old, _)| (old ^ mask) & visible == 0);
        let Some(then) = same.and_then(|(_, faces)| faces.get(audience as usize)) else {
            return Stamp {
                born: tick,
                changed: tick,
                face,
                heir_of: 0,
            };
        };
        let is_new = changed & visible != 0;
        Stamp {
            born: then.born,
            changed: if is_new { tick } else { then.changed },
            face,
            heir_of: 0,
        }
    })
}
