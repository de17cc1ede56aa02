//! Statistics that are compared and not stored: nothing is cut, widened or left out.

use super::blob_text::escaped;
use colstats_core::column::column_type::ColumnType;
use colstats_core::summary::{Ends, Summary};
use colstats_core::value::{Scalar, Speller};

/// Smallest and largest value in DuckDB's own spelling (a BLOB with `\x` escapes), NaN left out. NULL where
/// there is none, where the type has no order, and where DuckDB has no text for the value.
pub fn ends(summary: &Summary, speller: &dyn Speller) -> (Option<String>, Option<String>) {
    let spell = |value| speller.spell(&summary.column_type, value);
    match &summary.ends {
        None => (None, None),
        Some(Ends::Boolean(min, max)) => (Some(min.to_string()), Some(max.to_string())),
        Some(Ends::Signed(min, max)) => (spell(Scalar::Signed(*min)), spell(Scalar::Signed(*max))),
        Some(Ends::Unsigned(min, max)) => {
            (spell(Scalar::Unsigned(*min)), spell(Scalar::Unsigned(*max)))
        }
        Some(Ends::Float(min, max)) => (spell(Scalar::Float(*min)), spell(Scalar::Float(*max))),
        Some(Ends::Double(min, max)) => (spell(Scalar::Double(*min)), spell(Scalar::Double(*max))),
        Some(Ends::Bytes { min, max, .. }) => {
            let [min, max] = [min, max].map(|end| {
                let bytes = (!end.is_cut).then_some(&*end.bytes)?;
                match summary.column_type.base() {
                    ColumnType::Blob => Some(escaped(bytes)),
                    _ => spell(Scalar::Bytes(bytes)),
                }
            });
            (min, max)
        }
    }
}

/// The box of geometries as `xmin, xmax, ymin, ymax, zmin, zmax, mmin, mmax`, and their types' names. `None`
/// for all other types, and where a value could not be read.
pub fn geometry(summary: &Summary) -> Option<([Option<f64>; 8], Vec<String>)> {
    let geometry = summary.geometry.as_ref().filter(|geometry| !geometry.is_unreadable)?;
    let mut ordinates = [None; 8];
    for (pair, range) in ordinates.chunks_mut(2).zip(geometry.axes) {
        if let (Some((min, max)), [low, high]) = (range, pair) {
            (*low, *high) = (Some(min), Some(max));
        }
    }
    Some((ordinates, geometry.type_names()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use colstats_core::kernels::bytes::Prefix;

    /// Spells bytes only, as a text.
    struct TextSpeller;

    impl Speller for TextSpeller {
        fn spell(&self, _: &ColumnType, value: Scalar<'_>) -> Option<String> {
            match value {
                Scalar::Bytes(bytes) => String::from_utf8(bytes.to_vec()).ok(),
                Scalar::Float(value) => Some(format!("{value:e}")),
                _ => None,
            }
        }
    }

    fn summary(column_type: ColumnType, ends: Ends) -> Summary {
        Summary {
            path: Vec::new(),
            column_type,
            value_count: 1,
            null_count: 0,
            nan_count: None,
            ends: Some(ends),
            geometry: None,
            truths: None,
            distinct: None,
            details: None,
        }
    }

    fn bytes(min: &[u8], max: &[u8], is_cut: bool) -> Ends {
        let end = |bytes: &[u8]| Prefix { bytes: bytes.into(), is_cut };
        Ends::Bytes { min: end(min), max: end(max), limit_bytes: 8 }
    }

    #[test]
    fn nothing_is_cut_or_widened() {
        let text = summary(ColumnType::Varchar, bytes(b"a\0b", b"b", false));
        assert_eq!(ends(&text, &TextSpeller), (Some("a\0b".into()), Some("b".into())));
        let float = summary(ColumnType::Float, Ends::Float(1e-30, 1e30));
        assert_eq!(ends(&float, &TextSpeller), (Some("1e-30".into()), Some("1e30".into())));
        let cut = summary(ColumnType::Varchar, bytes(b"a", b"b", true));
        assert_eq!(ends(&cut, &TextSpeller), (None, None));
    }

    #[test]
    fn blobs_are_escaped_as_duckdb_does() {
        let blob = summary(ColumnType::Blob, bytes(b"\\x4'\"", b"~ \x00\xFF", false));
        let expected = ("\\x5Cx4\\x27\\x22".to_owned(), "~ \\x00\\xFF".to_owned());
        assert_eq!(ends(&blob, &TextSpeller), (Some(expected.0), Some(expected.1)));
    }
}
