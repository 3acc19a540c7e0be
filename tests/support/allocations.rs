//! Counts the memory that a thread allocates, whatever other tests do at the same time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: isize) {
    let _ = NUMBER.try_with(|number| number.set(number.get() + usize::from(bytes > 0)));
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(bytes.max(0) as usize)));
    // It no longer exists while the thread ends.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        MOST.with(|most| most.set(most.get().max(now.get())));
    });
}

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are those of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

/// The most bytes that this thread had at once during a call, beyond what it had before.
pub fn most_during<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.get();
    MOST.set(before);
    let result = call();
    (result, (MOST.get() - before) as usize)
}

/// The largest request of this thread for memory during a call.
pub fn largest_during<T>(call: impl FnOnce() -> T) -> (T, usize) {
    LARGEST.set(0);
    let result = call();
    (result, LARGEST.get())
}

/// The number of requests of this thread for memory during a call.
pub fn number_during<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = NUMBER.get();
    let result = call();
    (result, NUMBER.get() - before)
}
