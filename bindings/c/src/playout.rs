//! An even view of what a receiver sees.

use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

use gametape_delta::{self as delta, PlayoutOptions as Options};

use crate::error::{Error, Fault, Status, free, make, needed, run};
use crate::receiver::{Event, Events, Receiver};
use crate::snapshot::{Schema, Snapshot};

/// Shows what a receiver sees evenly: a little later than it arrives, with the values between the ticks of two updates.
///
/// Time is yours: nanoseconds since any moment, the same for all calls.
pub struct Playout {
    playout: delta::Playout,
    events: Events,
}

/// Options of a playout. 0 is the default of each.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct PlayoutOptions {
    /// The smallest delay, in ticks; 1.
    pub min_delay: u32,
    /// The largest delay, in ticks; half a second, but 1 at least. If the playout is off by more, it jumps.
    pub max_delay: u32,
}

/// The values of a field between two ticks at which they are known.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blend {
    /// The value stays until the next one. This is the default for all but fixed-point numbers.
    Hold = 0,
    /// The value moves on a straight line. This is the default for fixed-point numbers.
    Linear = 1,
    /// The value moves the shorter way round, for `GAMETAPE_KIND_UINT`. A whole turn has as many steps as the codec has
    /// numbers.
    Turn = 2,
}

/// The knowledge of a playout about the network. All times are in ticks.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Timing {
    /// The tick of the world at this moment.
    pub tick: f64,
    /// How far the playout is behind the packets that could have arrived.
    pub delay: f64,
    /// By how much packets are later than the fastest of late, for 19 in 20.
    pub jitter: f64,
    /// The time from an acknowledgement to the first packet that builds on it, with up to one tick in which the sender
    /// waits; -1 before the first.
    pub round_trip: f64,
    /// The share of the last 64 packets that were lost or came late, from 0 to 1.
    pub loss: f64,
}

/// Makes a playout for a world with so many ticks a second. Its options may be NULL: all are the default ones then. NULL
/// after an error.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_playout_new(
    schema: Option<&Schema>,
    ticks_per_second: u32,
    options: Option<&PlayoutOptions>,
    error: Option<&mut Error>,
) -> Option<Box<Playout>> {
    make(error, || {
        let schema = &needed(schema, "schema")?.0;
        if ticks_per_second == 0 {
            return Err(Fault::Rate);
        }
        let given = options.copied().unwrap_or_default();
        let mut options = Options::new(ticks_per_second);
        if given.min_delay != 0 {
            options.min_delay = given.min_delay;
        }
        if given.max_delay != 0 {
            options.max_delay = given.max_delay;
        }
        Ok(Playout {
            playout: delta::Playout::with_options(schema, options),
            events: Events::default(),
        })
    })
}

/// Frees it, its view and its events.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_playout_free(playout: Option<Box<Playout>>) {
    free(playout);
}

/// Sets what a field does between two updates: `blend` is a `GametapeBlend`.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_playout_blend(
    playout: Option<&mut Playout>,
    component: u16,
    field: u16,
    blend: u32,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let playout = &mut needed(playout, "playout")?.playout;
        let blend = match blend {
            n if n == Blend::Hold as u32 => delta::Blend::Hold,
            n if n == Blend::Linear as u32 => delta::Blend::Linear,
            n if n == Blend::Turn as u32 => delta::Blend::Turn,
            other => return Err(Fault::Blend(other)),
        };
        playout.blend(component, field, blend)?;
        Ok(Status::Ok)
    })
}

/// Takes what the last packet brought to a receiver of the same schema. Call it once after each
/// `gametape_receiver_apply`, with the time at which the packet came. If that packet had an error, nothing changes.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_playout_take(
    playout: Option<&mut Playout>,
    receiver: Option<&Receiver>,
    now_ns: u64,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let playout = &mut needed(playout, "playout")?.playout;
        let Receiver { session, last, .. } = needed(receiver, "receiver")?;
        let hash = |view: &delta::Snapshot| view.schema().hash();
        let (ours, theirs) = (hash(playout.view()), hash(session.view()));
        if ours != theirs {
            return Err(Fault::OtherSchema {
                receiver: theirs,
                playout: ours,
            });
        }
        if let Some(last) = last {
            playout.take(session, last, Duration::from_nanos(now_ns));
        }
        Ok(Status::Ok)
    })
}

/// Moves on to the moment `now_ns`, and returns the view to draw, whose tick is that of the newest packet that is shown
/// whole. It is valid until the playout changes or is freed. NULL after an error.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_playout_advance(
    playout: Option<&mut Playout>,
    now_ns: u64,
    error: Option<&mut Error>,
) -> *const Snapshot {
    let mut view = ptr::null();
    run(error, || {
        let Playout { playout, events } = needed(playout, "playout")?;
        view = Snapshot::of(playout.advance(Duration::from_nanos(now_ns)));
        events.set(playout.events());
        Ok(Status::Ok)
    });
    view
}

/// Returns whether the playout has begun: it does when it is advanced after the first packet. `tick` may be NULL; if it is
/// not, it is set to the tick that the view shows, with its part, or to 0.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_playout_tick(
    playout: Option<&Playout>,
    tick: Option<&mut MaybeUninit<f64>>,
) -> bool {
    let found = playout.and_then(|playout| playout.playout.tick());
    if let Some(tick) = tick {
        tick.write(found.unwrap_or(0.0));
    }
    found.is_some()
}

/// Returns the number of changes that the last `gametape_playout_advance` showed: those that packets brought, when their
/// tick has come. Values in between are no events. If `events` is not NULL, it is set to point to them. They are valid until
/// the playout changes or is freed.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_playout_events(
    playout: Option<&Playout>,
    events: Option<&mut MaybeUninit<*const Event>>,
) -> usize {
    Events::give(playout.map(|playout| &playout.events), events)
}

/// Returns whether anything is known about the network: that is so from the first packet on. `timing` may be NULL; if
/// it is not, it is set to what is known at the moment `now_ns`, or to 0.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_playout_timing(
    playout: Option<&Playout>,
    now_ns: u64,
    timing: Option<&mut MaybeUninit<Timing>>,
) -> bool {
    let now = Duration::from_nanos(now_ns);
    let found = playout.and_then(|playout| playout.playout.timing(now));
    if let Some(timing) = timing {
        timing.write(found.map_or_else(Timing::default, |found| Timing {
            tick: found.tick,
            delay: found.delay,
            jitter: found.jitter,
            round_trip: found.round_trip.unwrap_or(-1.0),
            loss: found.loss,
        }));
    }
    found.is_some()
}
