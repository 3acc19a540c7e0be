//! Names of subdatasets: as GDAL lists them, with the path of the file inside, and as identifiers, without it.
//!
//! An identifier may also be a name that was copied from gdalinfo. The file in such a name is ignored: only subdatasets
//! that GDAL lists for the fragment's own file are opened.

/// A name as GDAL lists it, split around the path of the file: `HDF4_SDS:UNKNOWN:"path":0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subdataset<'a> {
    /// The whole name.
    pub(crate) listed: &'a str,
    /// `HDF4_SDS:UNKNOWN:`
    before: &'a str,
    /// A quotation mark or nothing.
    quote: &'a str,
    /// `:0`, or nothing.
    after: &'a str,
}

impl<'a> Subdataset<'a> {
    /// Returns `None` unless GDAL, when it parses the name, finds this path in it and no other.
    pub(crate) fn new(listed: &'a str, path: &str) -> Option<Self> {
        // A store in a virtual file system is opened by a name that already has the prefix of its driver.
        let path = path.strip_prefix("ZARR:\"").and_then(|rest| rest.strip_suffix('"')).unwrap_or(path);
        let (head, tail) = listed.split_once(path)?;
        let quote = if head.ends_with('"') { "\"" } else { "" };
        let before = head.strip_suffix(quote)?;
        let after = tail.strip_prefix(quote)?;
        // The text before the path comes from GDAL; names from the file, which may be anything, follow the path.
        let is_prefix = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
        // Inside quotation marks, GDAL treats backslashes before these as escapes.
        let is_escaped = path.contains('"') || path.contains(r"\\") || path.ends_with('\\');
        let is_sound = before.ends_with(':')
            && before.chars().all(is_prefix)
            && (after.is_empty() || after.starts_with(':'))
            && (quote.is_empty() || !is_escaped);
        is_sound.then_some(Subdataset { listed, before, quote, after })
    }

    /// Returns the name without the file.
    pub(crate) fn identifier(&self) -> String {
        format!("{}{}", self.before.trim_end_matches(':'), self.after)
    }

    /// Returns whether an identifier is this name, without the file or with any.
    pub(crate) fn is_named(&self, identifier: &str) -> bool {
        let file = || {
            let rest = identifier.strip_prefix(self.before)?.strip_prefix(self.quote)?;
            rest.strip_suffix(self.after)?.strip_suffix(self.quote)
        };
        identifier == self.identifier() || file().is_some_and(|file| !file.is_empty() && !file.contains('"'))
    }

    /// Returns the full name of the array that it represents, if such a name follows the file: `ZARR:"path":/array`.
    pub(crate) fn array(&self) -> Option<&'a str> {
        self.after.strip_prefix(':').filter(|name| name.starts_with('/'))
    }
}

/// Splits the name of a plane of a Zarr array, `ZARR:/array:0:1` or the same with a file, into the full name of the
/// array and the indices of its first dimensions. Returns `None` for any other name.
///
/// Not every version of GDAL lists these names as subdatasets, but all that list them mean the same.
pub(crate) fn plane(identifier: &str) -> Option<(&str, Vec<u64>)> {
    let rest = identifier.strip_prefix("ZARR:")?;
    let mut array = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once("\":")?.1,
        None => rest,
    };
    let mut indices = Vec::new();
    while let Some((before, index)) = array.rsplit_once(':') {
        if !index.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        indices.insert(0, index.parse().ok()?);
        array = before;
    }
    (array.starts_with('/') && !indices.is_empty()).then_some((array, indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/proc/self/fd/3";

    /// Names as GDAL lists them for the file, and their identifiers.
    const NAMES: [(&str, &str); 6] = [
        ("GTIFF_DIR:2:/proc/self/fd/3", "GTIFF_DIR:2"),
        ("HDF4_SDS:UNKNOWN:\"/proc/self/fd/3\":0", "HDF4_SDS:UNKNOWN:0"),
        ("HDF4_EOS:EOS_GRID:\"/proc/self/fd/3\":grid:a field", "HDF4_EOS:EOS_GRID:grid:a field"),
        ("HDF4_EOS:EOS_SWATH:\"/proc/self/fd/3\":\"a:b\":c", "HDF4_EOS:EOS_SWATH:\"a:b\":c"),
        ("ZARR:\"/proc/self/fd/3\":/group/array", "ZARR:/group/array"),
        ("ZARR:\"/proc/self/fd/3\":/array:0:1", "ZARR:/array:0:1"),
    ];

    fn subdataset(listed: &str) -> Subdataset<'_> {
        Subdataset::new(listed, PATH).unwrap()
    }

    #[test]
    fn identifiers_are_names_without_the_file() {
        for (listed, identifier) in NAMES {
            assert_eq!(subdataset(listed).identifier(), identifier);
        }
    }

    #[test]
    fn each_name_is_its_own_with_and_without_any_file() {
        for (listed, identifier) in NAMES {
            let other = listed.replace(PATH, "C:\\any where\\f.hdf");
            for (candidate, _) in NAMES {
                let is_it = candidate == listed;
                for spelling in [listed, identifier, &other] {
                    assert_eq!(subdataset(candidate).is_named(spelling), is_it, "{candidate} {spelling}");
                }
            }
        }
    }

    #[test]
    fn a_name_is_matched_whole() {
        let set = subdataset("HDF4_SDS:UNKNOWN:\"/proc/self/fd/3\":0");
        for identifier in [
            "",
            "0",
            "HDF4_SDS:UNKNOWN",
            "HDF4_SDS:UNKNOWN:",
            "HDF4_SDS:UNKNOWN:1",
            "HDF4_SDS:UNKNOWN:00",
            "HDF4_SDS:UNKNOWN:\"\":0",
            "HDF4_SDS:UNKNOWN:\":0",
            "HDF4_SDS:UNKNOWN:f.hdf:0",
            "HDF4_SDS:UNKNOWN:\"f.hdf\":1:0",
            "HDF4_SDS:UNKNOWN:\"f.hdf\":\"g.hdf\":0",
        ] {
            assert!(!set.is_named(identifier), "{identifier}");
        }
        let page = subdataset("GTIFF_DIR:1:/proc/self/fd/3");
        for identifier in ["GTIFF_DIR", "GTIFF_DIR:", "GTIFF_DIR:1:", "GTIFF_DIR:12", "GTIFF_DIR:12:f.tif"] {
            assert!(!page.is_named(identifier), "{identifier}");
        }
    }

    #[test]
    fn names_that_lead_to_another_file_are_none() {
        for listed in [
            "GTIFF_DIR:2:/etc/other.tif",
            "GTIFF_DIR:2:/proc/self/fd/30",
            "GTIFF_DIR:2:/proc/self/fd/3/more",
            "GTIFF_DIR:2:/elsewhere/proc/self/fd/3",
            "HDF4_SDS:UNKNOWN:\"/proc/self/fd/30\":0",
            "HDF4_SDS:UNKNOWN:\"/proc/self/fd/3:0",
            "HDF4_SDS:UNKNOWN:/proc/self/fd/3\":0",
            "HDF4_EOS:EOS_GRID:\"/etc/other.hdf\":\"/proc/self/fd/3\":field",
            "/proc/self/fd/3",
            "\"/proc/self/fd/3\"",
        ] {
            assert_eq!(Subdataset::new(listed, PATH), None, "{listed}");
        }
    }

    #[test]
    fn a_path_that_quotation_marks_would_change_has_no_subdatasets() {
        for path in ["a\"b", "a\\\\b", "a\\"] {
            assert_eq!(Subdataset::new(&format!("ZARR:\"{path}\":/tas"), path), None, "{path}");
            assert!(Subdataset::new(&format!("GTIFF_DIR:1:{path}"), path).is_some(), "{path}");
        }
        assert!(Subdataset::new("ZARR:\"C:\\a\\b\":/tas", "C:\\a\\b").is_some());
    }

    #[test]
    fn the_path_may_have_the_prefix_of_its_driver() {
        let listed = "ZARR:\"/vsizip/a.zip/b.zarr\":/tas";
        let subdataset = Subdataset::new(listed, "ZARR:\"/vsizip/a.zip/b.zarr\"").unwrap();
        assert_eq!(subdataset.identifier(), "ZARR:/tas");
        assert_eq!(subdataset.listed, listed);
    }

    #[test]
    fn what_follows_the_file_may_be_an_array() {
        let array = |listed| subdataset(listed).array();
        assert_eq!(array("ZARR:\"/proc/self/fd/3\":/group/array"), Some("/group/array"));
        assert_eq!(array("HDF4_SDS:UNKNOWN:\"/proc/self/fd/3\":0"), None);
        assert_eq!(array("GTIFF_DIR:2:/proc/self/fd/3"), None);
    }

    #[test]
    fn planes_of_zarr_arrays_have_an_array_and_indices() {
        assert_eq!(plane("ZARR:/tas:3"), Some(("/tas", vec![3])));
        assert_eq!(plane("ZARR:/group/tas:0:12"), Some(("/group/tas", vec![0, 12])));
        assert_eq!(plane("ZARR:\"C:\\any where.zarr\":/tas:7"), Some(("/tas", vec![7])));
        for other in [
            "ZARR:/tas",
            "ZARR:tas:3",
            "ZARR:/tas:",
            "ZARR:/tas:-1",
            "ZARR:\"a:/tas:3",
            "/tas:3",
            "ZARR:",
            "ZARR:/tas:99999999999999999999",
        ] {
            assert_eq!(plane(other), None, "{other}");
        }
    }
}
