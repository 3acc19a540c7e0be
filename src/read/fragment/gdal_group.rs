//! A group of arrays that GDAL has open.

use std::ffi::{c_char, CStr, CString};
use std::ptr;

use gdal_sys as gdal;

use super::gdal_array::GdalArray;

/// Groups that are looked into for names: a file may have any number, and one within the other.
const MOST_GROUPS: usize = 100;

/// An open group, released with this object.
pub(super) struct GdalGroup(gdal::GDALGroupH);

impl Drop for GdalGroup {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and ends here.
        unsafe { gdal::GDALGroupRelease(self.0) };
    }
}

impl GdalGroup {
    /// Takes a handle over; `None` for NULL.
    ///
    /// # Safety
    /// The handle is NULL, or open and nobody else's to release.
    pub(super) unsafe fn from_handle(handle: gdal::GDALGroupH) -> Option<Self> {
        // Not `then_some`: that would make an object of NULL and drop it.
        (!handle.is_null()).then(|| GdalGroup(handle))
    }

    /// The array of this full name, which starts with a slash.
    pub(super) fn array(&self, name: &str) -> Option<GdalArray> {
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

    /// The full names of arrays in this group, which is the root, and in those below; no more than so many.
    pub(super) fn arrays(self, most: usize) -> Vec<String> {
        let mut names = Vec::new();
        let mut groups = vec![(String::new(), self)];
        for _ in 0..MOST_GROUPS {
            let Some((path, group)) = groups.pop().filter(|_| names.len() < most) else { break };
            names.extend(group.names(Member::Array).iter().map(|name| format!("{path}/{name}")));
            // Those that come first in the file are the next to be looked into.
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
        // SAFETY: the handle is open, and the list is ours to release.
        unsafe {
            let list = match member {
                Member::Array => gdal::GDALGroupGetMDArrayNames(self.0, ptr::null_mut()),
                Member::Group => gdal::GDALGroupGetGroupNames(self.0, ptr::null_mut()),
            };
            let names = texts(list);
            gdal::CSLDestroy(list);
            names
        }
    }
}

/// What a group has names for.
#[derive(Clone, Copy)]
enum Member {
    Array,
    Group,
}

/// The texts of one of GDAL's lists, those that are UTF-8.
///
/// # Safety
/// The list is NULL, or an array of C strings that ends with NULL.
pub(super) unsafe fn texts(list: *mut *mut c_char) -> Vec<String> {
    let mut texts = Vec::new();
    let mut entry = list.cast_const();
    // SAFETY: the contract of this function.
    unsafe {
        while !entry.is_null() && !(*entry).is_null() {
            texts.extend(CStr::from_ptr(*entry).to_str().map(str::to_owned));
            entry = entry.add(1);
        }
    }
    texts
}
