//! Objects and lists of objects, read into what is there already, with what the model does not know
//! kept.

use super::cursor::{Cursor, Read, Stop};
use crate::model::{Object, Unknown};

/// Most teams, or players of a team, or skeletons: [`Object`] counts them in bytes. Of all together,
/// there may be twice as many.
pub(in crate::echoreplay) const MOST: usize = u8::MAX as usize;

/// Most members of a frame that the model does not know.
pub(in crate::echoreplay) const MOST_UNKNOWN: usize = u16::MAX as usize;

/// A text that is being read, and what is noted of it.
pub(super) struct Source<'t> {
    pub json: Cursor<'t>,
    /// Members that the model does not know.
    pub unknown: Vec<Unknown>,
    /// Teams, players and skeletons met.
    items: usize,
    /// A member of the outermost object was met that is not about an error.
    pub met: bool,
    /// The first list of bones of another length: of which player, its name, the length.
    pub bones: Option<(u64, &'static str, u64)>,
}

impl<'t> Source<'t> {
    /// `unknown` is emptied and filled again.
    pub(super) fn new(text: &'t str, mut unknown: Vec<Unknown>) -> Self {
        unknown.clear();
        Self {
            json: Cursor::new(text),
            unknown,
            items: 0,
            met: false,
            bones: None,
        }
    }

    #[cold]
    pub(super) fn stop(&mut self, why: &'static str) -> Stop {
        self.json.stop(why)
    }

    /// Keeps the value at the cursor as it is spelled.
    #[cold]
    pub(super) fn keep(&mut self, object: Object, name: &str) -> Read {
        let value = self.json.raw()?;
        if self.unknown.len() >= MOST_UNKNOWN {
            return Err(self.stop("more than 65,535 members that are not the API's"));
        }
        self.unknown.push(Unknown {
            object,
            name: name.into(),
            json: value.into(),
        });
        Ok(())
    }
}

/// An object of the API's answers.
pub(super) trait Members {
    /// The member that is a list kept in place, if there is one.
    const LIST: Option<&'static str> = None;
    /// The outermost object of the session.
    const ROOT: bool = false;

    /// As it is where no member is there.
    fn new() -> Self;

    /// Back to [`Members::new`], save for the list, whose memory is of use.
    fn blank(&mut self);

    /// The list was not there.
    fn clear_list(&mut self) {}

    /// Reads the value of a member; false where it is not one of the API's.
    fn member(&mut self, name: &str, at: Object, source: &mut Source<'_>) -> Read<bool>;
}

/// Members by name, each with how it is read. The names are there for the writer too: it can't write
/// a foreign member by the name of a known one.
macro_rules! members {
    (
        $type:ty as $names:ident, |$this:ident, $at:ident, $source:ident, $json:ident| {
            $($items:item)*
        }
        $($($name:literal)|+ => $read:expr;)*
    ) => {
        pub(in crate::echoreplay) const $names: &[&str] = &[$($($name),+),*];

        impl Members for $type {
            $($items)*

            #[inline]
            fn member(&mut self, name: &str, $at: Object, $source: &mut Source<'_>) -> Read<bool> {
                let $this = self;
                let _ = $at;
                match name {
                    $($($name)|+ => {
                        #[allow(unused_variables)]
                        let $json = &mut $source.json;
                        $read?;
                    })*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}
pub(super) use members;

/// Reads an object into its place.
#[inline]
pub(super) fn object<T: Members>(this: &mut T, at: Object, source: &mut Source<'_>) -> Read {
    if source.json.null()? {
        this.blank();
        this.clear_list();
        return Ok(());
    }
    source.json.open_object()?;
    this.blank();
    let mut listed = false;
    let mut first = true;
    while let Some(name) = source.json.member(&mut first)? {
        if !this.member(&name, at, source)? {
            source.keep(at, &name)?;
        } else if let Some(list) = T::LIST {
            listed |= *name == *list;
        }
        if T::ROOT && !source.met {
            source.met = !name.starts_with("err_");
        }
    }
    if T::LIST.is_some() && !listed {
        this.clear_list();
    }
    Ok(())
}

/// Reads an object that may be missing.
#[inline]
pub(super) fn maybe_object<T: Members>(
    this: &mut Option<T>,
    at: Object,
    source: &mut Source<'_>,
) -> Read {
    if source.json.null()? {
        *this = None;
        return Ok(());
    }
    object(this.get_or_insert_with(T::new), at, source)
}

/// Reads a list of objects into its place; `at` says what the n-th of them is.
#[inline]
pub(super) fn list<T: Members>(
    list: &mut Vec<T>,
    at: impl Fn(u8) -> Object,
    source: &mut Source<'_>,
) -> Read {
    if source.json.null()? {
        list.clear();
        return Ok(());
    }
    source.json.open_list()?;
    let mut first = true;
    let mut count = 0;
    while source.json.item(&mut first)? {
        source.items += 1;
        if count == MOST || source.items > 2 * MOST {
            return Err(source.stop("more teams, players or skeletons than 255"));
        }
        if list.len() <= count {
            list.push(T::new());
        }
        if let Some(this) = list.get_mut(count) {
            object(this, at(count as u8), source)?;
        }
        count += 1;
    }
    list.truncate(count);
    Ok(())
}
