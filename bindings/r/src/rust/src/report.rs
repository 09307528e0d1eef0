//! The report: everything about summaries of the same draws in one HTML file.

use std::path::Path;

use mixgist::{Answer, Error, Points, Posterior, Summary};
use mixgist_io::{DataTable, Overwrite, check_writable, expect_extension, write_bytes};
use mixgist_report::page::{EXTENSIONS, PARTS};
use mixgist_report::{Presentation, html};
use savvy::{FunctionSexp, ListSexp, Sexp, savvy};

use crate::arrays::null;
use crate::error::{InR, Result, outcome};
use crate::handle::Handle;
use crate::options::Options;
use crate::running::Call;

/// Writes the report on the summaries whose documents are given, with their draws.
/// @noRd
#[savvy]
fn report_write(draws: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let path = options.text("path")?.ok_or_else(|| Error::usage("path is missing"))?;
        let overwrite = if options.flag("force")? { Overwrite::Force } else { Overwrite::Refuse };
        expect_extension(Path::new(&path), "report", &EXTENSIONS)?;
        check_writable(Path::new(&path), overwrite)?;
        let without = options.texts("without")?.unwrap_or_default();
        if let Some(part) = without.iter().find(|part| !PARTS.contains(&part.as_str())) {
            let error = Error::usage(format!("without names '{part}', which is no part that can be left out"));
            return Err(error.hint(format!("one of: {}", PARTS.join(", "))).into());
        }
        let title = options.text("title")?.unwrap_or_else(|| "mixgist".into());
        let documents = options.texts("documents")?.unwrap_or_default();
        let read = |text: &String| -> mixgist::Result<Answer<Summary>> {
            serde_json::from_str(text).map_err(|cause| Error::input(format!("damaged summary: {cause}")))
        };
        let answers = documents.iter().map(read).collect::<mixgist::Result<Vec<_>>>()?;
        let file = draws.draws()?;
        let data = options.data("data")?;
        Call::new(&options, tick)?.run(|progress| {
            let data = data.as_ref().or(file.data.as_ref());
            let points = data.map(|data| Points::new(data.columns(), data.values())).transpose()?;
            let columns = data.and_then(DataTable::column_names);
            let labels = file.labels.as_ref();
            let partitions = labels.map(|labels| labels.partitions()).transpose()?;
            let bound = |answer: &Answer<Summary>| {
                let posterior = Posterior::new(&file.ensemble, points, answer.about.settings.clone())?;
                posterior.with_columns(columns).with_summary(&answer.result)
            };
            let posteriors = answers.iter().map(bound).collect::<mixgist::Result<Vec<_>>>()?;
            let mut presentations = Vec::new();
            for (answer, posterior) in answers.iter().zip(&posteriors) {
                let one = Presentation::new(answer, &InR, progress)?.without(&without).with_posterior(posterior)?;
                presentations.push(match &partitions {
                    Some(partitions) => one.with_partitions(partitions),
                    None => one,
                });
            }
            write_bytes(Path::new(&path), html(&title, presentations)?.as_bytes(), overwrite)
        })?;
        Ok(null())
    };
    outcome(ask())
}
