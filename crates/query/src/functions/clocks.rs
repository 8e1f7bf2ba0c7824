//! Functions of SQL that ask the clock of a recording.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use gametape::{At, Playback, Time};
use gametape_core::Stamp;

use crate::archive::Archive;
use crate::tables::state::is_missing;

/// Returns `time_at(recording, tick)` and `tick_at(recording, time_ms)`. They give null for what is not
/// recorded.
pub(crate) fn all(archive: &Arc<Archive>) -> [ScalarUDF; 2] {
    let own = Arc::clone(archive);
    let time_at = move |args: &[ColumnarValue]| -> Result<ColumnarValue> {
        let args = ColumnarValue::values_to_arrays(args)?;
        let at = |tick: i64| Some(At::Tick(u64::try_from(tick).ok()?));
        let ticks = args
            .get(1)
            .and_then(|ticks| ticks.as_primitive_opt::<Int64Type>());
        let ticks = ticks.ok_or_else(wrong)?;
        let stamps = stamps(
            &own,
            args.first(),
            ticks.iter().map(|tick| tick.and_then(at)),
        )?;
        let time = |stamp: &Option<Stamp>| Some(stamp.as_ref()?.time?.ms());
        let times: Float64Array = stamps.iter().map(time).collect();
        Ok(ColumnarValue::Array(Arc::new(times)))
    };
    let own = Arc::clone(archive);
    let tick_at = move |args: &[ColumnarValue]| -> Result<ColumnarValue> {
        let args = ColumnarValue::values_to_arrays(args)?;
        let at = |ms: f64| {
            let is_time = ms.is_finite() && ms.abs() < 1e15;
            is_time.then(|| At::Time(Time::from_ms(ms.floor() as i64)))
        };
        let times = args
            .get(1)
            .and_then(|times| times.as_primitive_opt::<Float64Type>());
        let times = times.ok_or_else(wrong)?;
        let stamps = stamps(
            &own,
            args.first(),
            times.iter().map(|time| time.and_then(at)),
        )?;
        let tick = |stamp: &Option<Stamp>| i64::try_from(stamp.as_ref()?.tick?).ok();
        let ticks: Int64Array = stamps.iter().map(tick).collect();
        Ok(ColumnarValue::Array(Arc::new(ticks)))
    };
    [
        create_udf(
            "time_at",
            vec![DataType::Utf8, DataType::Int64],
            DataType::Float64,
            Volatility::Stable,
            Arc::new(time_at),
        ),
        create_udf(
            "tick_at",
            vec![DataType::Utf8, DataType::Float64],
            DataType::Int64,
            Volatility::Stable,
            Arc::new(tick_at),
        ),
    ]
}

fn wrong() -> datafusion::error::DataFusionError {
    internal_datafusion_err!("a function of clocks without its arguments")
}

/// Returns the stamp of the newest step that is not after each moment.
fn stamps(
    archive: &Arc<Archive>,
    recordings: Option<&ArrayRef>,
    moments: impl Iterator<Item = Option<At>>,
) -> Result<Vec<Option<Stamp>>> {
    let names = recordings.and_then(|names| names.as_string_opt::<i32>());
    let names = names.ok_or_else(wrong)?;
    // Rows of one recording mostly come one after the other.
    let mut open: Option<(&str, Option<Playback>)> = None;
    let mut stamp = |name, at: Option<At>| {
        let (name, at): (&str, At) = (name?, at?);
        if open.as_ref().is_none_or(|(own, _)| *own != name) {
            let play = archive.named(name)?;
            let play = play.and_then(|recording| recording.playback());
            let play = play.map_err(|error| archive.note(name, error.to_string()));
            open = Some((name, play.ok()));
        }
        let (_, play) = open.as_mut()?;
        match play.as_mut()?.seek(at) {
            Ok(stamp) => Some(stamp),
            // After its end, the newest step is the last.
            Err(error) if is_missing(&error) => {
                let last = play.as_ref()?.span().last;
                let is_after = matches!(at, At::Time(_)) && at.order(last)? == Ordering::Less;
                is_after.then_some(last)
            }
            Err(error) => {
                archive.note(name, error.to_string());
                None
            }
        }
    };
    let mut stamps = Vec::new();
    for (name, at) in names.iter().zip(moments) {
        stamps.push(stamp(name, at));
    }
    Ok(stamps)
}
