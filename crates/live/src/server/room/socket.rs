//! What one who watches hears.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::state::Joined;

/// Whoever does not take a message within this time takes no more.
const SENT: Duration = Duration::from_secs(10);
/// How often they are asked whether they are still there. After twice as long without an answer they
/// are not.
const ASKED: Duration = Duration::from_secs(10);
/// What may come of them from one question to the next: browsers answer, and say nothing else.
const ANSWERS: u32 = 64;
/// A last word has so long to be sent.
const LAST: Duration = Duration::from_secs(1);

/// The client fell behind.
const BEHIND: u16 = 4000;

/// Why a socket ends: its code, and a word.
type End = Option<(u16, &'static str)>;

/// Tells one who watches, until the end.
pub async fn watch(mut socket: WebSocket, joined: Joined, stopping: watch::Receiver<bool>) {
    let end = tell(&mut socket, joined, stopping).await;
    if let Some((code, reason)) = end {
        let close = CloseFrame {
            code,
            reason: reason.into(),
        };
        let _ = timeout(LAST, socket.send(Message::Close(Some(close)))).await;
        // What they still say is heard out, so that they hear this.
        let _ = timeout(LAST, async {
            while let Some(Ok(_)) = socket.recv().await {}
        })
        .await;
    }
}

async fn tell(socket: &mut WebSocket, joined: Joined, mut stopping: watch::Receiver<bool>) -> End {
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
            told = rest.recv() => match told {
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
                // What is too long, or no frame, is something as well.
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
