//! Sweeps over parameters and seeds.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use gametape::murk::engine::World as Described;
use gametape::murk::engine::own::Kinds;
use gametape::murk::tools::{Measure, Run, Sweep, Swept};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::Value;

use super::array::Arrays;
use super::convert;
use super::described::World;
use crate::data::Data;
use crate::errors::Failure;
use crate::work::{Progress, run};

/// Runs a world with each combination of parameters and each seed, on all cores, and returns a table with a row
/// for each run: its parameters, its `seed`, what was measured at its end, the `failed_ticks` and the number of
/// `rejected` commands.
///
/// `measure` is a list of texts: `heat.mean` (also `min`, `max`, `sum`, `std`), or a cell, `heat@3,4`; by default the mean,
/// the least and the greatest value of each field. It may also be a function of the fields as arrays that returns a
/// number or a dict of numbers. `progress` gets the number of runs that are done, and of all.
///
/// >>> world = gametape.World.from_toml(open("weather.toml").read())
/// >>> table = gametape.sweep(world, {"propagator.0.scale": [0.1, 0.2]}, seeds=range(3), ticks=20,
/// ...     measure=["pressure.std"])
/// >>> table.keys()
/// ['propagator.0.scale', 'seed', 'pressure.std', 'failed_ticks', 'rejected']
/// >>> table.to_pandas().groupby("propagator.0.scale")["pressure.std"].mean().is_monotonic_increasing
/// True
#[pyfunction]
#[pyo3(signature = (world, grid = None, seeds = None, *, ticks, commands = None, measure = None, progress = None))]
#[allow(clippy::too_many_arguments)] // As callers in Python see it.
pub fn sweep(
    py: Python<'_>,
    world: &Bound<'_, World>,
    grid: Option<&Bound<'_, PyDict>>,
    seeds: Option<&Bound<'_, PyAny>>,
    ticks: u64,
    commands: Option<&Bound<'_, PyAny>>,
    measure: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Data> {
    let world = Arc::clone(&world.get().inner);
    let (mut values, mut texts) = (Vec::new(), Vec::new());
    for (name, given) in grid.into_iter().flatten() {
        let name: String = name.extract()?;
        if name == "seed" {
            return Err(Failure::usage(
                "the seeds of a sweep are given by seeds=, not in the grid",
            )
            .into());
        }
        let (mut of_json, mut of_text) = (Vec::new(), Vec::new());
        for value in given.try_iter()? {
            let value = value?;
            of_text.push(convert::parameter(&value)?);
            of_json.push(convert::to_json(&value)?);
        }
        values.push(of_json);
        texts.push((name, of_text));
    }
    let seeds = match seeds {
        Some(seeds) => seeds
            .try_iter()?
            .map(|seed| seed?.extract())
            .collect::<PyResult<Vec<u64>>>()?,
        None => vec![world.seed],
    };
    let how = How::new(&world, measure)?;
    let sweep = Sweep {
        commands: convert::of_run(commands, &world)?,
        world: (*world).clone(),
        kinds: Kinds::new(),
        grid: texts,
        seeds,
        ticks,
    };
    if sweep.seeds.is_empty() {
        return Err(Failure::usage("a sweep needs at least one seed").into());
    }
    let progress = Progress {
        callback: progress,
        size: sweep.runs().unwrap_or(usize::MAX) as u64,
    };
    let (sweep, how, runs) = run(py, &progress, move |work| {
        let runs = sweep.run(&|run| how.measured(run), work);
        (sweep, how, runs)
    })?;
    let runs = runs.map_err(|stop| match stop {
        Stop::Tool(error) => Failure::of_world(error).into(),
        Stop::Python(error) => error,
    })?;
    progress.tell(progress.size)?;
    table(&sweep, &values, &how, &runs)
}

/// Why a sweep ended early.
enum Stop {
    Tool(gametape::core::tape::Error),
    /// An exception of the caller's function.
    Python(PyErr),
}

impl From<gametape::core::tape::Error> for Stop {
    fn from(error: gametape::core::tape::Error) -> Self {
        Self::Tool(error)
    }
}

/// The measurements at the end of a run.
enum How {
    Named(Vec<Measure>),
    Function(Py<PyAny>),
}

/// Numbers with their names.
type Measured = Vec<(String, f64)>;

/// The name of a number that a function returns alone.
const ALONE: &str = "measure";

impl How {
    fn new(world: &Described, measure: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(measure) = measure else {
            return Ok(Self::Named(Measure::of_all(world)));
        };
        if measure.is_callable() {
            return Ok(Self::Function(measure.clone().unbind()));
        }
        let names: Vec<String> = match measure.cast::<PyString>() {
            Ok(one) => vec![one.to_str()?.to_owned()],
            Err(_) => measure.extract()?,
        };
        let checker = world.checker();
        let checker = checker.map_err(|error| Failure::usage(error.to_string()))?;
        let parsed = names
            .iter()
            .map(|name| Measure::parse(name, world, &checker));
        let parsed = parsed.collect::<Result<_, _>>().map_err(Failure::usage)?;
        Ok(Self::Named(parsed))
    }

    fn measured(&self, run: &Run) -> Result<Measured, Stop> {
        match self {
            Self::Named(all) => Ok(all
                .iter()
                .map(|one| (one.name().to_owned(), one.of(run.simulation())))
                .collect()),
            Self::Function(function) => Python::attach(|py| {
                // A parameter may change the shape of the space.
                let arrays = Arrays::new(py, run.world(), None)?;
                let result = function.call1(py, (arrays.of(py, run.simulation())?,))?;
                let result = result.bind(py);
                let Ok(dict) = result.cast::<PyDict>() else {
                    return Ok(vec![(ALONE.to_owned(), result.extract()?)]);
                };
                let numbers = dict.iter();
                let number = |(name, number): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                    Ok((name.extract()?, number.extract()?))
                };
                numbers.map(number).collect::<PyResult<_>>()
            })
            .map_err(Stop::Python),
        }
    }

    /// The names of the numbers, in the order in which they first come. A function may return others in each run.
    fn names<'n>(&'n self, runs: &'n [Swept<Measured>]) -> Vec<&'n str> {
        let named = match self {
            Self::Named(all) => &**all,
            Self::Function(_) => &[],
        };
        let named = named.iter().map(Measure::name);
        let measured = runs.iter().flat_map(|run| &run.measured);
        let mut names: Vec<&str> = Vec::new();
        for name in named.chain(measured.map(|(name, _)| &**name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

fn table(
    sweep: &Sweep,
    values: &[Vec<Value>],
    how: &How,
    runs: &[Swept<Measured>],
) -> PyResult<Data> {
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    let mut repeat = runs.len();
    for ((name, _), values) in sweep.grid.iter().zip(values) {
        // The later parameters and the seeds change the faster.
        repeat = repeat.checked_div(values.len()).unwrap_or(0);
        let of_run = |run: usize| {
            let at = run.checked_div(repeat)?.checked_rem(values.len())?;
            values.get(at)
        };
        columns.push((name.clone(), parameter(values, runs.len(), &of_run)));
    }
    let seeds = (0..runs.len()).map(|run| sweep.seed(run));
    columns.push((
        "seed".into(),
        Arc::new(UInt64Array::from_iter_values(seeds)),
    ));
    for name in how.names(runs) {
        let measured = |run: &Swept<Measured>| {
            let mut measured = run.measured.iter();
            measured
                .find(|(own, _)| own == name)
                .map(|(_, number)| *number)
        };
        let measured: Float64Array = runs.iter().map(measured).collect();
        columns.push((name.to_owned(), Arc::new(measured)));
    }
    for (name, count) in [
        (
            "failed_ticks",
            runs.iter().map(|run| run.failed_ticks).collect::<Vec<_>>(),
        ),
        ("rejected", runs.iter().map(|run| run.rejected).collect()),
    ] {
        columns.push((name.into(), Arc::new(UInt64Array::from(count))));
    }
    let fields = columns.iter().map(|(name, array)| {
        Field::new(
            name,
            array.data_type().clone(),
            *array.data_type() == DataType::Float64,
        )
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
    let batch = batch.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Data::new(schema, vec![batch]))
}

/// The column of a parameter: of numbers or flags if all of its values are, else of texts.
fn parameter<'v>(
    values: &[Value],
    runs: usize,
    of_run: &impl Fn(usize) -> Option<&'v Value>,
) -> ArrayRef {
    let all = || (0..runs).filter_map(of_run);
    if values.iter().all(Value::is_i64) {
        let whole = all().map(|value| value.as_i64().unwrap_or_default());
        return Arc::new(Int64Array::from_iter_values(whole));
    }
    if values.iter().all(Value::is_number) {
        let real = all().map(|value| value.as_f64().unwrap_or(f64::NAN));
        return Arc::new(Float64Array::from_iter_values(real));
    }
    if values.iter().all(Value::is_boolean) {
        return Arc::new(all().map(Value::as_bool).collect::<BooleanArray>());
    }
    let text = all().map(|value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    });
    Arc::new(StringArray::from_iter_values(text))
}
