//! Every table and figure of the paper, computed again and set beside the published numbers.
//!
//! `cargo xtask paper` runs all [`entries`] and writes `paper/RESULTS.md` and `paper/results.html`.

pub mod choice;
pub mod entries;
pub mod evaluate;
pub mod figures;
pub mod grid;
pub mod model;
pub mod page;
pub mod plain_chain;
pub mod prior_check;
pub mod published;
pub mod score;
pub mod study;
pub mod table;
