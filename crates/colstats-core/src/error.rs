//! The one error type of the extension: a message written for the SQL user, with the context that
//! was gathered on the way up (function, file, column).
//!
//! There are no codes and no kinds that a caller would branch on: DuckDB's C API carries a text, so
//! the text is what is designed. It says what is wrong and, where there is one, the remedy.

use std::fmt;

/// A failure, worded for the person who typed the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
    context: Vec<String>,
}

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Error { message: message.into(), context: Vec::new() }
    }

    /// Puts `context` (for example `file 'x.parquet'`) in front of what is there.
    #[must_use]
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.context.push(context.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for context in self.context.iter().rev() {
            write!(formatter, "{context}: ")?;
        }
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_reads_from_the_outside_in() {
        let error = Error::new("not a number").context("column 'a'").context("file_column_stats");
        assert_eq!(error.to_string(), "file_column_stats: column 'a': not a number");
    }
}
