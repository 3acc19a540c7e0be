//! Side variables with size and time of each fragment, which other readers ignore.

/// The attribute of an aggregation variable that names them: `size: VARIABLE modified: VARIABLE`.
pub(super) const ATTRIBUTE: &str = crate::write::aggregation::STATE_ATTRIBUTE;
