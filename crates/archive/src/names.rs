//! The names of files in an archive, as paths that are safe and apart.

use std::collections::{HashMap, HashSet};

/// A name as a path below a folder: parts divided by `/`, none of which leads elsewhere.
pub fn below(name: &str) -> String {
    // Windows divides by backslashes, and some programs there write them into zips.
    let parts = name.split(['/', '\\']);
    let parts = parts.filter(|part| !part.is_empty() && *part != ".");
    let parts: Vec<String> = parts
        .map(|part| match part {
            ".." => "__".to_owned(),
            // A drive, a control character.
            part => part.replace(|sign: char| sign == ':' || sign.is_control(), "_"),
        })
        .collect();
    if parts.is_empty() {
        return "_".to_owned();
    }
    parts.join("/")
}

/// The path of the file that a link leads to, as [`below`] writes it; `None` if it leads out of the archive.
pub fn resolved(target: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in target.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(below(&parts.join("/")))
}

/// Makes names different by numbers: the second `a.rmv` becomes `a (2).rmv`. Returns the largest number of
/// files of one name.
pub fn set_apart(names: &mut [&mut String]) -> u64 {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for name in names.iter() {
        *counts.entry((**name).clone()).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    if most < 2 {
        return most;
    }
    let mut taken: HashSet<String> = counts.keys().cloned().collect();
    let mut seen: HashMap<String, u64> = HashMap::new();
    for name in names.iter_mut() {
        let at = seen.entry((**name).clone()).or_default();
        *at += 1;
        if *at == 1 {
            continue;
        }
        let (stem, extension) = split(name);
        let mut number = *at;
        let other = loop {
            let other = format!("{stem} ({number}){extension}");
            if taken.insert(other.clone()) {
                break other;
            }
            number += 1;
        };
        **name = other;
    }
    most
}

/// A path without its extension, and the extension with its dot.
fn split(name: &str) -> (&str, &str) {
    let file = name.rfind('/').map_or(0, |at| at + 1);
    match name.rfind('.').filter(|at| *at > file) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leads_out_of_its_folder() {
        for (name, is) in [
            ("2022/a.rmv", "2022/a.rmv"),
            ("2022\\a.rmv", "2022/a.rmv"),
            ("/etc/passwd", "etc/passwd"),
            ("../../a", "__/__/a"),
            ("..\\a", "__/a"),
            ("C:\\games\\a.rmv", "C_/games/a.rmv"),
            ("./a//b/", "a/b"),
            ("a\nb\0", "a_b_"),
            ("", "_"),
            ("/", "_"),
        ] {
            assert_eq!(below(name), is, "{name:?}");
        }
    }

    #[test]
    fn files_of_one_name_get_numbers_that_are_free() {
        let apart = |names: &[&str]| {
            let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let mut all: Vec<&mut String> = names.iter_mut().collect();
            (set_apart(&mut all), names)
        };
        let (most, names) = apart(&[
            "a.rmv",
            "b",
            "a.rmv",
            "a (2).rmv",
            "a.rmv",
            "b",
            "x.y/c",
            "x.y/c",
        ]);
        assert_eq!(most, 3);
        let wanted = [
            "a.rmv",
            "b",
            "a (3).rmv",
            "a (2).rmv",
            "a (4).rmv",
            "b (2)",
            "x.y/c",
            "x.y/c (2)",
        ];
        assert_eq!(names, wanted);
    }
}
