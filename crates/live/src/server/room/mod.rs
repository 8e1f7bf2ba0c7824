//! A live recording and its viewers.
//!
//! | to change | look in |
//! |---|---|
//! | the messages, and the recording's description so far | `state.rs` |
//! | the records of the unfinished segment | `tail.rs` |
//! | the markers of events | `marks.rs` |
//! | following the file | `follower.rs` |
//! | the connection to a viewer | `socket.rs` |

mod follower;
mod marks;
mod socket;
mod state;
mod tail;

pub use follower::Follower;
pub use socket::watch;
pub use state::Room;
