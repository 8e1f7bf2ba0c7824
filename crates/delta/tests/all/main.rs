//! The wire, its sessions, and their chapters in the book.

mod allocations;
mod common;

mod book;
mod book_examples;
mod conformance;
mod interop;
mod playout;
mod rules;
mod session;
mod session_audience;
mod session_grid;
mod session_groups;
mod session_network;
mod session_rate;
mod session_traces;
mod session_vectors;
mod session_view;
