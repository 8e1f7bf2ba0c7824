//! Groups, whose entities travel together.

use crate::session::change::{Member, Scratch, Waiting};
use crate::session::known::Waits;
use crate::session::lane::{Lane, soonest};
use crate::session::model::Mode;
use crate::session::world::World;

/// Collects the members of groups that must be in a packet with any other of their group. `before`
/// has the groups of the entities that the receiver may have, by id: one that has ended belongs to
/// its last group until the receiver has its destroy.
pub(super) fn collect(world: &World, before: &[(u32, u32)], scratch: &mut Scratch, mode: Mode) {
    let Scratch {
        known,
        order,
        members,
        grouped,
        groups,
        ..
    } = scratch;
    members.clear();
    grouped.clear();
    groups.clear();
    if world.groups().is_empty() && before.is_empty() {
        return;
    }
    let (mut now, mut then) = (Lane::new(world.groups()), Lane::new(before));
    let (mut from, mut waiting) = (0, order.as_slice());
    while let Some(id) = soonest([now.next_id(), then.next_id()]) {
        let place = world.find(id);
        let (now, then) = (now.at(id), then.at(id));
        // One that lives has no other group than that which it has now.
        let Some((_, group)) = now.or(then.filter(|_| place.is_none())) else {
            continue;
        };
        let rest = known.get(from..).unwrap_or_default();
        from += rest.partition_point(|known| known.id < id);
        let Some(found) = known.get(from).filter(|known| known.id == id) else {
            continue;
        };
        let at = from as u32;
        groups.push((id, *group));
        grouped.push((at, *group));
        let before = waiting.partition_point(|waiting| waiting.at() < at);
        waiting = waiting.get(before..).unwrap_or_default();
        let own = waiting.first().filter(|waiting| waiting.at() == at);
        let member = |change, waits| Member {
            group: *group,
            change,
            at,
            waits,
            tried: false,
        };
        let face = found.seen_as();
        let now = place.filter(|_| found.shown);
        let now = now.and_then(|place| Some(world.stamp(place, world.heads().get(place)?, face)));
        match (own, found.beside(now.as_ref(), mode)) {
            (Some(own), _) => members.push(member(Some(*own), true)),
            (None, Ok(Some(what))) => {
                members.push(member(Some(Waiting::new(0, at, what, face)), false));
            }
            (None, Ok(None)) => {}
            (None, Err(Waits)) => members.push(member(None, false)),
        }
    }
    members.sort_unstable_by_key(|member| (member.group, member.at));
}

/// Returns the group of the entity at an index, with all that goes into a packet with it; `None` if
/// it has no group. An error says that the group has to wait, or was tried already.
#[inline]
pub(super) fn group_of<'a>(
    members: &'a mut [Member],
    grouped: &[(u32, u32)],
    at: u32,
) -> Result<Option<(u32, &'a [Member])>, Waits> {
    if grouped.is_empty() {
        return Ok(None);
    }
    let found = grouped.binary_search_by_key(&at, |(at, _)| *at).ok();
    let Some((_, group)) = found.and_then(|found| grouped.get(found)) else {
        return Ok(None);
    };
    let from = members.partition_point(|member| member.group < *group);
    let to = members.partition_point(|member| member.group <= *group);
    let all = members.get_mut(from..to).unwrap_or_default();
    let must_wait = all
        .iter()
        .any(|member| member.tried || member.change.is_none());
    if let Some(first) = all.first_mut() {
        first.tried = true;
    }
    if must_wait {
        return Err(Waits);
    }
    Ok(Some((*group, all)))
}
