//! The changes of a view: their events, their ticks, and what late packets bring. Which late packets
//! are taken is in the traces: `late`, `late-alone`, `late-damaged`.

use gametape_delta::{
    Codec, Component, Feedback, Field, Receiver, Schema, Sender, SenderOptions, Snapshot, Value,
    ViewEvent, World,
};

fn schema() -> Schema {
    let number = Codec::UInt { bits: 8 };
    let two = [Field::new(1, number), Field::new(2, number)];
    Schema::new([Component::new(1, two), Component::new(5, [])]).unwrap()
}

struct Pair {
    state: Snapshot,
    world: World,
    sender: Sender,
    receiver: Receiver,
}

impl Pair {
    fn new() -> Self {
        Self {
            state: Snapshot::new(&schema(), 0),
            world: World::new(&schema()),
            sender: Sender::new(&schema()),
            receiver: Receiver::new(&schema()),
        }
    }

    fn set(&mut self, id: u32, values: [u64; 2]) {
        let values = values.map(Value::UInt);
        self.state.entry(id).set(1, &values).unwrap();
    }

    fn send(&mut self) -> Vec<u8> {
        self.state.set_tick(self.state.tick() + 1);
        self.world.update(&self.state).unwrap();
        let mut packet = Vec::new();
        self.sender.encode(&mut self.world, &mut packet).unwrap();
        packet
    }

    fn answer(&mut self, packet: &[u8]) -> Feedback {
        self.receiver.apply(packet).unwrap().ack
    }

    fn step(&mut self) -> Vec<ViewEvent> {
        let packet = self.send();
        let ack = self.answer(&packet);
        self.sender.feedback(&ack);
        self.receiver.events().to_vec()
    }

    /// Returns the ticks at which an entity was confirmed and changed.
    fn ticks(&self, id: u32) -> Option<(u32, u32)> {
        let seen = self.receiver.confirmed(id)?;
        assert_eq!(seen.entity.id(), id);
        Some((seen.at, seen.changed_at))
    }

    fn shown(&self, id: u32) -> Option<Vec<Value>> {
        let entity = self.receiver.view().entity(id)?;
        Some(entity.component(1)?.values().collect())
    }
}

const fn spawned(entity: u32) -> ViewEvent {
    ViewEvent::Spawned { entity }
}

const fn despawned(entity: u32) -> ViewEvent {
    ViewEvent::Despawned { entity }
}

#[test]
fn events_say_what_became_of_each_entity() {
    let mut pair = Pair::new();
    for id in [3, 9] {
        pair.set(id, [1, 1]);
    }
    assert_eq!(pair.step(), [spawned(3), spawned(9)]);
    assert_eq!(pair.ticks(3), Some((1, 1)));
    assert_eq!(pair.step(), []);

    pair.set(3, [1, 7]);
    pair.set(9, [2, 7]);
    let changed = |entity, fields| ViewEvent::Changed {
        entity,
        component: 1,
        fields,
    };
    assert_eq!(pair.step(), [changed(3, 0b10), changed(9, 0b11)]);
    assert_eq!((pair.ticks(3), pair.ticks(9)), (Some((3, 3)), Some((3, 3))));

    pair.state.entry(3).set(5, &[]).unwrap();
    pair.state.entry(9).remove(1);
    let (gained, lost) = (
        ViewEvent::Gained {
            entity: 3,
            component: 5,
        },
        ViewEvent::Lost {
            entity: 9,
            component: 1,
        },
    );
    assert_eq!(pair.step(), [gained, lost]);

    // Another entity with the same id and the same values, one that ends, and one that begins.
    pair.world.despawn(3);
    pair.state.remove(9);
    pair.set(4, [0, 0]);
    let events = pair.step();
    assert_eq!(events, [despawned(3), spawned(3), spawned(4), despawned(9)]);
    assert_eq!(pair.ticks(9), None);
}

#[test]
fn an_update_with_old_values_confirms_them_and_changes_nothing() {
    let mut pair = Pair::new();
    pair.set(3, [1, 1]);
    pair.step();
    // The sender does not know that its second packet arrived, and names the entity again.
    pair.set(3, [2, 1]);
    let packet = pair.send();
    pair.answer(&packet);
    pair.set(3, [3, 1]);
    pair.send();
    pair.set(3, [2, 1]);
    let packet = pair.send();
    pair.answer(&packet);
    assert_eq!(pair.receiver.events(), []);
    assert_eq!(pair.ticks(3), Some((4, 2)));
}

#[test]
fn a_full_snapshot_in_between_is_compared_with_the_view() {
    let mut pair = Pair::new();
    for id in [1, 2, 3] {
        pair.set(id, [1, 1]);
    }
    pair.step();
    pair.state.remove(1);
    pair.set(2, [1, 2]);
    pair.set(4, [0, 0]);
    pair.sender.resync();
    let changed = ViewEvent::Changed {
        entity: 2,
        component: 1,
        fields: 0b10,
    };
    assert_eq!(pair.step(), [despawned(1), changed, spawned(4)]);
    assert_eq!(pair.ticks(3), Some((2, 1)));
    // A reset forgets the view without an event: the game asked for it.
    pair.receiver.reset();
    assert_eq!(
        (pair.receiver.events(), pair.receiver.view().len()),
        (&[][..], 0)
    );
}

#[test]
fn a_refused_or_repeated_packet_has_no_events() {
    let mut pair = Pair::new();
    pair.set(3, [1, 1]);
    let packet = pair.send();
    let mut cut = packet.clone();
    cut.pop();
    assert!(pair.receiver.apply(&cut).is_err());
    assert_eq!(pair.receiver.events(), []);
    pair.answer(&packet);
    assert_eq!(pair.receiver.events(), [spawned(3)]);
    pair.answer(&packet);
    assert_eq!(pair.receiver.events(), []);
}

#[test]
fn a_late_packet_shows_newer_values_at_once() {
    let mut pair = Pair::new();
    for id in [1, 2, 3, 4] {
        pair.set(id, [1, 1]);
    }
    pair.step();
    // The packet that comes late updates 1 and 2, the one that overtakes it updates 2.
    pair.set(1, [1, 9]);
    pair.set(2, [1, 8]);
    let late = pair.send();
    pair.set(2, [1, 10]);
    let newest = pair.send();
    let ack = pair.answer(&newest);
    let state = pair.receiver.state().cloned();
    let again = pair.receiver.apply(&late).unwrap();
    assert_eq!((again.ack, again.fresh, again.tick), (ack, false, 2));
    let changed = ViewEvent::Changed {
        entity: 1,
        component: 1,
        fields: 0b10,
    };
    assert_eq!(pair.receiver.events(), [changed]);
    assert_eq!(pair.shown(1), Some(vec![Value::UInt(1), Value::UInt(9)]));
    assert_eq!(pair.shown(2), Some(vec![Value::UInt(1), Value::UInt(10)]));
    assert_eq!((pair.ticks(1), pair.ticks(2)), (Some((2, 2)), Some((3, 3))));
    assert_eq!(
        pair.receiver.state(),
        state.as_ref(),
        "packets build on what was acknowledged"
    );
    pair.answer(&late);
    assert_eq!(pair.receiver.events(), [], "twice");

    // The sender believes the late packet to be lost: it says all of it again, and nothing is new.
    pair.sender.feedback(&ack);
    assert_eq!(pair.step(), []);
    assert_eq!(pair.ticks(1), Some((4, 2)));
    assert!(pair.receiver.view().same_entities(&pair.state));
    assert_eq!(pair.receiver.view(), pair.receiver.state().unwrap());
}

/// A client moves its own ship at once, and is corrected by what the server says of the same tick.
#[test]
fn confirmed_states_correct_a_prediction() {
    let mut pair = Pair::new();
    let options = SenderOptions {
        budget: 60,
        ..SenderOptions::default()
    };
    pair.sender = Sender::with_options(&schema(), options);
    // The server's ship stops at 50; the client does not know of the wall.
    let server = |tick: u32| u64::from(tick).min(50);
    let mut predicted = vec![0];
    let mut corrections = 0;
    for tick in 1..=100_u32 {
        // The number of the input: without it, a ship that stands is not named.
        pair.set(7, [server(tick), tick.into()]);
        let packet = pair.send();
        let next = predicted.last().unwrap() + 1;
        predicted.push(next);
        if tick % 4 == 0 {
            continue; // lost
        }
        let ack = pair.answer(&packet);
        pair.sender.feedback(&ack);
        let Some(seen) = pair.receiver.confirmed(7) else {
            continue;
        };
        let at = seen.at as usize;
        let Some(Value::UInt(truth)) = seen.entity.value(1, 1) else {
            panic!("a number");
        };
        if predicted[at] != truth {
            corrections += 1;
            // Back to the confirmed tick, and all inputs since then again.
            predicted[at] = truth;
            for later in at + 1..predicted.len() {
                predicted[later] = predicted[later - 1] + 1;
            }
        }
    }
    assert!(corrections > 0);
    let seen = pair.receiver.confirmed(7).unwrap();
    assert_eq!(seen.entity.value(1, 1), Some(Value::UInt(50)));
    assert_eq!(predicted[seen.at as usize], 50);
}
