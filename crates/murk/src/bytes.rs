//! Little-endian numbers off the front of a slice.

#[inline]
pub(crate) fn array<const N: usize>(bytes: &[u8]) -> Option<(&[u8; N], &[u8])> {
    bytes.split_first_chunk()
}

#[inline]
pub(crate) fn u32_le(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (head, rest) = array(bytes)?;
    Some((u32::from_le_bytes(*head), rest))
}

#[inline]
pub(crate) fn u64_le(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rest) = array(bytes)?;
    Some((u64::from_le_bytes(*head), rest))
}

/// The number in exactly four bytes; the caller has split them off.
#[inline]
pub(crate) fn i32_le(bytes: &[u8]) -> i32 {
    array(bytes).map_or(0, |(head, _)| i32::from_le_bytes(*head))
}
