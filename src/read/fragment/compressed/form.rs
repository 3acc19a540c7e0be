//! The forms in which a variable can be compressed, found by the attributes of other variables of its file.

use super::home::Home;
use super::places::Places;
use super::sizes::Size;
use super::telling::{read_counts, read_index, read_list};
use crate::container::tree::{DimensionId, VariableId};
use crate::dialect::reference;
use crate::error::{Error, Kind, Result};
use crate::read::fragment::Chain;

/// The maximum number of forms of one dimension that are tried, and of dimensions that one may represent.
const MOST: usize = 32;

/// How an axis of a variable is compressed. In the order of preference, where several fit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// `list` has an attribute `compress` with the names of the dimensions.
    Gathered { list: VariableId, dimensions: Vec<DimensionId> },
    /// `count` has an attribute `sample_dimension`, and `index`, of the same dimension, `instance_dimension`.
    IndexedContiguous { count: VariableId, index: VariableId, instances: DimensionId },
    /// `count` has an attribute `sample_dimension`.
    Contiguous { count: VariableId },
    /// `index` has an attribute `instance_dimension`.
    Indexed { index: VariableId, instances: DimensionId },
}

/// A form of an axis.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) axis: usize,
    pub(super) form: Form,
    /// How many groups up from the variable its form is defined; the largest number for other groups.
    distance: usize,
}

impl Candidate {
    /// Returns whether nothing decides which of the two is meant.
    pub(super) fn is_as_good_as(&self, other: &Candidate) -> bool {
        std::mem::discriminant(&self.form) == std::mem::discriminant(&other.form)
            && self.distance == other.distance
    }
}

/// Returns the forms that a variable may have, in order of preference.
///
/// # Errors
/// `FragmentShape` if a list of places names dimensions that do not exist.
pub(super) fn candidates(home: &Home<'_>) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for (axis, &dimension) in home.dimensions(home.id)?.iter().enumerate() {
        let forms = gathered(home, dimension)?.into_iter().chain(ragged(home, dimension)?);
        found.extend(forms.map(|form| Candidate { axis, distance: distance(home, &form), form }));
    }
    let rank = |form: &Form| match form {
        Form::Gathered { .. } => 0,
        Form::IndexedContiguous { .. } => 1,
        Form::Contiguous { .. } => 2,
        Form::Indexed { .. } => 3,
    };
    found.sort_by_key(|candidate| (rank(&candidate.form), candidate.distance));
    Ok(found)
}

fn distance(home: &Home<'_>, form: &Form) -> usize {
    let group = |id: VariableId| home.tree.variables[id.0].group;
    let mut upward = home.tree.upward(group(home.id));
    upward.position(|g| g == group(form.variables()[0])).unwrap_or(usize::MAX)
}

/// Returns the forms in which this dimension lists places of others.
fn gathered(home: &Home<'_>, dimension: DimensionId) -> Result<Vec<Form>> {
    let tree = home.tree;
    let mut forms = Vec::new();
    for list in home.variables_with("compress") {
        let variable = &tree.variables[list.0];
        if variable.name != tree.dimensions[dimension.0].name || home.dimensions(list)? != [dimension] {
            continue;
        }
        let names = variable.attributes.text("compress").unwrap_or_default();
        let names: Vec<&str> = names.split_whitespace().take(MOST + 1).collect();
        let named = |name: &&str| reference::dimension(tree, variable.group, name);
        let wrong = |what| wrong(format!("compress of '{}' names {what}", home.path(list)));
        let dimensions = names.iter().map(named).collect::<Option<_>>();
        let dimensions = dimensions.ok_or_else(|| wrong("an unknown dimension"))?;
        if names.len() > MOST {
            return Err(wrong("too many dimensions"));
        }
        forms.push(Form::Gathered { list, dimensions });
        check_few(home, dimension, forms.len())?;
    }
    Ok(forms)
}

/// Returns the ragged arrays that have this sample dimension.
fn ragged(home: &Home<'_>, samples: DimensionId) -> Result<Vec<Form>> {
    let mut forms = Vec::new();
    for count in home.variables_with("sample_dimension") {
        if home.named(count, "sample_dimension", Some(samples)).is_none() {
            continue;
        }
        match *home.dimensions(count)? {
            [] => forms.push(Form::Contiguous { count }),
            [rows] => {
                let profiles = indices_of(home, rows)?.into_iter();
                let both = |(index, instances)| Form::IndexedContiguous { count, index, instances };
                forms.extend(profiles.map(both));
                forms.push(Form::Contiguous { count });
            }
            _ => {}
        }
        check_few(home, samples, forms.len())?;
    }
    let indices = indices_of(home, samples)?.into_iter();
    forms.extend(indices.map(|(index, instances)| Form::Indexed { index, instances }));
    check_few(home, samples, forms.len()).map(|()| forms)
}

/// Returns the index variables of a dimension, each with its instance dimension.
fn indices_of(home: &Home<'_>, dimension: DimensionId) -> Result<Vec<(VariableId, DimensionId)>> {
    let mut found = Vec::new();
    for index in home.variables_with("instance_dimension") {
        if home.dimensions(index)? == [dimension] {
            found.extend(home.named(index, "instance_dimension", None).map(|instances| (index, instances)));
            check_few(home, dimension, found.len())?;
        }
    }
    Ok(found)
}

fn check_few(home: &Home<'_>, dimension: DimensionId, found: usize) -> Result<()> {
    if found <= MOST {
        return Ok(());
    }
    let name = &home.tree.dimensions[dimension.0].name;
    Err(wrong(format!("dimension '{name}' has more than {MOST} list, count and index variables")))
}

impl Form {
    /// Returns the variables that define how to expand it.
    pub(super) fn variables(&self) -> Vec<VariableId> {
        match *self {
            Form::Gathered { list, .. } => vec![list],
            Form::IndexedContiguous { count, index, .. } => vec![count, index],
            Form::Contiguous { count } => vec![count],
            Form::Indexed { index, .. } => vec![index],
        }
    }

    /// Returns their names, for messages.
    pub(super) fn name(&self, home: &Home<'_>) -> String {
        let names: Vec<String> = self.variables().iter().map(|&id| format!("'{}'", home.path(id))).collect();
        let form = match self {
            Form::Gathered { .. } => "gathered by",
            Form::IndexedContiguous { .. } => "indexed contiguous ragged array of",
            Form::Contiguous { .. } => "contiguous ragged array of",
            Form::Indexed { .. } => "indexed ragged array of",
        };
        format!("{form} {}", names.join(" and "))
    }

    /// Returns the sizes of the expanded dimensions, as far as they are known before counts and indices are read.
    ///
    /// # Errors
    /// The errors of decoding a count variable that is an aggregation variable.
    pub(super) fn sizes(&self, home: &Home<'_>) -> Result<Vec<Size>> {
        let any = Size::AtLeast(0);
        Ok(match self {
            Form::Gathered { dimensions, .. } => {
                dimensions.iter().map(|&d| Size::Exactly(home.size(d))).collect()
            }
            Form::IndexedContiguous { instances, .. } => vec![Size::Exactly(home.size(*instances)), any, any],
            Form::Indexed { instances, .. } => vec![Size::Exactly(home.size(*instances)), any],
            Form::Contiguous { count } => {
                let rows = home.open(*count)?.shape().iter().map(|&n| Size::Exactly(n)).collect::<Vec<_>>();
                rows.into_iter().chain([any]).collect()
            }
        })
    }

    /// Reads where the elements are stored along an axis with this many samples.
    ///
    /// # Errors
    /// `FragmentShape` if counts and indices do not fit the axis, `Limit` if they are too many, and those of reading.
    pub(super) fn places(&self, home: &Home<'_>, samples: u64, chain: &Chain<'_>) -> Result<Places> {
        Ok(match self {
            Form::Gathered { list, dimensions } => {
                let sizes = dimensions.iter().map(|&d| home.size(d)).collect();
                Places::Gathered(read_list(home, *list, sizes, samples, chain)?)
            }
            Form::Contiguous { count } => Places::Contiguous(read_counts(home, *count, samples, chain)?),
            Form::Indexed { index, instances } => {
                Places::Indexed(read_index(home, *index, home.size(*instances), samples, chain)?)
            }
            Form::IndexedContiguous { count, index, instances } => {
                let profiles = home.open(*count)?.shape().iter().product();
                let rows = read_counts(home, *count, samples, chain)?;
                let members = read_index(home, *index, home.size(*instances), profiles, chain)?;
                Places::IndexedContiguous(members, rows)
            }
        })
    }
}

fn wrong(message: String) -> Error {
    Error::new(Kind::FragmentShape, message)
}
