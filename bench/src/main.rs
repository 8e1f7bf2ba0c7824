//! Compares gametape with its peers: `cargo run --release --manifest-path bench/Cargo.toml`.
//!
//! Results go to stdout, one line per case; everything else goes to stderr. See README.md.

mod alloc;
mod delta;
mod echo;
mod follow;
mod mines;
mod murk;
mod seek;
mod slip;
mod timing;

use std::process::ExitCode;

use timing::Pair;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    let name = args.peek().and_then(|arg| arg.to_str()).map(str::to_owned);
    match name.as_deref() {
        None => {
            mines::run(Vec::new());
            murk::run("");
            delta::run("");
            echo::run("");
            seek::run("");
            follow::run("");
            slip::run("");
        }
        Some("mines") => mines::run(args.skip(1).map(Into::into).collect()),
        Some("murk") => {
            let filter = args.nth(1).unwrap_or_default();
            murk::run(&filter.to_string_lossy());
        }
        Some("delta") => {
            let filter = args.nth(1).unwrap_or_default();
            delta::run(&filter.to_string_lossy());
        }
        Some("echo") => {
            let filter = args.nth(1).unwrap_or_default();
            echo::run(&filter.to_string_lossy());
        }
        Some("seek") => {
            let filter = args.nth(1).unwrap_or_default();
            seek::run(&filter.to_string_lossy());
        }
        Some("follow") => {
            let filter = args.nth(1).unwrap_or_default();
            follow::run(&filter.to_string_lossy());
        }
        Some("slip") => {
            let filter = args.nth(1).unwrap_or_default();
            slip::run(&filter.to_string_lossy());
        }
        // The arguments are files and folders, which only this benchmark takes.
        Some(_) => mines::run(args.map(Into::into).collect()),
    }
    ExitCode::SUCCESS
}

fn report(group: &str, name: &str, pair: Pair) {
    let (ours, peer, ratio) = (pair.ours, pair.peer, pair.ratio());
    println!("{group}/{name} ours={ours:.3} peer={peer:.3} ratio={ratio:.1}");
}
