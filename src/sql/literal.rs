//! Arguments of SQL functions as values, and as text again.

use super::quote;
use colstats_core::error::{Error, Result};

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
    /// The constant as an SQL expression.
    pub fn to_sql(&self) -> String {
        match self {
            Literal::Null => "NULL".into(),
            Literal::Boolean(value) => value.to_string(),
            Literal::Integer(value) => value.to_string(),
            Literal::Text(text) => quote::text(text),
            Literal::Expression(expression) => expression.clone(),
            Literal::Typed { text, type_name } => {
                format!("CAST({} AS {type_name})", quote::text(text))
            }
            Literal::List(items) => {
                let items: Vec<String> = items.iter().map(Literal::to_sql).collect();
                format!("[{}]", items.join(", "))
            }
            Literal::Struct(fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| format!("{}: {}", quote::text(name), value.to_sql()))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
            Literal::Map(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("{}: {}", key.to_sql(), value.to_sql()))
                    .collect();
                format!("MAP {{{}}}", entries.join(", "))
            }
        }
    }

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
    fn literals_become_sql() {
        let literal = Literal::Struct(vec![
            ("delim".into(), Literal::Text(";".into())),
            ("header".into(), Literal::Boolean(true)),
            ("types".into(), Literal::List(vec![Literal::Text("INT".into()), Literal::Null])),
            ("it's".into(), Literal::Map(vec![(Literal::Integer(1), Literal::Integer(2))])),
        ]);
        assert_eq!(
            literal.to_sql(),
            "{'delim': ';', 'header': true, 'types': ['INT', NULL], 'it''s': MAP {1: 2}}"
        );
    }

    #[test]
    fn wrong_arguments_are_told_what_was_expected() {
        let error = Literal::Integer(3).as_texts("files").unwrap_err().to_string();
        assert_eq!(error, "files must be a VARCHAR or a list of VARCHAR, not an integer");
        let error = Literal::List(vec![Literal::Null]).as_texts("files").unwrap_err().to_string();
        assert_eq!(error, "files must not hold NULL; leave it out");
    }
}
