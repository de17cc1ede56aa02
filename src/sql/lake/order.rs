//! How the bounds of a catalogue, which are texts, are compared: in the type of their column, as DuckLake
//! does it, and bytewise where that is a text.

/// The types in which the bounds of some columns are compared, each with its number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrderTypes {
    types: Vec<String>,
}

impl OrderTypes {
    /// The number of a type, which is added when it is new.
    pub fn number(&mut self, order_type: &str) -> usize {
        self.types.iter().position(|known| known == order_type).unwrap_or_else(|| {
            self.types.push(order_type.to_owned());
            self.types.len() - 1
        })
    }

    /// -1, 0 or 1 as, in the type that the expression `number` gives, the text `left` is less than, equal to or greater than `right`; NULL where one of them
    /// is NULL or no value of the type.
    pub fn compare(&self, number: &str, left: &str, right: &str) -> String {
        self.case(number, |order_type| {
            let (left, right) = (key(order_type, left), key(order_type, right));
            format!(
                "CASE WHEN {left} < {right} THEN -1 WHEN {left} = {right} THEN 0 \
                 WHEN {left} > {right} THEN 1 END"
            )
        })
    }

    /// Whether a text that is not NULL is no value of its column's type.
    pub fn is_unreadable(&self, number: &str, text: &str) -> String {
        self.case(number, |order_type| {
            format!("{text} IS NOT NULL AND {} IS NULL", key(order_type, text))
        })
    }

    /// The text of least (`arg_min`) or greatest (`arg_max`) value. A text is cast to its own column's type
    /// alone: casts that fail are slow.
    pub fn extreme(&self, function: &str, text: &str) -> String {
        let branch = |order_type: &str, number: usize| {
            let own =
                format!("CASE WHEN order_number = {number} THEN {} END", key(order_type, text));
            format!("{function}({text}, {own})")
        };
        self.cases("order_number", branch)
    }

    fn case(&self, number: &str, branch: impl Fn(&str) -> String) -> String {
        self.cases(number, |order_type, _| branch(order_type))
    }

    fn cases(&self, number: &str, branch: impl Fn(&str, usize) -> String) -> String {
        let branches: String = self
            .types
            .iter()
            .enumerate()
            .map(|(index, order_type)| format!(" WHEN {index} THEN {}", branch(order_type, index)))
            .collect();
        if branches.is_empty() { "NULL".into() } else { format!("CASE {number}{branches} END") }
    }
}

/// What a text is ordered by. A collation of the session must not matter, so texts are compared as bytes.
fn key(order_type: &str, text: &str) -> String {
    match order_type {
        "VARCHAR" => format!("encode({text})"),
        other => format!("TRY_CAST({text} AS {other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_one_branch() {
        let mut types = OrderTypes::default();
        assert_eq!(types.compare("n", "a", "b"), "NULL");
        assert_eq!(
            (types.number("DATE"), types.number("VARCHAR"), types.number("DATE")),
            (0, 1, 0)
        );
        assert_eq!(
            types.extreme("arg_min", "t"),
            "CASE order_number \
             WHEN 0 THEN arg_min(t, CASE WHEN order_number = 0 THEN TRY_CAST(t AS DATE) END) \
             WHEN 1 THEN arg_min(t, CASE WHEN order_number = 1 THEN encode(t) END) END"
        );
    }
}
