//! The report: everything about summaries of the same draws in one HTML file.

use std::path::PathBuf;

use mixgist::{Error, PartitionDraws, Posterior};
use mixgist_io::{DataTable, Overwrite, check_writable, expect_extension, write_bytes};
use mixgist_report::page::{EXTENSIONS, PARTS};
use mixgist_report::{Presentation, html};
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
    let answers: Vec<_> = summaries.iter().map(|summary| &summary.answer).collect();
    let file = draws.map(|draws| &draws.file);
    let data = table(data.as_ref(), None, draws)?;
    Call { threads, progress }.run(py, |progress| {
        let points = points(data.as_deref())?;
        let columns = data.as_deref().and_then(DataTable::column_names);
        let labels = file.and_then(|file| file.labels.as_ref());
        let partitions =
            labels.map(|labels| PartitionDraws::from_dense(labels.observations, &labels.labels)).transpose()?;
        // The draws with each summary, which is not computed again.
        let bound = |answer: &mixgist::Answer<mixgist::Summary>| match file {
            Some(file) => {
                let posterior = Posterior::new(&file.ensemble, points, answer.about.settings.clone())?;
                posterior.with_columns(columns).with_summary(&answer.result).map(Some)
            }
            None => Ok(None),
        };
        let posteriors = answers.iter().map(|answer| bound(answer)).collect::<mixgist::Result<Vec<_>>>()?;
        let mut presentations = Vec::new();
        for (answer, posterior) in answers.iter().zip(&posteriors) {
            let mut one = Presentation::new(answer, &InPython, progress)?.without(&without);
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
        let page = html(title, presentations)?;
        if let Some(path) = &path {
            write_bytes(path, page.as_bytes(), overwrite)?;
        }
        Ok(page)
    })
}
