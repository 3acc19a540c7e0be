//! Status codes: one per sort of error, with names and categories.

use std::ffi::{c_char, CStr};

use super::boundary;
use crate::Kind;

/// The result of a call: 0 is success, negative numbers are errors. Codes are appended, never renumbered.
pub type cfa_status = i32;

/// Success.
pub const CFA_OK: cfa_status = 0;
/// An argument is NULL, out of range, not a known value, or a structure has a wrong size.
pub const CFA_ERR_ARGUMENT: cfa_status = -1;
/// A defect of this library.
pub const CFA_ERR_INTERNAL: cfa_status = -2;
/// This build of the library does not have the function; no function of this version returns it.
pub const CFA_ERR_NOT_BUILT: cfa_status = -3;
/// The progress function asked to stop.
pub const CFA_ERR_CANCELLED: cfa_status = -4;
/// An unknown name, or an index that is out of range.
pub const CFA_ERR_NOT_FOUND: cfa_status = -5;
/// A buffer is too small.
pub const CFA_ERR_BUFFER: cfa_status = -6;
/// The values cannot be given in the type asked for.
pub const CFA_ERR_TYPE: cfa_status = -7;
/// A file cannot be read or written.
pub const CFA_ERR_IO: cfa_status = -8;
/// The file is not netCDF.
pub const CFA_ERR_NOT_NETCDF: cfa_status = -9;
/// The file is netCDF but damaged or truncated.
pub const CFA_ERR_DAMAGED: cfa_status = -10;
/// The access settings do not allow a location.
pub const CFA_ERR_POLICY: cfa_status = -11;
/// A limit of the settings, or memory, is exceeded.
pub const CFA_ERR_LIMIT: cfa_status = -12;
/// Something valid that this version does not support.
pub const CFA_ERR_UNSUPPORTED: cfa_status = -13;
/// An attribute has the wrong type or form.
pub const CFA_ERR_ATTRIBUTE: cfa_status = -20;
/// The keywords of an aggregation are not a known set.
pub const CFA_ERR_TERMS: cfa_status = -21;
/// A dimension that an aggregation names does not exist.
pub const CFA_ERR_MISSING_DIMENSION: cfa_status = -22;
/// A variable that an aggregation names does not exist.
pub const CFA_ERR_MISSING_VARIABLE: cfa_status = -23;
/// A variable that describes fragments has the wrong dimensions.
pub const CFA_ERR_RANK: cfa_status = -24;
/// Fragment sizes or index ranges do not tile the aggregated dimensions.
pub const CFA_ERR_MAP: cfa_status = -25;
/// A fragment location is not a URI that the convention allows.
pub const CFA_ERR_URI: cfa_status = -26;
/// The identifier of a fragment is absent or malformed.
pub const CFA_ERR_ADDRESS: cfa_status = -27;
/// The format of a fragment is not one that can be read.
pub const CFA_ERR_FORMAT: cfa_status = -28;
/// No version of a fragment exists.
pub const CFA_ERR_FRAGMENT_MISSING: cfa_status = -29;
/// The file of a fragment cannot be read or is damaged.
pub const CFA_ERR_FRAGMENT_UNREADABLE: cfa_status = -30;
/// The file of a fragment does not have the variable.
pub const CFA_ERR_FRAGMENT_VARIABLE: cfa_status = -31;
/// The shape of a fragment is not its canonical shape.
pub const CFA_ERR_FRAGMENT_SHAPE: cfa_status = -32;
/// The values of a fragment cannot be converted to the type of the aggregation.
pub const CFA_ERR_FRAGMENT_TYPE: cfa_status = -33;
/// The units of a fragment cannot be converted.
pub const CFA_ERR_UNITS: cfa_status = -34;
/// The calendar of a fragment differs or is not supported.
pub const CFA_ERR_CALENDAR: cfa_status = -35;
/// An aggregation refers to itself.
pub const CFA_ERR_CYCLE: cfa_status = -36;

/// Every code with its C name and its category.
pub(super) const CODES: &[(cfa_status, &CStr, &CStr)] = &[
    (CFA_OK, c"CFA_OK", c"ok"),
    (CFA_ERR_ARGUMENT, c"CFA_ERR_ARGUMENT", c"request"),
    (CFA_ERR_INTERNAL, c"CFA_ERR_INTERNAL", c"internal"),
    (CFA_ERR_NOT_BUILT, c"CFA_ERR_NOT_BUILT", c"not-built"),
    (CFA_ERR_CANCELLED, c"CFA_ERR_CANCELLED", c"cancelled"),
    (CFA_ERR_NOT_FOUND, c"CFA_ERR_NOT_FOUND", c"not-found"),
    (CFA_ERR_BUFFER, c"CFA_ERR_BUFFER", c"buffer"),
    (CFA_ERR_TYPE, c"CFA_ERR_TYPE", c"type"),
    (CFA_ERR_IO, c"CFA_ERR_IO", c"io"),
    (CFA_ERR_NOT_NETCDF, c"CFA_ERR_NOT_NETCDF", c"not-netcdf"),
    (CFA_ERR_DAMAGED, c"CFA_ERR_DAMAGED", c"damaged"),
    (CFA_ERR_POLICY, c"CFA_ERR_POLICY", c"policy"),
    (CFA_ERR_LIMIT, c"CFA_ERR_LIMIT", c"limit"),
    (CFA_ERR_UNSUPPORTED, c"CFA_ERR_UNSUPPORTED", c"unsupported"),
    (CFA_ERR_ATTRIBUTE, c"CFA_ERR_ATTRIBUTE", c"attribute"),
    (CFA_ERR_TERMS, c"CFA_ERR_TERMS", c"terms"),
    (CFA_ERR_MISSING_DIMENSION, c"CFA_ERR_MISSING_DIMENSION", c"missing-dimension"),
    (CFA_ERR_MISSING_VARIABLE, c"CFA_ERR_MISSING_VARIABLE", c"missing-variable"),
    (CFA_ERR_RANK, c"CFA_ERR_RANK", c"rank"),
    (CFA_ERR_MAP, c"CFA_ERR_MAP", c"map"),
    (CFA_ERR_URI, c"CFA_ERR_URI", c"uri"),
    (CFA_ERR_ADDRESS, c"CFA_ERR_ADDRESS", c"address"),
    (CFA_ERR_FORMAT, c"CFA_ERR_FORMAT", c"format"),
    (CFA_ERR_FRAGMENT_MISSING, c"CFA_ERR_FRAGMENT_MISSING", c"fragment-missing"),
    (CFA_ERR_FRAGMENT_UNREADABLE, c"CFA_ERR_FRAGMENT_UNREADABLE", c"fragment-unreadable"),
    (CFA_ERR_FRAGMENT_VARIABLE, c"CFA_ERR_FRAGMENT_VARIABLE", c"fragment-variable"),
    (CFA_ERR_FRAGMENT_SHAPE, c"CFA_ERR_FRAGMENT_SHAPE", c"fragment-shape"),
    (CFA_ERR_FRAGMENT_TYPE, c"CFA_ERR_FRAGMENT_TYPE", c"fragment-type"),
    (CFA_ERR_UNITS, c"CFA_ERR_UNITS", c"units"),
    (CFA_ERR_CALENDAR, c"CFA_ERR_CALENDAR", c"calendar"),
    (CFA_ERR_CYCLE, c"CFA_ERR_CYCLE", c"cycle"),
];

/// The status of a kind of error.
pub(super) fn of_kind(kind: Kind) -> cfa_status {
    let category = kind.category();
    let found = CODES.iter().find(|(_, _, name)| name.to_bytes() == category.as_bytes());
    found.map_or(CFA_ERR_INTERNAL, |(code, _, _)| *code)
}

/// Returns the name of a status as the header spells it, such as "CFA_ERR_UNITS".
///
/// @param status any number
/// @return the name, "CFA_ERR_UNKNOWN" for a number that is no status; never NULL, valid for ever
#[unsafe(no_mangle)]
pub extern "C" fn cfa_status_name(status: cfa_status) -> *const c_char {
    boundary::value(c"CFA_ERR_UNKNOWN".as_ptr(), || {
        let found = CODES.iter().find(|(code, _, _)| *code == status);
        Ok(found.map_or(c"CFA_ERR_UNKNOWN", |(_, name, _)| *name).as_ptr())
    })
}

/// Returns the category of a status, such as "units": a stable lower-case word, the same in all interfaces.
///
/// @param status any number
/// @return the category, "unknown" for a number that is no status; never NULL, valid for ever
#[unsafe(no_mangle)]
pub extern "C" fn cfa_status_category(status: cfa_status) -> *const c_char {
    boundary::value(c"unknown".as_ptr(), || {
        let found = CODES.iter().find(|(code, _, _)| *code == status);
        Ok(found.map_or(c"unknown", |(_, _, category)| *category).as_ptr())
    })
}

/// Returns the message of the last call that failed in this thread.
///
/// One line that names file, variable and fragment where they are known. Successful calls leave it as it is.
///
/// @return the message, "" when no call has failed yet; never NULL, valid until the next call in this thread
#[unsafe(no_mangle)]
pub extern "C" fn cfa_last_error() -> *const c_char {
    boundary::value(c"".as_ptr(), || Ok(boundary::message()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_a_status_of_its_own() {
        let kinds = [
            Kind::Attribute,
            Kind::Terms,
            Kind::MissingDimension,
            Kind::MissingVariable,
            Kind::Rank,
            Kind::Map,
            Kind::Uri,
            Kind::Address,
            Kind::Format,
            Kind::FragmentMissing,
            Kind::FragmentUnreadable,
            Kind::FragmentVariable,
            Kind::FragmentShape,
            Kind::FragmentType,
            Kind::Units,
            Kind::Calendar,
            Kind::Cycle,
            Kind::Io,
            Kind::NotNetcdf,
            Kind::Damaged,
            Kind::Request,
            Kind::Type,
            Kind::Policy,
            Kind::Limit,
            Kind::Unsupported,
            Kind::Cancelled,
        ];
        let mut codes: Vec<_> = kinds.iter().map(|&kind| of_kind(kind)).collect();
        assert!(!codes.contains(&CFA_ERR_INTERNAL));
        assert_eq!(of_kind(Kind::Internal), CFA_ERR_INTERNAL);
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), kinds.len());
    }

    #[test]
    fn codes_names_and_categories_are_distinct() {
        for (i, a) in CODES.iter().enumerate() {
            for b in &CODES[i + 1..] {
                assert!(a.0 != b.0 && a.1 != b.1 && a.2 != b.2, "{a:?} {b:?}");
            }
        }
    }
}
