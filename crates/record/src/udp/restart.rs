//! Detects that a sender was restarted: its ticks start again, and a new session begins.
//!
//! A packet that is not newer than an earlier one is late, came twice, or belongs to a new session. A
//! single late packet proves nothing. A new session is accepted in two cases. In both, no packet has
//! come meanwhile that is newer than the recorded ones, as a sender that continues would have sent:
//!
//! - A packet follows a full snapshot that can't be of the recorded session, because that session had
//!   another full snapshot at this tick; or both packets are full snapshots from long before its first.
//! - Packets that build on one another have come for a while, in the order of their ticks. Packets that
//!   a network has delayed come all at once.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::time::{Duration, Instant};

use gametape_delta::{Feedback, Header, Received, Receiver, ReceiverOptions, Schema};

/// The number of states that later packets may build on.
pub(super) const WINDOW: usize = 256;
/// The proof that is needed: a different full snapshot counts 2, one from long before counts 1.
const PROVEN: usize = 2;
/// A session without proof is accepted after so long, with so many packets.
const LASTING: Duration = Duration::from_secs(1);
const PACKETS: usize = 3;
/// Packets are never so many ticks late.
const LATE: u32 = 256;
/// The number of packets that may be lost one after the other.
const LOST: u32 = 8;
/// The greatest number of ticks between two packets of a session that is not accepted yet.
const APART: u32 = 64;
/// The number of full snapshots that are remembered: so many of the first, and of the last.
const KNOWN: usize = 1024;
/// The number of possible sessions at once: late packets look like some.
const CANDIDATES: usize = 4;
/// The bytes of packets that are buffered until a session is accepted.
const MAX_BYTES: usize = 16 << 20;
/// How long packets of the previous session may still come.
const GRACE: Duration = Duration::from_secs(30);

/// A packet, and its time of arrival in nanoseconds since 1970.
#[derive(Debug)]
pub(super) struct Arrival {
    pub bytes: Vec<u8>,
    pub at: u64,
}

/// A possible new session.
#[derive(Debug)]
struct Candidate {
    receiver: Receiver,
    since: Instant,
    last: u32,
    packets: Vec<Arrival>,
    bytes: usize,
    proof: usize,
}

/// Watches the packets that are not newer than the recorded ones.
#[derive(Debug)]
pub(super) struct Watch<'s> {
    schema: &'s Schema,
    options: ReceiverOptions,
    first: Option<u32>,
    /// Hashes of the full snapshots of the session, by their ticks.
    earliest: BTreeMap<u32, u64>,
    latest: VecDeque<(u32, u64)>,
    candidates: VecDeque<Candidate>,
    previous: Option<Previous>,
}

/// The previous session.
#[derive(Debug)]
struct Previous {
    ended: Instant,
    last: u32,
    /// As in [`Watch`].
    earliest: BTreeMap<u32, u64>,
    latest: VecDeque<(u32, u64)>,
}

impl<'s> Watch<'s> {
    pub const fn new(schema: &'s Schema, options: ReceiverOptions) -> Self {
        Self {
            schema,
            options,
            first: None,
            earliest: BTreeMap::new(),
            latest: VecDeque::new(),
            candidates: VecDeque::new(),
            previous: None,
        }
    }

    /// Returns whether a packet that is newer than the session is a late one of the previous session: it
    /// is far ahead, or it came in that session. A delta on a state that is ahead belongs to that
    /// session, too.
    pub fn is_of_previous(
        &self,
        header: &Header,
        packet: &[u8],
        newest: Option<u32>,
        now: Instant,
    ) -> bool {
        let (Some(previous), Some(newest)) = (&self.previous, newest) else {
            return false;
        };
        if now.duration_since(previous.ended) >= GRACE || header.tick > previous.last {
            return false;
        }
        let ahead = header.tick.saturating_sub(newest);
        let came =
            || known(&previous.earliest, &previous.latest, header.tick) == Some(hash(packet));
        ahead > LATE
            || match header.baseline() {
                None => ahead > LOST && came(),
                Some(baseline) => baseline.saturating_sub(newest) > LOST,
            }
    }

    /// Takes note of a recorded packet: the session continues, and there is no other.
    pub fn recorded(&mut self, header: &Header, packet: &[u8]) {
        self.candidates.clear();
        self.first.get_or_insert(header.tick);
        if header.baseline().is_some() {
            return;
        }
        if self.earliest.len() < KNOWN {
            self.earliest.insert(header.tick, hash(packet));
        } else {
            self.latest.push_back((header.tick, hash(packet)));
            let old = self.latest.len().saturating_sub(KNOWN);
            self.latest.drain(..old);
        }
    }

    /// Returns how much a packet proves that it is not of the recorded session.
    fn proof(&self, header: &Header, packet: &[u8]) -> usize {
        if header.baseline().is_some() {
            return 0;
        }
        let tick = header.tick;
        match known(&self.earliest, &self.latest, tick) {
            Some(known) if known != hash(packet) => PROVEN,
            Some(_) => 0,
            None => usize::from(
                self.first
                    .is_some_and(|first| first.saturating_sub(tick) > LATE),
            ),
        }
    }

    /// Takes a packet that is not newer than the recorded ones. Returns the answer to it if it may be of
    /// a new session.
    pub fn stale(
        &mut self,
        header: &Header,
        packet: &[u8],
        at: u64,
        now: Instant,
    ) -> Option<Feedback> {
        let proof = self.proof(header, packet);
        let arrival = || Arrival {
            bytes: packet.to_vec(),
            at,
        };
        for candidate in &mut self.candidates {
            let follows = header.tick > candidate.last && header.tick - candidate.last <= APART;
            if follows
                && let Ok(Received {
                    ack, fresh: true, ..
                }) = candidate.receiver.apply(packet)
            {
                candidate.last = header.tick;
                candidate.proof += proof;
                candidate.bytes += packet.len();
                candidate.packets.push(arrival());
                return Some(ack);
            }
        }
        if header.baseline().is_some() {
            return None;
        }
        let mut receiver = Receiver::with_options(self.schema, self.options);
        let ack = receiver.apply(packet).ok()?.ack;
        if self.candidates.len() == CANDIDATES {
            self.candidates.pop_front();
        }
        self.candidates.push_back(Candidate {
            receiver,
            since: now,
            last: header.tick,
            packets: vec![arrival()],
            bytes: packet.len(),
            proof,
        });
        Some(ack)
    }

    /// Returns the packets of a new session, once it is accepted. From then on that session is watched.
    /// `newest` is the last tick of the previous one.
    pub fn begun(&mut self, newest: Option<u32>, now: Instant) -> Option<Vec<Arrival>> {
        let is_accepted = |candidate: &Candidate| {
            let lasts =
                now.duration_since(candidate.since) >= LASTING || candidate.bytes > MAX_BYTES;
            let is_proven = candidate.proof >= PROVEN && candidate.packets.len() > 1;
            is_proven || (lasts && candidate.packets.len() >= PACKETS)
        };
        let at = self.candidates.iter().position(is_accepted)?;
        let candidate = self.candidates.remove(at)?;
        let previous = newest.map(|last| Previous {
            ended: now,
            last,
            earliest: std::mem::take(&mut self.earliest),
            latest: std::mem::take(&mut self.latest),
        });
        *self = Self {
            previous,
            ..Self::new(self.schema, self.options)
        };
        Some(candidate.packets)
    }
}

/// Returns the hash of the full snapshot of a tick, if it is known.
fn known(earliest: &BTreeMap<u32, u64>, latest: &VecDeque<(u32, u64)>, tick: u32) -> Option<u64> {
    let late = || latest.iter().find(|(of, _)| *of == tick);
    let known = earliest.get(&tick).copied();
    known.or_else(|| late().map(|(_, hash)| *hash))
}

fn hash(packet: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(packet);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use gametape_delta::{Limits, Sender, Snapshot, World};
    use gametape_samples::delta::Arena;

    use super::*;

    /// The packets of a session: full snapshots, or deltas if they are acknowledged.
    fn session(seed: u64, ticks: u32, acked: bool) -> Vec<Vec<u8>> {
        let schema = Arena::schema();
        let mut sender = Sender::new(&schema);
        let mut arena = Arena::new(12, seed);
        let mut state = Snapshot::new(&schema, 0);
        let mut world = World::new(&schema);
        let mut packet = Vec::new();
        let packets = (1..=ticks).map(|tick| {
            arena.step();
            arena.state(&mut state).unwrap();
            world.update(&state).unwrap();
            sender.encode(&mut world, &mut packet).unwrap();
            if acked {
                sender.feedback(&Feedback::Ack { tick, earlier: 1 });
            } else {
                sender.resync();
            }
            packet.clone()
        });
        packets.collect()
    }

    /// Plays packets at these milliseconds. Returns the number of packets of a new session when it was
    /// accepted, and the time of that.
    fn play(packets: &[(u64, &[u8])]) -> Option<(usize, u64)> {
        let schema = Arena::schema();
        let options = ReceiverOptions {
            window: WINDOW,
            limits: Limits::NONE,
            ..ReceiverOptions::default()
        };
        let mut receiver = Receiver::with_options(&schema, options);
        let mut watch = Watch::new(&schema, options);
        let start = Instant::now();
        let mut newest = None;
        for (ms, packet) in packets {
            let now = start + Duration::from_millis(*ms);
            let (header, _) = Header::read(packet).unwrap();
            match receiver.apply(packet) {
                Ok(Received { fresh: true, .. }) => {
                    newest = Some(header.tick);
                    watch.recorded(&header, packet);
                }
                Ok(_) => {
                    watch.stale(&header, packet, *ms, now);
                }
                Err(_) => {}
            }
            if let Some(packets) = watch.begun(newest, now) {
                return Some((packets.len(), *ms));
            }
        }
        None
    }

    fn timed<'p>(packets: &'p [Vec<u8>], from: u64, apart: u64) -> Vec<(u64, &'p [u8])> {
        let at = |(at, packet): (usize, &'p Vec<u8>)| (from + at as u64 * apart, &**packet);
        packets.iter().enumerate().map(at).collect()
    }

    #[test]
    fn another_session_is_noticed_with_its_second_full_snapshot() {
        let (old, new) = (session(1, 200, true), session(2, 122, false));
        // One full snapshot of the previous session is known.
        let mut all = timed(&old, 0, 16);
        all.extend(timed(&new, 4000, 16));
        assert_eq!(play(&all), Some((2, 4016)));
        for lost in [0, 1, 5, 40] {
            // A server sends full snapshots until one is acknowledged; so did the previous one, for a while.
            let fulls = session(1, 60, false);
            let mut all = timed(&fulls, 0, 16);
            all.extend(timed(&old[60..], 960, 16));
            all.extend(timed(&new[lost..], 4000, 16));
            let (begun, at) = play(&all).unwrap();
            assert_eq!((begun, at), (2, 4016), "{lost} lost");
        }
    }

    #[test]
    fn one_that_is_joined_late_proves_it_by_its_ticks() {
        let (old, new) = (session(1, 2000, false), session(1, 10, false));
        let mut all = timed(&old[1000..], 0, 16);
        all.extend(timed(&new, 20_000, 16));
        assert_eq!(play(&all), Some((2, 20_016)));
    }

    #[test]
    fn the_same_game_again_is_noticed_after_a_second() {
        // The same packets as before, byte for byte: they might be copies, but copies do not continue.
        let old = session(1, 200, true);
        let mut all = timed(&old, 0, 16);
        all.extend(timed(&old[..122], 4000, 16));
        let (begun, at) = play(&all).unwrap();
        assert!((5000..5020).contains(&at), "{at}");
        assert!(begun > 60, "{begun}");
    }

    #[test]
    fn what_is_late_or_comes_twice_is_no_session() {
        let fulls = session(1, 300, false);
        // Some come twice, or long after, while the session continues; among them are full snapshots
        // that never came before.
        let mut all = Vec::new();
        for (at, packet) in fulls.iter().enumerate() {
            let ms = at as u64 * 16;
            if at % 7 != 3 {
                all.push((ms, &**packet));
            }
            if at > 40 && at % 7 == 0 {
                all.push((ms + 1, &*fulls[at - 39]));
                all.push((ms + 2, &*fulls[at - 32]));
                all.push((ms + 3, &*fulls[3]));
                all.push((ms + 4, &*fulls[at]));
            }
        }
        assert_eq!(play(&all), None);
        // The last packets of a sender that has stopped, in a burst and in their order: some of them were
        // overtaken by the last one.
        let mut all = timed(&fulls[..100], 0, 16);
        all.extend(timed(&fulls[200..], 3200, 16));
        all.extend(timed(&fulls[100..200], 5000, 5));
        assert_eq!(play(&all), None);
        // One of them comes after all.
        let mut all = timed(&fulls[..100], 0, 16);
        all.push((60_000, &fulls[3]));
        all.push((90_000, &fulls[4]));
        assert_eq!(play(&all), None);
    }

    #[test]
    fn a_late_packet_hides_no_session() {
        let (old, new) = (session(1, 200, false), session(2, 60, false));
        let mut all = timed(&old, 0, 16);
        all.push((3300, &old[150]));
        all.push((3301, &old[190]));
        let mut news = timed(&new, 3400, 16);
        news.insert(1, (3401, &old[160]));
        all.extend(news);
        assert_eq!(play(&all), Some((2, 3416)));
    }
}
