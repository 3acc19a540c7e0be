//! An aggregation that is updated. Its fragments, with their coordinates from the aggregation, are inputs like the new
//! files. A fragment is opened only for coordinates that are aggregated themselves.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::globals::GroupAttributes;
use super::numbered::{Names, Numbered};
use super::record::{Content, Input, Interner, Item, State, Template};
use super::{apart, kept, renew, roles, scan, scope, Options};
use crate::author::wish::Wish;
use crate::container::allowance::Allowance;
use crate::container::tree::VariableId;
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::dialect;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::location::Style;
use crate::model::fragments::{Fragment, Lookup};
use crate::model::slabs::Slabs;
use crate::model::substitutions::Substitutions;
use crate::model::{Aggregation, Dialect};
use crate::options::OpenOptions;
use crate::selection::{checked_product, Selection};
use crate::value::Values;

/// The number of fragments that are looked up at once.
const BLOCK: u64 = 4096;

/// What is kept of a fragment besides its names: its place, its file, and the input that is made of it.
const OWN: usize = 700;

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
    pub by_location: HashMap<String, usize>,
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
    pub location: String,
    /// The same as a URI reference, and the kinds of location that are allowed.
    pub reference: (String, Style),
    /// The variables and the places of its fragments.
    pub fragments: Vec<(usize, Ranges)>,
}

/// A fragment.
pub(super) struct ExistingFragment {
    pub fragment: Fragment,
    /// The recorded state of its file.
    pub state: Option<State>,
    /// The indices of the files of its versions.
    pub files: Vec<usize>,
}

impl ExistingFragment {
    /// Returns whether all its versions are in files that are gone.
    fn is_gone(&self, gone: &HashSet<usize>) -> bool {
        let Fragment::Stored { versions, .. } = &self.fragment else { return false };
        !self.files.is_empty()
            && versions.iter().all(|version| version.location.is_some())
            && self.files.iter().all(|file| gone.contains(file))
    }
}

/// A variable with its description.
pub(super) struct ExistingVariable {
    pub variable: Variable,
    pub template: Arc<Template>,
    /// Its fragments by place, if it is aggregated.
    pub fragments: Option<HashMap<Ranges, ExistingFragment>>,
    /// Its values, if they are few.
    whole: OnceCell<Values>,
}

impl ExistingVariable {
    /// Returns the values of a part. Those of a variable whose many parts are its rows are read once.
    fn values(&self, own: &Ranges) -> Result<Values> {
        let shape = self.variable.shape()?;
        let are_rows =
            own.len() == shape.len() && own.iter().zip(shape).skip(1).all(|(range, &n)| *range == (0..n));
        let element = self.template.data_type.size().unwrap_or(64) as u64;
        let bytes = checked_product(shape).and_then(|n| n.checked_mul(element));
        let are_few = self.fragments.is_none() && bytes.is_some_and(|bytes| bytes <= WHOLE_BYTES);
        let rows = own.first().filter(|rows| are_rows && are_few && rows.end <= shape[0]);
        if let Some(rows) = rows {
            let whole = self.whole.get_or_try_init(|| self.variable.read_values(&Selection::all(shape)))?;
            let row = shape[1..].iter().product::<u64>();
            return Ok(whole.part((rows.start * row) as usize..(rows.end * row) as usize));
        }
        let start: Vec<u64> = own.iter().map(|r| r.start).collect();
        let count: Vec<u64> = own.iter().map(|r| r.end - r.start).collect();
        self.variable.read_values(&Selection::block(&start, &count, shape)?)
    }
}

impl ExistingVariable {
    /// Returns its part along a dimension; the length of texts is another one.
    pub fn along(&self, dimension: &str, range: &Range<u64>) -> Result<Ranges> {
        let sizes = self.template.dimensions.iter().zip(self.variable.shape()?);
        Ok(sizes.map(|(name, &n)| if name == dimension { range.clone() } else { 0..n }).collect())
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
        allowance: Allowance::of_copy(&**dataset.shared().container.source()),
    };
    let root = existing.globals.iter_mut().find(|(path, _)| path.is_empty());
    existing.history = root.and_then(|(_, global)| global.remove("history")).and_then(|h| h.as_text());
    for (variable, template) in scope::templates(&dataset)? {
        let fragments = existing.look(&variable)?;
        let is_coordinate = roles::is_coordinate(&template);
        existing.kept_attributes.extend(kept::is_kept(&template).then(|| template.name.clone()));
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
    fn look(&mut self, variable: &Variable) -> Result<Option<HashMap<Ranges, ExistingFragment>>> {
        let Some(aggregation) = variable.aggregation()? else { return Ok(None) };
        self.dialect.get_or_insert(aggregation.dialect);
        self.has_state |= aggregation.recorded.is_some();
        self.has_chunks |= aggregation.chunks.is_some();
        let states = states(variable.dataset(), aggregation)?;
        let style = Style::allowing_absolute_paths(aggregation.fragments.allows_absolute_paths());
        let (grid, shape) = (&aggregation.grid, aggregation.grid.fragments());
        let container = &*variable.dataset().shared().container;
        let place = |e: Error| e.in_variable(variable.path());
        let mut fragments = HashMap::new();
        let mut number = 0;
        for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
            let block = block?;
            let found =
                aggregation.fragments.lookup(container, &block, &Substitutions::default()).map_err(place)?;
            let Lookup::Fragments(list) = found else { return Err(place(no_files())) };
            let taken = list.iter().map(|fragment| fragment.memory() + OWN).sum();
            self.allowance.keep(taken).map_err(place)?;
            for (i, mut fragment) in list.into_iter().enumerate() {
                let index = block.index(i as u64);
                let ranges: Ranges = index.iter().enumerate().map(|(d, &i)| grid.range(d, i)).collect();
                let state = states.as_ref().and_then(|s| s.get(number).copied()).filter(|s| s.is_known());
                number += 1;
                let Fragment::Stored { versions, .. } = &mut fragment else { return Err(place(no_files())) };
                let mut files = Vec::with_capacity(versions.len());
                for version in versions {
                    // Each dialect has its own word for the default format.
                    version.format = version.format.take().filter(|f| !matches!(&**f, "nc" | "netcdf"));
                    let Some(location) = &mut version.location else { continue };
                    let reference = location.clone();
                    if aggregation.dialect == Dialect::Cfa04 {
                        *location = dialect::file_name(&reference);
                    }
                    files.push(self.file(
                        location,
                        (reference, style),
                        (self.variables.len(), ranges.clone()),
                    ));
                }
                fragments.insert(ranges, ExistingFragment { fragment, state, files });
            }
        }
        Ok(Some(fragments))
    }

    /// Returns the index of a file, and adds this fragment to it.
    fn file(&mut self, location: &str, reference: (String, Style), place: (usize, Ranges)) -> usize {
        let number = self.by_location.get(location).copied().unwrap_or_else(|| {
            self.by_location.insert(location.to_owned(), self.files.len());
            self.files.push(ExistingFile { location: location.to_owned(), reference, fragments: Vec::new() });
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
        for one in self.variables.iter().filter(|k| !companions.contains(&k.template.name)) {
            let mut contents = ContentByPlace::new();
            let mut names = numbered.names(self, one);
            // Traits of a variable are those of the files of this variable only.
            let own = apart::traits(&one.template.attributes);
            let common = root.map_or(Vec::new(), |(_, root)| apart::traits(root));
            let more = common.into_iter().filter(|(at, _)| own.iter().all(|(other, _)| other != at));
            let traits = interner.traits(own.iter().cloned().chain(more).collect());
            let own_name = Arc::new(one.template.name.clone());
            let Some(fragments) = &one.fragments else {
                let whole = self.by_value(one, &mut names, &mut contents, interner)?;
                out.list.push(whole.of(traits).of_variable(&own_name));
                continue;
            };
            let mut list: Vec<_> = fragments.iter().collect();
            list.sort_by(|a, b| a.0.iter().map(|r| r.start).cmp(b.0.iter().map(|r| r.start)));
            for (ranges, old) in list {
                if old.is_gone(gone) {
                    out.removed.extend(&old.files);
                    continue;
                }
                let scanned = old.files.iter().find_map(|f| again.get(f).map(|input| (*f, input)));
                if let Some((number, file)) = scanned {
                    let (contents, names) = (&mut contents, &mut names);
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
                let template = names.template(&one.template, interner);
                let data = item(template, ranges, Content::Unread, true, Some(&old.fragment), interner);
                let mut items = vec![Arc::new(data)];
                self.describe(one, ranges, &mut names, &mut contents, &mut items, interner)?;
                let name = format!("{} {}", crate::io::os::shown(&self.out), shown(&old.fragment));
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
        names: &mut Names,
        contents: &mut ContentByPlace,
        interner: &Interner,
    ) -> Result<Input> {
        let ranges: Ranges = one.variable.shape()?.iter().map(|&n| 0..n).collect();
        let template = names.template(&one.template, interner);
        let mut whole = item(template, &ranges, Content::Unread, true, None, interner);
        whole.by_value = true;
        let mut items = vec![Arc::new(whole)];
        self.describe(one, &ranges, names, contents, &mut items, interner)?;
        Ok(Input::file(&self.out, None, items))
    }

    /// Adds the part of every variable that describes a fragment of a variable.
    fn describe(
        &self,
        data: &ExistingVariable,
        ranges: &[Range<u64>],
        renamed: &mut Names,
        contents: &mut ContentByPlace,
        items: &mut Vec<Arc<Item>>,
        interner: &Interner,
    ) -> Result<()> {
        let names =
            roles::closure(&data.template, &data.template.dimensions, |n| self.find(n).map(|k| &*k.template));
        for one in names.iter().filter_map(|n| self.find(n)) {
            let shape = one.variable.shape()?;
            let mut own: Ranges = Vec::with_capacity(shape.len());
            for (d, dimension) in one.template.dimensions.iter().enumerate() {
                let position = data.template.dimensions.iter().position(|n| n == dimension);
                own.push(position.map_or(0..shape[d], |p| ranges[p].clone()));
            }
            let is_charted = self.charted.contains(&one.template.name);
            let template = renamed.template(&one.template, interner);
            let fragment = match &one.fragments {
                None => None,
                Some(fragments) => match fragments.get(&own) {
                    Some(old) if !is_charted => {
                        let fragment = Some(&old.fragment);
                        let there = item(template, &own, Content::Unread, false, fragment, interner);
                        items.push(Arc::new(there));
                        continue;
                    }
                    None if !is_charted => {
                        let (this, that) = (&one.template.name, &data.template.name);
                        let message = format!("'{this}' is not divided into the same fragments as '{that}'");
                        return Err(Error::new(Kind::Unsupported, message));
                    }
                    old => old.map(|old| &old.fragment),
                },
            };
            let content = self.part(one, &own, contents, interner)?;
            let there = item(template, &own, content, false, fragment, interner);
            // Items are shared by content, whatever their place.
            items.push(if fragment.is_some() { Arc::new(there) } else { interner.item(there) });
        }
        Ok(())
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
        let content = Content::Kept(interner.values(one.values(own)?));
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
        let next = match known.variable.read_values(&Selection::all(shape))? {
            Values::I32(list) if list.iter().copied().eq(0..list.len() as i32) => list.len() as i32,
            _ => return Err(foreign(dimension)),
        };
        let (name, attributes) = (dimension.to_owned(), known.template.attributes.clone());
        let data_type = known.template.data_type;
        let template =
            interner.template(Template::new(name.clone(), name, data_type, Vec::new(), attributes));
        let mut seen: HashMap<Vec<usize>, i32> = HashMap::new();
        for file in files.iter_mut().filter(|f| f.item(dimension).is_none()) {
            // Equal values share memory.
            let place = |i: &Arc<Item>| match &i.content {
                Content::Kept(values) if roles::is_coordinate(&i.template) => {
                    Some(Arc::as_ptr(values) as usize)
                }
                _ => None,
            };
            let count = seen.entry(file.items.iter().filter_map(place).collect()).or_default();
            let value = Values::I32(vec![next.saturating_add(*count)]);
            *count = count.saturating_add(1);
            let content = Content::Kept(interner.values(value));
            let (template, shape) = (template.clone(), interner.shape(&[]));
            let item = Item { template, shape, content, is_data: false, by_value: false, fragment: None };
            file.items.push(Arc::new(item));
        }
        Ok(true)
    }
}

fn foreign(dimension: &str) -> Error {
    let message = format!(
        "'{dimension}' has coordinates that do not count files from 0, so {} cannot continue them; give the \
         new files a scalar coordinate '{dimension}'",
        Wish::NewDimension(None)
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
    template: Arc<Template>,
    ranges: &[Range<u64>],
    content: Content,
    is_data: bool,
    fragment: Option<&Fragment>,
    interner: &Interner,
) -> Item {
    let shape: Vec<u64> = ranges.iter().map(|r| r.end - r.start).collect();
    let shape = interner.shape(&shape);
    let fragment = fragment.map(|f| Box::new(f.clone()));
    Item { template, shape, content, is_data, by_value: false, fragment }
}
