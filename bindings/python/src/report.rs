//! Figures of a summary, and the report: everything about summaries of the same draws in one HTML file.

use std::path::PathBuf;

use mixgist::{Error, Posterior, Progress};
use mixgist_io::{DataTable, Overwrite, check_writable, expect_extension, has_extension, write_bytes};
use mixgist_report::page::{EXTENSIONS, PARTS};
use mixgist_report::{Figure, Kind, Presentation, html};
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
    let overwrite = if force { Overwrite::Force } else { Overwrite::Refuse };
    if let Some(path) = &path {
        expect_extension(path, "report", &EXTENSIONS)?;
        check_writable(path, overwrite)?;
    }
    if let Some(part) = without.iter().find(|part| !PARTS.contains(&part.as_str())) {
        let error = Error::usage(format!("without names '{part}', which is no part that can be left out"));
        return Err(error.hint(format!("one of: {}", PARTS.join(", "))).into());
    }
    let shown = Shown { answers: summaries.iter().map(|summary| &summary.answer).collect(), draws, without };
    let data = table(data.as_ref(), None, draws)?;
    Call { threads, progress }.run(py, |progress| {
        let page = shown.present(data.as_deref(), progress, |presentations| html(title, presentations))?;
        if let Some(path) = &path {
            write_bytes(path, page.as_bytes(), overwrite)?;
        }
        Ok(page)
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
    let shown = Shown { answers: vec![answer], draws, without: Vec::new() };
    let data = table(data.as_ref(), None, draws)?;
    Call { threads, progress }.run(py, |progress| {
        shown.present(data.as_deref(), progress, |presentations| {
            let figure = kind.draw(&presentations[0])?;
            Ok(Drawing { figure: title.map_or(figure.clone(), |title| figure.titled(title)) })
        })
    })
}

/// A figure that can be written as SVG or PNG.
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
        let overwrite = if force { Overwrite::Force } else { Overwrite::Refuse };
        expect_extension(&path, "path", &["svg", "png"])?;
        check_writable(&path, overwrite)?;
        Ok(py.detach(|| {
            let bytes = match has_extension(&path, "png") {
                true => self.figure.to_png(f64::from(dpi))?,
                false => self.figure.to_svg().into_bytes(),
            };
            write_bytes(&path, &bytes, overwrite)
        })?)
    }
}

/// Summaries of the same draws, and what is left out of their report.
struct Shown<'a> {
    answers: Vec<&'a mixgist::Answer<mixgist::Summary>>,
    draws: Option<&'a Draws>,
    without: Vec<String>,
}

impl Shown<'_> {
    /// Draws from presentations of the summaries.
    fn present<T>(
        &self,
        data: Option<&DataTable>,
        progress: &dyn Progress,
        show: impl FnOnce(Vec<Presentation>) -> mixgist::Result<T>,
    ) -> mixgist::Result<T> {
        let file = self.draws.map(|draws| &draws.file);
        let points = points(data)?;
        let columns = data.and_then(DataTable::column_names);
        let labels = file.and_then(|file| file.labels.as_ref());
        let partitions = labels.map(|labels| labels.partitions()).transpose()?;
        // The draws with each summary, which is not computed again.
        let bound = |answer: &mixgist::Answer<mixgist::Summary>| match file {
            Some(file) => {
                let posterior = Posterior::new(&file.ensemble, points, answer.about.settings.clone())?;
                posterior.with_columns(columns).with_summary(&answer.result).map(Some)
            }
            None => Ok(None),
        };
        let posteriors = self.answers.iter().map(|answer| bound(answer)).collect::<mixgist::Result<Vec<_>>>()?;
        let mut presentations = Vec::new();
        for (answer, posterior) in self.answers.iter().zip(&posteriors) {
            let mut one = Presentation::new(answer, &InPython, progress)?.without(&self.without);
            one = match (posterior, points) {
                (Some(posterior), _) => one.with_posterior(posterior)?,
                (None, Some(points)) => one.with_data(points)?,
                (None, None) => one,
            };
            presentations.push(match &partitions {
                Some(partitions) => one.with_partitions(partitions),
                None => one,
            });
        }
        show(presentations)
    }
}
