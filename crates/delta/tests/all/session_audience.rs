//! Components that only some receivers see.

use std::collections::BTreeMap;

use gametape_delta::network::{Conditions, Link};
use gametape_delta::{
    Audience, Codec, Component, Decoder, Entity, Feedback, Field, Receiver, ReceiverOptions,
    Relevance, RestrictError, Schema, Sender, SenderOptions, Sent, Snapshot, Tag, Value, ViewEvent,
    World,
};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

use crate::session_network::{conditions, modes};

const EACH: [Audience; 3] = [Audience::All, Audience::Team, Audience::Owner];

/// The audience of each component, whose id is the index and 1.
const LEAST: [Audience; 5] = [
    Audience::All,
    Audience::Owner,
    Audience::Team,
    Audience::All,
    Audience::Owner,
];

pub fn schema() -> Schema {
    let small = Field::new(1, Codec::UInt { bits: 10 }).threshold(3);
    Schema::new([
        Component::new(1, [small.clone(), Field::new(2, Codec::VarUInt)]),
        Component::new(2, [Field::new(1, Codec::VarUInt)]),
        Component::new(3, [small, Field::new(2, Codec::Bool)]),
        Component::new(4, [Field::new(1, Codec::Bool)]),
        Component::new(5, []),
    ])
    .unwrap()
}

pub fn world() -> World {
    let mut world = World::new(&schema());
    for (at, least) in LEAST.iter().enumerate() {
        world.restrict(at as u16 + 1, *least).unwrap();
    }
    world
}

pub fn put(state: &mut Snapshot, id: u32, component: u16, rng: &mut impl FnMut(u32) -> u32) {
    let (few, many) = (u64::from(rng(12)), rng(70_000));
    let on = Value::Bool(rng(2) == 1);
    let values: &[Value] = match component {
        1 => &[Value::UInt(few), Value::VarUInt(many % 5)],
        2 => &[Value::VarUInt(many)],
        3 => &[Value::UInt(few), on],
        4 => &[on],
        _ => &[],
    };
    state.entry(id).set(component, values).unwrap();
}

/// Returns a source of numbers below a given one.
pub fn random(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut source = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    move |below| source.random_range(0..below)
}

/// The components and values that an audience may see.
pub type Seen = Vec<(u16, Vec<Value>)>;

fn seen(entity: &Entity<'_>, audience: Audience) -> Seen {
    let parts = entity.components();
    let allowed = parts.filter(|part| LEAST[usize::from(part.id()) - 1] <= audience);
    allowed
        .map(|part| (part.id(), part.values().collect()))
        .collect()
}

/// How a receiver sees entities in a tick; those that are absent are hidden.
pub type Roles = BTreeMap<u32, Audience>;

pub struct Client {
    pub sender: Sender,
    pub receiver: Receiver,
    pub down: Link<Vec<u8>>,
    pub up: Link<Feedback>,
    pub roles: Roles,
    /// The entities that it was to see at each tick.
    pub past: BTreeMap<u32, BTreeMap<u32, Seen>>,
}

impl Client {
    pub fn new(options: SenderOptions, conditions: Conditions, seed: u64) -> Self {
        let receiver = ReceiverOptions {
            window: options.window,
            mode: options.mode,
            ..ReceiverOptions::default()
        };
        Self {
            sender: Sender::with_options(&schema(), options),
            receiver: Receiver::with_options(&schema(), receiver),
            down: Link::new(conditions, seed),
            up: Link::new(conditions, !seed),
            roles: Roles::new(),
            past: BTreeMap::new(),
        }
    }

    /// Makes the network perfect from now on.
    pub fn calm(&mut self) {
        self.down.set_conditions(Conditions::PERFECT);
        self.up.set_conditions(Conditions::PERFECT);
    }

    pub fn turn(&mut self, population: u32, rng: &mut impl FnMut(u32) -> u32) {
        for id in 0..population {
            match rng(30) {
                0 => drop(self.roles.remove(&id)),
                at @ 1..=3 => drop(self.roles.insert(id, EACH[at as usize - 1])),
                _ => {}
            }
        }
    }

    pub fn send(&mut self, world: &mut World) -> Result<(Sent, Vec<u8>), TestCaseError> {
        let roles = &self.roles;
        let relevance = |id: u32| Relevance {
            weight: roles.get(&id).map_or(0, |_| 1 + id % 3),
            audience: roles.get(&id).copied().unwrap_or(Audience::Owner),
        };
        let mut packet = Vec::new();
        let sent = self.sender.encode_visible(world, relevance, &mut packet)?;
        self.past.insert(world.tick(), self.now(world));
        for section in Decoder::new(&schema()).packet(&packet)?.sections {
            for entity in section
                .entities
                .iter()
                .filter(|_| section.tag != Tag::Destroy)
            {
                let role = self.roles.get(&entity.id);
                for component in &entity.components {
                    let least = LEAST[usize::from(component.id) - 1];
                    let allowed = role.is_some_and(|role| *role >= least);
                    prop_assert!(allowed, "{entity:?} goes to {role:?}");
                }
            }
        }
        Ok((sent, packet))
    }

    /// The entities of the newest state that it is to see.
    pub fn now(&self, world: &World) -> BTreeMap<u32, Seen> {
        let shown = world.state().iter().filter_map(|entity| {
            let audience = self.roles.get(&entity.id())?;
            Some((entity.id(), seen(&entity, *audience)))
        });
        shown.collect()
    }

    pub fn view(&self) -> BTreeMap<u32, Seen> {
        let shown = self.receiver.view().iter();
        shown
            .map(|entity| (entity.id(), seen(&entity, Audience::Owner)))
            .collect()
    }

    pub fn step(&mut self, world: &mut World) -> Result<Sent, TestCaseError> {
        self.step_judged(world, |_| Ok(()))
    }

    /// Sends the newest state, and lets packets and feedback arrive. `judge` looks at each view.
    pub fn step_judged(
        &mut self,
        world: &mut World,
        judge: impl Fn(&Self) -> Result<(), TestCaseError>,
    ) -> Result<Sent, TestCaseError> {
        let (sent, packet) = self.send(world)?;
        let now = world.tick();
        self.down.send(now, packet.len(), packet);
        while let Some(packet) = self.down.arrive(now) {
            let feedback = match self.receiver.apply(&packet) {
                Ok(received) => received.ack,
                Err(error) => error
                    .feedback()
                    .ok_or(TestCaseError::fail(error.to_string()))?,
            };
            self.up.send(now, Feedback::BYTES, feedback);
            for (id, values) in self.view() {
                let tick = self.receiver.confirmed(id).unwrap().at;
                let then = self.past[&tick].get(&id);
                prop_assert_eq!(Some(&values), then, "entity {} as of {}", id, tick);
            }
            judge(self)?;
        }
        while let Some(feedback) = self.up.arrive(now) {
            self.sender.feedback(&feedback);
        }
        Ok(sent)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever the network does, and whoever sees what: no packet has a value that its receiver may
    /// not see, each receiver shows entities as it was to see them at some tick, and in the end as
    /// it is to see them now.
    #[test]
    fn hidden_components_never_travel(
        seed: u64,
        conditions in conditions(),
        budget in prop_oneof![90..200_usize, 200..1500_usize],
        window in 2..80_usize,
        population in 1..20_u32,
        mode in modes(),
        restarts: bool,
    ) {
        let mut rng = random(seed);
        let options = SenderOptions { budget, window, mode, ..SenderOptions::default() };
        let mut world = world();
        let mut state = Snapshot::new(&schema(), 0);
        let mut clients = [0, 1, 2].map(|client| Client::new(options, conditions, seed ^ client << 32));
        for tick in 1..=120 {
            for id in 0..population {
                match rng(24) {
                    0 => drop(state.remove(id)),
                    1 => drop(world.despawn(id)),
                    2 => drop(state.entry(id).remove(1 + rng(5) as u16)),
                    3..=9 => put(&mut state, id, 1 + rng(5) as u16, &mut rng),
                    _ => {}
                }
            }
            state.set_tick(tick);
            world.update(&state).unwrap();
            for client in &mut clients {
                client.turn(population, &mut rng);
                client.step(&mut world)?;
                if restarts && tick % 50 == 0 {
                    client.receiver.reset();
                    client.down.drop_flying();
                }
            }
        }
        for client in &mut clients {
            client.calm();
        }
        for _ in 0..500 {
            if clients.iter().all(|client| client.view() == client.now(&world)) {
                break;
            }
            state.set_tick(state.tick() + 1);
            world.update(&state).unwrap();
            for client in &mut clients {
                client.step(&mut world)?;
            }
        }
        for client in &clients {
            prop_assert_eq!(client.view(), client.now(&world));
        }
    }
}

/// One receiver for each audience, over a perfect network.
struct Three {
    world: World,
    state: Snapshot,
    clients: [Client; 3],
}

impl Three {
    fn new() -> Self {
        let client = |audience| {
            let mut client = Client::new(SenderOptions::default(), Conditions::PERFECT, 0);
            client.roles.insert(7, audience);
            client
        };
        Self {
            world: world(),
            state: Snapshot::new(&schema(), 0),
            clients: EACH.map(client),
        }
    }

    /// The ids that each packet destroys, creates and updates.
    fn step(&mut self) -> [[usize; 3]; 3] {
        self.state.set_tick(self.state.tick() + 1);
        self.world.update(&self.state).unwrap();
        self.clients.each_mut().map(|client| {
            let (_, packet) = client.send(&mut self.world).unwrap();
            let ack = client.receiver.apply(&packet).unwrap().ack;
            client.sender.feedback(&ack);
            let sections = Decoder::new(&schema()).packet(&packet).unwrap().sections;
            let of = |tag| sections.iter().filter(move |section| section.tag == tag);
            let count = |tag| of(tag).map(|section| section.entities.len()).sum();
            [Tag::Destroy, Tag::Create, Tag::Update].map(count)
        })
    }
}

const NOTHING: [usize; 3] = [0, 0, 0];
const CREATED: [usize; 3] = [0, 1, 0];
const UPDATED: [usize; 3] = [0, 0, 1];
const REPLACED: [usize; 3] = [1, 1, 0];

#[test]
fn a_change_names_an_entity_only_for_those_who_see_it() {
    let mut three = Three::new();
    let mut number = 0;
    let mut rng = |below| {
        number += 1;
        number / 3 % below
    };
    put(&mut three.state, 7, 1, &mut rng);
    assert_eq!(three.step(), [CREATED; 3]);
    put(&mut three.state, 7, 1, &mut rng);
    assert_eq!(three.step(), [UPDATED; 3]);
    // It gains a component of the owner, which then changes, and is lost.
    put(&mut three.state, 7, 2, &mut rng);
    assert_eq!(three.step(), [NOTHING, NOTHING, REPLACED]);
    put(&mut three.state, 7, 2, &mut rng);
    assert_eq!(three.step(), [NOTHING, NOTHING, UPDATED]);
    three.state.entry(7).remove(2);
    assert_eq!(three.step(), [NOTHING, NOTHING, REPLACED]);
    // One of the team, while another value changes.
    put(&mut three.state, 7, 3, &mut rng);
    put(&mut three.state, 7, 1, &mut rng);
    assert_eq!(three.step(), [UPDATED, REPLACED, REPLACED]);
    // A component without values.
    put(&mut three.state, 7, 5, &mut rng);
    assert_eq!(three.step(), [NOTHING, NOTHING, REPLACED]);
    // Another entity with this id is another one for all.
    three.world.despawn(7);
    assert_eq!(three.step(), [REPLACED; 3]);
    assert_eq!(three.step(), [NOTHING; 3]);
}

#[test]
fn another_role_replaces_an_entity_only_if_it_sees_other_components() {
    let mut three = Three::new();
    let mut rng = |below| 7 % below;
    put(&mut three.state, 7, 1, &mut rng);
    assert_eq!(three.step(), [CREATED; 3]);
    for client in &mut three.clients {
        client.roles.insert(7, Audience::Team);
    }
    assert_eq!(three.step(), [NOTHING; 3], "it has nothing that is hidden");
    put(&mut three.state, 7, 2, &mut rng);
    assert_eq!(three.step(), [NOTHING; 3]);
    three.clients[0].roles.insert(7, Audience::Owner);
    assert_eq!(three.step(), [REPLACED, NOTHING, NOTHING]);
    three.clients[0].roles.insert(7, Audience::All);
    assert_eq!(three.step(), [REPLACED, NOTHING, NOTHING]);
}

/// Counts the packets that destroy the entity 7 and those of which the events say so, while it moves in
/// each tick and packets take some time. `change` is called before tick 100.
fn replacements(delay: u32, change: impl Fn(&mut Client, &mut Snapshot)) -> (u32, u32) {
    let way = Conditions {
        delay,
        ..Conditions::PERFECT
    };
    let mut world = World::new(&schema());
    world.restrict(2, Audience::Owner).unwrap();
    let mut client = Client::new(SenderOptions::default(), way, 1);
    client.roles.insert(7, Audience::Owner);
    let mut state = Snapshot::new(&schema(), 0);
    put(&mut state, 7, 2, &mut |below| 7 % below);
    let (mut packets, mut events) = (0, 0);
    for tick in 1..=400_u32 {
        state.set_tick(tick);
        put(&mut state, 7, 1, &mut |below| tick % below);
        if tick == 100 {
            change(&mut client, &mut state);
        }
        world.update(&state).unwrap();
        let (_, packet) = client.send(&mut world).unwrap();
        let packet_of = Decoder::new(&schema()).packet(&packet).unwrap();
        let destroys = |section: &gametape_delta::Section| section.tag == Tag::Destroy;
        packets += u32::from(packet_of.sections.iter().any(destroys));
        client.down.send(tick, packet.len(), packet);
        while let Some(packet) = client.down.arrive(tick) {
            let ack = client.receiver.apply(&packet).unwrap().ack;
            let ended = |event: &&ViewEvent| matches!(event, ViewEvent::Despawned { .. });
            events += client.receiver.events().iter().filter(ended).count() as u32;
            client.up.send(tick, Feedback::BYTES, ack);
        }
        while let Some(feedback) = client.up.arrive(tick) {
            client.sender.feedback(&feedback);
        }
    }
    (packets, events)
}

/// A change of what is seen is repeated until it is acknowledged, and no longer; and it is not taken
/// for another entity.
#[test]
fn a_moving_entity_is_replaced_for_a_round_trip() {
    for delay in [0, 1, 3, 6] {
        let (packets, events) = replacements(delay, |client, _| {
            client.roles.insert(7, Audience::All);
        });
        assert!(
            (1..=2 * delay + 2).contains(&packets),
            "{packets} at a delay of {delay}"
        );
        assert_eq!(events, 0);
        let (packets, events) = replacements(delay, |_, state| {
            state.entry(7).remove(2);
        });
        assert!(
            (1..=2 * delay + 2).contains(&packets),
            "{packets} at a delay of {delay}"
        );
        assert_eq!(events, 0);
    }
}

#[test]
fn only_known_components_can_be_restricted_and_only_before_the_first_state() {
    let mut world = World::new(&schema());
    let unknown = world.restrict(9, Audience::Team);
    assert_eq!(
        unknown,
        Err(RestrictError::UnknownComponent { component: 9 })
    );
    world.update(&Snapshot::new(&schema(), 3)).unwrap();
    let late = world.restrict(1, Audience::Team);
    assert_eq!(late, Err(RestrictError::Late { tick: 3 }));
    assert_eq!(
        late.unwrap_err().to_string(),
        "components are restricted before the first state, and this world is at tick 3"
    );
}
