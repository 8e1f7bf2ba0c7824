//! The limit of requests per client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Requests per second in the long run.
const A_SECOND: f64 = 500.0;
/// Requests at once.
const AT_ONCE: f64 = 2000.0;
/// The number of clients that are remembered; those that have not asked for long are forgotten.
const PEERS: usize = 4096;

#[derive(Clone, Copy, Debug)]
struct Peer {
    left: f64,
    since: Instant,
}

/// The number of requests that each client has left.
#[derive(Default, Debug)]
pub struct Rates(Mutex<HashMap<IpAddr, Peer>>);

impl Rates {
    /// Counts a request; returns whether it is allowed.
    pub fn may(&self, peer: IpAddr, now: Instant) -> bool {
        let mut peers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if peers.len() >= PEERS && !peers.contains_key(&peer) {
            // A client that has all its requests left need not be remembered.
            peers.retain(|_, peer| refilled(*peer, now).left < AT_ONCE);
            if peers.len() >= PEERS {
                return false;
            }
        }
        let left = peers.entry(peer).or_insert(Peer {
            left: AT_ONCE,
            since: now,
        });
        *left = refilled(*left, now);
        if left.left < 1.0 {
            return false;
        }
        left.left -= 1.0;
        true
    }
}

fn refilled(peer: Peer, now: Instant) -> Peer {
    let gone = now.saturating_duration_since(peer.since).as_secs_f64();
    Peer {
        left: (peer.left + gone * A_SECOND).min(AT_ONCE),
        since: now,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_client_that_asks_too_often_waits_and_others_do_not() {
        let (rates, start) = (Rates::default(), Instant::now());
        let [one, other] = [1, 2].map(|at| IpAddr::from([10, 0, 0, at]));
        let granted = (0..5000).filter(|_| rates.may(one, start)).count();
        assert_eq!(granted, 2000);
        assert!(rates.may(other, start));
        let later = start + Duration::from_secs(1);
        let granted = (0..5000).filter(|_| rates.may(one, later)).count();
        assert_eq!(granted, 500);
    }

    #[test]
    fn no_number_of_peers_takes_more_than_a_bounded_memory() {
        let (rates, start) = (Rates::default(), Instant::now());
        let peer = |at: u128| IpAddr::from(Ipv6Addr::from(at));
        let granted = (0..10_000).filter(|at| rates.may(peer(*at), start)).count();
        assert_eq!(granted, PEERS);
        assert!(rates.0.lock().unwrap().len() <= PEERS);
        assert!(rates.may(peer(99_999), start + Duration::from_secs(9)));
    }
}
