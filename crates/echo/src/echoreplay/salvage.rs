//! Keeping the frames of a broken recording, line by line and byte for byte.

use std::io::{Cursor, Read, Seek, Write};

use gametape_core::AllAltered;

use super::stream::open_with;
use super::write::{Container, LineWriter};
use crate::error::{Error, Finding, Findings, SalvageError, Severity};
use crate::limits::{Limits, ReadOptions};
use crate::model::Frame;
use crate::rule::Rule;

/// The result of a salvage.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Salvaged {
    /// The number of lines that are frames; these were kept.
    pub frames: u64,
    /// The faults of the other lines, and of the bones of the kept ones.
    pub findings: Findings,
    /// Bones that can't be read in lines that were kept as they are: for each rule the first, and how often
    /// it occurred.
    pub odd_bones: Findings,
    /// Lines kept from files in a zip whose checksum is wrong or that don't inflate to their end. They may
    /// be altered, and nothing in the new text shows it.
    pub altered: AllAltered<Rule>,
}

impl Salvaged {
    /// The findings about what was left out: lines, and parts of a broken zip.
    pub fn left_out(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| {
            let kept = self.odd_bones.get(finding.code());
            let kept = kept.map_or(0, |finding| finding.repeats + 1);
            finding.severity() > Severity::Info
                && !finding.rule.is_kept()
                && !matches!(finding.rule, Rule::Zeros { .. })
                && finding.repeats + 1 > kept
                && !matches!(finding.rule, Rule::ZipChecksum { .. })
        })
    }

    /// The findings about what was corrected: line endings and the like.
    pub fn set_right(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| {
            let is_corrected = finding.severity() == Severity::Info;
            (is_corrected || matches!(finding.rule, Rule::Zeros { .. })) && !finding.rule.is_kept()
        })
    }

    /// Whether the recording was whole.
    #[must_use]
    pub fn nothing_to_do(&self) -> bool {
        self.left_out().next().is_none()
            && self.set_right().next().is_none()
            && self.altered.is_empty()
    }
}

/// Keeps the whole lines that are frames, byte for byte, from a recording in memory, plain or zip. Returns
/// the text and its description. Lines of a file in a zip are kept even if its checksum is wrong;
/// [`Salvaged::altered`] names them.
///
/// ```
/// use gametape_echo::echoreplay;
/// let text = b"2022/01/02 03:00:00.000\t{\"sessionid\":\"A\"}\r\n2022/01/02 03:0";
/// let (whole, salvaged) = echoreplay::salvage(text)?;
/// assert_eq!((salvaged.frames, whole.len()), (1, 43));
/// assert_eq!(salvaged.left_out().next().unwrap().code(), "echoreplay.truncated");
/// # Ok::<(), gametape_echo::SalvageError>(())
/// ```
///
/// # Errors
/// [`SalvageError::Read`] if nothing can be read: a zip, without the feature.
pub fn salvage(bytes: &[u8]) -> Result<(Vec<u8>, Salvaged), SalvageError> {
    let mut out = Cursor::new(Vec::new());
    let limits = Limits::DEFAULT;
    let salvaged = salvage_to(Cursor::new(bytes), limits, &Container::Text, &mut out)?;
    Ok((out.into_inner(), salvaged))
}

/// Like [`salvage()`], for inputs that may be large and with a choice of container: memory use is bounded
/// by one line.
///
/// # Errors
/// [`SalvageError`].
pub fn salvage_to(
    source: impl Read + Seek,
    limits: Limits,
    container: &Container,
    out: impl Write + Seek,
) -> Result<Salvaged, SalvageError> {
    let options = ReadOptions::lenient().limits(limits);
    let mut reader = open_with(source, options)?;
    let mut output = LineWriter::new(container, out)?;
    let mut salvaged = Salvaged::default();
    let mut scratch = Frame::default();
    loop {
        match reader.next_frame() {
            Ok(Some(_)) => {}
            Err(error @ Error::Io { .. }) => return Err(error.into()),
            Err(error) if salvaged.frames == 0 => return Err(error.into()),
            // The end, or an exceeded limit: the rest can't be read.
            Ok(None) | Err(_) => break,
        }
        let Some(line) = reader.line() else { break };
        let bones = line.bones.unwrap_or_default();
        // No bones were read: they may be broken.
        if reader.frame().bones.is_none()
            && !matches!(bones, b"" | b"{\"err_code\":0}")
            && let Err(error) = line.read_into(&mut scratch)
        {
            salvaged.odd_bones.extend(error.into_finding());
        }
        output.push(&line)?;
        salvaged.frames += 1;
    }
    output.finish()?;
    salvaged.findings = reader.findings().clone();
    salvaged.altered = reader.altered().clone();
    Ok(salvaged)
}
