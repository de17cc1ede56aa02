//! Aggregate functions over any type, in safe Rust: implement [`Aggregate`], register it.
//!
//! DuckDB hands a chunk of rows and a state pointer per row. Rows of one group come in long runs of
//! equal pointers, so the chunk is cut into runs and the aggregate is called once per run. There is no
//! bind: the argument types are first seen in `update`, and are kept beside the first state.

use std::ffi::CString;
use std::ops::Range;
use std::sync::Arc;

use libduckdb_sys as sys;
use multiversion::multiversion;

use super::callback::{ErrorSink, contain, contain_silently};
use super::host_quirks::state_count;
use super::registry::{Parameter, Registry, logical_types};
use super::state;
use super::state::{STATE_BYTES, initialise, peek, slot};
use super::types;
use super::vector::{Chunk, DuckColumn, length};
use super::write::write_cell;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;

/// An aggregate function.
pub trait Aggregate: 'static {
    /// What is accumulated per group. It is boxed, so it may be of any size and alignment.
    type State: Clone + Send + Sync;

    /// The SQL name.
    const NAME: &'static str;

    /// The parameter lists it can be called with.
    fn overloads() -> Vec<Vec<Parameter>>;

    /// The type of its result.
    fn result_type() -> ColumnType;

    /// An empty state. Constant arguments are read from the row `first`.
    fn start(arguments: &Arguments<'_>, first: usize) -> Result<Self::State>;

    /// Takes in `rows`.
    fn update(state: &mut Self::State, arguments: &Arguments<'_>, rows: Range<usize>)
    -> Result<()>;

    /// Takes in another state of the same argument types, which is left as it is.
    fn merge(state: &mut Self::State, other: &Self::State) -> Result<()>;

    /// The result; `None` for a group without rows.
    fn finish(state: Option<(&Self::State, &[ColumnType])>) -> Result<Cell>;
}

/// The arguments of some rows.
pub struct Arguments<'chunk> {
    pub types: Arc<[ColumnType]>,
    pub columns: Vec<DuckColumn<'chunk>>,
}

impl<'chunk> Arguments<'chunk> {
    /// The first argument.
    pub fn first_column(&self) -> Result<&DuckColumn<'chunk>> {
        self.columns.first().ok_or_else(|| Error::new("called without an argument"))
    }

    /// The type of the first argument.
    pub fn first_type(&self) -> Result<&ColumnType> {
        self.types.first().ok_or_else(|| Error::new("called without an argument"))
    }
}

/// A state with the types of its arguments, shared by all states that one chunk creates.
struct Typed<S> {
    types: Arc<[ColumnType]>,
    /// The first error of a merge, which is told at the end: DuckDB before 2.0 leaks the states of a hash table
    /// whose merge fails.
    state: Result<S>,
}

/// Registers `A` with all its overloads.
pub fn register<A: Aggregate>(registry: &Registry) -> Result<()> {
    let name = super::handle::c_string(A::NAME)?;
    let result_type = types::build(&A::result_type())?;
    let overloads = A::overloads().iter().map(|o| logical_types(o)).collect::<Result<Vec<_>>>()?;
    // SAFETY: plain constructors; the set is destroyed below.
    let mut set = unsafe { sys::duckdb_create_aggregate_function_set(name.as_ptr()) };
    let mut added = true;
    for parameters in overloads {
        // SAFETY: every handle is alive during its call and destroyed once; the callbacks are those of
        // one aggregate, so their states fit together.
        unsafe {
            let mut function = sys::duckdb_create_aggregate_function();
            sys::duckdb_aggregate_function_set_name(function, name.as_ptr());
            for logical_type in &parameters {
                sys::duckdb_aggregate_function_add_parameter(function, logical_type.as_raw());
            }
            sys::duckdb_aggregate_function_set_return_type(function, result_type.as_raw());
            sys::duckdb_aggregate_function_set_functions(
                function,
                Some(state_size),
                Some(state_init),
                Some(update::<A>),
                Some(combine::<A>),
                Some(finalize::<A>),
            );
            sys::duckdb_aggregate_function_set_destructor(function, Some(destroy::<A>));
            // NULL rows are counted, not skipped.
            sys::duckdb_aggregate_function_set_special_handling(function);
            added &= sys::duckdb_add_aggregate_function_to_set(set, function) == sys::DuckDBSuccess;
            sys::duckdb_destroy_aggregate_function(&mut function);
        }
    }
    // SAFETY: the connection and the set are alive.
    let registered = added
        && unsafe { sys::duckdb_register_aggregate_function_set(registry.connection(), set) }
            == sys::DuckDBSuccess;
    // SAFETY: owned and not used again.
    unsafe { sys::duckdb_destroy_aggregate_function_set(&mut set) };
    registered
        .then_some(())
        .ok_or_else(|| Error::new(format!("{} could not be registered", A::NAME)))
}

struct AggregateSink(sys::duckdb_function_info);

impl ErrorSink for AggregateSink {
    fn set_error(&self, message: &CString) {
        // SAFETY: the info is alive during the callback; the message is copied.
        unsafe { sys::duckdb_aggregate_function_set_error(self.0, message.as_ptr()) };
    }
}

extern "C" fn state_size(_info: sys::duckdb_function_info) -> sys::idx_t {
    STATE_BYTES
}

/// # Safety
/// * As DuckDB calls it: `state` is fresh state memory.
unsafe extern "C" fn state_init(
    _info: sys::duckdb_function_info,
    state: sys::duckdb_aggregate_state,
) {
    // SAFETY: by the contract.
    unsafe { initialise(state) };
}

/// # Safety
/// * As DuckDB calls it: `states` holds one initialised state per row of `input`.
unsafe extern "C" fn update<A: Aggregate>(
    info: sys::duckdb_function_info,
    input: sys::duckdb_data_chunk,
    states: *mut sys::duckdb_aggregate_state,
) {
    contain(&AggregateSink(info), || {
        // SAFETY: the chunk and the array are DuckDB's for this call.
        let (chunk, states) = unsafe {
            let chunk = Chunk::new(input);
            let state_count = state_count(states, chunk.row_count());
            (chunk, std::slice::from_raw_parts(states, state_count))
        };
        // SAFETY: the states are initialised, and no two threads update one state.
        unsafe { update_runs::<A>(&chunk, states) }.map_err(|error| error.context(A::NAME))
    });
}

/// # Safety
/// * Each state is initialised state memory of `A`, used by nobody else during the call. A single state
///   stands for all rows.
unsafe fn update_runs<A: Aggregate>(
    chunk: &Chunk<'_>,
    states: &[sys::duckdb_aggregate_state],
) -> Result<()> {
    let Some(first) = states.first() else { return Ok(()) };
    // SAFETY: by the contract.
    let known_types = unsafe { slot::<Typed<A::State>>(*first) }.as_ref().map(|s| s.types.clone());
    let types = known_types
        .unwrap_or_else(|| (0..chunk.column_count()).map(|i| chunk.column_type(i)).collect());
    let columns = types
        .iter()
        .enumerate()
        // SAFETY: the types are those of this chunk's columns: one aggregate has one list of types.
        .map(|(index, column_type)| unsafe { chunk.column(index, column_type) })
        .collect();
    let arguments = Arguments { types, columns };
    let row_count = chunk.row_count();
    let is_one_group = are_all_equal(states);
    let mut start = 0;
    while let Some(state) = states.get(start) {
        let run = if is_one_group {
            row_count
        } else {
            states.iter().skip(start).take_while(|other| *other == state).count()
        };
        // SAFETY: by the contract.
        let slot = unsafe { slot::<Typed<A::State>>(*state) };
        let typed = match slot {
            Some(typed) => typed,
            None => slot.insert(Box::new(Typed {
                types: arguments.types.clone(),
                state: Ok(A::start(&arguments, start)?),
            })),
        };
        if let Ok(state) = &mut typed.state {
            A::update(state, &arguments, start..start + run)?;
        }
        start += run;
    }
    Ok(())
}

/// Whether all rows belong to one group, as they mostly do; found out without a branch per row.
#[multiversion(targets = "simd")]
fn are_all_equal(states: &[sys::duckdb_aggregate_state]) -> bool {
    let Some(first) = states.first() else { return true };
    states.iter().fold(0, |differing, state| differing | (first.addr() ^ state.addr())) == 0
}

/// # Safety
/// * As DuckDB calls it: both arrays hold `count` initialised states; the sources may be used again.
unsafe extern "C" fn combine<A: Aggregate>(
    info: sys::duckdb_function_info,
    source: *mut sys::duckdb_aggregate_state,
    target: *mut sys::duckdb_aggregate_state,
    count: sys::idx_t,
) {
    contain(&AggregateSink(info), || {
        for index in 0..length(count) {
            // SAFETY: both arrays have `count` members; a source is never its own target.
            let (source, target) = unsafe {
                let source = peek::<Typed<A::State>>(*source.add(index));
                (source, slot::<Typed<A::State>>(*target.add(index)))
            };
            merge::<A>(source, target);
        }
        Ok(())
    });
}

fn merge<A: Aggregate>(
    source: Option<&Typed<A::State>>,
    target: &mut Option<Box<Typed<A::State>>>,
) {
    let Some(source) = source else { return };
    let Some(target) = target else {
        // The target may be fresh: it takes the types along.
        let (types, state) = (source.types.clone(), source.state.clone());
        *target = Some(Box::new(Typed { types, state }));
        return;
    };
    let merged = match (&mut target.state, &source.state) {
        (Ok(state), Ok(other)) => A::merge(state, other),
        (Ok(_), Err(error)) => Err(error.clone()),
        (Err(_), _) => return,
    };
    if let Err(error) = merged {
        target.state = Err(error);
    }
}

/// # Safety
/// * As DuckDB calls it: `source` holds `count` states, `result` has room for `offset + count` rows.
unsafe extern "C" fn finalize<A: Aggregate>(
    info: sys::duckdb_function_info,
    source: *mut sys::duckdb_aggregate_state,
    result: sys::duckdb_vector,
    count: sys::idx_t,
    offset: sys::idx_t,
) {
    contain(&AggregateSink(info), || {
        let result_type = A::result_type();
        if source.is_null() {
            return Ok(());
        }
        // SAFETY: the array has `count` members.
        let states = unsafe { std::slice::from_raw_parts(source, length(count)) };
        for (row, state) in (offset..).zip(states) {
            // SAFETY: the state is initialised.
            let typed = unsafe { peek::<Typed<A::State>>(*state) };
            let cell = match finished::<A>(typed) {
                Ok(cell) => cell,
                Err(error) => {
                    // DuckDB before 2.0 would leak them.
                    for state in states {
                        // SAFETY: the state is initialised; after an error it is destroyed, if anything.
                        unsafe { slot::<Typed<A::State>>(*state).take() };
                    }
                    return Err(error.context(A::NAME));
                }
            };
            // SAFETY: the vector is of the declared type and has room for the row.
            unsafe { write_cell(result, &result_type, row, &cell)? };
        }
        Ok(())
    });
}

fn finished<A: Aggregate>(typed: Option<&Typed<A::State>>) -> Result<Cell> {
    match typed {
        None => A::finish(None),
        Some(typed) => A::finish(Some((typed.state.as_ref().map_err(Error::clone)?, &typed.types))),
    }
}

/// # Safety
/// * As DuckDB calls it: the array holds `count` states, which are not used again.
unsafe extern "C" fn destroy<A: Aggregate>(
    states: *mut sys::duckdb_aggregate_state,
    count: sys::idx_t,
) {
    for index in 0..length(count) {
        contain_silently(|| {
            // SAFETY: the array has `count` members.
            unsafe { state::destroy::<Typed<A::State>>(*states.add(index)) };
        });
    }
}
