//! Server and clients as three apps in one process. A simulated network carries what they send to
//! each other.

use bevy_app::prelude::*;
use bevy_ecs::error::BevyError;
use gametape_delta::network::{Conditions, Link};

use crate::game::{Calm, Game, components, units};
use crate::replicate::{Client, Server, publish, receive};

/// A server and two clients.
pub struct Match {
    pub server: App,
    pub clients: [Place; 2],
    tick: u32,
}

/// A client, and its network.
pub struct Place {
    pub app: App,
    pub down: Link<Vec<u8>>,
    up: Link<[u8; 13]>,
    /// The bytes of all packets for it.
    pub bytes: usize,
}

impl Match {
    pub fn new(seed: u64, conditions: Conditions) -> Result<Self, BevyError> {
        let mut server = Server::new(components())?;
        let mut client = |seed| -> Result<Place, BevyError> {
            server.connect();
            let mut app = App::new();
            app.insert_resource(Client::new(components())?)
                .add_systems(First, receive);
            Ok(Place {
                app,
                down: Link::new(conditions, seed),
                up: Link::new(conditions, seed + 1),
                bytes: 0,
            })
        };
        let clients = [client(seed + 100)?, client(seed + 200)?];
        let mut app = App::new();
        app.insert_resource(server)
            .add_plugins(Game { seed })
            .add_systems(Last, publish);
        Ok(Self {
            server: app,
            clients,
            tick: 0,
        })
    }

    /// Plays a tick.
    pub fn step(&mut self) {
        self.tick += 1;
        let now = self.tick;
        self.server.update();
        let mut server = self.server.world_mut().resource_mut::<Server>();
        for (session, place) in server.clients.iter_mut().zip(&mut self.clients) {
            place.bytes += session.packet.len();
            place
                .down
                .send(now, session.packet.len(), session.packet.clone());
            let mut client = place.app.world_mut().resource_mut::<Client>();
            while let Some(packet) = place.down.arrive(now) {
                client.inbox.push(packet);
            }
            place.app.update();
            let mut client = place.app.world_mut().resource_mut::<Client>();
            for feedback in client.outbox.drain(..) {
                place.up.send(now, feedback.len(), feedback);
            }
            while let Some(feedback) = place.up.arrive(now) {
                session.feedback(&feedback);
            }
        }
    }

    /// Ends all changes.
    pub fn calm(&mut self) {
        self.server.insert_resource(Calm(true));
    }

    /// Returns whether each client has the units of the server.
    pub fn agree(&mut self) -> [bool; 2] {
        let truth = units(self.server.world_mut());
        self.clients
            .each_mut()
            .map(|place| units(place.app.world_mut()) == truth)
    }
}
