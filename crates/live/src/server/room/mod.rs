//! A recording that is being written, and all who watch it.
//!
//! | to change | look in |
//! |---|---|
//! | what is told, and what is said of the recording so far | `state.rs` |
//! | the records of the segment in the making | `tail.rs` |
//! | its moments worth going to | `marks.rs` |
//! | how the file is followed | `keeper.rs` |
//! | what one who watches hears | `socket.rs` |

mod keeper;
mod marks;
mod socket;
mod state;
mod tail;

pub use keeper::Keeper;
pub use socket::watch;
pub use state::Room;
