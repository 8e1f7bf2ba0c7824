//! The time to find the single slip that explains a divergence. There is no peer: the origin does
//! not compare hashes.

use std::time::Instant;

use gametape_murk::engine::World;
use gametape_murk::{
    CommandBuf, Envelope, Payload, SLIP_TIME, Simulation, State, VerifyError, Writer,
    explain_slip_with, read, verify,
};

const TICKS: u64 = 10_000;
const COMMANDS: u64 = 1_000;
/// The tick in which the slip happens.
const WRONG: u64 = 5_000;

/// The kind of slip.
#[derive(Clone, Copy, PartialEq)]
enum Slip {
    Dropped,
    Aimed,
    Two,
}

/// Measures the cases whose names contain `filter`.
pub fn run(filter: &str) {
    let text = gametape_samples::murk::HEAT
        .replace("rows = 16", "rows = 64")
        .replace("cols = 16", "cols = 64");
    let world = World::from_toml(&text).expect("a sound world");
    let cases = [
        ("dropped", Slip::Dropped, false),
        ("aimed", Slip::Aimed, false),
        ("two-slips", Slip::Two, false),
        ("dropped-of-1000", Slip::Dropped, true),
        ("aimed-of-1000", Slip::Aimed, true),
    ];
    for (name, slip, at_once) in cases {
        if format!("slip/{name}").contains(filter) {
            case(name, &world, slip, at_once);
        }
    }
}

/// The commands of a tick: one in every tenth tick, or all of them in the tick with the slip.
/// `slip` is the mistake of the recorded simulation.
fn commands(tick: u64, at_once: bool, slip: Option<Slip>) -> CommandBuf {
    let count = match at_once {
        true if tick == WRONG => COMMANDS,
        false if tick.is_multiple_of(TICKS / COMMANDS) => 1,
        _ => 0,
    };
    let mut buffer = CommandBuf::new();
    for at in 0..count {
        let is_it = tick == WRONG && at == count / 2;
        let place = tick * 7919 + at * 31;
        let mut coord = [(place % 64) as i32, (place / 64 % 64) as i32];
        match slip {
            Some(Slip::Dropped) if is_it => continue,
            Some(Slip::Aimed) if is_it => coord[0] ^= 5,
            Some(Slip::Two) if is_it => (coord[0], coord[1]) = (coord[0] ^ 5, coord[1] ^ 9),
            _ => {}
        }
        let value = match slip {
            Some(Slip::Two) if is_it => 2.5,
            _ => 1.0 + (place % 3) as f32,
        };
        let set = Payload::SetField {
            coord: (&coord).into(),
            field: 0,
            value,
        };
        buffer
            .push(&Envelope::default(), &set)
            .expect("a small command");
    }
    buffer
}

fn case(name: &str, world: &World, slip: Slip, at_once: bool) {
    let header = world.header();
    let mut writer = Writer::new(Vec::new(), &header).expect("a sound header");
    let mut simulation = world.build().expect("a sound world");
    for tick in 1..=TICKS {
        let taken = commands(tick, at_once, Some(slip));
        simulation
            .step(tick, taken.as_commands())
            .expect("no tick fails");
        let hash = State::of(&simulation, header.field_count).hash();
        let said = commands(tick, at_once, None);
        writer
            .push(tick, said.as_commands(), hash)
            .expect("memory takes everything");
    }
    let bytes = writer.finish().expect("memory takes everything");
    let replay = read(&bytes).expect("sound");
    let start = Instant::now();
    let verified = verify(&replay, &mut world.build().expect("sound"));
    let verifying = start.elapsed().as_secs_f64();
    let Err(VerifyError::SnapshotMismatch(divergence)) = verified else {
        panic!("{name}: no divergence");
    };
    let mut simulation = world.build().expect("sound");
    let start = Instant::now();
    let found = explain_slip_with(
        &replay,
        &mut simulation,
        &divergence,
        SLIP_TIME,
        world.slips(None, COMMANDS as u32),
        &mut |_| true,
    )
    .expect("it was replayed before");
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "slip/{name} seconds={seconds:.2} verify_seconds={verifying:.2} tried={} complete={} explained={}",
        found.tried, found.complete, found.explained
    );
    eprintln!("{found}");
}
