//! Which row group a row of a Parquet file lies in, as an SQL expression of the row's number in the file.
//!
//! DuckDB tells a row's number and not its row group. Nearly all writers fill row groups with the same
//! number of rows, and then a division says it. Otherwise the boundaries are searched by a balanced tree of
//! comparisons: rows come in order, so that a vector of them takes one way through the tree.

use std::collections::HashMap;

use super::footers::RowGroupSize;
use crate::sql::quote::{identifier, text};

/// The row groups of some files.
pub struct RowGroups {
    of_file: HashMap<String, Vec<RowGroup>>,
}

/// Where a row group lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RowGroup {
    first_row: i64,
    row_count: i64,
}

impl RowGroups {
    /// The row groups in the order of each file.
    pub fn new(sizes: &[RowGroupSize]) -> RowGroups {
        let mut row_groups = RowGroups { of_file: HashMap::new() };
        sizes.iter().for_each(|group| row_groups.add(&group.file_name, group.row_count));
        row_groups
    }

    fn add(&mut self, file: &str, row_count: i64) {
        let groups = self.of_file.entry(file.to_owned()).or_default();
        let first_row =
            groups.last().map_or(0, |last| last.first_row.saturating_add(last.row_count));
        groups.push(RowGroup { first_row, row_count });
    }

    fn of(&self, file: &str) -> &[RowGroup] {
        self.of_file.get(file).map_or(&[], Vec::as_slice)
    }

    /// The number of the row group, from 0: an expression of the column that holds the file's name and of
    /// the number of the row in the file.
    pub fn expression(&self, files: &[&str], file_column: &str, row_number: &str) -> String {
        let largest = files.iter().filter_map(|file| self.of(file).first()).map(|g| g.row_count);
        let size = largest.max().unwrap_or(0);
        if files.iter().all(|file| has_size(self.of(file), size)) {
            return division(row_number, size);
        }
        let mut branches: Vec<(&str, String)> =
            files.iter().map(|file| (*file, of_file(self.of(file), row_number))).collect();
        branches.sort_unstable();
        branches.dedup_by(|next, kept| next.1 == kept.1);
        // A collation of the session must not matter, so names are compared as bytes.
        let column = identifier(file_column);
        search(&branches, &|file| format!("encode({column}) < encode({})", text(file)))
    }
}

/// Whether each row group starts where those before it are filled with `size` rows.
fn has_size(groups: &[RowGroup], size: i64) -> bool {
    // Counts of a damaged footer may have a product of more than 64 bits, which is then no start.
    let starts = (0_i64..)
        .zip(groups)
        .all(|(number, group)| number.checked_mul(size) == Some(group.first_row));
    size > 0 && starts && groups.last().is_none_or(|last| last.row_count <= size)
}

fn division(row_number: &str, size: i64) -> String {
    if size > 0 { format!("({row_number}) // {size}") } else { "0".into() }
}

fn of_file(groups: &[RowGroup], row_number: &str) -> String {
    let size = groups.first().map_or(0, |group| group.row_count);
    if has_size(groups, size) {
        return division(row_number, size);
    }
    // A row group without rows starts where the next one does, which is the one that is found.
    let mut branches: Vec<(i64, String)> = Vec::new();
    for (number, group) in groups.iter().enumerate().filter(|(_, group)| group.row_count > 0) {
        branches.push((group.first_row, number.to_string()));
    }
    search(&branches, &|first_row| format!("{row_number} < {first_row}"))
}

/// The branch of the last key that is not above; `is_below` compares with a key.
fn search<Key>(branches: &[(Key, String)], is_below: &dyn Fn(&Key) -> String) -> String {
    match branches {
        [] => "0".into(),
        [(_, result)] => result.clone(),
        _ => {
            let (left, right) = branches.split_at(branches.len() / 2);
            let condition = right.first().map_or("true".into(), |(key, _)| is_below(key));
            let (left, right) = (search(left, is_below), search(right, is_below));
            format!("CASE WHEN {condition} THEN {left} ELSE {right} END")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_groups(files: &[(&str, &[i64])]) -> RowGroups {
        let mut row_groups = RowGroups { of_file: HashMap::new() };
        for (file, counts) in files {
            counts.iter().for_each(|count| row_groups.add(file, *count));
        }
        row_groups
    }

    #[test]
    fn full_row_groups_are_a_division() {
        let groups = row_groups(&[("a", &[10, 10, 3]), ("b", &[7]), ("c", &[]), ("d", &[10, 10])]);
        assert_eq!(groups.expression(&["a", "b", "c", "d"], "f", "n"), "(n) // 10");
        assert_eq!(groups.expression(&["c"], "f", "n"), "0");
    }

    #[test]
    fn counts_of_damaged_footers_do_not_overflow() {
        let groups = row_groups(&[("a", &[1 << 62; 5]), ("b", &[i64::MAX, i64::MAX, -1])]);
        assert!(groups.expression(&["a"], "f", "n").starts_with("CASE WHEN n < "));
        assert!(groups.expression(&["a", "b"], "f", "n").starts_with("CASE WHEN encode"));
    }

    #[test]
    fn others_are_searched() {
        let groups = row_groups(&[("a", &[5, 0, 6, 1]), ("it's", &[3, 4]), ("c", &[4, 4])]);
        assert_eq!(
            groups.expression(&["a"], "f", "n"),
            "CASE WHEN n < 5 THEN 0 ELSE CASE WHEN n < 11 THEN 2 ELSE 3 END END"
        );
        assert_eq!(
            groups.expression(&["it's", "c"], "f", "n"),
            "CASE WHEN encode(\"f\") < encode('it''s') THEN (n) // 4 ELSE \
             CASE WHEN n < 3 THEN 0 ELSE 1 END END"
        );
    }
}
