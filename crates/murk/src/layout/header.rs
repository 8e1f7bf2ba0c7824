//! Reads the header. This is the only place that knows its layout; all readers share it.

use gametape_core::ByteReader;

use crate::error::{Error, Finding};
use crate::limits::Limits;
use crate::model::{Build, Header, MAGIC, VERSION};
use crate::rule::Rule;

/// Reads the header; returns it and its size.
pub(crate) fn header<'a>(bytes: &'a [u8], limits: &Limits) -> Result<(Header<'a>, usize), Error> {
    let mut input = HeaderReader(ByteReader::new(bytes));
    let magic = input.array("magic")?;
    if magic != MAGIC {
        return Err(Error::at(Rule::Magic { found: magic }, 0));
    }
    let [version] = input.array("format version")?;
    if version != VERSION {
        return Err(Error::at(Rule::Version { found: version }, 4));
    }
    let mut string = |what| input.string(what, limits.max_string_bytes);
    let build = Build {
        toolchain: string("toolchain")?.into(),
        target_triple: string("target triple")?.into(),
        murk_version: string("murk version")?.into(),
        compile_flags: string("compile flags")?.into(),
    };
    let header = Header {
        build,
        seed: u64::from_le_bytes(input.array("seed")?),
        config_hash: u64::from_le_bytes(input.array("config hash")?),
        field_count: u32::from_le_bytes(input.array("field count")?),
        cell_count: u64::from_le_bytes(input.array("cell count")?),
        space_descriptor: input
            .blob("space descriptor", limits.max_blob_bytes)?
            .into(),
    };
    Ok((header, input.0.offset()))
}

/// The parts of the header. Each is read with the name that errors use for it.
struct HeaderReader<'a>(ByteReader<'a>);

impl<'a> HeaderReader<'a> {
    fn truncated(&self, what: &'static str, needed: u64) -> Error {
        let left = self.0.left() as u64;
        let rule = Rule::Truncated { what, needed, left };
        Error::at(rule, self.0.offset() as u64)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        let array = self.0.array();
        array.map_err(|short| self.truncated(what, short.needed))
    }

    fn blob(&mut self, what: &'static str, limit: u32) -> Result<&'a [u8], Error> {
        let start = self.0.offset() as u64;
        let length = u32::from_le_bytes(self.array(what)?);
        if length > limit {
            let rule = Rule::Limit {
                what,
                command: None,
                unit: "bytes",
                claimed: length.into(),
                limit: limit.into(),
            };
            return Err(Error::at(rule, start));
        }
        let blob = self.0.take(length as usize);
        blob.map_err(|short| self.truncated(what, short.needed))
    }

    fn string(&mut self, what: &'static str, limit: u32) -> Result<&'a str, Error> {
        let blob = self.blob(what, limit)?;
        std::str::from_utf8(blob).map_err(|error| {
            let at = error.valid_up_to();
            let rule = Rule::Utf8 {
                what,
                at: at as u64,
                byte: blob.get(at).copied().unwrap_or_default(),
            };
            let start = self.0.offset() - blob.len();
            Finding::new(rule).at((start + at) as u64).into()
        })
    }
}
