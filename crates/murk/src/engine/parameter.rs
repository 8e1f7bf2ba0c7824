//! Changes one parameter of a world, named as in a world's file.

use gametape_core::text::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Fault, Place, WorldError, shown};
use super::own::Kinds;
use super::propagator::Propagator;
use super::value::Value as _;
use super::world::World;

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
        let is_key = !matches!(error.fault(), Fault::UnknownKey { .. });
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
        let wrong = |what: String| WorldError::new(Place::World, parameter, Fault::Value(what));
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
