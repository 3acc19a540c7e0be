//! The table of settings.

use std::ffi::{c_char, CString};
use std::sync::OnceLock;

use super::boundary;
use super::dataset::no_index;
use crate::{SettingForm, SETTINGS};

/// The values of a setting are texts; its description says more.
pub const CFA_SETTING_TEXT: i32 = 1;
/// The values of a setting are YES and NO.
pub const CFA_SETTING_BOOLEAN: i32 = 2;
/// The values of a setting are whole numbers that are not negative.
pub const CFA_SETTING_INTEGER: i32 = 3;
/// The values of a setting are numbers.
pub const CFA_SETTING_NUMBER: i32 = 4;
/// The values of a setting are the words that it lists.
pub const CFA_SETTING_WORD: i32 = 5;

/// An entry of the table of settings. Later versions append fields.
#[repr(C)]
pub struct cfa_setting {
    /// Its name, for cfa_open_options.settings; the environment variable is "CFA_" and this name.
    pub name: *const c_char,
    /// The value that applies if it is not set.
    pub default_value: *const c_char,
    /// What it does and which values it takes, on one line.
    pub description: *const c_char,
    /// The words that it takes, separated by blanks, for CFA_SETTING_WORD; else "".
    pub words: *const c_char,
    /// What its values look like: a CFA_SETTING_ number.
    pub form: i32,
}

// SAFETY: the pointers are those of texts that are never changed or freed.
unsafe impl Sync for cfa_setting {}
// SAFETY: as above.
unsafe impl Send for cfa_setting {}

/// The entries, made once and kept for ever.
fn table() -> &'static [cfa_setting] {
    static TABLE: OnceLock<Vec<cfa_setting>> = OnceLock::new();
    let text = |text: &str| CString::new(text).unwrap_or_default().into_raw().cast_const();
    TABLE.get_or_init(|| {
        let entry = |setting: &crate::Setting| {
            let (form, words) = match setting.form {
                SettingForm::Boolean => (CFA_SETTING_BOOLEAN, String::new()),
                SettingForm::Integer => (CFA_SETTING_INTEGER, String::new()),
                SettingForm::Number => (CFA_SETTING_NUMBER, String::new()),
                SettingForm::Word(words) => (CFA_SETTING_WORD, words.join(" ")),
                SettingForm::Text => (CFA_SETTING_TEXT, String::new()),
            };
            cfa_setting {
                name: text(setting.name),
                default_value: text(setting.default),
                description: text(setting.description),
                words: text(&words),
                form,
            }
        };
        SETTINGS.iter().map(entry).collect()
    })
}

/// Returns the number of settings.
///
/// @return the number
#[unsafe(no_mangle)]
pub extern "C" fn cfa_setting_count() -> usize {
    boundary::value(0, || Ok(table().len()))
}

/// Returns an entry of the table of settings.
///
/// @param index 0 to cfa_setting_count - 1
/// @return the entry, valid for ever; NULL if index is out of range
#[unsafe(no_mangle)]
pub extern "C" fn cfa_setting_at(index: usize) -> *const cfa_setting {
    boundary::value(std::ptr::null(), || {
        table().get(index).map(std::ptr::from_ref).ok_or_else(|| no_index("setting", index))
    })
}
