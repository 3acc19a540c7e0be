//! The steps of a read: plan, fragments, canonical form, scatter.
//!
//! [`plan`] splits a selection of the aggregated data into spans, one per fragment and dimension. [`prepare`] opens,
//! places and converts the fragment in which the spans lie; what the selection wants of it is a piece, one selection of
//! its stored array. [`parts`] divides a piece into parts of whole chunks, which threads read one at a time
//! ([`numbers`]).

mod aggregation_file;
mod ahead;
pub(crate) mod chunk;
mod crew;
mod desks;
pub(crate) mod fragment;
mod known;
mod numbers;
mod parts;
mod plan;
mod prepare;
pub(crate) mod recorded_chunks;
pub(crate) mod scatter;
mod sink;
mod strings;

pub(crate) use aggregation_file::AggregationFile;
pub(crate) use ahead::ahead;
pub(crate) use numbers::{numbers, Request};
pub(crate) use prepare::Preparation;
pub(crate) use strings::strings;
