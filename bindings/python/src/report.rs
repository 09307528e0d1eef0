//! The report: everything about summaries of the same draws in one HTML file.

use std::path::PathBuf;

use mixgist::{Error, PartitionDraws};
use mixgist_io::{Overwrite, check_writable, expect_extension, write_bytes};
use mixgist_report::page::{EXTENSIONS, PARTS};
use mixgist_report::{Subject, html};
use pyo3::prelude::*;

use crate::arrays::Input;
use crate::draws::Draws;
use crate::error::Result;
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
    let documents: Vec<_> = summaries.iter().map(|summary| &summary.document).collect();
    let file = draws.map(|draws| &draws.file);
    let data = table(data.as_ref(), None, draws)?;
    Call { threads, progress }.run(py, |progress| {
        let points = points(data.as_deref())?;
        let labels = file.and_then(|file| file.labels.as_ref());
        let partitions =
            labels.map(|labels| PartitionDraws::from_dense(labels.observations, &labels.labels)).transpose()?;
        let subject = |document| {
            let mut subject = Subject::new(document, progress)?.without(&without);
            if let Some(file) = file {
                subject = subject.with_draws(&file.ensemble)?;
            }
            if let Some(points) = points {
                subject = subject.with_data(points)?;
            }
            Ok(match &partitions {
                Some(partitions) => subject.with_partitions(partitions),
                None => subject,
            })
        };
        let subjects = documents.into_iter().map(subject).collect::<mixgist::Result<_>>()?;
        let page = html(title, subjects)?;
        if let Some(path) = &path {
            write_bytes(path, page.as_bytes(), overwrite)?;
        }
        Ok(page)
    })
}
