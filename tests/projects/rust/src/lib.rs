//! Rain gauges and what they measured.

pub mod report;
pub mod series;

pub use series::{process_data, Series};
