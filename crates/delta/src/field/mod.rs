//! Values that consist of fields: the parts of components.

mod containers;
mod encoding;
#[cfg(feature = "glam")]
mod glam;
mod list;
mod value;

pub use encoding::{Bits, Clamped, VarInt};
pub use list::FieldList;
pub use value::ReplicateField;
