//! Operating-system calls: positioned reads, file identity. Unix and Windows variants.
