//! Worlds that differ in one parameter, which somebody may have changed between recording and
//! replay.

use super::own::Own;
use super::propagator::Propagator;
use super::run::{EngineWorld, State};
use super::world::World;
use crate::divergence::Slip;
use crate::slip::Variant;

/// The most worlds with other queues that are tried.
const MOST_QUEUES: u32 = 2048;

/// A line of a description that can be changed.
struct Line {
    /// Its number among the lines.
    at: usize,
    /// The part of the world: empty, or `propagator 0 (emission), `.
    part: String,
    key: String,
    value: String,
}

/// Returns the lines of a canonical description that affect how a world runs: `dt`, its queue, and
/// all keys of its propagators.
fn lines(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let (mut section, mut propagators, mut part) = ("", 0, String::new());
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            section = line;
            if section == "[[propagator]]" {
                part = format!("propagator {propagators}, ");
                propagators += 1;
            }
            continue;
        }
        let Some((key, value)) = line.split_once(" = ") else {
            continue;
        };
        let of = match (section, key) {
            ("[[propagator]]", "kind") => {
                let number = propagators - 1;
                part = format!("propagator {number} ({}), ", value.trim_matches('"'));
                continue;
            }
            ("[[propagator]]", _) => part.clone(),
            ("", "dt" | "max_ingress_queue") => String::new(),
            _ => continue,
        };
        found.push(Line {
            at,
            part: of,
            key: key.to_owned(),
            value: value.to_owned(),
        });
    }
    found
}

/// Returns other values that a parameter may have had: half, double, a tenth, ten times, the
/// opposite sign, zero; one more or less for counts; the other value if there are only two. The
/// default is tried by leaving out the key.
fn others(value: &str) -> Vec<String> {
    if let Ok(yes) = value.parse::<bool>() {
        return vec![(!yes).to_string()];
    }
    if let Ok(number) = value.parse::<u64>() {
        let mut others = vec![number.saturating_sub(1), 0, number / 2];
        others.extend([
            number.saturating_add(1),
            number.saturating_mul(2),
            number.saturating_mul(10),
        ]);
        return others.iter().map(u64::to_string).collect();
    }
    if let Ok(number) = value.parse::<f64>() {
        // Written as in the description, so that decimals with few digits stay short.
        let tenths = [number / 2.0, number * 2.0, number / 10.0, number * 10.0];
        let more = [-number, 0.0, number + 0.1, number - 0.1, 1.0];
        return tenths
            .into_iter()
            .chain(more)
            .filter(|other| other.is_finite())
            .map(|other| format!("{:?}", (other * 1e12).round() / 1e12))
            .collect();
    }
    Vec::new()
}

/// Returns the text with another line, or without it.
fn with_line(text: &str, at: usize, line: Option<&str>) -> String {
    let mut changed = String::with_capacity(text.len());
    for (place, old) in text.lines().enumerate() {
        let line = if place == at { line } else { Some(old) };
        if let Some(line) = line {
            changed.push_str(line);
            changed.push('\n');
        }
    }
    changed
}

impl World {
    /// Returns worlds that differ from this one in one thing, each with its slip: a parameter as in
    /// `before`, if such a world is given; `dt` and each number of a propagator at its default, at
    /// half, double, a tenth, ten times, with the opposite sign, and so on; the queue shorter, down
    /// to less than `commands`; two propagators swapped.
    ///
    /// ```
    /// use gametape_murk::Slip;
    /// use gametape_murk::engine::World;
    /// let world = World::from_toml(gametape_samples::murk::HEAT)?;
    /// let half = world.variants(None, 0).find(|(slip, world)| {
    ///     matches!(slip, Slip::Parameter { key, .. } if key == "dt") && world.dt == 0.05
    /// });
    /// assert!(half.is_some());
    /// # Ok::<(), gametape_murk::engine::WorldError>(())
    /// ```
    pub fn variants(
        &self,
        before: Option<&Self>,
        commands: u32,
    ) -> impl Iterator<Item = (Slip, Self)> + use<> {
        let text = String::from_utf8_lossy(&self.canonical()).into_owned();
        let mut texts = Vec::new();
        let known = lines(&text);
        if let Some(before) = before {
            let before = String::from_utf8_lossy(&before.canonical()).into_owned();
            texts.extend(changed_lines(&known, &lines(&before)));
        }
        for line in &known {
            texts.extend(
                others(&line.value)
                    .into_iter()
                    .map(|value| (line, value))
                    .map(spelt),
            );
            texts.push((line.at, line.name(), line.value.clone(), None));
        }
        let queues = (1..commands.min(MOST_QUEUES)).rev();
        if let Some(queue) = known.iter().find(|line| line.key == "max_ingress_queue") {
            texts.extend(
                queues
                    .map(|queue| queue.to_string())
                    .map(|value| spelt((queue, value))),
            );
        }
        let this = self.clone();
        let mut tried: Vec<Self> = Vec::new();
        let own = self.propagators.iter().filter_map(|one| match one {
            Propagator::Own(own) => Some(own),
            _ => None,
        });
        let kinds = Own::kinds(own);
        let parameters = texts.into_iter().filter_map(move |(at, key, now, then)| {
            let line = then.as_ref().map(|then| {
                let key = key.rsplit(", ").next().unwrap_or(&key);
                format!("{key} = {then}")
            });
            let world =
                Self::from_toml_with(&with_line(&text, at, line.as_deref()), &kinds).ok()?;
            let then = then.unwrap_or_else(|| "its default".to_owned());
            // Two values may give the same world, for example the default. It is tried once.
            if world == this || tried.contains(&world) {
                return None;
            }
            tried.push(world.clone());
            Some((Slip::Parameter { key, now, then }, world))
        });
        parameters.chain(self.orders())
    }

    /// Returns the worlds with two propagators swapped.
    fn orders(&self) -> impl Iterator<Item = (Slip, Self)> + use<> {
        let this = self.clone();
        let count = this.propagators.len();
        (0..count)
            .flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
            .filter_map(move |(one, other)| {
                let named = |at: usize| {
                    let kind = this.propagators.get(at)?.kind();
                    Some(format!("{at} ({kind})"))
                };
                let slip = Slip::Order {
                    one: named(one)?,
                    other: named(other)?,
                };
                let mut world = this.clone();
                world.propagators.swap(one, other);
                (world != this).then_some((slip, world))
            })
    }

    /// Returns [`World::variants`] as candidates for a divergence.
    pub fn slips<'v>(
        &self,
        before: Option<&Self>,
        commands: u32,
    ) -> impl Iterator<Item = Variant<'v, EngineWorld>> + use<'v> {
        self.variants(before, commands)
            .map(|(slip, world)| Variant {
                slip,
                build: Box::new(move |state: &State| {
                    let mut built = world.build().ok()?;
                    built.adopt(state).ok()?;
                    Some(built)
                }),
            })
    }
}

impl Line {
    fn name(&self) -> String {
        format!("{}{}", self.part, self.key)
    }
}

type Changed = (usize, String, String, Option<String>);

fn spelt((line, value): (&Line, String)) -> Changed {
    (line.at, line.name(), line.value.clone(), Some(value))
}

/// Returns the lines that differ in another description.
fn changed_lines(now: &[Line], before: &[Line]) -> Vec<Changed> {
    let changed = now.iter().filter_map(|line| {
        let name = line.name();
        let then = before.iter().find(|other| other.name() == name)?;
        (then.value != line.value).then(|| spelt((line, then.value.clone())))
    });
    changed.collect()
}
