//! The memory DuckDB gives an aggregate state: a mark and one pointer.
//!
//! State memory is 8-byte aligned, moved bitwise when hash tables grow or spill, and may be finalised
//! without ever being updated. So it holds nothing but a pointer, null until the first row arrives, and
//! a constant in front of it by which state memory is known (see [`super::host_quirks::state_count`]).

use libduckdb_sys as sys;

/// What state memory starts with while a state lives in it.
pub const MARK: u64 = 0xC01D_57A7_5EED_8A11;

#[repr(C)]
struct Memory<T> {
    mark: u64,
    boxed: Option<Box<T>>,
}

/// How much memory a state asks for.
pub const STATE_BYTES: u64 = size_of::<Memory<u8>>() as u64;

/// The slot of one state.
///
/// # Safety
/// * `state` is state memory of an aggregate whose boxes are `T`, and for `'call` nobody else uses it.
pub unsafe fn slot<'call, T>(state: sys::duckdb_aggregate_state) -> &'call mut Option<Box<T>> {
    const { assert!(size_of::<Memory<T>>() == 16 && align_of::<Memory<T>>() == 8) };
    // SAFETY: the memory was initialised as a `Memory`.
    unsafe { &mut (*state.cast::<Memory<T>>()).boxed }
}

/// The state, to be read only: DuckDB may combine one source into several targets at once.
///
/// # Safety
/// * `state` is state memory of an aggregate whose boxes are `T`, and for `'call` nobody writes to it.
pub unsafe fn peek<'call, T>(state: sys::duckdb_aggregate_state) -> Option<&'call T> {
    // SAFETY: as for `slot`, but shared.
    unsafe { &(*state.cast::<Memory<T>>()).boxed }.as_deref()
}

/// Writes the empty state. Cannot fail: DuckDB initialises states in a loop.
///
/// # Safety
/// * `state` is state memory, uninitialised so far.
pub unsafe fn initialise(state: sys::duckdb_aggregate_state) {
    // SAFETY: the memory is two words wide and 8-byte aligned.
    unsafe { state.cast::<Memory<u8>>().write(Memory { mark: MARK, boxed: None }) };
}

/// Frees the state and takes the mark off its memory.
///
/// # Safety
/// * `state` is state memory of an aggregate whose boxes are `T`, not used again as a state.
pub unsafe fn destroy<T>(state: sys::duckdb_aggregate_state) {
    // SAFETY: by the contract.
    unsafe {
        (*state.cast::<Memory<T>>()).mark = 0;
        drop(slot::<T>(state).take());
    }
}

#[cfg(test)]
mod tests {
    use super::super::host_quirks::is_state;
    use super::*;

    #[test]
    fn a_state_lives_at_addresses_that_are_not_multiples_of_sixteen() {
        let mut memory = [0_u128; 3];
        for offset in [0, 8] {
            // SAFETY: the memory holds 48 bytes; the offsets keep 8-byte alignment.
            unsafe {
                let state = memory.as_mut_ptr().cast::<u8>().add(offset).cast();
                initialise(state);
                assert!(is_state(state) && slot::<String>(state).is_none());
                *slot::<String>(state) = Some(Box::new("kept".into()));
                assert_eq!(
                    slot::<String>(state).take().as_deref().map(String::as_str),
                    Some("kept")
                );
            }
        }
    }
}
