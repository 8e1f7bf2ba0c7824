//! Paths in JSON: as text, and byte for byte if they are not Unicode.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

/// Returns an object with these paths, then the other keys of `rest`.
///
/// A path is text. In a path that is not Unicode, invalid parts are replaced, so that two paths may have the
/// same text. Such a path also has a key with the suffix `_bytes`: there, `%` and every byte that is not
/// printable ASCII is `%` and two hexadecimal digits.
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
    object.insert(key.to_owned(), path.display().to_string().into());
    if path.to_str().is_none() {
        object.insert(format!("{key}_bytes"), escaped(path, '%').into());
    }
}

/// A path for people; different paths have different texts.
pub fn shown(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => escaped(path.as_os_str(), '\\'),
    }
}

fn escaped(path: &OsStr, sign: char) -> String {
    let bytes = path.as_encoded_bytes().iter();
    bytes.fold(String::new(), |mut text, byte| {
        let byte = *byte;
        if (byte.is_ascii_graphic() || byte == b' ') && char::from(byte) != sign {
            text.push(byte.into());
        } else if sign == '%' {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02X}");
        } else {
            let _ = write!(text, "\\x{byte:02x}");
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
        assert_eq!(object["path"], object["out"]);
        assert_eq!(object["path_bytes"], "g%25%FFy.rmv");
        assert_eq!(object["out_bytes"], "g%25%FEy.rmv");
        assert_eq!(object["bytes"], 3);
        assert_eq!(shown(Path::new(a)), "g%\\xffy.rmv");
        let text = located([("path", "grün 100%.rmv")], json!({}));
        assert_eq!(Value::Object(text), json!({ "path": "grün 100%.rmv" }));
    }
}
