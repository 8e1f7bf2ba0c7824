//! What holds for the recordings of every format.

#![cfg(feature = "default")]

mod captures;
mod fetched;
mod growing;
mod playback;
mod samples;
mod segments;
mod work;
