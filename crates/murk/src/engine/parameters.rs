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
        let line = format!("{key} = {}", spelled(value));
        let text = CanonicalText::of(self).replaced(section, key, &line);
        let changed = Self::from_toml_with(&text, kinds);
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
        let text = CanonicalText::of(self);
        let before = 2 + self.fields.len();
        let parameters = text.lines().map(|line| {
            let part = match line.section {
                0 => String::new(),
                1 => "space.".to_owned(),
                at => match self.fields.get(at - 2) {
                    Some(field) => format!("field.{}.", field.name),
                    None => format!("propagator.{}.", at - before),
                },
            };
            (format!("{part}{}", line.key), line.value.to_owned())
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

/// The canonical text of a world. Its sections (the world, its space, each field, each propagator) begin with an
/// empty line, and a key has one line.
struct CanonicalText(String);

/// A line of a canonical text.
#[derive(Clone, Copy)]
struct WorldLine<'t> {
    /// Its number among the lines.
    at: usize,
    section: usize,
    key: &'t str,
    value: &'t str,
}

impl CanonicalText {
    fn of(world: &World) -> Self {
        Self(String::from_utf8_lossy(&world.canonical()).into_owned())
    }

    /// Returns the lines that have a key.
    fn lines(&self) -> impl Iterator<Item = WorldLine<'_>> {
        let mut section = 0;
        let lines = self.0.lines().enumerate();
        lines.filter_map(move |(at, line)| {
            section += usize::from(line.is_empty());
            let (key, value) = line.split_once(" = ")?;
            Some(WorldLine {
                at,
                section,
                key,
                value,
            })
        })
    }

    /// Returns the text with another line for a key of a section.
    fn replaced(&self, section: usize, key: &str, line: &str) -> String {
        let start = format!("{key} = ");
        let is_key = |there: &WorldLine<'_>| {
            let whole = format!("{} = {}", there.key, there.value);
            there.section == section && whole.starts_with(&start)
        };
        if let Some(there) = self.lines().find(is_key) {
            return self.with_line(there.at, Some(line));
        }
        let sections = self.0.split("\n\n").enumerate();
        let sections = sections.map(|(at, text)| match text.trim_end() {
            text if at == section => format!("{text}\n{line}"),
            text => text.to_owned(),
        });
        sections.collect::<Vec<_>>().join("\n\n") + "\n"
    }

    /// Returns the text with another line, or without it.
    fn with_line(&self, at: usize, line: Option<&str>) -> String {
        let lines = self.0.lines().enumerate();
        let lines = lines.filter_map(|(place, old)| if place == at { line } else { Some(old) });
        lines.flat_map(|line| [line, "\n"]).collect()
    }
}

/// The most worlds with other queues that are tried.
const MOST_QUEUES: u32 = 2048;

/// A changed line: its number, the parameter, its value, and its other value; `None` for its default.
type ChangedLine = (usize, String, String, Option<String>);

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
        let text = CanonicalText::of(self);
        let mut texts: Vec<ChangedLine> = Vec::new();
        let known = self.settings(&text);
        let other = |(line, name): &(WorldLine<'_>, String), then: &str| {
            let (name, now) = (name.clone(), line.value.to_owned());
            (line.at, name, now, Some(then.to_owned()))
        };
        if let Some(before) = before {
            let its = CanonicalText::of(before);
            let its = before.settings(&its);
            let changed = known.iter().filter_map(|one| {
                let (then, _) = its.iter().find(|(_, name)| *name == one.1)?;
                (then.value != one.0.value).then(|| other(one, then.value))
            });
            texts.extend(changed);
        }
        for one in &known {
            let (line, name) = one;
            texts.extend(others(line.value).iter().map(|value| other(one, value)));
            texts.push((line.at, name.clone(), line.value.to_owned(), None));
        }
        if let Some(queue) = known
            .iter()
            .find(|(line, _)| line.key == "max_ingress_queue")
        {
            let queues = (1..commands.min(MOST_QUEUES)).rev();
            texts.extend(queues.map(|size| other(queue, &size.to_string())));
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
            let world = text.with_line(at, line.as_deref());
            let world = Self::from_toml_with(&world, &kinds).ok()?;
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

    /// Returns the lines that affect how a world runs, with their names: `dt`, its queue, and all keys of its
    /// propagators (`propagator 0 (reward), step_cost`).
    fn settings<'t>(&self, text: &'t CanonicalText) -> Vec<(WorldLine<'t>, String)> {
        let before = 2 + self.fields.len();
        let named = text.lines().filter_map(|line| {
            let key = line.key;
            let name = match (line.section, key) {
                (0, "dt" | "max_ingress_queue") => key.to_owned(),
                (at, _) if at >= before && key != "kind" => {
                    let kind = self.propagators.get(at - before)?.kind();
                    format!("propagator {} ({kind}), {key}", at - before)
                }
                _ => return None,
            };
            Some((line, name))
        });
        named.collect()
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
