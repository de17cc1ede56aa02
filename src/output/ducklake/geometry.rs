//! The `extra_stats` of geometries in a DuckLake catalogue, written, compared and merged.
//!
//! The planner of DuckLake 1.5.5 decides `&&` by the four corners of x and y in the row of a table
//! (test/e2e/lake/test_boxes_of_geometries.py): by a box with all four, and by none without any. A box that has some of
//! them excludes everything, so none is ever written.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// How the catalogue's box and types lie to the true ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeometryDifference {
    None,
    /// The text is no JSON object, or names a part twice, of which DuckLake takes the first.
    Unreadable,
    /// The box has some of the corners of x and y.
    Incomplete,
    /// Something lies outside.
    Inside,
    /// There are none.
    Absent,
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

/// How many of the corners, from the first on, are those of x and y.
const PLANE: usize = 4;

struct Geometry {
    corners: [Option<f64>; 8],
    /// The box is not null: null says that no box holds all vertices. One of nulls says that there are none.
    is_bounded: bool,
    types: Option<BTreeSet<String>>,
}

impl Geometry {
    fn parse(text: &str) -> Option<Geometry> {
        let value: Value = serde_json::from_str(text).ok()?;
        if !value.is_object() || written_members(text) != members(&value) {
            return None;
        }
        let bbox = value.get("bbox").unwrap_or(&Value::Null);
        let types = value.get("types").and_then(Value::as_array);
        let names = |types: &Vec<Value>| {
            types.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        Some(Geometry {
            corners: CORNERS.map(|(name, _)| bbox.get(name).and_then(as_ducklake_reads)),
            is_bounded: !bbox.is_null(),
            types: types.map(names),
        })
    }

    /// How many of the corners of x and y it has.
    fn plane_corners(&self) -> usize {
        self.corners.iter().take(PLANE).flatten().count()
    }

    fn has_vertices(&self) -> bool {
        !self.is_bounded || self.plane_corners() > 0
    }
}

/// DuckLake reads a number without a decimal point or exponent as 0.0, and so does this.
fn as_ducklake_reads(number: &Value) -> Option<f64> {
    match number {
        Value::Number(number) if number.is_f64() => number.as_f64(),
        Value::Number(_) => Some(0.0),
        _ => None,
    }
}

/// How many members the objects in a JSON text have as it is written: one for each colon outside of texts.
fn written_members(json: &str) -> usize {
    let (mut count, mut is_in_text, mut is_escaped) = (0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_in_text = !is_in_text,
            b':' if !is_in_text => count += 1,
            _ => {}
        }
    }
    count
}

/// How many are left when it was read. serde_json keeps one member for each name.
fn members(value: &Value) -> usize {
    match value {
        Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
        Value::Array(items) => items.iter().map(members).sum(),
        _ => 0,
    }
}

/// Compares the catalogue's text with the true one, which is `None` where nothing can be told of the values.
pub fn compare(stored: Option<&str>, truth: Option<&str>) -> GeometryDifference {
    let truth = truth.and_then(Geometry::parse);
    let Some(stored) = stored else {
        let is_telling =
            |truth: Geometry| truth.is_bounded && truth.types.is_some_and(|t| !t.is_empty());
        return if truth.is_some_and(is_telling) {
            GeometryDifference::Absent
        } else {
            GeometryDifference::None
        };
    };
    let Some(stored) = Geometry::parse(stored) else { return GeometryDifference::Unreadable };
    let is_incomplete = !matches!(stored.plane_corners(), 0 | PLANE);
    if is_incomplete && truth.as_ref().is_none_or(Geometry::has_vertices) {
        return GeometryDifference::Incomplete;
    }
    truth.map_or(GeometryDifference::None, |truth| compare_parts(&stored, &truth))
}

fn compare_parts(stored: &Geometry, truth: &Geometry) -> GeometryDifference {
    let none = BTreeSet::new();
    let true_types = truth.types.as_ref().unwrap_or(&none);
    let types = stored.types.as_ref();
    let mut is_inside = types.is_some_and(|types| !true_types.is_subset(types));
    let mut is_wider = types.is_some_and(|types| types != true_types);
    let mut is_absent = types.is_none() && !true_types.is_empty();
    if truth.is_bounded {
        is_absent |= stored.plane_corners() == 0 && truth.plane_corners() > 0;
        for ((stored, truth), (_, is_lower)) in
            stored.corners.iter().zip(truth.corners).zip(CORNERS)
        {
            match (*stored, truth) {
                (Some(stored), Some(truth)) => {
                    is_inside |= if is_lower { stored > truth } else { stored < truth };
                    is_wider |= stored != truth;
                }
                (None, Some(_)) | (Some(_), None) => is_wider = true,
                (None, None) => {}
            }
        }
    } else {
        is_inside |= stored.plane_corners() > 0;
    }
    match (is_inside, is_absent, is_wider) {
        (true, _, _) => GeometryDifference::Inside,
        (false, true, _) => GeometryDifference::Absent,
        (false, false, true) => GeometryDifference::Wider,
        (false, false, false) => GeometryDifference::None,
    }
}

/// The text of a box, which is `None` where none holds all vertices, and of types.
pub fn geometry_stats(corners: Option<[Option<f64>; 8]>, types: Vec<String>) -> String {
    // A number is written as the shortest text that reads back as the same double, so no rounding can move it inside
    // the data; and as a real.
    let bbox = corners.map(|corners| -> Map<String, Value> {
        let named = CORNERS.iter().zip(corners);
        named.map(|((name, _), corner)| ((*name).to_owned(), json!(corner))).collect()
    });
    json!({ "bbox": bbox, "types": types }).to_string()
}

/// The `extra_stats` of all texts together; `None` if one of them cannot be read.
pub fn merge<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let (mut corners, mut is_bounded, mut types) = ([None; 8], true, BTreeSet::new());
    for text in texts {
        let next = Geometry::parse(text)?;
        for ((corner, more), (_, is_lower)) in corners.iter_mut().zip(next.corners).zip(CORNERS) {
            *corner = match (*corner, more) {
                (Some(known), Some(more)) if is_lower => Some(f64::min(known, more)),
                (Some(known), Some(more)) => Some(f64::max(known, more)),
                (known, more) => known.or(more),
            };
        }
        is_bounded &= next.is_bounded;
        types.extend(next.types?);
    }
    Some(geometry_stats(is_bounded.then_some(corners), types.into_iter().collect()))
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
        assert_eq!(compare(Some(&truth), Some(&truth)), GeometryDifference::None);
        assert_eq!(compare(None, Some(&truth)), GeometryDifference::Absent);
        let narrow = stats("0.6", "2.0", r#""point""#);
        assert_eq!(compare(Some(&narrow), Some(&truth)), GeometryDifference::Inside);
        let wide = stats("0.4", "2.0", r#""point""#);
        assert_eq!(compare(Some(&wide), Some(&truth)), GeometryDifference::Wider);
        // 3 is read as 0.0, and so as less than 2.0.
        let integer = stats("0.5", "3", r#""point""#);
        assert_eq!(compare(Some(&integer), Some(&truth)), GeometryDifference::Inside);
        let other = stats("0.5", "2.0", r#""polygon""#);
        assert_eq!(compare(Some(&other), Some(&truth)), GeometryDifference::Inside);
    }

    #[test]
    fn boxes_are_merged_with_reals() {
        let (left, right) =
            (stats("1.0", "2.0", r#""point""#), stats("0.5", "1.5", r#""linestring""#));
        let merged = merge([left.as_str(), right.as_str()]).unwrap_or_default();
        assert_eq!(
            compare(Some(&merged), Some(&stats("0.5", "2.0", r#""linestring", "point""#))),
            GeometryDifference::None
        );
        assert!(merged.contains(r#""xmax":2.0"#), "{merged}");
        assert_eq!(merge(["broken"]), None);
    }
    const UNBOUNDED: &str = r#"{"bbox": null, "types": ["point"]}"#;
    const EMPTY_POINT: &str = r#"{"bbox": {"xmin": null}, "types": ["point"]}"#;

    #[test]
    fn a_box_has_all_corners_of_the_plane_or_none() {
        let truth = stats("0.5", "2.0", r#""point""#);
        for corner in ["null", "true", r#""0.5""#] {
            let incomplete = stats(corner, "2.0", r#""point""#);
            for truth in [Some(truth.as_str()), Some(UNBOUNDED), None] {
                assert_eq!(compare(Some(&incomplete), truth), GeometryDifference::Incomplete);
            }
            // There is nothing that could be lost.
            assert_eq!(compare(Some(&incomplete), Some(EMPTY_POINT)), GeometryDifference::Wider);
        }
        assert_eq!(compare(Some(EMPTY_POINT), Some(&truth)), GeometryDifference::Absent);
    }

    #[test]
    fn no_box_holds_what_is_unbounded() {
        let bounded = stats("0.5", "2.0", r#""point""#);
        assert_eq!(compare(Some(&bounded), Some(UNBOUNDED)), GeometryDifference::Inside);
        for stored in [None, Some(UNBOUNDED), Some(EMPTY_POINT)] {
            assert_eq!(compare(stored, Some(UNBOUNDED)), GeometryDifference::None);
        }
        let merged = merge([bounded.as_str(), UNBOUNDED, bounded.as_str()]).unwrap_or_default();
        assert_eq!(merged, r#"{"bbox":null,"types":["point"]}"#);
        let merged = merge([EMPTY_POINT, bounded.as_str()]).unwrap_or_default();
        assert_eq!(compare(Some(&bounded), Some(&merged)), GeometryDifference::None);
    }

    #[test]
    fn texts_that_ducklake_cannot_read_or_reads_in_another_way_are_told() {
        let truth = stats("0.5", "2.0", r#""po:\"int""#);
        assert_eq!(compare(Some(&truth), Some(&truth)), GeometryDifference::None);
        let doubled = truth.replace(r#""xmin": 0.5"#, r#""xmin": 9.0, "xmin": 0.5"#);
        for text in [doubled.as_str(), "", "[]", "null", "x", "{} x", r#"{"a": 1e999}"#] {
            for truth in [Some(truth.as_str()), None] {
                assert_eq!(compare(Some(text), truth), GeometryDifference::Unreadable);
            }
        }
        assert_eq!(compare(Some("{}"), Some(&truth)), GeometryDifference::Absent);
        assert_eq!(compare(Some("{}"), None), GeometryDifference::None);
    }
}
