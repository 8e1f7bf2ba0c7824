//! Replicates entities of Bevy with gametape-delta. Copy this file into your game.
//!
//! On the server, add [`Server::new`] as a resource, [`publish`] as the last system, and
//! [`Replicated`] to the entities that clients shall see. On a client, add [`Client::new`] and, as
//! the first system, [`receive`]. Packets and feedback are bytes: carry them as you like, they may
//! get lost.

use std::collections::HashMap;
use std::mem;

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use gametape_delta::{
    Feedback, Receiver, Replicate, ReplicateField, Schema, SchemaError, Sender, Snapshot,
    ValueError, ViewEvent,
};

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

/// The server's side of all sessions.
#[derive(Resource)]
pub struct Server {
    components: Components,
    /// The newest state, and when each value changed.
    log: gametape_delta::World,
    state: Snapshot,
    /// The newest entity's id on the wire.
    pub last_id: u32,
    /// The clients, in the order of [`Server::connect`].
    pub clients: Vec<Session>,
}

/// The server's side of a session.
pub struct Session {
    sender: Sender,
    /// The packet of this tick.
    pub packet: Vec<u8>,
}

impl Server {
    /// Creates a server without clients.
    pub fn new(components: Components) -> Result<Self, SchemaError> {
        let schema = components.schema()?;
        Ok(Self {
            components,
            log: gametape_delta::World::new(&schema),
            state: Snapshot::new(&schema, 0),
            last_id: 0,
            clients: Vec::new(),
        })
    }

    /// Adds a client.
    pub fn connect(&mut self) {
        self.clients.push(Session {
            sender: Sender::new(self.log.schema()),
            packet: Vec::new(),
        });
    }
}

impl Session {
    /// Takes what the client sent.
    pub fn feedback(&mut self, bytes: &[u8]) {
        if let Some(feedback) = Feedback::from_bytes(bytes) {
            self.sender.feedback(&feedback);
        }
    }
}

/// Makes the packets of a tick: the last system of the server.
pub fn publish(
    world: &mut World,
    born: &mut QueryState<Entity, (With<Replicated>, Without<NetId>)>,
    all: &mut QueryState<(&NetId, EntityRef), With<Replicated>>,
) -> Result {
    world.resource_scope(|world, mut server: Mut<Server>| {
        let server = &mut *server;
        for entity in born.iter(world).collect::<Vec<_>>() {
            server.last_id += 1; // Never used again, unlike the index of an `Entity`.
            world.entity_mut(entity).insert(NetId(server.last_id));
        }
        server.state.clear();
        server.state.set_tick(server.log.tick() + 1);
        for (id, entity) in all.iter(world).sort::<&NetId>() {
            server.state.entry(id.0);
            for kind in &server.components.0 {
                (kind.write)(&entity, &mut server.state, *id)?;
            }
        }
        server.log.update(&server.state)?;
        for client in &mut server.clients {
            client.sender.encode(&mut server.log, &mut client.packet)?;
        }
        Ok(())
    })
}

/// The client's side of a session.
#[derive(Resource)]
pub struct Client {
    components: Components,
    receiver: Receiver,
    /// The entities, by their ids.
    pub entities: HashMap<NetId, Entity>,
    /// The packets that have arrived since the last tick.
    pub inbox: Vec<Vec<u8>>,
    /// The feedback for the server.
    pub outbox: Vec<[u8; 13]>,
}

impl Client {
    /// Creates a client that has seen nothing yet.
    pub fn new(components: Components) -> Result<Self, SchemaError> {
        let receiver = Receiver::new(&components.schema()?);
        Ok(Self {
            components,
            receiver,
            entities: HashMap::new(),
            inbox: Vec::new(),
            outbox: Vec::new(),
        })
    }

    /// Shows one component of an entity, or all.
    fn show(&self, world: &mut World, id: NetId, only: Option<u16>) -> Result<(), ValueError> {
        let entity = self.entities.get(&id);
        if let Some(mut entity) = entity.and_then(|entity| world.get_entity_mut(*entity).ok()) {
            for kind in &self.components.0 {
                if only.is_none_or(|component| component == kind.definition.id) {
                    (kind.show)(&mut entity, self.receiver.view(), id)?;
                }
            }
        }
        Ok(())
    }

    /// Does to the world what the last packet did to the view.
    fn follow(&mut self, world: &mut World) -> Result<(), ValueError> {
        for event in self.receiver.events() {
            let id = NetId(event.entity());
            match *event {
                ViewEvent::Spawned { .. } => {
                    self.entities.insert(id, world.spawn(id).id());
                    self.show(world, id, None)?;
                }
                ViewEvent::Despawned { .. } => {
                    let entity = self.entities.remove(&id);
                    // The game may have despawned it already.
                    let _ = entity.map(|entity| world.try_despawn(entity));
                }
                ViewEvent::Gained { component, .. }
                | ViewEvent::Lost { component, .. }
                | ViewEvent::Changed { component, .. } => self.show(world, id, Some(component))?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Applies the packets that have arrived: the first system of a client.
pub fn receive(world: &mut World) -> Result {
    world.resource_scope(|world, mut client: Mut<Client>| {
        for packet in mem::take(&mut client.inbox) {
            let feedback = match client.receiver.apply(&packet) {
                Ok(received) => {
                    client.follow(world)?;
                    Some(received.ack)
                }
                Err(error) => error.feedback(),
            };
            client
                .outbox
                .extend(feedback.map(|feedback| feedback.to_bytes()));
        }
        Ok(())
    })
}
