//! An aggregation that is updated. Its fragments, with their coordinates from the aggregation, are inputs like the new
//! files. A fragment is opened only for coordinates that are aggregated themselves.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::globals::GroupAttributes;
use super::kept_values::Kept;
use super::numbered::{Names, Numbered};
use super::record::{Content, Input, Interner, Item, State, Template};
use super::{apart, kept_attributes, renew, roles, scan, scope, Options};
use crate::author::option_name::OptionName;
use crate::container::allowance::Allowance;
use crate::container::tree::VariableId;
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::dialect;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::location::Style;
use crate::model::fragments::{Fragment, Lookup};
use crate::model::grid::Grid;
use crate::model::slabs::Slabs;
use crate::model::substitutions::Substitutions;
use crate::model::{Aggregation, Dialect};
use crate::options::OpenOptions;
use crate::selection::{checked_product, indices, Selection};
use crate::value::Values;

/// The number of fragments that are looked up at once.
const BLOCK: u64 = 4096;

/// What a fragment takes besides its names, as measured with 20,000 to 80,000: 1366 bytes with 190 of names.
const OWN: usize = 1180;

/// Bytes of values that count as a part of their fragment.
const FEW: u64 = 64;

/// Variables up to this size are read at once.
const WHOLE_BYTES: u64 = 16 << 20;

/// The contents of an aggregation file.
pub(super) struct Existing {
    pub globals: GroupAttributes,
    pub history: Option<String>,
    pub dialect: Option<Dialect>,
    pub has_state: bool,
    pub has_chunks: bool,
    /// Whether coordinates that are divided between files are aggregated.
    pub has_aggregated_coordinates: bool,
    /// Global attributes of the files that are kept as variables.
    pub kept_attributes: Vec<String>,
    /// The files with fragments.
    pub files: Vec<ExistingFile>,
    /// The index of each file by location.
    pub by_location: HashMap<Arc<str>, usize>,
    pub dataset: Dataset,
    pub variables: Vec<ExistingVariable>,
    /// The variables whose values determine where a part belongs.
    charted: BTreeSet<String>,
    out: PathBuf,
    /// What the fragments may take.
    allowance: Allowance,
}

pub(super) type Ranges = Vec<Range<u64>>;

/// A file with fragments.
pub(super) struct ExistingFile {
    /// Its location as the aggregation file will have it.
    pub location: Arc<str>,
    /// The same as a URI reference, if it differs.
    reference: Option<Box<str>>,
    /// The kinds of location that are allowed.
    pub style: Style,
    /// The variables of its fragments, and their numbers in C order.
    pub fragments: Vec<(usize, usize)>,
}

impl ExistingFile {
    /// Returns its location as a URI reference.
    pub fn reference(&self) -> &str {
        self.reference.as_deref().unwrap_or(&self.location)
    }
}

/// A fragment.
pub(super) struct ExistingFragment {
    pub fragment: Arc<Fragment>,
    /// The recorded state of its file.
    pub state: Option<State>,
    /// The indices of the files of its versions.
    pub files: Vec<usize>,
}

/// The fragments of a variable, in C order.
pub(super) struct ExistingFragments {
    grid: Arc<Grid>,
    pub list: Vec<ExistingFragment>,
}

impl ExistingFragments {
    /// Returns the fragment that has exactly this place.
    fn at(&self, place: &[Range<u64>]) -> Option<&ExistingFragment> {
        let shape = self.grid.shape();
        if place.len() != shape.len() || place.iter().zip(shape).any(|(range, &n)| range.start >= n) {
            return None;
        }
        let index: Vec<u64> =
            place.iter().enumerate().map(|(d, range)| self.grid.find(d, range.start)).collect();
        let is_it = index.iter().enumerate().all(|(d, &i)| self.grid.range(d, i) == place[d]);
        self.list.get(self.grid.number(&index) as usize).filter(|_| is_it)
    }

    /// Returns each fragment with its index.
    fn iter(&self) -> impl Iterator<Item = (Vec<u64>, &ExistingFragment)> {
        indices(self.grid.fragments()).zip(&self.list)
    }
}

impl ExistingFragment {
    /// Returns whether all its versions are in files that are gone.
    fn is_gone(&self, gone: &HashSet<usize>) -> bool {
        let Fragment::Stored { versions, .. } = &*self.fragment else { return false };
        !self.files.is_empty()
            && versions.iter().all(|version| version.location.is_some())
            && self.files.iter().all(|file| gone.contains(file))
    }
}

/// A variable with its description.
pub(super) struct ExistingVariable {
    pub variable: Variable,
    pub template: Arc<Template>,
    /// Its fragments, if it is aggregated.
    pub fragments: Option<ExistingFragments>,
    /// Its values, if they are few.
    whole: OnceCell<Values>,
}

impl ExistingVariable {
    /// Returns the values of a part. Those of a variable whose many parts are its rows are read once.
    fn values(&self, own: &Ranges, allowance: &Allowance) -> Result<Values> {
        let shape = self.variable.shape()?;
        let are_rows =
            own.len() == shape.len() && own.iter().zip(shape).skip(1).all(|(range, &n)| *range == (0..n));
        let element = self.template.data_type.size().unwrap_or(64) as u64;
        let bytes = checked_product(shape).and_then(|n| n.checked_mul(element));
        let are_few = self.fragments.is_none() && bytes.is_some_and(|bytes| bytes <= WHOLE_BYTES);
        let rows = own.first().filter(|rows| are_rows && are_few && rows.end <= shape[0]);
        if let Some(rows) = rows {
            let whole = self.whole.get_or_try_init(|| self.kept(&Selection::all(shape), allowance))?;
            let row = shape[1..].iter().product::<u64>();
            return Ok(whole.part((rows.start * row) as usize..(rows.end * row) as usize));
        }
        let (start, count): (Vec<u64>, Vec<u64>) = own.iter().map(|r| (r.start, r.end - r.start)).unzip();
        self.kept(&Selection::block(&start, &count, shape)?, allowance)
    }

    /// Reads values that are kept, unless all that are kept are too many for a file of this length (`Limit`).
    fn kept(&self, part: &Selection, allowance: &Allowance) -> Result<Values> {
        let element = self.template.data_type.size().unwrap_or(size_of::<String>()) as u64;
        let bytes = part.len().and_then(|n| n.checked_mul(element)).unwrap_or(u64::MAX);
        // The few of a fragment are a part of what it counts for.
        if bytes > FEW {
            allowance.keep_values(bytes).map_err(|e| e.in_variable(self.variable.path()))?;
        }
        self.variable.read_values(part)
    }

    /// Returns its part along a dimension; the length of texts is another one.
    pub fn along(&self, dimension: &str, range: &Range<u64>) -> Result<Ranges> {
        let sizes = self.template.dimensions.iter().zip(self.variable.shape()?);
        Ok(sizes.map(|(name, &n)| if name == dimension { range.clone() } else { 0..n }).collect())
    }
}

/// A variable that describes the fragments of another one.
struct Companion<'a> {
    one: &'a ExistingVariable,
    /// Its description, with the names in the files.
    template: Arc<Template>,
    /// For each of its dimensions, the position of the same dimension of the other variable.
    along: Vec<Option<usize>>,
    /// Whether each fragment has a part of its own.
    is_divided_alike: bool,
    /// The parts that several fragments may have, by their places along those dimensions.
    parts: HashMap<Ranges, Arc<Item>>,
}

impl<'a> Companion<'a> {
    fn new(one: &'a ExistingVariable, template: Arc<Template>, data: &ExistingVariable) -> Companion<'a> {
        let dimensions = &data.template.dimensions;
        let position = |own: &String| dimensions.iter().position(|other| other == own);
        let along: Vec<Option<usize>> = one.template.dimensions.iter().map(position).collect();
        let counts = data.fragments.as_ref().map_or(&[][..], |fragments| fragments.grid.fragments());
        let mut divided = (0..counts.len()).filter(|&d| counts[d] > 1);
        let is_divided_alike = divided.all(|d| along.contains(&Some(d)));
        Companion { one, template, along, is_divided_alike, parts: HashMap::new() }
    }
}

/// Parts of variables by name and place.
pub(super) type ContentByPlace = HashMap<(String, Ranges), Content>;

/// The inputs that come from an aggregation.
#[derive(Default)]
pub(super) struct ExistingInputs {
    pub list: Vec<Input>,
    /// How files that were scanned again differ from the aggregation, by index.
    pub changes: HashMap<usize, String>,
    /// The indices of the files whose fragments were removed.
    pub removed: BTreeSet<usize>,
}

/// Reads an aggregation file.
///
/// # Errors
/// Those of reading it; `Unsupported` for fragments that are not files; `Limit` if they are too many for its length.
pub(super) fn read(out: &Path, settings: &OpenOptions, interner: &Interner) -> Result<Existing> {
    let dataset = Dataset::open_with(out, settings)?;
    let mut existing = Existing {
        globals: scan::attributes_of(&dataset),
        history: None,
        dialect: None,
        has_state: false,
        has_chunks: false,
        has_aggregated_coordinates: false,
        kept_attributes: Vec::new(),
        files: Vec::new(),
        by_location: HashMap::new(),
        dataset: dataset.clone(),
        variables: Vec::new(),
        charted: BTreeSet::new(),
        out: out.to_owned(),
        allowance: Allowance::of_gathering(&**dataset.shared().container.source()),
    };
    let root = existing.globals.iter_mut().find(|(path, _)| path.is_empty());
    existing.history = root.and_then(|(_, global)| global.remove("history")).and_then(|h| h.as_text());
    for (variable, template) in scope::templates(&dataset)? {
        let fragments = existing.look(&variable)?;
        let is_coordinate = roles::is_coordinate(&template);
        existing.kept_attributes.extend(kept_attributes::is_kept(&template).then(|| template.name.clone()));
        existing.has_aggregated_coordinates |= is_coordinate && fragments.is_some();
        let tells_time =
            template.rank() == 1 && template.text("units").is_some_and(|u| u.contains(" since "));
        if is_coordinate || tells_time {
            let cells = ["bounds", "climatology"].iter().filter_map(|a| template.text(a));
            existing.charted.extend(cells.chain([template.name.clone()]));
        }
        existing.variables.push(ExistingVariable {
            variable,
            template: interner.template(template),
            fragments,
            whole: OnceCell::new(),
        });
    }
    Ok(existing)
}

impl Existing {
    /// Returns the fragments of an aggregation variable, and collects what they show about the file; `None` for another
    /// variable.
    fn look(&mut self, variable: &Variable) -> Result<Option<ExistingFragments>> {
        let Some(aggregation) = variable.aggregation()? else { return Ok(None) };
        self.dialect.get_or_insert(aggregation.dialect);
        self.has_state |= aggregation.recorded.is_some();
        self.has_chunks |= aggregation.chunks.is_some();
        let states = states(variable.dataset(), aggregation)?;
        let style = Style::allowing_absolute_paths(aggregation.fragments.allows_absolute_paths());
        let (grid, shape) = (&aggregation.grid, aggregation.grid.fragments());
        let container = &*variable.dataset().shared().container;
        let place = |e: Error| e.in_variable(variable.path());
        let mut fragments = Vec::new();
        for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
            let block = block?;
            let found =
                aggregation.fragments.lookup(container, &block, &Substitutions::default()).map_err(place)?;
            let Lookup::Fragments(list) = found else { return Err(place(no_files())) };
            let taken = list.iter().map(|fragment| fragment.memory() + OWN).sum();
            self.allowance.keep(taken).map_err(place)?;
            for mut fragment in list {
                let number = fragments.len();
                let state = states.as_ref().and_then(|s| s.get(number).copied()).filter(|s| s.is_known());
                let Fragment::Stored { versions, .. } = &mut fragment else { return Err(place(no_files())) };
                let mut files = Vec::with_capacity(versions.len());
                for version in versions {
                    // Each dialect has its own word for the default format.
                    version.format = version.format.take().filter(|f| !matches!(&**f, "nc" | "netcdf"));
                    let Some(location) = &mut version.location else { continue };
                    let mut reference = None;
                    if aggregation.dialect == Dialect::Cfa04 {
                        let name = dialect::file_name(location);
                        reference = Some(std::mem::replace(location, name));
                    }
                    files.push(self.file(location, reference, style, (self.variables.len(), number)));
                }
                fragments.push(ExistingFragment { fragment: Arc::new(fragment), state, files });
            }
        }
        Ok(Some(ExistingFragments { grid: Arc::clone(grid), list: fragments }))
    }

    /// Returns the index of a file, and adds this fragment to it.
    fn file(
        &mut self,
        location: &str,
        reference: Option<String>,
        style: Style,
        place: (usize, usize),
    ) -> usize {
        let number = self.by_location.get(location).copied().unwrap_or_else(|| {
            let location: Arc<str> = location.into();
            self.by_location.insert(Arc::clone(&location), self.files.len());
            let reference = reference.map(String::into_boxed_str);
            self.files.push(ExistingFile { location, reference, style, fragments: Vec::with_capacity(1) });
            self.files.len() - 1
        });
        self.files[number].fragments.push(place);
        number
    }

    pub fn find(&self, name: &str) -> Option<&ExistingVariable> {
        self.variables.iter().find(|k| k.template.name == name)
    }

    /// Returns all fragments as inputs. `again` has files that were scanned again, by index: their contents replace
    /// those from the aggregation, and they may add variables. Fragments in no file but those that are gone are left out.
    ///
    /// # Errors
    /// `Unsupported`, `FragmentVariable` for a file that changed in a way that cannot be resolved; those of reading.
    pub fn inputs(
        &self,
        again: &HashMap<usize, Input>,
        gone: &HashSet<usize>,
        numbered: &Numbered,
        options: &Options,
        interner: &Interner,
    ) -> Result<ExistingInputs> {
        let root = self.globals.iter().find(|(group, _)| group.is_empty());
        let companions = roles::companions(self.variables.iter().map(|k| &*k.template));
        let mut out = ExistingInputs::default();
        let mut taken: BTreeSet<(usize, String)> = BTreeSet::new();
        let here = crate::io::os::shown(&self.out);
        for one in self.variables.iter().filter(|k| !companions.contains(&k.template.name)) {
            let mut contents = ContentByPlace::new();
            let mut names = numbered.names(self, one);
            let template = names.template(&one.template, interner);
            let mut companions = self.companions_of(one, &mut names, interner);
            // Traits of a variable are those of the files of this variable only.
            let own = apart::traits(&one.template.attributes);
            let common = root.map_or(Vec::new(), |(_, root)| apart::traits(root));
            let more = common.into_iter().filter(|(at, _)| own.iter().all(|(other, _)| other != at));
            let traits = interner.traits(own.iter().cloned().chain(more).collect());
            let own_name = Arc::new(one.template.name.clone());
            let Some(fragments) = &one.fragments else {
                let whole = self.by_value(one, &template, &mut companions, interner)?;
                out.list.push(whole.of(traits).of_variable(&own_name));
                continue;
            };
            for (index, old) in fragments.iter() {
                let ranges: Ranges =
                    index.iter().enumerate().map(|(d, &i)| fragments.grid.range(d, i)).collect();
                if old.is_gone(gone) {
                    out.removed.extend(&old.files);
                    continue;
                }
                let scanned = old.files.iter().find_map(|f| again.get(f).map(|input| (*f, input)));
                if let Some((number, file)) = scanned {
                    let (ranges, contents, names) = (&ranges, &mut contents, &mut names);
                    let mut place = renew::Slot { existing: self, one, ranges, old, contents, names };
                    let renewed = place.renew(number, file, interner)?;
                    taken.insert((number, renewed.path));
                    if let Some(change) = renewed.change {
                        out.changes.entry(number).or_insert(change);
                    }
                    if let Some(input) = renewed.input {
                        out.list.push(input.of_variable(&own_name));
                        continue;
                    }
                }
                let mut items = Vec::with_capacity(companions.len() + 1);
                let fragment = Some(&old.fragment);
                let data = item(&template, &ranges, Content::Unread, true, fragment, interner);
                items.push(Arc::new(data));
                self.describe(one, &ranges, &mut companions, &mut items, interner)?;
                let name = format!("{here} {}", shown(&old.fragment));
                let fragment = Input::fragment(name, old.state, items);
                out.list.push(fragment.of(traits.clone()).of_variable(&own_name));
            }
        }
        let mut numbers: Vec<&usize> = again.keys().collect();
        numbers.sort();
        for number in numbers {
            let file = &again[number];
            let is_more = |i: &&Arc<Item>| {
                !i.is_data
                    || options.wants(&i.template.name) && !taken.contains(&(*number, i.template.path.clone()))
            };
            let items: Vec<Arc<Item>> = file.items.iter().filter(is_more).cloned().collect();
            if items.iter().any(|i| i.is_data) {
                out.list.push(file.part(Some(&self.files[*number].location), items));
            }
        }
        Ok(out)
    }

    /// Returns a data variable that is stored by value.
    fn by_value(
        &self,
        one: &ExistingVariable,
        template: &Arc<Template>,
        companions: &mut [Companion<'_>],
        interner: &Interner,
    ) -> Result<Input> {
        let ranges: Ranges = one.variable.shape()?.iter().map(|&n| 0..n).collect();
        let outline = interner.outline(template, one.variable.shape()?, true, true);
        let whole = Item { outline, content: Content::Unread, fragment: None };
        let mut items = vec![Arc::new(whole)];
        self.describe(one, &ranges, companions, &mut items, interner)?;
        Ok(Input::file(&self.out, None, items))
    }

    /// Returns the variables that describe a variable, under the names that they have in the files.
    fn companions_of(
        &self,
        data: &ExistingVariable,
        renamed: &mut Names,
        interner: &Interner,
    ) -> Vec<Companion<'_>> {
        let own = &data.template.dimensions;
        let names = roles::closure(&data.template, own, |n| self.find(n).map(|k| &*k.template));
        let all = names.iter().filter_map(|n| self.find(n));
        all.map(|one| Companion::new(one, renamed.template(&one.template, interner), data)).collect()
    }

    /// Adds the part of every variable that describes a fragment of a variable.
    fn describe(
        &self,
        data: &ExistingVariable,
        ranges: &[Range<u64>],
        companions: &mut [Companion<'_>],
        items: &mut Vec<Arc<Item>>,
        interner: &Interner,
    ) -> Result<()> {
        for companion in companions {
            let place: Ranges = companion.along.iter().flatten().map(|&d| ranges[d].clone()).collect();
            if let Some(there) = companion.parts.get(&place) {
                items.push(there.clone());
                continue;
            }
            let there = self.part_of(companion, data, ranges, interner)?;
            items.push(there.clone());
            if !companion.is_divided_alike {
                companion.parts.insert(place, there);
            }
        }
        Ok(())
    }

    /// Returns the part of a variable that describes a fragment.
    fn part_of(
        &self,
        companion: &Companion<'_>,
        data: &ExistingVariable,
        ranges: &[Range<u64>],
        interner: &Interner,
    ) -> Result<Arc<Item>> {
        let (one, template) = (companion.one, &companion.template);
        let shape = one.variable.shape()?;
        let along = companion.along.iter().zip(shape);
        let own: Ranges = along.map(|(along, &n)| along.map_or(0..n, |d| ranges[d].clone())).collect();
        let is_charted = self.charted.contains(&one.template.name);
        let fragment = match &one.fragments {
            None => None,
            Some(fragments) => match fragments.at(&own) {
                Some(old) if !is_charted => {
                    let fragment = Some(&old.fragment);
                    let there = item(template, &own, Content::Unread, false, fragment, interner);
                    return Ok(Arc::new(there));
                }
                None if !is_charted => {
                    let (this, that) = (&one.template.name, &data.template.name);
                    let message = format!("'{this}' is not divided into the same fragments as '{that}'");
                    return Err(Error::new(Kind::Unsupported, message));
                }
                old => old.map(|old| &old.fragment),
            },
        };
        let content = Content::Kept(Kept::new(one.values(&own, &self.allowance)?, interner));
        let there = item(template, &own, content, false, fragment, interner);
        // Items are shared by content, whatever their place.
        let is_alone = fragment.is_some() || companion.is_divided_alike;
        Ok(if is_alone { Arc::new(there) } else { interner.item(there) })
    }

    /// Returns the values of a part of a variable.
    pub fn part(
        &self,
        one: &ExistingVariable,
        own: &Ranges,
        contents: &mut ContentByPlace,
        interner: &Interner,
    ) -> Result<Content> {
        let key = (one.template.name.clone(), own.clone());
        if let Some(content) = contents.get(&key) {
            return Ok(content.clone());
        }
        let content = Content::Kept(Kept::new(one.values(own, &self.allowance)?, interner));
        contents.insert(key, content.clone());
        Ok(content)
    }

    /// Numbers new files along a dimension that an earlier call made from the order of files. Returns `false` if there
    /// is no such dimension. Files with the same coordinates get successive numbers.
    ///
    /// # Errors
    /// `Map` if the dimension has coordinates other than such numbers.
    pub fn number(&self, dimension: &str, files: &mut [Input], interner: &Interner) -> Result<bool> {
        let Some(known) = self.find(dimension).filter(|k| roles::is_coordinate(&k.template)) else {
            return Ok(false);
        };
        let shape = known.variable.shape()?;
        let next = match known.kept(&Selection::all(shape), &self.allowance)? {
            Values::I32(list) if list.iter().copied().eq(0..list.len() as i32) => list.len() as i32,
            _ => return Err(foreign(dimension)),
        };
        let (name, attributes) = (dimension.to_owned(), known.template.attributes.clone());
        let data_type = known.template.data_type;
        let template =
            interner.template(Template::new(name.clone(), name, data_type, Vec::new(), attributes));
        let mut seen: HashMap<Vec<_>, i32> = HashMap::new();
        for file in files.iter_mut().filter(|f| f.item(dimension).is_none()) {
            // Equal values have one identity.
            let place = |i: &Arc<Item>| match &i.content {
                Content::Kept(kept) if roles::is_coordinate(&i.template) => Some(kept.identity()),
                _ => None,
            };
            let count = seen.entry(file.items.iter().filter_map(place).collect()).or_default();
            let value = Values::I32(vec![next.saturating_add(*count)]);
            *count = count.saturating_add(1);
            let content = Content::Kept(Kept::new(value, interner));
            let outline = interner.outline(&template, &[], false, false);
            let item = Item { outline, content, fragment: None };
            file.items.push(Arc::new(item));
        }
        Ok(true)
    }
}

fn foreign(dimension: &str) -> Error {
    let message = format!(
        "'{dimension}' has coordinates that do not count files from 0, so {} cannot continue them; give the \
         new files a scalar coordinate '{dimension}'",
        OptionName::NewDimension(None)
    );
    Error::new(Kind::Map, message)
}

fn no_files() -> Error {
    let message = "some of its fragments are not files; such an aggregation cannot be updated";
    Error::new(Kind::Unsupported, message)
}

fn shown(fragment: &Fragment) -> String {
    match fragment {
        Fragment::Stored { versions, .. } => {
            versions.iter().filter_map(|v| v.location.as_deref()).next().map(redact).unwrap_or_default()
        }
        Fragment::Missing => String::new(),
    }
}

/// Returns the recorded states of the fragments, in C order.
fn states(dataset: &Dataset, aggregation: &Aggregation) -> Result<Option<Vec<State>>> {
    let Some(recorded) = aggregation.recorded else { return Ok(None) };
    let shared = dataset.shared();
    let all = Selection::all(aggregation.grid.fragments());
    let read = |id: VariableId| shared.container.read_table(&shared.tree().variables[id.0].array, &all);
    let (bytes, modified) = (read(recorded[0])?, read(recorded[1])?);
    let pair = |i| Some(State { bytes: bytes.f64_at(i)?, modified: modified.f64_at(i)? });
    Ok((0..bytes.len()).map(pair).collect())
}

fn item(
    template: &Arc<Template>,
    ranges: &[Range<u64>],
    content: Content,
    is_data: bool,
    fragment: Option<&Arc<Fragment>>,
    interner: &Interner,
) -> Item {
    let shape: Vec<u64> = ranges.iter().map(|r| r.end - r.start).collect();
    let outline = interner.outline(template, &shape, is_data, false);
    Item { outline, content, fragment: fragment.cloned() }
}
