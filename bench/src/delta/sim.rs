//! The replicated world: bodies that move as in a game, with the schema of the origin's demo.

/// The limits of position and velocity in quantised units, 100 per metre.
pub const POSITION: i32 = 100_000;
pub const VELOCITY: i32 = 10_000;
pub const SCALE: u32 = 100;
pub const YAW_BITS: u8 = 12;

/// The number of ticks per second.
const RATE: i32 = 20;

#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    Debug,
    bincode::Encode,
    bincode::Decode,
    bitcode::Encode,
    bitcode::Decode,
)]
pub struct Body {
    pub id: u32,
    pub position: [i32; 3],
    pub velocity: [i32; 3],
    pub yaw: u16,
    pub flags: [bool; 3],
}

/// The bodies that move in a tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    All,
    /// This percentage, randomly chosen in every tick.
    Percent(u64),
}

pub struct World {
    pub tick: u32,
    /// In ascending order of ids.
    pub bodies: Vec<Body>,
    motion: Motion,
    random: Random,
}

impl World {
    pub fn new(count: u32, motion: Motion) -> Self {
        let mut random = Random(u64::from(count) + 1);
        let bodies = (1..=count)
            .map(|id| Body {
                id,
                position: core::array::from_fn(|_| random.within(POSITION)),
                velocity: core::array::from_fn(|_| random.speed()),
                yaw: random.below(1 << YAW_BITS) as u16,
                flags: core::array::from_fn(|_| random.below(2) == 0),
            })
            .collect();
        Self {
            tick: 1,
            bodies,
            motion,
            random,
        }
    }

    /// Advances by one tick. Every moving body changes its position on all axes and its yaw; few
    /// bodies steer, and flags are rare.
    pub fn step(&mut self) {
        self.tick += 1;
        let random = &mut self.random;
        for body in &mut self.bodies {
            if let Motion::Percent(share) = self.motion
                && random.below(100) >= share
            {
                continue;
            }
            for (place, speed) in body.position.iter_mut().zip(&mut body.velocity) {
                let next = *place + *speed / RATE;
                if next.abs() > POSITION {
                    *speed = -*speed;
                }
                *place = next.clamp(-POSITION, POSITION);
            }
            if random.below(100) < 3 {
                body.velocity = core::array::from_fn(|_| random.speed());
            }
            let turn = 1 + random.below(64) as u16;
            body.yaw = (body.yaw + turn) % (1 << YAW_BITS);
            if random.below(200) == 0 {
                let flag = &mut body.flags[random.below(3) as usize];
                *flag = !*flag;
            }
        }
    }
}

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn within(&mut self, bound: i32) -> i32 {
        self.below(2 * bound as u64 + 1) as i32 - bound
    }

    /// Fast enough for the position to change in every tick, slow enough to stay within the limits.
    fn speed(&mut self) -> i32 {
        let speed = RATE + self.below((VELOCITY - RATE) as u64) as i32;
        if self.below(2) == 0 { speed } else { -speed }
    }
}
