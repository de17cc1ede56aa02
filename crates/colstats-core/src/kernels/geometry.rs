//! Bounding box and set of geometry types, over the WKB that DuckDB's GEOMETRY holds.
//!
//! Ordinates that are NaN are left out per dimension: that is how WKB writes an empty point, and what
//! Parquet's GeospatialStatistics asks for. The type set names top-level geometries only, so a
//! collection counts as a collection.

use geo_traits::{
    CoordTrait, Dimensions, GeometryCollectionTrait, GeometryTrait, GeometryType, LineStringTrait,
    MultiLineStringTrait, MultiPointTrait, MultiPolygonTrait, PointTrait, PolygonTrait,
};

use super::wkb_check::is_well_formed;
use crate::column::vectors::ByteString;

/// The names of geometry types in WKB code order, as DuckLake writes them.
const TYPE_NAMES: [&str; 7] = [
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
    "geometrycollection",
];

/// The suffixes of the four dimension sets.
const DIMENSION_SUFFIXES: [&str; 4] = ["", "_z", "_m", "_zm"];

/// How many bits of [`GeometryExtremes::type_bits`] have a meaning.
pub const TYPE_BIT_COUNT: usize = TYPE_NAMES.len() * DIMENSION_SUFFIXES.len();

/// Box and types of a set of geometries.
#[derive(Debug, Clone, PartialEq)]
pub struct GeometryExtremes {
    /// Smallest and largest x, y, z, m.
    pub axes: [AxisRange; 4],
    /// One bit per type and dimension set: `type * 4 + dimensions`.
    pub type_bits: u32,
    /// A value was not readable as WKB: box and types are unknown.
    pub is_unreadable: bool,
    /// The x or y of a vertex is infinite or NaN: no box holds it. An empty point has no vertex.
    pub is_unbounded: bool,
}

/// The range of one ordinate; `None` when no value has it.
pub type AxisRange = Option<(f64, f64)>;

impl GeometryExtremes {
    /// The neutral start.
    pub const EMPTY: GeometryExtremes = GeometryExtremes {
        axes: [None; 4],
        type_bits: 0,
        is_unreadable: false,
        is_unbounded: false,
    };

    /// Takes in some geometries.
    pub fn update<'a, T: ByteString<'a>>(&mut self, values: &[T]) {
        values.iter().for_each(|item| self.add(item.bytes()));
    }

    fn add(&mut self, bytes: &[u8]) {
        if !is_well_formed(bytes) {
            self.is_unreadable = true;
            return;
        }
        match wkb::reader::read_wkb(bytes) {
            Ok(geometry) => {
                self.type_bits |= type_bit(&geometry);
                self.add_geometry(&geometry);
            }
            Err(_) => self.is_unreadable = true,
        }
    }

    fn add_geometry(&mut self, geometry: &impl GeometryTrait<T = f64>) {
        match geometry.as_type() {
            GeometryType::Point(point) => self.add_coordinates(point.coord().into_iter()),
            GeometryType::LineString(line) => self.add_coordinates(line.coords()),
            GeometryType::Polygon(polygon) => self.add_polygon(polygon),
            GeometryType::MultiPoint(points) => {
                points.points().for_each(|point| self.add_coordinates(point.coord().into_iter()));
            }
            GeometryType::MultiLineString(lines) => {
                lines.line_strings().for_each(|line| self.add_coordinates(line.coords()));
            }
            GeometryType::MultiPolygon(polygons) => {
                polygons.polygons().for_each(|polygon| self.add_polygon(&polygon));
            }
            GeometryType::GeometryCollection(parts) => {
                parts.geometries().for_each(|part| self.add_geometry(&part));
            }
            // WKB has no codes for these; the reader does not produce them.
            GeometryType::Rect(_) | GeometryType::Triangle(_) | GeometryType::Line(_) => {
                self.is_unreadable = true;
            }
        }
    }

    fn add_polygon(&mut self, polygon: &impl PolygonTrait<T = f64>) {
        for ring in polygon.exterior().into_iter().chain(polygon.interiors()) {
            self.add_coordinates(ring.coords());
        }
    }

    fn add_coordinates<C: CoordTrait<T = f64>>(&mut self, coordinates: impl Iterator<Item = C>) {
        for coordinate in coordinates {
            self.is_unbounded |= !(coordinate.x().is_finite() && coordinate.y().is_finite());
            let third_axis = if coordinate.dim() == Dimensions::Xym { 3 } else { 2 };
            for (index, axis) in [0, 1, third_axis, 3].into_iter().enumerate() {
                if let Some(value) = coordinate.nth(index)
                    && let Some(range) = self.axes.get_mut(axis)
                {
                    widen(range, value);
                }
            }
        }
    }

    /// Takes in what another pass saw.
    pub fn merge(&mut self, other: &GeometryExtremes) {
        for (range, other) in self.axes.iter_mut().zip(other.axes) {
            if let Some((min, max)) = other {
                widen(range, min);
                widen(range, max);
            }
        }
        self.type_bits |= other.type_bits;
        self.is_unreadable |= other.is_unreadable;
        self.is_unbounded |= other.is_unbounded;
    }

    /// The names of the types seen, sorted.
    pub fn type_names(&self) -> Vec<String> {
        let mut names: Vec<String> = TYPE_NAMES
            .iter()
            .flat_map(|name| DIMENSION_SUFFIXES.map(|suffix| format!("{name}{suffix}")))
            .enumerate()
            .filter(|(bit, _)| self.type_bits >> bit & 1 == 1)
            .map(|(_, name)| name)
            .collect();
        names.sort();
        names
    }
}

fn widen(range: &mut AxisRange, value: f64) {
    if value.is_nan() {
        return;
    }
    *range = match *range {
        None => Some((value, value)),
        // The order in which -0.0 comes before 0.0, so that the order of the rows does not matter.
        Some((min, max)) => Some((
            if value.total_cmp(&min).is_lt() { value } else { min },
            if value.total_cmp(&max).is_gt() { value } else { max },
        )),
    };
}

fn type_bit(geometry: &impl GeometryTrait<T = f64>) -> u32 {
    let type_index = match geometry.as_type() {
        GeometryType::Point(_) => 0,
        GeometryType::LineString(_) | GeometryType::Line(_) => 1,
        GeometryType::Polygon(_) | GeometryType::Rect(_) | GeometryType::Triangle(_) => 2,
        GeometryType::MultiPoint(_) => 3,
        GeometryType::MultiLineString(_) => 4,
        GeometryType::MultiPolygon(_) => 5,
        GeometryType::GeometryCollection(_) => 6,
    };
    let dimensions = match geometry.dim() {
        Dimensions::Xyz => 1,
        Dimensions::Xym => 2,
        Dimensions::Xyzm => 3,
        _ => 0,
    };
    1 << (type_index * 4 + dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Little-endian ISO WKB of a point or line string with these ordinates.
    fn wkb(code: u32, counted: bool, points: &[&[f64]]) -> Vec<u8> {
        let mut bytes = vec![1];
        bytes.extend(code.to_le_bytes());
        if counted {
            bytes.extend((points.len() as u32).to_le_bytes());
        }
        points.iter().flat_map(|p| p.iter()).for_each(|v| bytes.extend(v.to_le_bytes()));
        bytes
    }

    fn seen(values: &[Vec<u8>]) -> GeometryExtremes {
        let slices: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        let mut extremes = GeometryExtremes::EMPTY;
        extremes.update(&slices);
        extremes
    }

    #[test]
    fn box_and_types_over_dimensions() {
        let extremes = seen(&[
            wkb(1, false, &[&[1.0, 2.0]]),
            wkb(1, false, &[&[f64::NAN, f64::NAN]]),
            wkb(1002, true, &[&[0.0, 0.0, 1.0], &[5.0, -5.0, 9.0]]),
            wkb(2001, false, &[&[2.0, 2.0, -7.0]]),
        ]);
        assert_eq!(
            extremes.axes,
            [Some((0.0, 5.0)), Some((-5.0, 2.0)), Some((1.0, 9.0)), Some((-7.0, -7.0))]
        );
        assert_eq!(extremes.type_names(), ["linestring_z", "point", "point_m"]);
        assert!(!extremes.is_unreadable);
    }

    #[test]
    fn empty_points_have_a_type_and_no_box() {
        let extremes = seen(&[wkb(1, false, &[&[f64::NAN, f64::NAN]])]);
        assert_eq!((extremes.axes, extremes.type_names()), ([None; 4], vec!["point".to_string()]));
        assert!(!extremes.is_unbounded);
    }

    #[test]
    fn vertices_without_a_finite_x_and_y_lie_in_no_box() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        for bytes in [
            wkb(1, false, &[&[nan, 1.0]]),
            wkb(1, false, &[&[1.0, -infinity]]),
            wkb(1001, false, &[&[nan, nan, 1.0]]),
            wkb(2, true, &[&[1.0, 1.0], &[nan, nan]]),
        ] {
            let mut all = seen(&[wkb(1, false, &[&[1.0, 1.0]])]);
            all.merge(&seen(&[bytes]));
            assert!(all.is_unbounded);
        }
        for height in [nan, infinity] {
            assert!(!seen(&[wkb(1001, false, &[&[1.0, 1.0, height]])]).is_unbounded);
        }
    }

    #[test]
    fn garbage_makes_the_box_unknown() {
        for bytes in [vec![], vec![1, 1, 0, 0, 0], vec![9; 40], wkb(2, true, &[])[..7].to_vec()] {
            assert!(seen(&[bytes]).is_unreadable);
        }
    }
}
