//! The members of teams and players, and of the response with their bones.

macro_rules! team_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "players": players(players), "Its players; left out where there are none.", group Players;
        "team": text(name), "Its name.", diff TeamName;
        "possession": flag(possession), "Whether it possesses the disc.", diff TeamPossession;
        "stats": stats(stats), "Sums over its players; spectators have none.", group Presence;
    } };
}
pub(crate) use team_members;

macro_rules! player_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "name": name(name, 1), "The name.", diff Name, column ("name" NAMES);
        "rhand": limb(rhand, 3, pos), "The right hand.", diff (HandPosition HandRotation), named "a hand";
        "playerid": whole(playerid), "The player's number within the match (`playerid`).",
            diff PlayerId, column ("player" PLAYERS key), range (0.0 to 255.0);
        "stats": stats(stats), "What the player has done; spectators may have none.", group Presence;
        "userid": account(userid), "The account.", diff UserId, column ("user_id" PLAYERS secret wide);
        "number": whole(number), "The number on the jersey; 0 for a couple of frames after joining.",
            diff Number, column ("number" NAMES), range (0.0 to 255.0);
        "level": whole(level), "The level; 0 for a couple of frames after joining.",
            diff Level, column ("level" NAMES), range (0.0 to 255.0);
        "stunned": flag(stunned), "Whether the player is stunned.", group PlayerFlags, column ("stunned" PLAYERS);
        "ping": whole(ping) in "ms", "The ping.", diff Ping, column ("ping" CONNECTION), range (0.0 to 10_000.0);
        "packetlossratio": number(packetlossratio), "The ratio of packets that were lost, 0 to 1.",
            diff PacketLoss, column ("packet_loss" CONNECTION), range (0.0 to 1.0);
        "invulnerable": flag(invulnerable), "Whether the player can't be stunned.",
            group PlayerFlags, column ("invulnerable" PLAYERS);
        "holding_left": hand(holding_left, 2),
            "What the left hand holds: `none`, `geo` for the level, `disc`, or a player's number.",
            group (Holding HoldingElsewhere), column ("holding_left" HOLDING);
        "possession": flag(possession), "Whether the player possesses the disc.",
            group PlayerFlags, column ("possession" PLAYERS);
        "head": limb(head, 0, position), "The head.", diff (HeadPosition HeadRotation), named "a head";
        "body": limb(body, 1, position), "The body.", diff (BodyPosition BodyRotation), named "a body";
        "holding_right": hand(holding_right, 3), "What the right hand holds.",
            group (Holding HoldingElsewhere), column ("holding_right" HOLDING);
        "lhand": limb(lhand, 2, pos), "The left hand.", diff (HandPosition HandRotation), named "a hand";
        "blocking": flag(blocking), "Whether the player blocks.", group PlayerFlags, column ("blocking" PLAYERS);
        "velocity": velocity(velocity) in "m/s", "The velocity",
            diff PlayerVelocity, column ("velocity" VELOCITY), named "a player";
        "is_emote_playing": raised(is_emote_playing), "Whether an emote is shown.",
            group PlayerFlags, column ("emote" PLAYERS);
        "Weapon": part(word loadout.weapon), "In combat: the weapon.",
            group (Loadout LoadoutElsewhere), column ("weapon" LOADOUT);
        "Ordnance": part(word loadout.ordnance), "In combat: the ordnance.",
            group (Loadout LoadoutElsewhere), column ("ordnance" LOADOUT);
        "TacMod": part(word loadout.tac_mod), "In combat: the tac-mod.",
            group (Loadout LoadoutElsewhere), column ("tac_mod" LOADOUT);
        "Arm": part(word loadout.arm), "In combat: the arm with the tac-mod.",
            group (Loadout LoadoutElsewhere), column ("arm" LOADOUT);
    } };
}
pub(crate) use player_members;

macro_rules! stats_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "possession_time": number(possession_time) in "s", "How long the player has possessed the disc.",
            diff PossessionTime, column ("possession_time" STATS);
        "points": whole(points), "Points.", diff Counts, column ("points" STATS);
        "saves": whole(saves), "Shots at the own goal stopped.", diff Counts, column ("saves" STATS);
        "goals": whole(goals), "Goals.", diff Counts, column ("goals" STATS);
        "stuns": whole(stuns), "Opponents stunned.", diff Counts, column ("stuns" STATS);
        "passes": whole(passes), "Passes.", diff Counts, column ("passes" STATS);
        "catches": whole(catches), "Passes caught.", diff Counts, column ("catches" STATS);
        "steals": whole(steals), "Discs taken from an opponent.", diff Counts, column ("steals" STATS);
        "blocks": whole(blocks), "Punches blocked.", diff Counts, column ("blocks" STATS);
        "interceptions": whole(interceptions), "Passes of the opponents caught.",
            diff Counts, column ("interceptions" STATS);
        "assists": whole(assists), "Assists.", diff Counts, column ("assists" STATS);
        "shots_taken": whole(shots_taken), "Shots at the goal.", diff Counts, column ("shots_taken" STATS);
    } };
}
pub(crate) use stats_members;

/// A head, body or hand: its position is one of two members.
macro_rules! limb_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "pos": pos(pos) in "m", "Where a hand is.", group HandPosition;
        "position": position(pose) in "m", "Where a head or a body is.", group (HeadPosition BodyPosition);
        "forward": vector(pose.forward), "The unit vector to where it looks.",
            group (HeadRotation BodyRotation HandRotation);
        "left": vector(pose.left), "The unit vector to its left.", group (HeadRotation BodyRotation HandRotation);
        "up": vector(pose.up), "The unit vector upwards from it.", group (HeadRotation BodyRotation HandRotation);
    } };
}
pub(crate) use limb_members;

macro_rules! bones_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "user_bones": skeletons(user_bones), "The skeletons of the players, in the order of the teams.",
            group BonePlayers;
    } };
}
pub(crate) use bones_members;

macro_rules! skeleton_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "bone_t": bones(positions) in "m", "Where the 23 bones are, local to the player.", group BonePosition;
        "bone_o": bones(rotations), "How they are turned: quaternions x, y, z, w.", group BoneRotation;
    } };
}
pub(crate) use skeleton_members;
