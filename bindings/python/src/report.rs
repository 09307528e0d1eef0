//! Figures of a summary, and the report: everything about summaries of the same draws in one HTML file.

use std::path::PathBuf;

use mixgist::PartitionDraws;
use mixgist_io::{DataTable, Overwrite, check_writable, expect_extension, write_bytes};
use mixgist_report::page::EXTENSIONS;
use mixgist_report::{Behind, Figure, Kind, check_parts};
use pyo3::prelude::*;

use crate::arrays::Input;
use crate::draws::Draws;
use crate::error::{InPython, Result};
use crate::options::{points, table};
use crate::running::Call;
use crate::summary::Summary;

/// The report as HTML, written to `path` as well when there is one.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package calls it with everything")]
pub fn report(
    py: Python<'_>,
    title: &str,
    summaries: Vec<PyRef<'_, Summary>>,
    draws: Option<&Draws>,
    data: Option<Input<'_, f64>>,
    without: Vec<String>,
    path: Option<PathBuf>,
    force: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<String> {
    let overwrite = Overwrite::forced(force);
    if let Some(path) = &path {
        expect_extension(path, "report", &EXTENSIONS)?;
        check_writable(path, overwrite)?;
    }
    check_parts(&without)?;
    let answers: Vec<_> = summaries.iter().map(|summary| &summary.answer).collect();
    let data = table(data.as_ref(), None, draws)?;
    let partitions = partitions(draws)?;
    Call { threads, progress }.run(py, |progress| {
        let behind = behind(draws, data.as_deref(), partitions.as_ref())?;
        let page = behind.report(title, &answers, |_| without.clone(), &InPython, progress)?;
        if let Some(path) = &path {
            write_bytes(path, page.as_bytes(), overwrite)?;
        }
        Ok(page)
    })
}

fn partitions(draws: Option<&Draws>) -> Result<Option<PartitionDraws>> {
    Ok(draws.map(|draws| draws.file.partitions()).transpose()?.flatten())
}

/// What is behind summaries.
fn behind<'a>(
    draws: Option<&'a Draws>,
    data: Option<&'a DataTable>,
    partitions: Option<&'a PartitionDraws>,
) -> mixgist::Result<Behind<'a>> {
    Ok(Behind {
        draws: draws.map(|draws| &draws.file.ensemble),
        data: points(data)?,
        columns: data.and_then(DataTable::column_names),
        partitions,
        directions: None,
    })
}

/// A figure of a summary: as SVG, and as PNG when dots per inch are given.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package calls it with everything")]
pub fn figure(
    py: Python<'_>,
    kind: Option<&str>,
    summary: PyRef<'_, Summary>,
    draws: Option<&Draws>,
    data: Option<Input<'_, f64>>,
    title: Option<&str>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Drawing> {
    let answer = &summary.answer;
    let kind = kind.map_or_else(|| Ok(Kind::of_estimate(answer.result.estimate.dim())), Kind::from_name)?;
    let data = table(data.as_ref(), None, draws)?;
    let partitions = partitions(draws)?;
    Call { threads, progress }.run(py, |progress| {
        let behind = behind(draws, data.as_deref(), partitions.as_ref())?;
        let posterior = behind.posterior(answer)?;
        let figure = kind.draw(&behind.presentation(answer, posterior.as_ref(), &InPython, progress)?)?;
        Ok(Drawing { figure: title.map_or(figure.clone(), |title| figure.titled(title)) })
    })
}

/// A figure that can be written as SVG, PDF or PNG.
#[pyclass(frozen, module = "mixgist._core")]
pub struct Drawing {
    figure: Figure,
}

#[pymethods]
impl Drawing {
    #[getter]
    fn svg(&self) -> String {
        self.figure.to_svg()
    }

    /// The figure as JSON: panels with axes and layers.
    #[getter]
    fn data(&self) -> Result<String> {
        Ok(serde_json::to_string(&self.figure).map_err(|cause| mixgist::Error::input(cause.to_string()))?)
    }

    #[getter]
    fn caption(&self) -> String {
        self.figure.caption.clone()
    }

    fn png(&self, py: Python<'_>, dpi: u32) -> Result<Vec<u8>> {
        Ok(py.detach(|| self.figure.to_png(f64::from(dpi)))?)
    }

    fn write(&self, py: Python<'_>, path: PathBuf, dpi: u32, force: bool) -> Result<()> {
        let overwrite = Overwrite::forced(force);
        expect_extension(&path, "path", &Figure::EXTENSIONS)?;
        check_writable(&path, overwrite)?;
        Ok(py.detach(|| {
            let bytes = self.figure.to_file(&path, f64::from(dpi))?;
            write_bytes(&path, &bytes, overwrite)
        })?)
    }
}
