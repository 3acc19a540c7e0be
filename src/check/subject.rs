//! One aggregation variable under check: its attributes and keywords (CF-1.13 sections 2.8 and 2.8.1).
//!
//! Unlike decoding, which stops at the first fault, this goes on as far as anything can be told.

use super::report::Findings;
use super::roles::{dialect_of, elements, Roles};
use super::rules::{self, Rule};
use super::{names, tables};
use crate::container::tree::{DimensionId, Tree, Variable, VariableId};
use crate::dialect::reference;
use crate::model::features::Features;
use crate::model::Dialect;
use crate::value::{Attributes, Values};

/// The variable that is checked.
pub(crate) struct Subject<'a> {
    pub(crate) features: &'a dyn Features,
    pub(crate) tree: &'a Tree,
    pub(crate) variable: &'a Variable,
    pub(crate) dialect: Dialect,
    /// Entries that a table may have before it is left alone.
    pub(crate) max_fragments: u64,
}

impl<'a> Subject<'a> {
    /// The variable of this index.
    pub(crate) fn new(
        features: &'a dyn Features,
        tree: &'a Tree,
        id: VariableId,
        max_fragments: u64,
    ) -> Self {
        let variable = &tree.variables[id.0];
        Subject { features, tree, variable, dialect: dialect_of(tree, variable), max_fragments }
    }

    /// Adds a finding about this variable.
    pub(crate) fn report(&self, findings: &mut Findings, rule: &Rule, message: impl Into<String>) {
        findings.add(rule, self.dialect, Some(&self.variable.path), None, message);
    }

    /// Checks everything that can be told without the fragments' files.
    pub(crate) fn structure(&self, findings: &mut Findings) {
        let attributes = &self.variable.attributes;
        if !self.variable.array.shape.is_empty() && self.dialect != Dialect::CfaTerms {
            let message = format!("it has {} dimensions of its own", self.variable.array.shape.len());
            self.report(findings, &rules::SCALAR, message);
        }
        if let Some(kind) = container_kind(self.tree, self.variable) {
            let message = format!("{kind} should not be an aggregation variable");
            self.report(findings, &rules::CONTAINER, message);
        }
        let packed = ["scale_factor", "add_offset"].iter().any(|n| attributes.get(n).is_some());
        if packed && self.dialect == Dialect::Cfa06b1Early {
            self.report(findings, &rules::PACKED, "it is packed, which this text does not allow");
        }
        let old = matches!(self.dialect, Dialect::CfaTerms | Dialect::Cfa04);
        let (dimensions_name, data_name) =
            if old { ("cfa_dimensions", "cfa_array") } else { ("aggregated_dimensions", "aggregated_data") };
        let optional = self.dialect == Dialect::Cfa04;
        let dimensions = self.dimensions(findings, dimensions_name, optional);
        let Some(roles) = Roles::of(self.dialect) else { return };
        let text = match text_of(attributes, data_name) {
            Ok(text) => text,
            Err(problem) => return self.report(findings, &rules::DATA_TEXT, problem),
        };
        let (pairs, bad) = elements(&text);
        for word in bad {
            let message = format!("'{word}' in {data_name} has not the form 'feature: variable'");
            self.report(findings, &rules::DATA_FORM, message);
        }
        self.keywords(findings, &roles, &pairs);
        let named = Named { roles: &roles, pairs: self.resolve(findings, &roles, &pairs), dimensions };
        let fragments = tables::check(self, &named, findings);
        names::check(self, &named, fragments.as_deref(), findings);
    }

    /// The aggregated dimensions; `None` when the attribute or a dimension is not there.
    fn dimensions(&self, findings: &mut Findings, name: &str, optional: bool) -> Option<Vec<DimensionId>> {
        let text = match text_of(&self.variable.attributes, name) {
            Ok(text) => text,
            Err(_) if optional && self.variable.attributes.get(name).is_none() => String::new(),
            Err(problem) => {
                self.report(findings, &rules::DIMENSIONS_TEXT, problem);
                return None;
            }
        };
        let mut found = Vec::new();
        let mut whole = true;
        for word in text.split_whitespace() {
            match reference::dimension(self.tree, self.variable.group, word) {
                None => {
                    whole = false;
                    let message = format!("aggregated dimension '{word}' does not exist");
                    self.report(findings, &rules::DIMENSION_EXISTS, message);
                }
                Some(id) if found.contains(&id) => {
                    let message = format!("dimension '{word}' is named twice");
                    self.report(findings, &rules::DIMENSION_ONCE, message);
                    found.push(id);
                }
                Some(id) => found.push(id),
            }
        }
        whole.then_some(found)
    }

    fn keywords(&self, findings: &mut Findings, roles: &Roles, pairs: &[(String, String)]) {
        let cased = |word: &str| if roles.strict { word.to_owned() } else { word.to_lowercase() };
        let have: Vec<String> = pairs.iter().map(|(k, _)| cased(k)).collect();
        for (i, keyword) in have.iter().enumerate() {
            if have[..i].contains(keyword) {
                self.report(findings, &rules::KEYWORDS, format!("keyword '{keyword}' is given twice"));
            }
        }
        let unique = roles.unique.filter(|u| have.iter().any(|k| k == u));
        let wanted: Vec<&str> = match unique {
            Some(unique) => vec![roles.map, unique],
            None => roles.mandatory.to_vec(),
        };
        for keyword in wanted.iter().filter(|w| !have.iter().any(|k| k == *w)) {
            self.report(findings, &rules::KEYWORDS, format!("keyword '{keyword}' is absent"));
        }
        if roles.strict {
            for keyword in have.iter().filter(|k| !wanted.contains(&k.as_str())) {
                let message = format!("keyword '{keyword}' does not belong with {}", wanted.join(", "));
                self.report(findings, &rules::KEYWORDS, message);
            }
        }
    }

    fn resolve(
        &self,
        findings: &mut Findings,
        roles: &Roles,
        pairs: &[(String, String)],
    ) -> Vec<(String, &'a Variable, VariableId)> {
        let mut out: Vec<(String, &Variable, VariableId)> = Vec::new();
        for (keyword, name) in pairs {
            let keyword = if roles.strict { keyword.clone() } else { keyword.to_lowercase() };
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
    pub(crate) roles: &'a Roles,
    pub(crate) dimensions: Option<Vec<DimensionId>>,
    pairs: Vec<(String, &'a Variable, VariableId)>,
}

impl<'a> Named<'a> {
    /// The variable of a keyword.
    pub(crate) fn get(&self, keyword: &str) -> Option<(&'a Variable, VariableId)> {
        self.pairs.iter().find(|(k, _, _)| k == keyword).map(|&(_, variable, id)| (variable, id))
    }
}

fn text_of(attributes: &Attributes, name: &str) -> Result<String, String> {
    match attributes.get(name) {
        None => Err(format!("attribute '{name}' is absent")),
        Some(Values::String(list)) if list.is_empty() => Ok(String::new()),
        Some(value) => value.as_text().ok_or_else(|| format!("attribute '{name}' is not one piece of text")),
    }
}

/// What kind of container variable this is, whose data are immaterial (CF-1.13 section 2.8).
fn container_kind(tree: &Tree, variable: &Variable) -> Option<&'static str> {
    let own = &variable.attributes;
    let named_by = |attribute: &str| {
        tree.variables.iter().any(|other| {
            let names = other.attributes.text(attribute).unwrap_or_default();
            names.split_whitespace().any(|word| {
                reference::variable(tree, other.group, word.trim_end_matches(':'))
                    .is_some_and(|id| std::ptr::eq(&tree.variables[id.0], variable))
            })
        })
    };
    if own.get("grid_mapping_name").is_some() || named_by("grid_mapping") {
        return Some("a grid mapping variable");
    }
    if own.text("cf_role").as_deref() == Some("mesh_topology") {
        return Some("a mesh topology variable");
    }
    if own.get("geometry_type").is_some() || named_by("geometry") {
        return Some("a geometry container variable");
    }
    if own.get("interpolation_name").is_some() || named_by("coordinate_interpolation") {
        return Some("an interpolation variable");
    }
    if named_by("quantization") {
        return Some("a quantization variable");
    }
    own.get("dimensions").is_some().then_some("a domain variable")
}
