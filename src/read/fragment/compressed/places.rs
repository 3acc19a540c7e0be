//! Where each element of an expanded array is stored along the compressed axis. Does not read files.

use std::fmt;

use crate::error::{Error, Kind, Result};

/// Where the elements of the expanded dimensions are stored.
#[derive(Debug)]
pub(crate) enum Places {
    /// The expanded dimension is a list of stored indices (`part` of CFA-0.4).
    Listed(Vec<u64>),
    /// The stored elements belong to these places of dimensions of these sizes (CF section 8.2).
    Gathered(Gathered),
    /// A row is a stretch of the axis (CF section 9.3.3).
    Contiguous(Rows),
    /// A row is scattered over the axis (CF section 9.3.4).
    Indexed(Members),
    /// An instance is a list of profiles, a profile is a stretch of the axis.
    IndexedContiguous(Members, Rows),
}

impl Places {
    /// Returns the stored index of a place, or `None` if nothing is stored for it.
    pub(super) fn find(&self, place: &[u64]) -> Option<u64> {
        match (self, place) {
            (Places::Listed(list), &[i]) => list.get(i as usize).copied(),
            (Places::Gathered(gathered), place) => gathered.find(place),
            (Places::Contiguous(rows), &[sample]) => rows.find(0, sample),
            (Places::Contiguous(rows), &[row, sample]) => rows.find(row, sample),
            (Places::Indexed(members), &[instance, sample]) => members.find(instance, sample),
            (Places::IndexedContiguous(members, rows), &[instance, profile, sample]) => {
                rows.find(members.find(instance, profile)?, sample)
            }
            _ => None,
        }
    }

    /// Returns whether there may be places for which nothing is stored.
    pub(super) fn pads(&self) -> bool {
        !matches!(self, Places::Listed(_))
    }

    /// Returns the longest row of each expanded dimension whose size is not defined.
    pub(super) fn longest(&self) -> Vec<Longest> {
        match self {
            Places::Listed(_) | Places::Gathered(_) => Vec::new(),
            Places::Contiguous(rows) => vec![Longest::among(&rows.starts, "row", "samples")],
            Places::Indexed(members) => vec![Longest::among(&members.starts, "instance", "samples")],
            Places::IndexedContiguous(members, rows) => vec![
                Longest::among(&members.starts, "instance", "profiles"),
                Longest::among(&rows.starts, "profile", "samples"),
            ],
        }
    }

    /// Returns the memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Places::Listed(list) => list.len() * 8,
            Places::Gathered(gathered) => (gathered.places.len() + gathered.order.len()) * 8,
            Places::Contiguous(rows) => rows.starts.len() * 8,
            Places::Indexed(members) => members.starts.len() * 8 + members.list.len() * 4,
            Places::IndexedContiguous(members, rows) => {
                (members.starts.len() + rows.starts.len()) * 8 + members.list.len() * 4
            }
        }
    }
}

/// The first of the longest rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Longest {
    pub(super) length: u64,
    number: u64,
    what: &'static str,
    members: &'static str,
}

impl Longest {
    fn among(starts: &[u64], what: &'static str, members: &'static str) -> Longest {
        let (mut length, mut number) = (0, 0);
        for (pair, row) in starts.windows(2).zip(0..) {
            if pair[1] - pair[0] > length {
                (length, number) = (pair[1] - pair[0], row);
            }
        }
        Longest { length, number, what, members }
    }
}

impl fmt::Display for Longest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} has {} {}", self.what, self.number, self.length, self.members)
    }
}

/// The places of a gathered dimension.
#[derive(Debug)]
pub(crate) struct Gathered {
    sizes: Vec<u64>,
    /// The places, in C order of the gathered dimensions, ascending.
    places: Vec<u64>,
    /// The stored index of each place; empty if that is its position.
    order: Vec<u64>,
}

impl Gathered {
    /// Creates it from the list of places in the order of storage. For a place that occurs twice, the last stored
    /// element counts.
    pub(super) fn new(sizes: Vec<u64>, places: Vec<u64>) -> Gathered {
        if places.is_sorted_by(|a, b| a < b) {
            return Gathered { sizes, places, order: Vec::new() };
        }
        let mut order: Vec<u64> = (0..places.len() as u64).collect();
        order.sort_by_key(|&k| places[k as usize]);
        let places = order.iter().map(|&k| places[k as usize]).collect();
        Gathered { sizes, places, order }
    }

    fn find(&self, place: &[u64]) -> Option<u64> {
        let wanted = place.iter().zip(&self.sizes).fold(0u64, |n, (&i, &size)| n * size + i);
        let after = self.places.partition_point(|&p| p <= wanted);
        let at = after.checked_sub(1).filter(|&at| self.places[at] == wanted)?;
        Some(self.order.get(at).copied().unwrap_or(at as u64))
    }
}

/// Rows that are stored one after the other.
#[derive(Debug)]
pub(crate) struct Rows {
    /// Where each row begins, and where the last one ends.
    starts: Vec<u64>,
}

impl Rows {
    /// Creates it from the beginning of each row and the end of the last.
    pub(super) fn new(starts: Vec<u64>) -> Rows {
        Rows { starts }
    }

    fn find(&self, row: u64, sample: u64) -> Option<u64> {
        let row = usize::try_from(row).ok()?;
        let (begin, end) = (*self.starts.get(row)?, *self.starts.get(row.checked_add(1)?)?);
        begin.checked_add(sample).filter(|&at| at < end)
    }
}

/// The stored indices that belong to each instance.
#[derive(Debug)]
pub(crate) struct Members {
    /// Where the list of each instance begins, and where the last one ends.
    starts: Vec<u64>,
    /// The lists, each ascending, one after the other.
    list: Vec<u32>,
}

impl Members {
    /// Creates it from the instance of each stored index, all below `instances`.
    ///
    /// # Errors
    /// `Limit` if there is no memory.
    pub(super) fn new(instances: usize, owners: &[u32]) -> Result<Members> {
        let no_memory = |_| Error::new(Kind::Limit, "no memory for the index variable of a ragged array");
        let (mut starts, mut list) = (Vec::new(), Vec::new());
        starts.try_reserve_exact(instances + 2).map_err(no_memory)?;
        list.try_reserve_exact(owners.len()).map_err(no_memory)?;
        starts.resize(instances + 2, 0u64);
        list.resize(owners.len(), 0u32);
        // Counts are stored two positions ahead, so that after the lists are filled, each beginning is at its own
        // position.
        for &owner in owners {
            starts[owner as usize + 2] += 1;
        }
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        for (k, &owner) in owners.iter().enumerate() {
            let next = &mut starts[owner as usize + 1];
            list[*next as usize] = k as u32;
            *next += 1;
        }
        starts.truncate(instances + 1);
        Ok(Members { starts, list })
    }

    fn find(&self, instance: u64, member: u64) -> Option<u64> {
        let instance = usize::try_from(instance).ok()?;
        let (begin, end) = (*self.starts.get(instance)?, *self.starts.get(instance.checked_add(1)?)?);
        let at = begin.checked_add(member).filter(|&at| at < end)?;
        self.list.get(usize::try_from(at).ok()?).map(|&k| u64::from(k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lie_one_after_the_other() {
        let rows = Places::Contiguous(Rows::new(vec![0, 2, 2, 5]));
        assert_eq!(rows.find(&[0, 1]), Some(1));
        assert_eq!(rows.find(&[0, 2]), None);
        assert_eq!(rows.find(&[1, 0]), None);
        assert_eq!(rows.find(&[2, 2]), Some(4));
        assert_eq!(rows.find(&[3, 0]), None);
        assert_eq!(rows.find(&[u64::MAX, u64::MAX]), None);
        assert_eq!(rows.longest()[0].to_string(), "row 2 has 3 samples");
    }

    #[test]
    fn members_are_listed_in_the_order_of_storing() {
        let members = Members::new(4, &[2, 0, 2, 2, 0]).unwrap();
        assert_eq!(
            (members.starts.as_slice(), members.list.as_slice()),
            (&[0, 2, 2, 5, 5][..], &[1, 4, 0, 2, 3][..])
        );
        let profiles = Places::IndexedContiguous(members, Rows::new(vec![0, 1, 3, 3, 7, 8]));
        assert_eq!(profiles.find(&[0, 1, 0]), Some(7));
        assert_eq!(profiles.find(&[2, 1, 0]), None);
        assert_eq!(profiles.find(&[2, 2, 3]), Some(6));
        assert_eq!(profiles.find(&[3, 0, 0]), None);
        let longest: Vec<String> = profiles.longest().iter().map(ToString::to_string).collect();
        assert_eq!(longest, ["instance 2 has 3 profiles", "profile 3 has 4 samples"]);
        assert_eq!(Members::new(0, &[]).unwrap().starts, [0]);
    }

    #[test]
    fn gathered_places_are_found_in_any_order() {
        let find = |places: Vec<u64>, place: &[u64]| Gathered::new(vec![2, 3], places).find(place);
        assert_eq!(find(vec![1, 5], &[1, 2]), Some(1));
        assert_eq!(find(vec![5, 1], &[1, 2]), Some(0));
        assert_eq!(find(vec![5, 1], &[1, 1]), None);
        assert_eq!(find(vec![5, 5, 1], &[1, 2]), Some(1));
        assert_eq!(find(vec![], &[0, 0]), None);
    }
}
