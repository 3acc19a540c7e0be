//! Fragments in compressed forms: ragged arrays (CF sections 9.3.3 and 9.3.4), gathering (8.2), and the parts of
//! CFA-0.4.

mod aggregation;
mod choice;
mod cost;
mod gathered;
mod nested;
mod part;
mod ragged;
mod random;
mod refused;

use aggregation::{aggregated, all, slab, write_aggregation, write_aggregation_of, N};
