//! Propagators that must be refused: the origin's builders refuse some, and accept others that
//! panic later.

use gametape_murk::engine::{Propagator, Space, World, WorldFault};
use gametape_murk::{CommandBuf, Simulation};

use super::hostile::{COPY, LINE, SQUARE, error_of, refuse, starts, text};
use crate::common::refusals;

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
