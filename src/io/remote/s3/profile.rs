//! Reads the profile files of AWS: `~/.aws/config` and `~/.aws/credentials`.
//!
//! <https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html>: sections of `name = value`; a name without a value
//! may be followed by indented lines of the same form, which belong to it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longer files are not those of profiles.
const LONGEST: u64 = 1 << 20;

/// The properties of one profile, those of nested lines as `outer.inner`. The last one of a name counts.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Profile(Vec<(String, String)>);

impl Profile {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(own, _)| own == name);
        found.map(|(_, value)| &**value).filter(|value| !value.is_empty())
    }
}

/// Which of the two files a text is: they write the names of profiles differently.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `[default]`, `[profile name]` and sections of other kinds.
    Config,
    /// `[name]`.
    Credentials,
}

/// Returns the section of this kind and name, or `None` if there is none. The kind is `profile` or `services`.
pub(super) fn find(text: &str, form: Form, kind: &str, name: &str) -> Option<Profile> {
    let mut found = None;
    let mut is_wanted = false;
    let mut outer = String::new();
    for line in text.lines() {
        let is_nested = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            is_wanted = rest.split(']').next().is_some_and(|title| is_title(title, form, kind, name));
            if is_wanted {
                found.get_or_insert_with(Profile::default);
            }
            outer.clear();
            continue;
        }
        let (Some(profile), Some((key, value))) =
            (found.as_mut().filter(|_| is_wanted), line.split_once('='))
        else {
            continue;
        };
        let (key, value) = (key.trim().to_ascii_lowercase(), without_comment(value).trim());
        if is_nested && !outer.is_empty() {
            profile.0.push((format!("{outer}.{key}"), value.to_owned()));
        } else {
            outer = if value.is_empty() { key.clone() } else { String::new() };
            profile.0.push((key, value.to_owned()));
        }
    }
    found
}

fn is_title(title: &str, form: Form, kind: &str, name: &str) -> bool {
    let title = title.trim();
    let (own, rest) = match title.split_once(char::is_whitespace) {
        Some((own, rest)) if form == Form::Config => (own, rest.trim()),
        // Only the default profile has no kind in the config file.
        _ if form == Form::Config && title != "default" => return false,
        _ => ("profile", title),
    };
    own == kind && rest.trim_matches(['"', '\'']) == name
}

/// A comment after a value begins with white space.
fn without_comment(value: &str) -> &str {
    let is_start = |(at, mark): &(usize, char)| {
        matches!(mark, '#' | ';') && (*at == 0 || value[..*at].ends_with(char::is_whitespace))
    };
    let end = value.char_indices().find(is_start).map_or(value.len(), |(at, _)| at);
    &value[..end]
}

/// Returns the text of a file, or `None` if it cannot be read: other programs that look for profiles ignore that too.
pub(super) fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|data| data.is_file()))?;
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns the path that a variable names, or else a file of the folder `.aws` of the user.
pub(super) fn path(named: Option<String>, home: Option<String>, file: &str) -> Option<PathBuf> {
    match named {
        Some(named) => match named.strip_prefix("~/") {
            Some(rest) => home.map(|home| Path::new(&home).join(rest)),
            None => Some(named.into()),
        },
        None => home.map(|home| Path::new(&home).join(".aws").join(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CONFIG: &str = "\
        # Mine.\n\
        [default]\nregion = eu-west-1 # a comment\n\
        [profile other]\n; none\nregion=us-west-2\nS3 =\n  addressing_style = path\n  endpoint_url = http://h\nservices = mine\n\
        [profile \"two words\"]\nregion = x#y\n\
        [services mine]\ns3 =\n  endpoint_url = https://store.example.org\n\
        [other]\nregion = wrong\n";

    #[test]
    fn sections_and_nested_lines_are_found() {
        let get = |kind: &str, name: &str, key: &str| {
            find(CONFIG, Form::Config, kind, name)?.get(key).map(str::to_owned)
        };
        assert_eq!(get("profile", "default", "region").as_deref(), Some("eu-west-1"));
        assert_eq!(get("profile", "other", "region").as_deref(), Some("us-west-2"));
        assert_eq!(get("profile", "other", "s3.addressing_style").as_deref(), Some("path"));
        assert_eq!(get("profile", "other", "services").as_deref(), Some("mine"));
        assert_eq!(get("profile", "two words", "region").as_deref(), Some("x#y"));
        assert_eq!(get("services", "mine", "s3.endpoint_url").as_deref(), Some("https://store.example.org"));
        assert_eq!(get("profile", "mine", "s3.endpoint_url"), None);
        assert!(find(CONFIG, Form::Config, "profile", "none").is_none());
    }

    #[test]
    fn credentials_files_have_no_word_before_the_name() {
        let text =
            "[a]\naws_access_key_id = A\n[profile b]\naws_access_key_id = B\n[a]\naws_access_key_id = C\n";
        let get = |name: &str| {
            let profile = find(text, Form::Credentials, "profile", name)?;
            profile.get("aws_access_key_id").map(str::to_owned)
        };
        assert_eq!((get("a").as_deref(), get("b")), (Some("C"), None));
    }

    #[test]
    fn the_files_are_those_of_the_user_or_of_a_variable() {
        let home = || Some("/home/me".to_owned());
        assert_eq!(path(None, home(), "config"), Some("/home/me/.aws/config".into()));
        assert_eq!(path(Some("/x/y".into()), home(), "config"), Some("/x/y".into()));
        assert_eq!(path(Some("~/y".into()), home(), "config"), Some("/home/me/y".into()));
        assert_eq!(path(None, None, "config"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\[\\]a= \t#;\n\"é]{0,40}") {
            let _ = (find(&text, Form::Config, "profile", "a"), find(&text, Form::Credentials, "profile", "a"));
        }
    }
}
