//! The report: everything about summaries of the same draws in one HTML file.

use std::path::Path;

use mixgist::{Answer, Error, Points, Summary};
use mixgist_io::{DataTable, Overwrite, check_writable, expect_extension, write_bytes};
use mixgist_report::page::EXTENSIONS;
use mixgist_report::{Behind, check_parts};
use savvy::{FunctionSexp, ListSexp, Sexp, savvy};

use crate::arrays::null;
use crate::error::{InReport, Result, outcome};
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
        let overwrite = Overwrite::forced(options.flag("force")?);
        expect_extension(Path::new(&path), "report", &EXTENSIONS)?;
        check_writable(Path::new(&path), overwrite)?;
        let without = options.texts("without")?.unwrap_or_default();
        check_parts(&without)?;
        let title = options.text("title")?.unwrap_or_else(|| "mixgist".into());
        let documents = options.texts("documents")?.unwrap_or_default();
        let read = |text: &String| -> mixgist::Result<Answer<Summary>> {
            serde_json::from_str(text).map_err(|cause| Error::input(format!("damaged summary: {cause}")))
        };
        let answers = documents.iter().map(read).collect::<mixgist::Result<Vec<_>>>()?;
        let file = draws.draws()?;
        let data = options.data("data")?;
        let data = data.as_ref().or(file.data.as_ref());
        let partitions = file.partitions()?;
        Call::new(&options, tick)?.run(|progress| {
            let behind = Behind {
                draws: Some(&file.ensemble),
                data: data.map(|data| Points::new(data.columns(), data.values())).transpose()?,
                columns: data.and_then(DataTable::column_names),
                partitions: partitions.as_ref(),
                directions: None,
            };
            let answers: Vec<_> = answers.iter().collect();
            let page = behind.report(&title, &answers, |_| without.clone(), &InReport, progress)?;
            write_bytes(Path::new(&path), page.as_bytes(), overwrite)
        })?;
        Ok(null())
    };
    outcome(ask())
}
