//! Rows in a statement: constants, none at all, and the rows of several statements.

/// `VALUES` and the rows: at least one.
pub fn values(rows: impl IntoIterator<Item = String>) -> String {
    format!("VALUES {}", rows.into_iter().collect::<Vec<_>>().join(", "))
}

/// All columns of `source` and none of its rows: tells their names and types.
pub fn probe(source: &str) -> String {
    format!("SELECT * FROM {source} LIMIT 0")
}

/// The rows of all statements, added up as a balanced tree: a thousand in a chain would be too deep to plan.
/// `None` where there is no statement.
pub fn union_all(mut statements: Vec<String>) -> Option<String> {
    while statements.len() > 1 {
        statements = statements
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => format!("({left}) UNION ALL ({right})"),
                other => other.concat(),
            })
            .collect();
    }
    statements.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_added_as_a_balanced_tree() {
        let statements = |count: i32| (0..count).map(|number| format!("S{number}")).collect();
        assert_eq!(union_all(statements(0)), None);
        assert_eq!(union_all(statements(1)).as_deref(), Some("S0"));
        let five = "(((S0) UNION ALL (S1)) UNION ALL ((S2) UNION ALL (S3))) UNION ALL (S4)";
        assert_eq!(union_all(statements(5)).as_deref(), Some(five));
    }
}
