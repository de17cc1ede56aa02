//! What is wrong with the statistics of a Parquet footer, and what a reader that trusts them loses.
//!
//! The rules are those of Parquet's `parquet.thrift`: `min_value` and `max_value` are bounds of all values
//! but NULL and NaN, exact only where a flag says so; counts are those of level entries; the fields `min`
//! and `max` before them are deprecated, had no defined order, and are still read where nothing else is.

/// One statistic of a column chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FooterStatistic {
    NumValues,
    NullCount,
    NanCount,
    Min,
    Max,
    DeprecatedMin,
    DeprecatedMax,
    MinIsExact,
    MaxIsExact,
    Box,
    GeometryTypes,
}

impl FooterStatistic {
    /// All of them, in the order of the rows.
    pub const ALL: [FooterStatistic; 11] = [
        FooterStatistic::NumValues,
        FooterStatistic::NullCount,
        FooterStatistic::NanCount,
        FooterStatistic::Min,
        FooterStatistic::Max,
        FooterStatistic::DeprecatedMin,
        FooterStatistic::DeprecatedMax,
        FooterStatistic::MinIsExact,
        FooterStatistic::MaxIsExact,
        FooterStatistic::Box,
        FooterStatistic::GeometryTypes,
    ];

    /// What the column `statistic` says.
    pub fn name(self) -> &'static str {
        match self {
            FooterStatistic::NumValues => "num_values",
            FooterStatistic::NullCount => "null_count",
            FooterStatistic::NanCount => "nan_count",
            FooterStatistic::Min => "min",
            FooterStatistic::Max => "max",
            FooterStatistic::DeprecatedMin => "deprecated_min",
            FooterStatistic::DeprecatedMax => "deprecated_max",
            FooterStatistic::MinIsExact => "min_is_exact",
            FooterStatistic::MaxIsExact => "max_is_exact",
            FooterStatistic::Box => "bbox",
            FooterStatistic::GeometryTypes => "geo_types",
        }
    }

    /// The inverse of [`FooterStatistic::name`].
    pub fn named(name: &str) -> Option<FooterStatistic> {
        FooterStatistic::ALL.into_iter().find(|statistic| statistic.name() == name)
    }
}

/// Which values of a row group show that a statistic is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offence {
    /// Values below, or above, the footer's bound.
    Below,
    Above,
    /// NULL, where the footer has none.
    Null,
    /// Values, where the footer has NULL only.
    Value,
    /// NaN, where the footer has none.
    Nan,
    /// Geometries out of the footer's box, or of a type that its list lacks.
    OutsideBox,
    OtherType,
}

impl Offence {
    /// A word for statements.
    pub fn name(self) -> &'static str {
        match self {
            Offence::Below => "below",
            Offence::Above => "above",
            Offence::Null => "null",
            Offence::Value => "value",
            Offence::Nan => "nan",
            Offence::OutsideBox => "box",
            Offence::OtherType => "type",
        }
    }
}

/// One wrong statistic of one column chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FooterFinding {
    /// The file's place among the files, and the leaf's among the leaves.
    pub file_number: usize,
    pub leaf_number: usize,
    pub row_group_id: i64,
    pub statistic: FooterStatistic,
    pub footer_value: Option<String>,
    pub true_value: Option<String>,
    /// What the chunk really holds; NaN is a value.
    pub value_count: i64,
    pub null_count: i64,
    /// The footer has the field that replaced the deprecated one, too.
    pub has_successor: bool,
    /// The column is stored as INT96.
    pub is_int96: bool,
    /// The footer says that all entries are NULL. DuckDB 2.0 does not read such a column chunk, so the
    /// counts say nothing then.
    pub claims_null: bool,
    /// It is none unless a value shows it: a box that goes around the antimeridian, with data on both sides of its gap.
    pub needs_proof: bool,
}

const SKIPS_BELOW: &str = "a filter for values below this minimum skips the row group and loses rows; \
                           MIN answered from the footer is wrong";
const SKIPS_ABOVE: &str = "a filter for values above this maximum skips the row group and loses rows; \
                           MAX answered from the footer is wrong";

const NO_MINIMUM: &str =
    "no row is lost, as there is no value; MIN answered from the footer is wrong";
const NO_MAXIMUM: &str =
    "no row is lost, as there is no value; MAX answered from the footer is wrong";
const CONTRADICTS: &str = "the footer says that all entries are NULL, too: if that is right, MIN and MAX answered \
                           from it are wrong; if not, readers that do not read such a column chunk (DuckDB \
                           since 2.0) lose all its values";

impl FooterFinding {
    fn footer_count(&self) -> i64 {
        self.footer_value.as_ref().and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// The values to look for; `None` where no single value shows the fault.
    pub fn offence(&self) -> Option<Offence> {
        match self.statistic {
            _ if self.value_count + self.null_count == 0 => None,
            FooterStatistic::Min | FooterStatistic::DeprecatedMin => {
                self.true_value.as_ref().map(|_| Offence::Below)
            }
            FooterStatistic::Max | FooterStatistic::DeprecatedMax => {
                self.true_value.as_ref().map(|_| Offence::Above)
            }
            FooterStatistic::NullCount if self.footer_count() == 0 => Some(Offence::Null),
            FooterStatistic::NullCount if self.says_all_null() => Some(Offence::Value),
            FooterStatistic::NanCount if self.footer_count() == 0 => Some(Offence::Nan),
            FooterStatistic::Box => Some(Offence::OutsideBox),
            FooterStatistic::GeometryTypes => Some(Offence::OtherType),
            _ => None,
        }
    }

    /// The footer counts at least as many NULLs as there are entries, and there are values.
    fn says_all_null(&self) -> bool {
        self.value_count > 0 && self.footer_count() >= self.value_count + self.null_count
    }

    /// What a reader that trusts the footer loses.
    pub fn effect(&self) -> String {
        match self.statistic {
            FooterStatistic::NumValues => {
                "what is derived from it, such as COUNT of the column, is wrong".into()
            }
            FooterStatistic::NullCount => self.null_count_effect().into(),
            FooterStatistic::NanCount => self.nan_count_effect().into(),
            FooterStatistic::Min
            | FooterStatistic::Max
            | FooterStatistic::DeprecatedMin
            | FooterStatistic::DeprecatedMax => self.bound_effect(),
            FooterStatistic::MinIsExact => {
                "MIN answered from the footer is a value that no row has".into()
            }
            FooterStatistic::MaxIsExact => {
                "MAX answered from the footer is a value that no row has".into()
            }
            FooterStatistic::Box => {
                "a spatial filter outside of this box skips the row group and loses rows".into()
            }
            FooterStatistic::GeometryTypes => {
                "a filter for a geometry type that is not listed skips the row group and loses rows"
                    .into()
            }
        }
    }

    fn null_count_effect(&self) -> &'static str {
        if self.footer_count() == 0 {
            "IS NULL skips the row group and loses rows; COUNT answered from the footer is wrong"
        } else if self.says_all_null() {
            "every filter but IS NULL skips the row group and loses rows; COUNT answered from the footer is wrong"
        } else {
            "COUNT and the share of NULL answered from the footer are wrong"
        }
    }

    fn nan_count_effect(&self) -> &'static str {
        if self.footer_count() == 0 {
            "a filter that NaN passes skips the row group and loses rows"
        } else {
            "the share of NaN answered from the footer is wrong"
        }
    }

    fn bound_effect(&self) -> String {
        let is_min =
            matches!(self.statistic, FooterStatistic::Min | FooterStatistic::DeprecatedMin);
        let is_deprecated = matches!(
            self.statistic,
            FooterStatistic::DeprecatedMin | FooterStatistic::DeprecatedMax
        );
        let effect = match (&self.true_value, is_min) {
            (None, _) if self.claims_null => CONTRADICTS,
            (None, true) => NO_MINIMUM,
            (None, false) => NO_MAXIMUM,
            (Some(_), true) => SKIPS_BELOW,
            (Some(_), false) => SKIPS_ABOVE,
        };
        let successor = if is_min { "min_value" } else { "max_value" };
        if self.is_int96 {
            format!(
                "in readers that use statistics of INT96, which has no defined order \
                 (DuckDB before 2.0 does): {effect}"
            )
        } else if is_deprecated && self.has_successor {
            format!(
                "in readers that prefer the deprecated field to {successor} \
                 (ducklake_add_data_files does): {effect}"
            )
        } else if is_deprecated {
            format!(
                "in readers that take the deprecated field where {successor} is absent (DuckDB does): {effect}"
            )
        } else {
            effect.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(
        statistic: FooterStatistic,
        footer: &str,
        value_count: i64,
        null_count: i64,
    ) -> FooterFinding {
        FooterFinding {
            file_number: 0,
            leaf_number: 0,
            row_group_id: 0,
            statistic,
            footer_value: Some(footer.into()),
            true_value: (value_count > 0).then(|| "1".into()),
            value_count,
            null_count,
            has_successor: false,
            is_int96: false,
            claims_null: false,
            needs_proof: false,
        }
    }

    #[test]
    fn names_can_be_read_back() {
        for statistic in FooterStatistic::ALL {
            assert_eq!(FooterStatistic::named(statistic.name()), Some(statistic));
        }
        assert_eq!(FooterStatistic::named("median"), None);
    }

    #[test]
    fn offences_follow_the_footer() {
        let offence =
            |statistic, footer, values, nulls| finding(statistic, footer, values, nulls).offence();
        assert_eq!(offence(FooterStatistic::Min, "5", 3, 0), Some(Offence::Below));
        assert_eq!(offence(FooterStatistic::Max, "5", 0, 3), None);
        assert_eq!(offence(FooterStatistic::NullCount, "0", 3, 1), Some(Offence::Null));
        assert_eq!(offence(FooterStatistic::NullCount, "4", 3, 1), Some(Offence::Value));
        assert_eq!(offence(FooterStatistic::NullCount, "2", 3, 1), None);
        assert_eq!(offence(FooterStatistic::NanCount, "0", 3, 1), Some(Offence::Nan));
        assert_eq!(offence(FooterStatistic::NumValues, "9", 3, 1), None);
    }

    #[test]
    fn effects_say_who_is_hurt() {
        let mut old = finding(FooterStatistic::DeprecatedMin, "5", 3, 0);
        assert!(
            old.effect().starts_with("in readers that take the deprecated field where min_value")
        );
        old.has_successor = true;
        assert!(old.effect().contains("ducklake_add_data_files"));
        assert!(finding(FooterStatistic::Max, "5", 0, 3).effect().starts_with("no row is lost"));
        let mut void = finding(FooterStatistic::Min, "5", 0, 3);
        void.claims_null = true;
        assert!(void.effect().contains("since 2.0) lose all its values"));
        assert!(
            finding(FooterStatistic::NullCount, "0", 3, 1).effect().starts_with("IS NULL skips")
        );
        assert!(
            finding(FooterStatistic::NullCount, "4", 3, 1).effect().starts_with("every filter but")
        );
    }
}
