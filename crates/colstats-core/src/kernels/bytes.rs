//! Smallest and largest text or byte string, kept to a bounded length, and how such a prefix becomes
//! a bound.
//!
//! A state keeps the first `limit` bytes of the smallest and of the largest value, and whether the
//! value went on. Cutting preserves order, so the cut extremes are those of the cut values, whatever
//! order the values come in. Turning a prefix into a bound (whole characters, no NUL byte, maximum
//! raised) happens once, at the end.

use std::cmp::Ordering;
use std::ops::Range;

use multiversion::multiversion;

use crate::column::vectors::{ByteString, Strings};

/// The beginning of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    pub bytes: Box<[u8]>,
    /// The value went on after these bytes.
    pub is_cut: bool,
}

impl Prefix {
    /// The first `limit_bytes` of a value.
    pub fn new(value: &[u8], limit_bytes: u32) -> Prefix {
        let (kept, is_cut) = cut(value, limit_bytes);
        Prefix { bytes: kept.into(), is_cut }
    }
}

/// Smallest and largest value by unsigned byte order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteExtremes {
    limit_bytes: u32,
    /// Smallest and largest; both or neither.
    pub ends: Option<(Prefix, Prefix)>,
}

impl ByteExtremes {
    /// An empty state that keeps `limit_bytes` of each end.
    pub fn new(limit_bytes: u32) -> Self {
        ByteExtremes { limit_bytes, ends: None }
    }

    /// How many bytes of each end are kept.
    pub fn limit_bytes(&self) -> u32 {
        self.limit_bytes
    }

    /// Takes in the valid rows of `rows`; nothing is copied unless an end moves.
    ///
    /// The first pass looks at the first four bytes only, which is cheap. Often that settles it: both
    /// ends known so far lie outside. Else the few candidates are compared in full.
    pub fn update<'a, S: Strings<'a>>(&mut self, strings: &S, rows: Range<usize>) {
        let Some([low, high]) = ends_by_prefix(strings, rows.clone()) else { return };
        let (find_min, find_max) = match &self.ends {
            None => (true, true),
            Some((min, max)) => (low <= prefix_of(&min.bytes), high >= prefix_of(&max.bytes)),
        };
        if !find_min && !find_max {
            return;
        }
        // The first string with such a prefix is mostly the only one: in columns of few different strings it
        // comes again and again, as the very same cell.
        let first = |prefix| strings.find_valid(rows.clone(), |item| item.prefix() == prefix);
        let (Some(low), Some(high)) = (first(low), first(high)) else { return };
        let [others_low, others_high] = others_of_prefix(strings, rows.clone(), [low, high]);
        let best = |first, others, wanted| {
            if others == 0 { first } else { best(strings, rows.clone(), first, wanted) }
        };
        if find_min {
            self.add_min(best(low, others_low, Ordering::Less).bytes());
        }
        if find_max {
            self.add_max(best(high, others_high, Ordering::Greater).bytes());
        }
    }

    /// Takes in what another pass saw. States of one column share their limit. If they do not,
    /// the smaller one holds, and what was kept beyond it is cut.
    pub fn merge(&mut self, other: &ByteExtremes) {
        if other.limit_bytes < self.limit_bytes {
            self.limit_bytes = other.limit_bytes;
            if let Some((min, max)) = &mut self.ends {
                shorten(min, other.limit_bytes);
                shorten(max, other.limit_bytes);
            }
        }
        if let Some((min, max)) = &other.ends {
            let (mut min, mut max) = (min.clone(), max.clone());
            shorten(&mut min, self.limit_bytes);
            shorten(&mut max, self.limit_bytes);
            self.add_prefixes(min, max);
        }
    }

    fn add_prefixes(&mut self, new_min: Prefix, new_max: Prefix) {
        match &mut self.ends {
            None => self.ends = Some((new_min, new_max)),
            Some((min, max)) => {
                match new_min.bytes.cmp(&min.bytes) {
                    Ordering::Less => *min = new_min,
                    // The uncut value is the smaller one of two that share all kept bytes.
                    Ordering::Equal => min.is_cut &= new_min.is_cut,
                    Ordering::Greater => {}
                }
                match new_max.bytes.cmp(&max.bytes) {
                    Ordering::Greater => *max = new_max,
                    Ordering::Equal => max.is_cut |= new_max.is_cut,
                    Ordering::Less => {}
                }
            }
        }
    }

    fn add_min(&mut self, value: &[u8]) {
        let (kept, is_cut) = cut(value, self.limit_bytes);
        match &mut self.ends {
            None => {
                let prefix = Prefix { bytes: kept.into(), is_cut };
                self.ends = Some((prefix.clone(), prefix));
            }
            Some((min, _)) => match kept.cmp(&min.bytes) {
                Ordering::Less => *min = Prefix { bytes: kept.into(), is_cut },
                Ordering::Equal => min.is_cut &= is_cut,
                Ordering::Greater => {}
            },
        }
    }

    fn add_max(&mut self, value: &[u8]) {
        let (kept, is_cut) = cut(value, self.limit_bytes);
        if let Some((_, max)) = &mut self.ends {
            match kept.cmp(&max.bytes) {
                Ordering::Greater => *max = Prefix { bytes: kept.into(), is_cut },
                Ordering::Equal => max.is_cut |= is_cut,
                Ordering::Less => {}
            }
        }
    }
}

fn cut(value: &[u8], limit_bytes: u32) -> (&[u8], bool) {
    match value.get(..limit_bytes as usize) {
        Some(kept) => (kept, kept.len() < value.len()),
        None => (value, false),
    }
}

fn shorten(prefix: &mut Prefix, limit_bytes: u32) {
    if let Some(kept) = prefix.bytes.get(..limit_bytes as usize)
        && kept.len() < prefix.bytes.len()
    {
        *prefix = Prefix { bytes: kept.into(), is_cut: true };
    }
}

/// The first four bytes as [`ByteString::prefix`] gives them.
fn prefix_of(bytes: &[u8]) -> u32 {
    let mut first = [0; 4];
    first.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u32::from_be_bytes(first)
}

/// The smallest and the largest first four bytes; `None` without a valid row.
#[multiversion(targets = "simd")]
fn ends_by_prefix<'a, S: Strings<'a>>(strings: &S, rows: Range<usize>) -> Option<[u32; 2]> {
    let (mut low, mut high) = (u32::MAX, u32::MIN);
    strings.for_each_valid(rows, |item| {
        low = low.min(item.prefix());
        high = high.max(item.prefix());
    });
    (low <= high).then_some([low, high])
}

/// For both ends: not zero if another string starts with the same four bytes. There is no branch per row, as
/// nobody can guess which rows hold an end.
#[multiversion(targets = "simd")]
fn others_of_prefix<'a, S: Strings<'a>>(
    strings: &S,
    rows: Range<usize>,
    [low, high]: [S::Item; 2],
) -> [u32; 2] {
    let (mut others_low, mut others_high) = (0, 0);
    strings.for_each_valid(rows, |item| {
        others_low |= item.other_of_prefix(low);
        others_high |= item.other_of_prefix(high);
    });
    [others_low, others_high]
}

/// The smallest (`Ordering::Less`) or largest of the strings that start with the prefix of `first`.
fn best<'a, S: Strings<'a>>(
    strings: &S,
    rows: Range<usize>,
    first: S::Item,
    wanted: Ordering,
) -> S::Item {
    let mut best = first;
    strings.for_each_valid(rows, |item| {
        if item.other_of_prefix(best) != 0 && compare(item, best) == wanted {
            best = item;
        }
    });
    best
}

/// Unsigned byte order. Most pairs differ in their first bytes, which compare as one number.
#[inline]
fn compare<'a, T: ByteString<'a>>(left: T, right: T) -> Ordering {
    left.first_twelve().cmp(&right.first_twelve()).then_with(|| left.bytes().cmp(right.bytes()))
}

/// The part of a prefix that can stand in a text bound: whole characters, valid UTF-8, no NUL.
/// Also says whether that part is the complete value, and whether a NUL byte ended it.
fn writable_text(prefix: &Prefix) -> (&str, bool, bool) {
    let valid = match std::str::from_utf8(&prefix.bytes) {
        Ok(text) => text,
        Err(error) => prefix
            .bytes
            .get(..error.valid_up_to())
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default(),
    };
    let (text, stops_at_nul) = match valid.find('\0') {
        Some(position) => (valid.get(..position).unwrap_or_default(), true),
        None => (valid, false),
    };
    (text, !prefix.is_cut && text.len() == prefix.bytes.len(), stops_at_nul)
}

/// A text that is not greater than any value whose smallest is `min`, and whether it is that value.
pub fn lower_text_bound(min: &Prefix) -> (String, bool) {
    let (text, is_exact, _) = writable_text(min);
    (text.to_owned(), is_exact)
}

/// A text of at most `limit_bytes` that is not smaller than any value whose largest is `max`, and
/// whether it is that value; `None` when nothing can be raised (every character is the last one).
pub fn upper_text_bound(max: &Prefix, limit_bytes: u32) -> Option<(String, bool)> {
    let (text, is_exact, stops_at_nul) = writable_text(max);
    if is_exact {
        return Some((text.to_owned(), true));
    }
    let limit_bytes = limit_bytes as usize;
    if stops_at_nul && text.len() < limit_bytes {
        // The next character after NUL: the tightest bound without a NUL byte in it.
        return Some((format!("{text}\u{1}"), false));
    }
    raise_text(text, limit_bytes).map(|raised| (raised, false))
}

/// Increments the last code point that can be incremented without outgrowing `limit_bytes`, dropping
/// what follows it; surrogates are skipped. This is the rule of Iceberg's string bounds; DuckLake's "last
/// ASCII byte + 1" is a special case of it.
fn raise_text(text: &str, limit_bytes: usize) -> Option<String> {
    text.char_indices().rev().find_map(|(position, character)| {
        let next = match character {
            '\u{D7FF}' => '\u{E000}',
            other => char::from_u32(u32::from(other) + 1)?,
        };
        let mut raised = text.get(..position)?.to_owned();
        raised.push(next);
        (raised.len() <= limit_bytes).then_some(raised)
    })
}

/// Bytes that are not smaller than any value whose largest is `max`; `None` when every byte is 0xFF.
pub fn upper_byte_bound(max: &Prefix) -> Option<Vec<u8>> {
    let mut bytes = max.bytes.to_vec();
    if !max.is_cut {
        return Some(bytes);
    }
    while let Some(last) = bytes.pop() {
        if let Some(raised) = last.checked_add(1) {
            bytes.push(raised);
            return Some(bytes);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns::ByteColumn;

    fn seen(limit: u32, values: &[&[u8]]) -> ByteExtremes {
        let mut extremes = ByteExtremes::new(limit);
        extremes.update(&ByteColumn::new(values), 0..values.len());
        extremes
    }

    fn bounds(limit: u32, values: &[&str]) -> (String, Option<String>) {
        let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
        let (min, max) = seen(limit, &values).ends.unwrap();
        (lower_text_bound(&min).0, upper_text_bound(&max, limit).map(|(text, _)| text))
    }

    #[test]
    fn short_values_are_exact() {
        assert_eq!(bounds(256, &["b", "", "abc"]), (String::new(), Some("b".into())));
        assert_eq!(
            bounds(256, &["vivo", "三星", "360", "é", "🦆"]),
            ("360".into(), Some("🦆".into()))
        );
    }

    #[test]
    fn long_values_are_cut_at_characters_and_raised() {
        assert_eq!(bounds(4, &["abcdef"]), ("abcd".into(), Some("abce".into())));
        // Three bytes of two-byte characters leave one character.
        assert_eq!(bounds(3, &["éé"]), ("é".into(), Some("ê".into())));
        assert_eq!(bounds(4, &["a\u{10FFFF}bc"]), ("a".into(), Some("b".into())));
        assert_eq!(bounds(4, &["\u{10FFFF}\u{10FFFF}"]), ("\u{10FFFF}".into(), None));
        assert_eq!(bounds(3, &["\u{D7FF}x"]), ("\u{D7FF}".into(), Some("\u{E000}".into())));
        // Raising U+007F makes it two bytes: an earlier character is raised instead.
        assert_eq!(bounds(2, &["a\u{7F}c"]), ("a\u{7F}".into(), Some("b".into())));
        assert_eq!(bounds(1, &["\u{7F}\u{7F}"]), ("\u{7F}".into(), None));
    }

    #[test]
    fn nul_and_invalid_bytes_stay_out_of_text_bounds() {
        assert_eq!(bounds(256, &["a\0b", "a", "a\0"]), ("a".into(), Some("a\u{1}".into())));
        assert_eq!(bounds(256, &["\0", "\0\0", ""]), (String::new(), Some("\u{1}".into())));
        let (min, max) = seen(256, &[b"x\xFFy"]).ends.unwrap();
        assert_eq!(lower_text_bound(&min), ("x".into(), false));
        assert_eq!(upper_text_bound(&max, 256), Some(("y".into(), false)));
        let (_, max) = seen(256, &[b"\xFF"]).ends.unwrap();
        assert_eq!(upper_text_bound(&max, 256), None);
    }

    #[test]
    fn byte_bounds_carry() {
        let upper = |limit, value: &[u8]| upper_byte_bound(&seen(limit, &[value]).ends.unwrap().1);
        assert_eq!(upper(2, b"\x01\xFF\x00"), Some(vec![2]));
        assert_eq!(upper(2, b"\xFF\xFF\x00"), None);
        assert_eq!(upper(2, b"\xFF\xFF"), Some(vec![0xFF, 0xFF]));
    }

    #[test]
    fn cut_flags_depend_on_all_values_that_share_the_prefix() {
        let extremes = seen(2, &[b"ab", b"abc"]);
        let (min, max) = extremes.ends.unwrap();
        assert!(!min.is_cut && max.is_cut);
    }
}
