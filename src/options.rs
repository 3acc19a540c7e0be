//! Settings of an open dataset: access policy, limits, missing fragments, substitutions.
