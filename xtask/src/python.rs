//! A Python with the libraries that tests compare our files with.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::root;

/// The variable that names a Python.
pub const VARIABLE: &str = "GAMETAPE_PYTHON";

const NEEDS: [&str; 5] = [
    "boto3==1.44.8",
    "duckdb==2.0.1",
    "moto[server]==5.2.5",
    "polars==2.1.0",
    "pyarrow==26.0.1",
];

/// Returns the Python of the environment, or one in `target/python`, which is made the first time.
pub fn ready() -> Result<PathBuf, String> {
    if let Some(python) = std::env::var_os(VARIABLE) {
        return Ok(python.into());
    }
    let folder = root().join("target/python");
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let has = folder.join("has.txt");
    let needs = NEEDS.join("\n");
    if fs::read_to_string(&has).is_ok_and(|has| has == needs) {
        return Ok(python);
    }
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv"]).arg(&folder);
    let mut install = Command::new(&python);
    install
        .args(["-m", "pip", "install", "--quiet"])
        .args(NEEDS);
    for command in [&mut venv, &mut install] {
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("python3: {error}"))?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            let last = error.lines().last().unwrap_or("it failed");
            return Err(format!("{}: {last}", command.get_program().display()));
        }
    }
    fs::write(&has, needs).map_err(|error| format!("{}: {error}", has.display()))?;
    Ok(python)
}
