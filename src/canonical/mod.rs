//! From stored numbers to canonical values: mask, unpack, units, cast, missing value, in this order.
//!
//! CF-1.13 section 2.8.2. Each step has a file of its own; this one fixes their order.

pub mod units;
