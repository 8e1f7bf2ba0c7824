//! Any recording in segments: what is published of it.

use gametape_core::table::Lane;
use gametape_core::tape::{Error, Secrets, Tape, Work};

use super::opened::{PacketsTape, made_of};
use crate::made::{PUBLISHED, Segment, Segmented, Wanted, segments as of_tables};

/// Gives the tables of a recording as a stream of snapshot/delta packets in segments, each of which
/// begins with a full snapshot and holds a few seconds; of a broken recording as much as can be read,
/// and [`Segmented::doubts`] says what is wrong. A capture that was made of another
/// recording's tables gives those.
///
/// Of a recording that is `growing` the schema is one that any later rows fit: called again when it has
/// grown, all segments but the last are the same, and labels are in them, too.
///
/// # Errors
/// As for a capture that is made of the recording, where nothing can be read; what `each` says.
pub fn segments(
    tape: &dyn Tape,
    secrets: Secrets,
    growing: bool,
    each: &mut dyn FnMut(Segment) -> Result<(), Error>,
    work: &Work<'_>,
) -> Result<Segmented, Error> {
    cut(tape, secrets, growing, None, each, work)
}

/// The rows of a recording's tables of facts, as far as they are known: the records of labels that
/// [`Segmented::labels`] begins with. Of a recording that grows they may be others later.
///
/// # Errors
/// As [`segments`].
pub fn facts(tape: &dyn Tape, secrets: Secrets, work: &Work<'_>) -> Result<Vec<u8>, Error> {
    let facts = Some(Lane::Facts);
    let none = &mut |_| Ok(());
    cut(tape, secrets, true, facts, none, work).map(|made| made.labels)
}

fn cut(
    tape: &dyn Tape,
    secrets: Secrets,
    growing: bool,
    lane: Option<Lane>,
    each: &mut dyn FnMut(Segment) -> Result<(), Error>,
    work: &Work<'_>,
) -> Result<Segmented, Error> {
    let packets = tape.any().downcast_ref::<PacketsTape>();
    let packets = packets.and_then(|tape| tape.packets().ok());
    let made = packets.as_ref().and_then(|packets| made_of(packets).ok()?);
    let made = made.as_ref().map(|(_, made)| made);
    let of_packets = made.and_then(|made| made.tables.last());
    let wanted = Wanted {
        secrets,
        keep: PUBLISHED,
        keyframe_every: None,
        broken: true,
        growing,
        lane,
        without: of_packets.map(|table| &*table.name),
        made_of: made.map(crate::made::Made::made_of),
    };
    of_tables(tape, &wanted, each, work)
}
