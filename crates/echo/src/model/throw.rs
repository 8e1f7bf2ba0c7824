//! The last throw, as the game analyses it.

macro_rules! throw {
    ($($(#[$doc:meta])* $member:ident;)*) => {
        /// The last throw, as the game analyses it.
        #[derive(Clone, Copy, PartialEq, Debug, Default)]
        pub struct LastThrow {
            $($(#[$doc])* pub $member: f32,)*
        }

        /// Names of the members of [`LastThrow`], in the order of [`LastThrow::to_array`].
        pub const THROW_MEMBERS: [&str; 13] = [$(stringify!($member),)*];

        impl LastThrow {
            /// Its members in the order of .butter.
            #[must_use]
            pub const fn to_array(self) -> [f32; 13] {
                [$(self.$member,)*]
            }

            /// From its members in the order of .butter.
            #[must_use]
            pub const fn from_array(members: [f32; 13]) -> Self {
                let [$($member,)*] = members;
                Self { $($member,)* }
            }
        }
    };
}

throw! {
    /// m/s
    arm_speed;
    /// m/s
    total_speed;
    /// Degrees.
    off_axis_spin_deg;
    /// m/s lost.
    wrist_throw_penalty;
    /// Turns a second.
    rot_per_sec;
    /// m/s
    pot_speed_from_rot;
    /// m/s
    speed_from_arm;
    /// m/s
    speed_from_movement;
    /// m/s
    speed_from_wrist;
    /// Degrees.
    wrist_align_to_throw_deg;
    /// Degrees.
    throw_align_to_movement_deg;
    /// m/s lost.
    off_axis_penalty;
    /// m/s lost.
    throw_move_penalty;
}
