//! Recordings of packets: writing, reading, seeking, damage, audit and conversion.

mod common;

mod book;
mod damage;
mod foreign;
#[cfg(feature = "tape")]
mod made;
mod migrate;
mod ranges;
#[cfg(feature = "tape")]
mod reads;
mod replay;
mod seeking;
#[cfg(feature = "tape")]
mod tables;
#[cfg(feature = "tape")]
mod tape;
mod writing;
