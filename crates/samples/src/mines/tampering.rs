//! Manipulations of a recording's bytes that leave the other bytes unchanged.

use gametape_mines::rmv;
use gametape_mines::{Event, Face};

/// A way to manipulate or damage a recording.
///
/// ```
/// use gametape_mines::rmv;
/// use gametape_samples::mines::{Tampering, record, scenarios};
///
/// let bytes = rmv::write(&record(&scenarios()[0], 7)?)?;
/// for tampering in Tampering::ALL {
///     let tampered = tampering.of(&bytes).unwrap();
///     assert!(!rmv::audit(&tampered).findings.is_empty(), "{}", tampering.name());
/// }
/// # Ok::<(), rmv::WriteError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tampering {
    /// The time is a tenth of a second shorter, in the termination event and in the tail.
    Time,
    /// The 20th opened cell shows a number that is too high by one.
    BoardEvent,
    /// The win is recorded as a game that the player left.
    Outcome,
    /// The last quarter is missing.
    Cut,
}

impl Tampering {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Time, Self::BoardEvent, Self::Outcome, Self::Cut];

    /// Its name, and the name of its file in the demo.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "tampered-time",
            Self::BoardEvent => "tampered-board-event",
            Self::Outcome => "tampered-outcome",
            Self::Cut => "cut",
        }
    }

    /// A copy of a recording with this manipulation. `None` if `bytes` are not a recording, or have
    /// nothing to manipulate in this way.
    #[must_use]
    pub fn of(self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Time => quicker(bytes),
            Self::BoardEvent => another_number(bytes),
            Self::Outcome => left(bytes),
            Self::Cut => bytes.get(..bytes.len() * 3 / 4).map(<[u8]>::to_vec),
        }
    }
}

fn quicker(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut copy = bytes.to_vec();
    let ending = ending(bytes)?;
    for at in [ending + 1, ending + 6] {
        let field = copy.get_mut(at..at + 3)?;
        let time = u32::from_be_bytes([0, *field.first()?, *field.get(1)?, *field.get(2)?]);
        field.copy_from_slice(time.checked_sub(100)?.to_be_bytes().get(1..)?);
    }
    Some(copy)
}

fn another_number(bytes: &[u8]) -> Option<Vec<u8>> {
    let game = rmv::read(bytes).ok()?;
    let mut events = game.events.iter();
    let mut at = 0;
    let mut numbers = 0;
    loop {
        if let Event::Board(board) = events.next()?
            && matches!(board.face, Face::Number(1..8))
        {
            numbers += 1;
            if numbers == 20 {
                break;
            }
        }
        at = events.position();
    }
    let mut copy = bytes.to_vec();
    *copy.get_mut(game.events.offset() as usize + at)? += 1;
    Some(copy)
}

fn left(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut copy = bytes.to_vec();
    *copy.get_mut(ending(bytes)?)? = 17;
    Some(copy)
}

/// The position of the termination event.
fn ending(bytes: &[u8]) -> Option<usize> {
    let game = rmv::read(bytes).ok()?;
    Some(game.events.offset() as usize + game.events.as_bytes().len())
}
