//! The rows: the members of each object of the API's responses.

macro_rules! session_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "disc": object(disc, Object::Disc), "The disc. Arena.", group (Presence DiscElsewhere);
        "orange_team_restart_request": bit(orange_team_restart_request), "Whether orange asks for a restart.",
            group RestartRequests, column ("orange_asks_restart");
        "sessionid": text(sessionid), "The id of the match: 32 hexadecimal digits in groups of 8-4-4-4-12.",
            group SessionId;
        "game_clock_display": text(game_clock_display), "The clock as the game shows it, `mm:ss.cc`.",
            diff ClockDisplay;
        "game_status": word(game_status),
            "What the match is doing: `playing`, `score`, `round_over` and so on; empty in a lobby.",
            diff Status, column ("status");
        "sessionip": address(sessionip), "The address of the game server.", diff SessionIp;
        "match_type": text(match_type), "The type of the match: `Echo_Arena`, `Echo_Combat` and so on.",
            diff MatchType;
        "map_name": word(map_name), "The map.", diff MapName;
        "right_shoulder_pressed2": number(inputs.right_shoulder2), "The right grip of the client.",
            group (Inputs AnalogueInputs), range (0.0 to 1.0);
        "teams": teams(teams), "Blue, orange, spectators.", group Teams;
        "blue_round_score": whole(blue_round_score), "Rounds that blue has won.",
            group RoundScores, column ("blue_rounds");
        "orange_points": points(orange_points), "Points of orange; in combat not whole.",
            group (Points CombatPoints PointsElsewhere), column ("orange_points");
        "player": playspace(player), "Where the client's playspace is.",
            diff (PlayspacePosition PlayspaceRotation), named "the playspace";
        "private_match": flag(private_match), "Whether the match is private.", diff PrivateMatch;
        "blue_team_restart_request": bit(blue_team_restart_request), "Whether blue asks for a restart.",
            group RestartRequests, column ("blue_asks_restart");
        "tournament_match": flag(tournament_match), "Whether the match is of a tournament.", diff TournamentMatch;
        "orange_round_score": whole(orange_round_score), "Rounds that orange has won.",
            group RoundScores, column ("orange_rounds");
        "total_round_count": whole(total_round_count), "Rounds of the match.", diff RoundCount;
        "left_shoulder_pressed2": number(inputs.left_shoulder2), "The left grip of the client.",
            group (Inputs AnalogueInputs), range (0.0 to 1.0);
        "left_shoulder_pressed": number(inputs.left_shoulder), "The left trigger of the client.",
            group (Inputs AnalogueInputs), range (0.0 to 1.0);
        "pause": object(pause, Object::Pause), "Pauses.", group Presence;
        "right_shoulder_pressed": number(inputs.right_shoulder), "The right trigger of the client.",
            group (Inputs AnalogueInputs), range (0.0 to 1.0);
        "blue_points": points(blue_points), "Points of blue; in combat not whole.",
            group (Points CombatPoints PointsElsewhere), column ("blue_points");
        "last_throw": object(last_throw, Object::LastThrow), "The last throw, as the game analyses it.",
            group Presence;
        "client_name": name(client_name, 2), "The name of the player at whose machine the API was asked.",
            diff ClientName;
        "game_clock": number(game_clock) in "s", "The game's clock.",
            diff GameClock, column ("clock"), named "the clock";
        "possession": pair(possession),
            "The team and the player, by their places, that possess the disc; −1 and −1 for none.",
            group Possession;
        "last_score": object(last_score, Object::LastScore), "The last goal. Arena.",
            group (Presence LastScoreElsewhere);
        "err_code": maybe_whole(err_code), "What went wrong, as a number; 0 where all is well.", group ApiError;
        "err_description": said(err_description), "What went wrong, in words.", group ApiError;
        "contested": part(flag payload.contested), "Whether both teams stand at it.",
            diff Contested, column ("contested");
        "payload_multiplier": part(number payload.payload_multiplier),
            "The factor of its speed for the number of attackers at it.", diff PayloadMultiplier, column ("multiplier");
        "payload_checkpoint": part(whole payload.payload_checkpoint), "Checkpoints that it passed.",
            diff PayloadCounts, column ("checkpoint");
        "payload_distance": part(number payload.payload_distance) in "m", "How far along its way it is.",
            diff PayloadDistance, column ("distance");
        "payload_defenders": part(whole payload.payload_defenders), "Defenders at it.",
            diff PayloadCounts, column ("defenders");
        "payload_speed": part(number payload.payload_speed) in "m/s", "Its speed.",
            diff PayloadSpeed, column ("speed");
        "rules_changed_by": maybe_name(rules_changed_by, 5), "Who changed the rules last. Private matches.",
            group (RulesChanged RulesElsewhere);
        "rules_changed_at": maybe_whole(rules_changed_at), "When, in the game's own count.",
            group (RulesChanged RulesElsewhere);
    } };
}
pub(crate) use session_members;

/// The playspace of the client: a pose with other names.
macro_rules! playspace_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "vr_left": vector(0.left), "The unit vector to its left.", group PlayspaceRotation;
        "vr_position": vector(0.position) in "m", "Where it is.", group PlayspacePosition;
        "vr_forward": vector(0.forward), "The unit vector to where it looks.", group PlayspaceRotation;
        "vr_up": vector(0.up), "The unit vector upwards from it.", group PlayspaceRotation;
    } };
}
pub(crate) use playspace_members;

macro_rules! disc_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "position": vector(pose.position) in "m", "Where it is.", group DiscPosition, named "the disc";
        "forward": vector(pose.forward), "The unit vector to where it looks.", group DiscRotation;
        "left": vector(pose.left), "The unit vector to its left.", group DiscRotation;
        "up": vector(pose.up), "The unit vector upwards from it.", group DiscRotation;
        "velocity": velocity(velocity) in "m/s", "The velocity",
            diff DiscVelocity, column ("velocity"), named "the disc";
        "bounce_count": whole(bounce_count), "Bounces since it was thrown.",
            diff BounceCount, column ("bounce_count");
    } };
}
pub(crate) use disc_members;

macro_rules! pause_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "paused_state": word(paused_state), "Whether it is paused: `unpaused`, `paused`, `unpausing` and so on.",
            diff PauseState, column ("paused");
        "unpaused_team": word(unpaused_team), "The team that ended the pause.", diff PauseTeams;
        "paused_requested_team": word(paused_requested_team), "The team that asked for the pause.",
            diff PauseTeams, column ("pause_requested_by");
        "unpaused_timer": number(unpaused_timer) in "s", "How long until play goes on.",
            diff PauseTimer, column ("unpaused_timer");
        "paused_timer": number(paused_timer) in "s", "How long it has been paused.",
            diff PauseTimer, column ("paused_timer");
    } };
}
pub(crate) use pause_members;

macro_rules! last_score_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "disc_speed": number(disc_speed) in "m/s", "The speed of the disc.", diff ScoreSpeed;
        "team": word(team), "Who scored.", diff ScoreTeam;
        "goal_type": word(goal_type), "How.", diff GoalType;
        "point_amount": whole(point_amount), "For how many points: 2 or 3.", group ScorePoints;
        "distance_thrown": number(distance_thrown) in "m", "How far it was thrown.", diff ScoreDistance;
        "person_scored": name(person_scored, 3), "The name of the scorer; `[INVALID]` for none.", diff Scorers;
        "assist_scored": name(assist_scored, 4), "The name of who assisted; `[INVALID]` for none.", diff Scorers;
    } };
}
pub(crate) use last_score_members;

macro_rules! last_throw_members {
    ($give:ident $($to:tt)*) => { $give! { $($to)*
        "arm_speed": number(arm_speed) in "m/s", "The speed of the arm.", diff Throw, column ("arm_speed"), named "last_throw";
        "total_speed": number(total_speed) in "m/s", "The speed of the throw.", diff Throw, column ("total_speed"), named "last_throw";
        "off_axis_spin_deg": number(off_axis_spin_deg) in "deg", "The spin beside the axis.",
            diff Throw, column ("off_axis_spin_deg"), named "last_throw";
        "wrist_throw_penalty": number(wrist_throw_penalty) in "m/s", "What that cost.",
            diff Throw, column ("wrist_throw_penalty"), named "last_throw";
        "rot_per_sec": number(rot_per_sec) in "1/s", "Turns a second.", diff Throw, column ("rot_per_sec"), named "last_throw";
        "pot_speed_from_rot": number(pot_speed_from_rot) in "m/s", "What the rotation might have given.",
            diff Throw, column ("pot_speed_from_rot"), named "last_throw";
        "speed_from_arm": number(speed_from_arm) in "m/s", "What the arm gave of it.",
            diff Throw, column ("speed_from_arm"), named "last_throw";
        "speed_from_movement": number(speed_from_movement) in "m/s", "What the movement gave of it.",
            diff Throw, column ("speed_from_movement"), named "last_throw";
        "speed_from_wrist": number(speed_from_wrist) in "m/s", "What the wrist gave of it.",
            diff Throw, column ("speed_from_wrist"), named "last_throw";
        "wrist_align_to_throw_deg": number(wrist_align_to_throw_deg) in "deg", "How the wrist stood to the throw.",
            diff Throw, column ("wrist_align_to_throw_deg"), named "last_throw";
        "throw_align_to_movement_deg": number(throw_align_to_movement_deg) in "deg",
            "How the throw stood to the movement.", diff Throw, column ("throw_align_to_movement_deg"), named "last_throw";
        "off_axis_penalty": number(off_axis_penalty) in "m/s", "What that cost.",
            diff Throw, column ("off_axis_penalty"), named "last_throw";
        "throw_move_penalty": number(throw_move_penalty) in "m/s", "What that cost.",
            diff Throw, column ("throw_move_penalty"), named "last_throw";
    } };
}
pub(crate) use last_throw_members;

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
