//! Properties of the recordings of every format.

#![cfg(feature = "default")]

mod archives;
mod captures;
mod cut;
mod fetched;
mod figures;
mod growing;
mod known;
mod paths;
mod playback;
mod policy;
mod segments;
mod spoilt;
mod work;

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
fn each_example_runs() {
    columns::main().unwrap();
    findings::main().unwrap();
    replicate::main().unwrap();
    seek::main().unwrap();
    write::main().unwrap();
}
