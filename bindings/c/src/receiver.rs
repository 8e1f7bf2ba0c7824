//! The receiving side of a session.

use std::mem::MaybeUninit;
use std::ptr;

use gametape_delta::{self as delta, Feedback, ReceiverOptions as Options};

use crate::error::{Error, Fault, Status, free, make, run};
use crate::options::{Limits, mode};
use crate::pointer::{elements, needed};
use crate::schema::Schema;
use crate::snapshot::Snapshot;

/// Receives the packets of one sender.
pub struct Receiver(delta::Receiver);

/// Options of a receiver. 0 is the default of each.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct ReceiverOptions {
    /// The sender's window, or more; 64.
    pub window: usize,
    /// The limits on packets and states.
    pub limits: Limits,
    /// A `GametapeMode`.
    pub mode: u32,
}

/// The result of a packet.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// The message to send back.
    pub feedback: [u8; 13],
    /// Its size: 13, or 0 if there is none.
    pub feedback_size: u8,
    /// The packet was applied. False also for one that is not newer than those before, which is ignored.
    pub fresh: bool,
}

impl Received {
    fn new(feedback: Option<Feedback>, fresh: bool) -> Self {
        let bytes = feedback.map(|feedback| feedback.to_bytes());
        Self {
            feedback: bytes.unwrap_or_default(),
            feedback_size: bytes.map_or(0, |bytes| bytes.len() as u8),
            fresh,
        }
    }
}

/// Makes a receiver. Its options may be NULL: all are the default ones then. NULL after an error.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_new(
    schema: Option<&Schema>,
    options: Option<&ReceiverOptions>,
    error: Option<&mut Error>,
) -> Option<Box<Receiver>> {
    make(error, || {
        let schema = &needed(schema, "schema")?.0;
        let given = options.copied().unwrap_or_default();
        let mut options = Options {
            limits: given.limits.get(),
            mode: mode(given.mode)?,
            ..Options::default()
        };
        if given.window != 0 {
            options.window = given.window;
        }
        Ok(Receiver(delta::Receiver::with_options(schema, options)))
    })
}

/// Frees it, and its view.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_free(receiver: Option<Box<Receiver>>) {
    free(receiver);
}

/// Applies a packet, completely or not at all.
///
/// `received` is set also after an error: send its feedback if it has one. It has one after
/// `GAMETAPE_STATUS_NEED_FULL`, and none after other errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_receiver_apply(
    receiver: Option<&mut Receiver>,
    packet: *const u8,
    size: usize,
    received: Option<&mut MaybeUninit<Received>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let received = needed(received, "received")?.write(Received::new(None, false));
        let receiver = needed(receiver, "receiver")?;
        // SAFETY: the promise of a pointer with a length.
        let packet = unsafe { elements(packet, size, "packet") }?;
        match receiver.0.apply(packet) {
            Ok(done) => {
                *received = Received::new(Some(done.ack), done.fresh);
                Ok(Status::Ok)
            }
            Err(why) => {
                *received = Received::new(why.feedback(), false);
                Err(Fault::Receive(why))
            }
        }
    })
}

/// Returns the view: the newest values that have arrived for each entity, with the tick of the newest packet. It is
/// valid until the receiver applies a packet, is reset or freed. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_view(receiver: Option<&Receiver>) -> *const Snapshot {
    receiver.map_or(ptr::null(), |receiver| Snapshot::of(receiver.0.view()))
}

/// Returns the tick of the values that the view has for an entity; 0 if it is not in view.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_tick_of(receiver: Option<&Receiver>, entity: u32) -> u32 {
    let tick = receiver.and_then(|receiver| receiver.0.tick_of(entity));
    tick.unwrap_or(0)
}

/// Removes all states. The next delta gives `GAMETAPE_STATUS_NEED_FULL`.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_reset(
    receiver: Option<&mut Receiver>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        needed(receiver, "receiver")?.0.reset();
        Ok(Status::Ok)
    })
}
