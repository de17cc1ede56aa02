//! The rules of this code base that the compiler does not know, checked on the text of `src/`.

use std::collections::BTreeMap;
use std::path::Path;

/// The folders of sources, and what the paths in them begin with here.
const ROOTS: [(&str, &str); 2] = [("src", ""), ("crates/colstats-core/src", "core/")];

/// A file of the extension, or of its core.
pub struct SourceFile {
    /// Relative to `src/`, with `/` between the parts; files of the core begin with `core/`.
    pub path: String,
    pub lines: Vec<String>,
}

impl SourceFile {
    fn is_below(&self, folder: &str) -> bool {
        self.path.starts_with(&format!("{folder}/"))
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("tests.rs") || self.is_below("core/testing")
    }

    /// How many lines ship: all before the module `tests` that ends the file.
    fn product_line_count(&self) -> usize {
        if self.is_test() {
            return 0;
        }
        let is_start = |line: &String| line.starts_with("mod tests {");
        self.lines.iter().position(is_start).unwrap_or(self.lines.len())
    }

    /// The lines without comments, with their index.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let code = |line: &'_ str| line.split("//").next().unwrap_or_default().len();
        self.lines.iter().map(move |line| &line[..code(line)]).enumerate()
    }

    /// The part of [`SourceFile::code`] that ships.
    pub fn product_code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code().take(self.product_line_count())
    }

    fn place(&self, index: usize) -> String {
        format!("{}:{}: {}", self.path, index + 1, self.lines[index].trim())
    }

    /// First and last line of each function, as rustfmt indents them.
    fn functions(&self) -> Vec<(usize, usize)> {
        let is_head = |code: &str| match code.split_once("fn ") {
            Some((before, _)) => {
                let words = ["pub", "pub(crate)", "const", "unsafe", "extern", "\"C\""];
                before.split_whitespace().all(|word| words.contains(&word)) && !code.ends_with('}')
            }
            None => false,
        };
        let heads = self.code().filter(|(_, code)| is_head(code)).map(|(index, _)| index);
        let end_of = |start: usize| {
            let indent = self.lines[start].len() - self.lines[start].trim_start().len();
            let end = format!("{}}}", " ".repeat(indent));
            let length = self.lines[start..].iter().position(|line| {
                // A function without a body ends with its head.
                *line == end
                    || line.ends_with(';') && line.len() - line.trim_start().len() == indent
            });
            start + length.unwrap_or_default()
        };
        heads.map(|start| (start, end_of(start))).collect()
    }
}

/// All Rust files of the extension and its core, by path.
pub fn source_files() -> Vec<SourceFile> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for (root, prefix) in ROOTS {
        let root = repository.join(root);
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let path =
                        path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                    let lines = text.lines().map(str::to_owned).collect();
                    files.push(SourceFile { path: format!("{prefix}{path}"), lines });
                }
            }
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files
}

/// Whether `code` has `pattern` in it, as whole words.
pub fn mentions(code: &str, pattern: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    code.match_indices(pattern).any(|(start, _)| {
        let (before, after) = (&code[..start], &code[start + pattern.len()..]);
        !(pattern.starts_with(is_word) && before.ends_with(is_word)
            || pattern.ends_with(is_word) && after.starts_with(is_word))
    })
}

/// The places in `files` whose code mentions one of `patterns`.
fn places<'f>(files: impl IntoIterator<Item = &'f SourceFile>, patterns: &[&str]) -> Vec<String> {
    let mut places = Vec::new();
    for file in files {
        for (index, code) in file.product_code() {
            if patterns.iter().any(|pattern| mentions(code, pattern)) {
                places.push(file.place(index));
            }
        }
    }
    places
}

#[track_caller]
fn assert_none(rule: &str, places: Vec<String>) {
    assert!(places.is_empty(), "{rule}:\n{}", places.join("\n"));
}

#[test]
fn only_ffi_is_unsafe_and_knows_the_c_api() {
    let files = source_files();
    let outside = files.iter().filter(|file| !file.is_below("ffi"));
    let patterns = ["unsafe", "libduckdb_sys", "duckdb::", "extern \"C\""];
    assert_none("belongs into src/ffi", places(outside, &patterns));
}

#[test]
fn unsafe_code_says_why_it_is_sound() {
    let mut silent = Vec::new();
    for file in source_files() {
        for (index, code) in file.product_code() {
            let (marker, reach) = if mentions(code, "unsafe fn") || code.contains("unsafe extern") {
                ("# Safety", 12)
            } else if code.contains("unsafe {") || mentions(code, "unsafe impl") {
                ("// SAFETY", 6)
            } else {
                continue;
            };
            let above = &file.lines[index.saturating_sub(reach)..index];
            if !above.iter().any(|line| line.contains(marker)) {
                silent.push(file.place(index));
            }
        }
    }
    assert_none("lacks its `// SAFETY:` or `# Safety`", silent);
}

#[test]
fn nothing_panics_by_design() {
    let patterns =
        [".unwrap()", ".expect(", "panic!", "todo!", "unimplemented!", "unreachable!", "dbg!"];
    assert_none("panics", places(&source_files(), &patterns));
}

#[test]
fn nothing_is_global() {
    let files = source_files();
    let patterns = ["static mut", "LazyLock", "LazyCell", "thread_local"];
    assert_none("outlives a call", places(&files, &patterns));
    // What is computed once may be part of a value, but not of the process.
    let is_static = |place: &String| place.split(": ").skip(1).any(|code| mentions(code, "static"));
    let mut cells = places(&files, &["OnceLock", "OnceCell"]);
    cells.retain(is_static);
    assert_none("outlives a call", cells);
}

/// The paths within this crate that `code` names.
fn own_paths(code: &str) -> Vec<&str> {
    code.match_indices("crate::").map(|(start, _)| &code[start..]).collect()
}

/// The places below `folder` that name something of this crate which none of `known` begins.
fn foreign_places(files: &[SourceFile], folder: &str, known: &[&str]) -> Vec<String> {
    let is_known = |path: &&str| known.iter().any(|known| path.starts_with(known));
    let mut foreign = Vec::new();
    for file in files.iter().filter(|file| file.is_below(folder)) {
        for (index, code) in file.product_code() {
            if !own_paths(code).iter().all(is_known) {
                foreign.push(file.place(index));
            }
        }
    }
    foreign
}

#[test]
fn shapes_know_the_core_alone() {
    let files = source_files();
    assert_none("looks outward", foreign_places(&files, "output", &["crate::output::"]));
}

/// Statements know shapes, too: a statement over a catalogue asks the shape how its bounds are ordered.
#[test]
fn statements_know_the_core_and_shapes() {
    let known = ["crate::sql::", "crate::output::"];
    assert_none("looks outward", foreign_places(&source_files(), "sql", &known));
}

#[test]
fn ffi_knows_columns_and_no_statistic() {
    let known = ["crate::ffi::", "crate::function::register("];
    let files = source_files();
    let mut found = foreign_places(&files, "ffi", &known);
    let statistics = ["accumulator", "details", "leaf", "parquet", "sketch", "state", "summary"];
    let statistics = statistics.map(|module| format!("colstats_core::{module}"));
    let statistics: Vec<&str> = statistics.iter().map(String::as_str).collect();
    found.extend(places(files.iter().filter(|file| file.is_below("ffi")), &statistics));
    assert_none("is no business of src/ffi", found);
}

/// What DuckDB answers only with the extension ICU, which hosts built for embedding lack; it would be loaded by
/// itself, or fail.
const NEEDS_ICU: [&str; 15] = [
    "(now()",
    " now()",
    "today()",
    "get_current_",
    "current_timestamp",
    "current_date",
    "current_time",
    "localtime",
    "epoch(",
    "date_trunc(",
    "date_part(",
    "strftime(",
    "timezone(",
    "AT TIME ZONE",
    "icu_",
];

#[test]
fn statements_need_no_extension_but_the_readers_own() {
    let files = source_files();
    let composing = files.iter().filter(|file| file.is_below("sql") || file.is_below("function"));
    assert_none("needs the extension ICU", places(composing, &NEEDS_ICU));
    let sample =
        SourceFile { path: "sql/sample.rs".into(), lines: vec!["\"SELECT now()\"".into()] };
    assert_eq!(places([&sample], &NEEDS_ICU).len(), 1);
}

#[test]
fn statements_stand_in_one_layer() {
    const BEGINNINGS: [&str; 3] = ["\"SELECT ", "\"FROM (", "\"WITH "];
    let files = source_files();
    let others = files.iter().filter(|file| file.is_below("function"));
    assert_none("is SQL text, which belongs into src/sql", places(others, &BEGINNINGS));
    let lines =
        ["\"SELECT 1\"", "give(\"FROM (x)\")", "\"give a SELECT statement\"", "// \"WITH x\""];
    let lines = lines.map(str::to_owned).to_vec();
    let sample = SourceFile { path: "function/sample.rs".into(), lines };
    assert_eq!(places([&sample], &BEGINNINGS).len(), 2);
}

/// The public items of a file, methods aside: those that no module, function or block encloses.
fn public_items(file: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    let name = |code: &'_ str| {
        let kinds = ["const fn ", "fn ", "struct ", "enum ", "trait ", "type ", "const "];
        let (visibility, item) =
            code.split_once(' ').filter(|(word, _)| word.starts_with("pub"))?;
        let begins = kinds.iter().find(|kind| item.starts_with(**kind))?;
        let start = visibility.len() + 1 + begins.len();
        let end = code[start..].find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(start..start + end)
    };
    file.product_code().filter_map(move |(index, code)| Some((index, &code[name(code)?])))
}

/// The public items of a layer whose name an item of another room has, too.
fn items_of_one_name(files: &[SourceFile], layer: &str) -> Vec<String> {
    let mut places: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_below(layer)) {
        let rest = &file.path[layer.len() + 1..];
        let room = rest.split(['/', '.']).next().unwrap_or_default();
        for (index, name) in public_items(file).filter(|(_, name)| *name != "register") {
            places.entry(name).or_default().entry(room).or_insert_with(|| file.place(index));
        }
    }
    let repeated = places.into_values().filter(|rooms| rooms.len() > 1);
    repeated.flat_map(BTreeMap::into_values).collect()
}

#[test]
fn a_name_has_one_meaning_in_a_layer() {
    let files = source_files();
    for layer in ["core", "function", "sql", "output"] {
        assert_none("is also the name of something else", items_of_one_name(&files, layer));
    }
    let sample = |path: &str, lines: &[&str]| SourceFile {
        path: path.into(),
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
    };
    let samples = [
        sample(
            "sql/a/x.rs",
            &["pub fn read(file: &str) {}", "pub struct Row {", "pub fn register() {}"],
        ),
        sample("sql/a/y.rs", &["pub struct Row;", "    pub fn compose(&self) {}", "fn list() {}"]),
        sample(
            "sql/b.rs",
            &["pub const fn read() {}", "    pub fn compose(&self) {}", "pub fn list() {}"],
        ),
        sample("output/b.rs", &["pub struct Row<'a> {", "pub fn register() {}"]),
    ];
    let expected =
        ["sql/a/x.rs:1: pub fn read(file: &str) {}", "sql/b.rs:1: pub const fn read() {}"];
    assert_eq!(items_of_one_name(&samples, "sql"), expected);
}

#[test]
fn connections_are_opened_in_two_places() {
    let files = source_files();
    let others =
        files.iter().filter(|file| !["ffi/session.rs", "ffi/registry.rs"].contains(&&*file.path));
    assert_none("opens a connection", places(others, &["duckdb_connect", "Connection::open"]));
}

#[test]
fn files_are_short() {
    let files = source_files();
    let long = files.iter().filter(|file| file.lines.len() > 420);
    let place = |file: &SourceFile| format!("{}: {} lines", file.path, file.lines.len());
    assert_none("is longer than 420 lines", long.map(place).collect());
}

#[test]
fn functions_are_short() {
    let mut long = Vec::new();
    for file in source_files() {
        for (start, end) in file.functions() {
            if end - start >= 60 {
                long.push(format!("{} ({} lines)", file.place(start), end - start + 1));
            }
        }
    }
    assert_none("is longer than 60 lines", long);
}

#[test]
fn files_are_named_for_what_they_hold() {
    let vague = ["utils.rs", "util.rs", "helpers.rs", "helper.rs", "common.rs", "misc.rs"];
    let is_vague =
        |file: &SourceFile| vague.contains(&file.path.rsplit('/').next().unwrap_or_default());
    let files = source_files();
    let found = files.iter().filter(|file| is_vague(file)).map(|file| file.path.clone());
    assert_none("says nothing", found.collect());
}

#[test]
fn the_rules_see_what_they_look_for() {
    assert!(mentions("let x = unsafe { y };", "unsafe"));
    assert!(!mentions("#![forbid(unsafe_code)]", "unsafe"));
    assert!(!mentions("libduckdb::x", "duckdb::"));
    let files = source_files();
    let file = files.iter().find(|file| file.path == "boundary_tests.rs").unwrap();
    let lengths: Vec<usize> = file.functions().iter().map(|(start, end)| end - start + 1).collect();
    assert!(lengths.len() > 15 && lengths.iter().all(|length| *length > 2), "{lengths:?}");
    assert!(files.iter().any(|file| file.path == "core/sketch/mod.rs"));
    assert!(!places(files.iter().filter(|file| file.is_below("ffi")), &["unsafe"]).is_empty());
    assert!(!foreign_places(&files, "function", &["crate::function::"]).is_empty());
    assert_eq!(
        own_paths("use crate::sql::x; crate::y()"),
        ["crate::sql::x; crate::y()", "crate::y()"]
    );
}
