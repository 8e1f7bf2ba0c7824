//! The view as its events tell it.

use crate::snapshot::Entity;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::session::ViewEvent;
use crate::snapshot::Snapshot;

/// The components and values of each entity, from nothing but events, and the values that they say
/// are new.
#[derive(Clone, Default, Debug)]
pub(super) struct Told(BTreeMap<u32, BTreeMap<u16, Vec<i128>>>);

impl Told {
    /// Follows the events of a packet, and compares the result with the view. Returns the first
    /// entity of which they do not say what became of it.
    pub fn follow(&mut self, view: &Snapshot, events: &[ViewEvent]) -> Result<(), u32> {
        for event in events {
            self.take(view, *event).ok_or(event.entity())?;
        }
        let mut told = self.0.iter();
        for shown in view.iter() {
            let now = values(&shown).into_iter().collect();
            if told.next() != Some((&shown.id(), &now)) {
                return Err(shown.id());
            }
        }
        told.next().map_or(Ok(()), |(entity, _)| Err(*entity))
    }

    /// Returns `None` if the event contradicts those before it, or the view.
    fn take(&mut self, view: &Snapshot, event: ViewEvent) -> Option<()> {
        let entity = event.entity();
        let shown = view.entity(entity);
        let shown_values = |component| {
            let values = shown?.component(component)?.values();
            Some(values.map(|value| value.as_i128()).collect::<Vec<_>>())
        };
        let is_right = match event {
            ViewEvent::Spawned { .. } => {
                let shown = values(&shown?).into_iter().collect();
                self.0.insert(entity, shown).is_none()
            }
            ViewEvent::Despawned { .. } => self.0.remove(&entity).is_some(),
            ViewEvent::Gained { component, .. } => {
                let told = self.0.get_mut(&entity)?;
                told.insert(component, shown_values(component)?).is_none()
            }
            ViewEvent::Lost { component, .. } => {
                self.0.get_mut(&entity)?.remove(&component).is_some()
            }
            ViewEvent::Changed {
                component, fields, ..
            } => {
                let now = shown_values(component)?;
                let told = self.0.get_mut(&entity)?.get_mut(&component)?;
                let named = |at: &usize| fields >> at & 1 == 1;
                let mut all_new = true;
                for at in (0..now.len()).filter(named) {
                    let (told, now) = (told.get_mut(at)?, now.get(at)?);
                    all_new &= told != now;
                    *told = *now;
                }
                all_new
            }
        };
        is_right.then_some(())
    }
}

/// Returns the components of an entity, with their values.
pub(super) fn values(entity: &Entity<'_>) -> Vec<(u16, Vec<i128>)> {
    let parts = entity.components();
    parts
        .map(|part| (part.id(), part.values().map(|v| v.as_i128()).collect()))
        .collect()
}
