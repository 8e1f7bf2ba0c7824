//! The sending side of a session.

use std::ffi::c_void;
use std::mem::{self, MaybeUninit};

use gametape_delta::{self as delta, Feedback, SenderOptions as Options};

use crate::error::{Error, Fault, Status, free, make, run};
use crate::options::{Limits, mode};
use crate::pointer::{elements, needed};
use crate::schema::Schema;
use crate::weights::Weights;
use crate::world::World;

/// Sends a world to one receiver.
pub struct Sender {
    sender: delta::Sender,
    packet: Vec<u8>,
}

/// Options of a sender. 0 is the default of each.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct SenderOptions {
    /// The largest size of a packet in bytes; 1,200, which no path of the Internet splits.
    pub budget: usize,
    /// The number of packets that can be under way without an acknowledgement, at least 2; 64.
    pub window: usize,
    /// The limits of the receiver.
    pub limits: Limits,
    /// A `GametapeMode`.
    pub mode: u32,
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
    /// The bytes of a packet with nothing but the first entity that fits into none; 0 if all fit. It waits, and the
    /// others go on.
    pub held_back_bytes: usize,
    /// The id of that entity.
    pub held_back: u32,
    /// The packet has no content, because too many are without an acknowledgement. It asks for one.
    pub stalled: bool,
}

/// Returns how important an entity is to the receiver; with 0, the receiver may not see it. `context` is what
/// `gametape_sender_encode` was given.
///
/// It may use all handles but the `GametapeError` of that call; it must not free the sender or the world. It must return:
/// no exception, no `longjmp`.
pub type Weight = Option<unsafe extern "C" fn(context: *mut c_void, entity: u32) -> u32>;

/// Makes a sender. Its options may be NULL: all are the default ones then. NULL after an error.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_sender_new(
    schema: Option<&Schema>,
    options: Option<&SenderOptions>,
    error: Option<&mut Error>,
) -> Option<Box<Sender>> {
    make(error, || {
        let schema = &needed(schema, "schema")?.0;
        let given = options.copied().unwrap_or_default();
        let mut options = Options {
            limits: given.limits.get(),
            mode: mode(given.mode)?,
            ..Options::default()
        };
        if given.budget != 0 {
            options.budget = given.budget;
        }
        if given.window != 0 {
            options.window = given.window;
        }
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

/// Writes the packet for the world's tick. `weight` is called once for each entity of the world, in ascending order;
/// it may be NULL: the receiver then sees all entities, and all have the same weight.
///
/// After an error `sent` is not set, and no packet was made. To encode twice in a tick is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_sender_encode(
    sender: *mut Sender,
    world: *mut World,
    weight: Weight,
    context: *mut c_void,
    sent: Option<&mut MaybeUninit<Sent>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let sent = needed(sent, "sent")?;
        let weights = match weight {
            None => None,
            // SAFETY: a handle, and a function with its context.
            Some(weight) => Some(unsafe { ask(world, |id| weight(context, id)) }?),
        };
        // SAFETY: handles, and the callback is done.
        let (sender, world) = unsafe { (sender.as_mut(), world.as_mut()) };
        let (sender, world) = (needed(sender, "sender")?, needed(world, "world")?);
        let (packet, log) = (&mut sender.packet, &mut world.world);
        let done = match weights {
            None => sender.sender.encode(log, packet),
            Some(mut weights) => {
                let weight = |id| weights.of(id);
                let done = sender.sender.encode_visible(log, weight, packet);
                world.weights = weights;
                done
            }
        };
        let done = done?;
        sent.write(Sent {
            packet: sender.packet.as_ptr(),
            size: sender.packet.len(),
            tick: done.tick,
            baseline: done.baseline.unwrap_or(0),
            named: done.named,
            waiting: done.waiting,
            held_back_bytes: done.held_back.map_or(0, |held| held.needed),
            held_back: done.held_back.map_or(0, |held| held.entity),
            stalled: done.stalled,
        });
        Ok(Status::Ok)
    })
}

/// Asks for the weights of all entities. No reference to a handle exists meanwhile, so that `weight` may use all of them.
///
/// # Safety
/// `world` is NULL or a handle, and `weight` does not free it.
unsafe fn ask(world: *mut World, mut weight: impl FnMut(u32) -> u32) -> Result<Weights, Fault> {
    // SAFETY: the caller's promise; the reference ends before the first call.
    let world = needed(unsafe { world.as_mut() }, "world")?;
    let mut weights = mem::take(&mut world.weights);
    weights.set_ids(world.world.state().ids());
    weights.ask(|id| weight(*id));
    Ok(weights)
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
