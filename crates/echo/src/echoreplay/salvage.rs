//! Keeping the lines of a broken recording that are frames, byte for byte.

use std::io::{Cursor, Read, Seek, Write};

use gametape_core::AllAltered;

use super::container::{Container, Lines};
use super::stream::open_with;
use crate::error::{Error, Finding, Findings, SalvageError, Severity};
use crate::limits::{Limits, ReadOptions};
use crate::model::Frame;
use crate::rule::Rule;

/// What was kept.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Salvaged {
    /// Lines that are frames: these are kept.
    pub frames: u64,
    /// What is wrong with the others, and with the bones of these.
    pub findings: Findings,
    /// Bones that can't be read, in lines that are kept as they are: by their rule the first, and how
    /// often it came again.
    pub odd_bones: Findings,
    /// Lines that were kept of files in a zip whose checksum is wrong, or that don't inflate to their
    /// end: what is altered in them shows nowhere in what was written.
    pub altered: AllAltered<Rule>,
}

impl Salvaged {
    /// What was left out, by its rule: lines, and what a broken zip held.
    pub fn left_out(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| {
            let kept = self.odd_bones.get(finding.code());
            let kept = kept.map_or(0, |finding| finding.repeats + 1);
            finding.severity() > Severity::Info
                && finding.repeats + 1 > kept
                && !matches!(finding.rule, Rule::ZipChecksum { .. })
        })
    }

    /// What was set right, by its rule: line endings and the like.
    pub fn set_right(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.severity() == Severity::Info)
    }

    /// True where the recording was whole.
    #[must_use]
    pub fn nothing_to_do(&self) -> bool {
        self.left_out().next().is_none()
            && self.set_right().next().is_none()
            && self.altered.is_empty()
    }
}

/// Keeps whole lines that are frames, byte for byte, of a recording in memory, plain or zip: as text.
/// The text, and what was kept. Lines are kept of a file in a zip, too, whose checksum is wrong:
/// [`Salvaged::altered`] says which.
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
/// [`SalvageError::Read`] where nothing can be read of it: a zip without the feature.
pub fn salvage(bytes: &[u8]) -> Result<(Vec<u8>, Salvaged), SalvageError> {
    let mut out = Cursor::new(Vec::new());
    let limits = Limits::DEFAULT;
    let salvaged = salvage_to(Cursor::new(bytes), limits, &Container::Text, &mut out)?;
    Ok((out.into_inner(), salvaged))
}

/// [`salvage()`] of what may be large, in memory bounded by a line, and into a container.
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
    let mut output = Lines::new(container, out)?;
    let mut salvaged = Salvaged::default();
    let mut scratch = Frame::default();
    loop {
        match reader.next_frame() {
            Ok(Some(_)) => {}
            Err(error @ Error::Io { .. }) => return Err(error.into()),
            Err(error) if salvaged.frames == 0 => return Err(error.into()),
            // The end, or a limit: what comes behind it can't be had.
            Ok(None) | Err(_) => break,
        }
        let Some(line) = reader.line() else { break };
        let bones = line.bones.unwrap_or_default();
        // Without bones: they may be broken.
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
