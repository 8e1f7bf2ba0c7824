//! The vectors published with the notes on the specification.

use crate::common::{published, unhex};
use gametape_delta::{Decoder, Encoder, Snapshot, settle};

#[test]
fn the_published_vectors_are_written_and_read() {
    let schema = published::schema();
    assert_eq!(schema.hash(), published::HASH);
    assert_eq!(published::one_bool().hash(), published::ONE_BOOL_HASH);
    let (first, mut third) = (published::first(), published::third());
    let (mut encoder, decoder) = (Encoder::new(&schema), Decoder::new(&schema));
    let (mut packet, mut again) = (Vec::new(), Vec::new());
    let mut state = Snapshot::new(&schema, 0);

    encoder.full(&first, &mut packet).unwrap();
    assert_eq!(packet, unhex(published::FULL));
    decoder.full(&packet, &mut state).unwrap();
    assert_eq!(state, first);

    encoder.delta(&first, &third, &mut packet).unwrap();
    assert_eq!(packet, unhex(published::DELTA));
    decoder.delta(&first, &packet, &mut state).unwrap();
    settle(&first, &mut third);
    assert_eq!(state, third);
    encoder
        .packet(&decoder.packet(&packet).unwrap(), &mut again)
        .unwrap();
    assert_eq!(again, packet);
}
