//! A Python with the libraries that tests compare our files with, and the Python package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::ran::{Ran, counted};
use crate::{cargo, root, run};

/// The variable that names a Python.
pub const VARIABLE: &str = "GAMETAPE_PYTHON";

/// The name of the tests of the package.
pub const PACKAGE: &str = "the Python package";

const NEEDS: [&str; 18] = [
    "boto3==1.44.8",
    "duckdb==2.0.1",
    "furo==2025.12.19",
    "hypothesis==6.170.17",
    "ipykernel==7.4.0",
    "jupytext==1.19.6",
    "kubernetes-validate==1.37.0",
    "matplotlib==3.11.2",
    "maturin==1.16.0",
    "moto[server]==5.2.5",
    "mypy==2.4.1",
    "myst-nb==1.4.0",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "polars==2.1.0",
    "pyarrow==26.0.1",
    "pytest==9.2.0",
    "sphinx==9.0.4",
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

/// Installs the package and runs its tests, which need the command.
pub fn test(python: &Path, command: &Path) -> Result<Ran, String> {
    let output = Command::new(python)
        .args([
            "-c",
            "import furo, hypothesis, ipykernel, jupytext, matplotlib, maturin, mypy, myst_nb, numpy, pandas, \
             pytest, sphinx",
        ])
        .output();
    let output = output.map_err(|error| format!("{}: {error}", python.display()))?;
    if !output.status.success() {
        // A Python of the caller's.
        let error = String::from_utf8_lossy(&output.stderr);
        let last = error.lines().last().unwrap_or("it does not run");
        return Ok(Ran::skipped(&format!("{}: {last}", python.display())));
    }
    develop(python)?;
    counted(
        Command::new(python)
            .args(["-m", "pytest", "--quiet", "-rs", "-p", "no:cacheprovider"])
            .env("GAMETAPE_COMMAND", command)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(folder()),
    )
}

/// Builds the package as the tests are built, and installs it beside the libraries.
fn develop(python: &Path) -> Result<(), String> {
    let output = maturin(python).args(["develop", "--quiet"]).output();
    let output = output.map_err(|error| format!("maturin: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Builds the documentation of the package as a site, with the notebooks, which open the demo's recordings.
pub fn docs() -> Result<(), String> {
    let python = ready()?;
    develop(&python)?;
    let demo = root().join("target/python-docs/demo");
    run(cargo()
        .args(["run", "--quiet", "--package", "gametape-cli", "--", "demo"])
        .arg(&demo)
        .stdout(Stdio::null()))?;
    let site = root().join("target/python-docs/html");
    run(Command::new(&python)
        .args([
            "-m",
            "sphinx",
            "--quiet",
            "--fail-on-warning",
            "--fresh-env",
        ])
        .args([folder().join("docs"), site.clone()])
        .env("GAMETAPE_DEMO", &demo)
        .env("PYTHONDONTWRITEBYTECODE", "1"))?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// Builds the wheels for release: that of the package and, if asked for, that of its extra.
pub fn wheel(args: &[&str]) -> Result<(), String> {
    let folders = match args {
        [] => vec![folder()],
        ["sql"] => vec![folder(), folder().join("sql")],
        _ => return Err(format!("there is no extra {}", args.join(" "))),
    };
    let python = ready()?;
    let to = root().join("target/wheels");
    for folder in folders {
        run(maturin(&python)
            .args(["build", "--release", "--out"])
            .arg(&to)
            .current_dir(folder))?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    root().join("bindings/python")
}

fn maturin(python: &Path) -> Command {
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin"]).current_dir(folder());
    // It calls cargo.
    crate::without_ours(&mut maturin);
    // The environment that it installs into.
    if let Some(environment) = python.parent().and_then(Path::parent) {
        maturin.env("VIRTUAL_ENV", environment);
    }
    maturin
}
