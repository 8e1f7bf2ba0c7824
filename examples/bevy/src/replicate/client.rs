//! A client's side.

use std::collections::HashMap;
use std::mem;

use bevy_ecs::prelude::*;
use gametape_delta::{Receiver, SchemaError, ValueError, ViewEvent};

use super::{Components, NetId};

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
