//! The server: asked for files, and watched.

#![cfg(feature = "serve")]

mod hostile;
mod kit;
mod rooms;
mod serve;
mod viewer;
