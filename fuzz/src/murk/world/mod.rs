//! Descriptions of worlds from any recording, and the worlds that they describe.

mod run;
pub mod seeds;

use gametape_murk::engine::own::Kinds;
use gametape_murk::engine::{Space, World, WorldError, WorldFault};
use gametape_murk::{read, write_header};

/// The text up to the first zero byte is a description, from a file or from a recording; the bytes
/// after it determine commands.
///
/// A description is either refused with a message that names the line, or valid: it passes its own
/// check and has one canonical text, which reads back as the same world with the same hash, also
/// through a recording's header. A description that names other people's propagators has such a
/// text, too, but is not built.
///
/// A small world is built and runs. The outcome of each command is the one predicted without
/// simulation; if a value is set by only one command, it has that value. The recording of the world
/// is verified in another world of the same description, where a forged hash is noticed at its
/// tick. A world that is reset to any tick makes the same ticks again, bit by bit.
pub fn murk_world(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let text = parts.next().unwrap_or_default();
    let script = parts.next().unwrap_or_default();
    let carried = World::from_descriptor(text);
    let world = match (std::str::from_utf8(text), carried) {
        (Err(_), None) => return,
        (Err(_), Some(carried)) => return refused(text, &carried.expect_err("it is no text")),
        (Ok(read), carried) => {
            let world = World::from_toml(read);
            match (&world, carried) {
                (_, None) => {}
                (Ok(world), Some(Ok(carried))) => {
                    assert_eq!(carried.canonical(), world.canonical());
                }
                (Err(error), Some(Err(carried))) if carried.to_string() == error.to_string() => {}
                // The first line is a comment in one form and the version in the other.
                (_, Some(Err(error))) if matches!(error.fault(), WorldFault::Version { .. }) => {
                    refused(text, &error);
                }
                (world, carried) => panic!("{world:?}, but carried it is {carried:?}"),
            }
            world
        }
    };
    match world {
        Err(error) => {
            refused(text, &error);
            if error.is_unknown_kind() {
                strange(text);
            }
        }
        Ok(world) => {
            sound(&world);
            if is_small(&world) {
                run::check(&world, script);
            }
        }
    }
}

fn refused(text: &[u8], error: &WorldError) {
    let message = error.to_string();
    assert!(!message.is_empty() && message.len() < 4096, "{message}");
    if let Some(line) = error.line() {
        let lines = text.split(|&byte| byte == b'\n').count();
        assert!((1..=lines).contains(&line), "{message}, of {lines} lines");
    }
}

/// A world with propagators of unknown kinds: it is refused nevertheless, or has one canonical text
/// and is not built.
fn strange(text: &[u8]) {
    let keep = Kinds::new().or_unknown();
    let text = std::str::from_utf8(text).expect("it was read");
    match World::from_toml_with(text, &keep) {
        Err(error) => refused(text.as_bytes(), &error),
        Ok(world) => {
            let canonical = world.canonical();
            let again = World::from_descriptor_with(&canonical, &keep);
            let again = again.expect("it says what it is").expect("canonical");
            assert_eq!(again.canonical(), canonical, "a fixed point");
            assert_eq!(again, world);
            assert_eq!(again.config_hash(), world.config_hash());
            assert!(world.build().is_err_and(|error| error.is_unknown_kind()));
        }
    }
}

fn sound(world: &World) {
    world.check().expect("it was read");
    let canonical = world.canonical();
    let again = World::from_descriptor(&canonical).expect("it says what it is");
    let again = again.expect("canonical");
    assert_eq!(again.canonical(), canonical, "a fixed point");
    assert_eq!(&again, world);
    assert_eq!(again.config_hash(), world.config_hash());
    let checker = world.checker().expect("it was read");
    assert_eq!(
        checker.max_ingress_queue(),
        world.max_ingress_queue as usize
    );

    let header = world.header();
    assert_eq!(header.config_hash, world.config_hash());
    assert_eq!(header.space_descriptor, canonical);
    let bytes = write_header(&header).expect("within the limits");
    let carried = read(&bytes).expect("what was written");
    assert_eq!(carried.header(), &header);

    // Coordinates, on which the origin and we must agree.
    let (cells, ndim) = (world.cell_count(), world.space.ndim());
    for cell in [0, 1, cells / 2, cells - 1] {
        let coord = world.space.coord(cell);
        assert_eq!(coord.is_some(), cell < cells);
        assert!(coord.is_none_or(|coord| coord.len() == ndim));
    }
    assert_eq!(world.space.coord(cells), None);
    assert_eq!(world.space.coord(u64::MAX), None);
}

/// Whether the world is small enough to run in some milliseconds.
fn is_small(world: &World) -> bool {
    let cells = world.cell_count();
    let values: u64 = world
        .fields
        .iter()
        .map(|field| cells.saturating_mul(field.field_type.components().into()))
        .fold(0, u64::saturating_add);
    cells <= 144
        && values <= 1024
        && world.propagators.len() <= 6
        // A coordinate may have more numbers than there are cells.
        && parts(&world.space) <= 8
        && world.max_ingress_queue <= 4096
}

/// The number of spaces of which a space consists.
fn parts(space: &Space) -> usize {
    match space {
        Space::Product { components } => 1 + components.iter().map(parts).sum::<usize>(),
        _ => 1,
    }
}
