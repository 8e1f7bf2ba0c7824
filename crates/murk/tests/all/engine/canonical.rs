//! The canonical text: each world has exactly one, whatever its description looks like.

use gametape_murk::engine::propagator::{IdentityCopy, Propagator};
use gametape_murk::engine::{MURK_VERSION, Space, World, WorldFault};
use gametape_murk::{Simulation, config_hash, write_header};

use super::worlds::all;

const PLAIN: &str = r#"seed = 5
dt = 0.1
[space]
kind = "line1d"
len = 8
edge = "wrap"
[[field]]
name = "heat"
type = "scalar"
mutability = "per_tick"
[[propagator]]
kind = "scalar_diffusion"
input_field = "heat"
output_field = "heat"
"#;

/// The same world with another layout, another order of keys, other spellings of numbers and
/// strings, and every default written out.
const ORNATE: &str = r#"
# a comment
propagator = [ { max_degree = 0xc, decay = -0.0e0, coefficient = 0, sources = [],
                 kind = 'scalar_diffusion', output_field = """heat""", input_field = "\u0068eat" } ]
max_ingress_queue = 1_024
dt = 1e-1
seed = "0x5"

[[field]]
mutability = 'per_tick'
boundary = 'clamp'
name = "heat"   # another
type = "scalar"

[space]
edge = "wrap"
len = +8
kind = "line1d"
"#;

#[test]
fn the_text_of_a_world() {
    let world = World::from_toml(PLAIN).unwrap();
    let text = String::from_utf8(world.canonical()).unwrap();
    assert_eq!(
        text,
        r#"# gametape world 1
seed = 5
dt = 0.1
max_ingress_queue = 1024

[space]
kind = "line1d"
len = 8
edge = "wrap"

[[field]]
name = "heat"
type = "scalar"
mutability = "per_tick"
boundary = "clamp"

[[propagator]]
kind = "scalar_diffusion"
input_field = "heat"
output_field = "heat"
coefficient = 0.0
decay = 0.0
sources = []
max_degree = 12
"#
    );
}

/// No run can show some of them: with stock propagators, waves stay at rest.
#[test]
fn the_defaults_are_the_origins() {
    let defaults = |keys: &str| {
        let fields = "[[field]]\nname = 'x'\ntype = 'scalar'\nmutability = 'sparse'\n";
        let text = PLAIN.replace("[[field]]", &format!("{fields}[[field]]"));
        let text = text.replace("\"per_tick\"", "\"sparse\"");
        let (head, _) = text.split_once("[[propagator]]").unwrap();
        let world = World::from_toml(&format!("{head}[[propagator]]\n{keys}\n")).unwrap();
        let canonical = String::from_utf8(world.canonical()).unwrap();
        let (_, written) = canonical.split_once("[[propagator]]\n").unwrap();
        let written: Vec<_> = written.lines().skip(keys.lines().count()).collect();
        written.join(", ")
    };
    for (keys, expected) in [
        ("kind = 'identity_copy'\nfield = 'x'", ""),
        (
            "kind = 'morphological_op'\ninput_field = 'x'\noutput_field = 'x'",
            "op = \"dilate\", radius = 1, threshold = 0.5",
        ),
        (
            "kind = 'noise_injection'\nfield = 'x'",
            "noise_type = \"gaussian\", scale = 0.1, seed_offset = 0",
        ),
        (
            "kind = 'resource_field'\nfield = 'x'\npresence_field = 'heat'",
            "consumption_rate = 1.0, regrowth_rate = 0.1, capacity = 1.0, regrowth_model = \"linear\"",
        ),
        (
            "kind = 'wave_propagation'\ndisplacement_field = 'x'\nvelocity_field = 'heat'",
            "wave_speed = 1.0, damping = 0.0",
        ),
        (
            "kind = 'agent_emission'\npresence_field = 'heat'\nemission_field = 'x'",
            "intensity = 1.0, mode = \"additive\"",
        ),
    ] {
        assert_eq!(defaults(keys), expected);
    }
}

#[test]
fn descriptions_of_one_world_have_one_text() {
    let plain = World::from_toml(PLAIN).unwrap();
    // Except for the zero's sign: a parameter is kept bit by bit.
    let ornate = ORNATE.replace("-0.0e0", "0.0e0");
    let ornate = World::from_toml(&ornate).unwrap();
    assert_eq!(ornate, plain);
    assert_eq!(ornate.canonical(), plain.canonical());
    assert_eq!(ornate.config_hash(), plain.config_hash());
    let signed = World::from_toml(ORNATE).unwrap();
    assert_ne!(signed.canonical(), plain.canonical());
    let carried = World::from_descriptor(&signed.canonical())
        .unwrap()
        .unwrap();
    let Propagator::ScalarDiffusion(diffusion) = &carried.propagators[0] else {
        panic!()
    };
    assert!(diffusion.decay.is_sign_negative());
}

#[test]
fn every_world_comes_back_from_its_text() {
    for twin in all() {
        let world = twin.world();
        let text = world.canonical();
        let again = World::from_descriptor(&text).unwrap().unwrap();
        assert_eq!(again, world, "{}", twin.name);
        assert_eq!(again.canonical(), text, "{}", twin.name);
    }
}

#[test]
fn numbers_come_back_bit_by_bit() {
    // A number that is read, and one that was carried over.
    let both = |key: &str, number: &str| {
        let text = PLAIN.replace("dt = 0.1", "dt = 1e-300") + &format!("{key} = {number}\n");
        let read = World::from_toml(&text).unwrap_or_else(|error| panic!("{number}: {error}"));
        let carried = World::from_descriptor(&read.canonical()).unwrap().unwrap();
        [read, carried].map(|world| match &world.propagators[0] {
            Propagator::ScalarDiffusion(diffusion) => diffusion.clone(),
            _ => panic!(),
        })
    };
    for number in [
        "0.1",
        "1e-45",
        "3.4028235e38",
        "0.30000001192092896",
        "16777217",
        "-0.0",
        "inf",
        "1.17549435e-38",
        "0.1000000014901161193847656250001",
        "8.589973e9",
    ] {
        let bits = number.parse::<f32>().unwrap().to_bits();
        let found = both("clamp_max", number).map(|one| one.clamp_max.unwrap().to_bits());
        assert_eq!(found, [bits; 2], "{number}");
    }
    for number in [
        "0.1",
        "5e-324",
        "1.7976931348623157e308",
        "9007199254740993",
        "1e22",
        "1e23",
    ] {
        let bits = number.parse::<f64>().unwrap().to_bits();
        let found = both("decay", number).map(|one| one.decay.to_bits());
        assert_eq!(found, [bits; 2], "{number}");
    }
    for seed in [0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        for spelling in [
            format!("{seed}"),
            format!("\"{seed}\""),
            format!("'{seed:#x}'"),
        ] {
            let text = PLAIN.replace("seed = 5", &format!("seed = {spelling}"));
            let world = World::from_toml(&text).unwrap();
            assert_eq!(world.seed, seed);
            let carried = World::from_descriptor(&world.canonical()).unwrap().unwrap();
            assert_eq!(carried.seed, seed);
        }
    }
}

#[test]
fn odd_names_survive() {
    let mut world = World::from_toml(PLAIN).unwrap();
    world.fields[0].name = "a \"quoted\" \\ ünit".into();
    world.fields[0].units = Some("µ'\"".into());
    world.fields[0].bounds = Some((-1.5, 1e30));
    let field = world.fields[0].name.clone();
    world.propagators = vec![IdentityCopy { field }.into()];
    let again = World::from_descriptor(&world.canonical()).unwrap().unwrap();
    assert_eq!(again, world);
}

#[test]
fn the_header_of_a_world() {
    let world = World::from_toml(PLAIN).unwrap();
    let header = world.header();
    assert_eq!(
        (header.seed, header.field_count, header.cell_count),
        (5, 1, 8)
    );
    let text = world.canonical();
    assert_eq!(*header.space_descriptor, text);
    assert_eq!(header.config_hash, config_hash(5, 0.1, 1, 8, &text));
    let its = murk_replay::config_hash(5, 0.1_f64.to_bits(), 1, 8, &text);
    assert_eq!(header.config_hash, its);
    assert_eq!(world.build().unwrap().config_hash(), Some(its));
    assert_eq!(header.build.murk_version, MURK_VERSION);
    assert!(write_header(&header).unwrap().len() > text.len());
    // The hash includes the description, and with it what the format's own hash leaves out.
    let other = PLAIN.replace("scalar_diffusion\"", "scalar_diffusion\"\ndecay = 0.5");
    let other = World::from_toml(&other).unwrap();
    assert_ne!(other.config_hash(), world.config_hash());
}

#[test]
fn the_engine_has_the_version_that_headers_name() {
    let lock = include_str!("../../../../../Cargo.lock");
    let entry = format!("name = \"murk-engine\"\nversion = \"{MURK_VERSION}\"");
    assert!(lock.contains(&entry));
}

#[test]
fn descriptors_of_others_are_left_alone() {
    for descriptor in [
        b"".as_slice(),
        b"anything",
        b"gametape world 1\n",
        b"# gametape worl",
        b"\xff\xfe",
        &[0; 64],
    ] {
        assert!(World::from_descriptor(descriptor).is_none());
    }
    let fault = |descriptor: &[u8]| {
        let error = World::from_descriptor(descriptor).unwrap().unwrap_err();
        assert_eq!(error.line(), Some(1));
        error.fault().clone()
    };
    for later in [
        "# gametape world 2\n",
        "# gametape world 12",
        "# gametape world \n",
    ] {
        assert!(
            matches!(fault(later.as_bytes()), WorldFault::Version { .. }),
            "{later}"
        );
    }
    let long = format!("# gametape world {}", "9".repeat(1 << 20));
    assert!(matches!(fault(long.as_bytes()), WorldFault::Version { found } if found.len() <= 16));
    assert_eq!(
        fault(b"# gametape world 1\nseed = \"\xff\""),
        WorldFault::Utf8 { at: 27 }
    );
    // The text after the first line need not be canonical; an editor may have changed line ends.
    let windows = format!("# gametape world 1\n{PLAIN}").replace('\n', "\r\n");
    let world = World::from_descriptor(windows.as_bytes()).unwrap().unwrap();
    assert_eq!(world, World::from_toml(PLAIN).unwrap());
}

#[test]
fn a_world_can_be_made_without_a_text() {
    let mut world = World::new(Space::Ring1D { len: 5 }, 0.5);
    world.check().unwrap_err();
    let plain = World::from_toml(PLAIN).unwrap();
    world.fields = plain.fields;
    world.propagators = plain.propagators;
    world.check().unwrap();
    assert_eq!(world.build().unwrap().tick(), 0);
    assert_eq!(world.field_number("heat"), Some(0));
    assert_eq!(world.field_number("cold"), None);
    assert_eq!((world.writer(0), world.writer(1)), (Some(0), None));
}
