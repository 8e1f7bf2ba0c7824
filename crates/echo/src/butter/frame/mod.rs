//! A frame: as it is packed, and as the differences from the frame before that it is made of.

pub mod bones;
pub mod encode;
pub mod fill;
pub mod packed;
pub mod reference;
pub mod state;
pub mod unpack;
