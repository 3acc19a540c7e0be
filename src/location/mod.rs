//! From the name of a fragment to bytes: substitution, URI, policy.
