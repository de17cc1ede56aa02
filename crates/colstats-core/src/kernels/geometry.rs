//! Bounding box and set of geometry types, over the WKB that DuckDB's GEOMETRY holds.
//!
//! Ordinates that are NaN are left out per dimension: that is how WKB writes an empty point, and what
//! Parquet's GeospatialStatistics asks for. The type set names top-level geometries only, so a
//! collection counts as a collection.

use super::float::Floating;
use super::wkb;
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
        let Some(geometry) = wkb::read(bytes) else {
            self.is_unreadable = true;
            return;
        };
        self.type_bits |= type_bit(geometry.header);
        self.is_unbounded |= geometry.has_unbounded_vertex();
        for (range, seen) in self.axes.iter_mut().zip(geometry.axes) {
            if seen.has_bounds() {
                widen(range, f64::from_key(seen.min_key), f64::from_key(seen.max_key));
            }
        }
    }

    /// Takes in what another pass saw.
    pub fn merge(&mut self, other: &GeometryExtremes) {
        for (range, other) in self.axes.iter_mut().zip(other.axes) {
            if let Some((min, max)) = other {
                widen(range, min, max);
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

/// Takes in two ordinates, which are not NaN.
fn widen(range: &mut AxisRange, low: f64, high: f64) {
    *range = match *range {
        None => Some((low, high)),
        // The order in which -0.0 comes before 0.0, so that the order of the rows does not matter.
        Some((min, max)) => Some((
            if low.total_cmp(&min).is_lt() { low } else { min },
            if high.total_cmp(&max).is_gt() { high } else { max },
        )),
    };
}

fn type_bit(header: wkb::Header) -> u32 {
    1 << ((header.kind - 1) * 4 + header.dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::use_geometry;

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

    #[test]
    fn changed_bytes_do_no_harm() {
        let point = wkb(1, false, &[&[1.0, 2.0]]);
        let line = wkb(1002, true, &[&[0.0, 0.0, 1.0], &[5.0, -5.0, 9.0]]);
        let parts = [&3_u32.to_le_bytes()[..], &point, &line, &wkb(4, true, &[])].concat();
        let collection = [wkb(7, false, &[]), parts].concat();
        for position in 0..collection.len() {
            for byte in 0..=u8::MAX {
                let mut changed = collection.clone();
                changed[position] = byte;
                use_geometry(&changed);
                changed.remove(position);
                use_geometry(&changed);
            }
        }
    }
}
