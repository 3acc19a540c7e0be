//! Labels along a new dimension (`NAME=attribute:variant_label`), taken from a global attribute of each file, its name
//! or its folders. A file gets its label as a scalar coordinate, and is arranged like a file that has one.

use std::path::Path;
use std::sync::Arc;

use regex_lite::Regex;

use super::kept_values::Kept;
use super::listing::short;
use super::record::{Content, Input, Interner, Item, Template};
use crate::author::option_name::OptionName;
use crate::container::composed::is_same;
use crate::error::{Error, Kind, Result};
use crate::io::location::is_address;
use crate::io::os::shown;
use crate::value::{Attributes, DataType, Values};

/// Where the labels come from.
enum Source {
    /// A global attribute.
    Attribute(String),
    /// A part of the name of the file.
    Name(Regex),
    /// A part of the path or address.
    Path(Regex),
    /// The one folder in which the paths differ, counted from the root.
    Folder(Option<usize>),
}

/// A new dimension with labels.
pub(super) struct Labels {
    pub name: String,
    source: Source,
}

/// Returns the name of a new dimension, and the text of the source of its labels.
pub(super) fn parts(text: &str) -> (&str, Option<&str>) {
    match text.split_once('=') {
        Some((name, source)) => (name, Some(source)),
        None => (text, None),
    }
}

impl Labels {
    /// Parses `NAME=SOURCE`; `None` for a dimension without labels.
    ///
    /// # Errors
    /// `Request` for an unknown source and a pattern that is not a regular expression.
    pub fn parse(text: &str) -> Result<Option<Labels>> {
        let (name, Some(source)) = parts(text) else { return Ok(None) };
        let wrong = |what: String| {
            Error::new(Kind::Request, format!("{}: {what}", OptionName::NewDimension(Some(text))))
        };
        let regex = |text: &str| match Regex::new(text) {
            Ok(regex) if !text.is_empty() => Ok(regex),
            Ok(_) => Err(wrong("the pattern is empty".into())),
            Err(e) => Err(wrong(format!("'{text}' is not a regular expression ({e})"))),
        };
        let source = match source.split_once(':') {
            Some(("attribute", name)) if !name.is_empty() => Source::Attribute(name.to_owned()),
            Some(("name", pattern)) => Source::Name(regex(pattern)?),
            Some(("path", pattern)) => Source::Path(regex(pattern)?),
            None if source == "path" => Source::Folder(None),
            _ => {
                let sources = "attribute:ATTRIBUTE, name:PATTERN, path:PATTERN or path";
                return Err(wrong(format!("'{source}' is not a source of labels; these are {sources}")));
            }
        };
        if name.is_empty() {
            return Err(wrong("the name of the dimension is empty".into()));
        }
        Ok(Some(Labels { name: name.to_owned(), source }))
    }

    /// Returns whether the labels depend on all files.
    pub fn compares_files(&self) -> bool {
        matches!(self.source, Source::Folder(_))
    }

    /// Finds the folder in which the files differ, if the labels depend on it.
    ///
    /// # Errors
    /// `Request` if they differ in none or in several, so that no folder alone is the label.
    pub fn compare<'a>(&mut self, paths: impl Iterator<Item = &'a Path>) -> Result<()> {
        let Source::Folder(position) = &mut self.source else { return Ok(()) };
        let advice = "path:PATTERN takes a part of the path, such as path:'/(r[0-9]+)i'";
        let refuse =
            |what: &str| Err(Error::new(Kind::Request, format!("{what}, so none is the label; {advice}")));
        let mut first: Option<Vec<String>> = None;
        for path in paths {
            let folders = folders(path)?;
            let Some(first) = &first else {
                first = Some(folders);
                continue;
            };
            if first.len() != folders.len() {
                return refuse("the files lie in folders of different depth");
            }
            for (at, _) in first.iter().zip(&folders).enumerate().filter(|(_, (a, b))| a != b) {
                if position.replace(at).is_some_and(|other| other != at) {
                    return refuse("the paths of the files differ in several folders");
                }
            }
        }
        match position {
            Some(_) => Ok(()),
            None => refuse("the files do not lie in different folders"),
        }
    }

    /// Returns the label of a file.
    ///
    /// # Errors
    /// `Attribute` if the file has none.
    fn label(&self, path: &Path, attributes: &Attributes) -> Result<String> {
        let part = |regex: &Regex, text: &str, what: &str| match regex.captures(text) {
            Some(found) => Ok(found.get(1).or(found.get(0)).map_or("", |m| m.as_str()).to_owned()),
            None => Err(format!("'{regex}' does not occur in its {what}")),
        };
        let label = match &self.source {
            Source::Attribute(name) => {
                text(attributes, name).ok_or(format!("it has no global attribute '{name}'"))
            }
            Source::Name(regex) => {
                let name = path.file_name().map(|name| shown(Path::new(name))).unwrap_or_default();
                part(regex, &name, "name")
            }
            Source::Path(regex) => part(regex, &shown(path), "path"),
            Source::Folder(position) => {
                let folder = folders(path)?.into_iter().nth(position.unwrap_or(usize::MAX));
                folder.ok_or_else(|| "it lies in no such folder".to_owned())
            }
        };
        let label = label.and_then(|label| match label.trim() {
            "" => Err("the label is empty".to_owned()),
            label if label.contains('\0') => Err("the label has a zero byte".to_owned()),
            label => Ok(label.to_owned()),
        });
        label.map_err(|what| {
            Error::new(Kind::Attribute, format!("it gives no label along '{}': {}", self.name, short(&what)))
                .in_file(shown(path))
        })
    }

    /// Adds the label of a file to its variables.
    ///
    /// # Errors
    /// `Attribute` if the file has no label, `Request` if it has the dimension or a variable of this name itself.
    pub fn add(
        &self,
        input: &mut Input,
        path: &Path,
        attributes: &Attributes,
        interner: &Interner,
    ) -> Result<()> {
        let own = |item: &&Arc<Item>| {
            is_same(&item.template.name, &self.name)
                || item.template.dimensions.iter().any(|d| is_same(d, &self.name))
        };
        if input.items.iter().any(|item| own(&item)) {
            let message =
                format!("it has '{0}' itself, so '{0}' is no new dimension; choose another name", self.name);
            return Err(Error::new(Kind::Request, message).in_file(shown(path)));
        }
        let label = self.label(path, attributes)?;
        let mut attributes = Attributes::default();
        attributes.set_text(
            "long_name",
            match &self.source {
                Source::Attribute(name) => format!("{name} of the files"),
                Source::Name(_) => "part of the names of the files".to_owned(),
                Source::Path(_) | Source::Folder(_) => "part of the paths of the files".to_owned(),
            },
        );
        let template =
            Template::new(self.name.clone(), self.name.clone(), DataType::String, Vec::new(), attributes);
        let outline = interner.outline(&interner.template(template), &[], false, false);
        let content = Content::Kept(Kept::new(Values::String(vec![label]), interner));
        let item = Item { outline, content, fragment: None };
        input.items.push(interner.item(item));
        Ok(())
    }
}

/// Returns a global attribute as text.
pub(super) fn text(attributes: &Attributes, name: &str) -> Option<String> {
    let value = attributes.get(name)?;
    value.as_text().or_else(|| value.decimal_at(0).filter(|_| value.len() == 1))
}

/// Returns the folders of a file from the root.
fn folders(path: &Path) -> Result<Vec<String>> {
    if is_address(path) {
        let mut list: Vec<String> = shown(path).split('/').map(str::to_owned).collect();
        list.pop();
        return Ok(list);
    }
    let path = std::path::absolute(path)
        .map_err(|e| Error::new(Kind::Io, "its path is unknown").because(e).in_file(shown(path)))?;
    let folders = path.parent().unwrap_or(&path).components();
    Ok(folders.map(|part| shown(Path::new(part.as_os_str()))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(source: &str, paths: &[&str]) -> Result<Vec<String>> {
        let mut labels = Labels::parse(source)?.unwrap();
        labels.compare(paths.iter().map(Path::new))?;
        let mut attributes = Attributes::default();
        attributes.set_text("variant_label", "r1i1p1f1");
        attributes.set("realization_index", Values::I32(vec![7]));
        paths.iter().map(|path| labels.label(Path::new(path), &attributes)).collect()
    }

    #[test]
    fn labels_come_from_attributes_names_and_folders() {
        assert_eq!(label("r=attribute:variant_label", &["a"]).unwrap(), ["r1i1p1f1"]);
        assert_eq!(label("r=attribute:realization_index", &["a"]).unwrap(), ["7"]);
        assert_eq!(label(r"r=name:r(\d+)i", &["/r9i/tas_r10i1.nc"]).unwrap(), ["10"]);
        assert_eq!(label(r"r=name:r\d+i1", &["/r9i/tas_r10i1.nc"]).unwrap(), ["r10i1"]);
        assert_eq!(label(r"r=path:/(r\d+)/", &["/x/r9/tas.nc"]).unwrap(), ["r9"]);
        assert_eq!(label("r=path", &["/x/r9/a/tas.nc", "/x/r10/a/tas.nc"]).unwrap(), ["r9", "r10"]);
        assert_eq!(label("r=path", &["http://h/r1/a.nc", "http://h/r2/b.nc"]).unwrap(), ["r1", "r2"]);
    }

    #[test]
    fn what_gives_no_label_is_refused() {
        for (source, paths, words) in [
            ("r=attribute:absent", &["a"][..], "no global attribute 'absent'"),
            (r"r=name:r(\d+)i", &["tas.nc"], "does not occur in its name"),
            ("r=name:r(", &["a"], "not a regular expression"),
            ("r=name:", &["a"], "the pattern is empty"),
            ("r=name:(x?)", &["a"], "the label is empty"),
            ("r=folder", &["a"], "not a source of labels"),
            ("=path", &["a/x", "b/x"], "is empty"),
            ("r=path", &["x/a.nc", "x/b.nc"], "do not lie in different folders"),
            ("r=path", &["x/a.nc", "b.nc"], "of different depth"),
            ("r=path", &["r1/2001/a.nc", "r1/2002/a.nc", "r2/2001/a.nc"], "differ in several folders"),
        ] {
            let error = label(source, paths).unwrap_err();
            assert!(matches!(error.kind(), Kind::Request | Kind::Attribute), "{error:?}");
            assert!(error.to_string().contains(words), "{source}: {error}");
        }
        assert!(Labels::parse("member").unwrap().is_none());
    }
}
