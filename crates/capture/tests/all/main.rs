//! Recordings of packets: written, read, sought in, damaged, checked and converted.

mod common;

mod book;
mod damage;
mod feeding;
mod foreign;
#[cfg(feature = "tape")]
mod made;
mod migrate;
mod ranges;
mod replay;
mod seeking;
#[cfg(feature = "tape")]
mod tables;
#[cfg(feature = "tape")]
mod tape;
mod writing;
