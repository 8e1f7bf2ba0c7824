//! Runs the examples of the package.

#[path = "../../examples/columns.rs"]
mod columns;
#[path = "../../examples/findings.rs"]
mod findings;
#[path = "../../examples/replicate.rs"]
mod replicate;
#[path = "../../examples/seek.rs"]
mod seek;
#[path = "../../examples/write.rs"]
mod write;

#[test]
fn columns() {
    columns::main().unwrap();
}

#[test]
fn findings() {
    findings::main().unwrap();
}

#[test]
fn replicate() {
    replicate::main().unwrap();
}

#[test]
fn seek() {
    seek::main().unwrap();
}

#[test]
fn write() {
    write::main().unwrap();
}
