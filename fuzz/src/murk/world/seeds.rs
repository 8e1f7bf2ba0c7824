//! Small worlds: one for each space, with each propagator, and some that are refused.

use gametape_murk::engine::World;
use gametape_samples::murk::ALL;

/// Commands for a few ticks, as a script.
const SCRIPT: &[u8] =
    b"\x03\x02\xff\x01\x00\x08\xff\x02\x01\x10\x03\xff\x00\x02\x09\xf1\x03\x01\x20\
    \x00\x31\x50\x01\x00\x7f\x01\x35\x00\x03\x01\x02";

/// The sample worlds with fewer cells and the same propagators.
fn samples() -> impl Iterator<Item = String> {
    let smaller = |text: &str| {
        let mut text: String = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim_end())
            .filter(|line| !line.is_empty())
            .flat_map(|line| [line, "\n"])
            .collect();
        for (large, small) in [
            ("rows = 16", "rows = 3"),
            ("cols = 16", "cols = 4"),
            ("[255, -20.0]", "[11, -20.0]"),
            ("rows = 12", "rows = 3"),
            ("cols = 20", "cols = 3"),
            ("rows = 18", "rows = 2"),
            ("cols = 24", "cols = 3"),
            ("len = 24", "len = 3"),
            ("[150, 10.0]", "[15, 10.0]"),
            ("w = 8\nh = 8\nd = 6", "w = 2\nh = 4\nd = 2"),
        ] {
            text = text.replace(large, small);
        }
        text
    };
    ALL.into_iter().map(move |(_, text)| smaller(text))
}

/// A world with fields given as name, number of values (1 for a scalar) and mutability.
fn world(space: &str, fields: &[(&str, u32, &str)], propagators: &[&str]) -> String {
    use std::fmt::Write;
    let mut text = format!("dt = 0.1\nspace = {{ {space} }}\n");
    for (name, components, mutability) in fields {
        let kind = match components {
            1 => "'scalar'".to_owned(),
            dims => format!("'vector'\ndims = {dims}"),
        };
        let _ = writeln!(
            text,
            "[[field]]\nname = '{name}'\ntype = {kind}\nmutability = '{mutability}'"
        );
    }
    for propagator in propagators {
        let _ = writeln!(text, "[[propagator]]\n{propagator}");
    }
    text
}

fn recipes() -> [String; 6] {
    let line = "kind = 'line1d', len = 5, edge = 'clamp'";
    [
        world(
            line,
            &[("a", 1, "per_tick"), ("v", 2, "per_tick"), ("b", 1, "sparse")],
            &[
                "kind = 'identity_copy'\nfield = 'b'",
                "kind = 'gradient_compute'\ninput_field = 'a'\noutput_field = 'v'",
            ],
        ),
        world(
            "kind = 'ring1d', len = 4",
            &[("x", 1, "sparse"), ("y", 1, "per_tick"), ("n", 1, "sparse")],
            &[
                "kind = 'wave_propagation'\ndisplacement_field = 'x'\nvelocity_field = 'y'",
                "kind = 'noise_injection'\nfield = 'n'\nnoise_type = 'uniform'",
            ],
        ),
        // The reference pipeline.
        world(
            "kind = 'square4', rows = 2, cols = 3, edge = 'wrap'",
            &[
                ("heat", 1, "per_tick"),
                ("velocity", 2, "per_tick"),
                ("agents", 1, "sparse"),
                ("gradient", 2, "per_tick"),
                ("reward", 1, "per_tick"),
            ],
            &[
                "kind = 'diffusion'\ndiffusivity = 0.1",
                "kind = 'agent_movement'\ninitial_positions = [[1, 0], [2, 5]]",
                "kind = 'reward'\nheat_bonus = 1.0\nstep_cost = 0.1",
            ],
        ),
        // Its ticks fail.
        world(
            line,
            &[("a", 1, "per_tick"), ("v", 3, "sparse"), ("s", 1, "static"), ("w", 3, "sparse")],
            &["kind = 'gradient_compute'\ninput_field = 'a'\noutput_field = 'v'"],
        ),
        // A different queue, and a field without a propagator.
        world(
            "kind = 'fcc12', w = 2, h = 2, d = 2, edge = 'absorb'",
            &[("a", 1, "per_tick"), ("b", 2, "sparse"), ("s", 1, "static")],
            &["kind = 'resource_field'\nfield = 'a'\npresence_field = 's'\nregrowth_model = 'logistic'"],
        )
        .replace("dt = 0.1", "dt = 0.1\nmax_ingress_queue = 1"),
        world(
            "kind = 'product', components = [{ kind = 'product', components = [{ kind = 'ring1d', \
             len = 2 }] }, { kind = 'hex2d', rows = 1, cols = 2 }]",
            &[("a", 1, "sparse"), ("b", 1, "per_tick")],
            &["kind = 'morphological_op'\ninput_field = 'a'\noutput_field = 'b'\nop = 'erode'"],
        ),
    ]
}

fn with_script(mut text: Vec<u8>) -> Vec<u8> {
    text.push(0);
    text.extend(SCRIPT);
    text
}

/// The number of [`worlds`] that are valid; they come first.
pub const SOUND: usize = 12;

/// Descriptions followed by commands.
pub fn worlds() -> Vec<Vec<u8>> {
    let mut texts: Vec<String> = samples().chain(recipes()).collect();
    // In the form that a recording carries.
    let carried = World::from_toml(&texts[5])
        .expect("a sound one")
        .canonical();
    texts.push(String::from_utf8(carried).expect("a text"));
    debug_assert_eq!(texts.len(), SOUND);
    texts.extend(refused());
    let mut worlds: Vec<Vec<u8>> = texts
        .into_iter()
        .map(|text| with_script(text.into_bytes()))
        .collect();
    worlds.push(b"# gametape world 1\n\xff".to_vec());
    worlds
}

fn refused() -> Vec<String> {
    vec![
        "# gametape world 2\ndt = 1".to_owned(),
        "dt = 0.1\nspace = { kind = 'cube' }".to_owned(),
        "dt = 0.1\nspace = [[[[[[[[1]]]]]]]]".to_owned(),
    ]
}

/// Short descriptions of large worlds, for the memory test.
pub fn claims() -> Vec<Vec<u8>> {
    let one = [("a", 1, "per_tick"), ("b", 1, "sparse")];
    let copy = ["kind = 'identity_copy'\nfield = 'b'"];
    let mut texts = vec![
        world(
            "kind = 'line1d', len = 4294967295, edge = 'wrap'",
            &one,
            &copy,
        ),
        world("kind = 'ring1d', len = 16777216", &one, &copy),
        world(
            "kind = 'square8', rows = 4096, cols = 4096, edge = 'wrap'",
            &one,
            &copy,
        ),
        world(
            "kind = 'hex2d', rows = 4294967295, cols = 4294967295",
            &one,
            &copy,
        ),
        world(
            "kind = 'fcc12', w = 200, h = 200, d = 200, edge = 'wrap'",
            &one,
            &copy,
        ),
        world(
            &format!(
                "kind = 'product', components = [{}]",
                ["{ kind = 'ring1d', len = 65535 }"; 16].join(", ")
            ),
            &one,
            &copy,
        ),
        world(
            "kind = 'ring1d', len = 3",
            &[("a", u32::MAX, "static"), ("b", 1, "sparse")],
            &copy,
        ),
        world(
            "kind = 'ring1d', len = 9000",
            &one,
            &[
                "kind = 'morphological_op'\ninput_field = 'a'\noutput_field = 'b'\nradius = 4294967295",
            ],
        ),
        world("kind = 'ring1d', len = 3", &one, &copy)
            .replace("dt = 0.1", "dt = 0.1\nmax_ingress_queue = 1000000"),
        format!("a = {}", "[".repeat(5000)),
        format!("a = {}", "{a=".repeat(2000)),
        format!("{}a = 1", "a.".repeat(2000)),
    ];
    texts.extend(refused());
    texts.into_iter().map(String::into_bytes).collect()
}
