//! The result of minimising, as data and as sentences.

use std::fmt::Write as _;

use gametape_core::ToDatum;
use serde_json::{Map, Value as Json, json};

use crate::model::payload::ShownValue;
use crate::{Difference, Divergence, Explanation, Slip};

/// A recording of the smallest log.
#[derive(Clone, PartialEq, Debug)]
pub struct MinimisedRecording {
    /// The bytes of the recording. Verified in the same world, it diverges as the first one did.
    pub bytes: Vec<u8>,
    /// The number of ticks before and after.
    pub ticks: [u64; 2],
    /// The number of commands before and after.
    pub commands: [u64; 2],
    /// The number of logs that were tried.
    pub trials: u64,
    /// True if no further single command can be left out.
    pub minimal: bool,
    /// The tick at which it diverges.
    pub tick: u64,
    /// The divergence that its own verification reports.
    pub divergence: Option<Box<Divergence>>,
    /// The explanation that its own verification finds.
    pub explanation: Option<Explanation>,
    /// The first values that differ at that tick, as far as they are known.
    pub differences: Vec<Difference>,
    /// The number of values that differ.
    pub differing: u64,
    /// True if its verification has the same result as that of the first one.
    pub same: bool,
}

impl MinimisedRecording {
    /// Returns a sentence about the divergence.
    #[must_use]
    pub fn fault(&self) -> String {
        let mut text = match &self.divergence {
            Some(divergence) if divergence.cause.value().is_none() && self.differing > 0 => {
                self.named()
            }
            Some(divergence) => divergence.to_string(),
            None => "the result does not diverge".to_owned(),
        };
        // The divergence names the value itself.
        if let Some(found) = &self.explanation
            && found
                .slips
                .iter()
                .any(|slip| !matches!(slip, Slip::Value { .. }))
        {
            // Writing to a string does not fail.
            let _ = write!(text, "; {found}");
        }
        if !self.same {
            text.push_str(". That is not the verdict on the first recording: no shorter log with the same verdict was found");
        }
        text
    }

    /// Returns the slip that explains it, if there is only one.
    #[must_use]
    pub fn slip(&self) -> Option<&Slip> {
        self.explanation.as_ref()?.best()
    }

    /// Returns the differing values, if a hash alone does not determine them.
    fn named(&self) -> String {
        let values: Vec<String> = self
            .differences
            .iter()
            .map(|value| {
                format!(
                    "{} is {} in the replay and was {} when it was recorded",
                    value.place(),
                    ShownValue(value.replayed),
                    ShownValue(value.recorded)
                )
            })
            .collect();
        let mut text = values.join("; ");
        let more = self.differing - self.differences.len() as u64;
        if more > 0 {
            let _ = write!(text, "; and {more} more values differ");
        }
        text
    }

    /// Returns everything as data, without the recording.
    #[must_use]
    pub fn data(&self) -> Json {
        let mut data = Map::new();
        if let Some(divergence) = &self.divergence
            && let Json::Object(found) = Json::from(divergence.to_datum())
        {
            data.extend(found);
        }
        if let [only] = self.differences.as_slice()
            && let Json::Object(value) = Json::from(only.to_datum())
        {
            data.extend(value);
        }
        let more = json!({
            "ticks": self.ticks,
            "commands": self.commands,
            "trials": self.trials,
            "minimal": self.minimal,
            "tick": self.tick,
            "fault": self.fault(),
            "values": Json::from(self.differences.to_datum()),
            "differing": self.differing,
            "slip": self.slip().map(|slip| Json::from(slip.to_datum())),
            "explanation": Json::from(self.explanation.to_datum()),
            "same_verdict": self.same,
        });
        if let Json::Object(more) = more {
            data.extend(more);
        }
        Json::Object(data)
    }
}
