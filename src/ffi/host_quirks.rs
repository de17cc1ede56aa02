//! What single versions of DuckDB do differently, or wrong.

use std::ffi::CStr;

use libduckdb_sys as sys;

use super::state::MARK;

/// Whether the host is a 1.x release.
fn is_host_before_2() -> bool {
    // SAFETY: returns a static C string.
    unsafe { CStr::from_ptr(sys::duckdb_library_version()) }.to_bytes().starts_with(b"v1.")
}

/// Whether the host orders BIT by the stored bytes: since 2.0 the bits count.
pub fn orders_bits_by_bytes() -> bool {
    is_host_before_2()
}

/// The first of TIMESTAMP and TIMESTAMP_NS since 2.0, within the day before the first whole one: the two numbers
/// below it are no time and -infinity.
const FIRST_SINCE_2: i128 = i64::MIN as i128 + 2;

/// The first TIMESTAMP that has a text: 290309-12-22 (BC) before 2.0.
pub fn first_microsecond() -> i128 {
    if is_host_before_2() { -9_223_372_022_400_000_000 } else { FIRST_SINCE_2 }
}

/// The first TIMESTAMP_NS that has a text: 1677-09-22 before 2.0.
pub fn first_nanosecond() -> i128 {
    if is_host_before_2() { -9_223_286_400_000_000_000 } else { FIRST_SINCE_2 }
}

/// How many state pointers there are: one per row, or a single one for all rows.
///
/// DuckDB before 2.0 hands over an array of one pointer where all rows share a state, without saying so
/// (whole-partition windows, ORDER BY inside the call). What follows that pointer is not an array of
/// states, and that shows: the next word is not the address of memory that carries the mark of a state.
/// This looks at words behind a small allocation, which is a guess about hosts that will not change any
/// more, and the only way not to take them for states. From 2.0 on the array is complete.
///
/// # Safety
/// * `states` is as DuckDB passes it to `update` for `row_count` rows.
pub unsafe fn state_count(states: *mut sys::duckdb_aggregate_state, row_count: usize) -> usize {
    if row_count <= 1 || !is_host_before_2() {
        return row_count;
    }
    // The allocation of one pointer has room for two more words at most, so this many are enough.
    for index in 1..row_count.min(4) {
        // SAFETY: within the array, or directly behind the small allocation described above.
        let (first, other) = unsafe { (states.read(), states.add(index).read()) };
        if other != first && !is_state(other) {
            return 1;
        }
    }
    row_count
}

/// Whether state memory lies at an address, of which nothing else is known.
pub fn is_state(state: sys::duckdb_aggregate_state) -> bool {
    let address = state.addr();
    address.is_multiple_of(align_of::<u64>())
        && is_mapped(address)
        // SAFETY: an aligned word of a page that is there.
        && unsafe { state.cast::<u64>().read() } == MARK
}

/// Whether the page of an address is there to be read.
#[cfg(unix)]
fn is_mapped(address: usize) -> bool {
    // Larger pages than these are multiples of them.
    const PAGE_BYTES: usize = 4096;
    let mut resident = 0;
    // SAFETY: the call only answers, with an error for a page that is not there.
    address >= PAGE_BYTES
        && unsafe {
            libc::mincore((address & !(PAGE_BYTES - 1)) as *mut _, 1, (&raw mut resident).cast())
        } == 0
}

/// Elsewhere an address in the user's half of memory has to do.
#[cfg(not(unix))]
fn is_mapped(address: usize) -> bool {
    (1 << 16..1 << 47).contains(&address)
}
