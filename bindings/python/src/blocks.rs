//! Draws in blocks: files that are read again for each pass, and blocks that others hold.

use std::borrow::Cow;
use std::path::PathBuf;

use mixgist::{DrawBlocks, Ensemble, Error, Points, Reading};
use mixgist_front::desks;
use mixgist_io::{default_reading, memory};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::draws::Draws;
use crate::error::Result;
use crate::options::{EstimateOptions, Question};
use crate::summary::Summary;
use crate::workers::CarriedBlocks;

/// Files of draws, in blocks.
#[pyclass(frozen, module = "mixgist._core")]
pub struct FileBlocks {
    blocks: mixgist_io::FileBlocks,
}

#[pymethods]
impl FileBlocks {
    #[new]
    fn new(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        format: Option<String>,
        form: String,
        variables: [String; 3],
        burn_in: usize,
        thin: usize,
    ) -> Result<Self> {
        let reading = Reading { format, covariance_form: form, variables, burn_in, thin, ..default_reading() };
        let limit = memory::reading().memory_limit;
        Ok(FileBlocks { blocks: py.detach(|| mixgist_io::FileBlocks::open(&reading, &paths, limit))? })
    }

    #[getter]
    fn blocks(&self) -> usize {
        self.blocks.blocks()
    }

    #[getter]
    fn draws(&self) -> usize {
        self.blocks.draws()
    }

    #[getter]
    fn dim(&self) -> usize {
        self.blocks.dim()
    }

    /// Answers a question of some blocks.
    fn answer<'py>(&self, py: Python<'py>, question: &[u8], blocks: Vec<usize>) -> Result<Bound<'py, PyBytes>> {
        let answer = py.detach(|| desks::answer_blocks(question, &blocks, &self.blocks))?;
        Ok(PyBytes::new(py, &answer))
    }
}

/// Blocks that are at hand, each with its number.
struct AtHand<'a> {
    numbers: &'a [usize],
    draws: Vec<&'a Ensemble>,
}

impl DrawBlocks for AtHand<'_> {
    fn blocks(&self) -> usize {
        self.numbers.len()
    }

    fn block(&self, block: usize) -> mixgist::Result<Cow<'_, Ensemble>> {
        let place = self.numbers.iter().position(|&number| number == block);
        let found = place.and_then(|place| self.draws.get(place));
        found.map(|draws| Cow::Borrowed(*draws)).ok_or_else(|| Error::input(format!("block {block} is not here")))
    }
}

/// Answers a question of blocks that are at hand.
#[pyfunction]
pub fn answer_blocks<'py>(
    py: Python<'py>,
    question: &[u8],
    numbers: Vec<usize>,
    draws: Vec<PyRef<'py, Draws>>,
) -> Result<Bound<'py, PyBytes>> {
    let at_hand = AtHand { numbers: &numbers, draws: draws.iter().map(|one| &one.file.ensemble).collect() };
    let answer = py.detach(|| desks::answer_blocks(question, &numbers, &at_hand))?;
    Ok(PyBytes::new(py, &answer))
}

/// Summarises draws in blocks: files that this process reads, or blocks behind an object of the package's.
#[pyfunction]
pub fn summarize_blocks(
    py: Python<'_>,
    files: Option<&FileBlocks>,
    courier: Option<Py<PyAny>>,
    question: Question<'_>,
    estimating: EstimateOptions<'_>,
    progress: Option<Py<PyAny>>,
) -> Result<Summary> {
    let settings = estimating.settings(&question)?;
    let data = question.own_data()?;
    let call = crate::running::Call { threads: question.threads, progress };
    let points = data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()?;
    let mut answer = match (files, courier) {
        (Some(files), None) => {
            let blocks = &&files.blocks;
            call.run(py, |progress| mixgist::summarize_blocks(blocks, points, &settings, progress))?
        }
        (_, Some(courier)) => {
            let workers = CarriedBlocks::new(py, &courier)?;
            let found = call.run(py, |progress| mixgist::summarize_blocks(&workers, points, &settings, progress));
            workers.outcome(found)?
        }
        (None, None) => return Err(Error::usage("there are no draws").into()),
    };
    answer.about.columns = data.as_ref().and_then(|data| data.column_names()).map(<[String]>::to_vec);
    Summary::new(py, answer, None)
}
