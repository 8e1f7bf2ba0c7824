//! What comes of a conversion.

use super::lost::LostLines;
use crate::loss::FieldErrors;

/// What was made, beside its bytes.
pub(super) struct Made {
    /// How far it is off.
    pub errors: FieldErrors,
    /// What the input had and the output has not.
    pub left_out: Vec<String>,
    /// Lines that are not in it, as data.
    pub lines: LostLines,
    /// What is odd about the input, and not about its frames.
    pub notes: Vec<String>,
}
