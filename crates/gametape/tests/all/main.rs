//! Properties of the recordings of every format.

#![cfg(feature = "default")]

mod archives;
mod captures;
mod cut;
mod examples;
mod fetched;
mod figures;
mod growing;
mod known;
mod paths;
mod playback;
mod policy;
mod samples;
mod segments;
mod spoilt;
mod work;
