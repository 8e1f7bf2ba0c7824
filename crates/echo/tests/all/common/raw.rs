//! .butter files put together by hand: these types define what a frame stores and what it leaves out,
//! without the library's writers.

/// A player; `None` is left out.
#[derive(Clone, Default)]
pub struct Player {
    /// 1 + the index in the header; 0 for a player whose name the header lacks.
    pub index: u8,
    pub playerid: u8,
    /// Points, or their difference.
    pub points: Option<u8>,
    pub ping: Option<i16>,
    pub velocity: Option<[f32; 3]>,
    /// Head, body, left hand, right hand: differences of positions, and rotations.
    pub poses: [(Option<[f32; 3]>, Option<u32>); 4],
}

impl Player {
    /// A player who was not there before: everything is stored, and all four poses are the same.
    pub fn new(index: u8, playerid: u8, position: [f32; 3], rotation: u32) -> Self {
        Self {
            index,
            playerid,
            points: None,
            ping: Some(40),
            velocity: None,
            poses: [(Some(position), Some(rotation)); 4],
        }
    }

    /// A player for whom nothing is stored.
    pub fn silent(index: u8, playerid: u8) -> Self {
        Self {
            index,
            playerid,
            ..Self::default()
        }
    }

    /// A player who moves: all four poses by the same difference.
    pub fn moved(index: u8, playerid: u8, by: [f32; 3]) -> Self {
        Self {
            poses: [(Some(by), None); 4],
            ..Self::silent(index, playerid)
        }
    }
}

/// A frame of version 3, of a public arena match; `None` is left out.
#[derive(Clone, Default)]
pub struct Frame {
    pub keyframe: bool,
    /// Flags, state, and the changes of `paused_timer` and `unpaused_timer`.
    pub pause: Option<(u8, u8, [f32; 2])>,
    /// Of the blue team: points and seconds of possession, or their differences.
    pub stats: Option<(u8, f32)>,
    /// Of the blue team.
    pub players: Vec<Player>,
    pub spectators: Vec<Player>,
}

/// Milliseconds between frames.
const STEP: u16 = 33;

/// Nothing but points and possession.
fn stats(points: u8, possession: f32, out: &mut Vec<u8>) {
    out.extend_from_slice(&[0, 0, 0, 0, 0, 0, points, 0, 0, 0]);
    out.extend(half(possession));
    out.extend_from_slice(&[0, 0]);
}

impl Player {
    fn write(&self, out: &mut Vec<u8>) {
        let state = u8::from(self.points.is_some()) << 5
            | u8::from(self.ping.is_some()) << 6
            | u8::from(self.velocity.is_some()) << 7;
        out.extend_from_slice(&[self.index, self.playerid, state]);
        if let Some(points) = self.points {
            stats(points, 0.0, out);
        }
        if let Some(ping) = self.ping {
            out.extend_from_slice(&ping.to_le_bytes());
            // No loss; both hands hold nothing.
            out.extend_from_slice(&[0, 0, 255, 255]);
        }
        out.extend(self.velocity.iter().flatten().flat_map(|v| half(*v)));
        let bits = self.poses.iter().enumerate().map(|(at, (moved, turned))| {
            (u8::from(moved.is_some()) | u8::from(turned.is_some()) << 1) << (2 * at)
        });
        out.push(bits.sum());
        for (moved, turned) in &self.poses {
            out.extend(moved.iter().flatten().flat_map(|v| half(*v)));
            out.extend(turned.iter().flat_map(|code| code.to_le_bytes()));
        }
    }
}

impl Frame {
    fn write(&self, time: i64, out: &mut Vec<u8>) {
        if self.keyframe {
            out.extend_from_slice(&[0xFC, 0xFE]);
            out.extend_from_slice(&time.to_le_bytes());
        } else {
            out.extend_from_slice(&[0xFE, 0xFE]);
            out.extend_from_slice(&STEP.to_le_bytes());
        }
        // The clock stands still.
        out.extend_from_slice(&[0; 4]);
        out.push(u8::from(self.pause.is_some()) << 1);
        if let Some((flags, state, timers)) = self.pause {
            out.extend_from_slice(&[flags, state]);
            out.extend(timers.iter().flat_map(|v| half(*v)));
        }
        // No possession; nothing of the orange team, and no bones.
        out.push(u8::from(self.stats.is_some()) << 2);
        if let Some((points, possession)) = self.stats {
            stats(points, possession, out);
        }
        out.push(self.players.len() as u8);
        for player in &self.players {
            player.write(out);
        }
        out.extend_from_slice(&[0, self.spectators.len() as u8]);
        for player in &self.spectators {
            player.write(out);
        }
        out.push(0);
    }
}

/// A number that a half holds exactly.
#[allow(clippy::verbose_bit_mask)] // The mask is what a half has no room for.
fn half(value: f32) -> [u8; 2] {
    let bits = value.to_bits();
    if value == 0.0 {
        return [0; 2];
    }
    let exponent = (bits >> 23 & 0xFF) as i32 - 127;
    assert!(
        (-14..=15).contains(&exponent) && bits & 0x1FFF == 0,
        "{value} is not exact"
    );
    let half = (bits >> 31) << 15 | ((exponent + 15) as u32) << 10 | bits >> 13 & 0x3FF;
    (half as u16).to_le_bytes()
}

/// A header, the table of chunks, and the chunks.
fn chunked(header: Vec<u8>, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = header;
    file.extend_from_slice(&(chunks.len() as u32).to_le_bytes());
    for chunk in chunks {
        file.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
    }
    file.extend(chunks.concat());
    file
}

/// A file of these chunks. Its players have the user ids 1001, 1002, …
pub fn file(players: u8, chunks: &[Vec<Frame>]) -> Vec<u8> {
    let mut file = vec![3, 44, 1, 0];
    file.extend_from_slice(b"client\0");
    file.extend_from_slice(&[0x11; 16]);
    file.extend_from_slice(&[10, 0, 0, 7]);
    file.push(players);
    for player in 1..=players {
        file.extend_from_slice(format!("player {player}\0").as_bytes());
    }
    for player in 1..=players {
        file.extend_from_slice(&(1000 + i64::from(player)).to_le_bytes());
    }
    // Numbers and levels; rounds and their scores; arena, public.
    file.extend((1..=players).chain(std::iter::repeat_n(50, players.into())));
    file.extend_from_slice(&[3, 0, 2 << 1]);
    let mut time = 1_641_092_400_000;
    let chunks: Vec<Vec<u8>> = chunks
        .iter()
        .map(|frames| {
            let mut out = Vec::new();
            for frame in frames {
                frame.write(time, &mut out);
                time += i64::from(STEP);
            }
            out
        })
        .collect();
    chunked(file, &chunks)
}
