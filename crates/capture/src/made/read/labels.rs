//! The messages of a capture other than packets.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use gametape_core::table::Owned;
use gametape_core::tape;
use serde_json::Value as Json;

use crate::container::messages;
use crate::layout::Role;
use crate::made::coding::owned;
use crate::made::description::{Description, broken};
use crate::read::Capture;
use crate::rule::{Error, Finding, fault};

/// Visits the messages of a role in some chunks; chunks without such messages are not read.
/// Problems of the capture are skipped; the first is returned.
pub(crate) fn each(
    capture: &Capture<'_>,
    role: Role,
    chunks: Range<usize>,
    mut visit: impl FnMut(&[u8]) -> Result<ControlFlow<()>, tape::Error>,
) -> Result<Option<Error>, tape::Error> {
    let mut problem = None;
    let mut unpacked = Vec::new();
    let places = capture.chunks().iter().enumerate();
    for (number, place) in places.skip(chunks.start).take(chunks.len()) {
        let has = |channel: &u16| capture.role(*channel) == Some(role);
        if !place.indexes.is_empty() && !place.indexes.keys().any(has) {
            continue;
        }
        let offset = match capture.unpack(number, &mut unpacked) {
            Ok(offset) => offset,
            Err(error) => {
                problem.get_or_insert(fault(error)?.into());
                continue;
            }
        };
        for found in messages(&unpacked, 0, offset) {
            match found {
                Ok((_, message)) => {
                    if has(&message.channel) && visit(message.data)?.is_break() {
                        return Ok(problem);
                    }
                }
                Err(error) => {
                    problem.get_or_insert(fault(error)?.into());
                }
            }
        }
    }
    Ok(problem)
}

/// The identity of an entity.
#[derive(Debug)]
pub(crate) enum Label {
    /// It is the row with this key.
    Key(Vec<Owned>),
    /// It is the tile with these numbers.
    Tile(Vec<u64>),
}

/// The identities of entities, and the texts behind the numbers in the packets.
#[derive(Debug)]
pub(crate) struct Labels {
    entities: HashMap<u32, Label>,
    texts: HashMap<(usize, usize), TextsByNumber>,
    /// The problem of the capture, if there is one.
    problem: Option<Finding>,
    /// The problem of the labels, if there is one.
    wrong: Option<Finding>,
    /// Whether a missing label was requested.
    missing: Cell<bool>,
}

/// Texts by their numbers; lost texts leave gaps.
type TextsByNumber = Vec<Option<String>>;

/// The largest gap in the numbering of texts; a larger one cannot come from our writer.
const MOST_LOST: usize = 1 << 20;

impl Labels {
    /// Reads the labels of the first `chunks` chunks: what a packet speaks of is told before it.
    pub fn read(
        capture: &Capture<'_>,
        of: &Description,
        chunks: usize,
    ) -> Result<Self, tape::Error> {
        let mut labels = Self {
            entities: HashMap::new(),
            texts: HashMap::new(),
            problem: None,
            wrong: None,
            missing: Cell::new(false),
        };
        let mut wrong = None;
        let problem = each(capture, Role::Labels, 0..chunks, |message| {
            if labels.take(of, message).is_none() {
                let text = String::from_utf8_lossy(message);
                let text: String = text.chars().take(80).collect();
                wrong.get_or_insert_with(|| broken(format!("no label: {text}")));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        labels.problem = problem.map(fault).transpose()?;
        labels.wrong = wrong.map(fault).transpose()?;
        Ok(labels)
    }

    fn take(&mut self, of: &Description, message: &[u8]) -> Option<()> {
        let json: Json = serde_json::from_slice(message).ok()?;
        let name = json.get("table")?.as_str()?;
        let at = of.tables.iter().position(|table| table.name == name)?;
        let table = of.tables.get(at)?;
        if json.get("row").is_some() {
            // Facts are read separately.
            return Some(());
        }
        if let Some(text) = json.get("text") {
            let name = json.get("column")?.as_str()?;
            let columns = &mut table.columns.iter();
            let column = columns.position(|column| column.name == name)?;
            let number = usize::try_from(json.get("number")?.as_u64()?).ok()?;
            let texts = self.texts.entry((at, column)).or_default();
            if number >= texts.len() {
                (number - texts.len() <= MOST_LOST).then_some(())?;
                texts.resize(number + 1, None);
            }
            *texts.get_mut(number)? = Some(text.as_str()?.to_owned());
            return Some(());
        }
        let entity = u32::try_from(json.get("entity")?.as_u64()?).ok()?;
        let label = if let Some(tile) = json.get("tile") {
            let numbers = tile.as_array()?.iter().map(Json::as_u64);
            Label::Tile(numbers.collect::<Option<_>>()?)
        } else {
            let key = json.get("key")?;
            let keys = table.columns.iter().filter(|column| column.key);
            let value = |column: &crate::made::description::StoredColumn| {
                owned(column.kind()?, key.get(&column.name)?)
            };
            Label::Key(keys.map(value).collect::<Option<_>>()?)
        };
        self.entities.insert(entity, label);
        Some(())
    }

    /// Whether a missing label was requested since the last call.
    pub fn took_missing(&self) -> bool {
        self.missing.take()
    }

    /// Why rows could not be reproduced. `missing` says that some of them needed a missing label.
    ///
    /// # Errors
    /// Never: all problems are known at this point.
    pub fn problem(&self, missing: bool) -> Result<Option<Finding>, Error> {
        let known = self.problem.as_ref().or(self.wrong.as_ref());
        let missing = missing && known.is_none();
        let missing =
            missing.then(|| broken("keys or texts are missing that its packets speak of"));
        Ok(known.cloned().or(missing.map(fault).transpose()?))
    }

    /// The problem of the labels, if there is one.
    pub fn wrong(self) -> Option<Error> {
        self.wrong.map(Error::from)
    }

    pub fn entity(&self, entity: u32) -> Option<&Label> {
        let found = self.entities.get(&entity);
        self.missing.set(self.missing.get() || found.is_none());
        found
    }

    pub fn text(&self, table: usize, column: usize, number: u64) -> Option<&str> {
        let texts = self.texts.get(&(table, column));
        let number = usize::try_from(number).ok();
        let found = texts.zip(number).and_then(|(texts, at)| texts.get(at));
        let found = found.and_then(|text| text.as_deref());
        self.missing.set(self.missing.get() || found.is_none());
        found
    }
}
