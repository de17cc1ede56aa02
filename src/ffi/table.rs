//! Table functions whose rows are the result of a composed statement.
//!
//! Binding declares the columns and checks the arguments, and touches no data: EXPLAIN and DESCRIBE must
//! not scan. When the function is run, a connection is borrowed, the statement composed and run, and the
//! connection closed again; what remains is the result, which is copied out in chunks.
//!
//! It is run by `init` where that is called by the thread that bound it, which is the client's own as a rule, and
//! else when the first rows are asked for: a client that waits for another thread spins before DuckDB 2.0, and
//! takes a core from it. Of a statement with several such functions, all may be run before the first row comes.

use std::ffi::{CString, c_void};
use std::sync::Mutex;
use std::thread;
use std::thread::ThreadId;

use libduckdb_sys as sys;

use super::callback::{ErrorSink, contain, drop_boxed};
use super::handle::{Value, c_string};
use super::helping_thread::HelpingThread;
use super::registry::{Parameter, Registry, logical_types};
use super::rows::{RowChunk, Rows};
use super::session::{Host, Session};
use super::types;
use super::value::literal;
use super::write::write_cell;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;
use colstats_core::value::Literal;

/// A table function.
pub trait TableFunction: 'static {
    /// The checked arguments.
    type Bound: Send + Sync;

    /// The SQL name.
    const NAME: &'static str;

    /// The positional parameters.
    fn parameters() -> Vec<Parameter>;

    /// The named parameters. They take any type: [`TableFunction::bind`] checks it, so that the message for
    /// a wrong one is the same on all hosts, and says what would be right.
    fn named_parameters() -> Vec<&'static str>;

    /// Names and types of the columns.
    fn columns() -> Vec<(&'static str, ColumnType)>;

    /// Checks the arguments. Named arguments that were not given are left out.
    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<Self::Bound>;

    /// The rows, when the function is run.
    fn answer(bound: &Self::Bound, session: &Session) -> Result<Answer>;
}

/// The rows of a function.
pub enum Answer {
    /// The results of statements, one after the other.
    Results(std::vec::IntoIter<Rows>),
    Cells(std::vec::IntoIter<Vec<Cell>>),
}

impl Answer {
    /// Runs statements whose columns are those declared, in order.
    pub fn of_statements<'s>(
        statements: impl IntoIterator<Item = &'s String>,
        session: &Session,
    ) -> Result<Answer> {
        let results: Result<Vec<Rows>> =
            statements.into_iter().map(|statement| session.query(statement)).collect();
        Ok(Answer::Results(results?.into_iter()))
    }

    /// Runs a statement whose columns are those declared, in order.
    pub fn of_statement(statement: &str, session: &Session) -> Result<Answer> {
        Ok(Answer::Results(vec![session.query(statement)?].into_iter()))
    }

    fn check(&mut self, declared: &[(&'static str, ColumnType)]) -> Result<()> {
        let Answer::Results(results) = self else { return Ok(()) };
        for rows in results.as_mut_slice() {
            let found = rows.columns().into_iter().map(|(_, column_type)| column_type);
            if !found.eq(declared.iter().map(|(_, column_type)| column_type.clone())) {
                return Err(Error::new("the composed statement has other columns than declared"));
            }
        }
        Ok(())
    }
}

impl From<Vec<Vec<Cell>>> for Answer {
    fn from(rows: Vec<Vec<Cell>>) -> Answer {
        Answer::Cells(rows.into_iter())
    }
}

/// Registers `F`.
pub fn register<F: TableFunction>(registry: &Registry) -> Result<()> {
    let name = c_string(F::NAME)?;
    let parameters = logical_types(&F::parameters())?;
    let any = Parameter::Any.logical_type()?;
    let named_parameters =
        F::named_parameters().into_iter().map(c_string).collect::<Result<Vec<_>>>()?;
    // SAFETY: every handle is alive during its call and destroyed once.
    let registered = unsafe {
        let mut function = sys::duckdb_create_table_function();
        sys::duckdb_table_function_set_name(function, name.as_ptr());
        for logical_type in &parameters {
            sys::duckdb_table_function_add_parameter(function, logical_type.as_raw());
        }
        for parameter_name in &named_parameters {
            sys::duckdb_table_function_add_named_parameter(
                function,
                parameter_name.as_ptr(),
                any.as_raw(),
            );
        }
        sys::duckdb_table_function_set_extra_info(
            function,
            Box::into_raw(Box::new(registry.host())).cast::<c_void>(),
            Some(drop_boxed::<Host>),
        );
        sys::duckdb_table_function_set_bind(function, Some(bind::<F>));
        sys::duckdb_table_function_set_init(function, Some(init::<F>));
        sys::duckdb_table_function_set_function(function, Some(produce::<F>));
        let state = sys::duckdb_register_table_function(registry.connection(), function);
        sys::duckdb_destroy_table_function(&mut function);
        state == sys::DuckDBSuccess
    };
    registered
        .then_some(())
        .ok_or_else(|| Error::new(format!("{} could not be registered", F::NAME)))
}

struct BindSink(sys::duckdb_bind_info);

impl ErrorSink for BindSink {
    fn set_error(&self, message: &CString) {
        // SAFETY: the info is alive during the callback; the message is copied.
        unsafe { sys::duckdb_bind_set_error(self.0, message.as_ptr()) };
    }
}

struct InitSink(sys::duckdb_init_info);

impl ErrorSink for InitSink {
    fn set_error(&self, message: &CString) {
        // SAFETY: the info is alive during the callback; the message is copied.
        unsafe { sys::duckdb_init_set_error(self.0, message.as_ptr()) };
    }
}

struct FunctionSink(sys::duckdb_function_info);

impl ErrorSink for FunctionSink {
    fn set_error(&self, message: &CString) {
        // SAFETY: the info is alive during the callback; the message is copied.
        unsafe { sys::duckdb_function_set_error(self.0, message.as_ptr()) };
    }
}

/// What is kept from binding.
struct Binding<Bound> {
    arguments: Bound,
    /// The client's own thread, unless the statement was prepared on another one.
    binding_thread: ThreadId,
}

impl<Bound> Binding<Bound> {
    fn is_on_binding_thread(&self) -> bool {
        thread::current().id() == self.binding_thread
    }
}

/// # Safety
/// * As DuckDB calls it.
unsafe extern "C" fn bind<F: TableFunction>(info: sys::duckdb_bind_info) {
    contain(&BindSink(info), || {
        for (name, column_type) in F::columns() {
            let (name, logical_type) = (c_string(name)?, types::build(&column_type)?);
            // SAFETY: both are copied.
            unsafe {
                sys::duckdb_bind_add_result_column(info, name.as_ptr(), logical_type.as_raw());
            }
        }
        let positional = (0..F::parameters().len() as u64)
            .map(|index| {
                // SAFETY: a function has as many arguments as parameters; the value is owned by us.
                let value = unsafe { Value::from_raw(sys::duckdb_bind_get_parameter(info, index)) };
                literal(&value)
            })
            .collect();
        let mut named = Vec::new();
        for name in F::named_parameters() {
            let c_name = c_string(name)?;
            // SAFETY: the value is owned by us; null when the argument was not given.
            let value = unsafe {
                Value::from_raw(sys::duckdb_bind_get_named_parameter(info, c_name.as_ptr()))
            };
            if !value.is_absent() {
                named.push((name, literal(&value)));
            }
        }
        let arguments = F::bind(positional, named).map_err(|error| error.context(F::NAME))?;
        let binding = Binding { arguments, binding_thread: thread::current().id() };
        // SAFETY: the box is handed over with its delete callback.
        unsafe {
            sys::duckdb_bind_set_bind_data(
                info,
                Box::into_raw(Box::new(binding)).cast::<c_void>(),
                Some(drop_boxed::<Binding<F::Bound>>),
            );
        }
        Ok(())
    });
}

/// What one execution holds: nothing before it is run.
type Execution = Mutex<Option<Answer>>;

/// # Safety
/// * As DuckDB calls it.
unsafe extern "C" fn init<F: TableFunction>(info: sys::duckdb_init_info) {
    contain(&InitSink(info), || {
        // SAFETY: the data were set by `register` and `bind`, and live as long as the call.
        let (host, binding) = unsafe {
            (
                &*sys::duckdb_init_get_extra_info(info).cast::<Host>(),
                &*sys::duckdb_init_get_bind_data(info).cast::<Binding<F::Bound>>(),
            )
        };
        let answer =
            if binding.is_on_binding_thread() { Some(run::<F>(host, binding)?) } else { None };
        let execution: Box<Execution> = Box::new(Mutex::new(answer));
        // SAFETY: the box is handed over with its delete callback.
        unsafe {
            sys::duckdb_init_set_max_threads(info, 1);
            sys::duckdb_init_set_init_data(
                info,
                Box::into_raw(execution).cast::<c_void>(),
                Some(drop_boxed::<Execution>),
            );
        }
        Ok(())
    });
}

/// # Safety
/// * As DuckDB calls it: `output` is a chunk of the declared columns with room for a full vector.
unsafe extern "C" fn produce<F: TableFunction>(
    info: sys::duckdb_function_info,
    output: sys::duckdb_data_chunk,
) {
    contain(&FunctionSink(info), || {
        // SAFETY: the data were set by `register`, `bind` and `init`, and live as long as the call.
        let (host, binding, execution) = unsafe {
            (
                &*sys::duckdb_function_get_extra_info(info).cast::<Host>(),
                &*sys::duckdb_function_get_bind_data(info).cast::<Binding<F::Bound>>(),
                &*sys::duckdb_function_get_init_data(info).cast::<Execution>(),
            )
        };
        let mut answer = execution.lock().map_err(|_| Error::new("an earlier call failed"))?;
        let answer = match &mut *answer {
            Some(answer) => answer,
            None => answer.insert(run::<F>(host, binding)?),
        };
        match answer {
            Answer::Results(results) => match next_chunk(results) {
                // SAFETY: the statement has the declared columns (checked by `run`).
                Some(chunk) => unsafe { copy_chunk(&F::columns(), &chunk, output) },
                None => {
                    // SAFETY: the chunk is ours to fill.
                    unsafe { sys::duckdb_data_chunk_set_size(output, 0) };
                    Ok(())
                }
            },
            // SAFETY: rows have the declared columns.
            Answer::Cells(rows) => unsafe { copy_cells(&F::columns(), rows, output) },
        }
    });
}

fn run<F: TableFunction>(host: &Host, binding: &Binding<F::Bound>) -> Result<Answer> {
    let is_client_waiting = !binding.is_on_binding_thread();
    let _helping_thread = is_client_waiting.then(|| HelpingThread::start(*host));
    let answer = |session: Session| {
        let mut answer = F::answer(&binding.arguments, &session)?;
        answer.check(&F::columns())?;
        Ok(answer)
    };
    host.connect().and_then(answer).map_err(|error| error.context(F::NAME))
}

/// The next chunk of the first result that has one; those before it are freed.
fn next_chunk(results: &mut std::vec::IntoIter<Rows>) -> Option<RowChunk> {
    loop {
        if let Some(chunk) = results.as_mut_slice().first_mut()?.next_chunk() {
            return Some(chunk);
        }
        results.next();
    }
}

/// # Safety
/// * `output` has the columns declared and room for a full vector.
unsafe fn copy_cells(
    columns: &[(&'static str, ColumnType)],
    rows: &mut std::vec::IntoIter<Vec<Cell>>,
    output: sys::duckdb_data_chunk,
) -> Result<()> {
    // SAFETY: takes no argument.
    let room = usize::try_from(unsafe { sys::duckdb_vector_size() }).unwrap_or(1);
    let mut count = 0;
    for row in rows.take(room) {
        for ((index, (_, column_type)), cell) in columns.iter().enumerate().zip(&row) {
            // SAFETY: the index is below the column count, and the row below the room.
            unsafe {
                let vector = sys::duckdb_data_chunk_get_vector(output, index as u64);
                write_cell(vector, column_type, count, cell)?;
            }
        }
        count += 1;
    }
    // SAFETY: by the contract.
    unsafe { sys::duckdb_data_chunk_set_size(output, count) };
    Ok(())
}

/// # Safety
/// * `output` has the columns declared and room for the rows of `chunk`.
unsafe fn copy_chunk(
    columns: &[(&'static str, ColumnType)],
    chunk: &RowChunk,
    output: sys::duckdb_data_chunk,
) -> Result<()> {
    for ((index, (_, column_type)), column) in columns.iter().enumerate().zip(chunk.columns()) {
        // SAFETY: the index is below the column count.
        let vector = unsafe { sys::duckdb_data_chunk_get_vector(output, index as u64) };
        for row in 0..chunk.row_count() {
            let cell = crate::ffi::value::cell_at(&column, column_type, row);
            // SAFETY: by the contract.
            unsafe { write_cell(vector, column_type, row as u64, &cell)? };
        }
    }
    // SAFETY: by the contract.
    unsafe { sys::duckdb_data_chunk_set_size(output, chunk.row_count() as u64) };
    Ok(())
}
