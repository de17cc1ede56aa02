//! Arguments of SQL functions as text again.

use super::quote;
use colstats_core::value::Literal;

/// The constant as an SQL expression.
pub fn constant(literal: &Literal) -> String {
    match literal {
        Literal::Null => "NULL".into(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Text(text) => quote::text(text),
        Literal::Expression(expression) => expression.clone(),
        Literal::Typed { text, type_name } => {
            format!("CAST({} AS {type_name})", quote::text(text))
        }
        Literal::List(items) => {
            let items: Vec<String> = items.iter().map(constant).collect();
            format!("[{}]", items.join(", "))
        }
        Literal::Struct(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}: {}", quote::text(name), constant(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Literal::Map(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", constant(key), constant(value)))
                .collect();
            format!("MAP {{{}}}", entries.join(", "))
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
            constant(&literal),
            "{'delim': ';', 'header': true, 'types': ['INT', NULL], 'it''s': MAP {1: 2}}"
        );
    }
}
