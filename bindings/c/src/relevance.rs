//! The relevance of entities to a receiver, for one packet.

use std::ffi::c_void;

use gametape_delta::{self as delta, Near, SendError};

use crate::error::Fault;
use crate::world::{Audience, audience};

/// Returns how important an entity is to the receiver; with 0, the receiver may not see it. `context` is what
/// `gametape_sender_encode` or `gametape_sender_encode_near` was given.
///
/// `distance_squared` is the square of the entity's distance from the centre of the area; 0 if it has no position, and in
/// `gametape_sender_encode`. As whom the receiver sees the entity is set in `audience`, a `GametapeAudience`. It is
/// `GAMETAPE_AUDIENCE_ALL` before.
///
/// It may use all handles but the `GametapeError` of that call; it must not free the sender, the world or the grid. It
/// must return: no exception, no `longjmp`.
pub type Relevance = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        entity: u32,
        distance_squared: f64,
        audience: *mut u32,
    ) -> u32,
>;

/// They are asked of the caller before the packet is made, so that the callback runs while nothing is borrowed.
#[derive(Default)]
pub(crate) struct Relevances {
    /// Ascending.
    entities: Vec<Near>,
    given: Vec<delta::Relevance>,
    /// Where the next one is probably.
    next: usize,
}

impl Relevances {
    /// Finds all entities, or those in an area. They are asked for next.
    pub fn find(
        &mut self,
        world: &delta::World,
        place: Option<(&delta::Grid, delta::Area)>,
    ) -> Result<(), SendError> {
        let Some((grid, area)) = place else {
            let near = |id: &u32| Near {
                id: *id,
                distance_squared: 0.0,
            };
            self.entities.clear();
            self.entities.extend(world.state().ids().iter().map(near));
            return Ok(());
        };
        // More than the sender asks for: it knows which of those at the rim are seen.
        let farthest = area.enter.max(area.leave);
        grid.near(world, area.centre, farthest, &mut self.entities)
    }

    pub fn ask(&mut self, mut relevance: impl FnMut(&Near) -> (u32, u32)) -> Result<(), Fault> {
        self.next = 0;
        self.given.clear();
        for near in &self.entities {
            let (weight, number) = relevance(near);
            let audience = audience(number)?;
            self.given.push(delta::Relevance { weight, audience });
        }
        Ok(())
    }

    /// The relevance of an entity; weight 0 if it was not asked for. Fast in ascending order.
    pub fn of(&mut self, id: u32) -> delta::Relevance {
        let found = self.entities.get(self.next).map(|near| near.id);
        if found != Some(id) {
            self.next = self.entities.partition_point(|near| near.id < id);
        }
        let at = self.next;
        let is_known = self.entities.get(at).is_some_and(|near| near.id == id);
        self.next += usize::from(is_known);
        let given = self.given.get(at).filter(|_| is_known);
        given.copied().unwrap_or(0.into())
    }
}

/// Calls the function of the caller.
///
/// # Safety
/// `relevance` may be called with this context.
pub(crate) unsafe fn call(
    relevance: unsafe extern "C" fn(*mut c_void, u32, f64, *mut u32) -> u32,
    context: *mut c_void,
    near: &Near,
) -> (u32, u32) {
    let mut audience = Audience::All as u32;
    // SAFETY: the caller's promise; the audience outlives the call.
    let weight = unsafe { relevance(context, near.id, near.distance_squared, &raw mut audience) };
    (weight, audience)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevances_are_found_in_any_order() {
        let near = |id| Near {
            id,
            distance_squared: 0.0,
        };
        let mut relevances = Relevances {
            entities: [2, 5, 9].map(near).to_vec(),
            ..Relevances::default()
        };
        relevances.ask(|near| (near.id * 10, 2)).unwrap();
        let asked = [2, 5, 9, 9, 2, 7, 10, 1, 5];
        let found = asked.map(|id| relevances.of(id));
        assert_eq!(
            found.map(|relevance| relevance.weight),
            [20, 50, 90, 90, 20, 0, 0, 0, 50]
        );
        assert_eq!(found[0].audience, delta::Audience::Owner);
        assert!(relevances.ask(|_| (1, 3)).is_err());
    }
}
