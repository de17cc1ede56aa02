//! Values: what DuckDB stores ([`Scalar`]), what a caller gives ([`Literal`]), what a result holds ([`Cell`]),
//! and what writes values as text ([`Speller`]).
//!
//! How a value of some type is written as text is DuckDB's own business (dates before Christ, shortest
//! floats), so whoever needs the text asks a [`Speller`] for it.

use crate::column::column_type::ColumnType;
use crate::error::{Error, Result};

/// A value as DuckDB stores it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    Signed(i128),
    Unsigned(u128),
    Float(f32),
    Double(f64),
    Bytes(&'a [u8]),
}

/// Writes values as DuckDB's own cast to VARCHAR does, times with a zone in UTC.
pub trait Speller {
    /// The text of `value`, which is of type `column_type`; `None` when DuckDB has no text for it.
    fn spell(&self, column_type: &ColumnType, value: Scalar<'_>) -> Option<String>;
}

/// One cell of a result, matching its declared type.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Boolean(bool),
    BigInt(i64),
    Double(f64),
    Varchar(String),
    Blob(Vec<u8>),
    Struct(Vec<Cell>),
    List(Vec<Cell>),
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, Into::into)
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Cell {
        Cell::Boolean(value)
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Cell {
        Cell::BigInt(value)
    }
}

impl From<u64> for Cell {
    /// Counts stay far below the largest BIGINT; one that did not would be shown as that.
    fn from(value: u64) -> Cell {
        Cell::BigInt(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::Double(value)
    }
}

impl From<Vec<u8>> for Cell {
    fn from(value: Vec<u8>) -> Cell {
        Cell::Blob(value)
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Cell {
        Cell::Varchar(value)
    }
}

/// A constant of any type.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    Null,
    Boolean(bool),
    Integer(i64),
    Text(String),
    /// Any other type: its text, to be cast back.
    Typed {
        text: String,
        type_name: String,
    },
    List(Vec<Literal>),
    Struct(Vec<(String, Literal)>),
    Map(Vec<(Literal, Literal)>),
    /// A constant expression that a statement holds as it stands; never an argument.
    Expression(String),
}

impl Literal {
    /// What it is, for messages.
    fn kind(&self) -> &str {
        match self {
            Literal::Null => "NULL",
            Literal::Boolean(_) => "BOOLEAN",
            Literal::Integer(_) => "an integer",
            Literal::Text(_) => "VARCHAR",
            Literal::Typed { type_name, .. } => type_name,
            Literal::List(_) => "a list",
            Literal::Struct(_) => "a STRUCT",
            Literal::Map(_) => "a MAP",
            Literal::Expression(_) => "an expression",
        }
    }

    fn mismatch(&self, argument: &str, expected: &str) -> Error {
        match self {
            Literal::Null => Error::new(format!("{argument} must not be NULL; give {expected}")),
            other => Error::new(format!("{argument} must be {expected}, not {}", other.kind())),
        }
    }

    /// A text.
    pub fn as_text(&self, argument: &str) -> Result<&str> {
        match self {
            Literal::Text(text) => Ok(text),
            other => Err(other.mismatch(argument, "a VARCHAR")),
        }
    }

    /// A text or a list of texts.
    pub fn as_texts(&self, argument: &str) -> Result<Vec<String>> {
        let expected = "a VARCHAR or a list of VARCHAR";
        match self {
            Literal::Text(text) => Ok(vec![text.clone()]),
            Literal::List(items) => items
                .iter()
                .map(|item| match item {
                    Literal::Text(text) => Ok(text.clone()),
                    Literal::Null => {
                        Err(Error::new(format!("{argument} must not hold NULL; leave it out")))
                    }
                    other => Err(other.mismatch(&format!("an entry of {argument}"), "a VARCHAR")),
                })
                .collect(),
            other => Err(other.mismatch(argument, expected)),
        }
    }

    /// A truth value.
    pub fn as_boolean(&self, argument: &str) -> Result<bool> {
        match self {
            Literal::Boolean(value) => Ok(*value),
            other => Err(other.mismatch(argument, "true or false")),
        }
    }

    /// An integer.
    pub fn as_integer(&self, argument: &str) -> Result<i64> {
        match self {
            Literal::Integer(value) => Ok(*value),
            // The types of integers that do not all fit.
            Literal::Typed { text, type_name } if type_name.ends_with("INT") => {
                text.parse().map_err(|_| self.mismatch(argument, "an integer below 2^63"))
            }
            other => Err(other.mismatch(argument, "an integer")),
        }
    }

    /// The entries of a STRUCT, or of a MAP whose keys are texts.
    pub fn as_entries(&self, argument: &str) -> Result<Vec<(String, Literal)>> {
        let expected = "a STRUCT such as {'delim': ';'} or a MAP with VARCHAR keys";
        match self {
            Literal::Struct(fields) => Ok(fields.clone()),
            Literal::Map(entries) => entries
                .iter()
                .map(|(key, value)| match key {
                    Literal::Text(key) => Ok((key.clone(), value.clone())),
                    _ => Err(self.mismatch(argument, expected)),
                })
                .collect(),
            other => Err(other.mismatch(argument, expected)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_told_what_was_expected() {
        let error = Literal::Integer(3).as_texts("files").unwrap_err().to_string();
        assert_eq!(error, "files must be a VARCHAR or a list of VARCHAR, not an integer");
        let error = Literal::List(vec![Literal::Null]).as_texts("files").unwrap_err().to_string();
        assert_eq!(error, "files must not hold NULL; leave it out");
    }
}
