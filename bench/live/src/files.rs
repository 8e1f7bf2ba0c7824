//! Segments that are there already, fetched again and again.

use std::time::{Duration, Instant};

use crate::client::{connect, get, recording};
use crate::server::{Running, say};

const LASTS: Duration = Duration::from_secs(5);

pub fn run(connections: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    // Fast, so that there are whole segments soon.
    let server = Running::start(&folder.path().join("match.echoreplay"), 200);
    std::thread::sleep(Duration::from_secs(8));
    let index = recording(&server.address, "match.echoreplay");
    let segments = index["segments"].as_array().expect("segments");
    let largest = segments
        .iter()
        .max_by_key(|segment| segment["bytes"].as_u64());
    let segment = largest.expect("a segment");
    let path = format!(
        "/r/match.echoreplay/{}",
        segment["file"].as_str().expect("a name")
    );
    let (to, path) = (&server.address, &path);
    let before = server.seconds();
    let (bytes, seconds) = std::thread::scope(|scope| {
        let from = Instant::now();
        let all: Vec<_> = (0..connections)
            .map(|at| {
                scope.spawn(move || {
                    let mut streams: Vec<_> = (0..20).map(|n| connect(to, at * 20 + n)).collect();
                    let (mut bytes, mut body) = (0, Vec::new());
                    let from = Instant::now();
                    for turn in 0.. {
                        let stream = &mut streams[turn % 20];
                        if get(stream, to, path, &mut body) != 200 {
                            // It asks too often for its address.
                            continue;
                        }
                        bytes += body.len() as u64;
                        if from.elapsed() > LASTS {
                            break;
                        }
                    }
                    bytes
                })
            })
            .collect();
        let bytes: u64 = all.into_iter().map(|one| one.join().expect("runs")).sum();
        (bytes, from.elapsed().as_secs_f64())
    });
    say(&format!(
        "files/{connections}-connections gb_per_s={:.2} bytes_each={} server_cpu={:.2}",
        bytes as f64 / 1e9 / seconds,
        segment["bytes"],
        (server.seconds() - before) / seconds,
    ));
}
