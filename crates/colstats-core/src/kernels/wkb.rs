//! The one reader of WKB: which type a geometry has, and the range of its ordinates.
//!
//! Damaged bytes would give a wrong box, so every header is looked at: byte order, type code (ISO
//! numbers, or EWKB's flags for dimensions), parts of the type, dimensions and byte order of the whole, counts that
//! fit, and no byte left over.
//!
//! Not the `wkb` crate: version 0.9.3 takes curves and triangles for points, as it looks at three bits of a type code
//! only, and it skips the headers of the parts of MULTIPOINT, MULTILINESTRING and MULTIPOLYGON.

use super::float::{FloatExtremes, Floating};
use crate::bytes_reader::BytesReader;

/// Collections in collections beyond this are refused, which bounds the recursion.
const MAX_DEPTH: usize = 64;

const FLAG_Z: u32 = 0x8000_0000;
const FLAG_M: u32 = 0x4000_0000;
const FLAG_SRID: u32 = 0x2000_0000;

const POINT: u32 = 1;
const LINE_STRING: u32 = 2;
const POLYGON: u32 = 3;
const GEOMETRY_COLLECTION: u32 = 7;
/// A multi-geometry's code is the code of its parts and this.
const MULTI: u32 = 3;

/// The axes of a point's ordinates by [`Header::dimensions`]; x, y, z and m are 0 to 3.
const AXES: [&[usize]; 4] = [&[0, 1], &[0, 1, 2], &[0, 1, 3], &[0, 1, 2, 3]];

/// A geometry that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Geometry {
    pub header: Header,
    /// The ordinates of x, y, z and m.
    pub axes: [FloatExtremes; 4],
}

impl Geometry {
    /// Whether the x or y of a vertex is infinite or NaN.
    pub fn has_unbounded_vertex(&self) -> bool {
        let is_unbounded = |seen: &FloatExtremes| {
            let ends = [seen.min_key, seen.max_key].map(f64::from_key);
            seen.nan_count > 0 || seen.has_bounds() && ends.iter().any(|end| end.is_infinite())
        };
        self.axes.iter().take(2).any(is_unbounded)
    }
}

/// What the header of a geometry says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// 1 (POINT) to 7 (GEOMETRYCOLLECTION).
    pub kind: u32,
    /// 0 to 3: without z and m, with z, with m, with both.
    pub dimensions: u32,
    is_big_endian: bool,
    has_srid: bool,
}

impl Header {
    fn ordinate(self, bytes: [u8; size_of::<f64>()]) -> f64 {
        if self.is_big_endian { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
    }

    fn axes(self) -> &'static [usize] {
        AXES.get(self.dimensions as usize).copied().unwrap_or_default()
    }

    /// Whether a geometry with this header may be a part of `whole`.
    fn is_part_of(self, whole: Header) -> bool {
        let multiple = Header { kind: self.kind + MULTI, ..self };
        whole.kind == GEOMETRY_COLLECTION || multiple == Header { has_srid: false, ..whole }
    }
}

/// Reads a geometry; `None` unless `bytes` are exactly one.
pub fn read(bytes: &[u8]) -> Option<Geometry> {
    let mut walk = Walk { reader: BytesReader::new(bytes), axes: [FloatExtremes::EMPTY; 4] };
    let header = walk.geometry(None, 0)?;
    walk.reader.is_at_end().then_some(Geometry { header, axes: walk.axes })
}

struct Walk<'a> {
    reader: BytesReader<'a>,
    axes: [FloatExtremes; 4],
}

impl Walk<'_> {
    fn geometry(&mut self, whole: Option<Header>, depth: usize) -> Option<Header> {
        let header = self.header()?;
        if depth > MAX_DEPTH || whole.is_some_and(|whole| !header.is_part_of(whole)) {
            return None;
        }
        match header.kind {
            POINT => self.points(header, 1)?,
            LINE_STRING => self.counted_points(header)?,
            POLYGON => {
                let ring_count = self.number(header.is_big_endian)?;
                (0..ring_count).try_for_each(|_| self.counted_points(header))?;
            }
            _ => {
                let part_count = self.number(header.is_big_endian)?;
                for _ in 0..part_count {
                    self.geometry(Some(header), depth + 1)?;
                }
            }
        }
        Some(header)
    }

    fn header(&mut self) -> Option<Header> {
        let is_big_endian = match self.reader.byte().ok()? {
            0 => true,
            1 => false,
            _ => return None,
        };
        let code = self.number(is_big_endian)?;
        let number = code & !(FLAG_Z | FLAG_M | FLAG_SRID);
        let (kind, iso_dimensions) = (number % 1000, number / 1000);
        let flag_dimensions = u32::from(code & FLAG_Z != 0) | u32::from(code & FLAG_M != 0) << 1;
        if !(POINT..=GEOMETRY_COLLECTION).contains(&kind)
            || iso_dimensions > 3
            || (flag_dimensions > 0 && iso_dimensions > 0)
        {
            return None;
        }
        let has_srid = code & FLAG_SRID != 0;
        if has_srid {
            self.number(is_big_endian)?;
        }
        Some(Header { kind, dimensions: iso_dimensions | flag_dimensions, is_big_endian, has_srid })
    }

    /// A number of points, and as many points.
    fn counted_points(&mut self, header: Header) -> Option<()> {
        let count = usize::try_from(self.number(header.is_big_endian)?).ok()?;
        self.points(header, count)
    }

    fn points(&mut self, header: Header, count: usize) -> Option<()> {
        let axes = header.axes();
        let bytes = self.reader.take(count.checked_mul(axes.len() * size_of::<f64>())?).ok()?;
        let ordinates = bytes.as_chunks().0;
        // So WKB writes an empty point, which has no vertex.
        if header.kind == POINT && ordinates.iter().all(|bytes| header.ordinate(*bytes).is_nan()) {
            return Some(());
        }
        for (place, axis) in axes.iter().enumerate() {
            let of_axis = ordinates.iter().skip(place).step_by(axes.len());
            let seen = self.axes.get_mut(*axis)?;
            of_axis.for_each(|bytes| seen.add(header.ordinate(*bytes)));
        }
        Some(())
    }

    fn number(&mut self, is_big_endian: bool) -> Option<u32> {
        let bytes = self.reader.array().ok()?;
        Some(if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_well_formed(bytes: &[u8]) -> bool {
        read(bytes).is_some()
    }

    fn geometry(code: u32, parts: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![1];
        bytes.extend(code.to_le_bytes());
        bytes.extend((parts.len() as u32).to_le_bytes());
        parts.iter().for_each(|part| bytes.extend(part));
        bytes
    }

    fn point(code: u32, ordinates: &[f64]) -> Vec<u8> {
        let mut bytes = vec![1];
        bytes.extend(code.to_le_bytes());
        ordinates.iter().for_each(|ordinate| bytes.extend(ordinate.to_le_bytes()));
        bytes
    }

    #[test]
    fn well_formed_geometries_pass() {
        let flat = point(1, &[1.0, 2.0]);
        let deep = point(FLAG_Z | FLAG_M | 1, &[1.0, 2.0, 3.0, 4.0]);
        let line = geometry(2, &[]);
        for bytes in [
            flat.clone(),
            deep.clone(),
            point(3001, &[1.0, 2.0, 3.0, 4.0]),
            geometry(4, &[flat.clone(), flat.clone()]),
            geometry(5, std::slice::from_ref(&line)),
            geometry(6, &[geometry(3, &[])]),
            geometry(7, &[flat.clone(), line, deep, geometry(7, &[])]),
            [[0, 0, 0, 0, 1].as_slice(), &[0; 16]].concat(),
            [&[1, 1, 0, 0, 0x20, 0xE6, 0x10, 0, 0], [0; 16].as_slice()].concat(),
        ] {
            assert!(is_well_formed(&bytes), "{bytes:?}");
            for length in 0..bytes.len() {
                assert!(!is_well_formed(&bytes[..length]), "{length} of {bytes:?}");
            }
            assert!(!is_well_formed(&[bytes, vec![0]].concat()));
        }
    }

    #[test]
    fn parts_that_are_not_of_the_whole_do_not() {
        let flat = point(1, &[1.0, 2.0]);
        let mut other_order = flat.clone();
        other_order[..5].copy_from_slice(&[0, 0, 0, 0, 1]);
        for bytes in [
            // A curve, a triangle, an unknown dimension, both ways of naming a dimension.
            point(9, &[1.0, 2.0]),
            point(17, &[1.0, 2.0]),
            point(4001, &[1.0, 2.0]),
            point(FLAG_Z | 1001, &[1.0, 2.0, 3.0]),
            geometry(7, &[point(9, &[1.0, 2.0])]),
            geometry(4, &[point(1001, &[1.0, 2.0])]),
            geometry(4, &[point(9, &[1.0, 2.0])]),
            geometry(4, &[geometry(2, &[]), vec![0; 12]]),
            geometry(4, &[other_order]),
            geometry(1004, &[flat]),
        ] {
            assert!(!is_well_formed(&bytes), "{bytes:?}");
        }
        let nested = |depth| (0..depth).fold(geometry(7, &[]), |inner, _| geometry(7, &[inner]));
        assert!(is_well_formed(&nested(MAX_DEPTH)) && !is_well_formed(&nested(MAX_DEPTH + 1)));
    }

    /// The range of every axis, and the header's kind and dimensions.
    fn ranges(bytes: &[u8]) -> (u32, u32, [Option<(f64, f64)>; 4]) {
        let geometry = read(bytes).unwrap();
        let range = |seen: FloatExtremes| {
            seen.has_bounds().then(|| (f64::from_key(seen.min_key), f64::from_key(seen.max_key)))
        };
        (geometry.header.kind, geometry.header.dimensions, geometry.axes.map(range))
    }

    #[test]
    fn every_ordinate_counts_on_its_axis() {
        let line = [[1.0, 2.0, 3.0], [-4.0, 5.0, -6.0]];
        let points = |code: u32| line.map(|ordinates| point(code, &ordinates)).to_vec();
        let counted = |ordinates: &[f64]| {
            let mut bytes = (ordinates.len() as u32 / 3).to_le_bytes().to_vec();
            ordinates.iter().for_each(|ordinate| bytes.extend(ordinate.to_le_bytes()));
            bytes
        };
        let line_of = |code: u32| [point(code, &[]), counted(line.as_flattened())].concat();
        let polygon = |code| geometry(code, &[counted(&line[0]), counted(&line[1])]);
        let (x, y, third) = (Some((-4.0, 1.0)), Some((2.0, 5.0)), Some((-6.0, 3.0)));
        for (dimensions, axes) in [(1, [x, y, third, None]), (2, [x, y, None, third])] {
            let iso = dimensions * 1000;
            for (kind, bytes) in [
                (2, line_of(iso + 2)),
                (3, polygon(iso + 3)),
                (4, geometry(iso + 4, &points(iso + 1))),
                (5, geometry(iso + 5, &[line_of(iso + 2)])),
                (6, geometry(iso + 6, &[polygon(iso + 3)])),
                (7, geometry(iso + 7, &points(iso + 1))),
            ] {
                assert_eq!(ranges(&bytes), (kind, dimensions, axes));
            }
        }
        // The parts of a collection may have other dimensions, a system and the other byte order.
        let mut other = vec![0, 0x20, 0, 0x0B, 0xB9, 0, 0, 0x10, 0xE6];
        [7.0_f64, 8.0, 9.0, 10.0].iter().for_each(|ordinate| other.extend(ordinate.to_be_bytes()));
        let found = ranges(&geometry(7, &[point(1, &[-1.0, -2.0]), other]));
        let axes = [(-1.0, 7.0), (-2.0, 8.0), (9.0, 9.0), (10.0, 10.0)];
        assert_eq!(found, (7, 0, axes.map(Some)));
    }

    #[test]
    fn lying_counts_end_with_the_bytes() {
        for code in 2..=7 {
            let mut bytes = point(code, &[]);
            bytes.extend(u32::MAX.to_le_bytes());
            bytes.extend([0; 64]);
            assert_eq!(read(&bytes), None, "{code}");
        }
    }
}
