//! No files of the core import each other, not even by way of others: each can be read, and changed, after those that it
//! stands on. The compiler allows circles within a crate.

use std::collections::{BTreeMap, BTreeSet};

use crate::boundary_tests::{SourceFile, source_files};

/// The parts of a path, such as `crate`, `state` and `format`.
type Path = Vec<String>;

/// What each module imports, by its path without `crate`.
type Imports = BTreeMap<Path, BTreeSet<Path>>;

/// The module that a file of the core is; the one of `core/lib.rs` has no parts.
fn module_of(file: &SourceFile) -> Option<Path> {
    let path = file.path.strip_prefix("core/")?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    Some(path.split('/').filter(|part| *part != "lib").map(str::to_owned).collect())
}

/// Words, `::`, and all other characters one by one; no spaces.
fn tokens(code: &str) -> Vec<&str> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            first if is_word(first) => rest.find(|other| !is_word(other)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            first => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// Adds the paths that start at the first of `tokens`, which is a word or a brace, each behind `prefix`. Gives how many
/// tokens they take.
fn add_paths(tokens: &[&str], mut prefix: Path, paths: &mut Vec<Path>) -> usize {
    let mut taken = 0;
    while let Some(token) = tokens.get(taken) {
        taken += 1;
        if *token == "{" {
            while tokens.get(taken).is_some_and(|token| *token != "}") {
                taken += add_paths(&tokens[taken..], prefix.clone(), paths).max(1);
            }
            return taken + 1;
        }
        if !token.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            return taken - 1;
        }
        prefix.push((*token).to_owned());
        match tokens.get(taken) {
            Some(&"::") => taken += 1,
            _ => break,
        }
    }
    paths.push(prefix);
    taken
}

/// The paths in code, with the braces of imports written out.
fn named_paths(code: &str) -> Vec<Path> {
    let tokens = tokens(code);
    let mut paths = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        // A brace that stands for itself is a block.
        let is_brace = tokens[index] == "{";
        index +=
            if is_brace { 1 } else { add_paths(&tokens[index..], Path::new(), &mut paths).max(1) };
    }
    paths
}

/// The module that `path` leads to from `module`, as far as it names modules.
fn target(path: &[String], module: &Path, modules: &BTreeSet<Path>) -> Option<Path> {
    // A single word is a name in the file, or says who may see an item.
    let (first, mut rest) = path.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let mut target = if first == "crate" { Path::new() } else { module.clone() };
    if first == "super" {
        target.pop();
    } else if first != "crate" && first != "self" {
        // The path of a part that the module declares, or one that leads out of the core.
        target.push(first.clone());
        if !modules.contains(&target) {
            return None;
        }
    }
    while let Some(after) = rest.strip_prefix(&["super".to_owned()]) {
        target.pop();
        rest = after;
    }
    target.extend_from_slice(rest);
    while !target.is_empty() && !modules.contains(&target) {
        target.pop();
    }
    Some(target)
}

fn imports(files: &[SourceFile]) -> Imports {
    let modules: BTreeSet<Path> = files.iter().filter_map(module_of).collect();
    let mut imports = Imports::new();
    for file in files {
        let Some(module) = module_of(file) else { continue };
        let code: Vec<&str> = file.product_code().map(|(_, code)| code).collect();
        let paths = named_paths(&code.join("\n"));
        let targets = paths.iter().filter_map(|path| target(path, &module, &modules));
        let targets = targets.filter(|target| *target != module).collect();
        imports.insert(module, targets);
    }
    imports
}

/// The modules that lead back to themselves.
fn circles(imports: &Imports) -> Vec<String> {
    let leads_back = |module: &&Path| {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&Path> = imports[*module].iter().collect();
        while let Some(target) = next.pop() {
            if reached.insert(target) {
                next.extend(imports.get(target).into_iter().flatten());
            }
        }
        reached.contains(*module)
    };
    imports.keys().filter(leads_back).map(|module| module.join("::")).collect()
}

#[test]
fn no_files_of_the_core_import_each_other() {
    let circles = circles(&imports(&source_files()));
    assert!(circles.is_empty(), "stand on each other:\n{}", circles.join("\n"));
}

fn file(path: &str, code: &str) -> SourceFile {
    SourceFile { path: path.into(), lines: code.lines().map(str::to_owned).collect() }
}

#[test]
fn circles_are_seen_whichever_way_an_import_is_written() {
    let there = file("core/room/door.rs", "use crate::leaf::Leaf;\n");
    for back in [
        "use crate::room::door::Door;",
        "use crate::{\n    error::Error,\n    room::{door::Door, window},\n};",
        "use super::room::door;",
        "fn leave(door: &crate::room::door::Door) {}",
    ] {
        let found =
            circles(&imports(&[file("core/leaf.rs", back), file(&there.path, &there.lines[0])]));
        assert_eq!(found, ["leaf", "room::door"], "{back}");
    }
    // A room and its parts; three in a row; and what only tests import.
    let room = file("core/room/mod.rs", "mod door;\nuse door::Door;");
    let part = file("core/room/door.rs", "use super::Room;");
    assert_eq!(circles(&imports(&[room, part])), ["room", "room::door"]);
    let row = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")];
    let row =
        row.map(|(from, to)| file(&format!("core/{from}.rs"), &format!("use crate::{to}::X;")));
    assert_eq!(circles(&imports(&row)), ["a", "b", "c"]);
    let tested = file("core/leaf.rs", "mod tests {\n    use crate::room::door::Door;\n}");
    assert!(circles(&imports(&[tested, there])).is_empty());
}

#[test]
fn imports_are_those_of_the_core() {
    let imports = imports(&source_files());
    let path = |text: &str| text.split("::").map(str::to_owned).collect::<Path>();
    assert!(imports[&path("leaf")].contains(&path("kernels::float")));
    assert!(imports[&path("kernels::geometry")].contains(&path("kernels::wkb")));
    assert!(imports[&path("sketch::hive_hll::sparse")].contains(&path("sketch::hive_hll::hash")));
    assert!(imports[&path("sketch::hive_hll")].contains(&path("sketch::hive_hll::sparse")));
}
