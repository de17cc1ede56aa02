//! Whether bytes are one well-formed WKB geometry, before the `wkb` crate reads them.
//!
//! The crate looks at the header of the outermost geometry and of what lies in a collection. Of a type code it
//! takes the last three bits, so that curves and triangles pass for points; the headers of the parts of
//! MULTIPOINT, MULTILINESTRING and MULTIPOLYGON it skips. A box made of such a geometry would be wrong, so every
//! header is looked at here: byte order, type code (ISO numbers, or EWKB's flags for dimensions), parts of
//! the type, dimensions and byte order of the whole, counts that fit, and no byte left over.

/// Collections in collections beyond this are refused, which bounds the recursion.
const MAX_DEPTH: usize = 64;

const FLAG_Z: u32 = 0x8000_0000;
const FLAG_M: u32 = 0x4000_0000;
const FLAG_SRID: u32 = 0x2000_0000;

const POINT: u32 = 1;
const LINE_STRING: u32 = 2;
const POLYGON: u32 = 3;
const GEOMETRY_COLLECTION: u32 = 7;
/// A multi-geometry's code is that of its parts and this.
const MULTI: u32 = 3;

/// Whether `bytes` are exactly one geometry.
pub fn is_well_formed(bytes: &[u8]) -> bool {
    let mut reader = Reader { rest: bytes };
    reader.geometry(None, 0).is_some() && reader.rest.is_empty()
}

#[derive(Debug, Clone, Copy)]
struct Header {
    is_big_endian: bool,
    /// 1 to 7.
    kind: u32,
    has_z: bool,
    has_m: bool,
    has_srid: bool,
}

impl Header {
    fn point_bytes(self) -> usize {
        8 * (2 + usize::from(self.has_z) + usize::from(self.has_m))
    }

    /// Whether a geometry with this header may be a part of `whole`.
    fn is_part_of(self, whole: Header) -> bool {
        whole.kind == GEOMETRY_COLLECTION
            || (self.kind + MULTI == whole.kind
                && !self.has_srid
                && (self.is_big_endian, self.has_z, self.has_m)
                    == (whole.is_big_endian, whole.has_z, whole.has_m))
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn geometry(&mut self, whole: Option<Header>, depth: usize) -> Option<()> {
        let header = self.header()?;
        if depth > MAX_DEPTH || whole.is_some_and(|whole| !header.is_part_of(whole)) {
            return None;
        }
        match header.kind {
            POINT => self.skip(header.point_bytes()),
            LINE_STRING => self.points(header),
            POLYGON => {
                let ring_count = self.number(header.is_big_endian)?;
                (0..ring_count).try_for_each(|_| self.points(header))
            }
            _ => {
                let part_count = self.number(header.is_big_endian)?;
                (0..part_count).try_for_each(|_| self.geometry(Some(header), depth + 1))
            }
        }
    }

    fn header(&mut self) -> Option<Header> {
        let (order, rest) = self.rest.split_first()?;
        self.rest = rest;
        let is_big_endian = match order {
            0 => true,
            1 => false,
            _ => return None,
        };
        let code = self.number(is_big_endian)?;
        let number = code & !(FLAG_Z | FLAG_M | FLAG_SRID);
        let (kind, dimensions) = (number % 1000, number / 1000);
        let has_flags = code & (FLAG_Z | FLAG_M) != 0;
        if !(POINT..=GEOMETRY_COLLECTION).contains(&kind)
            || dimensions > 3
            || (has_flags && dimensions > 0)
        {
            return None;
        }
        let has_srid = code & FLAG_SRID != 0;
        if has_srid {
            self.skip(4)?;
        }
        Some(Header {
            is_big_endian,
            kind,
            has_z: code & FLAG_Z != 0 || dimensions & 1 != 0,
            has_m: code & FLAG_M != 0 || dimensions & 2 != 0,
            has_srid,
        })
    }

    /// A number of points, and as many points.
    fn points(&mut self, header: Header) -> Option<()> {
        let point_count = usize::try_from(self.number(header.is_big_endian)?).ok()?;
        self.skip(point_count.checked_mul(header.point_bytes())?)
    }

    fn number(&mut self, is_big_endian: bool) -> Option<u32> {
        let bytes = *self.rest.first_chunk::<4>()?;
        self.skip(4)?;
        Some(if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    fn skip(&mut self, byte_count: usize) -> Option<()> {
        self.rest = self.rest.get(byte_count..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
