//! The tables of a query: what their rows are, and how DataFusion reads them.

pub(crate) mod about;
pub(crate) mod content;
pub(crate) mod jobs;
pub(crate) mod newest;
pub(crate) mod pushed;
pub(crate) mod related;
pub(crate) mod rows;
pub(crate) mod state;
