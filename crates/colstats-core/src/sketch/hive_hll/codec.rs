//! Blobs: the bytes of Hive's `HyperLogLogUtils`.
//!
//! `H L L`, a byte of precision (high four bits) and encoding (low three: 0 sparse, 1 to 6 dense
//! with so many bits per register, 7 dense with a byte per register), the estimate, then either
//! the number of entries and their deltas, or the packed registers. Numbers are unsigned LEB128.
//!
//! Hive writes sparse entries in the order of a hash map, so its deltas may be negative; this
//! writes them ascending (as older Hive did) and reads any order. Hive takes damaged blobs as they
//! come (missing bytes of a dense one read as ones); here every byte must make sense.

use super::sparse;
use super::sparse::SparseTable;
use crate::bytes_reader::{BytesReader, Problem};
use crate::error::{Error, Result};
use crate::leb128;
use crate::sketch::hive_hll::{HiveHll, MIN_PRECISION, RANK_OF_ZERO, Store, sparse_threshold};

const MAGIC: &[u8] = b"HLL";
const FM_MAGIC: &[u8] = b"FM";
const ENCODING_MASK: u8 = 7;
const SPARE_BIT: u8 = 8;
const SPARSE: u8 = 0;
const WHOLE_BYTES: u8 = 7;
/// Hive packs ranks of up to this many bits; longer ones take a whole byte.
const WIDEST_PACKED: u32 = 6;

impl HiveHll {
    /// The canonical blob: equal sets of values added in any order give equal bytes.
    ///
    /// A dense sketch without any value (an empty one squashed) is written as an empty sparse one;
    /// what Hive writes there, registers of no bits, nothing can read.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.store {
            Store::Sparse(table) => self.write_sparse(&table.sorted_entries()),
            Store::Oversized(entries) => self.write_sparse(entries),
            Store::Dense(registers) => {
                let largest = registers.iter().copied().max().unwrap_or(0);
                let width = u8::BITS - largest.leading_zeros();
                if self.whole_byte_registers || width > WIDEST_PACKED {
                    let mut bytes = self.header(WHOLE_BYTES, registers.len());
                    bytes.extend_from_slice(registers);
                    bytes
                } else if width == 0 {
                    self.write_sparse(&[])
                } else {
                    self.write_packed(registers, width)
                }
            }
        }
    }

    /// Reads a blob of any Hive version. It is stored as it was: a sparse blob stays sparse
    /// whatever its size, and its estimate is computed anew.
    ///
    /// # Errors
    /// If the bytes are not exactly one blob; the message says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = BytesReader::new(after_magic(bytes)?);
        let head = reader.byte().map_err(within("the precision"))?;
        let (precision, encoding) = (head >> 4, head & ENCODING_MASK);
        if precision < MIN_PRECISION {
            return Err(invalid(format!("its precision is {precision}, the least is 4")));
        }
        if head & SPARE_BIT != 0 {
            return Err(invalid("a header bit is set that no Hive version sets"));
        }
        reader.varint().map_err(within("the estimate"))?;
        let whole_byte_registers = encoding == WHOLE_BYTES;
        let store = match encoding {
            SPARSE => read_sparse(&mut reader, precision)?,
            WHOLE_BYTES => Store::Dense(read_registers(&mut reader, precision, u8::BITS)?),
            width => Store::Dense(read_registers(&mut reader, precision, width.into())?),
        };
        if !reader.is_at_end() {
            let excess = reader.remaining();
            return Err(invalid(format!("its end is followed by {excess} more byte(s)")));
        }
        Ok(Self { precision, whole_byte_registers, store })
    }

    fn header(&self, encoding: u8, body_size: usize) -> Vec<u8> {
        let head_size = MAGIC.len() + 1 + 2 * leb128::LONGEST_BYTES;
        let mut bytes = Vec::with_capacity(head_size + body_size);
        bytes.extend_from_slice(MAGIC);
        bytes.push(self.precision << 4 | encoding);
        leb128::write(&mut bytes, self.header_estimate());
        bytes
    }

    fn write_sparse(&self, ascending_entries: &[u32]) -> Vec<u8> {
        // A delta of 31 bits takes five bytes at most, usually three or four.
        let mut bytes = self.header(SPARSE, ascending_entries.len() * 4);
        leb128::write(&mut bytes, ascending_entries.len() as u64);
        let mut previous = 0;
        for entry in ascending_entries {
            leb128::write(&mut bytes, u64::from(entry - previous));
            previous = *entry;
        }
        bytes
    }

    /// Most significant bit first, without gaps: eight registers take exactly `width` bytes.
    fn write_packed(&self, registers: &[u8], width: u32) -> Vec<u8> {
        let mut bytes = self.header((width & 7) as u8, packed_size(registers.len(), width));
        for eight in registers.as_chunks::<8>().0 {
            let packed = eight.iter().fold(0, |packed, rank| packed << width | u64::from(*rank));
            bytes.extend(packed.to_be_bytes().iter().skip(8 - width as usize));
        }
        bytes
    }
}

fn invalid(reason: impl AsRef<str>) -> Error {
    Error::new(format!("not a valid Hive HyperLogLog bit vector: {}", reason.as_ref()))
}

/// Words a problem with `part` of the blob.
fn within(part: &str) -> impl Fn(Problem) -> Error {
    move |problem| match problem {
        Problem::EndsEarly => invalid(format!("it ends within {part}")),
        Problem::TooLarge => invalid(format!("a number in {part} does not fit 64 bits")),
    }
}

fn packed_size(register_count: usize, width: u32) -> usize {
    register_count / 8 * width as usize
}

fn read_sparse(reader: &mut BytesReader<'_>, precision: u8) -> Result<Store> {
    let claimed = reader.varint().map_err(within("the number of entries"))?;
    // An entry takes a byte at least, so what is allocated here is four times the input at most.
    let count = usize::try_from(claimed).ok().filter(|count| *count <= reader.remaining());
    let Some(count) = count else {
        return Err(invalid(format!(
            "it claims {claimed} entries, but only {} bytes follow",
            reader.remaining()
        )));
    };
    let mut entries = Vec::with_capacity(count);
    let mut entry = 0u32;
    for _ in 0..count {
        // A negative delta is sign-extended to 64 bits; cut to 32, it is added with wrap-around.
        let delta = reader.varint().map_err(within("the entries"))? & 0xffff_ffff;
        entry = entry.wrapping_add(delta as u32);
        check_entry(entry, precision)?;
        entries.push(entry);
    }
    entries.sort_unstable();
    // Of equal keys the last one has the largest rank.
    entries.dedup_by(|later, earlier| {
        let same_key = sparse::key(*later) == sparse::key(*earlier);
        if same_key {
            *earlier = *later;
        }
        same_key
    });
    if entries.len() > sparse_threshold(precision) {
        return Ok(Store::Oversized(entries.into_boxed_slice()));
    }
    let mut table = SparseTable::with_capacity(entries.len());
    for entry in entries {
        table.insert(entry);
    }
    Ok(Store::Sparse(table))
}

fn check_entry(entry: u32, precision: u8) -> Result<()> {
    let (key, rank) = (sparse::key(entry), sparse::rank(entry));
    if entry >= sparse::ENTRY_BOUND {
        return Err(invalid(format!("the key of an entry is {key}, which is beyond 25 bits")));
    }
    if rank == 0 || rank > largest_rank(precision) {
        return Err(impossible_rank(rank, precision));
    }
    Ok(())
}

/// The largest rank of a hash that has a one above its index bits.
fn largest_rank(precision: u8) -> u8 {
    64 - precision
}

fn impossible_rank(rank: u8, precision: u8) -> Error {
    invalid(format!("it holds rank {rank}, which no hash gives at precision {precision}"))
}

fn read_registers(reader: &mut BytesReader<'_>, precision: u8, width: u32) -> Result<Box<[u8]>> {
    let register_count = 1usize << precision;
    let size = packed_size(register_count, width);
    let follow = reader.remaining();
    let packed = reader.take(size).map_err(|_| {
        invalid(format!("its registers take {size} bytes, but only {follow} follow"))
    })?;
    let registers =
        if width == u8::BITS { packed.to_vec() } else { unpack(packed, register_count, width) };
    let possible = |rank: u8| rank <= largest_rank(precision) || rank == RANK_OF_ZERO;
    match registers.iter().find(|rank| !possible(**rank)) {
        Some(rank) => Err(impossible_rank(*rank, precision)),
        None => Ok(registers.into_boxed_slice()),
    }
}

/// The reverse of `write_packed`, for a width of 1 to 6.
fn unpack(packed: &[u8], register_count: usize, width: u32) -> Vec<u8> {
    let mask = (1 << width) - 1;
    let mut registers = Vec::with_capacity(register_count);
    for group in packed.chunks_exact(width as usize) {
        let eight = group.iter().fold(0, |eight, byte| eight << 8 | u64::from(*byte));
        registers.extend((0..8).rev().map(|place| (eight >> (place * width) & mask & 0xff) as u8));
    }
    registers
}

/// What follows the letters that every blob starts with.
fn after_magic(bytes: &[u8]) -> Result<&[u8]> {
    if let Some(rest) = bytes.strip_prefix(MAGIC) {
        return Ok(rest);
    }
    if bytes.is_empty() {
        return Err(invalid("it has no bytes"));
    }
    if bytes.starts_with(FM_MAGIC) {
        return Err(invalid(
            "it starts with FM and so is Hive's other sketch, the FM sketch of \
             hive.stats.ndv.algo = fm",
        ));
    }
    Err(invalid("it does not start with the letters HLL"))
}
