//! Replicates entities of Bevy with gametape-delta. Copy this folder into your game.
//!
//! On the server, add [`Server::new`] as a resource, [`publish`] as the last system, and
//! [`Replicated`] to the entities that clients shall see. On a client, add [`Client::new`] and, as
//! the first system, [`receive`]. Packets and feedback are bytes: carry them as you like, they may
//! get lost.

mod client;
mod server;

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use gametape_delta::{Replicate, ReplicateField, Schema, SchemaError, Snapshot, ValueError};

pub use client::{Client, receive};
pub use server::{Server, publish};

/// Marks an entity of the server that is replicated.
#[derive(Component)]
pub struct Replicated;

/// The id of an entity on the wire, the same on server and clients. [`publish`] adds it.
#[derive(Component, ReplicateField, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NetId(#[replicate(varint)] pub u32);

/// The components that are replicated. Server and clients have the same.
#[derive(Clone, Default)]
pub struct Components(Vec<Kind>);

#[derive(Clone)]
struct Kind {
    definition: gametape_delta::Component,
    write: fn(&EntityRef, &mut Snapshot, NetId) -> Result<(), ValueError>,
    show: fn(&mut EntityWorldMut, &Snapshot, NetId) -> Result<(), ValueError>,
}

impl Components {
    /// Adds a component.
    #[must_use]
    pub fn with<T: Component<Mutability = Mutable> + Replicate>(mut self) -> Self {
        self.0.push(Kind {
            definition: T::component(),
            write: |entity, state, id| {
                let value = entity.get::<T>();
                value.map_or(Ok(()), |value| state.put(id.0, value))
            },
            show: |entity, view, id| {
                let value = match view.get::<T>(id.0) {
                    Err(ValueError::NoComponent { .. }) => {
                        entity.remove::<T>();
                        return Ok(());
                    }
                    value => value?,
                };
                // A component that stays is changed in place, for hooks and `Changed<T>`.
                if let Some(mut old) = entity.get_mut::<T>() {
                    *old = value;
                } else {
                    entity.insert(value);
                }
                Ok(())
            },
        });
        self
    }

    fn schema(&self) -> Result<Schema, SchemaError> {
        let all = self.0.iter().map(|kind| kind.definition.clone());
        Schema::new(all.collect::<Vec<_>>())
    }
}
