//! Slips compared with the second simulator. It records a log with one mistake, and decides by
//! brute force over all single slips which of them explain the recording.

use std::collections::BTreeMap;

use gametape_murk::{CommandAt, CommandBuf, Envelope, Explanation, Slip};
use gametape_testkit::cases::on_all_cores;

use crate::common::plain::changes::What;
use crate::common::plain::slips::{Case, FAR, Log, Wrong, apart, single};
use crate::common::plain::{Lasts, Rule, World, generate};
use crate::common::runs::{LIMIT, explained};
use crate::common::{Noise, set};

/// The number of recordings that each test makes.
const ROUNDS: usize = 480;

/// The number of frames of a log.
const TICKS: usize = 10;

/// Returns a log with competing commands; some ticks have none, and some occur twice.
fn log(world: &World, noise: &mut Noise) -> Log {
    let mut log = apart(&generate::log(world, noise.next(), TICKS as u64));
    let quiet = noise.below(4);
    for frame in 0..TICKS {
        if noise.below(5) < quiet {
            log[frame].clear();
        } else {
            log[frame].truncate(noise.below(4));
            let plain = (0..noise.below(4)).map(|_| plain_set(world, noise));
            log[frame].extend(plain.collect::<Vec<_>>());
        }
        if frame > 0 && noise.below(6) == 0 {
            let before = log[frame - 1].clone();
            log[frame] = before;
        }
    }
    log
}

/// Returns a command that competes only with others like it.
fn plain_set(world: &World, noise: &mut Noise) -> CommandBuf {
    let fields: Vec<usize> = (0..world.fields.len())
        .filter(|&field| world.can_set(field))
        .collect();
    let free: Vec<usize> = (fields.iter().copied())
        .filter(|&field| world.rules.iter().all(|rule| rule.output() != field))
        .collect();
    let fields = if free.is_empty() { fields } else { free };
    let field = fields[noise.below(fields.len())];
    let coord = &world.space.cells()[noise.below(2)];
    let value = 1.0 + noise.below(6) as f32 * 0.5;
    single(&Envelope::default(), &set(coord, field as u32, value))
}

/// Returns a world of any kind; one in three is at rest without commands.
fn world(noise: &mut Noise) -> World {
    let mut world = generate::world(noise.next());
    if noise.below(3) == 0 {
        world.rules.retain(|rule| matches!(rule, Rule::Copy { .. }));
    }
    if world.rules.is_empty() {
        world.rules.push(Rule::Copy {
            field: world.fields.len(),
        });
        world.fields.push((Lasts::OneTick, 1));
    }
    world
}

/// Returns a mistake of a kind: at the first frame, the last, or any between.
fn some_wrong(noise: &mut Noise, kind: usize, world: &World, log: &Log) -> Option<Wrong> {
    let frame = match noise.below(4) {
        0 => 0,
        1 => log.len() - 1,
        _ => noise.below(log.len()),
    };
    let count = log[frame].len();
    if count == 0 && kind < 8 {
        return None;
    }
    let command = noise.below(count.max(1));
    let by = |noise: &mut Noise, most: usize| {
        let by = 1 + noise.below(most);
        let to = if noise.below(2) == 0 {
            frame.checked_sub(by)
        } else {
            Some(frame + by)
        };
        to.filter(|to| *to < log.len())
    };
    Some(match kind {
        0 => Wrong::Drop(frame, command),
        1 if noise.below(2) == 0 => Wrong::Double(frame, command, frame),
        1 => Wrong::Double(frame, command, by(noise, 1)?),
        2 => Wrong::Move(frame, command, by(noise, 1)?, noise.below(2) == 0),
        3 => Wrong::Move(frame, command, by(noise, FAR)?, noise.below(2) == 0),
        4 if command + 1 < count => Wrong::Swap(
            frame,
            command,
            command + 1 + noise.below(count - command - 1),
        ),
        5 if command + 1 < count => Wrong::Cut(frame, command),
        6 => {
            let field = some_field(noise, world);
            let cell = noise.below(world.space.cells().len());
            Wrong::Aim(frame, command, field as u32, cell)
        }
        7 => Wrong::Give(frame, command, (noise.below(1000) as f32 / 7.0).to_bits()),
        8 => Wrong::SwapTicks(frame),
        9 => Wrong::Hash(frame, 1 << noise.below(64)),
        10 => Wrong::Hash(frame, noise.next()),
        11 => Wrong::Missing(frame, 1 + noise.below(3)),
        12 if frame > 0 && log[frame] == log[frame - 1] => Wrong::Repeated(frame),
        13 => Wrong::Exchanged(frame),
        14 => {
            let mut changes = world.changes(count);
            let which = noise.below(changes.len());
            Wrong::World(frame, changes.swap_remove(which))
        }
        15 => {
            let field = some_field(noise, world);
            let (_, components) = world.fields[field];
            let element = noise.below(world.space.cells().len() * components);
            let bits = (noise.below(1000) as f32 / 7.0).to_bits();
            Wrong::Value(frame, field as u32, element, bits, noise.below(2) == 0)
        }
        _ => return None,
    })
}

/// Returns a field whose values can differ from 0.
fn some_field(noise: &mut Noise, world: &World) -> usize {
    let mut fields = (0..world.fields.len()).filter(|&field| world.can_set(field));
    let which = noise.below(fields.clone().count());
    fields.nth(which).unwrap()
}

/// The number of kinds of mistakes.
const KINDS: usize = 16;

/// Returns the engine's explanation of a recording.
fn found(case: &Case) -> Explanation {
    let (divergence, found) = explained(&case.world.engine(), &case.bytes(), LIMIT).unwrap();
    assert_eq!(divergence.frame, case.at as u64);
    found
}

/// Returns true if a slip is this mistake.
fn is(slip: &Slip, wrong: &Wrong) -> bool {
    let of = |at: &CommandAt, frame: usize, command: usize| {
        (at.frame, at.command) == (frame as u64, command as u32)
    };
    let tick = |frame: usize| frame as u64 + 1;
    match (slip, wrong) {
        (Slip::Dropped(at), &Wrong::Drop(frame, command)) => of(at, frame, command),
        (Slip::Doubled { command: at, again }, &Wrong::Double(frame, command, into)) => {
            of(at, frame, command) && *again == tick(into)
        }
        (Slip::Moved { command: at, to }, &Wrong::Move(frame, command, into, _)) => {
            of(at, frame, command) && *to == tick(into)
        }
        (Slip::Swapped { one, other }, &Wrong::Swap(frame, command, with)) => {
            of(one, frame, command) && of(other, frame, with)
        }
        (Slip::Swapped { one, other }, &Wrong::SwapTicks(frame)) => {
            (one.frame, other.frame) == (frame as u64, frame as u64 + 1)
        }
        (Slip::Cut { frame, taken, .. }, &Wrong::Cut(at, count)) => {
            (*frame, *taken) == (at as u64, count as u32)
        }
        (
            Slip::Aimed {
                command: at,
                at: to,
            },
            &Wrong::Aim(frame, command, field, cell),
        ) => of(at, frame, command) && (to.field, to.element) == (field, cell),
        (
            Slip::OtherValue {
                command: at, wrote, ..
            },
            &Wrong::Give(frame, command, bits),
        ) => of(at, frame, command) && wrote.to_bits() == bits,
        (Slip::Hash { bits, bit }, Wrong::Hash(_, mask)) => {
            (*bits, *bit) == (mask.count_ones(), mask.trailing_zeros())
        }
        (Slip::Missing { before, ticks }, &Wrong::Missing(frame, count)) => {
            (*before, *ticks) == (tick(frame), count as u32)
        }
        (Slip::Repeated { frame: at, .. }, &Wrong::Repeated(frame))
        | (Slip::Exchanged { frame: at, .. }, &Wrong::Exchanged(frame)) => *at == frame as u64,
        (Slip::Parameter { key, then, .. }, Wrong::World(_, change)) => match &change.what {
            What::Parameter {
                key: its,
                then: value,
            } => key == its && then.parse().ok() == *value,
            What::Order(..) => false,
        },
        (Slip::Order { one, other }, Wrong::World(_, change)) => match change.what {
            What::Order(a, b) => {
                one.starts_with(&format!("{a} (")) && other.starts_with(&format!("{b} ("))
            }
            What::Parameter { .. } => false,
        },
        (Slip::Value { value, .. }, &Wrong::Value(_, field, element, bits, _)) => {
            (value.field, value.element, value.recorded.to_bits()) == (field, element, bits)
        }
        _ => false,
    }
}

/// Returns the named value as a mistake, because there are too many values to try each.
fn named(slip: &Slip, at: usize) -> Vec<Wrong> {
    match slip {
        Slip::OtherValue { command, wrote, .. } => vec![Wrong::Give(
            command.frame as usize,
            command.command as usize,
            wrote.to_bits(),
        )],
        Slip::Value { value, .. } => [true, false]
            .map(|lasts| {
                let bits = value.recorded.to_bits();
                Wrong::Value(at, value.field, value.element, bits, lasts)
            })
            .to_vec(),
        _ => Vec::new(),
    }
}

/// Returns the slips that explain the most, by brute force, and the number of hashes.
fn truth(case: &Case, also: Vec<Wrong>) -> (usize, Vec<Wrong>) {
    let mut every = case.every();
    every.extend(also);
    let counts: Vec<usize> = every.iter().map(|wrong| case.explains(wrong)).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut best: Vec<Wrong> = Vec::new();
    for (wrong, count) in every.into_iter().zip(counts) {
        if count == most && most > 0 && !best.iter().any(|other| other.is(&wrong)) {
            best.push(wrong);
        }
    }
    let plainest = best.iter().map(Wrong::freedom).min();
    let dropped: Vec<(usize, usize)> = (best.iter())
        .filter_map(|wrong| match wrong {
            Wrong::Drop(frame, command) => Some((*frame, *command)),
            _ => None,
        })
        .collect();
    best.retain(|wrong| {
        let in_vain = wrong.may_be_in_vain();
        Some(wrong.freedom()) == plainest && !in_vain.is_some_and(|at| dropped.contains(&at))
    });
    (most, best)
}

/// Compares the explanation of a recording with brute force. Returns the only mistake that explains
/// it, or both results if they differ.
fn judge(case: &Case, wrongs: &[Wrong]) -> Result<Option<Wrong>, String> {
    let found = found(case);
    let mut also: Vec<Wrong> = (found.slips.iter())
        .flat_map(|slip| named(slip, case.at))
        .collect();
    if let [wrong] = wrongs {
        also.push(wrong.clone());
    }
    let (most, best) = truth(case, also);
    let all = case.log.len() - case.at;
    let (at, log, toml) = (case.at, &case.log, case.world.toml());
    let said = || {
        format!("{wrongs:?}, at {at}\n{found}\ntruth: {most} of {all} by {best:?}\n{log:?}\n{toml}")
    };
    // The true one explains all recorded hashes, except for many damaged bits of a hash.
    let alone = matches!(wrongs, [wrong] if wrong.freedom() < 2);
    let count = found.slips.len() + found.more as usize;
    let is_true = |slip: &Slip| best.iter().any(|wrong| is(slip, wrong));
    let agree = found.explained == most as u64
        && count == best.len()
        && found.slips.iter().all(is_true)
        && (most == all || !alone);
    if !agree || found.open || !found.complete {
        return Err(said());
    }
    Ok(match &*best {
        [only] => Some(only.clone()),
        _ => None,
    })
}

/// Returns a recording with a visible mistake of a kind, and the mistake.
fn one_wrong(noise: &mut Noise, kind: usize) -> Option<(Case, Wrong)> {
    let world = world(noise);
    let log = log(&world, noise);
    (0..16).find_map(|_| {
        let wrong = some_wrong(noise, kind, &world, &log)?;
        let case = Case::new(world.clone(), log.clone(), std::slice::from_ref(&wrong))?;
        let is_sought = wrong.freedom() == 2 || case.explains(&wrong) > 0;
        is_sought.then_some((case, wrong))
    })
}

/// Returns the name of a mistake.
fn word(wrong: &Wrong) -> String {
    let text = format!("{wrong:?}");
    text.split('(').next().unwrap_or_default().to_owned()
}

/// For every mistake in the second simulator, the named slip explains all its hashes, and nothing
/// else does.
#[test]
fn what_is_named_is_what_explains_the_second_simulator() {
    // The number of times for each mistake, and the number of times that nothing else explains it.
    let mut tally: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let judged = on_all_cores(ROUNDS, |round| {
        let (case, wrong) = one_wrong(&mut Noise(round as u64), round % KINDS)?;
        let only = judge(&case, std::slice::from_ref(&wrong));
        let only = only.unwrap_or_else(|error| panic!("{error}"));
        Some((word(&wrong), only.is_some_and(|only| only.is(&wrong))))
    });
    for (word, alone) in judged.into_iter().flatten() {
        let counts = tally.entry(word).or_default();
        counts[0] += 1;
        counts[1] += usize::from(alone);
    }
    eprintln!("{tally:?}");
    assert_eq!(tally.len(), 14, "{tally:?}");
    // Two swapped commands may as well be the first one taken again.
    let is_alone = |(word, [_, alone]): (&String, &[usize; 2])| word == "Swap" || *alone > 0;
    assert!(tally.iter().all(is_alone), "{tally:?}");
}

/// Returns a recording with a mistaken command and another mistake.
fn two_wrongs(noise: &mut Noise) -> Option<(Case, [Wrong; 2])> {
    let world = world(noise);
    let log = log(&world, noise);
    let kind = noise.below(8);
    let one = some_wrong(noise, kind, &world, &log)?;
    let mut edited = log.clone();
    one.edit(&mut edited, &world)?;
    let kind = noise.below(KINDS);
    let other = some_wrong(noise, kind, &world, &edited)?;
    // In the recorded log.
    let is_repeated = |frame: usize| log[frame] == log[frame - 1];
    if matches!(other, Wrong::Repeated(frame) if !is_repeated(frame)) {
        return None;
    }
    let wrongs = [one, other];
    let case = Case::new(world, log, &wrongs)?;
    Some((case, wrongs))
}

/// With two mistakes, no slip is reported to explain more than it does.
#[test]
fn of_two_slips_none_is_said_to_explain_more_than_it_does() {
    let in_part = on_all_cores(ROUNDS, |round| {
        let (case, wrongs) = two_wrongs(&mut Noise(1 << 32 | round as u64))?;
        let only = judge(&case, &wrongs).unwrap_or_else(|error| panic!("{error}"));
        Some(only.is_some_and(|only| case.explains(&only) < TICKS - case.at))
    });
    let judged = in_part.iter().flatten().count();
    let in_part = in_part.into_iter().flatten().filter(|part| *part).count();
    eprintln!("{judged} judged, {in_part} of which one slip explains a part");
    assert!(judged > 100 && in_part > 10, "{judged}, {in_part}");
}

/// A default that is also one of the guesses is not a second explanation.
#[test]
fn no_world_is_tried_twice() {
    for seed in 0..60 {
        let world = generate::world(seed).engine();
        let mut tried = Vec::new();
        for (slip, other) in world.variants(None, 6) {
            if matches!(slip, Slip::Parameter { .. }) {
                assert!(!tried.contains(&other), "{slip}");
                tried.push(other);
            }
        }
        assert!(!tried.is_empty() && !tried.contains(&world));
    }
}

#[cfg(feature = "tape")]
mod minimised {
    use gametape_murk::tools::{Minimise, MinimisedRecording, minimise};

    use super::*;
    use crate::common::tapes::in_memory;

    fn small(bytes: &[u8]) -> Result<MinimisedRecording, gametape_core::tape::Error> {
        let options = Minimise {
            max_trials: 10_000,
            ..Minimise::default()
        };
        let work = gametape_core::tape::Work::default();
        minimise(&in_memory(bytes.to_vec()), &options, &work)
    }

    /// For every kind of mistake, the smaller log goes wrong in the same way, or the report says
    /// that it does not.
    #[test]
    fn what_is_minimised_is_said_the_same_of() {
        let judged = on_all_cores(96, |round| {
            let (case, wrong) = one_wrong(&mut Noise(1 << 33 | round as u64), round % KINDS)?;
            let world = case.world.engine();
            let before = found(&case);
            let said = || format!("{wrong:?}, at {}\n{before}\n{:?}", case.at, case.log);
            let small = match small(&case.bytes()) {
                Ok(small) => small,
                Err(error) => {
                    // If nothing explains it, no ticks are kept.
                    assert!(
                        before.slips.is_empty() || before.open,
                        "{error}\n{}",
                        said()
                    );
                    return Some("refused");
                }
            };
            assert!(small.commands[1] <= small.commands[0]);
            assert!(small.ticks[1] <= small.ticks[0]);
            if !small.same {
                assert!(small.fault().contains("not the verdict on the first"));
                return Some("other");
            }
            let (now, after) = explained(&world, &small.bytes, LIMIT).unwrap();
            assert_eq!(now.frame, case.at as u64, "{}", said());
            let kinds =
                |found: &Explanation| -> Vec<&str> { found.slips.iter().map(Slip::kind).collect() };
            let first = kinds(&before)[0];
            assert!(kinds(&after).contains(&first), "{}\n{after}", said());
            // No further command can be left out: each one is needed, or is the mistake.
            assert!(small.minimal);
            Some("same")
        });
        let count = |how| {
            judged
                .iter()
                .flatten()
                .filter(|judged| **judged == how)
                .count()
        };
        let told = [count("same"), count("other"), count("refused")];
        eprintln!("{told:?}: the same, others, refused");
        assert!(told[0] > 45, "{told:?}");
    }
}
