//! One aggregation variable under check: its attributes and keywords (CF-1.13 sections 2.8 and 2.8.1).
//!
//! Unlike decoding, which stops at the first fault, a check continues as far as possible.

use std::collections::{HashMap, HashSet};

use super::report::Findings;
use super::rules::{self, Rule};
use super::{names, tables};
use crate::cf;
use crate::container::tree::{DimensionId, Tree, Variable, VariableId};
use crate::dialect::words::{Keywords, Names, ROLE_ATTRIBUTE};
use crate::dialect::{recognise, reference, terms};
use crate::model::features::Features;
use crate::model::Dialect;

/// The variable that is checked.
pub(crate) struct Subject<'a> {
    pub(crate) features: &'a dyn Features,
    pub(crate) tree: &'a Tree,
    pub(crate) variable: &'a Variable,
    id: VariableId,
    containers: &'a Containers,
    pub(crate) dialect: Dialect,
    /// The maximum number of entries of a table that is checked.
    pub(crate) max_fragments: u64,
}

impl<'a> Subject<'a> {
    /// Returns the variable of this index, as a subject.
    pub(crate) fn new(
        features: &'a dyn Features,
        tree: &'a Tree,
        containers: &'a Containers,
        id: VariableId,
        max_fragments: u64,
    ) -> Self {
        let variable = &tree.variables[id.0];
        Subject {
            features,
            tree,
            variable,
            id,
            containers,
            dialect: recognise::nearest_dialect(tree, variable),
            max_fragments,
        }
    }

    /// Adds a finding about this variable.
    pub(crate) fn report(&self, findings: &mut Findings, rule: &Rule, message: impl Into<String>) {
        findings.add(rule, self.dialect, Some(&self.variable.path), None, message);
    }

    /// Checks everything that does not need the fragments' files.
    pub(crate) fn structure(&self, findings: &mut Findings) {
        let attributes = &self.variable.attributes;
        if !self.variable.array.shape.is_empty() && self.dialect != Dialect::CfaTerms {
            let message = format!("it has {} dimensions of its own", self.variable.array.shape.len());
            self.report(findings, &rules::SCALAR, message);
        }
        if let Some(kind) = self.containers.kind(self.id, self.variable) {
            let message = format!("{kind} should not be an aggregation variable");
            self.report(findings, &rules::CONTAINER, message);
        }
        let packed = ["scale_factor", "add_offset"].iter().any(|n| attributes.get(n).is_some());
        if packed && self.dialect == Dialect::Cfa06b1Early {
            self.report(findings, &rules::PACKED, "it is packed, which this convention does not allow");
        }
        let names = Names::of(self.dialect);
        let optional = self.dialect == Dialect::Cfa04;
        let dimensions = self.dimensions(findings, names.dimensions, optional);
        let Some(words) = Keywords::of(self.dialect) else { return };
        let text = match recognise::text(attributes, names.data) {
            Ok(text) => text,
            Err(problem) => return self.report(findings, &rules::DATA_TEXT, problem.message()),
        };
        let (pairs, bad) = terms::elements(&text);
        if pairs.len() + bad.len() > terms::MOST {
            let message = format!("{} has more than {} elements", names.data, terms::MOST);
            return self.report(findings, &rules::DATA_FORM, message);
        }
        for word in bad {
            let message = format!("'{word}' in {} does not have the form 'feature: variable'", names.data);
            self.report(findings, &rules::DATA_FORM, message);
        }
        self.keywords(findings, words, &pairs);
        let named = Named { words, pairs: self.resolve(findings, words, &pairs), dimensions };
        let fragments = tables::check(self, &named, findings);
        names::check(self, &named, fragments.as_deref(), findings);
    }

    /// Returns the aggregated dimensions; `None` if the attribute or a dimension is absent.
    fn dimensions(&self, findings: &mut Findings, name: &str, optional: bool) -> Option<Vec<DimensionId>> {
        let text = match recognise::text(&self.variable.attributes, name) {
            Ok(text) => text,
            Err(_) if optional && self.variable.attributes.get(name).is_none() => String::new(),
            Err(problem) => {
                self.report(findings, &rules::DIMENSIONS_TEXT, problem.message());
                return None;
            }
        };
        let (mut found, mut before) = (Vec::new(), HashSet::new());
        let mut whole = true;
        for word in text.split_whitespace() {
            match reference::dimension(self.tree, self.variable.group, word) {
                None => {
                    whole = false;
                    let message = format!("aggregated dimension '{word}' does not exist");
                    self.report(findings, &rules::DIMENSION_EXISTS, message);
                }
                Some(id) if !before.insert(id) => {
                    let message = format!("dimension '{word}' is named twice");
                    self.report(findings, &rules::DIMENSION_ONCE, message);
                    found.push(id);
                }
                Some(id) => found.push(id),
            }
        }
        whole.then_some(found)
    }

    fn keywords(&self, findings: &mut Findings, words: &Keywords, pairs: &[(&str, &str)]) {
        let have: Vec<String> = pairs.iter().map(|(k, _)| words.cased(k)).collect();
        let mut before = HashSet::new();
        for keyword in &have {
            if !before.insert(keyword) {
                self.report(findings, &rules::KEYWORDS, format!("keyword '{keyword}' is given twice"));
            }
        }
        let unique = words.unique.filter(|u| have.iter().any(|k| k == u));
        let wanted: Vec<&str> = match unique {
            Some(unique) => vec![words.map, unique],
            None => words.mandatory.to_vec(),
        };
        for keyword in wanted.iter().filter(|w| !have.iter().any(|k| k == *w)) {
            self.report(findings, &rules::KEYWORDS, format!("keyword '{keyword}' is absent"));
        }
        if words.strict {
            for keyword in have.iter().filter(|k| !wanted.contains(&k.as_str())) {
                let message = format!("keyword '{keyword}' does not belong with {}", wanted.join(", "));
                self.report(findings, &rules::KEYWORDS, message);
            }
        }
    }

    fn resolve(
        &self,
        findings: &mut Findings,
        words: &Keywords,
        pairs: &[(&str, &str)],
    ) -> Vec<(String, &'a Variable, VariableId)> {
        let mut out: Vec<(String, &Variable, VariableId)> = Vec::new();
        for (keyword, name) in pairs {
            let keyword = words.cased(keyword);
            match reference::variable(self.tree, self.variable.group, name) {
                Some(id) => out.push((keyword, &self.tree.variables[id.0], id)),
                None => {
                    let message = format!("variable '{name}' of keyword '{keyword}' does not exist");
                    self.report(findings, &rules::VARIABLE_EXISTS, message);
                }
            }
        }
        out
    }
}

/// What the attributes of the variable name, as far as it exists.
pub(crate) struct Named<'a> {
    pub(crate) words: &'static Keywords,
    pub(crate) dimensions: Option<Vec<DimensionId>>,
    pairs: Vec<(String, &'a Variable, VariableId)>,
}

impl<'a> Named<'a> {
    /// Returns the variable of a keyword.
    pub(crate) fn get(&self, keyword: &str) -> Option<(&'a Variable, VariableId)> {
        self.pairs.iter().find(|(k, _, _)| k == keyword).map(|&(_, variable, id)| (variable, id))
    }
}

/// The container variables that other variables name, whose data are immaterial (CF-1.13 section 2.8).
#[derive(Default)]
pub(crate) struct Containers(HashMap<VariableId, &'static str>);

impl Containers {
    /// Looks at the attributes of each variable once.
    pub(crate) fn of(tree: &Tree) -> Self {
        let kinds = [
            ("grid_mapping", GRID_MAPPING),
            ("geometry", GEOMETRY),
            ("coordinate_interpolation", INTERPOLATION),
            ("quantization", "a quantization variable"),
        ];
        let mut found = HashMap::new();
        for (attribute, kind) in kinds {
            for variable in &tree.variables {
                let names = variable.attributes.text(attribute).unwrap_or_default();
                for id in cf::words(&names).filter_map(|word| reference::variable(tree, variable.group, word))
                {
                    found.entry(id).or_insert(kind);
                }
            }
        }
        Containers(found)
    }

    /// Returns the kind of container that a variable is.
    fn kind(&self, id: VariableId, variable: &Variable) -> Option<&'static str> {
        let own = &variable.attributes;
        let role = || own.text(ROLE_ATTRIBUTE).as_deref() == Some("mesh_topology");
        let has = |name: &str| own.get(name).is_some();
        let named = self.0.get(&id).copied();
        has("grid_mapping_name")
            .then_some(GRID_MAPPING)
            .or_else(|| role().then_some("a mesh topology variable"))
            .or_else(|| has("geometry_type").then_some(GEOMETRY))
            .or_else(|| has("interpolation_name").then_some(INTERPOLATION))
            .or(named)
            .or_else(|| has("dimensions").then_some("a domain variable"))
    }
}

const GRID_MAPPING: &str = "a grid mapping variable";
const GEOMETRY: &str = "a geometry container variable";
const INTERPOLATION: &str = "an interpolation variable";
