//! Macros that define each type of a description once: its variants, its keys, its reader and its
//! writer.

/// Defines a type that is one of a few words, with the origin's equivalents.
macro_rules! words {
    ($(
        $(#[$doc:meta])*
        $name:ident ($what:literal) of $origin:ty {
            $($(#[$vdoc:meta])* $variant:ident = $word:literal => $its:expr,)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Returns the word in a description.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            pub(super) const fn origin(self) -> $origin {
                match self { $(Self::$variant => $its,)* }
            }
        }

        impl $crate::engine::value::TomlValue for $name {
            fn read(
                value: &toml::Spanned<toml::de::DeValue<'_>>,
            ) -> Result<Self, $crate::engine::value::Wrong> {
                let word = <String as $crate::engine::value::TomlValue>::read(value)?;
                match &*word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err($crate::engine::value::Wrong::undefined(
                        value, &word, $what, &[$($word),*],
                    )),
                }
            }

            fn write(&self, out: &mut String) {
                self.word().to_owned().write(out);
            }
        }
    )*};
}

/// Defines an enum of kinds with the keys of each kind: reader, defaults and writer.
macro_rules! kinds {
    (
        $(#[$doc:meta])*
        $name:ident by $tag:literal {
            $(
                $(#[$vdoc:meta])*
                $variant:ident = $kind:literal {
                    $($(#[$kdoc:meta])* $key:ident: $type:ty $(= $default:expr)?,)*
                }
            )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$vdoc])* $variant { $($(#[$kdoc])* $key: $type,)* },)*
        }

        impl $name {
            /// The names of the kinds in a description.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// Returns the name of the kind.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $kind,)* }
            }

            /// Reads the keys of a table of this kind; `None` if there is no such kind.
            pub(super) fn read_keys(
                kind: &str,
                keys: &mut $crate::engine::value::Keys<'_>,
            ) -> Result<Option<Self>, $crate::engine::value::Wrong> {
                Ok(Some(match kind {
                    $($kind => Self::$variant {
                        $($key: keys.take(
                            stringify!($key),
                            $crate::engine::define::kinds!(@default $($default)?),
                        )?,)*
                    },)*
                    _ => return Ok(None),
                }))
            }

            /// Passes the kind and the keys to a sink.
            pub(super) fn give_keys(&self, to: &mut impl $crate::engine::value::Sink) {
                to.key($tag, &self.kind().to_owned());
                match self {
                    $(Self::$variant { $($key),* } => {
                        $(to.key(stringify!($key), $key);)*
                    })*
                }
            }
        }
    };
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
}

/// Defines the parameters of a stock propagator as a type: its keys, their reader, their defaults
/// and their writer.
macro_rules! parameters {
    (
        $(#[$doc:meta])*
        $name:ident = $kind:literal {
            $($(#[$kdoc:meta])* $key:ident: $type:ty $(= $default:expr)?,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name { $($(#[$kdoc])* pub $key: $type,)* }

        impl $name {
            /// The name of the kind in a description.
            pub const KIND: &'static str = $kind;

            pub(in crate::engine) fn read_keys(
                keys: &mut $crate::engine::value::Keys<'_>,
            ) -> Result<Self, $crate::engine::value::Wrong> {
                Ok(Self {
                    $($key: keys.take(
                        stringify!($key),
                        $crate::engine::define::kinds!(@default $($default)?),
                    )?,)*
                })
            }

            pub(in crate::engine) fn give_keys(&self, to: &mut impl $crate::engine::value::Sink) {
                $(to.key(stringify!($key), &self.$key);)*
            }
        }
    };
}

pub(super) use {kinds, parameters, words};
