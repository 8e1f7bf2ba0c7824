//! The server's side.

use bevy_ecs::prelude::*;
use gametape_delta::{Feedback, SchemaError, Sender, Snapshot};

use super::{Components, NetId, Replicated};

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
