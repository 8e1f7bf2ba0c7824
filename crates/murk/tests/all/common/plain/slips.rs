//! All mistakes that can be made once when a log is recorded, tried one by one in the second
//! simulator.

use gametape_murk::{CommandBuf, Envelope, Payload, Simulation, Writer, snapshot_hash};

use super::changes::Change;
use super::{Plain, World};

/// The commands of each tick, one by one.
pub type Log = Vec<Vec<CommandBuf>>;

/// The most ticks that a command may have been late or early, and the most ticks that may be
/// missing.
pub const FAR: usize = 8;

/// A mistake, with frames and commands by number.
#[derive(Clone, PartialEq, Debug)]
pub enum Wrong {
    Drop(usize, usize),
    /// Taken again, at the end of a tick.
    Double(usize, usize, usize),
    /// Taken in another tick, before or after the others there.
    Move(usize, usize, usize, bool),
    Swap(usize, usize, usize),
    /// The last command of a tick and the first of the next one.
    SwapTicks(usize),
    /// Only this many commands of a tick are taken.
    Cut(usize, usize),
    /// The field that is written, and the cell by its number.
    Aim(usize, usize, u32, usize),
    /// The bits of the value that is written.
    Give(usize, usize, u32),
    /// This many ticks were not recorded, before a frame.
    Missing(usize, usize),
    /// The frame is recorded twice.
    Repeated(usize),
    /// The frame and the next one are swapped.
    Exchanged(usize),
    /// Another world from a frame on.
    World(usize, Change),
    /// The bits of a stored hash.
    Hash(usize, u64),
    /// A value of a field has other bits after a tick: from there on, or in the hash alone.
    Value(usize, u32, usize, u32, bool),
}

impl Wrong {
    /// Returns the frames whose commands it changes, or before which something is inserted.
    fn frames(&self) -> std::ops::Range<usize> {
        match *self {
            Self::Drop(frame, _)
            | Self::Double(_, _, frame)
            | Self::Swap(frame, ..)
            | Self::Cut(frame, _)
            | Self::Aim(frame, ..)
            | Self::Give(frame, ..)
            | Self::Repeated(frame)
            | Self::Hash(frame, _)
            | Self::Value(frame, ..) => frame..frame + 1,
            Self::Move(frame, _, to, _) => frame.min(to)..frame.max(to) + 1,
            Self::SwapTicks(frame) | Self::Exchanged(frame) => frame..frame + 2,
            Self::Missing(frame, _) | Self::World(frame, _) => frame..frame,
        }
    }

    /// Returns the command without an effect of its own, if dropping that command explains as much.
    pub fn may_be_in_vain(&self) -> Option<(usize, usize)> {
        match *self {
            Self::Aim(frame, command, ..) | Self::Give(frame, command, _) => Some((frame, command)),
            Self::Move(frame, command, to, _) if frame.abs_diff(to) > 1 => Some((frame, command)),
            _ => None,
        }
    }

    /// The mistakes that any other one can look like count as an explanation only if nothing else
    /// explains as much.
    pub fn freedom(&self) -> u32 {
        match self {
            Self::Value(..) => 1,
            Self::Hash(_, bits) if bits.count_ones() > 1 => 2,
            _ => 0,
        }
    }

    /// Returns true if both are reported in the same words: before or after the others of a tick,
    /// for a tick or for good, seen now or some ticks later.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Move(frame, command, to, _), Self::Move(at, number, into, _)) => {
                (frame, command, to) == (at, number, into)
            }
            (Self::World(_, one), Self::World(_, other)) => one.world == other.world,
            (Self::Value(frame, field, element, bits, _), Self::Value(at, of, cell, value, _)) => {
                (frame, field, element, bits) == (at, of, cell, value)
            }
            _ => self == other,
        }
    }

    /// Applies it to a log; `None` if that is not possible.
    pub fn edit(&self, log: &mut Log, world: &World) -> Option<()> {
        match *self {
            Self::Drop(frame, command) => drop(log.get_mut(frame)?.remove(command)),
            Self::Double(frame, command, into) => {
                let again = log.get(frame)?.get(command)?.clone();
                log.get_mut(into)?.push(again);
            }
            Self::Move(frame, command, to, first) => {
                log.get(to)?;
                let moved = log.get_mut(frame)?.remove(command);
                let place = if first { 0 } else { log[to].len() };
                log[to].insert(place, moved);
            }
            Self::Swap(frame, one, other) => log.get_mut(frame)?.swap(one, other),
            Self::SwapTicks(frame) => {
                log.get(frame + 1)?.first()?;
                let one = log[frame].pop()?;
                let other = std::mem::replace(&mut log[frame + 1][0], one);
                log[frame].push(other);
            }
            Self::Cut(frame, taken) => log.get_mut(frame)?.truncate(taken),
            Self::Aim(frame, at, field, cell) => {
                let coord = &world.space.cells()[cell];
                let one = log.get_mut(frame)?.get_mut(at)?;
                *one = changed(one, Some((field, coord)), None)?;
            }
            Self::Give(frame, at, bits) => {
                let one = log.get_mut(frame)?.get_mut(at)?;
                *one = changed(one, None, Some(f32::from_bits(bits)))?;
            }
            _ => {}
        }
        Some(())
    }

    /// Applies it to the ticks.
    fn order(&self, ticks: &mut Vec<Tick>) -> Option<()> {
        match *self {
            Self::Missing(frame, count) => {
                ticks.splice(frame..frame, vec![Tick::default(); count]);
            }
            Self::Repeated(frame) => drop(ticks.remove(frame)),
            Self::Exchanged(frame) if frame + 1 >= ticks.len() => return None,
            Self::Exchanged(frame) => ticks.swap(frame, frame + 1),
            _ => {}
        }
        Some(())
    }
}

/// Returns a command that sets another cell or another value; `None` for a command of another kind.
fn changed(one: &CommandBuf, aim: Option<(u32, &[i32])>, given: Option<f32>) -> Option<CommandBuf> {
    let command = one.as_commands().iter().next()?;
    let Ok(Payload::SetField {
        coord,
        field,
        value,
    }) = command.payload()
    else {
        return None;
    };
    let (field, coord) = aim.map_or((field, coord), |(field, coord)| (field, coord.into()));
    let value = given.unwrap_or(value);
    let payload = Payload::SetField {
        coord,
        field,
        value,
    };
    Some(single(&command.envelope, &payload))
}

/// Returns a single command.
pub fn single(envelope: &Envelope, payload: &Payload<'_>) -> CommandBuf {
    let mut one = CommandBuf::new();
    one.push(envelope, payload).unwrap();
    one
}

/// Returns the commands of each tick, one by one.
pub fn apart(log: &[CommandBuf]) -> Log {
    let one = |command| {
        let mut one = CommandBuf::new();
        one.push_stored(&command).unwrap();
        one
    };
    log.iter()
        .map(|commands| commands.as_commands().iter().map(one).collect())
        .collect()
}

fn together(commands: &[CommandBuf]) -> CommandBuf {
    let mut all = CommandBuf::new();
    for one in commands {
        for command in one.as_commands() {
            all.push_stored(&command).unwrap();
        }
    }
    all
}

/// A tick that was made, and the frame in which it is recorded.
#[derive(Clone, Default)]
struct Tick {
    commands: Vec<CommandBuf>,
    of: Option<usize>,
}

/// Returns the ticks that were made, from the first one on.
fn ticks(world: &World, log: &Log, wrongs: &[Wrong]) -> Option<Vec<Tick>> {
    let mut log = log.clone();
    for wrong in wrongs {
        wrong.edit(&mut log, world)?;
    }
    let each = (0..).zip(log);
    let mut ticks: Vec<Tick> = each
        .map(|(frame, commands)| Tick {
            commands,
            of: Some(frame),
        })
        .collect();
    for wrong in wrongs {
        wrong.order(&mut ticks)?;
    }
    Some(ticks)
}

impl Plain {
    fn hash(&self) -> u64 {
        snapshot_hash(self.fields.iter().map(|field| field.values.as_slice()))
    }

    fn bits(&self, field: u32, element: usize) -> u32 {
        self.fields[field as usize].get(element).to_bits()
    }

    fn put(&mut self, field: u32, element: usize, bits: u32) {
        self.fields[field as usize].values[element] = f32::from_bits(bits);
    }

    /// Makes ticks with these mistakes. `each` gets each frame's hash and state, and ends the run
    /// by returning false.
    fn run(
        mut self,
        ticks: &[Tick],
        wrongs: &[Wrong],
        mut each: impl FnMut(usize, u64, &Self) -> bool,
    ) {
        for tick in ticks {
            for wrong in wrongs {
                match wrong {
                    Wrong::World(from, change) if tick.of == Some(*from) => {
                        self.world.clone_from(&change.world);
                    }
                    _ => {}
                }
            }
            let commands = together(&tick.commands);
            self.step(0, commands.as_commands()).unwrap();
            let Some(frame) = tick.of else { continue };
            let mut back = Vec::new();
            let mut mask = 0;
            for wrong in wrongs {
                match *wrong {
                    Wrong::Hash(at, bits) if at == frame => mask = bits,
                    Wrong::Value(at, field, element, bits, lasts) if at == frame => {
                        if !lasts {
                            back.push((field, element, self.bits(field, element)));
                        }
                        self.put(field, element, bits);
                    }
                    _ => {}
                }
            }
            let hash = self.hash() ^ mask;
            if !each(frame, hash, &self) {
                return;
            }
            for (field, element, bits) in back {
                self.put(field, element, bits);
            }
        }
    }
}

/// A recording with a mistake, and everything that is known about it.
pub struct Case {
    pub world: World,
    pub log: Log,
    /// The recorded hashes, with the fields if a hash belongs to a state.
    pub hashes: Vec<u64>,
    truth: Vec<Plain>,
    /// The replay of the unchanged log: before the first frame, and after each.
    base: Vec<Plain>,
    /// The first frame at which they differ.
    pub at: usize,
}

impl Case {
    /// Records a log with these mistakes; `None` if they are not possible or have no effect.
    pub fn new(world: World, log: Log, wrongs: &[Wrong]) -> Option<Self> {
        let mut recorded: Vec<Option<(u64, Plain)>> = vec![None; log.len()];
        let ticks = ticks(&world, &log, wrongs)?;
        world.start().run(&ticks, wrongs, |frame, hash, state| {
            recorded[frame] = Some((hash, state.clone()));
            true
        });
        for wrong in wrongs {
            if let &Wrong::Repeated(frame) = wrong {
                let before = recorded[frame - 1].clone();
                recorded[frame] = before;
            }
        }
        let (hashes, truth): (Vec<u64>, Vec<Plain>) = recorded.into_iter().flatten().unzip();
        let mut base = vec![world.start()];
        for commands in &log {
            let mut next = base[base.len() - 1].clone();
            next.step(0, together(commands).as_commands()).unwrap();
            base.push(next);
        }
        let at = (0..log.len()).find(|&frame| hashes[frame] != base[frame + 1].hash())?;
        Some(Self {
            world,
            log,
            hashes,
            truth,
            base,
            at,
        })
    }

    /// Returns the recording as a file.
    pub fn bytes(&self) -> Vec<u8> {
        let header = self.world.engine().header();
        let mut writer = Writer::new(Vec::new(), &header).unwrap();
        for (tick, (commands, hash)) in (1..).zip(self.log.iter().zip(&self.hashes)) {
            let commands = together(commands);
            writer.push(tick, commands.as_commands(), *hash).unwrap();
        }
        writer.finish().unwrap()
    }

    /// Returns the number of recorded hashes that a mistake explains, from the first that the log
    /// does not explain. All hashes of changed frames, and all before, must match.
    pub fn explains(&self, wrong: &Wrong) -> usize {
        let (at, len) = (self.at, self.log.len());
        let frames = wrong.frames();
        if frames.start > at || frames.end > len {
            return 0;
        }
        match wrong {
            Wrong::Repeated(frame) if self.is_repeated(*frame) => {}
            Wrong::Repeated(_) => return 0,
            // Damage to many bits explains the hash only if everything after it matches.
            Wrong::Hash(..) if wrong.freedom() > 0 && !self.is_right(at + 1) => return 0,
            _ => {}
        }
        let wrongs = std::slice::from_ref(wrong);
        let Some(ticks) = ticks(&self.world, &self.log, wrongs) else {
            return 0;
        };
        let mut explained = len - at;
        let before = self.base[frames.start].clone();
        before.run(&ticks[frames.start..], wrongs, |frame, hash, _| {
            let agrees = hash == self.hashes[frame];
            if !agrees {
                let known = frame >= at && frame >= frames.end;
                explained = if known { frame - at } else { 0 };
            }
            agrees
        });
        explained
    }

    /// Returns true if the replay of the unchanged log has the recorded hash.
    fn is_right(&self, frame: usize) -> bool {
        let recorded = self.hashes.get(frame);
        recorded.is_some_and(|hash| *hash == self.base[frame + 1].hash())
    }

    /// Returns true if a frame has the same content as the one before it.
    fn is_repeated(&self, frame: usize) -> bool {
        frame > 0
            && self.log[frame] == self.log[frame - 1]
            && self.hashes[frame] == self.hashes[frame - 1]
    }

    /// Returns every single mistake that is possible.
    pub fn every(&self) -> Vec<Wrong> {
        let mut all = Vec::new();
        for frame in 0..self.log.len() {
            for command in 0..self.log[frame].len() {
                self.of_command(frame, command, &mut all);
            }
            all.push(Wrong::SwapTicks(frame));
            all.extend((1..=FAR).map(|ticks| Wrong::Missing(frame, ticks)));
            all.push(Wrong::Repeated(frame));
            all.push(Wrong::Exchanged(frame));
        }
        let at = self.at;
        let changes = self.world.changes(self.log[at].len());
        all.extend(changes.into_iter().map(|change| Wrong::World(at, change)));
        all.push(Wrong::Hash(at, self.base[at + 1].hash() ^ self.hashes[at]));
        all.extend(self.value());
        all
    }

    fn of_command(&self, frame: usize, command: usize, all: &mut Vec<Wrong>) {
        let count = self.log[frame].len();
        all.push(Wrong::Drop(frame, command));
        for into in frame.saturating_sub(FAR)..(frame + FAR + 1).min(self.log.len()) {
            if into.abs_diff(frame) < 2 {
                all.push(Wrong::Double(frame, command, into));
            }
            if into != frame {
                all.extend([true, false].map(|first| Wrong::Move(frame, command, into, first)));
            }
        }
        all.extend((command + 1..count).map(|with| Wrong::Swap(frame, command, with)));
        if command + 1 < count {
            all.push(Wrong::Cut(frame, command));
        }
        let stored = self.log[frame][command].as_commands().iter().next();
        let stored = stored.unwrap();
        if !matches!(stored.payload(), Ok(Payload::SetField { .. })) {
            return;
        }
        let cells = self.world.space.cells().len();
        for field in (0..self.world.fields.len()).filter(|&field| self.world.can_set(field)) {
            let aim = |cell| Wrong::Aim(frame, command, field as u32, cell);
            all.extend((0..cells).map(aim));
        }
        // The recorded value is the only one that can have been given.
        if let Some((field, element, _)) = self.base[0].aim(&stored) {
            let bits = self.truth[frame].bits(field as u32, element);
            all.push(Wrong::Give(frame, command, bits));
        }
    }

    /// Returns the value that changed by itself, if it is a single one.
    fn value(&self) -> Vec<Wrong> {
        let at = self.at;
        let (mine, theirs) = (&self.base[at + 1], &self.truth[at]);
        let mut differ = (0..self.world.fields.len() as u32).flat_map(|field| {
            (0..mine.fields[field as usize].values.len())
                .filter(move |&element| mine.bits(field, element) != theirs.bits(field, element))
                .map(move |element| (field, element))
        });
        match (differ.next(), differ.next()) {
            (Some((field, element)), None) => [true, false]
                .map(|lasts| Wrong::Value(at, field, element, theirs.bits(field, element), lasts))
                .to_vec(),
            _ => Vec::new(),
        }
    }
}
