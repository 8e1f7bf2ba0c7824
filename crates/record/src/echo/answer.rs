//! Turns the answers of the game into a line of an .echoreplay and its frame, or into a fault.

use std::borrow::Cow;
use std::io;

use gametape_echo::echoreplay::{self, Line};
use gametape_echo::{Error, Frame, Time};
use serde::Serialize;

/// A pair of answers of the game, in the form in which it is recorded.
#[derive(Default, Debug)]
pub(super) struct Answer {
    /// The frame that readers get from the line.
    pub frame: Frame,
    /// Its line: the answers as they came, on one line.
    pub line: Vec<u8>,
}

impl Answer {
    /// Takes a pair of answers. The frame is read from the line that goes into the recording, so that
    /// readers will get the same frame.
    ///
    /// Returns the fault of the bones if only they are faulty; they are then left out.
    ///
    /// # Errors
    /// The fault of the session.
    pub(super) fn take(
        &mut self,
        time: Time,
        session: &[u8],
        bones: Option<&[u8]>,
    ) -> Result<Option<Fault>, Fault> {
        let session = on_one_line(session);
        if session.is_empty() {
            return Err(Fault::Malformed("the answer is empty".into()));
        }
        self.set(time, &session, None);
        if let Err(why) = self.read() {
            return Err(
                no_match(&session).unwrap_or_else(|| Fault::Malformed(reason(why.as_ref())))
            );
        }
        let answered = &self.frame.session;
        if answered.sessionid.is_empty() && answered.teams.is_empty() {
            return Err(Fault::NoMatch(answered.err_code));
        }
        let Some(bones) = bones.map(on_one_line).filter(|bones| !bones.is_empty()) else {
            return Ok(None);
        };
        self.set(time, &session, Some(&bones));
        let Err(why) = self.read() else {
            return Ok(None);
        };
        self.set(time, &session, None);
        self.frame.bones = None;
        // The same bytes were read before.
        self.read()
            .map_err(|why| Fault::Malformed(reason(why.as_ref())))?;
        Ok(Some(Fault::Malformed(reason(why.as_ref()))))
    }

    fn set(&mut self, time: Time, session: &[u8], bones: Option<&[u8]>) {
        self.line.clear();
        self.line.extend_from_slice(time.to_string().as_bytes());
        self.line.push(b'\t');
        self.line.extend_from_slice(session);
        if let Some(bones) = bones {
            self.line.push(b'\t');
            self.line.extend_from_slice(bones);
        }
        self.line.extend_from_slice(b"\r\n");
    }

    fn read(&mut self) -> Result<(), Option<Error>> {
        match echoreplay::read(&self.line).next_line() {
            // An answer that would become two lines is refused.
            Ok(Some(line)) if line.size() == self.line.len() => line.read_into(&mut self.frame),
            Ok(_) => return Err(None),
            Err(error) => Err(error),
        }
        .map_err(Some)
    }

    /// Returns the line, divided into columns.
    pub(super) fn line(&self) -> io::Result<Line<'_>> {
        let line = echoreplay::read(&self.line).next_line();
        // The same bytes were read before.
        line.ok()
            .flatten()
            .ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Returns the rule that an answer breaks, without a place, since it is in no recording.
fn reason(why: Option<&Error>) -> String {
    let finding = why.and_then(Error::finding);
    finding.map_or_else(
        || "the answer has a line's end within a text".to_owned(),
        |finding| finding.rule.to_string(),
    )
}

/// Recognises the answer of the game outside a match: an error code, and no session.
pub(super) fn no_match(answer: &[u8]) -> Option<Fault> {
    #[derive(serde::Deserialize)]
    struct Refusal {
        err_code: i32,
        sessionid: Option<serde::de::IgnoredAny>,
    }
    let refusal: Refusal = serde_json::from_slice(answer).ok()?;
    refusal
        .sessionid
        .is_none()
        .then_some(Fault::NoMatch(Some(refusal.err_code)))
}

/// Returns JSON on one line, without the tabs that separate columns. JSON that has neither tabs nor
/// line ends stays byte for byte; otherwise all space between tokens is removed, and texts stay as
/// they are.
fn on_one_line(json: &[u8]) -> Cow<'_, [u8]> {
    let json = json.trim_ascii();
    if !json
        .iter()
        .any(|byte| matches!(byte, b'\t' | b'\n' | b'\r'))
    {
        return json.into();
    }
    let mut out = Vec::with_capacity(json.len());
    let (mut in_text, mut escaped, mut space) = (false, false, false);
    for &byte in json {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if byte.is_ascii_whitespace() {
            space = true;
            continue;
        } else {
            // Broken JSON must stay broken: "1 2" must not become "12".
            if space && out.last().is_some_and(is_word) && is_word(&byte) {
                out.push(b' ');
            }
            in_text = byte == b'"';
        }
        space = false;
        out.push(byte);
    }
    out.into()
}

/// A byte of a number, of `true`, `false` or `null`.
const fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// The reason why a request to the game gave no frame.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no connection: the game is closed.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// The answer did not come in time.
    #[error("no answer in time")]
    Timeout,
    /// The HTTP status was not 200.
    #[error("HTTP status {0}")]
    Status(u16),
    /// The game says that it is in no match, with this code.
    #[error("no match is on{}", .0.map_or_else(String::new, |code| format!(" (error {code})")))]
    NoMatch(Option<i32>),
    /// The answer is not a session, or breaks off.
    #[error("the answer can't be used: {0}")]
    Malformed(String),
}

/// The number of faults of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Faults {
    /// [`Fault::Unreachable`].
    pub unreachable: u64,
    /// [`Fault::Timeout`].
    pub timeout: u64,
    /// [`Fault::Status`].
    pub status: u64,
    /// [`Fault::NoMatch`].
    pub no_match: u64,
    /// [`Fault::Malformed`].
    pub malformed: u64,
    /// Frames whose bones are missing because of any of these faults.
    pub bones: u64,
}

impl Faults {
    pub(super) fn count(&mut self, fault: &Fault) {
        *match fault {
            Fault::Unreachable(_) => &mut self.unreachable,
            Fault::Timeout => &mut self.timeout,
            Fault::Status(_) => &mut self.status,
            Fault::NoMatch(_) => &mut self.no_match,
            Fault::Malformed(_) => &mut self.malformed,
        } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = r#"{"sessionid":"A", "game_clock": 12.50,"foreign":[1, 2]}"#;

    fn taken(session: &str, bones: Option<&str>) -> (Result<Option<Fault>, Fault>, String, Frame) {
        let mut answer = Answer::default();
        let result = answer.take(
            Time(1_641_092_400_034),
            session.as_bytes(),
            bones.map(str::as_bytes),
        );
        (
            result,
            String::from_utf8(answer.line).unwrap(),
            answer.frame,
        )
    }

    #[test]
    fn an_answer_stays_byte_for_byte_and_one_on_many_lines_loses_their_ends() {
        let (result, line, frame) = taken(&format!("{SESSION}\r\n"), Some("{\"err_code\":0}\n"));
        assert_eq!(result, Ok(None));
        assert_eq!(
            line,
            format!("2022/01/02 03:00:00.034\t{SESSION}\t{{\"err_code\":0}}\r\n")
        );
        assert_eq!(frame.session.game_clock.to_bits(), 12.5_f32.to_bits());
        let many = "{\r\n\t\"sessionid\": \"A \\\" \\\\\",\n\t\"x\" : [ -1.50 ,\ttrue ]\r\n}";
        let (result, line, frame) = taken(many, None);
        assert_eq!(result, Ok(None));
        assert_eq!(
            line,
            "2022/01/02 03:00:00.034\t{\"sessionid\":\"A \\\" \\\\\",\"x\":[-1.50,true]}\r\n"
        );
        assert_eq!(frame.session.sessionid, "A \" \\");
    }

    #[test]
    fn answers_without_a_session_are_distinguished() {
        for (answer, what) in [
            ("", "the answer is empty"),
            ("  \r\n", "the answer is empty"),
            ("<html>Not Found</html>", "html"),
            ("{\"sessionid\":\"A\",\"game_clock\":12.", ""),
            ("{\"sessionid\":\"A\nB\"}", ""),
            ("{\"sessionid\":\"A\tB\"}", ""),
            ("{\"sessionid\":\"A\",\n\"game_clock\":1\n2}", ""),
            ("404", ""),
            ("[]", ""),
        ] {
            match taken(answer, None).0 {
                Err(Fault::Malformed(why)) => assert!(why.contains(what), "{answer}: {why}"),
                other => panic!("{answer}: {other:?}"),
            }
        }
        let no_match = r#"{"err_code":-6,"err_description":"not in a match"}"#;
        assert_eq!(taken(no_match, None).0, Err(Fault::NoMatch(Some(-6))));
    }

    #[test]
    fn broken_bones_leave_the_session() {
        for bones in [
            "<html>",
            "{\"user_bones\":[{\"bone_t\":[1]}]}",
            "{\"a\nb\":1}",
        ] {
            let (result, line, frame) = taken(SESSION, Some(bones));
            assert!(matches!(result, Ok(Some(_))), "{bones}: {result:?}");
            assert_eq!(line, format!("2022/01/02 03:00:00.034\t{SESSION}\r\n"));
            assert_eq!(frame.bones, None);
            assert_eq!(frame.session.game_clock.to_bits(), 12.5_f32.to_bits());
        }
        let (result, line, _) = taken(SESSION, Some(" \n"));
        assert_eq!(result, Ok(None));
        assert!(line.ends_with("[1, 2]}\r\n"));
    }
}
