//! Sessions through C and through Rust: the same packets, the same feedback, the same views.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::time::Duration;

use gametape_c::*;
use gametape_delta as delta;
use gametape_samples::delta::Arena;

use crate::common::{self, *};

/// A session through C and one of the library, side by side.
struct Both {
    sender: Box<Sender>,
    receiver: Box<Receiver>,
    world: Box<World>,
    their_sender: delta::Sender,
    their_receiver: delta::Receiver,
    log: delta::World,
    grid: Box<Grid>,
    their_grid: delta::Grid,
    /// The part of the world that the receiver sees; `None` for all of it.
    area: Option<Area>,
    sends: SenderOptions,
    playout: Box<Playout>,
    their_playout: delta::Playout,
    packet: Vec<u8>,
    /// A packet that comes after the next one.
    held: Option<Vec<u8>>,
    /// The kinds of the events so far, one bit each.
    kinds: u8,
    /// How often a group was held back.
    held_groups: u32,
    now_ns: u64,
    /// The feedback under way.
    late: VecDeque<delta::Feedback>,
    /// The number of packets that needed a full snapshot.
    asked: u32,
}

/// Some ships are hidden, others matter more; of each third one the receiver is the owner, or in his team, for a while.
fn rule(tick: u32, entity: u32, distance_squared: f64) -> delta::Relevance {
    let is_close = distance_squared > 0.0 && distance_squared < 40_000.0;
    let weight = (entity % 5) * (1 + u32::from(is_close));
    let audience = match (entity / 5 + tick / 50) % 3 {
        0 => delta::Audience::All,
        1 => delta::Audience::Team,
        _ => delta::Audience::Owner,
    };
    delta::Relevance { weight, audience }
}

struct Context {
    tick: u32,
    /// The entities that were asked for.
    asked: Vec<u32>,
}

extern "C" fn relevance(
    context: *mut c_void,
    entity: u32,
    distance_squared: f64,
    audience: *mut u32,
) -> u32 {
    // SAFETY: it is given one, and the call has no reference to it.
    let context = unsafe { &mut *context.cast::<Context>() };
    context.asked.push(entity);
    let delta::Relevance {
        weight,
        audience: found,
    } = rule(context.tick, entity, distance_squared);
    // SAFETY: it points to a number.
    assert_eq!(unsafe { audience.read() }, Audience::All as u32);
    // SAFETY: as above.
    unsafe { audience.write(found as u32) };
    weight
}

impl Both {
    /// `windows` are those of sender and receiver. With an area, the budget follows the network as well.
    fn new(json: &str, mode: Mode, windows: (usize, usize), area: Option<Area>) -> Self {
        let (schema, library) = (schema_of(json).unwrap(), Arena::schema());
        assert_eq!(gametape_schema_hash(Some(&schema)), library.hash());
        let limits = Limits::default();
        let sends = SenderOptions {
            budget: 400,
            min_budget: if area.is_some() { 100 } else { 0 },
            window: windows.0,
            limits,
            mode: mode as u32,
        };
        let receives = ReceiverOptions {
            window: windows.1,
            limits,
            mode: mode as u32,
        };
        let mut their_sends = delta::SenderOptions::default();
        let mut their_receives = delta::ReceiverOptions::default();
        if mode == Mode::Strict {
            (their_sends.mode, their_receives.mode) = (delta::Mode::Strict, delta::Mode::Strict);
        }
        (their_sends.budget, their_sends.window) = (400, windows.0);
        their_sends.min_budget = area.map(|_| 100);
        their_receives.window = windows.1;
        let slack = PlayoutOptions {
            min_delay: 2,
            max_delay: 9,
        };
        let their_slack = delta::PlayoutOptions {
            ticks_per_second: 30,
            min_delay: 2,
            max_delay: 9,
        };
        let mut both = Self {
            sender: gametape_sender_new(Some(&schema), Some(&sends), None).unwrap(),
            receiver: gametape_receiver_new(Some(&schema), Some(&receives), None).unwrap(),
            world: gametape_world_new(Some(&schema), None).unwrap(),
            their_sender: delta::Sender::with_options(&library, their_sends),
            their_receiver: delta::Receiver::with_options(&library, their_receives),
            log: delta::World::new(&library),
            grid: grid(&schema, 1, &[1, 2, 3], 100.0, None).unwrap(),
            their_grid: delta::Grid::new(&library, 1, &[1, 2, 3], 100.0).unwrap(),
            area,
            sends,
            playout: gametape_playout_new(Some(&schema), 30, Some(&slack), None).unwrap(),
            their_playout: delta::Playout::with_options(&library, their_slack),
            packet: Vec::new(),
            held: None,
            kinds: 0,
            held_groups: 0,
            now_ns: 0,
            late: VecDeque::new(),
            asked: 0,
        };
        let (ours, team) = (Some(&mut *both.world), Audience::Team as u32);
        assert_eq!(gametape_world_restrict(ours, 2, team, None), Status::Ok);
        both.log.restrict(2, delta::Audience::Team).unwrap();
        for (field, blend, theirs) in [
            (1, Blend::Hold, delta::Blend::Hold),
            (7, Blend::Turn, delta::Blend::Turn),
            (8, Blend::Linear, delta::Blend::Linear),
        ] {
            let (ours, blend) = (Some(&mut *both.playout), blend as u32);
            assert_eq!(
                gametape_playout_blend(ours, 1, field, blend, None),
                Status::Ok
            );
            both.their_playout.blend(1, field, theirs).unwrap();
        }
        both
    }

    /// Takes the same state twice, with groups of ships that are bound together for a while.
    fn update(&mut self, state: &delta::Snapshot, copy: &Snapshot) {
        for id in state.ids() {
            // The first group fits into no packet.
            let group = match id {
                _ if id % 4 == 3 || state.tick() >= 100 => 0,
                0..60 => 1,
                id => id / 8,
            };
            self.log.group(*id, (group > 0).then_some(group));
            let ours = Some(&mut *self.world);
            assert_eq!(gametape_world_group(ours, *id, group, None), Status::Ok);
        }
        self.log.update(state).unwrap();
        assert_eq!(update(&mut self.world, copy), Status::Ok);
        self.their_grid.update(&self.log);
        let (ours, world) = (Some(&mut *self.grid), Some(&*self.world));
        assert_eq!(gametape_grid_update(ours, world, None), Status::Ok);
    }

    /// Encodes the same packet twice.
    fn encode(&mut self) -> (Sent, delta::Sent) {
        let tick = self.log.tick();
        let mut context = Context {
            tick,
            asked: Vec::new(),
        };
        let (from, mut sent) = (&raw mut context, MaybeUninit::uninit());
        let (sender, world) = (&raw mut *self.sender, &raw mut *self.world);
        let (grid, area) = (&raw const *self.grid, self.area.as_ref());
        let at = area.map_or(std::ptr::null(), std::ptr::from_ref);
        let (theirs, log, packet) = (&mut self.their_sender, &mut self.log, &mut self.packet);
        let mut wanted = Vec::new();
        let (status, expected) = if let Some(place) = area {
            // SAFETY: handles, and a callback with its context.
            let status = unsafe {
                let (into, ask) = (Some(&mut sent), Some(relevance as _));
                gametape_sender_encode_near(sender, world, grid, at, ask, from.cast(), into, None)
            };
            let place = delta::Area {
                centre: place.centre,
                enter: place.enter,
                leave: place.leave,
            };
            let of = |near: delta::Near| {
                wanted.push(near.id);
                rule(tick, near.id, near.distance_squared)
            };
            (
                status,
                theirs.encode_near(log, &self.their_grid, &place, of, packet),
            )
        } else {
            // SAFETY: two handles, and a callback with its context.
            let status = unsafe {
                let (into, ask) = (Some(&mut sent), Some(relevance as _));
                gametape_sender_encode(sender, world, ask, from.cast(), into, None)
            };
            wanted.extend(log.state().ids());
            (
                status,
                theirs.encode_visible(log, |id| rule(tick, id, 0.0), packet),
            )
        };
        assert_eq!(status, Status::Ok);
        let asked = context.asked;
        assert!(asked.is_sorted() && wanted.iter().all(|id| asked.binary_search(id).is_ok()));
        assert!(area.is_some() || asked == wanted);
        // SAFETY: it is set if there was no error.
        (unsafe { sent.assume_init() }, expected.unwrap())
    }

    /// Encodes a packet, and applies it.
    fn exchange(&mut self, lost: bool) {
        let (sent, expected) = self.encode();
        assert_eq!(bytes(&sent), self.packet);
        assert_eq!(
            (sent.tick, sent.baseline, sent.named),
            (
                expected.tick,
                expected.baseline.unwrap_or(0),
                expected.named
            )
        );
        assert_eq!(
            (sent.waiting, sent.stalled),
            (expected.waiting, expected.stalled)
        );
        let held = expected
            .held_back
            .map(|held| (held.entity, held.group.unwrap_or(0), held.needed));
        assert_eq!(
            (sent.held_back, sent.held_back_group, sent.held_back_bytes),
            held.unwrap_or_default()
        );
        self.held_groups += u32::from(sent.held_back_group > 0);
        self.assert_numbers();
        let packet = bytes(&sent).to_vec();
        if lost {
            self.held = Some(packet);
        } else {
            self.deliver(&packet);
            if let Some(late) = self.held.take() {
                self.deliver(&late);
            }
        }
        self.draw();
    }

    /// Compares the numbers of both senders.
    fn assert_numbers(&self) {
        let (ours, mut totals, mut network) = (
            Some(&*self.sender),
            MaybeUninit::uninit(),
            MaybeUninit::uninit(),
        );
        assert_eq!(
            gametape_sender_totals(ours, Some(&mut totals), None),
            Status::Ok
        );
        assert_eq!(
            gametape_sender_estimates(ours, Some(&mut network), None),
            Status::Ok
        );
        // SAFETY: they are set if there was no error.
        let (totals, network) = unsafe { (totals.assume_init(), network.assume_init()) };
        let expected = self.their_sender.totals();
        assert_eq!(
            [totals.packets, totals.bytes, totals.created],
            [expected.packets, expected.bytes, expected.created]
        );
        assert_eq!(
            [totals.updated, totals.destroyed, totals.lost],
            [expected.updated, expected.destroyed, expected.lost]
        );
        let expected = self.their_sender.estimates();
        assert_eq!(
            network,
            Estimates {
                round_trip: expected.round_trip.map_or(-1.0, f64::from),
                least_round_trip: expected.least_round_trip.map_or(-1.0, f64::from),
                loss: expected.loss.into(),
                budget: expected.budget,
            }
        );
        let memory = gametape_sender_memory(ours);
        assert!(memory > self.their_sender.memory());
        // 60 ships, and some that have ended.
        assert!(memory <= gametape_sender_max_memory(Some(&self.sends), 100));
    }

    /// Applies a packet on both sides.
    fn deliver(&mut self, packet: &[u8]) {
        let (status, received) = apply(&mut self.receiver, packet);
        let (ours, receiver) = (Some(&mut *self.playout), Some(&*self.receiver));
        // After an error it does nothing.
        let taken = gametape_playout_take(ours, receiver, self.now_ns, None);
        assert_eq!(taken, Status::Ok);
        let message = match self.their_receiver.apply(packet) {
            Ok(expected) => {
                assert_eq!((status, received.fresh), (Status::Ok, expected.fresh));
                assert_eq!(
                    (received.tick, received.baseline),
                    (expected.tick, expected.baseline.unwrap_or(0))
                );
                let now = Duration::from_nanos(self.now_ns);
                self.their_playout
                    .take(&self.their_receiver, &expected, now);
                expected.ack
            }
            Err(error) => {
                assert_eq!(status, Status::NeedFull, "{error}");
                assert!(!received.fresh && received.tick == 0);
                self.asked += 1;
                error.feedback().unwrap()
            }
        };
        assert_eq!(received.feedback_size, 13);
        assert_eq!(received.feedback, message.to_bytes());
        self.late.push_back(message);
        for event in receiver_events(&self.receiver) {
            self.kinds |= 1 << event.kind as u8;
        }
        assert_same(self.their_receiver.view(), view(&self.receiver));
        assert_events(
            self.their_receiver.events(),
            receiver_events(&self.receiver),
        );
    }

    /// Moves both playouts on.
    fn draw(&mut self) {
        // A while after the packet.
        let drawn = self.now_ns + 5_000_000;
        let now = Duration::from_nanos(drawn);
        let expected = self.their_playout.advance(now);
        assert_same(expected, advance(&mut self.playout, drawn));
        assert_events(self.their_playout.events(), playout_events(&self.playout));
        let (ours, mut tick) = (Some(&*self.playout), MaybeUninit::uninit());
        let has_tick = gametape_playout_tick(ours, Some(&mut tick));
        // SAFETY: it is always set.
        let tick = has_tick.then_some(unsafe { tick.assume_init() });
        assert_eq!(tick, self.their_playout.tick());
        let mut found = MaybeUninit::uninit();
        let has_any = gametape_playout_timing(ours, drawn, Some(&mut found));
        // SAFETY: it is always set.
        let found = has_any.then_some(unsafe { found.assume_init() });
        let expected = self.their_playout.timing(now);
        let expected = expected.map(|expected| Timing {
            tick: expected.tick,
            delay: expected.delay,
            jitter: expected.jitter,
            round_trip: expected.round_trip.unwrap_or(-1.0),
            loss: expected.loss,
        });
        assert_eq!(found, expected);
    }

    /// Hands the oldest feedback to both senders, if this many are under way, or loses it.
    fn answer(&mut self, late: usize, lost: bool) {
        if self.late.len() > late
            && let Some(message) = self.late.pop_front()
            && !lost
        {
            self.their_sender.feedback(&message);
            assert_eq!(feedback(&mut self.sender, &message.to_bytes()), Status::Ok);
        }
    }
}

/// Plays a session whose feedback is late by so many packets.
fn play(mode: Mode, windows: (usize, usize), late: usize, area: Option<Area>) -> Both {
    let json = serde_json::to_string(&Arena::schema()).unwrap();
    let mut both = Both::new(&json, mode, windows, area);
    let mut arena = Arena::new(60, 7);
    let mut state = delta::Snapshot::new(&Arena::schema(), 0);
    let mut copy = common::state(&schema_of(&json).unwrap(), 0);
    for tick in 1..=200 {
        arena.step();
        arena.state(&mut state).unwrap();
        fill(&state, &mut copy);
        assert_same(&state, &copy);
        if tick % 40 == 0 {
            let id = state.ids()[0];
            assert!(both.log.despawn(id) && gametape_world_despawn(Some(&mut both.world), id));
        }
        both.update(&state, &copy);
        if let Some(area) = &mut both.area {
            area.centre[0] += 2.0;
        }
        match tick {
            90 => {
                both.their_receiver.reset();
                gametape_receiver_reset(Some(&mut both.receiver), None);
            }
            170 => {
                both.their_sender.resync();
                gametape_sender_resync(Some(&mut both.sender), None);
            }
            _ => {}
        }
        // Packets come unevenly.
        both.now_ns = tick * 33_333_333 + tick * 7 % 5 * 4_000_000;
        // Also longer silences than the window.
        both.exchange(tick % 3 == 0 || (120..150).contains(&tick));
        both.answer(late, tick % 11 < 5);
    }
    let seen = both.their_receiver.view();
    assert!(!seen.is_empty() && seen.ids().iter().all(|id| id % 5 != 0));
    for id in 0..=*seen.ids().last().unwrap() {
        let mut found = MaybeUninit::uninit();
        let receiver = Some(&*both.receiver);
        let has = gametape_receiver_confirmed(receiver, id, Some(&mut found));
        // SAFETY: it is always set.
        let Confirmed { at, changed_at } = unsafe { found.assume_init() };
        let expected = both.their_receiver.confirmed(id);
        assert_eq!(has, expected.is_some());
        let expected = expected.map_or((0, 0), |expected| (expected.at, expected.changed_at));
        assert_eq!((at, changed_at), expected);
    }
    assert_eq!(both.kinds, 0b1_1111, "there were events of each kind");
    both
}

#[test]
fn packets_through_c_are_those_of_the_library() {
    let enough = play(Mode::Merged, (16, 16), 6, None);
    assert!(enough.held_groups > 0);
    // A receiver that keeps too few states asks again and again: its window is the one that it was given.
    assert!(play(Mode::Merged, (16, 2), 6, None).asked > enough.asked);
    play(Mode::Strict, (16, 16), 6, None);
}

#[test]
fn packets_for_an_area_are_those_of_the_library() {
    let area = Area {
        centre: [-200.0, 0.0, 0.0],
        enter: 400.0,
        leave: 450.0,
    };
    for mode in [Mode::Merged, Mode::Strict] {
        let both = play(mode, (16, 16), 6, Some(area));
        let (seen, all) = (both.their_receiver.view().len(), both.log.state().len());
        assert!(seen > 0 && 2 * seen < all, "{seen} of {all}");
        // It had losses, to which the budget answered.
        assert!(both.their_sender.estimates().budget < 400);
    }
}
