//! How files begin.

/// Whether a file starts like a zip.
pub(crate) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}
