//! The changes of a view.

use std::mem::MaybeUninit;
use std::ptr;

use gametape_delta::ViewEvent;

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
