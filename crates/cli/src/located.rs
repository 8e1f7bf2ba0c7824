//! Paths in JSON: as text, and byte for byte if they are not Unicode.

use std::ffi::OsStr;
use std::fmt::Write as _;

use gametape::core::Spell as _;
use serde_json::{Map, Value};

/// Returns an object with these paths, then the other keys of `rest`.
///
/// A path is [its text](Spell). Where this is not the path itself, since it is not Unicode, another key with the
/// suffix `_bytes` has it byte for byte: `%` and every byte that is not printable ASCII is `%` and two hexadecimal
/// digits.
pub fn located<'p, P: AsRef<OsStr> + ?Sized + 'p>(
    paths: impl IntoIterator<Item = (&'static str, &'p P)>,
    rest: Value,
) -> Map<String, Value> {
    let mut object = Map::new();
    for (key, path) in paths {
        put(&mut object, key, path.as_ref());
    }
    if let Value::Object(rest) = rest {
        for (key, value) in rest {
            object.entry(key).or_insert(value);
        }
    }
    object
}

/// Returns the object of a verb that makes the file `out` from the file `path`.
pub fn from_to(path: &OsStr, out: &OsStr, rest: Value) -> Map<String, Value> {
    located([("path", path), ("out", out)], rest)
}

fn put(object: &mut Map<String, Value>, key: &str, path: &OsStr) {
    let text = path.spelled();
    let bytes = (*path != *text).then(|| (format!("{key}_bytes"), escaped(path).into()));
    object.insert(key.to_owned(), text.into());
    object.extend(bytes);
}

fn escaped(path: &OsStr) -> String {
    let bytes = path.as_encoded_bytes().iter();
    bytes.fold(String::new(), |mut text, byte| {
        let byte = *byte;
        if (byte.is_ascii_graphic() || byte == b' ') && byte != b'%' {
            text.push(byte.into());
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use serde_json::json;

    use super::*;

    #[test]
    fn paths_that_are_no_text_are_told_apart_and_can_be_had_back() {
        let [a, b] = [&b"g%\xffy.rmv"[..], b"g%\xfey.rmv"].map(OsStr::from_bytes);
        let object = located([("path", a), ("out", b)], json!({ "bytes": 3 }));
        assert_eq!(object["path"], r"g%\xffy.rmv");
        assert_eq!(object["out"], r"g%\xfey.rmv");
        assert_eq!(object["path_bytes"], "g%25%FFy.rmv");
        assert_eq!(object["out_bytes"], "g%25%FEy.rmv");
        assert_eq!(object["bytes"], 3);
        let text = located([("path", "grün 100%.rmv")], json!({}));
        assert_eq!(Value::Object(text), json!({ "path": "grün 100%.rmv" }));
        // A name that looks like another's text.
        let text = located([("path", r"g\xff.rmv")], json!({}));
        let told = json!({ "path": r"g\x5cxff.rmv", "path_bytes": r"g\xff.rmv" });
        assert_eq!(Value::Object(text), told);
    }
}
