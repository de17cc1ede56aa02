//! Sketches: bounded-size summaries of many values.
