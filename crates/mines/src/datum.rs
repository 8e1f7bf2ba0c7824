//! Converts this crate's types to the data of a finding: names as text, cells as `[col, row]`.

use gametape_core::{Datum, ToDatum};

use crate::engine::Doubt;
use crate::rmv::Section;
use crate::{BoardEvent, Cell, Face, Level, Mode, MouseAction, Outcome, TextEncoding, Version};

macro_rules! by_name {
    ($($ty:ident)*) => {$(
        impl ToDatum for $ty {
            fn to_datum(&self) -> Datum {
                Datum::Text(self.name().into())
            }
        }
    )*};
}

by_name!(Doubt Face Level Mode MouseAction Outcome Section TextEncoding);

impl ToDatum for Version {
    fn to_datum(&self) -> Datum {
        self.number().to_datum()
    }
}

impl ToDatum for Cell {
    fn to_datum(&self) -> Datum {
        [self.col, self.row].to_datum()
    }
}

impl ToDatum for BoardEvent {
    fn to_datum(&self) -> Datum {
        Datum::Map(vec![
            ("cell", self.cell.to_datum()),
            ("face", self.face.to_datum()),
        ])
    }
}
