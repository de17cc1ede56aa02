//! The loops over values, a family of types each.

pub mod bytes;
pub mod float;
pub mod geometry;
pub mod integer;
pub mod lengths;
pub mod members;
pub mod repetition;
mod wkb;
