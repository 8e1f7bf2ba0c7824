//! The codes of numbers: half floats, fixed point, texts; differences as half floats; quaternions of ten bits a
//! component.

pub mod difference;
pub mod primitive;
pub mod rotation;
