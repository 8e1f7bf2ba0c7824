//! The stamps of packets, one after the other, without their states.

use std::collections::HashMap;

use gametape_core::{Clocks, Stamp};

use super::making::Rising;
use super::reading::{Clock, Made};
use crate::decoder::decoder_to_show;
use crate::layout::Role;
use crate::read::Capture;
use crate::rule::{Error, fault};

/// Visits the stamp and the tick of each packet, up to the first damage. Only the clock's fields of
/// the packets are decoded. The visitor also gets the offset of the packet.
pub(super) fn each<E: From<Error>>(
    capture: &Capture<'_>,
    made: &Made,
    mut visit: impl FnMut(Stamp, u32, u64) -> Result<(), E>,
) -> Result<(), E> {
    let clock = Clock::new(&made.of, capture.schema())?;
    let decoder = decoder_to_show(capture.schema());
    let mut known = HashMap::new();
    let mut cursor = capture.packets();
    loop {
        let packet = match cursor.next_packet() {
            Ok(Some(packet)) if packet.role == Role::Added => continue,
            Ok(Some(packet)) => packet,
            Ok(None) => return Ok(()),
            Err(error) => return Ok(fault(error).map(drop)?),
        };
        let Ok(decoded) = decoder.packet_upto(packet.bytes, clock.entity()) else {
            continue;
        };
        if let Some(stamp) = clock.stamp_after(&decoded, &mut known) {
            visit(stamp, decoded.header.tick, packet.offset)?;
        }
    }
}

/// Whether the clocks of the packets rise as far as the capture says that they do.
pub(super) fn rise(capture: &Capture<'_>, made: &Made) -> Result<bool, Error> {
    let said = capture.rises();
    if said == Clocks::STEPS {
        return Ok(true);
    }
    let mut rising = Rising::default();
    each(capture, made, |stamp, _, _| {
        rising.take(stamp);
        Ok::<(), Error>(())
    })?;
    // Without packets, no clock goes back.
    let found = rising.rises().unwrap_or(said);
    Ok((found.ticks || !said.ticks) && (found.times || !said.times))
}
