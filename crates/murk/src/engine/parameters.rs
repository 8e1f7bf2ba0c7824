//! Worlds that differ from another one in a parameter, which is named as in a world's file: the one that is
//! asked for, and those that somebody may have had between recording and replay.

use gametape_core::text::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Place, WorldError, WorldFault, shown};
use super::own::{Kinds, Own};
use super::propagator::Propagator;
use super::run::{EngineWorld, SavedWorld};
use super::value::TomlValue as _;
use super::world::World;
use crate::divergence::Slip;
use crate::slip::Variant;

impl World {
    /// Returns this world with another value of one parameter. The name is its place in a world's
    /// file, and the value is written as there: `dt`, `space.rows`, `field.heat.units` or
    /// `field.3.units`, `propagator.0.coefficient`. A value that is not TOML is a string:
    /// `field.heat.mutability` may be `sparse` as well as `"sparse"`.
    ///
    /// ```
    /// use gametape_murk::engine::World;
    /// use gametape_murk::engine::own::Kinds;
    ///
    /// let world = World::from_toml(gametape_samples::murk::HEAT)?;
    /// let faster = world.with_parameter("dt", "0.05", &Kinds::new())?;
    /// assert_eq!(faster.dt, 0.05);
    /// let error = world.with_parameter("field.heat.unit", "K", &Kinds::new()).unwrap_err();
    /// assert!(error.to_string().contains("unknown key; known keys: name, type,"));
    /// # Ok::<(), gametape_murk::engine::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such part or key, or the value is not valid: same as
    /// [`World::from_toml_with`], without a line.
    pub fn with_parameter(
        &self,
        parameter: &str,
        value: &str,
        kinds: &Kinds,
    ) -> Result<Self, WorldError> {
        let (section, key) = self.place_of(parameter)?;
        let canonical = self.canonical();
        let text = String::from_utf8_lossy(&canonical);
        let line = format!("{key} = {}", spelled(value));
        let changed = Self::from_toml_with(&replaced(&text, section, key, &line), kinds);
        changed.map_err(WorldError::without_line)
    }

    /// Returns this world with other values of some parameters, one after the other.
    ///
    /// # Errors
    /// A sentence that names the parameter, where [`World::with_parameter`] fails.
    pub fn with_parameters<'p>(
        &self,
        parameters: impl IntoIterator<Item = (&'p str, &'p str)>,
        kinds: &Kinds,
    ) -> Result<Self, String> {
        let mut world = self.clone();
        for (parameter, value) in parameters {
            let changed = world.with_parameter(parameter, value, kinds);
            world = changed.map_err(|error| {
                let meant = world.meant(parameter, &error).unwrap_or_default();
                format!("{parameter}={value} can't be set: {error}{meant}")
            })?;
        }
        Ok(world)
    }

    /// Returns which parameter may be meant by one that is not known.
    fn meant(&self, parameter: &str, error: &WorldError) -> Option<String> {
        let all = self.parameters();
        let known = || all.iter().map(|(name, _)| name.as_str());
        let is_key = !matches!(error.fault(), WorldFault::UnknownKey { .. });
        if known().any(|name| name == parameter) || is_key && self.place_of(parameter).is_ok() {
            return None;
        }
        let parts = |name: &'_ str| name.rfind('.').map_or(0, |at| at + 1);
        let (part, key) = parameter.split_at(parts(parameter));
        // A key of another part, a key of this part, any name.
        let elsewhere = || known().find(|name| name.get(parts(name)..) == Some(key));
        let here = || {
            let keys = known().filter_map(|name| name.strip_prefix(part));
            nearest(key, keys).map(|key| format!("{part}{key}"))
        };
        let meant = here()
            .or_else(|| elsewhere().map(str::to_owned))
            .or_else(|| nearest(parameter, known()).map(str::to_owned))?;
        Some(format!(" (did you mean {meant:?}?)"))
    }

    /// Returns all parameters by name, with their values, both as [`World::with_parameter`] takes
    /// them. Fields go by their names, and defaults are filled in.
    ///
    /// ```
    /// use gametape_murk::engine::World;
    ///
    /// let parameters = World::from_toml(gametape_samples::murk::HEAT)?.parameters();
    /// let of = |name: &str| parameters.iter().find(|(known, _)| known == name).unwrap().1.clone();
    /// assert_eq!((of("dt"), of("space.kind")), ("0.1".into(), "\"square4\"".into()));
    /// # Ok::<(), gametape_murk::engine::WorldError>(())
    /// ```
    #[must_use]
    pub fn parameters(&self) -> Vec<(String, String)> {
        let canonical = self.canonical();
        let text = String::from_utf8_lossy(&canonical);
        let fields = self
            .fields
            .iter()
            .map(|field| format!("field.{}.", field.name));
        let propagators = (0..self.propagators.len()).map(|at| format!("propagator.{at}."));
        let parts = [String::new(), "space.".to_owned()].into_iter();
        let parts = parts.chain(fields).chain(propagators);
        let sections = parts.zip(text.split("\n\n"));
        let parameters = sections.flat_map(|(part, section)| {
            let lines = section.lines().filter_map(|line| line.split_once(" = "));
            lines.map(move |(key, value)| (format!("{part}{key}"), value.to_owned()))
        });
        parameters.collect()
    }

    /// Returns this world with another seed, and other noise. The engine does not use a world's seed, so the
    /// `seed_offset` of each noise changes with it; with the world's own seed nothing changes.
    ///
    /// ```
    /// use gametape_murk::engine::World;
    ///
    /// let world = World::from_toml(gametape_samples::murk::WEATHER)?;
    /// assert_ne!(world.with_seed(1), world.with_seed(2));
    /// assert_eq!(world.with_seed(1).with_seed(world.seed), world);
    /// # Ok::<(), gametape_murk::engine::WorldError>(())
    /// ```
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        let mut world = self.clone();
        world.seed = seed;
        let change = spread(self.seed) ^ spread(seed);
        for propagator in &mut world.propagators {
            if let Propagator::NoiseInjection(noise) = propagator {
                noise.seed_offset ^= change;
            }
        }
        world
    }

    /// Returns the section of the canonical text that has a parameter, and its key there.
    fn place_of<'p>(&self, parameter: &'p str) -> Result<(usize, &'p str), WorldError> {
        let wrong =
            |what: String| WorldError::new(Place::World, parameter, WorldFault::Value(what));
        let Some((part, rest)) = parameter.split_once('.') else {
            return match parameter {
                "space" | "field" | "propagator" => Err(wrong(format!(
                    "is a part of the world: name one of its parameters, such as {parameter}{}",
                    if parameter == "space" {
                        ".kind"
                    } else {
                        ".0.…"
                    }
                ))),
                key => Ok((0, key)),
            };
        };
        if part == "space" {
            return Ok((1, rest));
        }
        let fields = self.fields.len();
        let (before, names): (usize, Vec<&str>) = match part {
            "field" => (2, self.fields.iter().map(|field| &*field.name).collect()),
            "propagator" => {
                let kinds = self.propagators.iter().map(Propagator::kind);
                (2 + fields, kinds.collect())
            }
            _ => {
                return Err(wrong(
                    "is not a parameter: known are seed, dt, max_ingress_queue, space.…, field.NUMBER.… or \
                     field.NAME.…, propagator.NUMBER.…"
                        .into(),
                ));
            }
        };
        // A field's name may have a dot in it.
        let named = names.iter().enumerate().filter(|_| part == "field");
        let named =
            named.filter_map(|(at, name)| Some((at, rest.strip_prefix(name)?.strip_prefix('.')?)));
        let numbered = rest.split_once('.').and_then(|(number, key)| {
            let at = number.parse().ok().filter(|at| *at < names.len())?;
            Some((at, key))
        });
        let found = named.max_by_key(|(at, _)| names.get(*at).map_or(0, |name| name.len()));
        let (at, key) = found.or(numbered).ok_or_else(|| {
            let all = names.iter().enumerate().take(16);
            let all: Vec<String> = all
                .map(|(at, name)| format!("{at} ({})", shown(name)))
                .collect();
            let more = if names.len() > all.len() { ", …" } else { "" };
            wrong(format!(
                "names none of the {part}s; they are {}{more}, and a parameter of one is such as {part}.0.{}",
                all.join(", "),
                if part == "field" { "units" } else { "kind" }
            ))
        })?;
        Ok((before + at, key))
    }
}

/// Spreads the bits of a seed (the last steps of `SplitMix64`). The noise of a tick is seeded by its offset XOR the tick,
/// so offsets that differ in low bits would only exchange the noise of some ticks.
const fn spread(seed: u64) -> u64 {
    let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns a value in TOML: unchanged, or as a string.
fn spelled(value: &str) -> String {
    let text = format!("v = {value}");
    let whole = |document: &Spanned<DeTable<'_>>| {
        let table = document.get_ref();
        let is_plain = |value: &DeValue<'_>| !matches!(value, DeValue::Datetime(_));
        // More than one value would be more than one parameter.
        table.len() == 1 && table.get("v").is_some_and(|v| is_plain(v.get_ref()))
    };
    match DeTable::parse(&text) {
        Ok(document) if whole(&document) => value.to_owned(),
        _ => {
            let mut spelled = String::new();
            value.to_owned().write(&mut spelled);
            spelled
        }
    }
}

/// Returns the canonical text with another line for a key of one of its sections. Sections begin
/// with an empty line, and a key has one line.
fn replaced(text: &str, section: usize, key: &str, line: &str) -> String {
    let mut sections: Vec<Vec<&str>> = text
        .split("\n\n")
        .map(|section| section.lines().collect())
        .collect();
    if let Some(lines) = sections.get_mut(section) {
        let of_key = |line: &&mut &str| {
            let rest = line.strip_prefix(key);
            rest.is_some_and(|rest| rest.starts_with(" = "))
        };
        match lines.iter_mut().find(of_key) {
            Some(there) => *there = line,
            None => lines.push(line),
        }
    }
    let sections: Vec<String> = sections.iter().map(|lines| lines.join("\n")).collect();
    sections.join("\n\n") + "\n"
}

/// The most worlds with other queues that are tried.
const MOST_QUEUES: u32 = 2048;

/// A line of a description that can be changed.
struct WorldLine {
    /// Its number among the lines.
    at: usize,
    /// The part of the world: empty, or `propagator 0 (emission), `.
    part: String,
    key: String,
    value: String,
}

/// Returns the lines of a canonical description that affect how a world runs: `dt`, its queue, and
/// all keys of its propagators.
fn lines(text: &str) -> Vec<WorldLine> {
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
        found.push(WorldLine {
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
                build: Box::new(move |state: &SavedWorld| {
                    let mut built = world.build().ok()?;
                    built.adopt(state).ok()?;
                    Some(built)
                }),
            })
    }
}

impl WorldLine {
    fn name(&self) -> String {
        format!("{}{}", self.part, self.key)
    }
}

type ChangedLine = (usize, String, String, Option<String>);

fn spelt((line, value): (&WorldLine, String)) -> ChangedLine {
    (line.at, line.name(), line.value.clone(), Some(value))
}

/// Returns the lines that differ in another description.
fn changed_lines(now: &[WorldLine], before: &[WorldLine]) -> Vec<ChangedLine> {
    let changed = now.iter().filter_map(|line| {
        let name = line.name();
        let then = before.iter().find(|other| other.name() == name)?;
        (then.value != line.value).then(|| spelt((line, then.value.clone())))
    });
    changed.collect()
}
