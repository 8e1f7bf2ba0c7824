//! stub
/// x
pub fn doc_example() -> Vec<u8> { vec![] }
