//! The sending side of a session, its totals and estimates.

use std::ffi::c_void;
use std::mem::{self, MaybeUninit};

use gametape_delta::{self as delta, Feedback, SenderOptions as Options};

use crate::error::{Error, Fault, Status, elements, free, make, needed, run};
use crate::relevance::{Relevance, Relevances, call};
use crate::snapshot::Schema;
use crate::world::{Area, Grid, Limits, Place, World, mode};

/// Sends a world to one receiver.
pub struct Sender {
    pub(crate) sender: delta::Sender,
    pub(crate) packet: Vec<u8>,
}

/// Options of a sender. 0 is the default of each.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct SenderOptions {
    /// The largest size of a packet in bytes; 1,200, which no path of the Internet splits.
    pub budget: usize,
    /// The smallest budget, if it is to follow the loss of packets: `budget` is then the largest. By default it stays as it
    /// is.
    pub min_budget: usize,
    /// The number of packets that can be under way without an acknowledgement, at least 2; 64.
    pub window: usize,
    /// The limits of the receiver.
    pub limits: Limits,
    /// A `GametapeMode`.
    pub mode: u32,
}

impl SenderOptions {
    pub(crate) fn get(self) -> Result<Options, Fault> {
        let mut options = Options {
            min_budget: (self.min_budget != 0).then_some(self.min_budget),
            limits: self.limits.get(),
            mode: mode(self.mode)?,
            ..Options::default()
        };
        if self.budget != 0 {
            options.budget = self.budget;
        }
        if self.window != 0 {
            options.window = self.window;
        }
        Ok(options)
    }
}

/// A packet, and its content.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The packet. It is valid until this sender encodes again or is freed.
    pub packet: *const u8,
    /// Its size in bytes, at most the budget.
    pub size: usize,
    /// Its tick. It is the world's, or an earlier one if the packet only keeps the session alive: see `stalled`.
    pub tick: u32,
    /// The tick that it builds on; 0 for a full snapshot.
    pub baseline: u32,
    /// The number of entities that it creates or updates.
    pub named: usize,
    /// The number of entities whose changes have to wait.
    pub waiting: usize,
    /// The bytes of a packet with nothing but the first entity that fits into none, or the first such group; 0 if all fit.
    /// It waits, and the others go on. If a group has more entities than a limit, it is their number.
    pub held_back_bytes: usize,
    /// The id of that entity; of a group the most urgent one.
    pub held_back: u32,
    /// The group that this entity is in; 0 if none.
    pub held_back_group: u32,
    /// The packet has no content, because too many are without an acknowledgement. It asks for one.
    pub stalled: bool,
}

/// Makes a sender. Its options may be NULL: all are the default ones then. NULL after an error.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_new(
    schema: Option<&Schema>,
    options: Option<&SenderOptions>,
    error: Option<&mut Error>,
) -> Option<Box<Sender>> {
    make(error, || {
        let schema = &needed(schema, "schema")?.0;
        let options = options.copied().unwrap_or_default().get()?;
        Ok(Sender {
            sender: delta::Sender::with_options(schema, options),
            packet: Vec::new(),
        })
    })
}

/// Frees it, and its last packet.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_free(sender: Option<Box<Sender>>) {
    free(sender);
}

/// Changes the budget in bytes, for example when the network is congested.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_set_budget(
    sender: Option<&mut Sender>,
    budget: usize,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        needed(sender, "sender")?.sender.set_budget(budget);
        Ok(Status::Ok)
    })
}

/// Writes the packet for the world's tick. `relevance` is called once for each entity of the world, in ascending order;
/// it may be NULL: the receiver then sees all entities, and all have the same weight.
///
/// After an error `sent` is not set, and no packet was made. Encoding twice in a tick is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_sender_encode(
    sender: *mut Sender,
    world: *mut World,
    relevance: Relevance,
    context: *mut c_void,
    sent: Option<&mut MaybeUninit<Sent>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        // SAFETY: handles, and a function with its context.
        unsafe { encode(sender, world, None, (relevance, context), sent) }
    })
}

/// Like `gametape_sender_encode`, for the entities in an area: those that came as near as it says, and those without a
/// position. The receiver does not see the others. `relevance` is called once for each of these, and for those within the
/// larger distance that the receiver does not see yet, in ascending order. The grid must be updated after the world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_sender_encode_near(
    sender: *mut Sender,
    world: *mut World,
    grid: *const Grid,
    area: *const Area,
    relevance: Relevance,
    context: *mut c_void,
    sent: Option<&mut MaybeUninit<Sent>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        // SAFETY: NULL or an area, of which a copy is taken.
        let area = *needed(unsafe { area.as_ref() }, "area")?;
        let place = (grid, area.into());
        // SAFETY: handles, and a function with its context.
        unsafe { encode(sender, world, Some(place), (relevance, context), sent) }
    })
}

/// # Safety
/// The pointers are NULL or handles, which the function does not free. It may be called with this context.
unsafe fn encode(
    sender: *mut Sender,
    world: *mut World,
    place: Option<Place>,
    (relevance, context): (Relevance, *mut c_void),
    sent: Option<&mut MaybeUninit<Sent>>,
) -> Result<Status, Fault> {
    let sent = needed(sent, "sent")?;
    let mut asked = match relevance {
        None => None,
        Some(relevance) => {
            // SAFETY: the caller's promise.
            let relevance = |near: &_| unsafe { call(relevance, context, near) };
            // SAFETY: the caller's promise.
            Some(unsafe { ask(world, place, relevance) }?)
        }
    };
    // SAFETY: handles, and the callback is done.
    let (sender, world) = unsafe { (sender.as_mut(), world.as_mut()) };
    let (sender, world) = (needed(sender, "sender")?, needed(world, "world")?);
    let (packet, log) = (&mut sender.packet, &mut world.world);
    let mut of = |id| asked.as_mut().map_or(1.into(), |asked| asked.of(id));
    let done = match place {
        None => sender.sender.encode_visible(log, of, packet),
        Some((grid, area)) => {
            // SAFETY: a handle, as above.
            let grid = &needed(unsafe { grid.as_ref() }, "grid")?.0;
            let of = |near: delta::Near| of(near.id);
            sender.sender.encode_near(log, grid, &area, of, packet)
        }
    };
    if let Some(asked) = asked {
        world.relevances = asked;
    }
    let done = done?;
    let held_back = done.held_back;
    sent.write(Sent {
        packet: packet.as_ptr(),
        size: packet.len(),
        tick: done.tick,
        baseline: done.baseline.unwrap_or(0),
        named: done.named,
        waiting: done.waiting,
        held_back_bytes: held_back.map_or(0, |held| held.needed),
        held_back: held_back.map_or(0, |held| held.entity),
        held_back_group: held_back.and_then(|held| held.group).unwrap_or(0),
        stalled: done.stalled,
    });
    Ok(Status::Ok)
}

/// Asks for the relevance of all entities, or of those in an area. No reference to a handle exists meanwhile, so that
/// `relevance` may use all of them.
///
/// # Safety
/// `world` and the grid are NULL or handles, and `relevance` does not free the world.
unsafe fn ask(
    world: *mut World,
    place: Option<Place>,
    relevance: impl FnMut(&delta::Near) -> (u32, u32),
) -> Result<Relevances, Fault> {
    // SAFETY: the caller's promise; the references end before the first call.
    let (world, grid) = unsafe { (world.as_mut(), place.map(|(grid, _)| grid.as_ref())) };
    let world = needed(world, "world")?;
    let grid = grid.map(|grid| needed(grid, "grid")).transpose()?;
    let place = grid.zip(place).map(|(grid, (_, area))| (&grid.0, area));
    let mut relevances = mem::take(&mut world.relevances);
    relevances.find(&world.world, place)?;
    relevances.ask(relevance)?;
    Ok(relevances)
}

/// Takes a message of the receiver, in any order, twice if it came twice. Bytes that are no feedback change nothing, and
/// give `GAMETAPE_STATUS_DATA`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_sender_feedback(
    sender: Option<&mut Sender>,
    feedback: *const u8,
    size: usize,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let sender = needed(sender, "sender")?;
        // SAFETY: the promise of a pointer with a length.
        let bytes = unsafe { elements(feedback, size, "feedback") }?;
        let feedback = Feedback::from_bytes(bytes).ok_or(Fault::Feedback { size })?;
        sender.sender.feedback(&feedback);
        Ok(Status::Ok)
    })
}

/// Begins again: the next packet is a full snapshot. It is needed only if the receiver asks for this by other means than
/// feedback.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_resync(
    sender: Option<&mut Sender>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        needed(sender, "sender")?.sender.resync();
        Ok(Status::Ok)
    })
}

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
