//! Transcripts: each file in `tests/transcripts` shows what a user types and sees.
//!
//! The first line names the folder that is prepared (`folder: delta`, see [`prepared`]). Each section (`## …`)
//! has a copy of its own. There a shell runs the lines that begin with `$ `, one after the other; lines that
//! begin with `>` go on with a command. Below it stands what came: `? 2` if the exit code is not 0, standard
//! output, and standard error with `! ` before each line. `[..]` stands for anything in a line, `...` for any
//! lines; times are always `[..]`. `overwrite FILE OFFSET BYTES` changes bytes, which are written as for
//! `printf`. The shell and its commands are those of Linux.
//!
//! `SNAPSHOTS=overwrite` writes down what came; `TRANSCRIPTS=delta/` runs only files with that in their path.

mod prepared;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use snapbox::cmd::cargo_bin;
use snapbox::data::{DataFormat, IntoData};
use snapbox::filter::NormalizeToExpected;
use snapbox::{Assert, Data};

use crate::common::files;

const TOOLS: &str =
    r#"overwrite() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }"#;

#[test]
fn what_users_type_and_see() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let only = env::var("TRANSCRIPTS").unwrap_or_default();
    let mut files = files(&root);
    files.retain(|path| path.display().to_string().contains(&only));
    let wrong = |path: &PathBuf| {
        let expected = Data::read_from(path, Some(DataFormat::Text)).raw();
        let came = played(&fs::read_to_string(path).unwrap()).into_data().raw();
        let compared = Assert::new().action_env(snapbox::assert::DEFAULT_ACTION_ENV);
        let wrong = compared.try_eq(None, came, expected).err()?;
        Some(format!("{}\n{wrong}", path.display()))
    };
    let wrong: Vec<String> = files.par_iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The transcript as it is when all its commands are run now.
fn played(transcript: &str) -> String {
    let folder = transcript.lines().next().unwrap();
    let folder = folder.strip_prefix("folder: ").expect("the folder's name");
    let sections: Vec<&str> = transcript.split("\n## ").collect();
    let sections = sections
        .par_iter()
        .map(|section| played_in(folder, section));
    sections.collect::<Vec<String>>().join("\n## ")
}

fn played_in(folder: &str, section: &str) -> String {
    let folder = prepared::copy(folder);
    let mut came = String::new();
    let mut lines = section.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        came += line;
        let Some(command) = line.strip_prefix("$ ") else {
            continue;
        };
        let mut command = command.to_owned();
        while let Some(line) = lines.next_if(|line| line.starts_with('>')) {
            let more = &line[1..];
            command += more.strip_prefix(' ').unwrap_or(more);
            came += line;
        }
        let mut expected = String::new();
        let is_output = |line: &&str| !line.starts_with("$ ") && !line.starts_with("```");
        while let Some(line) = lines.next_if(is_output) {
            expected += line;
        }
        let output = run(folder.path(), &command).into_data().raw();
        let pattern = NormalizeToExpected::new().redact();
        came += &pattern
            .normalize(output, &expected.into_data().raw())
            .to_string();
    }
    came
}

/// What a terminal shows of a command.
fn run(folder: &Path, command: &str) -> String {
    let beside = cargo_bin("gametape").parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([beside].into_iter().chain(env::split_paths(&path)));
    let output = Command::new("sh")
        .args(["-c", &format!("{TOOLS}\n{command}")])
        .current_dir(folder)
        .envs([("NO_COLOR", "1"), ("LC_ALL", "C")])
        .env("PATH", path.unwrap())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let code = match output.status.code() {
        Some(0) => String::new(),
        Some(code) => format!("? {code}\n"),
        None => "? killed\n".to_owned(),
    };
    let lines = |bytes: &[u8], before: &str| -> String {
        let text = String::from_utf8_lossy(bytes);
        let lines = text.split_terminator('\n').map(visible);
        let lines = lines.map(|line| format!("{before}{line}").trim_end().to_owned() + "\n");
        lines.collect()
    };
    code + &lines(&output.stdout, "") + &lines(&output.stderr, "! ")
}

/// A line in which control characters are seen, and times are not.
fn visible(line: &str) -> String {
    let timed = ["B in ", "\"took_s\":"].iter().find_map(|label| {
        let (before, after) = line.split_once(label)?;
        let rest =
            after.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        Some(format!("{before}{label}[..]{rest}"))
    });
    let line = timed.as_deref().unwrap_or(line);
    let letters = line.chars().map(|letter| match letter {
        letter if letter.is_control() || letter == '\u{feff}' => {
            letter.escape_default().to_string()
        }
        letter => letter.to_string(),
    });
    letters.collect()
}
