//! Checks whether the parts of the file that tell when, and with which program, the game was played
//! contradict each other.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::game::{Encoding, Game};
use crate::rmv::release::{Release, is_vienna_sweeper};
use crate::rmv::{Finding, Findings, Rule};
use crate::{Version, property};

/// ViennaSweeper's clone id.
const VIENNA_SWEEPER: u8 = 1;
/// No program is known to have written the format before this year.
const FORMAT_SINCE: u16 = 2000;
/// One day in seconds. The clocks of the player and of the auditor may be in different time zones,
/// or slightly wrong.
const DAY: u64 = 86_400;

pub(super) fn check(game: &Game<'_>, now: SystemTime, findings: &mut Findings) {
    let release = Release::of(game.version_info.as_bytes());
    date(game, release.as_ref(), now, findings);
    clone(game, findings);
    match &release {
        Some(release) => fields(game, release, findings),
        None if is_vienna_sweeper(game.version_info.as_bytes()) => {
            findings.push(Finding::new(Rule::ReleaseMissing));
        }
        None => {}
    }
}

fn date(game: &Game<'_>, release: Option<&Release<'_>>, now: SystemTime, findings: &mut Findings) {
    let generated = game.board.timestamp;
    if generated == 0 {
        findings.push(Finding::new(Rule::DateMissing));
        return;
    }
    let by_release = release.map(|release| (release.not_before(), &release.name));
    let by_release = by_release.filter(|(year, _)| *year > FORMAT_SINCE);
    let not_before = by_release.map_or(FORMAT_SINCE, |(year, _)| year);
    if u64::from(generated) < start_of(not_before) {
        let what = match by_release {
            Some((_, name)) => format!("release {name} of ViennaSweeper"),
            None => "any program with this format".to_owned(),
        };
        findings.push(Finding::new(Rule::DateEarly {
            generated,
            what,
            not_before,
        }));
    }
    // A clock before 1970 is wrong, so that it says nothing about other clocks.
    let Ok(now) = now.duration_since(UNIX_EPOCH) else {
        return;
    };
    if u64::from(generated) > now.as_secs().saturating_add(DAY) {
        let today = u32::try_from(now.as_secs()).unwrap_or(u32::MAX);
        findings.push(Finding::new(Rule::DateFuture { generated, today }));
    }
}

/// The Unix time of the first second of a year between 1970 and 2100.
fn start_of(year: u16) -> u64 {
    let years = u64::from(year.saturating_sub(1970));
    let leap_days = (years + 1) / 4;
    (years * 365 + leap_days) * DAY
}

fn clone(game: &Game<'_>, findings: &mut Findings) {
    let Encoding::V2 {
        clone_id,
        extensions,
        ..
    } = &game.encoding
    else {
        return;
    };
    let id = *clone_id;
    let by_id = id == VIENNA_SWEEPER;
    let by_info = is_vienna_sweeper(game.version_info.as_bytes());
    let own = extensions.iter().any(|e| e.name.starts_with(b"vsweep_"));
    let by = match (by_id, by_info, own) {
        (true, false, _) | (false, true, _) => "version info",
        (false, false, true) => "extension property",
        _ => return,
    };
    findings.push(Finding::new(Rule::ReleaseClone { id, by }));
}

/// The value that a release is known to write. A higher `found` value may belong to a later
/// release.
struct Expected {
    field: &'static str,
    known: u32,
    /// The value from which on something belongs to a later release, its name, and that release.
    later: Option<(u32, &'static str, &'static str)>,
}

fn fields(game: &Game<'_>, release: &Release<'_>, findings: &mut Findings) {
    let mut judge = |found: u32, known: Expected| {
        findings.extend(known.judge(found, release).map(Finding::new));
    };
    let before_4 = release.major() < 4;
    judge(
        game.player.len().into(),
        Expected {
            field: "the number of player fields",
            known: if before_4 { 1 } else { 4 },
            later: before_4.then_some((4, "the player field of the token", "4.0")),
        },
    );
    let format = Expected {
        field: "the version of the format",
        known: if release.major() < 5 { 1 } else { 2 },
        later: (release.major() < 5).then_some((2, "version 2 of the format", "5.0")),
    };
    match &game.encoding {
        Encoding::V1 { .. } if release.major() < 5 => {
            let utf8 = property::UTF8 as u32;
            judge(
                game.properties.len() as u32,
                Expected {
                    field: "the number of properties",
                    known: if before_4 { utf8 } else { utf8 + 1 },
                    later: before_4.then_some((utf8 + 1, "the utf8 property", "4.0")),
                },
            );
        }
        // A file that another program converted keeps its version info.
        Encoding::V2 { clone_id, .. } if *clone_id != VIENNA_SWEEPER => {}
        Encoding::V2 { clone_major, .. } => {
            judge(game.version().number().into(), format);
            let major = Expected {
                field: "the major version beside the clone id",
                known: release.major().into(),
                later: None,
            };
            judge((*clone_major).into(), major);
        }
        Encoding::V1 { .. } => judge(Version::V1.number().into(), format),
    }
}

impl Expected {
    fn judge(self, found: u32, release: &Release<'_>) -> Option<Rule> {
        let Self {
            field,
            known,
            later,
        } = self;
        if found == known {
            return None;
        }
        let release = release.name.to_string();
        match later {
            Some((from, field, since)) if found >= from => Some(Rule::ReleaseField {
                field,
                since,
                release,
            }),
            _ => Some(Rule::ReleaseUnusual {
                field,
                found,
                known,
                release,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_begin_when_they_do() {
        assert_eq!(start_of(1970), 0);
        assert_eq!(start_of(1973), 94_694_400);
        assert_eq!(start_of(2000), 946_684_800);
        assert_eq!(start_of(2001), 978_307_200);
        assert_eq!(start_of(2024), 1_704_067_200);
        assert_eq!(start_of(2025), 1_735_689_600);
    }
}
