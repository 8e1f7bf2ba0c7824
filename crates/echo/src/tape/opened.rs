//! An opened recording of a match.

use std::path::Path;

use gametape_core::Input;
use gametape_core::tape::{Error, Source};

use super::encoding::EchoFormat;
use super::frames::Frames;
use crate::butter::Parts;
use crate::echoreplay;

/// An opened recording of a match, in either encoding.
#[derive(Debug)]
pub struct EchoTape {
    pub(in crate::tape) format: EchoFormat,
    pub(in crate::tape) input: Input,
    /// What the file in a zip is called that is made of it.
    member: String,
}

impl EchoTape {
    pub(in crate::tape) fn new(format: EchoFormat, source: Source) -> Self {
        let stem = source.path.as_deref().and_then(Path::file_stem);
        let stem = stem.and_then(|stem| stem.to_str());
        let stem = stem.filter(|stem| !stem.is_empty() && *stem != "-");
        Self {
            format,
            input: source.input,
            member: format!("{}.echoreplay", stem.unwrap_or("match")),
        }
    }

    /// Whether an .echoreplay is in a zip.
    pub(in crate::tape) fn is_zip(&self) -> bool {
        self.input
            .head(4)
            .is_ok_and(|head| echoreplay::is_zip(&head))
    }

    /// What lines that are made of it are kept in.
    pub(in crate::tape) fn container(&self, zip: bool) -> echoreplay::Container {
        if zip {
            echoreplay::Container::Zip(self.member.clone())
        } else {
            echoreplay::Container::Text
        }
    }

    pub(in crate::tape) fn frames(&self) -> Result<Frames, Error> {
        self.frames_of(Parts::ALL)
    }

    /// [`EchoTape::frames`], of which these parts are wanted.
    pub(in crate::tape) fn frames_of(&self, parts: Parts) -> Result<Frames, Error> {
        Frames::open(self.format, self.input.stream(), parts)
    }
}
