//! All black-box tests, in one program: linking one takes seconds; linking forty took minutes.
//!
//! A test runs in parallel with all others, on any thread. So it counts per thread (`support::allocations`), and
//! changes the state of a whole process only in a child process.

// Tests may need a newer compiler than the products.
#![allow(clippy::incompatible_msrv)]

mod addresses;
mod architecture;
mod archive;
mod bad_input;
mod bytes;
mod c_api;
mod calendars;
mod canonical;
mod check;
mod clauses;
mod cli;
mod compressed;
mod connections;
mod container_classic;
mod container_hdf5;
mod container_read;
mod convert;
mod convert_round_trip;
mod coordinates;
mod create;
mod create_round_trip;
mod descriptors;
mod end_to_end;
mod extract;
mod extract_chunks;
mod filters;
mod finite;
mod hdf5_values;
mod header;
mod hostile;
mod large_hdf5;
mod location;
mod manual;
mod messages;
mod names;
mod page;
mod plot;
mod ranges;
mod recorded_chunks;
mod records;
mod remote;
mod replacing;
mod select;
mod stress;
mod support;
mod system_calls;
mod tolerated;
mod units;
mod validity;
mod versions;
mod waiting;
mod write;
mod write_aggregation;
mod written;
