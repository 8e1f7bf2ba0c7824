use std::time::Duration;

use bevy_app::Update;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use gametape_delta::network::Conditions;

use crate::game::{Burning, Health, Order, Position, units};
use crate::network::Match;
use crate::replicate::{NetId, Replicated};

#[test]
fn clients_agree_whatever_is_lost() {
    for (seed, loss) in [(1, 50), (2, 200), (3, 500)] {
        let conditions = Conditions {
            loss,
            delay: 3,
            jitter: 2,
            duplicates: loss,
            reorder: loss,
            reorder_by: 6,
            ..Conditions::PERFECT
        };
        let mut game = Match::new(seed, conditions).unwrap();
        for _ in 0..600 {
            game.step();
        }
        let unlike = game.agree();
        assert_eq!(unlike, [false; 2], "packets take time, and units move");
        game.calm();
        for _ in 0..150 {
            game.step();
        }
        assert_eq!(game.agree(), [true; 2], "seed {seed}, loss {loss}");

        let all = units(game.server.world_mut());
        let burning = all.values().filter(|(_, _, _, burning)| burning.is_some());
        assert!(burning.count() > 2 && all.len() > 30);
        assert!(all.last_key_value().unwrap().0.0 as usize > all.len() + 50);
        let follow = all
            .values()
            .filter(|unit| matches!(unit.2, Some(Order::Follow(_))));
        assert!(follow.count() > 2);
    }
}

/// The changes that Bevy has noticed in this tick.
#[derive(Resource, Default)]
struct Noticed(String);

fn notice(
    mut noticed: ResMut<Noticed>,
    spawned: Query<(), Added<NetId>>,
    mut despawned: RemovedComponents<NetId>,
    moved: Query<(), Changed<Position>>,
    hurt: Query<(), Changed<Health>>,
    gained: Query<(), Added<Burning>>,
    mut lost: RemovedComponents<Burning>,
) {
    let counts = [
        ("spawned", spawned.iter().count()),
        ("despawned", despawned.read().count()),
        ("moved", moved.iter().count()),
        ("hurt", hurt.iter().count()),
        ("burning", gained.iter().count()),
        ("not burning", lost.read().count()),
    ];
    let some = counts.iter().filter(|(_, count)| *count > 0);
    noticed.0 = some.fold(String::new(), |all, (name, count)| {
        format!("{all}{name} {count} ")
    });
}

#[test]
fn each_change_of_the_server_is_the_same_change_at_the_client() {
    let mut game = Match::new(1, Conditions::PERFECT).unwrap();
    game.calm();
    let client = &mut game.clients[0].app;
    client.init_resource::<Noticed>();
    client.add_systems(Update, notice);
    let tick = |game: &mut Match| {
        game.step();
        assert_eq!(game.agree(), [true; 2]);
        game.clients[0].app.world().resource::<Noticed>().0.clone()
    };

    let unit = || (Replicated, Position(Vec2::new(1.0, 2.0)), Health(100));
    let [first, second] = [(); 2].map(|()| game.server.world_mut().spawn(unit()).id());
    game.server.world_mut().spawn(Health(1)); // the server's own
    assert_eq!(tick(&mut game), "spawned 2 moved 2 hurt 2 ");
    assert_eq!(tick(&mut game), "");

    game.server.world_mut().entity_mut(first).insert(Health(50));
    assert_eq!(tick(&mut game), "hurt 1 ");
    let left = Duration::from_secs(1);
    let burning = Burning { left };
    game.server.world_mut().entity_mut(second).insert(burning);
    assert_eq!(tick(&mut game), "burning 1 ");
    let mut unit = game.server.world_mut().entity_mut(second);
    unit.remove::<Burning>().insert(Position(Vec2::ZERO));
    assert_eq!(tick(&mut game), "moved 1 not burning 1 ");
    game.server.world_mut().despawn(first);
    assert_eq!(tick(&mut game), "despawned 1 ");
}
