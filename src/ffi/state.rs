//! The memory DuckDB gives an aggregate state: one pointer.
//!
//! State memory is 8-byte aligned, moved bitwise when hash tables grow or spill, and may be finalised
//! without ever being updated. So it holds nothing but a pointer, null until the first row arrives.

use libduckdb_sys as sys;

/// How much memory a state asks for.
pub const STATE_BYTES: u64 = size_of::<usize>() as u64;

/// The slot of one state.
///
/// # Safety
/// * `state` is state memory of an aggregate whose boxes are `T`, and for `'call` nobody else uses it.
pub unsafe fn slot<'call, T>(state: sys::duckdb_aggregate_state) -> &'call mut Option<Box<T>> {
    const { assert!(size_of::<Option<Box<T>>>() == size_of::<usize>()) };
    // SAFETY: `Option<Box<T>>` is a nullable pointer, which is what the memory holds.
    unsafe { &mut *state.cast::<Option<Box<T>>>() }
}

/// The state, to be read only: DuckDB may combine one source into several targets at once.
///
/// # Safety
/// * `state` is state memory of an aggregate whose boxes are `T`, and for `'call` nobody writes to it.
pub unsafe fn peek<'call, T>(state: sys::duckdb_aggregate_state) -> Option<&'call T> {
    // SAFETY: as for `slot`, but shared.
    unsafe { &*state.cast::<Option<Box<T>>>() }.as_deref()
}

/// Writes the empty state. Cannot fail: DuckDB initialises states in a loop.
///
/// # Safety
/// * `state` is state memory, uninitialised so far.
pub unsafe fn initialise(state: sys::duckdb_aggregate_state) {
    // SAFETY: the memory is at least a pointer wide and 8-byte aligned.
    unsafe { state.cast::<usize>().write(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_lives_at_addresses_that_are_not_multiples_of_sixteen() {
        let mut memory = [0_u128; 2];
        for offset in [0, 8] {
            // SAFETY: the memory holds 32 bytes; the offsets keep 8-byte alignment.
            unsafe {
                let state = memory.as_mut_ptr().cast::<u8>().add(offset).cast();
                initialise(state);
                assert!(slot::<String>(state).is_none());
                *slot::<String>(state) = Some(Box::new("kept".into()));
                assert_eq!(
                    slot::<String>(state).take().as_deref().map(String::as_str),
                    Some("kept")
                );
            }
        }
    }
}
