//! Packets whose tick is far off, as one flipped bit makes it. Such a packet is read with the tick that
//! the packets around it tell, so that it stretches no clock and the packets after it can be used.

use gametape_delta::wire::Header;

use super::facts::Channels;
use crate::container::{MESSAGE_HEAD, RECORD_HEAD, messages};
use crate::layout::Role;

/// Ticks are far from each other if they are more than this apart.
const FAR: u32 = 1 << 20;

/// A packet whose tick is far off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wild {
    /// The position of its message in the unpacked chunk.
    pub at: usize,
    /// The recorded tick.
    pub tick: u32,
    /// The recorded log time.
    pub log_time: u64,
    /// The tick that the packets around it tell.
    pub meant: u32,
}

/// Whether a chunk with these log times may have such a packet.
pub(crate) const fn may_have(start_time: u64, end_time: u64, log_tick_ns: u64) -> bool {
    end_time.saturating_sub(start_time) / log_tick_ns > FAR as u64
}

/// A packet of the stream.
struct PacketTick {
    at: usize,
    tick: u32,
    log_time: u64,
    baseline: Option<u32>,
}

/// Finds the packets of an unpacked chunk whose ticks are far off. The first packet of a chunk is judged
/// only if it is the first of all: of another, its neighbour is in another chunk.
pub(crate) fn find(unpacked: &[u8], channels: &Channels, is_first: bool) -> Vec<Wild> {
    let mut links = Vec::new();
    for (at, message) in messages(unpacked, 0, 0).map_while(Result::ok) {
        let role = channels.role(message.channel);
        if role.is_some_and(Role::is_of_stream)
            && let Ok((header, _)) = Header::read(message.data)
        {
            links.push(PacketTick {
                at,
                tick: header.tick,
                log_time: message.log_time,
                baseline: header.baseline(),
            });
        }
    }
    let from = usize::from(!is_first);
    (from..links.len())
        .filter_map(|at| wild(&links, at))
        .collect()
}

/// The packet at `at`, if its tick is far from those of its neighbours, which are near each other and in
/// order, and if there is one tick that it must have.
fn wild(links: &[PacketTick], at: usize) -> Option<Wild> {
    let link = links.get(at)?;
    let next = links.get(at + 1)?;
    if link.tick.abs_diff(next.tick) <= FAR {
        return None;
    }
    let before = at.checked_sub(1).and_then(|before| links.get(before));
    let is_between = |tick: u32| before.is_none_or(|before| before.tick < tick) && tick < next.tick;
    let is_framed = before.map_or(
        // At the start of a recording, an earlier tick is in order.
        link.tick > next.tick,
        |before| before.tick < next.tick && next.tick - before.tick <= FAR,
    );
    if !is_framed {
        return None;
    }
    let later = links.get(at + 1..).unwrap_or_default();
    let asked = later.iter().filter_map(|link| link.baseline);
    let asked = asked.into_iter().find(|baseline| is_between(*baseline));
    let free = || {
        let before = before?.tick;
        (next.tick - before == 2).then_some(before + 1)
    };
    Some(Wild {
        at: link.at,
        tick: link.tick,
        log_time: link.log_time,
        meant: asked.or_else(free)?,
    })
}

/// Gives a packet of an unpacked chunk the tick that is meant.
pub(crate) fn mend(unpacked: &mut [u8], wild: &Wild, log_tick_ns: u64) {
    const SEQUENCE: usize = RECORD_HEAD as usize + 2;
    const LOG_TIME: usize = SEQUENCE + 4;
    const PUBLISH_TIME: usize = LOG_TIME + 8;
    /// The position of the tick in the header of a packet.
    const TICK: usize = (RECORD_HEAD + MESSAGE_HEAD) as usize + 16;
    let time = |tick: u32| u64::from(tick).saturating_mul(log_tick_ns);
    let (tick, meant) = (wild.tick.to_le_bytes(), wild.meant.to_le_bytes());
    let [log, meant_log] = [wild.tick, wild.meant].map(|tick| time(tick).to_le_bytes());
    replace(unpacked, wild.at + TICK, &tick, &meant);
    replace(unpacked, wild.at + SEQUENCE, &tick, &meant);
    replace(unpacked, wild.at + LOG_TIME, &log, &meant_log);
    replace(unpacked, wild.at + PUBLISH_TIME, &log, &meant_log);
}

/// Replaces bytes, if they are what is expected.
fn replace(bytes: &mut [u8], at: usize, expected: &[u8], by: &[u8]) {
    let place = bytes.get_mut(at..at + expected.len());
    if let Some(place) = place.filter(|place| *place == expected) {
        place.copy_from_slice(by);
    }
}
