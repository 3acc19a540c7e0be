//! Fragments that are stored in a compressed form, as the arrays that they represent.
//!
//! CFA-0.6b1, "Compression": a fragment may be stored in any compressed form, and the aggregation defines the shape of
//! the uncompressed one. Expanded are compression by gathering (CF section 8.2) and contiguous, indexed and indexed
//! contiguous ragged arrays (sections 9.3.3 and 9.3.4), and of CFA-0.4 the parts given by lists of indices. Refused:
//! coordinate subsampling (section 8.3).
//!
//! A variable that fits as it is stored is not expanded, with few exceptions: see [`Fitting::is_doubtful`].

mod expanded;
mod form;
mod home;
mod kept;
mod places;
mod sizes;
mod subsampled;
mod telling;
mod whole;

pub(crate) use expanded::Expanded;
pub(crate) use kept::Expansions;

use std::sync::Arc;

use super::{Chain, Host, Placement, Raw};
use crate::container::tree::{DimensionId, VariableId};
use crate::dialect::reference;
use crate::error::{Error, Kind, Result};
use crate::model::fragments::{AxisIndices, View};
use crate::model::Aggregation;
use crate::value::DataType;
use form::{candidates, Candidate};
use home::Home;
use places::Places;
use sizes::{matched, Size};

/// The maximum number of forms in a message.
const SHOWN: usize = 4;

/// The shape and type that a fragment must fit.
pub(crate) struct Fitting<'a> {
    /// The file and the aggregation that have the fragment.
    pub(crate) host: &'a Arc<dyn Host>,
    pub(crate) aggregation: &'a Aggregation,
    /// The type of the aggregated data.
    pub(crate) data_type: DataType,
    /// The requested shape.
    pub(crate) canonical: &'a [u64],
    pub(crate) view: Option<&'a View>,
    pub(crate) chain: &'a Chain<'a>,
}

/// How an axis is expanded.
struct Expansion {
    axis: usize,
    sizes: Vec<u64>,
    places: Arc<Places>,
}

/// The result of the search for a compressed form.
enum Search {
    /// The variable is not compressed.
    Plain,
    /// It is compressed, and does not fit when it is expanded.
    Misfit(Error),
    /// It is compressed, and fits.
    Fit(Expansion),
}

impl Fitting<'_> {
    /// Returns the fragment in the form that fits: as it is stored, or expanded.
    ///
    /// # Errors
    /// `FragmentShape` if no form fits, `Unsupported` for tie points of coordinates, `Limit`, and those of reading.
    pub(crate) fn fit(&self, raw: Raw) -> Result<Raw> {
        let file = raw.file().map(str::to_owned);
        self.fitted(raw).map_err(|e| match file {
            Some(file) => e.in_file(file),
            None => e,
        })
    }

    fn fitted(&self, raw: Raw) -> Result<Raw> {
        let misfit = Placement::new(raw.shape(), self.canonical, self.view).err();
        let misfit = misfit.filter(|_| !self.fits_without_length(&raw));
        if misfit.is_none() && !self.is_doubtful(&raw) {
            return self.picked(raw);
        }
        let home = Home::of(self.host, &raw)?;
        let search = home.as_ref().map_or(Ok(Search::Plain), |home| self.search(home))?;
        let expansion = match (search, misfit) {
            (Search::Fit(expansion), _) => expansion,
            (_, None) => return self.picked(raw),
            (Search::Misfit(error), Some(_)) => return Err(error),
            (Search::Plain, Some(misfit)) => {
                home.map_or(Ok(()), |home| subsampled::refuse(&home))?;
                return Err(misfit);
            }
        };
        let Expansion { axis, sizes, places } = expansion;
        let raw = Raw::Expanded(Expanded::new(raw, axis, &sizes, places));
        // If only a part is used, the shape may still not fit.
        if !self.fits_without_length(&raw) {
            Placement::new(raw.shape(), self.canonical, self.view)?;
        }
        self.picked(raw)
    }

    /// Returns whether a fragment that fits as it is may mean something else in a compressed form.
    fn is_doubtful(&self, raw: &Raw) -> bool {
        // That each char is a string by itself is the least likely interpretation.
        self.is_text(raw) && !self.fits_without_length(raw) || self.may_be_indexed(raw)
    }

    /// Returns whether a fragment fits as text of type char, which has its length as a last dimension.
    fn fits_without_length(&self, raw: &Raw) -> bool {
        let fits = |shape: &[u64]| Placement::new(shape, self.canonical, self.view).is_ok();
        self.is_text(raw) && raw.shape().split_last().is_some_and(|(_, rest)| fits(rest))
    }

    fn is_text(&self, raw: &Raw) -> bool {
        raw.data_type() == DataType::Char && self.data_type == DataType::String
    }

    /// Returns whether a fragment that fits may be an indexed ragged array with one sample of each instance, in another
    /// order.
    ///
    /// A variable v(obs) fits instances x 1, with the dimension of size 1 omitted, if there are as many samples as
    /// instances; the index variable then defines which instance each sample belongs to. This does not apply if the
    /// aggregated data are samples themselves.
    fn may_be_indexed(&self, raw: &Raw) -> bool {
        let canonical = self.canonical;
        let length = usize::from(self.is_text(raw));
        if self.view.is_some() || raw.shape().len() >= canonical.len() + length {
            return false;
        }
        let followed = (1..canonical.len()).filter(|&d| canonical[d] == 1 && canonical[d - 1] > 1);
        let mut instances = followed.map(|d| self.aggregation.dimensions[d - 1]);
        instances.any(|dimension| !self.is_sample_dimension(dimension))
    }

    /// Returns whether the aggregation file has a count or index variable of a dimension.
    fn is_sample_dimension(&self, dimension: DimensionId) -> bool {
        let tree = self.host.tree();
        tree.variables.iter().enumerate().any(|(id, variable)| {
            let named = |attribute: &str| {
                reference::dimension(tree, variable.group, variable.attributes.text(attribute)?.trim())
            };
            let spans = || match self.host.aggregation(VariableId(id)) {
                Ok(Some(aggregation)) => aggregation.dimensions == [dimension],
                _ => variable.dimensions == [dimension],
            };
            named("sample_dimension") == Some(dimension) || named("instance_dimension").is_some() && spans()
        })
    }

    /// Searches for a form in which a variable fits when it is expanded.
    fn search(&self, home: &Home<'_>) -> Result<Search> {
        let raw = home.raw;
        let misfit = |message: String| Ok(Search::Misfit(Error::new(Kind::FragmentShape, message)));
        let mut fitting: Vec<(Candidate, Vec<Size>)> = Vec::new();
        let mut others = Vec::new();
        let candidates = match candidates(home) {
            Err(error) if error.kind() == Kind::FragmentShape => return Ok(Search::Misfit(error)),
            candidates => candidates?,
        };
        for candidate in candidates {
            let sizes = candidate.form.sizes(home)?;
            match self.sizes_for(raw, candidate.axis, &sizes) {
                Some(_) => fitting.push((candidate, sizes)),
                None if others.len() < SHOWN => {
                    others.push(format!("{} ({})", candidate.form.name(home), shown(&sizes)));
                }
                None => {}
            }
        }
        let Some((best, mut sizes)) = fitting.first().cloned() else {
            if others.is_empty() {
                return Ok(Search::Plain);
            }
            return misfit(format!(
                "neither shape {:?} nor its expanded form fits {:?}, the fragment's part of the aggregated data: {}",
                raw.shape(),
                self.canonical,
                others.join(", ")
            ));
        };
        let form = best.form.name(home);
        if let Some((other, _)) = fitting[1..].iter().find(|(other, _)| other.is_as_good_as(&best)) {
            return misfit(format!("it can be read as {form} or {}", other.form.name(home)));
        }
        let places = self.places(home, &best)?;
        let asked = self.sizes_for(raw, best.axis, &sizes).unwrap_or_default();
        let mut too_long = None;
        let open = (0..sizes.len()).filter(|&d| matches!(sizes[d], Size::AtLeast(_))).collect::<Vec<_>>();
        for (d, row) in open.into_iter().zip(places.longest()) {
            sizes[d] = Size::AtLeast(row.length);
            if asked.get(d).is_some_and(|&size| size < row.length) {
                too_long.get_or_insert(row);
            }
        }
        match (self.sizes_for(raw, best.axis, &sizes), too_long) {
            (Some(sizes), _) => Ok(Search::Fit(Expansion { axis: best.axis, sizes, places })),
            (None, row) => misfit(format!(
                "{form}: {}, too many for {:?}, the fragment's part of the aggregated data",
                row.map_or_else(|| "its rows are".to_owned(), |row| row.to_string()),
                self.canonical
            )),
        }
    }

    /// Returns the sizes of the expanded dimensions in the requested shape.
    fn sizes_for(&self, raw: &Raw, axis: usize, sizes: &[Size]) -> Option<Vec<u64>> {
        let length = usize::from(self.is_text(raw) && axis + 1 < raw.shape().len());
        let wanted: Vec<u64> = match self.view {
            // The aggregation defines the shape of a part; the whole is as large as it must be.
            Some(View { part: Some(parts), .. }) => {
                let rank = raw.shape().len() - 1 + sizes.len();
                let fits = parts.len() == rank - length || parts.len() == rank;
                return fits.then(|| sizes.iter().map(|size| size.least()).collect());
            }
            Some(View { axes: Some(axes), .. }) => {
                axes.iter().map(|&d| self.canonical.get(d).copied()).collect::<Option<_>>()?
            }
            _ => self.canonical.to_vec(),
        };
        let mut all: Vec<Size> = raw.shape().iter().map(|&n| Size::Exactly(n)).collect();
        all.splice(axis..=axis, sizes.iter().copied());
        let taken = matched(&all[..all.len() - length], &wanted).or_else(|| matched(&all, &wanted))?;
        taken.get(axis..axis + sizes.len()).map(<[u64]>::to_vec)
    }

    /// Returns where the elements of a form are stored. Reads this unless it was read before.
    fn places(&self, home: &Home<'_>, Candidate { axis, form, .. }: &Candidate) -> Result<Arc<Places>> {
        let kept = home.file_of(&form.variables()).map(|file| (file, self.chain.expansions));
        if let Some(places) = kept.and_then(|(file, expansions)| expansions.get(file, form)) {
            return Ok(places);
        }
        let samples = home.size(home.dimensions(home.id)?[*axis]).max(home.raw.shape()[*axis]);
        let places = Arc::new(form.places(home, samples, self.chain)?);
        if let Some((file, expansions)) = kept {
            expansions.put(file, form, &places);
        }
        Ok(places)
    }

    /// Applies the indices that `part` lists, each axis by itself; [`Placement`] applies slices.
    fn picked(&self, mut raw: Raw) -> Result<Raw> {
        let Some(parts) = self.view.and_then(|view| view.part.as_ref()) else { return Ok(raw) };
        for (axis, part) in parts.iter().enumerate() {
            let (AxisIndices::Indices(list), Some(&size)) = (part, raw.shape().get(axis)) else { continue };
            if let Some(index) = list.iter().find(|&&index| index >= size) {
                let message = format!("part has index {index} of a dimension of size {size}");
                return Err(Error::new(Kind::FragmentShape, message));
            }
            let places = Arc::new(Places::Listed(list.clone()));
            raw = Raw::Expanded(Expanded::new(raw, axis, &[list.len() as u64], places));
        }
        Ok(raw)
    }
}

fn shown(sizes: &[Size]) -> String {
    let sizes = sizes.iter().map(|size| match size {
        Size::Exactly(n) => n.to_string(),
        Size::AtLeast(_) => "any".to_owned(),
    });
    sizes.collect::<Vec<_>>().join(" x ")
}
