//! A group of arrays that GDAL has open.

use std::ffi::{c_char, CStr, CString};
use std::ptr;

use gdal_sys as gdal;

use crate::array::GdalArray;

/// The maximum number of groups that are searched for names: a file may have any number of groups, also nested ones.
const MOST_GROUPS: usize = 100;

/// An open group, released with this object.
pub(crate) struct GdalGroup(gdal::GDALGroupH);

impl Drop for GdalGroup {
    fn drop(&mut self) {
        // SAFETY: the handle is open and is not used after this.
        unsafe { gdal::GDALGroupRelease(self.0) };
    }
}

impl GdalGroup {
    /// Takes ownership of a handle. Returns `None` for NULL.
    ///
    /// # Safety
    /// The handle must be NULL, or open and released by nobody else.
    pub(crate) unsafe fn from_handle(handle: gdal::GDALGroupH) -> Option<Self> {
        // Not `then_some`: that would create an object from NULL and drop it.
        (!handle.is_null()).then(|| GdalGroup(handle))
    }

    /// Returns the array of this full name, which starts with a slash.
    pub(crate) fn array(&self, name: &str) -> Option<GdalArray> {
        let name = CString::new(name).ok()?;
        // SAFETY: the handle is open; an array that it does not have is NULL.
        unsafe {
            GdalArray::from_handle(gdal::GDALGroupOpenMDArrayFromFullname(
                self.0,
                name.as_ptr(),
                ptr::null_mut(),
            ))
        }
    }

    /// Returns the full names of arrays in this group, which is the root, and in those below, at most `most`.
    pub(crate) fn arrays(self, most: usize) -> Vec<String> {
        let mut names = Vec::new();
        let mut groups = vec![(String::new(), self)];
        for _ in 0..MOST_GROUPS {
            let Some((path, group)) = groups.pop().filter(|_| names.len() < most) else { break };
            names.extend(group.names(Member::Array).iter().map(|name| format!("{path}/{name}")));
            // The groups that come first in the file are searched next.
            let inner = group.names(Member::Group).into_iter().take(MOST_GROUPS).rev();
            groups.extend(inner.filter_map(|name| Some((format!("{path}/{name}"), group.group(&name)?))));
        }
        names.truncate(most);
        names
    }

    fn group(&self, name: &str) -> Option<GdalGroup> {
        let name = CString::new(name).ok()?;
        // SAFETY: the handle is open; a group that it does not have is NULL.
        unsafe { GdalGroup::from_handle(gdal::GDALGroupOpenGroup(self.0, name.as_ptr(), ptr::null_mut())) }
    }

    fn names(&self, member: Member) -> Vec<String> {
        // SAFETY: the handle is open, and this code must release the list.
        unsafe {
            let list = match member {
                Member::Array => gdal::GDALGroupGetMDArrayNames(self.0, ptr::null_mut()),
                Member::Group => gdal::GDALGroupGetGroupNames(self.0, ptr::null_mut()),
            };
            let names = texts(list);
            gdal::CSLDestroy(list);
            names.into_iter().flatten().collect()
        }
    }
}

/// The kinds of members of a group that have names.
#[derive(Clone, Copy)]
enum Member {
    Array,
    Group,
}

/// Returns the texts of one of GDAL's lists, `None` for those that are not UTF-8.
///
/// # Safety
/// The list must be NULL, or an array of C strings that ends with NULL.
pub(crate) unsafe fn texts(list: *mut *mut c_char) -> Vec<Option<String>> {
    let mut texts = Vec::new();
    let mut entry = list.cast_const();
    // SAFETY: the contract of this function.
    unsafe {
        while !entry.is_null() && !(*entry).is_null() {
            texts.push(CStr::from_ptr(*entry).to_str().ok().map(str::to_owned));
            entry = entry.add(1);
        }
    }
    texts
}
