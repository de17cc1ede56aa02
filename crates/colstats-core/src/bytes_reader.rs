//! The reader of bytes that come from outside: front to back, and never beyond the end.
//!
//! States, bit vectors, footers and geometries are read through it, so a length that lies meets its check here and
//! nowhere else. It allocates nothing. The caller words what is wrong, as only the caller knows what the bytes should
//! have been.

/// Why something was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The bytes end within it.
    EndsEarly,
    /// A number does not fit 64 bits.
    TooLarge,
}

type Result<T> = std::result::Result<T, Problem>;

/// A place in some bytes. After a [`Problem`] it is anywhere within what was not read.
#[derive(Debug, Clone, Copy)]
pub struct BytesReader<'a> {
    rest: &'a [u8],
}

impl<'a> BytesReader<'a> {
    /// At the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        BytesReader { rest: bytes }
    }

    /// The bytes that are still to be read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes are still to be read.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether every byte is read.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Problem::EndsEarly)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next bytes as an array: a number of fixed width, for `from_le_bytes` or `from_be_bytes`.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Problem::EndsEarly)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// The next byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        let (byte, rest) = self.rest.split_first().ok_or(Problem::EndsEarly)?;
        self.rest = rest;
        Ok(*byte)
    }

    /// An unsigned LEB128 number (see [`crate::leb128`]).
    pub fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            // The tenth byte has room for one bit.
            if bits << shift >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Problem::TooLarge)
    }

    /// A varint, and as many bytes.
    pub fn sized(&mut self) -> Result<&'a [u8]> {
        let size = self.varint()?;
        self.take(usize::try_from(size).map_err(|_| Problem::EndsEarly)?)
    }

    /// A varint that counts things of at least a byte each. It is refused beyond the bytes that follow, so a caller may
    /// reserve memory by it.
    pub fn count(&mut self) -> Result<usize> {
        let count = self.varint()?;
        usize::try_from(count)
            .ok()
            .filter(|count| *count <= self.remaining())
            .ok_or(Problem::EndsEarly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_beyond_the_end() {
        let mut reader = BytesReader::new(&[1, 2, 3, 4]);
        assert_eq!(reader.byte(), Ok(1));
        assert_eq!(reader.array(), Ok([2, 3]));
        assert_eq!(reader.array::<2>(), Err(Problem::EndsEarly));
        assert_eq!(reader.take(2), Err(Problem::EndsEarly));
        assert_eq!(reader.take(usize::MAX), Err(Problem::EndsEarly));
        assert_eq!((reader.rest(), reader.remaining(), reader.is_at_end()), (&[4][..], 1, false));
        assert_eq!(reader.take(1), Ok(&[4][..]));
        assert!(reader.is_at_end());
        assert_eq!(reader.byte(), Err(Problem::EndsEarly));
        assert_eq!(reader.take(0), Ok(&[][..]));
    }

    #[test]
    fn lengths_and_counts_are_those_of_the_bytes() {
        assert_eq!(BytesReader::new(&[2, 7, 8, 9]).sized(), Ok(&[7, 8][..]));
        assert_eq!(BytesReader::new(&[3, 7, 8]).sized(), Err(Problem::EndsEarly));
        assert_eq!(BytesReader::new(&[3, 7, 8, 9]).count(), Ok(3));
        assert_eq!(BytesReader::new(&[4, 7, 8, 9]).count(), Err(Problem::EndsEarly));
        let largest = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1];
        assert_eq!(BytesReader::new(&largest).sized(), Err(Problem::EndsEarly));
        assert_eq!(BytesReader::new(&largest).count(), Err(Problem::EndsEarly));
    }
}
