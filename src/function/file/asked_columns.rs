//! The option `columns` of `file_column_stats`: which leaves are reported, over all files of a call.

use crate::sql::quote::identifier;
use colstats_core::error::{Error, Result};

/// How many columns a message lists.
const MAX_LISTED: usize = 20;

/// What was asked for, and which of it was met so far.
pub struct AskedColumns<'call> {
    asked: Option<&'call [String]>,
    met: Vec<bool>,
    /// The columns of the files, for the message.
    known: Vec<String>,
}

impl<'call> AskedColumns<'call> {
    /// The option as it was given; without it all leaves are reported.
    pub fn new(asked: Option<&'call [String]>) -> Self {
        AskedColumns {
            asked,
            met: vec![false; asked.map_or(0, <[String]>::len)],
            known: Vec::new(),
        }
    }

    /// Notes that a file has this column.
    pub fn know(&mut self, column: &str) {
        if self.known.len() <= MAX_LISTED && !self.known.iter().any(|known| known == column) {
            self.known.push(column.to_owned());
        }
    }

    /// Whether a leaf is asked for: `columns` may name the column of the file, or the leaf or any part of one
    /// as `column_name` writes it.
    pub fn includes(&mut self, column: &str, leaf: &str) -> bool {
        let Some(asked) = self.asked else { return true };
        let mut is_asked = false;
        for (name, met) in asked.iter().zip(&mut self.met) {
            let is_part = leaf.len() > name.len()
                && leaf.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                && leaf.get(name.len()..).is_some_and(|rest| rest.starts_with('.'));
            if name.eq_ignore_ascii_case(column) || name.eq_ignore_ascii_case(leaf) || is_part {
                *met = true;
                is_asked = true;
            }
        }
        is_asked
    }

    /// An error for what is in none of the files; `file` is the first of them.
    pub fn check(&self, file: &str, file_count: usize) -> Result<()> {
        let unmet = self.asked.unwrap_or_default().iter().zip(&self.met).find(|(_, met)| !**met);
        let Some((name, _)) = unmet else { return Ok(()) };
        let listed: Vec<String> =
            self.known.iter().take(MAX_LISTED).map(|name| identifier(name)).collect();
        let more = if self.known.len() > MAX_LISTED { ", and more" } else { "" };
        let more_files = match file_count {
            ..=1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        Err(Error::new(format!(
            "column '{name}' is in none of the files ('{file}'{more_files}); the columns are {}{more}",
            listed.join(", ")
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_leaves_and_parts_are_met_in_any_case() {
        let asked = ["S.x".to_owned(), "b".to_owned()];
        let mut columns = AskedColumns::new(Some(&asked));
        assert!(columns.includes("s", "s.X") && columns.includes("s", "s.x.y"));
        assert!(!columns.includes("s", "s.xy"));
        for number in 0..30 {
            columns.know(&format!("c{number}"));
            columns.know("c0");
        }
        let message = columns.check("f", 1).unwrap_err().to_string();
        assert!(
            message.starts_with("column 'b' is in none of the files ('f'); the columns are \"c0\"")
        );
        let message = columns.check("f", 3).unwrap_err().to_string();
        assert!(message.starts_with("column 'b' is in none of the files ('f' and 2 more); "));
        assert!(message.ends_with("\"c19\", and more"), "{message}");
        assert!(columns.includes("B", "B.z"));
        assert!(columns.check("f", 3).is_ok());
        assert!(AskedColumns::new(None).includes("a", "a"));
    }
}
