//! Which modules of a crate take names from each other: read from its tokens, so that a comment or a string
//! is no arrow, and a path in the code is one as much as a `use`.
//!
//! No maintained tool does this job (tried in November 2026). `cargo modules dependencies --acyclic` (0.27)
//! sees the types of signatures and fields, but no function body (regexident/cargo-modules#219), works on one
//! target at a time, and builds rust-analyzer: 300 crates. `cargo cycles` (0.2) sees `use` alone, follows no
//! name that is handed on, takes `super::super::frames` for `super::frames`, and finds none of the circles of
//! the tests below.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Modules by their path (`crate::a::b` is `a::b`), and the modules that each takes names from, with one
/// path that says so.
pub type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// Reads which modules in the files of a folder take names from which. A name that a module only hands on
/// from another (`pub use child::Name`) is taken from that other.
pub fn uses(src: &Path) -> Result<Uses, String> {
    let mut files = BTreeMap::new();
    collect(src, &mut Vec::new(), &mut files);
    let mut read = BTreeMap::new();
    for (module, path) in &files {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
        let tokens: TokenStream = text.parse().map_err(|error| wrong(&error))?;
        let mut names = Names::default();
        names.module(tokens, module);
        names.resolve();
        read.insert(module.as_str(), names);
    }
    let handed: BTreeMap<&str, &str> = read
        .values()
        .flat_map(|names| &names.imports)
        .filter(|(name, path)| name != path)
        .map(|(name, path)| (name.as_str(), path.as_str()))
        .collect();
    let home = |path: &str| home(path, &files, &handed);
    Ok(read
        .iter()
        .map(|(module, names)| {
            // The import of a module is no arrow: the names that are then taken from it are.
            let imported = names.imports.values().cloned();
            let imported = imported.filter(|path| !files.contains_key(path));
            let targets = imported
                .chain(names.spelled())
                .filter_map(|path| Some((home(&path)?, path)))
                .filter(|(target, _)| target != module)
                .collect();
            ((*module).to_owned(), targets)
        })
        .collect())
}

/// The module in which a name is defined: where it is handed on, the path is followed to the end.
fn home(
    path: &str,
    files: &BTreeMap<String, PathBuf>,
    handed: &BTreeMap<&str, &str>,
) -> Option<String> {
    let mut path = path.to_owned();
    // A name may be handed on a few times; two names that hand each other on would go on for ever.
    for _ in 0..16 {
        if let Some(from) = handed.get(path.as_str()) {
            path = (*from).to_owned();
            continue;
        }
        let parent = path.rsplit_once("::").map_or("", |(parent, _)| parent);
        // What a module hands on may be a module, of which the path goes on.
        let mut start = parent;
        let mut through = None;
        while !start.is_empty() && !files.contains_key(start) && through.is_none() {
            through = handed.get(start).map(|from| (start.len(), *from));
            start = start.rsplit_once("::").map_or("", |(start, _)| start);
        }
        if let Some((length, from)) = through {
            path = format!("{from}{}", path.get(length..).unwrap_or_default());
            continue;
        }
        let mut module = path.as_str();
        while !files.contains_key(module) {
            module = module.rsplit_once("::").map(|(parent, _)| parent).or(
                // The rest of a path belongs to the root, if there is one.
                (!module.is_empty()).then_some(""),
            )?;
        }
        return Some(module.to_owned());
    }
    None
}

/// Collects the files of a folder by the path of their module, without those of tests.
fn collect(folder: &Path, at: &mut Vec<String>, files: &mut BTreeMap<String, PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        if path.is_dir() {
            at.push(stem.to_owned());
            collect(&path, at, files);
            at.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let mut module = at.clone();
            if !matches!(stem, "mod" | "lib" | "main") {
                module.push(stem.to_owned());
            }
            if stem != "main" && stem != "tests" {
                files.insert(module.join("::"), path);
            }
        }
    }
}

/// The names of its own crate that a file uses.
#[derive(Default)]
struct Names {
    /// The paths that `use` names, with the module and the name under which each is then known there.
    used: Vec<(String, String, Vec<String>)>,
    /// The same from the root of the crate on, by the path of that name.
    imports: BTreeMap<String, String>,
    /// The other paths of two and more names, with the module that each stands in.
    paths: Vec<(String, Vec<String>)>,
    /// The modules that the file declares.
    declared: BTreeSet<String>,
}

impl Names {
    fn module(&mut self, tokens: TokenStream, module: &str) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        self.read(&tokens, module, None);
    }

    /// Reads tokens of a module; within a tree of `use`, `tree` is the path so far.
    fn read(&mut self, mut tokens: &[TokenTree], module: &str, tree: Option<&[String]>) {
        let mut in_use = tree.is_some();
        let mut exported = false;
        while let [first, rest @ ..] = tokens {
            tokens = match (first, rest) {
                (TokenTree::Punct(sign), [TokenTree::Group(attribute), item @ ..])
                    if sign.as_char() == '#' && is_for_tests(&attribute.stream()) =>
                {
                    after_item(item)
                }
                (TokenTree::Ident(word), [TokenTree::Group(seen_by), rest @ ..])
                    if word == "pub" && is_visibility(seen_by.stream()) =>
                {
                    rest
                }
                (TokenTree::Ident(word), [TokenTree::Ident(name), rest @ ..]) if word == "mod" => {
                    let inner = join(module, &name.to_string());
                    if let [TokenTree::Group(body), ..] = rest {
                        self.module(body.stream(), &inner);
                    }
                    self.declared.insert(inner);
                    rest.get(1..).unwrap_or_default()
                }
                (TokenTree::Ident(word), rest) if word == "use" => {
                    in_use = true;
                    rest
                }
                // An exported macro is named as the root's, and belongs to the module that it stands in.
                (TokenTree::Ident(word), [_, TokenTree::Ident(name), rest @ ..])
                    if word == "macro_rules" =>
                {
                    if std::mem::take(&mut exported) {
                        let name = name.to_string();
                        self.imports.insert(name.clone(), join(module, &name));
                    }
                    rest
                }
                (TokenTree::Ident(_), _) => {
                    let (path, rest) = path(tokens);
                    let path = [tree.unwrap_or_default(), &path].concat();
                    self.path(path, rest, module, in_use)
                }
                (TokenTree::Group(group), rest) => {
                    exported |= group.stream().to_string() == "macro_export";
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    let tree = in_use.then_some(tree.unwrap_or_default());
                    self.read(&inner, module, tree);
                    rest
                }
                (TokenTree::Punct(sign), rest) => {
                    in_use &= sign.as_char() != ';';
                    if let ('*', Some(tree)) = (sign.as_char(), tree) {
                        self.paths.push((module.to_owned(), tree.to_vec()));
                    }
                    match separator(tokens) {
                        // `::std::…` begins in another crate.
                        Some(rest) => path(rest).1,
                        None => rest,
                    }
                }
                (TokenTree::Literal(_), rest) => rest,
            };
        }
    }

    /// Notes a path, or what a tree of `use` names below it; returns the tokens after that.
    fn path<'t>(
        &mut self,
        mut path: Vec<String>,
        rest: &'t [TokenTree],
        module: &str,
        in_use: bool,
    ) -> &'t [TokenTree] {
        if !in_use {
            if path.len() > 1 {
                self.paths.push((module.to_owned(), path));
            }
            return rest;
        }
        match separator(rest) {
            Some([TokenTree::Group(group), rest @ ..]) => {
                let tree: Vec<TokenTree> = group.stream().into_iter().collect();
                self.read(&tree, module, Some(&path));
                return rest;
            }
            // All names of a module.
            Some([_, rest @ ..]) => {
                self.paths.push((module.to_owned(), path));
                return rest;
            }
            _ => {}
        }
        if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
            path.pop();
        }
        let (name, rest) = match rest {
            [TokenTree::Ident(word), TokenTree::Ident(name), rest @ ..] if word == "as" => {
                (name.to_string(), rest)
            }
            rest => (path.last().cloned().unwrap_or_default(), rest),
        };
        self.used.push((module.to_owned(), name, path));
        rest
    }

    /// Finds what the paths of `use` name, once all modules that the file declares are known.
    fn resolve(&mut self) {
        for (module, name, path) in &self.used {
            if let Some(path) = self.rooted(module, path) {
                self.imports.insert(join(module, name), path);
            }
        }
    }

    /// The paths in the code, from the root of the crate on. They begin there, or with an imported name.
    fn spelled(&self) -> impl Iterator<Item = String> {
        self.paths.iter().filter_map(|(module, path)| {
            self.rooted(module, path).or_else(|| {
                let (first, rest @ [_, ..]) = path.split_first()? else {
                    return None;
                };
                let from = self.imports.get(&join(module, first))?;
                Some(join(from, &rest.join("::")))
            })
        })
    }

    /// A path from the root of the crate on; `None` where it begins outside.
    fn rooted(&self, module: &str, path: &[String]) -> Option<String> {
        let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        let (first, mut rest) = path.split_first()?;
        match first.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop();
                while let [next, after @ ..] = rest
                    && next == "super"
                {
                    base.pop();
                    rest = after;
                }
            }
            child if self.declared.contains(&join(module, child)) => rest = path,
            _ => return None,
        }
        base.extend(rest.iter().map(String::as_str));
        Some(base.join("::"))
    }
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() {
        name.to_owned()
    } else {
        format!("{module}::{name}")
    }
}

/// The tokens after a `::`.
fn separator(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    match tokens {
        [TokenTree::Punct(a), TokenTree::Punct(b), rest @ ..]
            if a.as_char() == ':' && b.as_char() == ':' =>
        {
            Some(rest)
        }
        _ => None,
    }
}

/// A path of names, and the tokens after it.
fn path(mut tokens: &[TokenTree]) -> (Vec<String>, &[TokenTree]) {
    let mut path = Vec::new();
    while let [TokenTree::Ident(name), rest @ ..] = tokens {
        path.push(name.to_string());
        match separator(rest) {
            Some(next @ [TokenTree::Ident(_), ..]) => tokens = next,
            _ => return (path, rest),
        }
    }
    (path, tokens)
}

/// The tokens after an item: its body, or its end.
fn after_item(item: &[TokenTree]) -> &[TokenTree] {
    let end = item.iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(sign) => matches!(sign.as_char(), ';' | ','),
        _ => false,
    });
    item.get(end.map_or(item.len(), |end| end + 1)..)
        .unwrap_or_default()
}

/// `cfg(test)`, or `cfg(all(test, …))`.
fn is_for_tests(attribute: &TokenStream) -> bool {
    let text: String = attribute.to_string().split_whitespace().collect();
    text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

/// `(crate)`, `(super)`, `(in crate::a)`; a tuple's `(crate::a::B)` is none.
fn is_visibility(seen_by: TokenStream) -> bool {
    let mut tokens = seen_by.into_iter();
    let Some(TokenTree::Ident(first)) = tokens.next() else {
        return false;
    };
    first == "in"
        || tokens.next().is_none() && (first == "crate" || first == "super" || first == "self")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrows::circles;

    /// The circles of a crate of these files.
    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = std::env::temp_dir().join(format!(
            "gametape-modules-{}-{:?}-{}",
            std::process::id(),
            std::thread::current().id(),
            files.iter().map(|(_, text)| text.len()).sum::<usize>()
        ));
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let circles = circles(&uses(&folder).unwrap());
        fs::remove_dir_all(folder).unwrap();
        circles
    }

    const NONE: [[&str; 0]; 0] = [];

    #[test]
    fn circles_are_found_through_groups_and_through_what_is_handed_on() {
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\nmod b;\npub use b::B;\n"),
                ("a.rs", "use crate::{B, c::X};\npub struct A;\n"),
                ("c.rs", "pub struct X;\n"),
                ("b.rs", "use super::a::A;\npub struct B;\n"),
            ]),
            [["a", "b"]]
        );
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\nmod b;\npub use b::B as C;\n"),
                ("a.rs", "use crate::C;\npub struct A;\n"),
                (
                    "b.rs",
                    "use super::{self as root, a::{self, A as Z}};\npub struct B;\n"
                ),
            ]),
            [["a", "b"]]
        );
    }

    #[test]
    fn a_module_that_hands_on_its_children_is_in_no_circle_with_them() {
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\nmod c;\npub use a::A;\n"),
                (
                    "a/mod.rs",
                    "mod inner;\npub use inner::Inner;\npub struct A;\n"
                ),
                (
                    "a/inner.rs",
                    "use crate::c::C;\n// use super::A;\nconst S: &str = \"super::A\";\npub struct Inner;\n"
                ),
                (
                    "c.rs",
                    "pub struct C;\n\n#[cfg(test)]\nmod tests { use crate::A; }\n"
                ),
            ]),
            NONE
        );
        // The import of a module is no arrow: the names that are then taken from it are.
        assert_eq!(
            circles_of(&[
                ("lib.rs", "pub mod a;\n"),
                ("a/mod.rs", "mod b;\nmod c;\npub use b::B;\npub use c::C;\n"),
                ("a/b.rs", "use crate::a;\npub struct B(a::C);\n"),
                ("a/c.rs", "pub(in crate::a) struct C;\n"),
            ]),
            NONE
        );
        assert_eq!(
            circles_of(&[
                ("lib.rs", "pub mod a;\n"),
                ("a/mod.rs", "mod b;\npub use b::B;\npub struct C;\n"),
                ("a/b.rs", "use crate::a;\npub struct B(a::C);\n"),
            ]),
            [["a", "a::b"]]
        );
    }

    #[test]
    fn circles_are_found_through_paths_in_code() {
        assert_eq!(
            circles_of(&[
                ("lib.rs", "pub(crate) mod a;\n"),
                (
                    "a/mod.rs",
                    "pub(crate) mod b;\npub const N: u8 = 1;\nfn f() -> u8 { b::g(2) }\n"
                ),
                ("a/b.rs", "pub fn g(n: u8) -> u8 { n + super::N }\n"),
            ]),
            [["a", "a::b"]]
        );
        // A method, another crate, a module of another's.
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\nmod b;\n"),
                (
                    "a.rs",
                    "use crate::b::B;\npub fn f() -> B { B::new(std::b::X) }\n"
                ),
                (
                    "b.rs",
                    "pub struct B;\nfn g() { other::a::f(); ::a::f() }\n"
                ),
            ]),
            NONE
        );
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\nmod b;\n"),
                ("a.rs", "pub fn f() { crate::b::B::new() }\n"),
                ("b.rs", "use crate::a;\nfn g() { a::f() }\n"),
            ]),
            [["a", "b"]]
        );
    }

    #[test]
    fn circles_are_found_in_macros_and_in_modules_within_a_file() {
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\nmod b;\npub use b::B;\n"),
                (
                    "a.rs",
                    "macro_rules! made { () => { $crate::B } }\npub struct A;\n"
                ),
                ("b.rs", "use crate::a::A;\npub struct B;\n"),
            ]),
            [["a", "b"]]
        );
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\nmod b;\n"),
                (
                    "a.rs",
                    "pub mod inner { use super::super::b::B; pub struct I; }\n"
                ),
                ("b.rs", "use crate::a::inner::I;\npub struct B;\n"),
            ]),
            [["a", "b"]]
        );
        // An exported macro is the root's by its name alone.
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\nmod b;\npub use b::B;\n"),
                (
                    "a.rs",
                    "#[macro_export]\nmacro_rules! made { () => { $crate::B } }\n"
                ),
                ("b.rs", "pub struct B;\ncrate::made!();\n"),
            ]),
            [["a", "b"]]
        );
        // A module within a file belongs to that file.
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\n"),
                (
                    "a.rs",
                    "pub struct A;\nmod inner { use super::A; }\nuse inner::X;\n"
                ),
            ]),
            NONE
        );
    }

    #[test]
    fn all_of_a_module_may_be_anything_of_it() {
        assert_eq!(
            circles_of(&[
                ("lib.rs", "mod a;\n"),
                ("a/mod.rs", "mod b;\nuse b::B;\npub struct A;\n"),
                ("a/b.rs", "use super::*;\npub struct B(A);\n"),
            ]),
            [["a", "a::b"]]
        );
    }
}
