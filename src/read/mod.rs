//! The steps of a read: plan, fragments, canonical form, scatter.
//!
//! A selection of the aggregated data is split into spans, one per fragment and dimension ([`plan`]). The fragment that the
//! spans lie in is opened, placed and converted ([`prepare`]); what is wanted of it is a piece, one selection of its
//! stored array. A piece is cut into parts of whole chunks ([`parts`]), which threads read one at a time ([`numbers`]).

mod aggregation_file;
mod ahead;
pub(crate) mod chunk;
pub(crate) mod fragment;
mod known;
mod numbers;
mod parts;
mod plan;
mod prepare;
pub(crate) mod scatter;
mod sink;
mod strings;

pub(crate) use aggregation_file::AggregationFile;
pub(crate) use ahead::ahead;
pub(crate) use numbers::{numbers, Request};
pub(crate) use prepare::Preparation;
pub(crate) use strings::strings;
