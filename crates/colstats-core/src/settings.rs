//! What the caller of statistics may choose.

use crate::details::DetailSettings;
use crate::error::{Error, Result};

/// The choices, the same for every leaf of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How many bytes of a text or byte string are kept for its bound.
    pub max_bound_bytes: u32,
    /// The precision of the sketch of distinct values; `None` for no sketch.
    pub sketch_precision: Option<u8>,
    /// What only some shapes need; `None` keeps `column_stats` as quick as it is.
    pub details: Option<DetailSettings>,
}

impl Settings {
    /// Settings with another bound length.
    pub fn with_max_bound_bytes(bytes: i64) -> Result<Settings> {
        match u32::try_from(bytes) {
            Ok(max_bound_bytes) if max_bound_bytes > 0 && bytes <= i64::from(i32::MAX) => {
                Ok(Settings { max_bound_bytes, ..Settings::default() })
            }
            _ => Err(Error::new(format!(
                "max_bound_bytes must lie between 1 and {}, not {bytes}",
                i32::MAX
            ))),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        // DuckDB's Parquet writer cuts string bounds at the same length.
        Settings { max_bound_bytes: 256, sketch_precision: None, details: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_lengths_are_limited() {
        for bytes in [1, 256, i64::from(i32::MAX)] {
            let settings = Settings::with_max_bound_bytes(bytes).unwrap();
            assert_eq!(i64::from(settings.max_bound_bytes), bytes);
        }
        for bytes in [0, -1, i64::from(i32::MAX) + 1, i64::MAX, i64::MIN] {
            let message = Settings::with_max_bound_bytes(bytes).unwrap_err().to_string();
            assert!(message.contains(&bytes.to_string()), "{message}");
        }
    }
}
