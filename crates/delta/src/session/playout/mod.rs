//! Playout: shows what a receiver sees evenly, a little later than it arrives.

use alloc::vec::Vec;
use core::mem;
use core::time::Duration;

use self::clock::Clock;
use self::frames::Frames;
use super::lane::{Lane, soonest};
use super::receiver::{Received, Receiver, ViewEvent, note};
use crate::schema::{Codec, Layout, Schema, ones};
use crate::snapshot::{Entity, Row, Snapshot};

mod clock;
mod frames;

/// The values of a field between two ticks at which they are known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Blend {
    /// The value stays until the next one. This is the default for all but fixed-point numbers.
    Hold,
    /// The value moves on a straight line. This is the default for fixed-point numbers.
    Linear,
    /// The value moves the shorter way round. A whole turn has as many steps as the codec has
    /// numbers, as with [`Angle`](crate::Angle).
    Turn,
}

/// Why a field cannot be blended so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlendError {
    /// The schema has no such component.
    #[error("the schema has no component {component}")]
    UnknownComponent {
        /// The id that was given.
        component: u16,
    },
    /// The component has no such field.
    #[error("component {component} has no field {field}")]
    UnknownField {
        /// The id of the component.
        component: u16,
        /// The id that was given.
        field: u16,
    },
    /// Only unsigned integers can turn.
    #[error("field {field} of component {component} holds {codec}, and only UInt can turn")]
    NoTurn {
        /// The id of the component.
        component: u16,
        /// The id of the field.
        field: u16,
        /// The codec of the field.
        codec: &'static str,
    },
}

/// The knowledge of a [`Playout`] about the network and the world's clock. All times are in ticks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Timing {
    /// The tick of the world at this moment: that of a packet that would arrive now, if it were as
    /// fast as the fastest of late, and the time that it takes: half of a round trip without the
    /// sender's waiting, which is half a tick on average.
    pub tick: f64,
    /// How far the playout is behind the packets that could have arrived.
    pub delay: f64,
    /// By how much packets are later than the fastest of late, for 19 in 20.
    pub jitter: f64,
    /// The time from an acknowledgement to the first packet that builds on it. It includes the
    /// sender's waiting for its next tick, up to one tick. `None` before the first.
    pub round_trip: Option<f64>,
    /// The share of the last 64 packets that were lost or came late, from 0 to 1.
    pub loss: f64,
}

/// An entity on its way between two confirmed states: see [`Playout::between`].
#[derive(Clone, Copy, Debug)]
pub struct Between<'a> {
    /// The last confirmed state at or before the tick that is shown.
    pub from: Entity<'a>,
    /// The next one.
    pub to: Entity<'a>,
    /// The part of the way, from 0 to 1.
    pub part: f64,
}

/// Shows what a [`Receiver`] sees evenly: a little later than it arrives, so that packets may be
/// late, and with the values between the ticks of two updates.
///
/// Time is the caller's: the duration since any moment, the same for all calls. The playout runs as
/// fast as the world. Its delay covers how late 19 of 20 packets are, and how long nine of ten
/// entities that move wait for their next update. When that changes, the playout runs up to 10 %
/// faster or slower until the delay is right. It never guesses: without a next state, an entity stays
/// where it is.
///
/// ```
/// use core::time::Duration;
/// use gametape_delta::{
///     Codec, Component, Field, Playout, Receiver, Schema, Sender, Snapshot, Value, World,
/// };
///
/// let x = Codec::FixedPoint { min_q: 0, max_q: 10_000, scale: 100 };
/// let schema = Schema::new([Component::new(1, [Field::new(1, x)])])?;
/// let (mut world, mut sender) = (World::new(&schema), Sender::new(&schema));
/// let (mut receiver, mut playout) = (Receiver::new(&schema), Playout::new(&schema, 30));
/// let (mut state, mut packet) = (Snapshot::new(&schema, 0), Vec::new());
/// for tick in 1..=30 {
///     state.set_tick(tick);
///     state.entry(7).set(1, &[Value::FixedPoint(i64::from(tick) * 10)])?; // 0.10 a tick
///     world.update(&state)?;
///     sender.encode(&mut world, &mut packet)?;
///     let now = Duration::from_secs(tick.into()) / 30;
///     let received = receiver.apply(&packet)?;
///     playout.take(&receiver, &received, now);
///     // A picture half a tick later.
///     let view = playout.advance(now + Duration::from_secs(1) / 60);
///     if tick > 2 {
///         let x = view.entity(7).and_then(|entity| entity.value(1, 1));
///         assert_eq!(x, Some(Value::FixedPoint(i64::from(tick) * 10 - 5))); // a tick behind
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Playout {
    clock: Clock,
    frames: Frames,
    /// The blend of each field, by component.
    blends: Vec<Vec<Blend>>,
    view: Snapshot,
    /// The changes by the last picture.
    events: Vec<ViewEvent>,
    /// Whether some changes were not noted, because nobody has looked for long.
    is_behind: bool,
}

impl Playout {
    /// Creates a playout with default options.
    #[must_use]
    pub fn new(schema: &Schema, ticks_per_second: u32) -> Self {
        Self::with_options(schema, PlayoutOptions::new(ticks_per_second))
    }

    /// Creates a playout.
    #[must_use]
    pub fn with_options(schema: &Schema, options: PlayoutOptions) -> Self {
        let blends = schema.components().iter().map(|component| {
            let fields = component.fields.iter().map(|field| match field.codec {
                Codec::FixedPoint { .. } => Blend::Linear,
                _ => Blend::Hold,
            });
            fields.collect()
        });
        Self {
            clock: Clock::new(options),
            frames: Frames::new(schema),
            blends: blends.collect(),
            view: Snapshot::new(schema, 0),
            events: Vec::new(),
            is_behind: false,
        }
    }

    /// Sets the blend of a field. Only a field with unsigned integers can [turn](Blend::Turn).
    pub fn blend(&mut self, component: u16, field: u16, blend: Blend) -> Result<(), BlendError> {
        let schema = self.view.schema();
        let found = schema.component(component);
        let (index, definition) = found.ok_or(BlendError::UnknownComponent { component })?;
        let mut fields = definition.fields.iter().enumerate();
        let found = fields.find(|(_, other)| other.id == field);
        let (at, definition) = found.ok_or(BlendError::UnknownField { component, field })?;
        let codec = definition.codec;
        if blend == Blend::Turn && !matches!(codec, Codec::UInt { .. }) {
            let codec = codec.name();
            return Err(BlendError::NoTurn {
                component,
                field,
                codec,
            });
        }
        let slot = self.blends.get_mut(index);
        if let Some(slot) = slot.and_then(|fields| fields.get_mut(at)) {
            *slot = blend;
        }
        Ok(())
    }

    /// Takes what the last packet brought. Call it after each [`Receiver::apply`] that succeeds,
    /// with its result.
    pub fn take(&mut self, receiver: &Receiver, received: &Received, now: Duration) {
        if received.fresh {
            if self.clock.note(received, now) {
                self.frames.begin_again();
            }
            for gap in receiver.gaps() {
                self.clock.note_gap(*gap);
            }
        }
        let (named, events) = (receiver.named(), receiver.events());
        let is_whole = received.fresh && received.baseline.is_none();
        if named.is_empty() && events.is_empty() && !is_whole {
            return;
        }
        let longest = self.clock.gap();
        let mut frame = self.frames.take_spare(received.tick, longest);
        frame.whole = is_whole;
        for event in events {
            if let ViewEvent::Despawned { entity } = *event {
                frame.gone.push(entity);
            }
        }
        let view = receiver.view();
        for id in named {
            if let Ok(at) = view.rows.find(*id)
                && let Some(row) = view.rows.get(at)
            {
                frame.state.rows.push(row);
            }
        }
        self.is_behind |= self.frames.push(frame, &mut self.events);
    }

    /// Moves on to the moment `now`, and returns the view to draw: for each entity the values of
    /// the tick that is shown, between those that are confirmed before and after it. Its tick is
    /// that of the newest packet that is shown whole.
    pub fn advance(&mut self, now: Duration) -> &Snapshot {
        self.events.clear();
        if let Some(tick) = self.clock.advance(now) {
            self.frames.show_until(tick, &mut self.events);
        }
        if mem::take(&mut self.is_behind) {
            self.compare();
        }
        self.draw();
        &self.view
    }

    /// Notes how the view differs from the last picture.
    fn compare(&mut self) {
        self.events.clear();
        let base = &self.frames.base;
        let mut olds = Lane::new(self.view.rows.iter());
        let mut news = Lane::new(base.rows.iter());
        while let Some(id) = soonest([olds.next_id(), news.next_id()]) {
            let (old, new) = (olds.at(id), news.at(id));
            note(&mut self.events, base.schema(), old, new, false);
        }
    }

    fn draw(&mut self) {
        let base = &self.frames.base;
        self.view.clone_from(base);
        let Some(now) = self.clock.tick() else {
            return;
        };
        let layout = base.schema().layout();
        // The last one that writes is the one that comes next.
        for frame in self.frames.newest_first() {
            for row in frame.state.rows.iter() {
                let Ok(at) = base.rows.find(row.id) else {
                    continue;
                };
                let part = self.frames.part(at, frame, now);
                let to = self.view.rows.codes_mut(at);
                let from = base.rows.get(at).unwrap_or_default();
                if from.mask == row.mask {
                    blend(&self.blends, layout, from, row, part, to);
                }
            }
            let all = if frame.whole { base.ids() } else { &[] };
            for id in all.iter().chain(&frame.gone) {
                // It does not move towards one that comes after it.
                if let Ok(at) = base.rows.find(*id)
                    && frame.ends(*id)
                    && let Some(from) = base.rows.get(at)
                {
                    self.view.rows.codes_mut(at).copy_from_slice(from.codes);
                }
            }
        }
    }

    /// Returns the view of the last [`advance`](Self::advance).
    #[must_use]
    pub const fn view(&self) -> &Snapshot {
        &self.view
    }

    /// Returns the tick that the view shows, with its part; `None` before the first packet.
    #[must_use]
    pub fn tick(&self) -> Option<f64> {
        self.clock.tick()
    }

    /// Returns the changes that the last [`advance`](Self::advance) showed: those of the confirmed
    /// states, when their tick has come. Values in between are no events. After a pause in which more
    /// than 256 packets came, they are the differences from the picture before it.
    #[must_use]
    pub fn events(&self) -> &[ViewEvent] {
        &self.events
    }

    /// Returns the two confirmed states between which an entity is shown; `None` if it is not shown
    /// or the next one has not arrived. Use it for what [`Blend`] has no rule for, such as
    /// quaternions.
    #[must_use]
    pub fn between(&self, entity: u32) -> Option<Between<'_>> {
        let base = &self.frames.base;
        let at = base.rows.find(entity).ok()?;
        let next = self.frames.next_of(entity)?;
        Some(Between {
            from: base.entity(entity)?,
            to: next.state.entity(entity)?,
            part: self.frames.part(at, next, self.clock.tick()?),
        })
    }

    /// Returns what is known about the network at a moment; `None` before the first packet.
    #[must_use]
    pub fn timing(&self, now: Duration) -> Option<Timing> {
        let arriving = self.clock.arriving(now)?;
        let round_trip = self.clock.round_trip();
        Some(Timing {
            tick: arriving + (round_trip.unwrap_or(0.0) - 0.5).max(0.0) / 2.0,
            delay: self.clock.tick().map_or(0.0, |shown| arriving - shown),
            jitter: self.clock.jitter(),
            round_trip,
            loss: self.clock.loss(),
        })
    }
}

fn blend(
    blends: &[Vec<Blend>],
    layout: &Layout,
    from: Row<'_>,
    to: Row<'_>,
    part: f64,
    out: &mut [u64],
) {
    let plans = ones(from.mask).flat_map(|component| {
        let blends = blends.get(component).into_iter().flatten();
        blends.zip(layout.fields(component))
    });
    let codes = from.codes.iter().zip(to.codes).zip(out);
    for ((blend, plan), ((from, to), out)) in plans.zip(codes) {
        let way = i128::from(*to) - i128::from(*from);
        *out = match blend {
            Blend::Hold => *from,
            Blend::Linear => (i128::from(*from) + share(way, part)) as u64,
            Blend::Turn => {
                let turn = i128::from(plan.max) + 1;
                let way = (way + turn / 2).rem_euclid(turn) - turn / 2;
                (i128::from(*from) + share(way, part)).rem_euclid(turn) as u64
            }
        };
    }
}

/// Returns a part of a way, rounded. It is never longer than the way.
fn share(way: i128, part: f64) -> i128 {
    let share = way as f64 * part;
    let rounded = (if share < 0.0 {
        share - 0.5
    } else {
        share + 0.5
    }) as i128;
    rounded.clamp(way.min(0), way.max(0))
}

/// Options of a [`Playout`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayoutOptions {
    /// The ticks of the world in a second.
    pub ticks_per_second: u32,
    /// The smallest delay, in ticks.
    pub min_delay: u32,
    /// The largest delay, in ticks. If the playout is off by more, it jumps.
    pub max_delay: u32,
}

impl PlayoutOptions {
    /// Returns the defaults: a delay between 1 tick and half a second.
    #[must_use]
    pub const fn new(ticks_per_second: u32) -> Self {
        Self {
            ticks_per_second,
            min_delay: 1,
            max_delay: if ticks_per_second < 2 {
                1
            } else {
                ticks_per_second / 2
            },
        }
    }
}
