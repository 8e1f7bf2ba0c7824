//! Applies packets to states, and keeps older states as long as they are needed.

use std::collections::BTreeMap;

use gametape_delta as delta;
use gametape_delta::wire::Header;
use gametape_delta::{Decoder, Entity, ReadOptions, Rule, Schema, Snapshot, Strictness};

use crate::limits::{MAX_STATE_BYTES, decoder};
use crate::packets::Packet;
use crate::rule::{CaptureRule, Error};

/// The number of states that a recorder keeps because a later packet may build on them.
const WINDOW: usize = 256;

/// The states that are needed again, and for how long.
#[derive(Clone, Default, Debug)]
pub(crate) struct Later {
    /// The baselines other than the previous packet, each with the last packet that builds on it.
    /// They are in the order of the packets until they are sorted.
    uses: Vec<(u32, u64)>,
    previous: Option<u32>,
}

impl Later {
    /// Takes the next packet. Only packets of the stream with a readable header count.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        if !packet.role.is_of_stream() {
            return;
        }
        let Ok((header, _)) = Header::read(packet.bytes) else {
            return;
        };
        if let Some(baseline) = header.baseline()
            && self.previous != Some(baseline)
        {
            self.uses.push((baseline, packet.index));
        }
        self.previous = Some(header.tick);
    }

    fn sorted(mut self) -> Self {
        self.uses.sort_unstable();
        self
    }

    /// The last packet that builds on the state of this tick.
    fn last_use(&self, tick: u32) -> Option<u64> {
        let end = self.uses.partition_point(|(baseline, _)| *baseline <= tick);
        let (baseline, index) = *self.uses.get(end.checked_sub(1)?)?;
        (baseline == tick).then_some(index)
    }
}

#[derive(Clone, Debug)]
enum KeptStates {
    /// The states that are known to be needed.
    Needed(Later),
    /// The latest states, because the following packets are not known.
    Window,
}

/// The result of applying an added full snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// It is the state that the stream has at this tick.
    Same,
    /// It is a different state.
    Differs,
    /// The stream could not be followed up to here; from here on it can be again.
    Resumed,
}

/// Rules that only strict readers enforce.
const fn is_deviation(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::Padding { .. } | Rule::VaruintNotMinimal | Rule::TickOrder { .. }
    )
}

/// Applies packets one after the other, and keeps the states on which later packets may build.
#[derive(Clone, Debug)]
pub struct Replay {
    decoder: Decoder,
    /// The state after the last packet that could be applied.
    current: Option<Snapshot>,
    /// Earlier states, by tick.
    held: BTreeMap<u32, Snapshot>,
    spare: Vec<Snapshot>,
    holding: KeptStates,
    held_bytes: u64,
    limit: u64,
    let_go: bool,
    /// The latest tick whose state was dropped although a future packet may build on it.
    forgot: Option<u32>,
    /// An upper bound of the memory for an entity, in bytes.
    entity_bytes: u64,
}

impl Replay {
    fn new(schema: &Schema, holding: KeptStates) -> Self {
        let fields: usize = schema.components().iter().map(|c| c.fields.len()).sum();
        Self {
            decoder: decoder(schema),
            current: None,
            held: BTreeMap::new(),
            spare: Vec::new(),
            holding,
            held_bytes: 0,
            limit: MAX_STATE_BYTES,
            let_go: false,
            forgot: None,
            entity_bytes: 20 + 8 * fields as u64,
        }
    }

    /// A replay of a stream whose packets are not known in advance: it keeps the latest 256 states.
    #[must_use]
    pub fn live(schema: &Schema) -> Self {
        Self::new(schema, KeptStates::Window)
    }

    pub(crate) fn looking_ahead(schema: &Schema, later: Later) -> Self {
        Self::new(schema, KeptStates::Needed(later.sorted()))
    }

    /// Sets the most bytes of older states that are kept.
    #[must_use]
    pub const fn max_state_bytes(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// The state after the last packet that could be applied.
    #[must_use]
    pub const fn state(&self) -> Option<&Snapshot> {
        self.current.as_ref()
    }

    /// The state of a tick, if it is kept.
    #[must_use]
    pub fn held(&self, tick: u32) -> Option<&Snapshot> {
        match &self.current {
            Some(current) if current.tick() == tick => Some(current),
            _ => self.held.get(&tick),
        }
    }

    /// Whether the state on which a packet builds may have been dropped, although a replay that
    /// knows all packets would have kept it.
    #[cfg(feature = "tape")]
    pub(crate) fn may_have_held(&self, packet: &Packet<'_>) -> bool {
        let header = Header::read(packet.bytes).ok();
        let baseline = header.and_then(|(header, _)| header.baseline());
        let held = |baseline: &u32| self.held(*baseline).is_some();
        let baseline = baseline.filter(|baseline| !held(baseline));
        baseline.is_some_and(|baseline| self.forgot.is_some_and(|forgot| baseline <= forgot))
    }

    /// Applies a packet of the stream.
    ///
    /// # Errors
    /// A problem of the packet; [`CaptureRule::TooManyStates`] if the baseline was recorded but
    /// could not be kept. After an error the state is the same as before.
    pub fn apply(&mut self, packet: &Packet<'_>) -> Result<&Snapshot, Error> {
        let decoder = self.decoder.clone();
        self.apply_with(&decoder, packet)
    }

    /// Like [`Replay::apply`]; also returns where a readable packet deviates from the
    /// specification.
    ///
    /// # Errors
    /// As [`Replay::apply`].
    pub fn apply_strictly(&mut self, packet: &Packet<'_>) -> Result<Option<delta::Error>, Error> {
        let options = ReadOptions {
            strictness: Strictness::Strict,
            ..self.decoder.options()
        };
        let strict = Decoder::with_options(self.decoder.schema(), options);
        match self.apply_with(&strict, packet) {
            Ok(_) => Ok(None),
            Err(error) => match error.rule() {
                Some(crate::rule::Rule::Wire(source)) if is_deviation(&source.rule) => {
                    self.apply(packet)?;
                    Ok(Some(*source))
                }
                _ => Err(error),
            },
        }
    }

    fn apply_with(&mut self, decoder: &Decoder, packet: &Packet<'_>) -> Result<&Snapshot, Error> {
        let (header, _) = Header::read(packet.bytes).map_err(|error| packet.error(error))?;
        let mut next = self.take_spare();
        let result = match header.baseline().map(|tick| (tick, self.held(tick))) {
            None => decoder.full(packet.bytes, &mut next),
            Some((_, Some(state))) => decoder.delta(state, packet.bytes, &mut next),
            Some((baseline, None)) => {
                self.spare.push(next);
                return Err(self.missing(packet, baseline));
            }
        };
        if let Err(error) = result {
            self.spare.push(next);
            return Err(packet.error(error));
        }
        if let Some(baseline) = header.baseline() {
            self.used(baseline, packet.index);
        }
        self.advance(next, packet.index);
        Ok(self
            .current
            .get_or_insert_with(|| Snapshot::new(self.decoder.schema(), 0)))
    }

    /// Applies a full snapshot that the recorder added. It should equal the state of the stream.
    ///
    /// # Errors
    /// A problem of the packet.
    pub fn apply_added(&mut self, packet: &Packet<'_>) -> Result<Added, Error> {
        let mut next = self.take_spare();
        if let Err(error) = self.decoder.full(packet.bytes, &mut next) {
            self.spare.push(next);
            return Err(packet.error(error));
        }
        let added = match self.held(next.tick()) {
            Some(state) if state.same_entities(&next) => Added::Same,
            Some(_) => Added::Differs,
            // An added snapshot is never older than the stream.
            None if self
                .current
                .as_ref()
                .is_some_and(|state| next.tick() < state.tick()) =>
            {
                Added::Differs
            }
            None => {
                self.advance(next, packet.index);
                return Ok(Added::Resumed);
            }
        };
        self.spare.push(next);
        Ok(added)
    }

    fn missing(&self, packet: &Packet<'_>, baseline: u32) -> Error {
        let older = self
            .held
            .first_key_value()
            .is_none_or(|(oldest, _)| baseline < *oldest);
        if self.let_go && older {
            let limit = self.limit;
            let rule = CaptureRule::TooManyStates { baseline, limit };
            return packet.finding(rule).into();
        }
        packet.error(delta::Error {
            rule: Rule::BaselineMissing { baseline },
            offset: 20,
        })
    }

    fn take_spare(&mut self) -> Snapshot {
        let spare = self.spare.pop();
        spare.unwrap_or_else(|| Snapshot::new(self.decoder.schema(), 0))
    }

    fn bytes_of(&self, state: &Snapshot) -> u64 {
        state.len() as u64 * self.entity_bytes
    }

    fn used(&mut self, baseline: u32, index: u64) {
        if let KeptStates::Needed(later) = &self.holding
            && later.last_use(baseline).is_none_or(|last| last <= index)
        {
            self.let_go_of(baseline);
        }
    }

    fn let_go_of(&mut self, tick: u32) {
        if let Some(state) = self.held.remove(&tick) {
            self.held_bytes -= self.bytes_of(&state);
            // Two spare states are enough: one for the next packet and one for an added snapshot.
            if self.spare.len() < 2 {
                self.spare.push(state);
            }
        }
    }

    fn advance(&mut self, next: Snapshot, index: u64) {
        // A second packet of the same tick replaces the first.
        self.let_go_of(next.tick());
        let Some(old) = self.current.replace(next) else {
            return;
        };
        let replaced = self.current.as_ref().map(Snapshot::tick) == Some(old.tick());
        let needed = match &self.holding {
            KeptStates::Needed(later) => {
                later.last_use(old.tick()).is_some_and(|last| last > index)
            }
            KeptStates::Window => true,
        };
        if replaced || !needed {
            self.spare.push(old);
            return;
        }
        self.held_bytes += self.bytes_of(&old);
        if let Some(before) = self.held.insert(old.tick(), old) {
            self.held_bytes -= self.bytes_of(&before);
        }
        let window = matches!(self.holding, KeptStates::Window);
        while self.held_bytes > self.limit || (window && self.held.len() > WINDOW) {
            let Some(oldest) = self.held.keys().next().copied() else {
                break;
            };
            self.let_go |= !window;
            self.forgot = self.forgot.max(window.then_some(oldest));
            self.let_go_of(oldest);
        }
    }
}

/// Pairs the entities of two states by id, in the order of the ids.
pub(crate) fn beside<'s>(
    a: &'s Snapshot,
    b: &'s Snapshot,
) -> impl Iterator<Item = (Option<Entity<'s>>, Option<Entity<'s>>)> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    std::iter::from_fn(move || {
        let id = a.peek().into_iter().chain(b.peek()).map(Entity::id).min()?;
        let (one, other) = (
            a.next_if(|entity| entity.id() == id),
            b.next_if(|entity| entity.id() == id),
        );
        Some((one, other))
    })
}
