//! A statement and what reads its rows, which belong together: values go by the names of their columns.
//!
//! The core composes no statement. The type stands here because both sides know it: who writes statements, and
//! who runs them.

/// The values of one row, by the names of their columns. A column that the result lacks, and one of another type
/// than asked for, read as NULL, and the statement fails as a whole.
pub trait NamedValues {
    /// A VARCHAR.
    fn text(&self, column: &str) -> Option<&str>;

    /// A VARCHAR or a BLOB.
    fn bytes(&self, column: &str) -> Option<&[u8]>;

    /// A BIGINT.
    fn integer(&self, column: &str) -> Option<i64>;

    /// A BOOLEAN.
    fn flag(&self, column: &str) -> Option<bool>;

    /// A VARCHAR of one's own.
    fn owned_text(&self, column: &str) -> Option<String> {
        self.text(column).map(str::to_owned)
    }
}

/// A SELECT, and what it makes of each row.
pub struct Query<T> {
    pub statement: String,
    pub read: fn(&dyn NamedValues) -> T,
}

impl<T> Query<T> {
    /// Puts the two together.
    pub fn new(statement: impl Into<String>, read: fn(&dyn NamedValues) -> T) -> Query<T> {
        Query { statement: statement.into(), read }
    }
}
