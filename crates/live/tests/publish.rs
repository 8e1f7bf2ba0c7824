//! Published folders and files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use gametape::{Existing, Lane, Recording, Scan, Secrets, Value, Work};
use gametape_live::{Error, Index, Page, PublishOptions, Site, Store, single};
use serde_json::Value as Json;

fn game(name: &str) -> Recording {
    Recording::from_bytes(gametape_samples::mines::example(), name).unwrap()
}

fn site(folder: &Path) -> Site {
    Site::new(Store::folder(folder).unwrap()).unwrap()
}

fn add(site: &mut Site, recording: &Recording, secrets: Secrets) -> Index {
    let options = PublishOptions {
        secrets,
        ..PublishOptions::default()
    };
    let added = site.add(recording, recording.path(), options, &Work::default());
    added.unwrap()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            found.insert(name, fs::read(path).unwrap());
        }
    }
    found
}

fn json(bytes: &[u8]) -> Json {
    serde_json::from_slice(bytes).unwrap()
}

fn unpacked(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    if name.ends_with("json") {
        unpacked.extend_from_slice(bytes);
    } else {
        GzDecoder::new(bytes).read_to_end(&mut unpacked).unwrap();
    }
    unpacked
}

#[test]
fn a_recording_names_its_files_and_files_are_named_by_their_content() {
    let folder = tempfile::tempdir().unwrap();
    let mut site = site(folder.path());
    add(&mut site, &game("a b.rmv"), Secrets::Hide);
    site.finish().unwrap();
    let library = json(&fs::read(folder.path().join("library.json")).unwrap());
    let entry = &library["recordings"][0];
    let id = entry["id"].as_str().unwrap();
    assert!(id.starts_with("a-b.rmv-"), "{id}");
    assert_eq!(entry["name"], "a b.rmv");
    let mut files = files(&folder.path().join("r").join(id));
    let index = json(&files.remove("recording.json").unwrap());
    assert_eq!(index["verdict"], entry["verdict"]);
    let named = index["segments"].as_array().unwrap().iter();
    let named = named.chain([&index["labels"]]);
    let mut count = 0;
    for file in named {
        let name = file["file"].as_str().unwrap();
        let bytes = files.remove(name).unwrap();
        assert_eq!(file["bytes"], bytes.len());
        let hash = blake3::hash(&bytes).to_hex();
        assert_eq!(name.split('.').next(), Some(&hash[..32]));
        count += 1;
    }
    assert!(count > 1);
    assert!(
        files.is_empty(),
        "{:?} belong to no recording",
        files.keys()
    );
}

/// Another game under a name.
fn other(name: &str) -> Recording {
    let scenario = &gametape_samples::mines::scenarios()[1];
    let other = gametape_samples::mines::record(scenario, 9).unwrap();
    let other = gametape::mines::rmv::write(&other).unwrap();
    Recording::from_bytes(other, name).unwrap()
}

#[test]
fn what_was_published_stays_unless_it_is_to_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let published = |names: &[&str], recording: &dyn Fn(&str) -> Recording, options| {
        let mut site = site(folder.path());
        let mut added = Ok(());
        for name in names {
            let index = site.add(&recording(name), Path::new(name), options, &Work::default());
            added = added.and(index.map(|_| ()));
        }
        let (_, library) = site.finish().unwrap();
        let ids: Vec<String> = library.recordings.into_iter().map(|one| one.id).collect();
        (added, ids)
    };
    let keep = PublishOptions::default();
    let (added, ids) = published(&["b.rmv", "\u{738b}.rmv", "\u{5609}.rmv"], &game, keep);
    added.unwrap();
    assert_eq!(ids.len(), 3, "{ids:?}");
    let at = folder.path().join("r/b.rmv");
    let before = files(&at);
    assert_eq!(
        before.keys().next(),
        files(&folder.path().join("r").join(&ids[2])).keys().next(),
        "the same bytes, the same names"
    );
    // The same again is no replacement.
    let (added, same) = published(&["b.rmv"], &game, keep);
    added.unwrap();
    assert_eq!(same, ids);
    let (added, same) = published(&["b.rmv"], &other, keep);
    let error = added.unwrap_err().to_string();
    let there = at.display();
    assert_eq!(error, format!("{there} exists and is not replaced"));
    assert_eq!((same, files(&at)), (ids.clone(), before.clone()));
    let replace = PublishOptions {
        existing: Existing::Replace,
        ..keep
    };
    let (added, same) = published(&["b.rmv", "c.rmv"], &other, replace);
    added.unwrap();
    assert_eq!(same.len(), ids.len() + 1);
    let after = files(&at);
    let mut stale = before.keys().filter(|name| *name != "recording.json");
    assert!(stale.all(|name| !after.contains_key(name)));
}

#[test]
fn a_list_that_is_none_of_ours_is_left_alone() {
    for content in ["", "[]", r#"{"version":2,"recordings":[]}"#] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("library.json");
        fs::write(&path, content).unwrap();
        let error = Site::new(Store::folder(folder.path()).unwrap()).unwrap_err();
        assert!(matches!(error, Error::Library { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}

/// The texts of all secret columns.
fn secrets(recording: &Recording) -> Vec<String> {
    let mut found = Vec::new();
    for table in recording.tables().unwrap() {
        let secret = table.columns.iter().filter(|column| column.secret);
        let names: Vec<String> = secret.map(|column| column.name.to_string()).collect();
        if names.is_empty() || table.lane == Lane::Grid {
            continue;
        }
        let scan = Scan {
            secrets: Secrets::Show,
            ..Scan::table(&*table.name).columns(names.iter().map(String::as_str))
        };
        recording
            .scan(&scan, |batch| {
                for row in 0..batch.len() {
                    for column in 0..batch.columns().len() {
                        match batch.get(row, column) {
                            Value::Text(text) if text.len() > 5 => found.push(text.to_owned()),
                            Value::Uint(number) if number > 99_999 => {
                                found.push(number.to_string());
                            }
                            _ => {}
                        }
                    }
                }
                Ok(std::ops::ControlFlow::Continue(()))
            })
            .unwrap()
            .whole()
            .unwrap();
    }
    found
}

#[test]
fn secrets_are_in_no_file_unless_they_are_asked_for() {
    use gametape_samples::echo::{Match, MatchOptions};
    let options = MatchOptions {
        frames: Some(90),
        ..MatchOptions::default()
    };
    let frames: Vec<_> = Match::new(options).collect();
    let bytes = gametape::echo::butter::write(&frames, gametape::echo::butter::Options::default());
    let game = gametape_samples::mines::example();
    let mut looked = 0;
    for (name, bytes) in [("a.butter", bytes.unwrap()), ("a.rmv", game)] {
        let recording = Recording::from_bytes(bytes, name).unwrap();
        let secrets = secrets(&recording);
        for (show, asked) in [(false, Secrets::Hide), (true, Secrets::Show)] {
            let mut site = Site::new(Store::memory()).unwrap();
            add(&mut site, &recording, asked);
            let (Store::Memory(files), _) = site.finish().unwrap() else {
                unreachable!()
            };
            let mut seen = 0;
            for (name, bytes) in &files {
                let text = String::from_utf8_lossy(&unpacked(name, bytes)).into_owned();
                let found = secrets.iter().find(|secret| text.contains(secret.as_str()));
                seen += usize::from(found.is_some());
                assert!(show || found.is_none(), "{name} has {found:?}");
            }
            looked += usize::from(show && seen > 0);
        }
    }
    assert!(looked > 0, "none of them had a secret to hide");
}

#[test]
fn a_broken_recording_is_published_as_far_as_it_can_be_read_and_says_so() {
    let bytes = gametape_samples::mines::example();
    let cut = bytes[..bytes.len() * 2 / 3].to_vec();
    let recording = Recording::from_bytes(cut, "cut.rmv").unwrap();
    let mut site = Site::new(Store::memory()).unwrap();
    let index = add(&mut site, &recording, Secrets::Hide);
    assert_eq!(index.entry.verdict.as_deref(), Some("fail"));
    assert_eq!(index.lost.len(), 1, "{:?}", index.lost);
    assert!(index.lost[0].step.is_some(), "{:?}", index.lost);
    assert!(!index.segments.is_empty());
}

/// A page with a place for data.
fn page(folder: &Path) -> Page {
    fs::create_dir_all(folder.join("site/assets")).unwrap();
    fs::create_dir_all(folder.join("single")).unwrap();
    fs::write(folder.join("site/index.html"), "<!doctype html>").unwrap();
    fs::write(folder.join("site/assets/a.js"), "1").unwrap();
    fs::write(
        folder.join("single/index.html"),
        "<p>A</p><!-- data --><p>B</p>",
    )
    .unwrap();
    Page::read(folder).unwrap()
}

#[test]
fn names_in_one_file_are_no_markup() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let name = "</script><img src=x onerror=alert(1)><!--.rmv";
    let mut site = Site::new(Store::memory()).unwrap();
    add(&mut site, &game(name), Secrets::Hide);
    let (store, _) = site.finish().unwrap();
    let html = String::from_utf8(single(&page, &store).unwrap()).unwrap();
    assert!(html.starts_with("<p>A</p><script ") && html.ends_with("</script>\n<p>B</p>"));
    let data = html
        .strip_prefix("<p>A</p>")
        .unwrap()
        .strip_suffix("<p>B</p>")
        .unwrap();
    for tag in data.split('<').skip(1) {
        let ours = ["script type=\"", "/script>"]
            .iter()
            .any(|ours| tag.starts_with(ours));
        assert!(ours, "<{tag}");
    }
    let Store::Memory(files) = store else {
        unreachable!()
    };
    assert_eq!(data.matches("data-file=").count(), files.len());
    // A browser reads the published data in the elements.
    for element in data.split_terminator("</script>\n") {
        let (head, text) = element.split_once('>').unwrap();
        let name = head.split('"').nth(3).unwrap();
        if head.contains("application/json") {
            assert_eq!(json(text.as_bytes()), json(&files[name]));
            continue;
        }
        let bytes = STANDARD.decode(text);
        assert_eq!(bytes.unwrap(), files[name]);
    }
}

#[test]
fn the_page_goes_into_the_folder_and_other_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(&folder.path().join("dist"));
    let out = folder.path().join("out");
    let mut site = site(&out);
    site.with_page(&page).unwrap();
    site.finish().unwrap();
    assert_eq!(fs::read(out.join("assets/a.js")).unwrap(), b"1");
    let error = Page::read(&out).unwrap_err();
    assert!(matches!(error, Error::Page { .. }), "{error}");
    let error = Page::read(&folder.path().join("nowhere")).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
}

/// A built page consists of files: a link to a folder may lead back, or out to private files.
#[test]
#[cfg(unix)]
fn a_page_has_no_folder_that_a_link_leads_to() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let dist = folder.path().join("dist");
    page(&dist);
    let files = page(&dist).site().unwrap().len();
    fs::write(folder.path().join("b.js"), "2").unwrap();
    symlink("../../b.js", dist.join("site/b.js")).unwrap();
    symlink("..", dist.join("site/up")).unwrap();
    let read = Page::read(&dist).unwrap();
    let site = read.site().unwrap();
    assert_eq!(site.len(), files + 1);
    assert!(site.contains(&("b.js", b"2")));
    // With two there are as many ways through them as 2 to the power of 40.
    symlink(".", dist.join("site/here")).unwrap();
    assert_eq!(Page::read(&dist).unwrap().site().unwrap().len(), files + 1);
}
