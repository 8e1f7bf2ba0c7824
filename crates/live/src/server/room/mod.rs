//! A live recording and its viewers.
//!
//! | to change | look in |
//! |---|---|
//! | the messages, and the recording's description so far | `state.rs` |
//! | the records of the unfinished segment | `tail.rs` |
//! | the markers of events | `marks.rs` |
//! | following the file | `follower.rs` |
//! | the connection to a viewer | `mod.rs` |

mod follower;
mod marks;
mod state;
mod tail;

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

pub use follower::Follower;
use state::Joined;
pub use state::Room;

/// The timeout for sending a message.
const SENT: Duration = Duration::from_secs(10);
/// The time between two pings. A viewer that does not answer for twice as long is gone.
const ASKED: Duration = Duration::from_secs(10);
/// The most messages from a viewer between two pings: browsers send only answers to pings.
const ANSWERS: u32 = 64;
/// The time for sending the last message.
const LAST: Duration = Duration::from_secs(1);

/// The code for a viewer that was too slow.
const BEHIND: u16 = 4000;

/// The end of a socket: its code and reason.
type End = Option<(u16, &'static str)>;

/// Sends a recording to a viewer until the end.
pub async fn watch(mut socket: WebSocket, joined: Joined, stopping: watch::Receiver<bool>) {
    let end = send(&mut socket, joined, stopping).await;
    if let Some((code, reason)) = end {
        let close = CloseFrame {
            code,
            reason: reason.into(),
        };
        let _ = timeout(LAST, socket.send(Message::Close(Some(close)))).await;
        // Remaining input is read, so that the viewer gets this message.
        let _ = timeout(LAST, async {
            while let Some(Ok(_)) = socket.recv().await {}
        })
        .await;
    }
}

async fn send(socket: &mut WebSocket, joined: Joined, mut stopping: watch::Receiver<bool>) -> End {
    let Joined { first, mut rest } = joined;
    for message in first {
        if !is_sent(socket, message).await {
            return None;
        }
    }
    let mut asking = interval_at(Instant::now() + ASKED, ASKED);
    asking.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut answers, mut silent) = (0, 0);
    loop {
        tokio::select! {
            next = rest.recv() => match next {
                Ok(message) => if !is_sent(socket, message).await {
                    return None;
                },
                Err(RecvError::Lagged(_)) => return Some((BEHIND, "behind")),
                Err(RecvError::Closed) => return Some((close_code::NORMAL, "end")),
            },
            heard = socket.recv() => match heard {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) if answers < ANSWERS => {
                    answers += 1;
                    silent = 0;
                }
                Some(Ok(Message::Close(_))) | None => return None,
                // Any other message is refused, even if it is too long or not a frame.
                Some(_) => return Some((close_code::POLICY, "nothing is to be said")),
            },
            _ = asking.tick() => {
                if silent == 2 || !is_sent(socket, Message::Ping(Bytes::new())).await {
                    return None;
                }
                silent += 1;
                answers = 0;
            },
            _ = stopping.changed() => return Some((close_code::AWAY, "the server stops")),
        }
    }
}

async fn is_sent(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(SENT, socket.send(message)).await, Ok(Ok(())))
}
