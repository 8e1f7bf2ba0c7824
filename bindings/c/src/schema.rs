//! Schemas.

use std::ffi::c_char;

use gametape_delta as delta;

use crate::error::{Error, Fault, free, make};
use crate::pointer::elements;

/// The components of a game and the encoding of their fields. Both sides of a session need the same.
///
/// Handles that are made from a schema keep what they need of it: the schema may be freed at once.
// cbindgen would show the library's own type in place of a transparent one, so that it must not see the attribute.
#[cfg_attr(not(doc), repr(transparent))]
pub struct Schema(pub(crate) delta::Schema);

impl Schema {
    pub(crate) const fn of(schema: &delta::Schema) -> *const Self {
        std::ptr::from_ref(schema).cast()
    }
}

/// Makes a schema from its JSON, `size` bytes in UTF-8. NULL if they are no valid schema.
///
/// `{"components":[{"id":1,"fields":[{"id":1,"codec":{"FixedPoint":{"min_q":-51200,"max_q":51200,"scale":100}}}]}]}`
/// has one component with one field; other codecs are `"Bool"`, `{"UInt":{"bits":7}}`, `{"SInt":{"bits":7}}`,
/// `"VarUInt"` and `"VarSInt"`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_schema_from_json(
    json: *const c_char,
    size: usize,
    error: Option<&mut Error>,
) -> Option<Box<Schema>> {
    make(error, || {
        // SAFETY: the promise of a pointer with a length.
        let json = unsafe { elements(json.cast::<u8>(), size, "json") }?;
        let json = std::str::from_utf8(json).map_err(|_| Fault::Utf8("json"))?;
        Ok(Schema(serde_json::from_str(json).map_err(Fault::Schema)?))
    })
}

/// Frees it.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_schema_free(schema: Option<Box<Schema>>) {
    free(schema);
}

/// Returns the hash of ids, codecs and thresholds, which all packets of the schema contain. Compare it when a client
/// connects.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_schema_hash(schema: Option<&Schema>) -> u64 {
    schema.map_or(0, |schema| schema.0.hash())
}
