//! The receiving side of a session, and the changes of its view.

use std::mem::MaybeUninit;
use std::ptr;

use gametape_delta::{self as delta, ReceiverOptions as Options, ViewEvent};

use crate::error::{Error, Status, elements, free, make, needed, run};
use crate::snapshot::{Schema, Snapshot};
use crate::world::{Limits, mode};

/// The kind of an event.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// An entity has come into view, with all its components.
    Spawned,
    /// An entity has left the view. If the next event is that it spawned, another entity has its id now.
    Despawned,
    /// An entity has a component that it did not have before.
    Gained,
    /// An entity no longer has a component.
    Lost,
    /// Values of a component have changed.
    Changed,
}

/// A change of a view.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The fields that changed, for `GAMETAPE_EVENT_KIND_CHANGED`: bit i is for the i-th field of the component in the
    /// schema. 0 for others.
    pub fields: u64,
    /// The id of the entity.
    pub entity: u32,
    /// The id of the component; 0 if the event is of the entity as a whole.
    pub component: u16,
    /// The kind.
    pub kind: EventKind,
}

impl Event {
    /// `None` for a kind that the library has and this interface does not.
    fn new(event: &ViewEvent) -> Option<Self> {
        let (kind, component, fields) = match *event {
            ViewEvent::Spawned { .. } => (EventKind::Spawned, 0, 0),
            ViewEvent::Despawned { .. } => (EventKind::Despawned, 0, 0),
            ViewEvent::Gained { component, .. } => (EventKind::Gained, component, 0),
            ViewEvent::Lost { component, .. } => (EventKind::Lost, component, 0),
            ViewEvent::Changed {
                component, fields, ..
            } => (EventKind::Changed, component, fields),
            _ => return None,
        };
        Some(Self {
            fields,
            entity: event.entity(),
            component,
            kind,
        })
    }
}

/// The events of the last call, as C has them. They are copied in that call, so that several threads may read them.
#[derive(Default)]
pub(crate) struct Events(Vec<Event>);

impl Events {
    pub fn set(&mut self, events: &[ViewEvent]) {
        self.0.clear();
        self.0.extend(events.iter().filter_map(Event::new));
    }

    /// Points `events` to them, if there is something to point, and returns their number.
    pub fn give(this: Option<&Self>, events: Option<&mut MaybeUninit<*const Event>>) -> usize {
        if let Some(events) = events {
            events.write(this.map_or(ptr::null(), |this| this.0.as_ptr()));
        }
        this.map_or(0, |this| this.0.len())
    }
}

/// Receives the packets of one sender.
pub struct Receiver {
    pub(crate) session: delta::Receiver,
    /// The result of the last packet, if it had no error.
    pub(crate) last: Option<delta::Received>,
    events: Events,
}

impl Receiver {
    fn apply(&mut self, packet: &[u8]) -> Result<delta::Received, delta::ReceiveError> {
        let done = self.session.apply(packet);
        self.last = done.ok();
        self.events.set(self.session.events());
        done
    }

    fn forget_last(&mut self) {
        self.last = None;
        self.events.set(&[]);
    }
}

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

/// The result of a packet. After an error all but the feedback is 0.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Received {
    /// The tick of the packet.
    pub tick: u32,
    /// The tick that it builds on; 0 for a full snapshot.
    pub baseline: u32,
    /// The message to send back.
    pub feedback: [u8; 13],
    /// Its size: 13, or 0 if there is none.
    pub feedback_size: u8,
    /// The packet is newer than all before; false also for one that was repeated or came late.
    pub fresh: bool,
}

impl Received {
    fn new(done: &Result<delta::Received, delta::ReceiveError>) -> Self {
        let (feedback, received) = match done {
            Ok(received) => (Some(received.ack), Some(received)),
            Err(why) => (why.feedback(), None),
        };
        let bytes = feedback.map(|feedback| feedback.to_bytes());
        Self {
            tick: received.map_or(0, |received| received.tick),
            baseline: received.and_then(|received| received.baseline).unwrap_or(0),
            feedback: bytes.unwrap_or_default(),
            feedback_size: bytes.map_or(0, |bytes| bytes.len() as u8),
            fresh: received.is_some_and(|received| received.fresh),
        }
    }
}

/// The ticks of an entity in the view.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Confirmed {
    /// The tick at which it had all its values: that of the newest packet that named it. What has changed since then
    /// has not arrived.
    pub at: u32,
    /// The first tick at which it was seen with these values. They may be older.
    pub changed_at: u32,
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
        Ok(Receiver {
            session: delta::Receiver::with_options(schema, options),
            last: None,
            events: Events::default(),
        })
    })
}

/// Frees it, its view and its events.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_free(receiver: Option<Box<Receiver>>) {
    free(receiver);
}

/// Applies a packet, completely or not at all. In merged mode the view takes from one that comes late what is newer than
/// it shows.
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
        let received = needed(received, "received")?.write(Received::default());
        let receiver = needed(receiver, "receiver")?;
        // A packet that is none leaves no events either.
        receiver.forget_last();
        // SAFETY: the promise of a pointer with a length.
        let packet = unsafe { elements(packet, size, "packet") }?;
        let done = receiver.apply(packet);
        *received = Received::new(&done);
        done?;
        Ok(Status::Ok)
    })
}

/// Returns the view: the newest values that have arrived for each entity, with the tick of the newest packet. It is
/// valid until the receiver applies a packet, is reset or freed. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_view(receiver: Option<&Receiver>) -> *const Snapshot {
    receiver.map_or(ptr::null(), |receiver| {
        Snapshot::of(receiver.session.view())
    })
}

/// Returns the number of changes of the view by the last packet, which are ordered by entity; none after an error. If
/// `events` is not NULL, it is set to point to them. They are valid until the receiver applies a packet, is reset or freed.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_events(
    receiver: Option<&Receiver>,
    events: Option<&mut MaybeUninit<*const Event>>,
) -> usize {
    Events::give(receiver.map(|receiver| &receiver.events), events)
}

/// Returns whether the view has an entity. `confirmed` may be NULL; if it is not, it is set to the entity's ticks, or to 0
/// if it is not in view. A client that predicts compares the entity with its prediction for the tick `at`.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_confirmed(
    receiver: Option<&Receiver>,
    entity: u32,
    confirmed: Option<&mut MaybeUninit<Confirmed>>,
) -> bool {
    let found = receiver.and_then(|receiver| receiver.session.confirmed(entity));
    if let Some(confirmed) = confirmed {
        confirmed.write(found.map_or_else(Confirmed::default, |found| Confirmed {
            at: found.at,
            changed_at: found.changed_at,
        }));
    }
    found.is_some()
}

/// Removes all states, without events. The next delta gives `GAMETAPE_STATUS_NEED_FULL`.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_receiver_reset(
    receiver: Option<&mut Receiver>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let receiver = needed(receiver, "receiver")?;
        receiver.forget_last();
        receiver.session.reset();
        Ok(Status::Ok)
    })
}
