//! Descriptions that must be refused: each rule, with its line and key. The origin's builders refuse some of
//! their propagators, and accept others that panic later.

use std::fmt::Write as _;

use gametape_murk::engine::{Place, Propagator, Space, World, WorldError, WorldFault};
use gametape_murk::{CommandBuf, Simulation};

use super::commands::Dice;
use super::worlds::all;
use crate::common::refusals;

const MAX_DESCRIPTION: usize = 1 << 20;
const MAX_FIELDS: usize = 4096;

/// Returns a world on `space` with scalar fields `a`, `b`, `c`, a vector `v`, and a static `s`.
pub fn text(space: &str, rest: &str) -> String {
    let field = |name, kind, mutability| {
        format!("[[field]]\nname = '{name}'\n{kind}\nmutability = '{mutability}'\n")
    };
    let scalar = "type = 'scalar'";
    format!(
        "dt = 0.01\nspace = {{ {space} }}\n{}{}{}{}{}{rest}",
        field("a", scalar, "per_tick"),
        field("b", scalar, "sparse"),
        field("c", scalar, "static"),
        field("v", "type = 'vector'\ndims = 2", "per_tick"),
        field("w", "type = 'vector'\ndims = 3", "per_tick"),
    )
}

pub const LINE: &str = "kind = 'line1d', len = 6, edge = 'clamp'";
pub const SQUARE: &str = "kind = 'square4', rows = 3, cols = 3, edge = 'clamp'";
pub const COPY: &str = "[[propagator]]\nkind = 'identity_copy'\nfield = 'a'\n";

pub fn refuse(text: &str) -> WorldError {
    let error = World::from_toml(text).err();
    error.unwrap_or_else(|| panic!("not refused:\n{text}"))
}

/// Returns the error for a description.
pub fn error_of(text: &str) -> String {
    refuse(text).to_string()
}

pub fn starts(error: &str, with: &str) {
    assert!(error.starts_with(with), "{error:?} should start {with:?}");
}

#[test]
fn what_is_not_toml() {
    let base = text(LINE, COPY);
    World::from_toml(&base).unwrap();
    starts(&error_of("dt = \n"), "line 1, the world: ");
    starts(&error_of("dt = 1\ndt = 2\n"), "line 2, the world: ");
    starts(
        &error_of(&format!("{base}[[field]\n")),
        "line 28, the world: ",
    );
    refuse(&"[".repeat(MAX_DESCRIPTION / 2));
    refuse(&format!("a = {}", "[".repeat(100_000)));
    refuse(&format!("{} = 1", "a.".repeat(100_000)));
    let long = format!("#{}", " ".repeat(MAX_DESCRIPTION));
    let error = refuse(&long);
    assert!(error.is_limit());
    assert_eq!(
        error.to_string(),
        "the world: 1,048,577 bytes of description, the limit is 1,048,576"
    );
}

/// Compares the errors of changes to `base`, each `from => to`.
fn changes(base: &str, table: &str) {
    refusals(table, |case| {
        let (from, to) = case.split_once(" =>").unwrap();
        assert!(base.contains(from), "{from}");
        error_of(&base.replacen(from, to.trim_start_matches(' '), 1))
    });
}

#[test]
fn keys_and_types() {
    let base = text(LINE, COPY);
    changes(
        &base,
        r#"
        dt = 0.01 => dt = 0.01\ntd = 3
            line 2, td: unknown key; known keys: seed, dt, max_ingress_queue, space, field, propagator
        dt = 0.01 =>
            line 1, dt: missing
        dt = 0.01 => dt = '0.01'
            line 1, dt: a number is needed, this is the string "0.01"
        dt = 0.01 => dt = 0x10
            line 1, dt: a number is needed, this is the integer 0x10
        dt = 0.01 => dt = nan
            line 1, dt: not a number (NaN)
        dt = 0.01 => dt = 1e999
            line 1, dt: a number that f64 can hold is needed…
        dt = 0.01 => dt = 2020-01-01
            line 1, dt: a number is needed, this is a date…
        len = 6 => len = '6'
            line 2, [space], len: an integer from 0 to 2^32-1 is needed, this is the string "6"
        len = 6 => len = 6, width = 2
            line 2, [space], width: unknown key; known keys: kind, len, edge
        'clamp' => 'wrapped'
            line 2, [space], edge: "wrapped" is not defined; known edges: absorb, clamp, wrap
        'line1d' => 'line'
            line 2, [space], kind: "line" is not defined; known spaces: line1d, ring1d…
        space = { => place = {
            line 1, space: missing…
        { kind = 'line1d', len = 6, edge = 'clamp' } => 7
            line 2, [space]: a table is needed, this is the integer 7…
        type = 'scalar' => type = 'tensor'
            line 5, field 0 (a), type: "tensor" is not defined; known types: scalar, vector…
        type = 'scalar'\n =>
            line 3, field 0 (a), type: missing…
        type = 'scalar' => type = 'scalar'\ndims = 2
            line 6, field 0 (a), dims: unknown key…
        dims = 2\n =>
            line 15, field 3 (v), dims: missing…
        mutability = 'sparse' => mutability = true
            line 10, field 1 (b), mutability: a string is needed, this is the boolean true…
        name = 'a' => name = 'a'\nbounds = [1]
            line 5, field 0 (a), bounds: a list of two is needed, this is a list of 1…
        kind = 'identity_copy' => kind = 'copy'
            line 26, propagator 0 (copy), kind: "copy" is not defined; known kinds: scalar_diff…
        field = 'a'\n =>
            line 25, propagator 0 (identity_copy), field: missing…
        kind = 'identity_copy' => kind = { a = 1 }
            line 26, propagator 0, kind: a string is needed, this is a table…
        "#,
    );
    for seed in [
        "-1",
        "18446744073709551616",
        "'0xg'",
        "1.0",
        "''",
        "'-1'",
        "[]",
    ] {
        starts(
            &error_of(&format!("seed = {seed}\n{base}")),
            "line 1, seed: an integer from 0 to 2^64-1 is needed",
        );
    }
    let ring = "dt = 1\nspace = {kind='ring1d',len=1}\nfield = ";
    starts(&error_of(&format!("{ring}3")), "line 3, field: a list of");
    starts(
        &error_of(&format!("{ring}[3]")),
        "line 3, field 0: a table is needed, this is the integer 3",
    );
    // Text of the description is shortened and escaped in errors.
    let key = |key: &str| error_of(&format!("dt = 1\n\"{key}\\u001b[2J\" = 1"));
    assert!(key(&"x".repeat(100_000)).len() < 300);
    assert!(!key("").contains('\u{1b}'));
}

#[test]
fn values_of_the_world() {
    let base = text(LINE, COPY);
    for dt in ["0", "-1.0", "inf", "-inf", "-0.0"] {
        starts(
            &error_of(&base.replacen("dt = 0.01", &format!("dt = {dt}"), 1)),
            "line 1, dt: must be finite and above 0",
        );
    }
    changes(
        &base,
        r"
        dt = => max_ingress_queue = 0\ndt =
            line 1, max_ingress_queue: at least one command is needed
        dt = => max_ingress_queue = 1_000_001\ndt =
            line 1, max_ingress_queue: 1,000,001 commands in a tick, the limit is 1,000,000
        [[propagator]]\nkind = 'identity_copy'\nfield = 'a' =>
            propagator: at least one propagator is needed
        ",
    );
    let (head, _) = base.split_once("[[field]]").unwrap();
    assert_eq!(
        error_of(&format!("{head}{COPY}")),
        "field: at least one field is needed"
    );
}

#[test]
fn spaces() {
    let space = |space: &str| error_of(&text(space, COPY));
    refusals(
        "
        kind = 'line1d', len = 0, edge = 'wrap'
            line 2, [space], len: at least one cell is needed
        kind = 'ring1d', len = 0
            line 2, [space], len: at least one cell is needed
        kind = 'square4', rows = 0, cols = 1, edge = 'wrap'
            line 2, [space], rows: at least one cell is needed
        kind = 'square8', rows = 1, cols = 0, edge = 'wrap'
            line 2, [space], cols: at least one cell is needed
        kind = 'hex2d', rows = 1, cols = 0
            line 2, [space], cols: at least one cell is needed
        kind = 'fcc12', w = 2, h = 2, d = 0, edge = 'wrap'
            line 2, [space], d: at least one cell is needed
        kind = 'fcc12', w = 2, h = 3, d = 2, edge = 'wrap'
            line 2, [space], h: must be even where the edge wraps, not 3
        kind = 'product', components = []
            line 2, [space], components: at least one component is needed
        kind = 'product', components = [{ kind = 'ring1d', length = 3 }]
            line 2, [space], len: missing…
        kind = 'product', components = [4]
            line 2, [space], components: a table is needed…
        ",
        space,
    );
    let ring = "{ kind = 'ring1d', len = 1 }";
    let product = |parts: &[&str]| format!("kind = 'product', components = [{}]", parts.join(", "));
    starts(
        &space(&product(&[ring; 17])),
        "line 2, [space], components: 17 components, the limit is 16",
    );
    let row = format!("{{ {} }}", product(&[ring; 16]));
    starts(
        &space(&product(&[&row, &row, ring])),
        "line 2, [space], components: 33 dimensions, the limit is 32",
    );
    let mut nested = ring.to_owned();
    for _ in 0..5 {
        nested = format!("{{ {} }}", product(&[&nested]));
    }
    assert_eq!(
        space(nested.trim_matches(['{', '}'])),
        "line 2, [space], components: 5 products in each other, the limit is 4"
    );
    refusals(
        "
        kind = 'ring1d', len = 4294967295
            4,294,967,295
        kind = 'ring1d', len = 67108865
            67,108,865
        kind = 'square4', rows = 4294967295, cols = 4294967295, edge = 'clamp'
            18,446,744,065,119,617,025
        kind = 'fcc12', w = 4294967295, h = 4294967295, d = 4294967295, edge = 'clamp'
            beyond counting:
        kind = 'product', components = [{ kind = 'hex2d', rows = 4294967295, cols = 65536 }, { kind = 'ring1d', len = 4294967295 }]
            beyond counting:
        ",
        |kind| {
            let error = refuse(&text(kind, COPY));
            assert!(error.is_limit() && *error.place() == Place::Space);
            let (error, claimed) = (error.to_string(), error.to_string().replace("line 2, [space]: ", ""));
            let claimed = claimed.strip_suffix(" cells, the limit is 67,108,864");
            claimed.unwrap_or(&error).to_owned()
        },
    );
}

#[test]
fn fields() {
    let base = text(LINE, COPY);
    changes(
        &base,
        r"
        name = 'b' => name = 'a'
            line 8, field 1 (a), name: field 0 has this name too
        dims = 2 => dims = 0
            line 18, field 3 (v), dims: at least one value is needed
        type = 'scalar' => type = 'categorical'\nn_values = 0
            line 6, field 0 (a), n_values: at least one value is needed
        name = 'b' => name = 'b'\nbounds = [1, 0]
            line 9, field 1 (b), bounds: bounds are two finite numbers…
        name = 'b' => name = 'b'\nbounds = [inf, inf]
            line 9, field 1 (b), bounds: bounds are two finite numbers…
        name = 'b' => name = 'b'\nbounds = [0, inf]
            line 9, field 1 (b), bounds: bounds are two finite numbers…
        name = 'b' => name = 'b'\nbounds = [-inf, 0]
            line 9, field 1 (b), bounds: bounds are two finite numbers…
        ",
    );
    for name in ["", "\\n", "a\\u001b[0m"] {
        let error = refuse(&base.replacen("name = 'b'", &format!("name = \"{name}\""), 1));
        starts(&error.to_string(), "line 8, field 1");
        assert_eq!(*error.fault(), WorldFault::Name { limit: 256 });
    }
    let long = "x".repeat(257);
    for key in ["name = 'b'\nunits", "name"] {
        let error = refuse(&base.replacen("name = 'b'", &format!("{key} = '{long}'"), 1));
        assert_eq!(*error.fault(), WorldFault::Name { limit: 256 });
        assert!(error.to_string().len() < 200);
    }
    let many = |count: usize, mutability: &str| {
        let mut all = format!("dt = 1\nspace = {{ {LINE} }}\n");
        for index in 0..count {
            let _ = writeln!(
                all,
                "[[field]]\nname = 'f{index}'\ntype = 'scalar'\nmutability = '{mutability}'"
            );
        }
        all + "[[propagator]]\nkind = 'identity_copy'\nfield = 'f0'\n"
    };
    World::from_toml(&many(MAX_FIELDS, "static"))
        .unwrap()
        .build()
        .unwrap();
    starts(
        &error_of(&many(MAX_FIELDS + 1, "sparse")),
        "line 3, field: 4,097 fields, the limit is 4,096",
    );
}

/// Worlds that would take too much are refused before anything is allocated.
#[test]
fn sizes() {
    let big = |len: u64, kind: &str, mutability: &str| {
        format!(
            "dt = 1\nspace = {{ kind = 'ring1d', len = {len} }}\n[[field]]\nname = 'a'\n{kind}
mutability = '{mutability}'\n{COPY}"
        )
    };
    let scalar = "type = 'scalar'";
    assert_eq!(
        error_of(&big((16 << 20) + 1, scalar, "per_tick")),
        "line 3, field 0 (a): 16,777,217 values in one field, the limit is 16,777,216"
    );
    assert_eq!(
        error_of(&big(2, "type = 'vector'\ndims = 4294967295", "static")),
        "line 3, field 0 (a): 8,589,934,590 values in all fields, the limit is 67,108,864"
    );
    starts(
        &error_of(&big(
            1 << 20,
            "type = 'vector'\ndims = 4294967295",
            "per_tick",
        )),
        "line 3, field 0 (a): 4,503,599,626,321,920 values in one field",
    );
    let second = "[[field]]\nname = 'b'\ntype = 'scalar'\nmutability = 'sparse'\n";
    let two = big(9 << 20, scalar, "sparse").replace(COPY, &format!("{second}{COPY}"));
    assert_eq!(
        error_of(&two),
        "line 10, field 1 (b), mutability: 18,874,368 values in sparse fields, the limit is \
         16,777,216"
    );
    // A ring of a million cells is accepted, a diffusion on ten million is not, because the origin
    // lists their neighbours. On squares it does not.
    let diffusion = "[[propagator]]\nkind = 'scalar_diffusion'\ninput_field = 'a'
output_field = 'a'\n";
    let ring = |len: u64| big(len, scalar, "per_tick").replace(COPY, diffusion);
    World::from_toml(&ring(1_000_000)).unwrap();
    let error = refuse(&ring(10_000_000));
    assert!(error.is_limit());
    starts(
        &error.to_string(),
        "the world: 1,400,131,072 bytes of memory, the limit is",
    );
    let squares = ring(10_000_000).replace(
        "kind = 'ring1d', len = 10000000",
        "kind = 'square4', rows = 2500, cols = 4000, edge = 'absorb'",
    );
    World::from_toml(&squares).unwrap();
}

/// Descriptions with a few changed bytes are refused, or are worlds that run. Nothing panics.
#[test]
fn damaged_descriptions() {
    let samples: Vec<String> = all()
        .iter()
        .map(|twin| String::from_utf8(twin.world().canonical()).unwrap())
        .collect();
    let mut dice = Dice(2024);
    let mut pick = |count: usize| dice.roll(count as u64) as usize;
    let (mut read, mut refused) = (0, 0);
    for round in 0..6000 {
        let sample = &samples[round % samples.len()];
        let mut bytes = sample.clone().into_bytes();
        for _ in 0..=pick(3) {
            let at = pick(bytes.len());
            match pick(12) {
                0 => bytes[at] = b"0123456789-.e[]{}\"'=,\n \\#nai"[pick(28)],
                1 => drop(bytes.remove(at)),
                // In most cases another digit, and another world.
                4 => {
                    let digits = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit());
                    let digits: Vec<usize> = digits.collect();
                    bytes[digits[pick(digits.len())]] = b"0123456789"[pick(10)];
                }
                2 => bytes.insert(at, b"0123456789"[pick(10)]),
                3 => bytes.truncate(at.max(60)),
                // A line replaces another one.
                5 => {
                    let lines: Vec<&str> = sample.lines().collect();
                    let (from, to) = (lines[pick(lines.len())], lines[pick(lines.len())]);
                    bytes = String::from_utf8_lossy(&bytes)
                        .replacen(from, to, 1)
                        .into_bytes();
                }
                _ => {}
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match World::from_toml(&text) {
            Err(error) => {
                refused += 1;
                assert!(error.to_string().len() < 2000);
            }
            Ok(world) if world.cell_count() < 5_000 => {
                read += 1;
                let mut engine = world.build().unwrap();
                for tick in 0..2 {
                    let _ = engine.step(tick, CommandBuf::new().as_commands());
                }
            }
            Ok(_) => {}
        }
    }
    assert!(read > 500 && refused > 500, "{read} {refused}");
}

#[test]
fn propagators() {
    let kinds = |table: &str| {
        refusals(table, |keys| {
            error_of(&text(LINE, &format!("[[propagator]]\nkind = {keys}\n")))
        });
    };
    kinds(
        r#"
        'identity_copy'\nfield = 'x'
            line 27, propagator 0 (identity_copy), field: the world has no field "x"
        'reward'\nheat_bonus = 1\nstep_cost = nan
            line 28, propagator 0 (reward), step_cost: not a number (NaN)
        'identity_copy'\nfield = 'a'\n[[propagator]]\nkind = 'identity_copy'\nfield = 'a'
            line 30, propagator 1 (identity_copy), field: writes field "a", as propagator 0 does
        'wave_propagation'\ndisplacement_field = 'a'\nvelocity_field = 'a'
            line 28, propagator 0 (wave_propagation), velocity_field: writes field "a", as…
        "#,
    );
    let few = "dt = 1\nspace = { kind = 'ring1d', len = 1 }\n[[field]]\nname = 'a'
type = 'scalar'\nmutability = 'sparse'\n[[propagator]]\nkind = ";
    refusals(
        r"
        'agent_movement'
            line 7, propagator 0 (agent_movement): it works on the fields 2, the world has 1
        'diffusion'\ndiffusivity = 1
            line 7, propagator 0 (diffusion): it works on the fields 0, 1 and 3, the world has 1…
        'reward'\nheat_bonus = 1\nstep_cost = 1
            line 7, propagator 0 (reward): it works on the fields 0, 2 and 4, the world has 1…
        ",
        |keys| error_of(&format!("{few}{keys}\n")),
    );
    starts(
        &error_of(&text(LINE, &COPY.repeat(1025))),
        "line 25, propagator: 1,025 propagators, the limit is 1,024",
    );
    // Refused by the origin's builders, but for the last two, which would panic.
    kinds(
        r"
        'scalar_diffusion'\ninput_field = 'a'\noutput_field = 'a'\ncoefficient = -1
            line 25, propagator 0 (scalar_diffusion): coeff…
        'scalar_diffusion'\ninput_field = 'a'\noutput_field = 'a'\ndecay = inf
            line 25, propagator 0 (scalar_diffusion): decay…
        'scalar_diffusion'\ninput_field = 'a'\noutput_field = 'a'\nclamp_min = 2\nclamp_max = 1
            line 25, propagator 0 (scalar_diffusion): clamp_min (2)…
        'morphological_op'\ninput_field = 'a'\noutput_field = 'a'\nradius = 0
            line 25, propagator 0 (morphological_op): radius…
        'noise_injection'\nfield = 'a'\nscale = -1
            line 25, propagator 0 (noise_injection): scale…
        'noise_injection'\nfield = 'a'\nnoise_type = 'salt_pepper'\nscale = 1.5
            line 25, propagator 0 (noise_injection): SaltPepper…
        'resource_field'\nfield = 'a'\npresence_field = 'b'\ncapacity = 0
            line 25, propagator 0 (resource_field): capacity…
        'resource_field'\nfield = 'a'\npresence_field = 'b'\nconsumption_rate = -1
            line 25, propagator 0 (resource_field): cons…
        'resource_field'\nfield = 'a'\npresence_field = 'b'\nregrowth_rate = inf
            line 25, propagator 0 (resource_field): regrowth…
        'wave_propagation'\ndisplacement_field = 'a'\nvelocity_field = 'b'\nwave_speed = 0
            line 25, propagator 0 (wave_propagation): wave…
        'wave_propagation'\ndisplacement_field = 'a'\nvelocity_field = 'b'\ndamping = -1
            line 25, propagator 0 (wave_propagation): damp…
        'agent_emission'\npresence_field = 'a'\nemission_field = 'b'\nintensity = 0
            line 25, propagator 0 (agent_emission): intens…
        'diffusion'\ndiffusivity = -1
            line 25, propagator 0 (diffusion): diffusivity…
        'diffusion'\ndiffusivity = inf
            line 25, propagator 0 (diffusion): diffusivity…
        ",
    );
}

/// A propagator with a time step that is too long, or without one.
#[test]
fn time_steps() {
    let with = |keys: &str| {
        error_of(&text(LINE, &format!("{COPY}[[propagator]]\n{keys}\n")).replace("0.01", "0.5"))
    };
    assert_eq!(
        with("kind = 'scalar_diffusion'\ninput_field = 'a'\noutput_field = 'b'\ncoefficient = 1"),
        "line 1, dt: 0.5 s is too long: propagator 1 (scalar_diffusion) is stable up to \
         0.08333333333333333 s"
    );
    // With the default speed, 1: on a line, 1 over the square root of 2.
    let waves = "kind = 'wave_propagation'\ndisplacement_field = 'a'\nvelocity_field = 'b'\n";
    let waves = text(LINE, &format!("[[propagator]]\n{waves}")).replace("0.01", "0.8");
    starts(
        &error_of(&waves),
        "line 1, dt: 0.8 s is too long: propagator 0 (wave_propagation) is stable up to 0.707106",
    );
    starts(
        &with(
            "kind = 'scalar_diffusion'\ninput_field = 'a'\noutput_field = 'b'\ncoefficient = 1e-320",
        ),
        "the world: propagator 'ScalarDiffusion' returned invalid max_dt: inf",
    );
}

/// Checks that a field has the wrong number of values in a cell, and returns the key that names it.
fn components(text: &str) -> String {
    let error = refuse(text);
    let fault = error.fault();
    assert!(matches!(fault, WorldFault::Components { .. }), "{error}");
    error.key().to_owned()
}

/// Shapes of fields, and parameters, that the origin accepts and panics on in the first tick.
#[test]
fn what_would_make_the_origin_panic() {
    let gradient = |field: &str| {
        format!(
            "[[propagator]]\nkind = 'scalar_diffusion'\ninput_field = 'b'\noutput_field = 'a'
gradient_field = '{field}'\n"
        )
    };
    let flow = |field: &str| {
        format!(
            "[[propagator]]\nkind = 'flow_field'\npotential_field = 'b'\nflow_field = '{field}'\n"
        )
    };
    let runs = |space: &str, keys: &str| {
        let mut world = World::from_toml(&text(space, keys))
            .unwrap()
            .build()
            .unwrap();
        for tick in 0..2 {
            world.step(tick, CommandBuf::new().as_commands()).unwrap();
        }
        world.failure().map(str::to_owned)
    };
    for keys in [&gradient as &dyn Fn(&str) -> String, &flow] {
        assert_eq!(runs(SQUARE, &keys("v")), None);
        assert_eq!(runs(SQUARE, &keys("w")), None);
        assert_eq!(runs(LINE, &keys("v")), None);
        for (space, field) in [(SQUARE, "b"), (LINE, "w"), (LINE, "b")] {
            components(&text(space, &keys(field)));
        }
    }
    assert!(refuse(&text(LINE, &gradient("w"))).to_string().ends_with(
        "gradient_field: field \"w\" has 3 values a cell; two are needed in this space"
    ));
    let to = |kind: &str, field: &str| {
        format!("[[propagator]]\nkind = '{kind}'\ninput_field = 'b'\noutput_field = '{field}'\n")
    };
    assert_eq!(runs(SQUARE, &to("scalar_diffusion", "w")), None);
    for (space, kind) in [
        (LINE, "scalar_diffusion"),
        (LINE, "morphological_op"),
        (SQUARE, "morphological_op"),
    ] {
        assert_eq!(runs(space, &to(kind, "a")), None);
        assert_eq!(components(&text(space, &to(kind, "v"))), "output_field");
    }
    for space in [LINE, SQUARE] {
        for (d, v, key) in [
            ("v", "a", "displacement_field"),
            ("a", "v", "velocity_field"),
        ] {
            let keys = format!("displacement_field = '{d}'\nvelocity_field = '{v}'\n");
            let waves = format!("[[propagator]]\nkind = 'wave_propagation'\n{keys}");
            assert_eq!(components(&text(space, &waves)), key);
        }
    }
    // The reference diffusion fails if its heat or its velocity has another shape. It would write
    // its gradient beyond the end.
    let diffusion = "[[propagator]]\nkind = 'diffusion'\ndiffusivity = 0.5\n";
    assert!(
        runs(LINE, diffusion)
            .unwrap()
            .contains("velocity field length mismatch")
    );
    let narrow = text(SQUARE, diffusion).replace(
        "name = 'v'\ntype = 'vector'\ndims = 2",
        "name = 'v'\ntype = 'scalar'",
    );
    components(&narrow);
    // If one of both bounds is NaN, `f32::clamp` panics.
    for (min, max) in [("nan", "1"), ("1", "nan"), ("nan", "nan")] {
        let keys = format!(
            "{}clamp_min = {min}\nclamp_max = {max}\n",
            to("scalar_diffusion", "a")
        );
        assert_eq!(*refuse(&text(LINE, &keys)).fault(), WorldFault::Nan);
    }
    // The same without a text.
    let mut world = World::from_toml(&text(LINE, &to("scalar_diffusion", "a"))).unwrap();
    if let Propagator::ScalarDiffusion(diffusion) = &mut world.propagators[0] {
        (diffusion.clamp_min, diffusion.clamp_max) = (Some(f32::NAN), Some(1.0));
    }
    assert_eq!(*world.build().unwrap_err().fault(), WorldFault::Nan);
    world.space = Space::Ring1D { len: u32::MAX };
    assert!(world.build().unwrap_err().is_limit());
    assert!(world.checker().unwrap_err().is_limit());
    // A static field that is updated in place triggers a debug assertion of the engine.
    let agents = "[[propagator]]\nkind = 'agent_movement'\ninitial_positions = [[1, 5]]\n";
    let error = refuse(&text(LINE, agents));
    starts(
        &error.to_string(),
        "line 25, propagator 0 (agent_movement): field \"c\" is static",
    );
    // Elements that do not exist: the origin ignores them, so they would have no effect.
    let sources = format!(
        "{}sources = [[0, 1.0], [6, 2.0]]\n",
        to("scalar_diffusion", "a")
    );
    starts(
        &error_of(&text(LINE, &sources)),
        "line 29, propagator 0 (scalar_diffusion), sources: element 6 does not exist; there are 6",
    );
    let beyond = text(LINE, &agents.replace('5', "6")).replace("'static'", "'sparse'");
    starts(
        &error_of(&beyond),
        "line 27, propagator 0 (agent_movement), initial_positions: element 6",
    );
    let id = text(LINE, &agents.replace("[1, 5]", "[65536, 5]"));
    starts(
        &error_of(&id),
        "line 27, propagator 0 (agent_movement), initial_positions: an integer",
    );
}

/// Static fields, and fields of other shapes, on which the origin fails without a panic.
#[test]
fn worlds_that_always_fail_are_worlds() {
    for keys in [
        "kind = 'identity_copy'\nfield = 'c'",
        "kind = 'noise_injection'\nfield = 'c'",
        "kind = 'gradient_compute'\ninput_field = 'a'\noutput_field = 'w'",
        "kind = 'resource_field'\nfield = 'a'\npresence_field = 'v'",
        "kind = 'agent_emission'\npresence_field = 'v'\nemission_field = 'a'",
        "kind = 'agent_emission'\npresence_field = 'v'\nemission_field = 'a'\nmode = 'set'",
        "kind = 'scalar_diffusion'\ninput_field = 'a'\noutput_field = 'c'",
        "kind = 'flow_field'\npotential_field = 'v'\nflow_field = 'v'\nnormalize = true",
    ] {
        let world = World::from_toml(&text(LINE, &format!("[[propagator]]\n{keys}\n"))).unwrap();
        let mut engine = world.build().unwrap();
        let empty = CommandBuf::new();
        let mut failures = 0;
        while failures < 5 && engine.step(0, empty.as_commands()).is_ok() {
            failures += 1;
        }
        let fails = !keys.contains("flow_field");
        assert_eq!(failures, if fails { 3 } else { 5 }, "{keys}");
        assert_eq!(engine.tick(), if fails { 0 } else { 5 });
    }
}

/// A radius that would take hours for a tick.
#[test]
fn work() {
    let dilate = |radius: u64, rows: u64| {
        let space = format!("kind = 'square4', rows = {rows}, cols = 1000, edge = 'absorb'");
        text(
            &space,
            &format!(
                "[[propagator]]\nkind = 'morphological_op'\ninput_field = 'b'\noutput_field = 'a'
radius = {radius}\n"
            ),
        )
    };
    World::from_toml(&dilate(7, 1000)).unwrap();
    World::from_toml(&dilate(u64::from(u32::MAX), 1)).unwrap();
    assert_eq!(
        error_of(&dilate(u64::from(u32::MAX), 1000)),
        "line 29, propagator 0 (morphological_op), radius: 1,000,000,000,000 cells looked at in a \
         tick, the limit is 268,435,456"
    );
}
