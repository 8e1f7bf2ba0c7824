//! Compares gametape with its peers: `cargo run --release --manifest-path bench/Cargo.toml`.
//!
//! Results go to stdout, one line per case; everything else goes to stderr. See README.md.

mod alloc;
mod delta;
mod echo;
mod follow;
mod mines;
mod murk;
mod packed;
mod seek;
mod slip;
mod timing;
mod track;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use timing::Pair;

/// Runs the cases of a benchmark whose names contain a text.
type Run = fn(&str);

/// The benchmarks that take a part of a case's name.
const NAMED: &[(&str, Run)] = &[
    ("murk", murk::run),
    ("delta", delta::run),
    ("echo", echo::run),
    ("seek", seek::run),
    ("packed", packed::run),
    ("follow", follow::run),
    ("slip", slip::run),
    ("track", track::run),
];

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    match args.as_slice() {
        [] => {
            mines::run(Vec::new());
            NAMED.iter().for_each(|(_, run)| run(""));
        }
        [first, rest @ ..] if first == "mines" => mines::run(paths(rest)),
        [first, rest @ ..] => match NAMED.iter().find(|(name, _)| first == name) {
            Some((_, run)) => {
                let filter = rest.first().cloned().unwrap_or_default();
                run(&filter.to_string_lossy());
            }
            // The arguments are files and folders, which only this benchmark takes.
            None => mines::run(paths(&args)),
        },
    }
    ExitCode::SUCCESS
}

fn paths(args: &[OsString]) -> Vec<PathBuf> {
    args.iter().map(PathBuf::from).collect()
}

fn report(group: &str, name: &str, pair: Pair) {
    let (ours, peer, ratio) = (pair.ours, pair.peer, pair.ratio());
    println!("{group}/{name} ours={ours:.3} peer={peer:.3} ratio={ratio:.1}");
}
