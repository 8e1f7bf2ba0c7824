//! Load for the server: `cargo run --release --manifest-path bench/live/Cargo.toml`.
//!
//! The server runs in a process of its own, so that its memory and its time can be told from those of the
//! viewers. Results go to stdout, one line a case. See README.md, "Live".

mod client;
mod files;
mod making;
mod server;
mod viewers;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, usual: usize| args.get(at).map_or(usual, |n| n.parse().expect("a number"));
    match args.first().map(String::as_str) {
        Some("server") => server::run(&args[1], number(2, 20)),
        Some("viewers") => viewers::run(number(1, 2000), number(2, 20), number(3, 30)),
        Some("files") => files::run(number(1, 8)),
        Some("making") => making::run(number(1, 300)),
        None => {
            making::run(300);
            files::run(8);
            viewers::run(2000, 20, 30);
        }
        Some(other) => {
            eprintln!("{other}? viewers [COUNT HZ SECONDS], files [CONNECTIONS], making [SECONDS]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
