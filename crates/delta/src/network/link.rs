//! One direction of a network.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The behaviour of a network. Chances are in thousandths; times are in ticks, or whatever unit
/// the caller counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conditions {
    /// The chance that a packet is lost by itself.
    pub loss: u32,
    /// Losses that come in bursts, beside those of `loss`.
    pub bursts: Option<Burst>,
    /// The chance that a packet is delivered twice. The second copy has a delay of its own, and may
    /// come before the first.
    pub duplicates: u32,
    /// The time of travel.
    pub delay: u32,
    /// The time that is added at most: each packet gets a part of it. Packets stay in order; a
    /// packet that is held up holds up those after it.
    pub jitter: u32,
    /// The chance that a packet takes another way: it neither waits for the packets before it nor
    /// holds up those after it, and takes up to `reorder_by` longer.
    pub reorder: u32,
    /// The time that another way takes longer, at most.
    pub reorder_by: u32,
    /// The bandwidth; `None` if there is always enough.
    pub bandwidth: Option<Bandwidth>,
}

/// Losses in bursts: in a burst, every packet is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Burst {
    /// The chance that a burst begins with a packet, in thousandths.
    pub begins: u32,
    /// The chance that it ends with a packet, in thousandths.
    pub ends: u32,
}

/// The bandwidth of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bandwidth {
    /// The bytes that leave in a tick.
    pub bytes_per_tick: u32,
    /// The bytes that can wait. A packet that finds no room is lost.
    pub queue: u32,
}

impl Conditions {
    /// Every packet arrives at once.
    pub const PERFECT: Self = Self {
        loss: 0,
        bursts: None,
        duplicates: 0,
        delay: 0,
        jitter: 0,
        reorder: 0,
        reorder_by: 0,
        bandwidth: None,
    };
}

impl Default for Conditions {
    fn default() -> Self {
        Self::PERFECT
    }
}

/// The fate of a packet: how long each of its copies took. A lost packet has none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fate {
    /// The time that the packet took; `None` if it was lost.
    pub took: Option<u32>,
    /// The time that a second copy took.
    pub again: Option<u32>,
}

/// The number of packets that a link was given, lost and delivered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tally {
    /// Packets that were sent.
    pub sent: u64,
    /// Packets that were lost.
    pub lost: u64,
    /// Copies that arrived; duplicates count.
    pub arrived: u64,
}

/// One direction of a network, with the packets that are on their way.
///
/// ```
/// use gametape_delta::network::{Conditions, Link};
///
/// let conditions = Conditions {
///     loss: 100, duplicates: 50, delay: 3, reorder: 50, reorder_by: 4, ..Conditions::PERFECT
/// };
/// let run = |mut link: Link<u32>| {
///     let mut arrived = Vec::new();
///     for tick in 0..100 {
///         link.send(tick, 1200, tick);
///         while let Some(packet) = link.arrive(tick) {
///             arrived.push((tick, packet));
///         }
///     }
///     (arrived, link.fates().to_vec())
/// };
/// let (arrived, fates) = run(Link::new(conditions, 7));
/// assert_eq!(run(Link::new(conditions, 7)).0, arrived); // the same seed
/// assert_eq!(run(Link::replaying(fates)).0, arrived); // the same fates
/// ```
#[derive(Clone, Debug)]
pub struct Link<T> {
    conditions: Conditions,
    random: Random,
    /// The fates to repeat; those that were drawn come after them.
    fates: Vec<Fate>,
    /// The number of packets that were sent.
    sent: usize,
    in_burst: bool,
    /// When the last packet that stays in order arrives.
    last: u32,
    /// The bytes in the queue, as of a time.
    backlog: (u64, u32),
    /// The packets on their way, by arrival, and in the order of sending where these are equal.
    flying: VecDeque<(u32, T)>,
    tally: Tally,
}

impl<T: Clone> Link<T> {
    /// Creates a link. The same seed gives the same fates to the same packets.
    #[must_use]
    pub fn new(conditions: Conditions, seed: u64) -> Self {
        Self {
            conditions,
            random: Random(seed),
            fates: Vec::new(),
            sent: 0,
            in_burst: false,
            last: 0,
            backlog: (0, 0),
            flying: VecDeque::new(),
            tally: Tally::default(),
        }
    }

    /// Creates a link that gives these fates to the packets, one after the other. Packets after the
    /// last fate arrive at once.
    #[must_use]
    pub fn replaying(fates: Vec<Fate>) -> Self {
        Self {
            fates,
            ..Self::new(Conditions::PERFECT, 0)
        }
    }

    /// Returns the conditions.
    #[must_use]
    pub const fn conditions(&self) -> Conditions {
        self.conditions
    }

    /// Changes the conditions for the packets that are sent from now on.
    pub const fn set_conditions(&mut self, conditions: Conditions) {
        self.conditions = conditions;
    }

    /// Returns the fates of the packets that were sent, for [`Link::replaying`].
    #[must_use]
    pub fn fates(&self) -> &[Fate] {
        self.fates.get(..self.sent).unwrap_or_default()
    }

    /// Returns the number of packets that were sent, lost and delivered.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// Returns the number of packets on their way.
    #[must_use]
    pub fn flying(&self) -> usize {
        self.flying.len()
    }

    /// Drops the packets on their way, as when a connection ends.
    pub fn drop_flying(&mut self) {
        self.flying.clear();
    }

    /// Sends a packet of `bytes` bytes.
    pub fn send(&mut self, now: u32, bytes: usize, packet: T) {
        let fate = self.fates.get(self.sent).copied();
        let fate = fate.unwrap_or_else(|| {
            let fate = self.draw(now, bytes);
            self.fates.push(fate);
            fate
        });
        self.sent += 1;
        self.tally.sent += 1;
        self.tally.lost += u64::from(fate.took.is_none());
        if let Some(took) = fate.again {
            self.put(now.saturating_add(took), packet.clone());
        }
        if let Some(took) = fate.took {
            self.put(now.saturating_add(took), packet);
        }
    }

    fn put(&mut self, at: u32, packet: T) {
        let place = self.flying.partition_point(|(other, _)| *other <= at);
        self.flying.insert(place, (at, packet));
    }

    /// Returns the next packet that has arrived by now.
    pub fn arrive(&mut self, now: u32) -> Option<T> {
        let (_, packet) = self.flying.pop_front_if(|(at, _)| *at <= now)?;
        self.tally.arrived += 1;
        Some(packet)
    }

    fn draw(&mut self, now: u32, bytes: usize) -> Fate {
        let conditions = self.conditions;
        if let Some(burst) = conditions.bursts {
            let chance = if self.in_burst {
                burst.ends
            } else {
                burst.begins
            };
            self.in_burst ^= self.random.chance(chance);
        } else {
            self.in_burst = false;
        }
        // Each packet draws the same numbers, so that a change of one condition leaves the rest.
        let lost = self.random.chance(conditions.loss);
        let twice = self.random.chance(conditions.duplicates);
        let [first, second] = [(); 2].map(|()| self.travel());
        let Some(waits) = self.queue(now, bytes) else {
            return Fate::default();
        };
        if lost || self.in_burst {
            return Fate::default();
        }
        let took = self.in_order(now, first, waits);
        Fate {
            took: Some(took),
            again: twice.then(|| second.0 + waits),
        }
    }

    /// Returns the time of travel, and whether the packet takes another way.
    fn travel(&mut self) -> (u32, bool) {
        let Conditions {
            delay,
            jitter,
            reorder,
            reorder_by,
            ..
        } = self.conditions;
        let jitter = self.random.up_to(jitter);
        let other_way = self.random.chance(reorder);
        let longer = self.random.up_to(reorder_by);
        let longer = if other_way { longer } else { 0 };
        (delay + jitter + longer, other_way)
    }

    /// Puts a packet after those before it, unless it takes another way.
    fn in_order(&mut self, now: u32, (travel, other_way): (u32, bool), waits: u32) -> u32 {
        let at = now.saturating_add(travel + waits);
        if other_way {
            return travel + waits;
        }
        self.last = self.last.max(at);
        self.last - now
    }

    /// Returns the time that a packet waits in the queue; `None` if it finds no room.
    fn queue(&mut self, now: u32, bytes: usize) -> Option<u32> {
        let Some(bandwidth) = self.conditions.bandwidth else {
            return Some(0);
        };
        let rate = u64::from(bandwidth.bytes_per_tick.max(1));
        let (backlog, since) = self.backlog;
        let left = rate * u64::from(now.saturating_sub(since));
        let before = backlog.saturating_sub(left);
        self.backlog = (before, now);
        let after = before + bytes as u64;
        // A link that is free takes any packet.
        if before > 0 && after > u64::from(bandwidth.queue) {
            return None;
        }
        self.backlog.0 = after;
        // The last bytes leave within this tick if the rate allows it.
        u32::try_from((after.saturating_sub(1)) / rate).ok()
    }
}

/// The splitmix64 generator: small, and the same everywhere.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    const fn up_to(&mut self, most: u32) -> u32 {
        (self.next() % (most as u64 + 1)) as u32
    }

    const fn chance(&mut self, thousandths: u32) -> bool {
        self.next() % 1000 < thousandths as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(conditions: Conditions, packets: u32) -> (Vec<(u32, u32)>, Link<u32>) {
        let mut link = Link::new(conditions, 3);
        let mut arrived = Vec::new();
        for tick in 0..packets + 100 {
            if tick < packets {
                link.send(tick, 100, tick);
            }
            while let Some(packet) = link.arrive(tick) {
                arrived.push((tick, packet));
            }
        }
        (arrived, link)
    }

    #[test]
    fn a_perfect_link_delivers_each_packet_at_once_and_once() {
        let (arrived, link) = run(Conditions::PERFECT, 50);
        assert_eq!(
            arrived,
            (0..50).map(|tick| (tick, tick)).collect::<Vec<_>>()
        );
        assert_eq!(
            (link.tally().sent, link.tally().lost, link.flying()),
            (50, 0, 0)
        );
    }

    #[test]
    fn each_condition_does_what_it_says() {
        let base = Conditions {
            delay: 4,
            ..Conditions::PERFECT
        };
        let (arrived, link) = run(Conditions { loss: 300, ..base }, 1000);
        assert!(
            (200..400).contains(&link.tally().lost),
            "{:?}",
            link.tally()
        );
        assert!(arrived.iter().all(|(at, sent)| at - sent == 4));

        let (arrived, _) = run(Conditions { jitter: 6, ..base }, 1000);
        assert!(
            arrived.is_sorted_by_key(|(_, sent)| *sent),
            "jitter keeps the order"
        );
        let took: Vec<u32> = arrived.iter().map(|(at, sent)| at - sent).collect();
        assert_eq!(
            (took.iter().min(), took.iter().max()),
            (Some(&4), Some(&10))
        );

        let reorder = Conditions {
            reorder: 200,
            reorder_by: 5,
            ..base
        };
        let (arrived, _) = run(reorder, 1000);
        assert!(!arrived.is_sorted_by_key(|(_, sent)| *sent));
        assert_eq!(arrived.len(), 1000);

        let twice = Conditions {
            duplicates: 250,
            ..base
        };
        assert!((1150..1350).contains(&run(twice, 1000).0.len()));

        // A burst of ten packets on average, one packet in two.
        let bursts = Some(Burst {
            begins: 100,
            ends: 100,
        });
        let (arrived, link) = run(Conditions { bursts, ..base }, 2000);
        assert!(
            (700..1300).contains(&link.tally().lost),
            "{:?}",
            link.tally()
        );
        let gaps = arrived.windows(2).filter(|pair| pair[1].1 - pair[0].1 > 1);
        assert!(
            (60..160).contains(&gaps.count()),
            "losses that come together"
        );
    }

    #[test]
    fn a_queue_delays_packets_and_then_drops_them() {
        let bandwidth = Some(Bandwidth {
            bytes_per_tick: 50,
            queue: 1000,
        });
        let conditions = Conditions {
            bandwidth,
            ..Conditions::PERFECT
        };
        // Twice as many bytes as fit: half of the packets is lost once the queue is full.
        let (arrived, link) = run(conditions, 200);
        assert_eq!(arrived.len() as u64, 200 - link.tally().lost);
        assert!((80..110).contains(&link.tally().lost), "{:?}", link.tally());
        let longest = arrived.iter().map(|(at, sent)| at - sent).max();
        assert_eq!(longest, Some(19), "the whole queue, at 50 bytes a tick");
        let enough = Bandwidth {
            bytes_per_tick: 100,
            queue: 0,
        };
        let conditions = Conditions {
            bandwidth: Some(enough),
            ..Conditions::PERFECT
        };
        assert_eq!(
            run(conditions, 50).0.len(),
            50,
            "a free link takes any packet"
        );
    }
}
