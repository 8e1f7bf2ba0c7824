//! .butter: what we write, what the reference wrote, and what is left of broken files.

mod checksums;
mod damage;
mod dialect;
mod journal;
mod readers;
mod reference;
mod roundtrip;
mod rules;
mod tapes;
pub mod teams;
mod versions;
