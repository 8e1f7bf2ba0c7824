//! Whether a sender has begun anew: its server was started again, and ticks go from the start.
//!
//! A packet that is not newer than one before is late, came twice, or is of a session that has just
//! begun. A late one alone proves nothing, whatever it is. A new session is believed in two cases, and in
//! neither has anything come meanwhile that is newer than what was recorded, which a sender that goes on
//! would have sent:
//!
//! - A packet follows a full snapshot that can't be of the session that is recorded, for that had another one at
//!   this tick; or both are full snapshots from long before its first.
//! - Packets that build on one another have come for a while, in the order of their ticks: what a
//!   network has kept back comes at once, and ends.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::time::{Duration, Instant};

use gametape_delta::{Feedback, Header, Limits, Received, Receiver, Schema};

/// States that later packets may build on.
pub(super) const WINDOW: usize = 256;
/// What it takes: a full snapshot that is another one, or two from long before.
const PROVEN: usize = 2;
/// For so long, and with so many packets, a session goes on that nothing else speaks against.
const GOES_ON: Duration = Duration::from_secs(1);
const PACKETS: usize = 3;
/// No packet comes so many ticks late.
const LATE: u32 = 256;
/// So many packets may be lost one after the other.
const LOST: u32 = 8;
/// Packets of a new session are no further apart than so many ticks, as long as it is doubtful.
const APART: u32 = 64;
/// Full snapshots that are known again: the first and the last.
const KNOWN: usize = 1024;
/// Sessions that there may be signs of at once: late packets make some.
const SIGNS: usize = 4;
/// Bytes of packets that are held until it is known what they are of.
const HELD: usize = 16 << 20;
/// For so long packets of the session before may still come.
const GRACE: Duration = Duration::from_secs(30);

/// A packet, and when it came: in nanoseconds since 1970.
#[derive(Debug)]
pub(super) struct Came {
    pub bytes: Vec<u8>,
    pub at: u64,
}

/// What may be a new session.
#[derive(Debug)]
struct Sign {
    receiver: Receiver,
    since: Instant,
    last: u32,
    held: Vec<Came>,
    bytes: usize,
    proof: usize,
}

/// Watches the packets that are not newer than what is recorded.
#[derive(Debug)]
pub(super) struct Watch<'s> {
    schema: &'s Schema,
    limits: Limits,
    first: Option<u32>,
    /// Hashes of the full snapshots of the session, by their ticks.
    earliest: BTreeMap<u32, u64>,
    latest: VecDeque<(u32, u64)>,
    signs: VecDeque<Sign>,
    before: Option<Before>,
}

/// The session before.
#[derive(Debug)]
struct Before {
    ended: Instant,
    last: u32,
    /// As of the session that is watched.
    earliest: BTreeMap<u32, u64>,
    latest: VecDeque<(u32, u64)>,
}

impl<'s> Watch<'s> {
    pub const fn new(schema: &'s Schema, limits: Limits) -> Self {
        Self {
            schema,
            limits,
            first: None,
            earliest: BTreeMap::new(),
            latest: VecDeque::new(),
            signs: VecDeque::new(),
            before: None,
        }
    }

    /// Whether a packet, newer than all of the session, is one of the session before that comes late: it
    /// is far ahead, or one that came then. A delta on what is ahead builds on that session, too.
    pub fn is_of_before(
        &self,
        header: &Header,
        packet: &[u8],
        newest: Option<u32>,
        now: Instant,
    ) -> bool {
        let (Some(before), Some(newest)) = (&self.before, newest) else {
            return false;
        };
        if now.duration_since(before.ended) >= GRACE || header.tick > before.last {
            return false;
        }
        let ahead = header.tick.saturating_sub(newest);
        let came = || known(&before.earliest, &before.latest, header.tick) == Some(hash(packet));
        ahead > LATE
            || match header.baseline() {
                None => ahead > LOST && came(),
                Some(baseline) => baseline.saturating_sub(newest) > LOST,
            }
    }

    /// A packet was recorded: the session goes on, whatever there were signs of.
    pub fn recorded(&mut self, header: &Header, packet: &[u8]) {
        self.signs.clear();
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

    /// How much it takes for a full snapshot to be of the session that is recorded.
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

    /// A packet is not newer than what is recorded. What to answer, where it may be of a new session.
    pub fn stale(
        &mut self,
        header: &Header,
        packet: &[u8],
        at: u64,
        now: Instant,
    ) -> Option<Feedback> {
        let proof = self.proof(header, packet);
        let came = || Came {
            bytes: packet.to_vec(),
            at,
        };
        for sign in &mut self.signs {
            let goes_on = header.tick > sign.last && header.tick - sign.last <= APART;
            if goes_on && let Ok(Received { ack, fresh: true }) = sign.receiver.apply(packet) {
                sign.last = header.tick;
                sign.proof += proof;
                sign.bytes += packet.len();
                sign.held.push(came());
                return Some(ack);
            }
        }
        if header.baseline().is_some() {
            return None;
        }
        let mut receiver = Receiver::with_window(self.schema, WINDOW, self.limits);
        let ack = receiver.apply(packet).ok()?.ack;
        if self.signs.len() == SIGNS {
            self.signs.pop_front();
        }
        self.signs.push_back(Sign {
            receiver,
            since: now,
            last: header.tick,
            held: vec![came()],
            bytes: packet.len(),
            proof,
        });
        Some(ack)
    }

    /// The packets of a new session, once there is no doubt that it has begun; `newest` is the last tick
    /// of the one before. From now on it is the one that is watched.
    pub fn begun(&mut self, newest: Option<u32>, now: Instant) -> Option<Vec<Came>> {
        let is_sure = |sign: &Sign| {
            let goes_on = now.duration_since(sign.since) >= GOES_ON || sign.bytes > HELD;
            let is_proven = sign.proof >= PROVEN && sign.held.len() > 1;
            is_proven || (goes_on && sign.held.len() >= PACKETS)
        };
        let at = self.signs.iter().position(is_sure)?;
        let sign = self.signs.remove(at)?;
        let before = newest.map(|last| Before {
            ended: now,
            last,
            earliest: std::mem::take(&mut self.earliest),
            latest: std::mem::take(&mut self.latest),
        });
        *self = Self {
            before,
            ..Self::new(self.schema, self.limits)
        };
        Some(sign.held)
    }
}

/// The hash of the full snapshot of a tick, where it is known.
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
    use gametape_delta::{Sender, Snapshot};
    use gametape_samples::delta::Arena;

    use super::*;

    /// The packets of a session, as one without feedback sends them (full snapshots), or with.
    fn session(seed: u64, ticks: u32, acked: bool) -> Vec<Vec<u8>> {
        let schema = Arena::schema();
        let mut sender = Sender::new(&schema);
        let mut arena = Arena::new(12, seed);
        let mut state = Snapshot::new(&schema, 0);
        let mut packet = Vec::new();
        let packets = (1..=ticks).map(|tick| {
            arena.step();
            arena.state(&mut state).unwrap();
            sender.encode(&state, &mut packet).unwrap();
            if acked {
                sender.feedback(&Feedback::Ack { tick, earlier: 0 });
            }
            packet.clone()
        });
        packets.collect()
    }

    /// Plays packets at these milliseconds; gives how many packets a new session had begun with when that
    /// was noticed, and when.
    fn play(packets: &[(u64, &[u8])]) -> Option<(usize, u64)> {
        let schema = Arena::schema();
        let mut receiver = Receiver::with_window(&schema, WINDOW, Limits::NONE);
        let mut watch = Watch::new(&schema, Limits::NONE);
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
            if let Some(held) = watch.begun(newest, now) {
                return Some((held.len(), *ms));
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
        // One full snapshot is known of the session before.
        let mut all = timed(&old, 0, 16);
        all.extend(timed(&new, 4000, 16));
        assert_eq!(play(&all), Some((2, 4016)));
        for lost in [0, 1, 5, 40] {
            // A server sends full snapshots until one is acknowledged: so did the one before, for a while.
            let fulls = session(1, 60, false);
            let mut all = timed(&fulls, 0, 16);
            all.extend(timed(&old[60..], 960, 16));
            all.extend(timed(&new[lost..], 4000, 16));
            let (held, at) = play(&all).unwrap();
            assert_eq!((held, at), (2, 4016), "{lost} lost");
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
        // Byte for byte the packets of before: they might be copies of those, but copies do not go on.
        let old = session(1, 200, true);
        let mut all = timed(&old, 0, 16);
        all.extend(timed(&old[..122], 4000, 16));
        let (held, at) = play(&all).unwrap();
        assert!((5000..5020).contains(&at), "{at}");
        assert!(held > 60, "{held}");
    }

    #[test]
    fn what_is_late_or_comes_twice_is_no_session() {
        let fulls = session(1, 300, false);
        // Some come twice, or long after, while it goes on: full snapshots that never came among them.
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
        // The last words of a sender that has gone, in a burst and in their order: a part of them was
        // overtaken by the end.
        let mut all = timed(&fulls[..100], 0, 16);
        all.extend(timed(&fulls[200..], 3200, 16));
        all.extend(timed(&fulls[100..200], 5000, 5));
        assert_eq!(play(&all), None);
        // One that comes after all.
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
