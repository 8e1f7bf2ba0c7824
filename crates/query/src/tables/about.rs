//! The tables about recordings of all kinds, recording by recording.

use std::sync::LazyLock;

use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use gametape::core::Spell as _;
use gametape::{
    ColumnDef, Formats, Kind, Lane, Policy, PolicyError, Recording, Secrets, TableDef, Value,
};
use gametape_core::surface::MarkerKind;
use gametape_core::table::Batch;
use gametape_core::tape;
use gametape_core::{Stamp, Time};

/// A table about recordings of all kinds.
#[derive(Debug)]
pub(crate) enum About {
    /// Descriptions from the headers alone.
    Recordings,
    /// The findings of audits.
    Findings,
    /// The moments that are worth a visit.
    Markers,
    /// The decisions of a policy.
    Verdicts {
        policy: Box<Policy>,
        /// Whether it is that of each format's community.
        is_default: bool,
    },
    /// The data with which a recording is compared with all others: the table `relations` is made of it.
    Traces,
}

impl About {
    /// Returns the table of this name.
    pub fn named(name: &str, policy: Option<Policy>, formats: &Formats) -> Result<Self> {
        let wrong = |error: PolicyError| DataFusionError::External(Box::new(error));
        Ok(match name {
            "recordings" => Self::Recordings,
            "findings" => Self::Findings,
            "markers" => Self::Markers,
            "traces" => Self::Traces,
            "verdicts" => Self::Verdicts {
                is_default: policy.is_none(),
                policy: Box::new(
                    policy
                        .map_or_else(|| Policy::of(formats), Ok)
                        .map_err(wrong)?,
                ),
            },
            unknown => {
                return Err(internal_datafusion_err!(
                    "no table {unknown} about recordings"
                ));
            }
        })
    }

    /// Returns the definition of the table.
    pub fn table(&self) -> &'static TableDef {
        match self {
            Self::Recordings => &RECORDINGS,
            Self::Findings => &FINDINGS,
            Self::Markers => &MARKERS,
            Self::Verdicts { .. } => &VERDICTS,
            Self::Traces => &TRACES,
        }
    }
}

/// Defines a table of facts.
pub(crate) fn columns(
    name: &'static str,
    doc: &'static str,
    columns: &[(&'static str, Kind, &'static str, &'static str)],
) -> TableDef {
    let column = |(name, kind, unit, doc): &(&'static str, Kind, &'static str, &'static str)| {
        ColumnDef::new(*name, *kind, *doc).unit(*unit)
    };
    TableDef {
        columns: columns.iter().map(column).collect(),
        ..TableDef::new(name, Lane::Facts, doc)
    }
}

/// The column that puts the rows of a recording in order.
const NUMBER: (&str, Kind, &str, &str) = (
    "number",
    Kind::Uint,
    "",
    "The place of the row among those of its recording, from 0.",
);

static RECORDINGS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "recordings",
        "The recordings, from their headers; the duration also from all of the recording.",
        &[
            (
                "kind",
                Kind::Text,
                "",
                "The kind of recording: the name of the schema of its tables.",
            ),
            ("format", Kind::Text, "", "The format."),
            (
                "format_version",
                Kind::Uint,
                "",
                "The version of the format.",
            ),
            ("bytes", Kind::Uint, "bytes", "The size of the file."),
            (
                "duration_ms",
                Kind::Uint,
                "ms",
                "The time from the first step to the last. Where the header does not say it, the recording is read to its end, or to the damage.",
            ),
            // A time without its zone is no moment, so it can't be in a column of moments.
            (
                "started_at",
                Kind::Text,
                "UTC",
                "When it started; null where the header does not say it in UTC.",
            ),
            (
                "started_local",
                Kind::Text,
                "local time",
                "When it started, in a zone that the header does not say; null where it says none.",
            ),
            (
                "problem",
                Kind::Text,
                "",
                "Why the header can be read only in part; null if it can.",
            ),
        ],
    )
});

static FINDINGS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "findings",
        "The findings of the audit of each recording.",
        &[
            NUMBER,
            ("code", Kind::Text, "", "The code of the rule."),
            (
                "severity",
                Kind::Text,
                "",
                "How much it matters: `error`, `warning` or `info`.",
            ),
            (
                "step",
                Kind::Uint,
                "",
                "The step; null for a finding about the whole recording.",
            ),
            ("tick", Kind::Uint, "", "The recording's own counter."),
            ("time_ms", Kind::Float64, "ms", "The time since the start."),
            ("line", Kind::Uint, "", "The line of a text, from 1."),
            ("offset", Kind::Uint, "bytes", "The place in the file."),
            (
                "offset_in",
                Kind::Text,
                "",
                "The container that the place is in, if it is not the file itself.",
            ),
            (
                "repeats",
                Kind::Uint,
                "",
                "How many more times the same was found after this place.",
            ),
            ("message", Kind::Text, "", "The sentence."),
            ("data", Kind::Text, "", "The data of the sentence, as JSON."),
        ],
    )
});

static MARKERS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "markers",
        "The moments of each recording that are worth a visit: events, and findings.",
        &[
            NUMBER,
            (
                "step",
                Kind::Uint,
                "",
                "The step; null for a finding about the whole recording.",
            ),
            ("tick", Kind::Uint, "", "The recording's own counter."),
            ("time_ms", Kind::Float64, "ms", "The time since the start."),
            (
                "kind",
                Kind::Text,
                "",
                "`event`, or the severity of a finding.",
            ),
            (
                "source",
                Kind::Text,
                "",
                "The name of the table, or the code of the rule.",
            ),
            ("text", Kind::Text, "", "What happens."),
            (
                "count",
                Kind::Uint,
                "",
                "The number of events that the marker stands for.",
            ),
        ],
    )
});

static VERDICTS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "verdicts",
        "The decision of the policy about each recording.",
        &[
            (
                "verdict",
                Kind::Text,
                "",
                "`pass`, `warn` or `fail`: the result of the audit alone.",
            ),
            (
                "admitted",
                Kind::Bool,
                "",
                "Whether the policy admits the recording; null if it says nothing of the format.",
            ),
            (
                "reasons",
                Kind::Text,
                "",
                "All reasons to reject it, separated by spaces: codes of findings, `policy.class`, and `policy.require:outcome` for a condition on this column.",
            ),
            ("summary", Kind::Text, "", "The recording in a few words."),
        ],
    )
});

static TRACES: LazyLock<TableDef> = LazyLock::new(|| {
    let mut table = columns(
        "traces",
        "The data with which a recording is compared with all others.",
        &[
            ("code", Kind::Text, "", "The code of the relation."),
            (
                "hash",
                Kind::Uint,
                "",
                "A print, or the person who was busy.",
            ),
            (
                "bits",
                Kind::Uint,
                "",
                "The strength of a print; null for a time.",
            ),
            ("from_ms", Kind::Int, "ms", "The latest possible start."),
            ("to_ms", Kind::Int, "ms", "The earliest possible end."),
        ],
    );
    if let Some(hash) = table
        .columns
        .iter_mut()
        .find(|column| column.name == "hash")
    {
        hash.wide = true;
    }
    table
});

pub(crate) static RELATIONS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "relations",
        "The relations between recordings that should be independent, such as the same game twice: a row for each pair, from both sides.",
        &[
            ("code", Kind::Text, "", "The code of the rule."),
            (
                "severity",
                Kind::Text,
                "",
                "How much it matters: `error`, `warning` or `info`.",
            ),
            ("kind", Kind::Text, "", "The relation, such as `same-game`."),
            ("other", Kind::Text, "", "The other recording."),
            (
                "more",
                Kind::Uint,
                "",
                "How many more recordings are related in this way, at least, and have no row: of more than 64, the first 8 have one.",
            ),
            (
                "expected",
                Kind::Float64,
                "",
                "How many pairs, among all recordings, are expected to share this much by chance.",
            ),
            ("message", Kind::Text, "", "The sentence."),
        ],
    )
});

/// A problem without the path before it, which the column `recording` has.
fn without_path(recording: &Recording, problem: &str) -> String {
    let path = format!("{}: ", recording.path().spelled());
    problem.strip_prefix(&path).unwrap_or(problem).to_owned()
}

impl About {
    /// Returns the rows of a recording. `needs` says whether a column is asked for.
    pub fn rows(
        &self,
        recording: &Recording,
        secrets: Secrets,
        needs: impl Fn(&str) -> bool,
    ) -> Result<Batch, gametape::Error> {
        let table = self.table();
        let mut rows = Batch::new(table.columns.iter().map(|column| column.kind));
        let mut row = |values: Vec<Value<'_>>| rows.push(Stamp::default(), values);
        match self {
            Self::Recordings => {
                let header = recording.header(secrets)?;
                let problem = header.problem.as_ref();
                let problem = problem.map(|problem| without_path(recording, &problem.to_string()));
                let info = header.value;
                let (utc, local) = match &info.started {
                    Some(tape::Started::Utc(at)) => (Some(at.as_str()), None),
                    Some(tape::Started::Local(at)) => (None, Some(at.as_str())),
                    None => (None, None),
                };
                let duration_ms = match info.duration_ms {
                    // The recording knows it if the header does not; of a broken one, its readable part.
                    None if needs("duration_ms") => {
                        let whole = recording.info(secrets).ok();
                        whole.and_then(|whole| whole.value.duration_ms)
                    }
                    said => said,
                };
                row(vec![
                    recording.format().kind().into(),
                    info.format.into(),
                    info.format_version.into(),
                    info.bytes.into(),
                    duration_ms.into(),
                    utc.into(),
                    local.into(),
                    problem.as_deref().into(),
                ]);
            }
            Self::Findings => {
                for (number, finding) in (0_u64..).zip(&recording.audit()?.findings) {
                    let place = &finding.place;
                    let data = finding.rule.data.iter();
                    let data: serde_json::Map<String, serde_json::Value> = data
                        .map(|(key, value)| ((*key).to_owned(), value.clone().into()))
                        .collect();
                    let data = serde_json::Value::from(data).to_string();
                    row(vec![
                        number.into(),
                        finding.code().into(),
                        finding.severity().name().into(),
                        place.step.into(),
                        place.tick.into(),
                        place.time.map(Time::ms).into(),
                        place.line.into(),
                        place.offset.into(),
                        place.within.as_deref().into(),
                        finding.repeats.into(),
                        finding.message().as_str().into(),
                        data.as_str().into(),
                    ]);
                }
            }
            Self::Markers => {
                let audit = recording.audit()?;
                for (number, marker) in (0_u64..).zip(recording.markers(&audit, secrets)?) {
                    let stamp = marker.stamp;
                    row(vec![
                        number.into(),
                        stamp.map(|stamp| stamp.step).into(),
                        stamp.and_then(|stamp| stamp.tick).into(),
                        stamp.and_then(|stamp| stamp.time).map(Time::ms).into(),
                        match marker.kind {
                            MarkerKind::Event => "event",
                            MarkerKind::Finding(severity) => severity.name(),
                        }
                        .into(),
                        marker.source.as_str().into(),
                        marker.text.as_str().into(),
                        marker.count.into(),
                    ]);
                }
            }
            Self::Verdicts { policy, .. } => {
                let audit = recording.audit()?;
                let decision = policy.judge(recording, &audit)?;
                let reasons = decision.reasons.iter();
                let reasons: Vec<String> = reasons.map(gametape::Reason::label).collect();
                row(vec![
                    audit.verdict().to_string().as_str().into(),
                    decision.admitted.into(),
                    reasons.join(" ").as_str().into(),
                    audit.summary.as_str().into(),
                ]);
            }
            Self::Traces => {
                let traces = recording.audit()?.traces;
                let relations = recording.format().relations();
                let code = |at: usize| Value::from(relations.get(at).map(|def| def.code));
                for print in &traces.prints {
                    row(vec![
                        code(print.relation),
                        print.hash.into(),
                        u64::from(print.bits).into(),
                        Value::Null,
                        Value::Null,
                    ]);
                }
                for busy in &traces.busy {
                    row(vec![
                        code(busy.relation),
                        busy.who.into(),
                        Value::Null,
                        busy.from.into(),
                        busy.to.into(),
                    ]);
                }
            }
        }
        Ok(rows)
    }
}
