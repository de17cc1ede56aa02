//! The parts of a state, read one after the other. What is wrong is worded for who gave the state.

use crate::bytes_reader::{BytesReader, Problem};
use crate::error::{Error, Result};

/// A place in a state.
#[derive(Debug)]
pub struct StateReader<'a> {
    bytes: BytesReader<'a>,
}

impl<'a> StateReader<'a> {
    /// At the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        StateReader { bytes: BytesReader::new(bytes) }
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.rest()
    }

    /// Whether every byte is read.
    pub fn is_at_end(&self) -> bool {
        self.bytes.is_at_end()
    }

    /// One byte.
    pub fn byte(&mut self) -> Result<u8> {
        self.bytes.byte().map_err(describe)
    }

    /// A byte that is 0 or 1.
    pub fn flag(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Error::new("the state is damaged")),
        }
    }

    /// A number of fixed width, to be made of its little-endian bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.bytes.array().map_err(describe)
    }

    /// An unsigned LEB128 number.
    pub fn number(&mut self) -> Result<u64> {
        self.bytes.varint().map_err(describe)
    }

    /// A length, and as many bytes.
    pub fn sized(&mut self) -> Result<&'a [u8]> {
        self.bytes.sized().map_err(describe)
    }

    /// A count of things that take at least a byte each.
    pub fn count(&mut self) -> Result<usize> {
        self.bytes.count().map_err(describe)
    }

    /// A length, and as many bytes of text.
    pub fn text(&mut self) -> Result<String> {
        let bytes = self.sized()?.to_vec();
        String::from_utf8(bytes).map_err(|_| Error::new("the state holds a name that is not UTF-8"))
    }
}

fn describe(problem: Problem) -> Error {
    Error::new(match problem {
        Problem::EndsEarly => {
            "the state ends too early: it was cut off or is not a state of colstats"
        }
        Problem::TooLarge => "the state holds a number that is too large",
    })
}
