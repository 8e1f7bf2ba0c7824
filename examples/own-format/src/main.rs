//! The command over it: no verb was written for it. `default-features = true` of `gametape` brings gametape's own formats.

fn main() -> std::process::ExitCode {
    gametape_cli::run(gametape::formats().with(own_format::Track))
}
