//! A number of a state.

use super::agent::Watch;
use crate::Simulation as _;
use crate::engine::{Checker, EngineWorld, World};

/// A number of a state: `heat.mean`, or the value of one cell, `heat@3,4`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    name: String,
    watch: Watch,
    /// `None` for the value of one cell.
    statistic: Option<Statistic>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Statistic {
    Mean,
    Min,
    Max,
    Sum,
    Std,
}

impl Statistic {
    const ALL: [(&'static str, Self); 5] = [
        ("mean", Self::Mean),
        ("min", Self::Min),
        ("max", Self::Max),
        ("sum", Self::Sum),
        ("std", Self::Std),
    ];

    fn of(self, values: &[f32]) -> f64 {
        let all = || values.iter().copied().map(f64::from);
        // A value that is not a number makes each of them so.
        let most = |one: f64, other: f64| {
            if other.is_nan() || other > one {
                other
            } else {
                one
            }
        };
        let count = values.len() as f64;
        let mean = all().sum::<f64>() / count;
        match self {
            Self::Mean => mean,
            Self::Sum => all().sum(),
            Self::Max => all().reduce(most).unwrap_or(f64::NAN),
            Self::Min => -all().map(|value| -value).reduce(most).unwrap_or(f64::NAN),
            Self::Std => (all().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt(),
        }
    }
}

impl Measure {
    /// Parses `FIELD.STATISTIC`, which is `mean`, `min`, `max`, `sum` or `std` over all values of the field, or
    /// `FIELD@CELL`, a cell of a field with one value per cell, as [`Watch`] takes it.
    ///
    /// ```
    /// use gametape_murk::engine::World;
    /// use gametape_murk::tools::Measure;
    ///
    /// let world = World::from_toml(gametape_samples::murk::HEAT)?;
    /// let checker = world.checker()?;
    /// let mean = Measure::parse("heat.mean", &world, &checker)?;
    /// assert_eq!(mean.of(&world.build()?), 0.0);
    /// let error = Measure::parse("heat.median", &world, &checker).unwrap_err();
    /// assert!(error.contains("mean, min, max, sum, std"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A sentence.
    pub fn parse(text: &str, world: &World, checker: &Checker) -> Result<Self, String> {
        let known = || {
            let names = Statistic::ALL.map(|(name, _)| name);
            format!(
                "{text:?} is nothing to measure: FIELD@CELL, or FIELD.STATISTIC with one of {}",
                names.join(", ")
            )
        };
        if let Some((field, statistic)) = text.rsplit_once('.') {
            let found = Statistic::ALL.iter().find(|(name, _)| *name == statistic);
            if let Some((_, statistic)) = found {
                return Ok(Self {
                    name: text.to_owned(),
                    watch: Watch::field(field, world)?,
                    statistic: Some(*statistic),
                });
            }
        }
        let watch = match Watch::parse(text, world, checker) {
            Ok(watch) if watch.is_number(checker) => watch,
            Err(error) if text.contains('@') => return Err(error),
            _ => return Err(known()),
        };
        Ok(Self {
            name: text.to_owned(),
            watch,
            statistic: None,
        })
    }

    /// Returns the mean, the least and the greatest value of each field.
    #[must_use]
    pub fn of_all(world: &World) -> Vec<Self> {
        let fields = world.fields.iter();
        let three = |name: &str| {
            let name = name.to_owned();
            Statistic::ALL
                .into_iter()
                .take(3)
                .map(move |(of, statistic)| {
                    let watch = Watch::field(&name, world).ok()?;
                    Some(Self {
                        name: format!("{name}.{of}"),
                        watch,
                        statistic: Some(statistic),
                    })
                })
        };
        fields
            .flat_map(|field| three(&field.name))
            .flatten()
            .collect()
    }

    /// Returns its name, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number in a state.
    #[must_use]
    pub fn of(&self, world: &EngineWorld) -> f64 {
        let field = world.field(self.watch.field_number());
        match self.statistic {
            Some(statistic) => statistic.of(field.unwrap_or_default()),
            None => match self.watch.values(world) {
                [value, ..] => f64::from(*value),
                [] => f64::NAN,
            },
        }
    }
}
