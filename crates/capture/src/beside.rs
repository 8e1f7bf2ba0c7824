//! Two states side by side.

use gametape_delta::{Entity, Snapshot};

/// Pairs the entities of two states by id, in the order of the ids.
pub(crate) fn beside<'s>(
    a: &'s Snapshot,
    b: &'s Snapshot,
) -> impl Iterator<Item = (Option<Entity<'s>>, Option<Entity<'s>>)> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    std::iter::from_fn(move || {
        let id = a.peek().into_iter().chain(b.peek()).map(Entity::id).min()?;
        let (one, other) = (
            a.next_if(|entity| entity.id() == id),
            b.next_if(|entity| entity.id() == id),
        );
        Some((one, other))
    })
}
