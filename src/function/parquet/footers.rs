//! The footers of Parquet files, read by colstats itself where it can.
//!
//! DuckDB's `parquet_metadata` writes every bound of a footer as text. It takes longer for a small file than the
//! scan, and at some bounds it raises an internal error, which ends the whole database, or ends the process
//! ([`colstats_core::parquet::listing`]). So it only ever sees footers that were read here first and found harmless,
//! or whose schema has no type with such bounds.
//!
//! DuckDB lends an extension no file handle. A local file is opened here once DuckDB, asked with `glob`, allows the
//! access to it (`enable_external_access`, `allowed_directories`, `disabled_filesystems`).

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::ffi::session::Session;
use crate::sql::file::listing::existing_files;
use crate::sql::file::statement::{FileSizes, exact_path, is_pattern};
use crate::sql::parquet::footers::{chunk_sizes, remote_footer, remote_size, row_count};
use colstats_core::error::Result;
use colstats_core::parquet::footer::Footer;

/// So much of the end of a file is read first; most footers lie in it.
const FIRST_READ_BYTES: u64 = 64 << 10;

/// The longest footer that is read.
const MAX_FOOTER_BYTES: u64 = 256 << 20;

/// Up to this size a remote file is fetched whole to see its footer: DuckDB reads no part of one.
const MAX_REMOTE_BYTES: i64 = 64 << 20;

/// Footers by file.
pub type Footers = HashMap<String, Footer>;

/// The footers of those files that are local and in order.
pub fn read_footers(files: &[String], session: &Session) -> Footers {
    // DuckDB 1.5 puts `./` before a bare name that holds characters of a pattern, and takes an untidy name that holds
    // some for a pattern: only its own listing tells which file it reads.
    let is_plain = |file: &str| !is_pattern(file) || file.contains('/') && exact_path(file) != file;
    let is_read = |file: &&str| is_local(file) && is_plain(file);
    let local: Vec<&str> = files.iter().map(String::as_str).filter(is_read).collect();
    if local.is_empty() || session.collect(&existing_files(&local)).is_err() {
        return Footers::new();
    }
    let footer = |file: &str| Some((file.to_owned(), Footer::decode(&file_end(file)?)?));
    local.into_iter().filter_map(footer).collect()
}

fn is_local(file: &str) -> bool {
    !file.contains("://")
}

/// The last bytes of a file, in which its whole footer lies.
fn file_end(path: &str) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    let file_bytes = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let end = last_bytes(&mut file, file_bytes.min(FIRST_READ_BYTES))?;
    let length = end.len().checked_sub(8).and_then(|start| end.get(start..start + 4))?;
    let needed_bytes = u64::from(u32::from_le_bytes(length.try_into().ok()?)) + 8;
    if needed_bytes <= end.len() as u64 {
        return Some(end);
    }
    if needed_bytes > file_bytes.min(MAX_FOOTER_BYTES) {
        return None;
    }
    last_bytes(&mut file, needed_bytes)
}

fn last_bytes(file: &mut File, count: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::End(-i64::try_from(count).ok()?)).ok()?;
    let mut bytes = vec![0; usize::try_from(count).ok()?];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// The footer of a small remote file. In a path with a Hive key that is called like a column of `read_blob`, DuckDB
/// 1.5 and 2.0 raise an internal error.
pub fn read_remote_footer(file: &str, session: &Session) -> Option<Footer> {
    const BLOB_COLUMNS: [&str; 4] = ["filename=", "content=", "size=", "last_modified="];
    let lower = file.to_ascii_lowercase();
    if is_local(file) || BLOB_COLUMNS.iter().any(|column| lower.contains(column)) {
        return None;
    }
    let sizes = session.collect(&remote_size(file)).ok()?;
    sizes.first().copied().flatten().filter(|size| *size <= MAX_REMOTE_BYTES)?;
    session.collect(&remote_footer(file)).ok()?.pop().flatten()
}

/// What is known of the sizes of the files: from their footers, else from DuckDB's listing, which `unlisted` files
/// must not meet.
pub fn file_sizes(
    files: &[String],
    footers: &Footers,
    unlisted: &HashMap<String, String>,
    session: &Session,
) -> HashMap<String, FileSizes> {
    let mut known = HashMap::new();
    let mut asked = Vec::new();
    for file in files {
        match footers.get(file) {
            Some(footer) => {
                let chunk_bytes = Some(footer.chunk_bytes.clone());
                known.insert(
                    file.clone(),
                    FileSizes { has_rows: footer.row_count > 0, chunk_bytes },
                );
            }
            None if unlisted.contains_key(file) => {
                known.insert(file.clone(), unsized_file(file, session));
            }
            None => asked.push(file.as_str()),
        }
    }
    add_sizes(&mut known, &asked, session);
    known
}

/// Asks DuckDB for the sizes. `parquet_metadata` fails at a bound that has no text, such as a timestamp out of range;
/// the values can be read all the same. So the file that it fails at is searched by halves, and of that one only the
/// number of rows is asked.
fn add_sizes(known: &mut HashMap<String, FileSizes>, files: &[&str], session: &Session) {
    if files.is_empty() {
        return;
    }
    match (listed_sizes(files, session), files) {
        (Ok(listed), _) => known.extend(listed),
        (Err(_), [file]) => {
            known.insert((*file).to_owned(), unsized_file(file, session));
        }
        (Err(_), _) => {
            let (left, right) = files.split_at(files.len() / 2);
            add_sizes(known, left, session);
            add_sizes(known, right, session);
        }
    }
}

fn listed_sizes(files: &[&str], session: &Session) -> Result<HashMap<String, FileSizes>> {
    // A file without row groups has no row in the answer.
    let empty = || FileSizes { has_rows: false, chunk_bytes: Some(Vec::new()) };
    let mut known: HashMap<String, FileSizes> =
        files.iter().map(|file| ((*file).to_owned(), empty())).collect();
    for chunk in session.collect(&chunk_sizes(files))? {
        if let Some(known) = known.get_mut(&chunk.file_name) {
            known.has_rows |= chunk.has_entries;
            known.chunk_bytes.get_or_insert_default().push(chunk.compressed_bytes);
        }
    }
    Ok(known)
}

fn unsized_file(file: &str, session: &Session) -> FileSizes {
    let counts = session.collect(&row_count(file)).unwrap_or_default();
    FileSizes { has_rows: counts.iter().flatten().any(|count| *count > 0), chunk_bytes: None }
}
