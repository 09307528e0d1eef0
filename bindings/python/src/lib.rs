//! The Python front: translates, releases the interpreter, calls the core once, wraps the result.
//!
//! Memory that NumPy owns is read while the interpreter is held, so that no other thread can change it meanwhile; all long work runs on memory
//! that mixgist owns, with the interpreter released.

mod answer;
mod arrays;
mod blocks;
mod distance;
mod draws;
mod error;
mod fit;
mod measure;
mod options;
mod partition;
mod posterior;
mod report;
mod running;
mod slices;
mod summary;
mod tiles;
mod workers;

use pyo3::prelude::*;

/// The native half of the package `mixgist`.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::answer::{Answer, write_aligned, write_document};
    #[pymodule_export]
    use crate::blocks::{FileBlocks, answer_blocks, summarize_blocks};
    #[pymodule_export]
    use crate::distance::{distance, distance_matrix, distances_to_draws};
    #[pymodule_export]
    use crate::draws::Draws;
    #[pymodule_export]
    use crate::fit::{extend, fit, fit_chain, fit_joined, read_fit};
    #[pymodule_export]
    use crate::measure::Measure;
    #[pymodule_export]
    use crate::options::deviations_by_name;
    #[pymodule_export]
    use crate::partition::{Partitions, read_partition};
    #[pymodule_export]
    use crate::posterior::Posterior;
    #[pymodule_export]
    use crate::report::{Drawing, figure, report};
    #[pymodule_export]
    use crate::summary::{Summary, check_settings};
    #[pymodule_export]
    use crate::tiles::{HeldPoints, fit_held};
    #[pymodule_export]
    use crate::workers::{answer_job, draws_parcel, knows_draws, open_draws};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("TILE_ROWS", mixgist_samplers::TILE_ROWS)?;
        module.add("DEFAULTS", crate::options::defaults(module.py())?)?;
        module.add("CHOICES", crate::options::choices(module.py())?)
    }
}
