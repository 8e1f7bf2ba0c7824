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

/// Runs tests and adds up the closing lines of `cargo test` and `node --test`. Without a closing line it is no
/// success.
pub fn counted(command: &mut Command) -> Result<Ran, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (mut passed, mut failed, mut closed) = (0, 0, false);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["test", "result:", rest @ ..] => {
                let number = |what: &str| -> u64 {
                    rest.windows(2)
                        .find(|pair| pair.last() == Some(&what))
                        .and_then(|pair| pair.first()?.parse().ok())
                        .unwrap_or(0)
                };
                passed += number("passed;");
                failed += number("failed;");
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
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Ran {
        passed,
        failed,
        success: output.status.success() && closed,
        skipped: None,
        output: text,
    })
}
