//! The totals and estimates of a sender, and its memory.

use std::mem::MaybeUninit;

use crate::error::{Error, Status, run};
use crate::pointer::needed;
use crate::sender::{Sender, SenderOptions};

/// The numbers of a sender since it was made.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    /// Packets that were made.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Entities that they create. One that is replaced is created and destroyed.
    pub created: u64,
    /// Entities that they update.
    pub updated: u64,
    /// Entities that they destroy.
    pub destroyed: u64,
    /// Packets that were lost, or came too late. In strict mode, one for each time that the sender has to go back.
    pub lost: u64,
}

/// The knowledge of a sender about its network, from acknowledgements alone.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Estimates {
    /// The round trip in ticks, smoothed; -1 before the first acknowledgement.
    pub round_trip: f64,
    /// The shortest round trip so far, in ticks; -1 before the first acknowledgement.
    pub least_round_trip: f64,
    /// The share of packets that were lost, or came too late; smoothed, from 0 to 1.
    pub loss: f64,
    /// The size that the next packet may have, in bytes.
    pub budget: usize,
}

/// Sets `totals` to the numbers so far.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_totals(
    sender: Option<&Sender>,
    totals: Option<&mut MaybeUninit<Totals>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let found = needed(sender, "sender")?.sender.totals();
        needed(totals, "totals")?.write(Totals {
            packets: found.packets,
            bytes: found.bytes,
            created: found.created,
            updated: found.updated,
            destroyed: found.destroyed,
            lost: found.lost,
        });
        Ok(Status::Ok)
    })
}

/// Sets `estimates` to what acknowledgements say of the network.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_estimates(
    sender: Option<&Sender>,
    estimates: Option<&mut MaybeUninit<Estimates>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let found = needed(sender, "sender")?.sender.estimates();
        needed(estimates, "estimates")?.write(Estimates {
            round_trip: found.round_trip.map_or(-1.0, f64::from),
            least_round_trip: found.least_round_trip.map_or(-1.0, f64::from),
            loss: found.loss.into(),
            budget: found.budget,
        });
        Ok(Status::Ok)
    })
}

/// Returns the bytes of memory that a sender takes now, with its last packet. They depend on the number of entities and
/// on the options, and not on how long a receiver is silent: `gametape_sender_max_memory` has the bound.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_memory(sender: Option<&Sender>) -> usize {
    sender.map_or(0, |sender| {
        size_of::<Sender>() + sender.sender.memory() + sender.packet.capacity()
    })
}

/// Returns the most bytes of memory that a sender with these options takes, for a receiver that sees, or has not yet
/// destroyed, so many entities at once. A server that must not exceed a number of bytes divides by this figure, and admits
/// as many receivers. Options may be NULL: all are the default ones then. If the budget was changed, the largest one counts.
/// 0 if the mode is not defined.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_max_memory(
    options: Option<&SenderOptions>,
    entities: usize,
) -> usize {
    let options = options.copied().unwrap_or_default().get();
    options.map_or(0, |options| {
        // A packet may have twice the room that it needs.
        let beside = options.budget.saturating_mul(2);
        let most = options.max_memory(entities).saturating_add(beside);
        most.saturating_add(size_of::<Sender>())
    })
}
