//! The `extra_stats` of geometries in a DuckLake catalogue, compared and merged.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// How the catalogue's box and types lie to the true ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeometryDifference {
    None,
    /// There are none, or no readable ones.
    Absent,
    /// Something lies outside.
    Inside,
    Wider,
}

/// The corners of a box in the JSON, each with whether it is a lower one.
const CORNERS: [(&str, bool); 8] = [
    ("xmin", true),
    ("xmax", false),
    ("ymin", true),
    ("ymax", false),
    ("zmin", true),
    ("zmax", false),
    ("mmin", true),
    ("mmax", false),
];

struct Geometry {
    corners: [Option<f64>; 8],
    types: BTreeSet<String>,
}

/// DuckLake reads a number without a decimal point or exponent as 0.0, and so does this.
fn as_ducklake_reads(number: &Value) -> Option<f64> {
    match number {
        Value::Number(number) if number.is_f64() => number.as_f64(),
        Value::Number(_) => Some(0.0),
        _ => None,
    }
}

fn parse(text: &str) -> Option<Geometry> {
    let value: Value = serde_json::from_str(text).ok()?;
    let bbox = value.get("bbox")?;
    let types = value.get("types")?.as_array()?;
    Some(Geometry {
        corners: CORNERS.map(|(name, _)| bbox.get(name).and_then(as_ducklake_reads)),
        types: types.iter().filter_map(|t| t.as_str().map(str::to_owned)).collect(),
    })
}

/// Compares the catalogue's text with the true one.
pub fn compare(stored: Option<&str>, truth: &str) -> GeometryDifference {
    let Some(truth) = parse(truth) else { return GeometryDifference::None };
    let Some(stored) = stored.and_then(parse) else {
        return if truth.types.is_empty() {
            GeometryDifference::None
        } else {
            GeometryDifference::Absent
        };
    };
    let (mut is_inside, mut is_wider) =
        (!truth.types.is_subset(&stored.types), stored.types != truth.types);
    for ((stored, truth), (_, is_lower)) in stored.corners.iter().zip(truth.corners).zip(CORNERS) {
        match (*stored, truth) {
            (Some(stored), Some(truth)) => {
                is_inside |= if is_lower { stored > truth } else { stored < truth };
                is_wider |= stored != truth;
            }
            // Without a corner nothing is decided by that axis.
            (None, Some(_)) | (Some(_), None) => is_wider = true,
            (None, None) => {}
        }
    }
    match (is_inside, is_wider) {
        (true, _) => GeometryDifference::Inside,
        (false, true) => GeometryDifference::Wider,
        (false, false) => GeometryDifference::None,
    }
}

/// The `extra_stats` of all texts together; `None` if one of them cannot be read.
pub fn merge<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut merged = Geometry { corners: [None; 8], types: BTreeSet::new() };
    for text in texts {
        let next = parse(text)?;
        for ((corner, more), (_, is_lower)) in
            merged.corners.iter_mut().zip(next.corners).zip(CORNERS)
        {
            *corner = match (*corner, more) {
                (Some(known), Some(more)) if is_lower => Some(known.min(more)),
                (Some(known), Some(more)) => Some(known.max(more)),
                (known, more) => known.or(more),
            };
        }
        merged.types.extend(next.types);
    }
    let corners = CORNERS.iter().zip(merged.corners);
    let bbox: Map<String, Value> = corners
        .map(|((name, _), corner)| ((*name).to_owned(), corner.map_or(Value::Null, |c| json!(c))))
        .collect();
    Some(json!({ "bbox": bbox, "types": merged.types }).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(xmin: &str, xmax: &str, types: &str) -> String {
        format!(
            r#"{{"bbox": {{"xmin": {xmin}, "xmax": {xmax}, "ymin": 0.0, "ymax": 1.0, "zmin": null,
                "zmax": null, "mmin": null, "mmax": null}}, "types": [{types}]}}"#
        )
    }

    #[test]
    fn a_box_is_compared_with_the_true_one() {
        let truth = stats("0.5", "2.0", r#""point""#);
        assert_eq!(compare(Some(&truth), &truth), GeometryDifference::None);
        assert_eq!(compare(None, &truth), GeometryDifference::Absent);
        let narrow = stats("0.6", "2.0", r#""point""#);
        assert_eq!(compare(Some(&narrow), &truth), GeometryDifference::Inside);
        let wide = stats("0.4", "2.0", r#""point""#);
        assert_eq!(compare(Some(&wide), &truth), GeometryDifference::Wider);
        // 3 is read as 0.0, and so as less than 2.0.
        let integer = stats("0.5", "3", r#""point""#);
        assert_eq!(compare(Some(&integer), &truth), GeometryDifference::Inside);
        let other = stats("0.5", "2.0", r#""polygon""#);
        assert_eq!(compare(Some(&other), &truth), GeometryDifference::Inside);
    }

    #[test]
    fn boxes_are_merged_with_reals() {
        let (left, right) =
            (stats("1.0", "2.0", r#""point""#), stats("0.5", "1.5", r#""linestring""#));
        let merged = merge([left.as_str(), right.as_str()]).unwrap_or_default();
        assert_eq!(
            compare(Some(&merged), &stats("0.5", "2.0", r#""linestring", "point""#)),
            GeometryDifference::None
        );
        assert!(merged.contains(r#""xmax":2.0"#), "{merged}");
        assert_eq!(merge(["broken"]), None);
    }
}
