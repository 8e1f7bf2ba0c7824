//! The server, asked by friends and others.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::read::GzDecoder;
use gametape_live::server::{ServeOptions, Server};
use gametape_live::{Error, Page};
use serde_json::Value as Json;

use crate::kit::{library, options, serve};

/// The id of `old/b c.rmv`.
const BELOW: &str = "old-b-c.rmv-1716186786";

#[test]
fn a_library_is_listed_and_its_recordings_are_made_when_they_are_asked_for() {
    let served = serve(library(), options());
    let listed = served.get("/library.json").json();
    let entries = listed["recordings"].as_array().unwrap();
    let ids: Vec<&str> = entries
        .iter()
        .map(|entry| entry["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["a.rmv", BELOW]);
    assert!(entries[0]["verdict"].is_null());
    let index = served.recording(BELOW);
    assert_eq!(index["name"], "b c.rmv");
    for segment in index["segments"].as_array().unwrap() {
        let path = format!("/r/{BELOW}/{}", segment["file"].as_str().unwrap());
        let answer = served.get(&path);
        assert_eq!(
            (answer.status, answer.body.len() as u64),
            (200, segment["bytes"].as_u64().unwrap())
        );
        assert_eq!(
            answer.headers["cache-control"],
            "public, max-age=31536000, immutable"
        );
        let mut records = Vec::new();
        GzDecoder::new(&answer.body[..])
            .read_to_end(&mut records)
            .unwrap();
        assert_eq!(records[0], 1);
        let tag = answer.headers["etag"].clone();
        let again = served.get_with(&path, &[("If-None-Match", &tag)]);
        assert_eq!((again.status, again.body.len()), (304, 0));
        let part = served.get_with(&path, &[("Range", "bytes=2-5")]);
        assert_eq!((part.status, &part.body[..]), (206, &answer.body[2..6]));
    }
    // Now the verdict of the audit is known.
    let listed = served.get("/library.json").json();
    assert!(listed["recordings"][1]["verdict"].is_string());
    assert_eq!(served.get("/r/nobody/recording.json").status, 404);
}

#[test]
fn a_recording_has_the_same_id_whatever_else_there_is() {
    let folder = library();
    let games = folder.path().join("games");
    let ids = |roots: &[&str]| {
        let page = Page::read(&folder.path().join("dist")).unwrap();
        let roots: Vec<PathBuf> = roots.iter().map(|root| folder.path().join(root)).collect();
        Server::bind(&roots, gametape::formats(), page, options())
            .unwrap()
            .ids()
    };
    let first = ids(&["games"]);
    assert_eq!(first, ["a.rmv", "notes.txt", BELOW]);
    // Each of them had the id of `old/b c.rmv` once, if it was found first.
    for name in ["old-b-c.rmv", "old b-c.rmv", "old b c.rmv", "0.rmv"] {
        fs::copy(games.join("a.rmv"), games.join(name)).unwrap();
    }
    let more = ids(&["games"]);
    assert_eq!(more.len(), first.len() + 4, "{more:?}");
    assert!(first.iter().all(|id| more.contains(id)), "{more:?}");
    // A file beside the folder does not take the name of one that is put there.
    fs::copy(games.join("a.rmv"), folder.path().join("1.rmv")).unwrap();
    let beside = ids(&["games", "1.rmv"]);
    fs::copy(games.join("a.rmv"), games.join("1.rmv")).unwrap();
    let after = ids(&["1.rmv", "games/0.rmv", "games"]);
    assert_eq!(after.len(), more.len() + 2, "{after:?}");
    assert!(beside.iter().all(|id| after.contains(id)), "{after:?}");
    fs::remove_file(games.join("1.rmv")).unwrap();
    // Below several folders, whatever their order.
    fs::create_dir(folder.path().join("more")).unwrap();
    fs::copy(games.join("a.rmv"), folder.path().join("more/a.rmv")).unwrap();
    let both = ids(&["games", "more"]);
    assert_eq!(both.len(), more.len() + 1, "{both:?}");
    assert_eq!(both, ids(&["more", "games"]));
    let files = ["games/a.rmv", "more/a.rmv", "games/0.rmv"];
    let named = ids(&files);
    assert!(named.contains(&"0.rmv".to_owned()), "{named:?}");
    assert_eq!(
        (named.len(), &named),
        (3, &ids(&[files[1], files[0], files[2]]))
    );
}

#[test]
fn an_archive_is_served_as_its_folder_is() {
    let folder = library();
    let read = |name: &str| fs::read(folder.path().join("games").join(name)).unwrap();
    let files = ["a.rmv", "notes.txt", "old/b c.rmv"].map(|name| (name, read(name)));
    let files = files.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    let zip = gametape_testkit::archive::pack("deflate.zip", &files);
    let plain = serve(library(), options());
    let made = plain.recording(BELOW);
    // In its folder, and alone.
    let games = folder.path().join("games");
    fs::remove_dir_all(&games).unwrap();
    fs::create_dir(&games).unwrap();
    fs::write(games.join("games.zip"), &zip).unwrap();
    let page = || Page::read(&folder.path().join("dist")).unwrap();
    let bound =
        |root: PathBuf| Server::bind(&[root], gametape::formats(), page(), options()).unwrap();
    assert_eq!(
        bound(games.join("games.zip")).ids(),
        ["a.rmv", "notes.txt", BELOW]
    );
    assert_eq!(bound(games.clone()).ids().len(), 3);
    let served = serve(folder, options());
    let listed = served.get("/library.json").json();
    let entries = listed["recordings"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    let below = entries
        .iter()
        .find(|entry| entry["name"] == "b c.rmv")
        .unwrap();
    let packed = served.recording(below["id"].as_str().unwrap());
    assert_eq!(packed["segments"], made["segments"]);
}

#[test]
fn the_page_is_served_packed_once_and_with_its_policy() {
    let served = serve(library(), options());
    let plain = served.get("/");
    assert_eq!(plain.headers["content-type"], "text/html; charset=utf-8");
    let policy = &plain.headers["content-security-policy"];
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
    let packed = served.get_with("/", &[("Accept-Encoding", "gzip")]);
    assert_eq!(packed.headers["content-encoding"], "gzip");
    assert!(packed.body.len() < plain.body.len() / 4);
    let tag = plain.headers["etag"].clone();
    assert_eq!(served.get_with("/", &[("If-None-Match", &tag)]).status, 304);
    assert_eq!(served.get("/assets/a.js").body, b"1");
}

#[test]
fn a_file_that_changes_is_made_again() {
    let served = serve(library(), options());
    let before = served.recording("a.rmv");
    let game = fs::read(served.folder.path().join("games/old/b c.rmv")).unwrap();
    fs::write(served.folder.path().join("games/a.rmv"), game).unwrap();
    let after = served.recording("a.rmv");
    assert_ne!(before["segments"], after["segments"]);
    fs::write(served.folder.path().join("games/a.rmv"), "*rmv, once").unwrap();
    let broken = served.made("a.rmv");
    assert_eq!(broken.status, 422);
    assert!(broken.json()["error"].as_str().unwrap().contains("a.rmv"));
    fs::remove_file(served.folder.path().join("games/a.rmv")).unwrap();
    assert!(served.get("/r/a.rmv/recording.json").status >= 404);
}

#[test]
fn no_other_page_and_no_other_name_is_answered() {
    let served = serve(library(), options());
    let port = served.address.port();
    let own = format!("http://{}", served.address);
    let fine: [&[(&str, &str)]; 4] = [
        &[],
        &[("Origin", &own)],
        &[("Host", &format!("localhost:{port}"))],
        &[
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Mode", "navigate"),
        ],
    ];
    for headers in fine {
        assert_eq!(
            served.get_with("/library.json", headers).status,
            200,
            "{headers:?}"
        );
    }
    let wrong: [(u16, &[(&str, &str)]); 9] = [
        (421, &[("Host", "evil.example")]),
        (421, &[("Host", &format!("evil.example:{port}"))]),
        (421, &[("Host", "localhost")]),
        (421, &[("Host", "")]),
        (403, &[("Origin", "http://evil.example")]),
        (403, &[("Origin", "null")]),
        (403, &[("Origin", &own), ("Origin", "http://evil.example")]),
        (
            403,
            &[
                ("Sec-Fetch-Site", "cross-site"),
                ("Sec-Fetch-Mode", "no-cors"),
            ],
        ),
        (
            403,
            &[("Origin", &format!("http://localhost:{}", port ^ 1))],
        ),
    ];
    for (status, headers) in wrong {
        let answer = served.get_with("/library.json", headers);
        assert_eq!(answer.status, status, "{headers:?}");
        assert!(answer.json()["error"].is_string());
    }
    let two = format!(
        "GET / HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\nConnection: close\r\n\r\n",
        served.address
    );
    assert!(served.raw(&two).status >= 400);
    let posted = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        served.address
    );
    assert_eq!(served.raw(&posted).status, 405);
}

#[test]
fn without_the_token_a_client_gets_nothing() {
    let with = |token: &str| ServeOptions {
        token: Some(token.to_owned()),
        ..options()
    };
    let served = serve(library(), with("s3cret"));
    for path in [
        "/",
        "/library.json",
        "/r/a.rmv/recording.json",
        "/?token=wrong",
        "/?token=",
    ] {
        assert_eq!(served.get(path).status, 401, "{path}");
    }
    let answer = served.get_with("/library.json", &[("Authorization", "Bearer s3cret")]);
    assert_eq!(answer.status, 200);
    let answer = served.get("/x/y?a=1&token=s3cret&b=2");
    assert_eq!(answer.status, 303);
    assert_eq!(answer.headers["location"], "/x/y?a=1&b=2");
    let cookie = answer.headers["set-cookie"].clone();
    assert!(cookie.ends_with("HttpOnly; SameSite=Strict"));
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(
        served
            .get_with("/library.json", &[("Cookie", cookie)])
            .status,
        200
    );
    let cookie = cookie.replace("s3cret", "s3cres");
    assert_eq!(
        served
            .get_with("/library.json", &[("Cookie", &cookie)])
            .status,
        401
    );
    // No client is redirected elsewhere.
    let answer = served.get("//evil.example/?token=s3cret");
    assert_eq!(answer.headers["location"], "/evil.example/");
}

#[test]
fn a_server_that_can_be_reached_from_elsewhere_needs_a_token() {
    let anywhere = ServeOptions {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..options()
    };
    let bind = |options| Server::bind(&[], gametape::formats(), Page::built(), options);
    assert!(matches!(bind(anywhere.clone()), Err(Error::Token { .. })));
    let told = ServeOptions {
        token: Some("x".to_owned()),
        ..anywhere
    };
    for token in ["", " ", "a b", "a;b", "a&b", "ä", "100%"] {
        let bad = ServeOptions {
            token: Some(token.to_owned()),
            ..told.clone()
        };
        assert!(matches!(bind(bad), Err(Error::BadToken)), "{token:?}");
    }
    let first = bind(told.clone()).unwrap();
    let taken = ServeOptions {
        listen: first.address(),
        ..told
    };
    assert!(matches!(bind(taken), Err(Error::Listen { .. })));
}

#[test]
fn paths_do_not_leave_the_library() {
    let folder = library();
    let outside = tempfile::tempdir().unwrap();
    let game = gametape_samples::mines::example();
    fs::write(outside.path().join("secret.rmv"), game).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        let games = folder.path().join("games");
        symlink(outside.path().join("secret.rmv"), games.join("link.rmv")).unwrap();
        symlink(outside.path(), games.join("away")).unwrap();
        // A folder that is one recording, and lies here, of packets that do not.
        let schema = gametape_samples::delta::Arena::schema();
        let mut packet = Vec::new();
        let state = gametape_delta::Snapshot::new(&schema, 1);
        let mut encoder = gametape_delta::Encoder::new(&schema);
        encoder.full(&state, &mut packet).unwrap();
        fs::write(outside.path().join("full_000001.bin"), packet).unwrap();
        fs::create_dir(games.join("packets")).unwrap();
        let json = serde_json::to_vec(&schema).unwrap();
        fs::write(games.join("packets/schema.json"), json).unwrap();
        let packet = outside.path().join("full_000001.bin");
        symlink(packet, games.join("packets/full_000001.bin")).unwrap();
    }
    let served = serve(folder, options());
    let listed = served.get("/library.json").json();
    assert_eq!(listed["recordings"].as_array().unwrap().len(), 2);
    served.recording("a.rmv");
    for path in [
        "/r/link.rmv/recording.json",
        "/r/away-secret.rmv/recording.json",
        "/r/packets/recording.json",
        "/r/../games/a.rmv",
        "/r/a.rmv/../../../games/a.rmv",
        "/r/a.rmv/..%2f..%2f..%2fetc%2fpasswd",
        "/r/..%2f..%2fgames/recording.json",
        "/r/a.rmv/recording.json%00.seg",
        "/r/a.rmv/0123456789abcdef0123456789abcdef.seg",
        "/r/a.rmv/",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/site/index.html",
        "/assets/../index.html",
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
}

#[test]
fn nonsense_and_dawdlers_harm_nobody() {
    let served = serve(library(), options());
    let address = served.address;
    let mut kept: Vec<TcpStream> = Vec::new();
    for nonsense in [
        "\0\0\0\0",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    ] {
        let mut stream = served.connect();
        let _ = stream.write_all(nonsense.as_bytes());
        kept.push(stream);
    }
    // Heads without an end, and heads that are too large.
    let mut stream = served.connect();
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nA: ");
    for _ in 0..100 {
        if stream.write_all(&[b'a'; 1024]).is_err() {
            break;
        }
    }
    kept.push(stream);
    // A thousand that connect and say nothing, and some that ask and do not read.
    for _ in 0..1000 {
        kept.push(TcpStream::connect(address).unwrap());
    }
    for _ in 0..50 {
        let mut stream = served.connect();
        let request = format!("GET /library.json HTTP/1.1\r\nHost: {address}\r\n\r\n");
        let _ = stream.write_all(request.as_bytes());
        kept.push(stream);
    }
    assert_eq!(served.get("/library.json").status, 200);
    served.recording("a.rmv");
    drop(kept);
    assert_eq!(served.get("/").status, 200);
}

fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return fs::metadata(folder).map_or(0, |file| file.len());
    };
    entries
        .map(|entry| bytes_below(&entry.unwrap().path()))
        .sum()
}

#[test]
fn segments_take_no_more_room_than_they_may() {
    let cache = tempfile::tempdir().unwrap();
    let bounded = |bytes: u64| ServeOptions {
        cache: Some(PathBuf::from(cache.path())),
        cache_bytes: bytes,
        ..options()
    };
    let both = {
        let served = serve(library(), bounded(1 << 30));
        served.recording("a.rmv");
        let one = bytes_below(&cache.path().join("r/a.rmv"));
        served.recording(BELOW);
        (one, bytes_below(&cache.path().join("r").join(BELOW)))
    };
    fs::remove_dir_all(cache.path().join("r")).unwrap();
    let (one, other) = both;
    let served = serve(library(), bounded(one.max(other) + 10));
    served.recording("a.rmv");
    served.recording(BELOW);
    // Room is made after the answer.
    let goes = |id: &str| {
        let folder = cache.path().join("r").join(id);
        let gone = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            !folder.exists()
        });
        assert!(gone, "{id} was used least lately");
    };
    goes("a.rmv");
    served.recording("a.rmv");
    goes(BELOW);
    drop(served);
    let served = serve(library(), bounded(100));
    let answer = served.made("a.rmv");
    assert_eq!(answer.status, 422);
    assert!(
        answer.json()["error"]
            .as_str()
            .unwrap()
            .contains("100 bytes")
    );
}

#[test]
fn at_all_addresses_any_of_them_is_the_server_and_a_name_is_not() {
    let anywhere = ServeOptions {
        listen: "0.0.0.0:0".parse().unwrap(),
        token: Some("x".to_owned()),
        ..options()
    };
    let mut served = serve(library(), anywhere);
    let port = served.address.port();
    served.address = SocketAddr::from(([127, 0, 0, 1], port));
    for (status, host) in [
        (200, format!("192.168.1.5:{port}")),
        (200, format!("[fe80::1]:{port}")),
        (421, format!("192.168.1.5:{}", port ^ 1)),
        (421, "192.168.1.5".to_owned()),
        (421, format!("evil.example:{port}")),
    ] {
        let headers = [("Host", &*host), ("Authorization", "Bearer x")];
        let answer = served.get_with("/library.json", &headers);
        assert_eq!(answer.status, status, "{host}");
    }
}

/// The segments of a recording, by their names.
fn names(index: &Json) -> Vec<String> {
    let segments = index["segments"].as_array().unwrap().iter();
    let names = segments.map(|segment| segment["file"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn a_live_recording_is_followed_and_audited_when_it_is_done() {
    use gametape::echo::echoreplay::Writer;
    use gametape_samples::echo::{Match, MatchOptions};
    let options = MatchOptions {
        frames: Some(900),
        ..MatchOptions::default()
    };
    let mut text = Writer::new(Vec::new());
    for frame in Match::new(options) {
        text.push(&frame).unwrap();
    }
    let text = text.finish().unwrap();
    let folder = library();
    let path = folder.path().join("games/live.echoreplay");
    // A recorder: a part of it at a time, in the middle of a line as well.
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(&text[..text.len() / 3]).unwrap();
    let served = serve(folder, ServeOptions::default());
    let recorder = std::thread::spawn(move || {
        for part in text[text.len() / 3..].chunks(text.len() / 24) {
            std::thread::sleep(Duration::from_millis(400));
            file.write_all(part).unwrap();
        }
    });
    let mut before = Vec::new();
    let mut grew = 0;
    let mut schema = Json::Null;
    let last = loop {
        let index = served.recording("live.echoreplay");
        let now = names(&index);
        if index["live"] == false {
            break index;
        }
        assert!(index["verdict"].is_null());
        if before.is_empty() {
            schema = index["schema"].clone();
        } else {
            assert_eq!(index["schema"], schema);
            let whole = before.len() - 1;
            assert_eq!(before[..whole], now[..whole], "complete segments stay");
            grew += usize::from(now != before);
        }
        // A client with the list from before it grew can still get its files.
        for name in before.iter().chain(&now) {
            let answer = served.get(&format!("/r/live.echoreplay/{name}"));
            assert_eq!(answer.status, 200);
        }
        before = now;
        std::thread::sleep(Duration::from_millis(200));
    };
    recorder.join().unwrap();
    assert!(grew > 3, "it was seen to grow {grew} times");
    assert_eq!(last["verdict"], "pass");
    assert_eq!(last["schema"], schema);
    assert_eq!(last["description"]["made_of"]["last"]["step"], 899);
}
