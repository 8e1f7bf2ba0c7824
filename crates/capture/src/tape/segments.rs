//! Any recording in segments, for publishing.

use std::sync::Arc;

use gametape_core::table::Lane;
use gametape_core::tape::{Error, Secrets, Tape, Work};

use super::opened::{PacketsTape, made_of};
use crate::made::{PUBLISHED, Segment, Segmented, Wanted, segments as of_tables};

/// Makes the stream of snapshot/delta packets of a recording's tables, in segments that each begin
/// with a full snapshot and last a few seconds. A broken recording is used as far as it can be
/// read; [`Segmented::doubts`] lists its problems. For a capture that was made from another
/// recording's tables, these tables are used.
///
/// If the recording is `growing`, the schema has room for any later rows, and the segments also
/// contain labels. If it is called again after the recording has grown, all segments except the
/// last one are the same.
///
/// # Errors
/// If nothing of the recording can be read; errors of `each`.
pub fn segments(
    tape: &Arc<dyn Tape>,
    secrets: Secrets,
    growing: bool,
    each: &mut dyn FnMut(Segment) -> Result<(), Error>,
    work: &Work<'_>,
) -> Result<Segmented, Error> {
    cut(tape, secrets, growing, None, each, work)
}

/// The rows of a recording's fact tables, as far as they are known: the label records at the start
/// of [`Segmented::labels`]. They may change while a recording grows.
///
/// # Errors
/// As [`segments`].
pub fn facts(tape: &Arc<dyn Tape>, secrets: Secrets, work: &Work<'_>) -> Result<Vec<u8>, Error> {
    let facts = Some(Lane::Facts);
    let none = &mut |_| Ok(());
    cut(tape, secrets, true, facts, none, work).map(|made| made.labels)
}

fn cut(
    tape: &Arc<dyn Tape>,
    secrets: Secrets,
    growing: bool,
    lane: Option<Lane>,
    each: &mut dyn FnMut(Segment) -> Result<(), Error>,
    work: &Work<'_>,
) -> Result<Segmented, Error> {
    let packets = tape.of_type::<PacketsTape>();
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
