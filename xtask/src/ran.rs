//! Tests that ran, and their closing lines.

use std::process::{Command, Stdio};

/// How tests ended.
#[derive(Default)]
pub struct Ran {
    pub passed: u64,
    pub failed: u64,
    pub success: bool,
    /// Why it was not run.
    pub skipped: Option<String>,
    /// Everything that they printed.
    pub output: String,
}

impl Ran {
    pub fn skipped(why: &str) -> Self {
        Self {
            success: true,
            skipped: Some(why.to_owned()),
            ..Self::default()
        }
    }
}

/// Runs tests and adds up the closing lines of `cargo test`, `node --test` and `pytest`. Without a closing line it is no
/// success.
pub fn counted(command: &mut Command) -> Result<Ran, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (passed, failed, closed) = closing(&text);
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Ran {
        passed,
        failed,
        success: output.status.success() && closed,
        skipped: None,
        output: text,
    })
}

/// Adds up the closing lines, and says whether there is one.
fn closing(text: &str) -> (u64, u64, bool) {
    let (mut passed, mut failed, mut closed) = (0, 0, false);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |what: &str| -> u64 {
            words
                .windows(2)
                .find(|pair| {
                    pair.last().map(|word| word.trim_end_matches([',', ';'])) == Some(what)
                })
                .and_then(|pair| pair.first()?.parse().ok())
                .unwrap_or(0)
        };
        match words.as_slice() {
            ["test", "result:", ..] => {
                passed += number("passed");
                failed += number("failed");
                closed = true;
            }
            // `1 failed, 52 passed, 2 skipped in 21.33s`, and after it perhaps `(0:01:02)`.
            [count, _, .., "in", took] | [count, _, .., "in", took, _]
                if count.parse::<u64>().is_ok()
                    && is_seconds(took)
                    && number("passed") + number("failed") > 0 =>
            {
                passed += number("passed");
                failed += number("failed") + number("error") + number("errors");
                closed = true;
            }
            ["ℹ", "pass", count] => {
                passed += count.parse().unwrap_or(0);
                closed |= passed > 0;
            }
            ["ℹ", "fail" | "cancelled", count] => failed += count.parse().unwrap_or(0),
            _ => {}
        }
    }
    (passed, failed, closed)
}

/// Whether a word is a time such as `21.33s`. Other programs count what failed in a file.
fn is_seconds(word: &str) -> bool {
    word.strip_suffix('s')
        .is_some_and(|number| number.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::closing;

    #[test]
    fn each_tool_closes_in_its_own_way() {
        let cargo = "test result: FAILED. 3 passed; 1 failed; 0 ignored; finished in 0.02s\n";
        assert_eq!(closing(&cargo.repeat(2)), (6, 2, true));
        assert_eq!(closing("ℹ pass 12\nℹ fail 1\n"), (12, 1, true));
        for (line, wanted) in [
            ("17 passed in 52.37s", (17, 0, true)),
            ("1 failed, 13 passed, 2 skipped in 39.63s", (13, 1, true)),
            ("1 failed in 3.00s", (0, 1, true)),
            ("2 passed, 1 error in 82.99s (0:01:22)", (2, 1, true)),
            ("17 files written in 3s", (0, 0, false)),
            ("no tests ran in 0.01s", (0, 0, false)),
        ] {
            assert_eq!(closing(line), wanted, "{line}");
        }
    }
}
