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
    // A module that is imported is no more than a name: of whom it is, what is then taken says.
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
    // What is within a file is of that file.
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
