//! Errors of a cluster in words.
//!
//! On its way from an executor to the client, an error becomes a text: the form that Rust prints for
//! programmers, within sentences about jobs, stages and tasks. Its own words are the first text in quotes.

use datafusion::common::DataFusionError;

/// Sentences that come before an error.
const BEFORE: [&str; 6] = [
    "Execution error: ",
    "Task failed due to runtime execution error: ",
    "Task failed due to IO error: ",
    "Fail to execute query due to ",
    "DataFusion error: ",
    "IO error: ",
];

/// Returns an error with its own words; `cluster` is the address of the scheduler.
pub fn plain(error: DataFusionError, cluster: &str) -> DataFusionError {
    let text = error.strip_backtrace();
    if text.contains("tonic::transport::Error") || text.contains("GrpcConnectionError") {
        return DataFusionError::Execution(format!("no scheduler answers at {cluster}"));
    }
    if text.contains("h2 protocol error") {
        let lost = "the connection to an executor broke off: if it was lost, ask again";
        return DataFusionError::Execution(lost.to_owned());
    }
    let own = own_words(&text);
    if own == text {
        return error;
    }
    if own.contains("(os error ") && !own.contains("an executor") {
        return DataFusionError::Execution(format!("an executor: {own}"));
    }
    DataFusionError::Execution(own)
}

fn own_words(text: &str) -> String {
    let mut rest = text;
    loop {
        let before = rest;
        for sentence in BEFORE {
            rest = rest.strip_prefix(sentence).unwrap_or(rest);
        }
        // "Job 038GQ failed: Job failed due to stage 2 failed: "
        if rest.starts_with("Job ")
            && let Some((_, after)) = rest.split_once(" failed: ")
        {
            rest = after;
        }
        // "Tasks [0, 1] in Stage 1 failed 4 times, fail the stage, most recent failure reason: "
        if rest.starts_with("Task")
            && let Some((_, after)) = rest.split_once("most recent failure reason: ")
        {
            rest = after;
        }
        if rest == before {
            break;
        }
    }
    if let Some(quoted) = rest.strip_prefix('"') {
        return own_words(&unquoted(quoted));
    }
    let is_form = rest
        .split_once(['(', '{'])
        .is_some_and(|(name, _)| name.trim().bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let quoted = rest.split_once('"').map(|(_, quoted)| unquoted(quoted));
    let mut own = match quoted {
        Some(quoted) if is_form && !quoted.is_empty() => quoted,
        None if is_form && rest.trim().ends_with(')') => innermost(rest),
        _ => rest.trim().to_owned(),
    };
    // Within a form, a sentence may be another one of these.
    if own != text {
        own = own_words(&own);
    }
    own
}

/// Returns the innermost name of a form in words: `ArrowError(DivideByZero)` is "divide by zero".
fn innermost(form: &str) -> String {
    let name = form.trim().trim_end_matches(')');
    let name = name.rsplit('(').next().unwrap_or(name);
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// Returns a text in quotes up to its end, as it was before it was quoted.
fn unquoted(quoted: &str) -> String {
    let mut text = String::new();
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => break,
            },
            letter => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::own_words;

    #[test]
    fn an_error_keeps_its_own_words() {
        for (text, own) in [
            (
                "Execution error: Job 038 failed: Job failed due to stage 2 failed: Task failed due to runtime execution error: DataFusionError(Shared(External(ArrowError(InvalidArgumentError(\"it is \\\"wrong\\\"\")))))\n\n",
                "it is \"wrong\"",
            ),
            (
                "Execution error: no such thing (as this)",
                "no such thing (as this)",
            ),
            (
                "Arrow error: Divide by zero error",
                "Arrow error: Divide by zero error",
            ),
            (
                "Job 0 failed: Job failed due to stage 1 failed: Task failed due to runtime execution error: DataFusionError(Shared(External(ArrowError(DivideByZero))))\n",
                "divide by zero",
            ),
            (
                r#"Job 0 failed: Job failed due to stage 1 failed: Tasks [0, 1] in Stage 1 failed 4 times, fail the stage, most recent failure reason: "Task failed due to IO error: DataFusionError(Shared(External(DataFusionError(IoError(Custom { kind: NotFound, error: \"/out: an executor has no such folder\" })))))""#,
                "/out: an executor has no such folder",
            ),
            (
                "Fail to execute query due to PlanParsingFailure(\"Error during planning: no\")",
                "Error during planning: no",
            ),
        ] {
            assert_eq!(own_words(text), own);
        }
    }
}
