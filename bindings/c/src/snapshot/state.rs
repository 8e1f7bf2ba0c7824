//! The handle of a state.

use std::ptr;

use gametape_delta as delta;

use crate::error::{Error, Fault, Status, free, make, run};
use crate::pointer::needed;
use crate::schema::Schema;

/// The state at a tick: entities, their components and values.
///
/// Entities are in ascending order of their ids. Adding them in that order is fast.
// cbindgen would show the library's own type in place of a transparent one, so that it must not see the attribute.
#[cfg_attr(not(doc), repr(transparent))]
pub struct Snapshot(pub(crate) delta::Snapshot);

impl Snapshot {
    pub(crate) const fn of(state: &delta::Snapshot) -> *const Self {
        ptr::from_ref(state).cast()
    }
}

/// Makes a state without entities. NULL if the schema is.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_new(
    schema: Option<&Schema>,
    tick: u32,
    error: Option<&mut Error>,
) -> Option<Box<Snapshot>> {
    make(error, || {
        let schema = &needed(schema, "schema")?.0;
        Ok(Snapshot(delta::Snapshot::new(schema, tick)))
    })
}

/// Frees it. A state that was borrowed, such as a view, must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_free(state: Option<Box<Snapshot>>) {
    free(state);
}

/// Makes `to` a copy of `from`, for keeping a view. Memory of `to` is used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_snapshot_copy(
    to: *mut Snapshot,
    from: *const Snapshot,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        if ptr::eq(to, from) {
            return if to.is_null() {
                Err(Fault::Null("to"))
            } else {
                Ok(Status::Ok)
            };
        }
        // SAFETY: two handles, which are not the same.
        let (to, from) = unsafe { (to.as_mut(), from.as_ref()) };
        needed(to, "to")?.0.clone_from(&needed(from, "from")?.0);
        Ok(Status::Ok)
    })
}
