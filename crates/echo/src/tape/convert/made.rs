//! The result of a conversion.

use super::lost::LostLines;
use crate::loss::FieldErrors;

/// The facts about a new recording; its bytes are elsewhere.
pub(super) struct Made {
    /// How far its values are from the original ones.
    pub errors: FieldErrors,
    /// The parts of the input that the output does not have.
    pub left_out: Vec<String>,
    /// Lines that are not in it, as data.
    pub lines: LostLines,
    /// Remarks on the input as a whole, not on its frames.
    pub notes: Vec<String>,
}
