//! Finds what cannot be read, after an audit of the whole lake has failed. Each table is tried alone. Of one that fails,
//! the files are tried: the missing ones, those without a footer, then the rest by halves. What can be read is compared
//! on the way.

use super::audit::{Comparing, Unreadable};
use super::catalogue::DataFile;
use super::located::{is_missing, missing};
use super::scan::Extent;
use crate::function::parquet::footers::read_footers;
use crate::output::ducklake::findings::Comparison;
use crate::sql::lake::catalogue::sign_of_life;
use colstats_core::error::{Error, Result};

/// After so many statements for the files of one table it is given up.
const MAX_TRIES: usize = 200;

type Found = (Vec<Comparison>, Vec<Unreadable>);

/// The lake table by table. `error` is why the whole failed; it is told where nothing can be tried any more.
pub(super) fn apart(comparing: &Comparing<'_>, error: Error) -> Result<Found> {
    // Also after an interrupt or with no memory left, nothing could be told of the parts.
    if comparing.session.collect(&sign_of_life()).is_err() {
        return Err(error);
    }
    let (mut comparisons, mut unreadable) = Found::default();
    for table_id in comparing.lake.tables.keys() {
        let extent = Extent { table: Some(*table_id), is_table_wide: true, has_sizes: false };
        match comparing.compare(extent, &|_| true) {
            Ok(found) => comparisons.extend(found),
            Err(error) => {
                let mut files =
                    Files { comparing, table_id: *table_id, tries: 0, found: Found::default() };
                files.read_all(error);
                comparisons.extend(files.found.0);
                unreadable.extend(files.found.1);
            }
        }
    }
    Ok((comparisons, unreadable))
}

/// The files of a table that cannot be read as a whole.
struct Files<'call, 'lake> {
    comparing: &'call Comparing<'lake>,
    table_id: i64,
    tries: usize,
    found: Found,
}

impl Files<'_, '_> {
    fn read_all(&mut self, error: Error) {
        let Comparing { lake, session, .. } = self.comparing;
        let mut files: Vec<&DataFile> =
            lake.files.iter().filter(|file| file.table_id == self.table_id).collect();
        // Those that are missing are found without reading any; where they cannot be listed, by reading.
        let missing = missing(&files, session).unwrap_or_default();
        for file in &missing {
            self.give_up(Some(file), is_missing(file, lake));
        }
        let is_missing = |id: i64| missing.iter().any(|file| file.data_file_id == id);
        files.retain(|file| file.is_current && !is_missing(file.data_file_id));
        // Among files with and without a readable footer, the sick ones are likely those without.
        let names: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
        let footers = read_footers(&names, session);
        let (whole, doubtful): (Vec<&DataFile>, Vec<&DataFile>) =
            files.into_iter().partition(|file| footers.contains_key(&file.path));
        self.read(&doubtful);
        self.read(&whole);
        let inlined = lake.check_inlined(Some(self.table_id));
        if self.found.1.is_empty() || self.tries >= MAX_TRIES || inlined.is_err() {
            self.give_up(None, inlined.err().unwrap_or(error));
        }
    }

    fn read(&mut self, files: &[&DataFile]) {
        if files.is_empty() || self.tries >= MAX_TRIES {
            return;
        }
        self.tries += 1;
        let extent = Extent { table: Some(self.table_id), is_table_wide: false, has_sizes: false };
        let is_read = |file: &DataFile| files.iter().any(|f| f.data_file_id == file.data_file_id);
        match (self.comparing.compare(extent, &is_read), files) {
            // Some files tell nothing of the table's own row.
            (Ok(found), _) => {
                self.found.0.extend(found.into_iter().filter(|c| c.data_file_id.is_some()));
            }
            (Err(error), [file]) => self.give_up(Some(file), error),
            (Err(_), _) => {
                let (left, right) = files.split_at(files.len() / 2);
                self.read(left);
                self.read(right);
            }
        }
    }

    fn give_up(&mut self, file: Option<&DataFile>, error: Error) {
        self.found.1.push(Unreadable {
            table_id: self.table_id,
            data_file_id: file.map(|file| file.data_file_id),
            file_name: file.map(|file| file.path.clone()),
            error,
        });
    }
}
