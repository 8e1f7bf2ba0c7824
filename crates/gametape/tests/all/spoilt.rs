//! Files as transfers, disks and other programs spoil them: what the audit says of each, what the advice says, and
//! what a repair keeps.

use gametape::{Options, Recording, Secrets, Verdict};

use crate::known::samples;

/// A recording of each format that passes, with a name.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for format in ["rmv", "murk", "echoreplay", "butter"] {
        let name = format!("sample.{format}");
        let passes = |bytes: &Vec<u8>| {
            let recording = Recording::from_bytes(bytes.clone(), &name).unwrap();
            recording.audit().unwrap().verdict() == Verdict::Pass
        };
        let bytes = samples(format).into_iter().find(passes);
        files.push((name, bytes.expect(format)));
    }
    let (name, bytes) = &files[1];
    let recording = Recording::from_bytes(bytes.clone(), name).unwrap();
    let capture = recording.convert("capture", &Options::new()).unwrap();
    files.push(("sample.mcap".to_owned(), capture.content.bytes().unwrap()));
    files
}

/// The advice on a file, and its verdict.
fn advice(name: &str, bytes: Vec<u8>) -> (Verdict, Vec<String>) {
    let recording = Recording::from_bytes(bytes, name).unwrap();
    let audit = recording.audit().unwrap();
    (audit.verdict(), recording.advice(&audit).unwrap())
}

fn hex(bytes: &[u8]) -> Vec<u8> {
    data_encoding::HEXLOWER.encode(bytes).into_bytes()
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    data_encoding::BASE64_MIME.encode(bytes).into_bytes()
}

#[test]
fn what_is_no_recording_is_called_what_it_is() {
    let page = b"\n<!DOCTYPE html>\n<html><title>404</title></html>\n";
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    let before = |start: &[u8], bytes: &[u8]| [start, bytes].concat();
    for (name, bytes) in files() {
        let (verdict, said) = advice(&name, bytes.clone());
        assert_eq!((verdict, said), (Verdict::Pass, Vec::new()), "{name}");
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
        let mut url = b"data:application/octet-stream;base64,".to_vec();
        url.extend(data_encoding::BASE64.encode(&bytes).into_bytes());
        let ways = [
            (page.to_vec(), "a page of HTML"),
            (pointer.to_vec(), "a pointer of Git LFS"),
            (vec![0; bytes.len()], "nothing but "),
            (base64(&bytes), "is written as base64"),
            (url, "is written as base64"),
            (hex(&bytes), "is written as hexadecimal digits"),
            (before(answer, &bytes), "tail -c +39 leaves the recording"),
            (b"\x28\xb5\x2f\xfd".to_vec(), "a zstd file"),
            (b"Rar!\x1a\x07\0".to_vec(), "a RAR file"),
        ];
        for (bytes, wanted) in ways {
            let (verdict, said) = advice(&name, bytes);
            assert!(verdict > Verdict::Pass, "{name}: {wanted}");
            assert!(
                said.len() == 1 && said[0].contains(wanted),
                "{name}: {wanted}: {said:?}"
            );
        }
    }
}

#[test]
fn an_empty_file_has_one_verdict() {
    for (name, _) in files() {
        let recording = Recording::from_bytes(Vec::new(), &name).unwrap();
        let audit = recording.audit().unwrap();
        assert_eq!(audit.verdict(), Verdict::Fail, "{name}");
        let said: Vec<String> = audit.findings.iter().map(ToString::to_string).collect();
        assert_eq!(said, ["error empty: the file is empty"], "{name}");
    }
}

#[test]
fn a_binary_file_taken_for_text_is_told() {
    let latin1 = |bytes: &[u8]| -> Vec<u8> {
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        text.into_bytes()
    };
    let replaced = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned().into_bytes();
    let seven = |bytes: &[u8]| bytes.iter().map(|byte| byte & 127).collect::<Vec<u8>>();
    let crlf = |bytes: &[u8]| {
        let pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        pieces.join(&b"\r\n"[..])
    };
    let mut told = 0;
    for (name, bytes) in files() {
        // A text is what it is taken for.
        if str::from_utf8(&bytes).is_ok() {
            continue;
        }
        let feeds = bytes.split(|byte| *byte == b'\n').count() - 1;
        let ways = [
            (latin1(&bytes), "in Latin-1", true),
            (replaced(&bytes), "can't be undone", true),
            (seven(&bytes), "seven bits", bytes.len() > 1024),
            (crlf(&bytes), "carriage return", feeds >= 8),
        ];
        for (bytes, wanted, is_told) in ways {
            let recording = Recording::from_bytes(bytes, &name).unwrap();
            let audit = recording.audit().unwrap();
            let said = recording.advice(&audit).unwrap();
            if audit.verdict() == Verdict::Fail && is_told {
                assert!(
                    said.iter().any(|said| said.contains(wanted)),
                    "{name}: {wanted}: {said:?}"
                );
                told += 1;
            }
        }
    }
    assert!(told > 8, "{told}");
}

#[test]
fn what_a_repair_keeps_is_told_as_the_repair_does_it() {
    let mut kept = 0;
    for (name, bytes) in files() {
        let half = bytes.len() / 2;
        let zeros = [&bytes[..half], &vec![0; bytes.len() - half]].concat();
        let ways = [
            ("cut", bytes[..half].to_vec()),
            (
                "the last byte is missing",
                bytes[..bytes.len() - 1].to_vec(),
            ),
            ("zeros after the end", [&bytes[..], &[0; 4096]].concat()),
            ("zeros from the middle on", zeros),
            ("twice", [&bytes[..], &bytes[..]].concat()),
        ];
        for (way, bytes) in ways {
            let recording = Recording::from_bytes(bytes, &name).unwrap();
            let audit = recording.audit().unwrap();
            let said = recording.advice(&audit).unwrap();
            let Ok(made) = recording.repair(&Options::new()) else {
                continue;
            };
            let tried = said
                .iter()
                .find_map(|said| said.strip_prefix("repair was tried: "));
            let first = made.outcome.actions.first();
            match first.filter(|_| audit.verdict() > Verdict::Pass) {
                None => assert_eq!(tried, None, "{name}, {way}"),
                Some(first) => {
                    assert!(
                        tried.unwrap().starts_with(first.as_str()),
                        "{name}, {way}: {said:?}"
                    );
                    kept += 1;
                }
            }
            // What was kept has steps, and is whole.
            let bytes = made.content.bytes().unwrap();
            let mended = Recording::from_bytes(bytes, &name).unwrap();
            let info = mended.info(Secrets::Hide).unwrap();
            assert!(info.problem.is_none(), "{name}, {way}: {:?}", info.problem);
            if way == "zeros after the end" {
                let whole = Recording::from_bytes(bytes_of(&name), &name).unwrap();
                let whole = whole.info(Secrets::Hide).unwrap();
                assert_eq!(info.value.steps, whole.value.steps, "{name}, {way}");
            }
        }
    }
    assert!(kept > 12, "{kept}");
}

fn bytes_of(wanted: &str) -> Vec<u8> {
    let file = files().into_iter().find(|(name, _)| name == wanted);
    file.map(|(_, bytes)| bytes).unwrap_or_default()
}
