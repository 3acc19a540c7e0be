//! The texts of the help and the manual page of a command besides its arguments.

use std::fmt::Write;

/// The texts of a command that belong to none of its arguments.
pub struct Page {
    /// Command lines, each with what it does.
    pub examples: &'static [(&'static str, &'static str)],
    /// What each exit status means.
    pub statuses: &'static [(u8, &'static str)],
    /// Files that its arguments do not name.
    pub files: &'static [(&'static str, &'static str)],
    /// Manual pages of other programs.
    pub see_also: &'static [&'static str],
}

impl Page {
    /// The page of a command that reads, without examples.
    pub const READER: Page = Page {
        examples: &[],
        statuses: &[(0, "success"), (1, "an error in the file or the request"), (2, "a wrong command line")],
        files: &[(
            "~/.aws/config, ~/.aws/credentials",
            "profiles for s3 addresses; AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name others",
        )],
        see_also: &["ncdump(1)", "gdalinfo(1)"],
    };

    /// The page of a command that writes, without examples.
    pub const WRITER: Page = Page {
        files: &[
            (".NAME.PID-N.tmp", "what becomes the file NAME when it is complete, in the same directory. A command that was killed leaves it, and the next writer of NAME removes it"),
            (".NAME.lock", "the lock that a writer of NAME holds; one that a killed command left blocks nobody"),
            (".NAME.turn", "the same on a file system without locks; one that a killed command left has to be removed"),
            Page::READER.files[0],
        ],
        ..Page::READER
    };

    /// Returns what follows the options in the help.
    pub fn help(&self) -> String {
        let mut text = String::from("Examples:\n");
        let length = |command: &str| command.chars().count();
        let widest = self.examples.iter().map(|(c, _)| length(c)).filter(|&n| n <= 52).max().unwrap_or(0);
        for (command, purpose) in self.examples {
            let _ = writeln!(text, "  {command:widest$}  {purpose}");
        }
        let statuses: Vec<String> =
            self.statuses.iter().map(|(n, meaning)| format!("{n} {meaning}")).collect();
        let _ = write!(text, "\nExit status: {}.", statuses.join(", "));
        text
    }
}

/// Environment variables of all commands, besides the settings.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR, TERM", "no colours if NO_COLOR is not empty or TERM is `dumb`"),
    ("http_proxy, https_proxy, all_proxy, no_proxy", "proxies for files on servers, in capitals too"),
    ("SSL_CERT_FILE", "certificates in place of those of the system"),
    (
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE",
        "credentials for s3 addresses",
    ),
    (
        "AWS_REGION, AWS_ENDPOINT_URL, AWS_NO_SIGN_REQUEST",
        "where the buckets are; YES for requests without credentials",
    ),
];
