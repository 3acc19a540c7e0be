//! The one error type: what happened, in which file, variable and fragment.

pub mod message;
pub(crate) mod secrets;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use message::{MOST, MOST_OF_NAME};
use secrets::redact;

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What sort of error this is; [`Kind::category`] is its stable name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// An attribute has the wrong type or form.
    Attribute,
    /// The keywords of `aggregated_data` or `cfa_array` are not a known set.
    Terms,
    /// A dimension that is referred to does not exist.
    MissingDimension,
    /// A variable that is referred to does not exist.
    MissingVariable,
    /// A feature variable has the wrong dimensions.
    Rank,
    /// Fragment sizes or index ranges do not tile the aggregated dimensions.
    Map,
    /// A fragment location is not a URI that the dialect allows.
    Uri,
    /// A fragment's identifier (address) is absent or malformed.
    Address,
    /// A fragment's format is not one that can be read.
    Format,
    /// No version of a fragment exists.
    FragmentMissing,
    /// A fragment's file cannot be read or is damaged.
    FragmentUnreadable,
    /// A fragment's file does not have the variable.
    FragmentVariable,
    /// A fragment's shape is not its canonical shape.
    FragmentShape,
    /// A fragment's values cannot be converted to the aggregation's type.
    FragmentType,
    /// A fragment's units cannot be converted.
    Units,
    /// A fragment's calendar differs.
    Calendar,
    /// An aggregation refers to itself.
    Cycle,
    /// A file cannot be read or written.
    Io,
    /// The file is not netCDF.
    NotNetcdf,
    /// The file is netCDF but damaged or truncated.
    Damaged,
    /// The request (start, count, step, buffer, option) is not valid.
    Request,
    /// The values cannot be returned in the requested type.
    Type,
    /// The access settings do not allow a location.
    Policy,
    /// A limit of the settings is exceeded.
    Limit,
    /// Something valid that this version does not support.
    Unsupported,
    /// The caller cancelled.
    Cancelled,
    /// A defect of this library.
    Internal,
}

impl Kind {
    /// Returns the stable, lower-case name used in JSON output and in the documentation.
    pub fn category(self) -> &'static str {
        match self {
            Kind::Attribute => "attribute",
            Kind::Terms => "terms",
            Kind::MissingDimension => "missing-dimension",
            Kind::MissingVariable => "missing-variable",
            Kind::Rank => "rank",
            Kind::Map => "map",
            Kind::Uri => "uri",
            Kind::Address => "address",
            Kind::Format => "format",
            Kind::FragmentMissing => "fragment-missing",
            Kind::FragmentUnreadable => "fragment-unreadable",
            Kind::FragmentVariable => "fragment-variable",
            Kind::FragmentShape => "fragment-shape",
            Kind::FragmentType => "fragment-type",
            Kind::Units => "units",
            Kind::Calendar => "calendar",
            Kind::Cycle => "cycle",
            Kind::Io => "io",
            Kind::NotNetcdf => "not-netcdf",
            Kind::Damaged => "damaged",
            Kind::Request => "request",
            Kind::Type => "type",
            Kind::Policy => "policy",
            Kind::Limit => "limit",
            Kind::Unsupported => "unsupported",
            Kind::Cancelled => "cancelled",
            Kind::Internal => "internal",
        }
    }
}

/// An error and what it concerns.
///
/// `Display` prints one line of less than 4 KiB, whatever the file contains: file, variable, fragment, what happened
/// and what can be done, without control characters.
///
/// ```
/// use cfa::{Dataset, Kind};
///
/// let error = Dataset::open("absent.nc").unwrap_err();
/// assert_eq!(error.kind(), Kind::Io);
/// assert!(error.is_absence());
/// assert_eq!(error.file(), Some("absent.nc"));
/// assert_eq!(error.to_string(), "absent.nc: no such file");
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    kind: Kind,
    message: String,
    file: Option<String>,
    variable: Option<String>,
    fragment: Option<Vec<u64>>,
    absence: bool,
    cause: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Creates an error of this kind. The message is one line without a final stop.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message::line(&message.into(), MOST),
            file: None,
            variable: None,
            fragment: None,
            absence: false,
            cause: None,
        }))
    }

    /// Adds the error that caused this one.
    pub fn because(mut self, cause: impl StdError + Send + Sync + 'static) -> Self {
        self.0.cause = Some(Arc::new(cause));
        self
    }

    /// Adds the file that this concerns, unless one is known already. Secrets in its name are left out.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.file.get_or_insert_with(|| message::line(&redact(&file.into()), MOST_OF_NAME));
        self
    }

    /// Adds the variable that this concerns, unless one is known already.
    pub fn in_variable(mut self, variable: impl Into<String>) -> Self {
        self.0.variable.get_or_insert_with(|| message::line(&variable.into(), MOST_OF_NAME));
        self
    }

    /// Adds the fragment (its index in the array of fragments) that this concerns, unless one is known already.
    pub fn in_fragment(mut self, index: &[u64]) -> Self {
        self.0.fragment.get_or_insert_with(|| index.to_vec());
        self
    }

    /// Marks the error as about a file that does not exist, unlike one that is there and cannot be read.
    pub(crate) fn of_absence(mut self) -> Self {
        self.0.absence = true;
        self
    }

    /// Returns the same error under another kind, for a step that knows better what it means.
    pub fn with_kind(mut self, kind: Kind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Whether the file of an [`Kind::Io`] error does not exist, unlike one that is there and cannot be read.
    pub fn is_absence(&self) -> bool {
        self.0.absence && self.0.kind == Kind::Io
    }

    /// Returns what the operating system said, if that is the cause.
    pub fn io_kind(&self) -> Option<std::io::ErrorKind> {
        let cause: &(dyn StdError + 'static) = self.0.cause.as_deref()?;
        match cause.downcast_ref::<std::io::Error>() {
            Some(error) => Some(error.kind()),
            None => cause.downcast_ref::<Error>()?.io_kind(),
        }
    }

    /// Returns the message alone, without file, variable and fragment.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the file that this concerns: that of the fragment if it exists, else the aggregation file.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Returns the variable that this concerns.
    pub fn variable(&self) -> Option<&str> {
        self.0.variable.as_deref()
    }

    /// Returns the index of the fragment that this concerns.
    pub fn fragment(&self) -> Option<&[u64]> {
        self.0.fragment.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { message, file, variable, fragment, cause, .. } = &*self.0;
        let mut line = String::new();
        if let Some(file) = file {
            line += &format!("{file}: ");
        }
        if let Some(variable) = variable {
            line += &format!("variable '{variable}': ");
        }
        if let Some(fragment) = fragment {
            line += &message::short(&format!("fragment {fragment:?}: "), MOST_OF_NAME);
        }
        line += message;
        if let Some(cause) = cause {
            line += &format!(": {cause}");
        }
        f.write_str(&message::line(&line, MOST))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {self}", self.0.kind.category())
    }
}

impl StdError for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_file_variable_and_fragment_on_one_line() {
        let error = Error::new(Kind::FragmentVariable, "no such variable; it has: ta, pr")
            .in_fragment(&[3, 0])
            .in_variable("tas")
            .in_file("agg.nc")
            .in_file("later.nc");
        assert_eq!(
            error.to_string(),
            "agg.nc: variable 'tas': fragment [3, 0]: no such variable; it has: ta, pr"
        );
        assert_eq!(error.kind().category(), "fragment-variable");
    }

    #[test]
    fn no_name_makes_an_error_long_or_more_than_one_line() {
        let long = "\u{1b}\n".repeat(50_000);
        let cause = Error::new(Kind::Io, &*long).in_file(&*long);
        let error = Error::new(Kind::Damaged, format!("attribute '{long}' is odd; mend it"))
            .in_file(format!("{long}/f.nc"))
            .in_variable(&*long)
            .in_fragment(&[u64::MAX; 1000]);
        for error in [error.clone(), error.because(cause)] {
            let shown = error.to_string();
            assert!(shown.len() < 4096, "{}", shown.len());
            assert!(!shown.contains(char::is_control) && shown.contains("/f.nc: variable '"), "{shown}");
            assert!(error.message().ends_with("is odd; mend it") && !error.message().contains('\n'));
            assert!(error.file().unwrap().len() < 1000 && error.variable().unwrap().len() < 1000);
        }
    }
}
