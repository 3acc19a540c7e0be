//! Assembles the aggregation file: every field with the variables that describe it, under names that do not collide.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::axis::{Axis, AxisPart};
use super::coordinate_values::{Converter, CoordinateValues};
use super::distribution::Distribution;
use super::field::Field;
use super::listing::{listed, short};
use super::locate::Locator;
use super::record::{Content, Input, State};
use super::{bounds, roles, unify, value, Options};
use crate::author::write::aggregation::{self, Aggregated, Content as Pieces, States};
use crate::author::write::{Catalogue, File, Numbering, Variable};
use crate::cf::{self, Reference};
use crate::error::{Error, Kind, Result};
use crate::value::{DataType, Values};

/// Variables that are the same in all files are copied up to this size. Larger ones stay where they are.
const COPIED_BYTES: u64 = 16 << 20;

/// A file that is being assembled.
pub(super) struct Assembly<'a> {
    pub file: File,
    catalogue: Catalogue,
    inputs: &'a [Input],
    options: &'a Options,
    locator: &'a Locator,
    /// The added dimensions by their original name.
    axes: HashMap<String, Vec<AddedAxis>>,
    shared: SharedVariables,
    /// The sizes of dimensions that are no axes, by variable and dimension.
    sizes: HashMap<(String, String), Option<u64>>,
    pub notes: Vec<String>,
    /// The names of variables that are not in every file, on which there are notes.
    left_out: HashSet<String>,
    /// The names of the data variables of an aggregation that is updated, once they are needed.
    reserved: Option<HashSet<String>>,
    /// Whether something is stored by value because the places of its cells are unknown.
    pub is_placeless: bool,
}

/// A dimension that was added for an axis.
struct AddedAxis {
    axis: Axis,
    name: String,
}

impl AddedAxis {
    /// Returns whether an axis has the same coordinates with the same bounds, in whatever units.
    fn is(&self, axis: &Axis) -> bool {
        let own = &self.axis;
        if own.name != axis.name || own.size() != axis.size() {
            return false;
        }
        let (Some(theirs), Some(reference)) = (&own.reference, &axis.reference) else {
            return own.reference.is_none() && axis.reference.is_none();
        };
        let mut converter = Converter::to(reference);
        let mut same = |a: Option<CoordinateValues>, b: Option<CoordinateValues>| {
            // Unknown values count as equal.
            let (Some(a), Some(b)) = (a, b) else { return true };
            converter.bring(theirs, &a).is_ok_and(|a| a.same(&b, converter.slack()))
        };
        let values = |axis: &Axis| whole(axis, |part| Some(&part.coordinates));
        let cells = |axis: &Axis| whole(axis, |part| part.cells.as_ref());
        same(values(own), values(axis)) && same(cells(own), cells(axis))
    }
}

/// A variable that describes fields, with its original name.
struct Shared {
    original: String,
    made: Arc<Made>,
    /// Its bounds, and their name in the file.
    bounds: Option<(Arc<Made>, String)>,
    name: String,
}

/// The variables that describe fields.
#[derive(Default)]
struct SharedVariables {
    list: Vec<Shared>,
    by_name: HashMap<String, usize>,
    by_original: HashMap<String, Vec<usize>>,
    numbering: Numbering,
}

impl SharedVariables {
    fn push(&mut self, one: Shared) {
        let at = self.list.len();
        self.by_name.entry(one.name.clone()).or_insert(at);
        self.by_original.entry(one.original.clone()).or_default().push(at);
        self.list.push(one);
    }

    fn named(&self, name: &str) -> Option<&Shared> {
        self.by_name.get(name).map(|&at| &self.list[at])
    }

    /// Returns those that had this name in the files.
    fn of(&self, original: &str) -> impl Iterator<Item = &Shared> {
        self.by_original.get(original).into_iter().flatten().map(|&at| &self.list[at])
    }
}

/// A variable to be written.
#[derive(Clone, Debug)]
enum Made {
    Value(Variable),
    Pieces(Box<Aggregated>, Option<States>),
}

impl Made {
    fn variable(&mut self) -> &mut Variable {
        match self {
            Made::Value(variable) => variable,
            Made::Pieces(aggregated, _) => &mut aggregated.variable,
        }
    }

    fn same(&self, other: &Made) -> bool {
        let alike = |a: &Variable, b: &Variable| {
            a.dimensions == b.dimensions
                && a.attributes == b.attributes
                && a.data == b.data
                && a.data_type == b.data_type
        };
        match (self, other) {
            (Made::Value(a), Made::Value(b)) => alike(a, b),
            (Made::Pieces(a, _), Made::Pieces(b, _)) => {
                alike(&a.variable, &b.variable) && a.sizes == b.sizes && a.fragments == b.fragments
            }
            _ => false,
        }
    }
}

impl<'a> Assembly<'a> {
    pub fn new(inputs: &'a [Input], options: &'a Options, locator: &'a Locator) -> Self {
        let (file, catalogue, axes, shared, sizes, notes, left_out) = Default::default();
        Assembly {
            file,
            catalogue,
            inputs,
            options,
            locator,
            axes,
            shared,
            sizes,
            notes,
            left_out,
            reserved: None,
            is_placeless: false,
        }
    }

    /// Adds a field and the variables that describe it. Returns its name in the file.
    ///
    /// # Errors
    /// Those of unifying and reading the cells.
    pub fn add(&mut self, field: &Field) -> Result<String> {
        self.put(field).map_err(|e| e.in_variable(&*field.name))
    }

    fn put(&mut self, field: &Field) -> Result<String> {
        let mut names: HashMap<String, Option<String>> = HashMap::new();
        for axis in &field.axes {
            let name = self.dimension(axis);
            names.insert(axis.name.clone(), Some(name));
        }
        let lead = field.input(self.inputs, field.cells[0]);
        let template = &field.item(self.inputs, field.cells[0]).template;
        let dimensions: Vec<String> = field.axes.iter().map(|a| a.name.clone()).collect();
        let mut companions = roles::closure(template, &dimensions, |n| {
            lead.item(n).filter(|i| !i.is_data).map(|i| &*i.template)
        });
        if field.is_static {
            // It is in all files, so the attributes of one file do not belong to it.
            companions.retain(|name| !self.options.keeps(name));
            names.extend(self.options.kept_attributes.iter().map(|name| (name.clone(), None)));
        }
        let mut made: Vec<(String, Made)> = Vec::new();
        let mut cells: HashMap<String, (String, Made)> = HashMap::new();
        for name in &companions {
            match self.companion(field, name)? {
                Some(mut one) => {
                    self.rename_dimensions(one.variable(), name, &names)?;
                    let parent = bounds::parent(lead, name).map(|p| p.template.name.clone());
                    match parent.filter(|p| companions.contains(p) && !cells.contains_key(p)) {
                        Some(parent) => drop(cells.insert(parent, (name.clone(), one))),
                        None => made.push((name.clone(), one)),
                    }
                }
                None => {
                    self.notes
                        .push(format!("'{name}' is not in every file of '{}'; it is left out", field.name));
                    names.insert(name.clone(), None);
                    self.left_out.insert(name.clone());
                }
            }
        }
        let mut fresh = Vec::new();
        for (original, one) in made {
            let axis_name = names.get(&original).cloned().flatten();
            let own = cells.remove(&original);
            let same = |s: &Shared| match (&s.bounds, &own) {
                (Some((theirs, _)), Some((_, own))) => theirs.same(own),
                (theirs, own) => theirs.is_none() && own.is_none(),
            };
            let known = match &axis_name {
                Some(name) => self.shared.named(name),
                None => self.shared.of(&original).find(|s| s.made.same(&one) && same(s)),
            };
            if let Some(known) = known {
                names.insert(original, Some(known.name.clone()));
                if let Some((bounds, _)) = own {
                    names.insert(bounds, known.bounds.as_ref().map(|(_, name)| name.clone()));
                }
                continue;
            }
            let name = axis_name.unwrap_or_else(|| self.free_name(&original));
            names.insert(original.clone(), Some(name.clone()));
            let (made, kept) = (Arc::new(one.clone()), name.clone());
            self.shared.push(Shared { original, made, bounds: None, name: kept });
            fresh.push((name, one));
            if let Some((original, bounds)) = own {
                let name = self.free_name(&original);
                names.insert(original.clone(), Some(name.clone()));
                let made = Arc::new(bounds.clone());
                if let Some(parent) = self.shared.list.last_mut() {
                    parent.bounds = Some((Arc::clone(&made), name.clone()));
                }
                let kept = name.clone();
                self.shared.push(Shared { original, made, bounds: None, name: kept });
                fresh.push((name, bounds));
            }
        }
        for axis in &field.axes {
            let gaps = axis.gaps.iter().filter(|gaps| !self.notes.contains(gaps)).cloned();
            self.notes.extend(gaps.collect::<Vec<_>>());
            if axis.new {
                self.index_coordinate(axis, &names);
            }
        }
        let mut data = self.data(field)?;
        let attributes = &mut data.variable().attributes;
        for (name, value) in &field.traits {
            if attributes.get(name).is_none() {
                attributes.set_text(name, &**value);
            }
        }
        let name = self.data_name(field);
        if name != field.name && !field.is_told_apart {
            self.notes.push(format!(
                "different variables are called '{}'; one of them is written as '{name}'",
                field.name
            ));
        }
        self.rename_dimensions(data.variable(), &field.name, &names)?;
        fresh.push((name.clone(), data));
        for (name, mut one) in fresh {
            let variable = one.variable();
            variable.name = name;
            rename_references(variable, &names, &field.axes);
            self.write(one)?;
        }
        Ok(name)
    }

    /// Returns a note on coordinates and other descriptions that belong to no data variable, and so are left out.
    pub fn note_on_unused(&self) -> Option<String> {
        if !self.options.variables.is_empty() {
            return None;
        }
        let mut seen = HashSet::new();
        let mut unused: Vec<&str> = Vec::new();
        for item in self.inputs.iter().flat_map(|input| input.items.iter()).filter(|item| !item.is_data) {
            let name = &item.template.name;
            let is_used = || {
                self.shared.by_original.contains_key(name)
                    || self.left_out.contains(name)
                    || self.options.keeps(name)
            };
            if seen.insert(Arc::as_ptr(&item.template)) && !unused.contains(&&**name) && !is_used() {
                unused.push(name);
            }
        }
        let list = listed(unused.iter().map(|name| format!("'{}'", short(name))), unused.len() as u128);
        let verb = if unused.len() == 1 { "belongs" } else { "belong" };
        (!unused.is_empty()).then(|| format!("{list} {verb} to no data variable; left out"))
    }

    fn write(&mut self, one: Made) -> Result<()> {
        match one {
            Made::Value(variable) => self.file.variables.push(variable),
            Made::Pieces(aggregated, states) => {
                let dialect = self.options.dialect;
                aggregation::add_indexed(&mut self.file, &mut self.catalogue, *aggregated, dialect, states)?;
            }
        }
        Ok(())
    }

    /// Returns the name of a data variable: that which it has in an aggregation that is updated, else its name in the
    /// files, with a number if another variable has it.
    fn data_name(&mut self, field: &Field) -> String {
        let inputs = self.inputs;
        let reserved = self.reserved.get_or_insert_with(|| {
            let mut seen = HashSet::new();
            let names = inputs.iter().filter_map(|input| input.variable.as_ref());
            names.filter(|name| seen.insert(Arc::as_ptr(name))).map(|name| (**name).clone()).collect()
        });
        let SharedVariables { by_name, numbering, .. } = &mut self.shared;
        let (catalogue, file) = (&mut self.catalogue, &self.file);
        let mut taken = |n: &str| by_name.contains_key(n) || catalogue.variable(file, n).is_some();
        let own = field.members.iter().find_map(|m| inputs[m.input].variable.as_deref());
        match own.filter(|own| !taken(own)) {
            Some(own) => own.clone(),
            None => numbering.free(&field.name, |n| taken(n) || reserved.contains(n)),
        }
    }

    fn free_name(&mut self, name: &str) -> String {
        let SharedVariables { by_name, numbering, .. } = &mut self.shared;
        // A variable may have the name of a dimension.
        let taken = |n: &str| by_name.contains_key(n) || self.catalogue.variable(&self.file, n).is_some();
        numbering.free(name, taken)
    }

    /// Returns the dimension of an axis: an existing one with the same coordinates, or a new one.
    fn dimension(&mut self, axis: &Axis) -> String {
        let known = self.axes.entry(axis.name.clone()).or_default();
        if let Some(known) = known.iter().find(|k| k.is(axis)) {
            return known.name.clone();
        }
        // A variable of this name, such as latitudes along two dimensions, would be taken for its coordinates.
        let is_free = self.catalogue.dimension(&self.file, &axis.name).is_none()
            && self.catalogue.variable(&self.file, &axis.name).is_none();
        let name = match is_free {
            true => axis.name.clone(),
            false => self.catalogue.free_name(&self.file, &axis.name),
        };
        self.file.add_dimension(&name, axis.size());
        let axis = Axis { part_of: Vec::new(), ..axis.clone() };
        known.push(AddedAxis { axis, name: name.clone() });
        name
    }

    /// Renames the dimensions of a variable. Adds those that are not axes.
    fn rename_dimensions(
        &mut self,
        variable: &mut Variable,
        original: &str,
        names: &HashMap<String, Option<String>>,
    ) -> Result<()> {
        for dimension in &mut variable.dimensions {
            if let Some(Some(name)) = names.get(&**dimension) {
                dimension.clone_from(name);
                continue;
            }
            let Some(size) = self.plain_size(original, dimension) else { continue };
            match self.catalogue.dimension(&self.file, dimension).map(|d| d.size) {
                Some(there) if there == size => {}
                Some(_) => {
                    let free = self.catalogue.free_name(&self.file, dimension);
                    self.file.add_dimension(&free, size);
                    *dimension = free;
                }
                None => self.file.add_dimension(dimension, size),
            }
        }
        Ok(())
    }

    /// Returns the size of a dimension that is not an axis: the largest in the files (lengths of text differ).
    fn plain_size(&mut self, variable: &str, dimension: &str) -> Option<u64> {
        let inputs = self.inputs;
        let size = |input: &Input| {
            let item = input.item(variable)?;
            let position = item.template.dimensions.iter().position(|d| d == dimension)?;
            Some(item.shape[position])
        };
        let key = (variable.to_owned(), dimension.to_owned());
        *self.sizes.entry(key).or_insert_with(|| inputs.iter().filter_map(size).max())
    }

    fn companion(&mut self, field: &Field, name: &str) -> Result<Option<Made>> {
        let Some(distribution) = Distribution::of_companion(self.inputs, field, name)? else {
            return Ok(None);
        };
        let scattered = distribution.split_rank(field) > 1
            || distribution.cells.iter().any(|(_, m)| {
                distribution.is_split() && !matches!(distribution.items[*m].content, Content::Kept(_))
            });
        let wanted = self.options.aggregate_coordinates && distribution.is_split();
        let stretched = distribution.added > 0
            && distribution.extents[..distribution.added]
                .iter()
                .any(|e| e.axis.is_some_and(|a| !field.axes[a].new));
        let are_fragments =
            || unify::are_fragments(&distribution.templates(self.inputs, field), distribution.parent());
        if (scattered || wanted) && !stretched && are_fragments() {
            let placed = |m: usize| {
                distribution.items[m].fragment.is_some() || field.input(self.inputs, m).path().is_some()
            };
            if distribution.cells.iter().all(|(_, m)| placed(*m)) {
                return self.cells(field, &distribution).map(Some);
            }
            self.is_placeless = true;
        }
        let (variable, notes) = value::variable(self.inputs, field, &distribution)?;
        self.note(notes);
        Ok(Some(Made::Value(variable)))
    }

    fn data(&mut self, field: &Field) -> Result<Made> {
        let distribution = Distribution::of_field(self.inputs, field);
        let item = distribution.items[field.cells[0]];
        let element = item.template.data_type.size().unwrap_or(64) as u64;
        let bytes =
            crate::selection::checked_product(&item.shape).unwrap_or(u64::MAX).saturating_mul(element);
        if field.is_static && (bytes <= COPIED_BYTES || item.by_value) {
            let (variable, notes) = value::variable(self.inputs, field, &distribution)?;
            self.note(notes);
            return Ok(Made::Value(variable));
        }
        self.cells(field, &distribution)
    }

    fn cells(&mut self, field: &Field, distribution: &Distribution) -> Result<Made> {
        let templates = distribution.templates(self.inputs, field);
        let mut united = unify::unify(&templates, distribution.parent())?;
        // These get their values again.
        united.dropped.retain(|name| field.traits.iter().all(|(own, _)| own != name));
        self.note(united.notes(&distribution.name));
        let mut variable = Variable::new(&*distribution.name, united.data_type, &[]);
        variable.attributes = united.attributes;
        variable.dimensions = distribution.extents.iter().map(|e| e.name.clone()).collect();
        let sizes: Vec<Vec<u64>> = distribution
            .extents
            .iter()
            .map(|e| e.axis.map_or(vec![e.size], |a| field.axes[a].parts.iter().map(|p| p.size).collect()))
            .collect();
        let mut fragments = Pieces::with_room(distribution.cells.len());
        let mut states = Vec::new();
        for (_, m) in &distribution.cells {
            let (input, item) = (field.input(self.inputs, *m), distribution.items[*m]);
            match (&item.fragment, input.path()) {
                (Some(fragment), _) => fragments.add(fragment),
                // Otherwise the aggregation file would be a fragment of itself.
                (None, Some(_)) if item.by_value => {
                    let message = "its data are in the aggregation file itself, so no file can be added to them; \
                                   leave it out with --variables, or write its data to a file with cfa extract";
                    return Err(Error::new(Kind::Unsupported, message).in_file(&*input.name));
                }
                (None, Some(path)) => {
                    let known = input.location().map(str::to_owned);
                    let location = known.map_or_else(|| self.locator.location(path), Ok)?;
                    fragments.add_file(location, &item.template.path);
                }
                (None, None) => {
                    return Err(Error::new(Kind::Internal, "a fragment has no place").in_file(&*input.name))
                }
            }
        }
        let has_state = |m: usize| field.input(self.inputs, m).state.is_some();
        if distribution.cells.iter().any(|(_, m)| has_state(*m)) {
            let of = |m: usize| field.input(self.inputs, m).state.as_deref().copied();
            states.extend(distribution.cells.iter().map(|(_, m)| of(*m)));
        }
        let states = states_of(&states);
        Ok(Made::Pieces(Box::new(Aggregated { variable, sizes, fragments }), states))
    }

    fn note(&mut self, notes: Vec<String>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Adds numbers as coordinates of a dimension that is made from the order of files.
    fn index_coordinate(&mut self, axis: &Axis, names: &HashMap<String, Option<String>>) {
        let Some(Some(name)) = names.get(&axis.name) else { return };
        let there = self.shared.named(name).is_some() || self.catalogue.variable(&self.file, name).is_some();
        if there || axis.reference.is_some() {
            return;
        }
        let numbers = (0..axis.size()).map(|i| i as i32).collect();
        let mut variable = Variable::with_values(&**name, &[name], Values::I32(numbers));
        match &*name.to_ascii_lowercase() {
            "realization" | "realisation" | "ensemble" | "member" | "ensemble_member" => {
                variable.attributes.set_text("standard_name", "realization");
            }
            _ => variable.attributes.set_text("long_name", "number of the file along this dimension"),
        }
        variable.attributes.set_text("units", "1");
        self.shared.push(Shared {
            original: name.clone(),
            made: Arc::new(Made::Value(variable.clone())),
            bounds: None,
            name: name.clone(),
        });
        self.file.variables.push(variable);
    }
}

/// Returns the states of the files, if any is known.
fn states_of(list: &[Option<State>]) -> Option<States> {
    list.iter().any(Option::is_some).then(|| States {
        bytes: list.iter().map(|s| s.unwrap_or(State::UNKNOWN).bytes).collect(),
        modified: list.iter().map(|s| s.unwrap_or(State::UNKNOWN).modified).collect(),
    })
}

/// Returns the values of all parts; `None` if those of one are unknown.
fn whole<'a>(
    axis: &'a Axis,
    of: impl Fn(&'a AxisPart) -> Option<&'a CoordinateValues>,
) -> Option<CoordinateValues> {
    let mut numbers = Vec::new();
    let mut labels = Vec::new();
    for part in axis.parts.iter() {
        match of(part)? {
            CoordinateValues::Numbers(v) => numbers.extend_from_slice(v),
            CoordinateValues::Labels(v) => labels.extend_from_slice(v),
            CoordinateValues::Nothing => {}
        }
    }
    Some(match (numbers.is_empty(), labels.is_empty()) {
        (false, true) => CoordinateValues::Numbers(numbers.as_slice().into()),
        (true, false) => CoordinateValues::Labels(labels.into()),
        _ => CoordinateValues::Nothing,
    })
}

/// Renames variables and dimensions in attributes. Removes references to variables that were left out.
fn rename_references(variable: &mut Variable, names: &HashMap<String, Option<String>>, axes: &[Axis]) {
    let became_dimension = |word: &str| axes.iter().any(|a| a.new && a.name == word);
    for &Reference { attribute, form, .. } in cf::references(cf::Use::Rename) {
        let Some(text) = variable.attributes.text(attribute) else { continue };
        let new = form.rename(&text, |word| {
            if attribute == "coordinates" && became_dimension(word) {
                return None;
            }
            names.get(word).cloned().unwrap_or_else(|| Some(word.to_owned()))
        });
        let same = new.split_whitespace().eq(text.split_whitespace());
        if new.is_empty() {
            variable.attributes.remove(attribute);
        } else if !same {
            variable.attributes.set_text(attribute, new);
        }
    }
    if variable.data_type == DataType::Char {
        variable.attributes.remove("_Encoding");
    }
}
