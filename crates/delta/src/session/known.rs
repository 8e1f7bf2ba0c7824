//! The knowledge of a sender about an entity at its receiver.

use super::audience::{Audience, Stamp};
use super::change::What;
use super::model::Mode;

/// An entity that the receiver may have or should have. Ticks are 0 where there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub id: u32,
    /// The tick of its values in the baseline; 0 if the baseline lacks it.
    pub acked: u32,
    /// The newest packet under way that names or destroys it.
    pub flight: u32,
    /// Since when a change waits.
    pub since: u32,
    /// The face of [`acked`](Self::acked). `None` if it is not known: packets with different faces are
    /// under way, and some may have arrived.
    acked_as: Option<Audience>,
    /// The face in the newest packets under way that name it.
    flight_as: Lately,
    way: Way,
    /// Whether the receiver was to see it with the last packet.
    pub shown: bool,
}

/// A face, in the lower two bits, and for how many ticks before the newest packet all packets under way
/// have this face. These are less than 64, because packets under way lie within so many ticks.
#[derive(Clone, Copy, Debug)]
struct Lately(u8);

impl Lately {
    const fn new(face: Audience) -> Self {
        Self(face as u8)
    }

    const fn face(self) -> Audience {
        match self.0 & 3 {
            0 => Audience::All,
            1 => Audience::Team,
            _ => Audience::Owner,
        }
    }

    /// A packet of this tick has a face; `flight` is the one before it, if one is under way.
    fn add(&mut self, face: Audience, flight: u32, tick: u32) {
        let goes_on = flight != 0 && self.face() == face;
        let ticks = if goes_on {
            u32::from(self.0 >> 2) + tick - flight
        } else {
            0
        };
        self.0 = (ticks.min(63) as u8) << 2 | face as u8;
    }

    /// Returns true if the packet of a tick has this face; `flight` is the newest.
    const fn has(self, tick: u32, flight: u32) -> bool {
        flight.saturating_sub(tick) <= self.0 as u32 >> 2
    }
}

/// The packets under way with an entity, in the order in which they were sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// None destroys it.
    Names,
    /// After the first that destroys it, none names it.
    Ends,
    /// One names it after another has destroyed it; the newest names it.
    NamesAgain,
    /// One names it after another has destroyed it; the newest destroys it.
    EndsAgain,
}

/// A change has to wait for what becomes of a packet under way.
pub(super) struct Waits;

impl Known {
    pub const fn new(id: u32) -> Self {
        Self {
            id,
            acked: 0,
            flight: 0,
            since: 0,
            acked_as: None,
            flight_as: Lately::new(Audience::All),
            way: Way::Names,
            shown: false,
        }
    }

    /// Returns what is known of it when the session begins again.
    pub const fn again(&self) -> Self {
        Self {
            shown: self.shown,
            ..Self::new(self.id)
        }
    }

    /// Returns true if the newest packet under way destroys it.
    pub const fn ends(&self) -> bool {
        matches!(self.way, Way::Ends | Way::EndsAgain)
    }

    /// Returns true if the receiver may have it.
    pub const fn may_be_held(&self) -> bool {
        self.acked != 0 || self.flight != 0
    }

    /// Returns the tick and the face of its values in the state on which the next packet builds; tick
    /// 0 if that state lacks it.
    #[inline]
    const fn based_on(&self, mode: Mode) -> (u32, Option<Audience>) {
        if matches!(mode, Mode::Merged) || self.flight == 0 {
            (self.acked, self.acked_as)
        } else if self.ends() {
            (0, None)
        } else {
            (self.flight, Some(self.flight_as.face()))
        }
    }

    /// Returns the tick of [`based_on`](Self::based_on).
    pub const fn base(&self, mode: Mode) -> u32 {
        self.based_on(mode).0
    }

    /// Returns the change to send for an entity that the receiver may see.
    #[inline]
    pub fn show(&self, now: &Stamp, mode: Mode) -> Option<What> {
        let (newest, seen_as) = if self.flight > self.acked {
            (self.flight, Some(self.flight_as.face()))
        } else {
            (self.acked, self.acked_as)
        };
        if newest != 0 && !self.ends() && now.changed <= newest && seen_as == Some(now.face) {
            return None;
        }
        if self.must_wait(now, mode) {
            return None;
        }
        Some(self.name(now, mode))
    }

    /// Returns true if a packet under way may have brought the entity that had its id before, which
    /// the baseline lacks, or has with other components. If that packet arrives, the receiver must
    /// be told to destroy that one, so that it does not take one for the other.
    const fn must_wait(&self, now: &Stamp, mode: Mode) -> bool {
        self.acked < now.heir_of && self.flight != 0 && matches!(mode, Mode::Merged)
    }

    /// Returns how a packet names an entity that the receiver may see.
    #[inline]
    pub fn name(&self, now: &Stamp, mode: Mode) -> What {
        match self.based_on(mode) {
            (0, _) => What::Create,
            (base, face) if base < now.born || face != Some(now.face) => What::Replace,
            _ => What::Update,
        }
    }

    /// Returns the change that a packet must have that names others of its group: what the receiver
    /// lacks if nothing under way arrives. An error says that this has to wait.
    pub fn beside(&self, now: Option<&Stamp>, mode: Mode) -> Result<Option<What>, Waits> {
        let is_merged = mode == Mode::Merged;
        if let Some(now) = now {
            if self.must_wait(now, mode) {
                return Err(Waits);
            }
            let is_there = self.acked != 0 && self.acked_as == Some(now.face);
            let has_all = is_there && self.flight == 0 && now.changed <= self.acked;
            let named = is_merged && !has_all;
            return Ok(named.then(|| self.name(now, mode)));
        }
        if is_merged && self.acked == 0 && self.flight != 0 && self.way != Way::Ends {
            return Err(Waits);
        }
        let ends = is_merged && self.acked != 0;
        Ok(ends.then_some(What::Destroy))
    }

    /// Returns the face that the receiver sees if what is under way arrives.
    pub fn seen_as(&self) -> Audience {
        match self.acked_as {
            Some(face) if self.flight == 0 => face,
            _ => self.flight_as.face(),
        }
    }

    /// Returns whether to destroy an entity that the receiver may not see. If it is not in the
    /// baseline yet, that has to wait.
    #[inline]
    pub const fn hide(&self, mode: Mode) -> bool {
        !self.ends() && self.base(mode) != 0
    }

    /// It is in the packet of this tick: in a full snapshot, or in one that is under way.
    pub fn sent(&mut self, tick: u32, is_full: bool, what: What, face: Audience) {
        self.since = 0;
        if is_full {
            (self.acked, self.acked_as) = (tick, Some(face));
            return;
        }
        let again = matches!(self.way, Way::NamesAgain | Way::EndsAgain);
        if what == What::Destroy {
            self.way = if again { Way::EndsAgain } else { Way::Ends };
        } else {
            if !self.may_be_held() {
                self.acked_as = Some(face);
            } else if self.flight != 0 && self.flight_as.face() != face {
                self.acked_as = None;
            }
            self.flight_as.add(face, self.flight, tick);
            if self.ends() {
                self.way = Way::NamesAgain;
            }
        }
        self.flight = tick;
    }

    /// Forgets the packet under way: it will not arrive.
    pub const fn ground(&mut self) {
        if self.flight != 0 {
            // It has waited since then.
            self.since = self.flight;
            self.flight = 0;
            self.way = Way::Names;
        }
    }

    /// The sender goes back to the baseline, although some packets under way may have arrived. If these
    /// have another face, the receiver shows that one, so that the entity has to be named again.
    pub fn go_back(&mut self) {
        if self.flight != 0 && self.acked_as != Some(self.flight_as.face()) {
            self.acked_as = None;
        }
        self.ground();
    }

    /// The packet of this tick, which names it, has arrived.
    pub fn arrived(&mut self, tick: u32) {
        self.acked = tick;
        // If its face was known, all packets under way have the same one.
        if self.acked_as.is_some() || self.flight_as.has(tick, self.flight) {
            self.acked_as = Some(self.flight_as.face());
        }
        self.land(tick);
    }

    /// The packet of this tick, which destroys it, has arrived.
    pub const fn ended(&mut self, tick: u32) {
        self.acked = 0;
        self.land(tick);
    }

    const fn land(&mut self, tick: u32) {
        if self.flight == tick {
            self.flight = 0;
            self.way = Way::Names;
        }
    }
}
