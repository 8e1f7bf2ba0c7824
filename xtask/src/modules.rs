//! Which modules of a crate know each other: read from its tokens, so that a comment or a string is no
//! arrow, and a path that stands in the code is one as much as a `use`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Modules by their path (`crate::a::b` is `a::b`), and the modules that each takes names from, with one
/// path that says so.
pub type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// What the files of a folder take from each other. Whoever names what a module only hands on of another
/// (`pub use child::Name`) knows that other.
pub fn uses(src: &Path) -> Result<Uses, String> {
    let mut files = BTreeMap::new();
    collect(src, &mut Vec::new(), &mut files);
    let mut read = BTreeMap::new();
    for (module, path) in &files {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
        let tokens: TokenStream = text.parse().map_err(|error| wrong(&error))?;
        let mut named = Named::default();
        named.read(tokens, module);
        read.insert(module.as_str(), named);
    }
    let handed: BTreeMap<&str, &str> = read
        .values()
        .flat_map(|named| &named.imports)
        .filter(|(name, path)| name != path)
        .map(|(name, path)| (name.as_str(), path.as_str()))
        .collect();
    let home = |path: &str| home(path, &files, &handed);
    Ok(read
        .iter()
        .map(|(module, named)| {
            // Whoever imports a module knows what it then takes of it, not the module.
            let imported = named.imports.values();
            let imported = imported.filter(|path| !files.contains_key(path.as_str()));
            let targets = imported
                .chain(&named.spelled)
                .filter_map(|path| Some((home(path)?, path.clone())))
                .filter(|(target, _)| target != module)
                .collect();
            ((*module).to_owned(), targets)
        })
        .collect())
}

/// The module that a name is of: where it is handed on from, followed to the end.
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
                // What is left of a path belongs to the root, if there is one.
                (!module.is_empty()).then_some(""),
            )?;
        }
        return Some(module.to_owned());
    }
    None
}

/// The files of a folder by the path of their module, but for tests.
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

/// What a file names of its own crate, from the root on.
#[derive(Default)]
struct Named {
    /// What a `use` names, by the path under which it then stands here.
    imports: BTreeMap<String, String>,
    /// The paths that stand in the code.
    spelled: BTreeSet<String>,
}

/// Where paths are read: a module, the children that it declares, and what it imports.
struct Scope<'s> {
    module: &'s str,
    children: BTreeSet<String>,
}

impl Named {
    fn read(&mut self, tokens: TokenStream, module: &str) {
        let mut words = Vec::new();
        flatten(tokens, &mut words);
        let children = words.windows(2).filter_map(|pair| match pair {
            [Word::Name(keyword), Word::Name(name)] if keyword == "mod" => Some(name.clone()),
            _ => None,
        });
        let scope = Scope {
            module,
            children: children.collect(),
        };
        let mut rest = words.as_slice();
        let mut code = Vec::new();
        let mut exported = false;
        while let [first, after @ ..] = rest {
            rest = after;
            match first {
                Word::Name(name) if name == "use" => {
                    let end = after
                        .iter()
                        .position(|word| matches!(word, Word::Other(';')));
                    let (tree, left) = after.split_at(end.unwrap_or(after.len()));
                    self.import(tree, &mut Vec::new(), &scope);
                    rest = left;
                }
                // A macro that is exported is named as the root's, and is of the module it stands in.
                Word::Name(name) if name == "macro_export" => exported = true,
                Word::Name(name) if name == "macro_rules" && exported => {
                    if let [Word::Other('!'), Word::Name(name), ..] = after {
                        self.imports.insert(name.clone(), join(module, name));
                    }
                    exported = false;
                }
                Word::Inner(name, tokens) => self.read(tokens.clone(), &join(module, name)),
                word => code.push(word),
            }
        }
        self.spell(&code, &scope);
    }

    /// Reads a tree of `use`, `before` which the path so far stands; gives what is left behind it.
    fn import<'w>(
        &mut self,
        mut tree: &'w [Word],
        before: &mut Vec<String>,
        scope: &Scope,
    ) -> &'w [Word] {
        let length = before.len();
        loop {
            match tree {
                [Word::Name(name), Word::Path, rest @ ..] => {
                    before.push(name.clone());
                    tree = rest;
                    continue;
                }
                [
                    Word::Name(name),
                    Word::Name(keyword),
                    Word::Name(here),
                    rest @ ..,
                ] if keyword == "as" => {
                    self.leaf(before, name, here, scope);
                    tree = rest;
                }
                [Word::Name(name), rest @ ..] => {
                    self.leaf(before, name, name, scope);
                    tree = rest;
                }
                // All of a module: what that is of it, nobody can tell from here.
                [Word::Other('*'), rest @ ..] => {
                    self.spelled.extend(scope.rooted(before));
                    tree = rest;
                }
                [Word::Open, rest @ ..] => {
                    tree = rest;
                    while !matches!(tree, [] | [Word::Close, ..]) {
                        let left = self.import(tree, before, scope);
                        tree = match left {
                            [Word::Other(','), rest @ ..] => rest,
                            // Nothing that a tree of `use` holds: no arrow is lost by leaving it.
                            [_, rest @ ..] if left.len() == tree.len() => rest,
                            left => left,
                        };
                    }
                    tree = tree.get(1..).unwrap_or_default();
                }
                _ => {}
            }
            before.truncate(length);
            return tree;
        }
    }

    fn leaf(&mut self, before: &[String], name: &str, here: &str, scope: &Scope) {
        let mut path = before.to_vec();
        let here = match (name, path.last()) {
            ("self", Some(last)) if here == "self" => last.clone(),
            _ => here.to_owned(),
        };
        if name != "self" || path.is_empty() {
            path.push(name.to_owned());
        }
        if let Some(path) = scope.rooted(&path) {
            self.imports.insert(join(scope.module, &here), path);
        }
    }

    /// Notes the paths of two and more names.
    fn spell(&mut self, mut words: &[&Word], scope: &Scope) {
        while let [first, rest @ ..] = words {
            words = rest;
            match first {
                // `::std::…` is of another crate.
                Word::Path => {
                    while let [Word::Name(_), Word::Path, rest @ ..] = words {
                        words = rest;
                    }
                }
                Word::Name(name) => {
                    let mut path = vec![name.clone()];
                    while let [Word::Path, Word::Name(next), rest @ ..] = words {
                        path.push(next.clone());
                        words = rest;
                    }
                    if path.len() > 1 {
                        self.spelled
                            .extend(scope.rooted(&path).or_else(|| self.through(&path, scope)));
                    }
                }
                _ => {}
            }
        }
    }

    /// A path that begins with an imported name.
    fn through(&self, path: &[String], scope: &Scope) -> Option<String> {
        let (first, rest) = path.split_first()?;
        let from = self.imports.get(&join(scope.module, first))?;
        Some(join(from, &rest.join("::")))
    }
}

impl Scope<'_> {
    /// A path from the root of the crate on; none, where it begins outside.
    fn rooted(&self, path: &[String]) -> Option<String> {
        let mut base: Vec<&str> = self.module.split("::").collect();
        base.retain(|part| !part.is_empty());
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
            child if self.children.contains(child) => rest = path,
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

/// What paths are made of.
enum Word {
    Name(String),
    /// `::`
    Path,
    Open,
    Close,
    Other(char),
    /// A module within the file.
    Inner(String, TokenStream),
}

/// Tokens in a row, without what is compiled for tests alone, and without who may see an item.
fn flatten(tokens: TokenStream, words: &mut Vec<Word>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rest = tokens.as_slice();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (TokenTree::Punct(sign), [TokenTree::Group(attribute), item @ ..])
                if sign.as_char() == '#' && is_for_tests(&attribute.stream()) =>
            {
                let end = item.iter().position(|token| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(sign) => matches!(sign.as_char(), ';' | ','),
                    _ => false,
                });
                rest = item
                    .get(end.map_or(item.len(), |end| end + 1)..)
                    .unwrap_or_default();
            }
            (TokenTree::Ident(keyword), [TokenTree::Group(seen_by), after @ ..])
                if keyword == "pub" && is_visibility(seen_by.stream()) =>
            {
                rest = after;
            }
            (
                TokenTree::Ident(keyword),
                [TokenTree::Ident(name), TokenTree::Group(body), after @ ..],
            ) if keyword == "mod" => {
                words.push(Word::Inner(name.to_string(), body.stream()));
                rest = after;
            }
            (TokenTree::Punct(a), [TokenTree::Punct(b), after @ ..])
                if a.as_char() == ':' && b.as_char() == ':' =>
            {
                words.push(Word::Path);
                rest = after;
            }
            (TokenTree::Ident(name), _) => words.push(Word::Name(name.to_string())),
            (TokenTree::Punct(sign), _) => words.push(Word::Other(sign.as_char())),
            (TokenTree::Group(group), _) => {
                words.push(Word::Open);
                flatten(group.stream(), words);
                words.push(Word::Close);
            }
            // As much as a sign: it keeps what is before from what is behind.
            (TokenTree::Literal(_), _) => words.push(Word::Other('"')),
        }
    }
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
mod tests;
