//! The draws and data behind a summary, found again by what it says about them.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::text::{CommandLine, named};
use mixgist::{Answer, GivenDirections, PartitionDraws, Points, Posterior, Progress, Result, Settings, Summary, text};
use mixgist_io::memory::reading;
use mixgist_io::{DataTable, DrawsFile, default_reading, find_file, read_as};
use mixgist_report::page::PARTS;
use mixgist_report::{Presentation, html};

use crate::options::{all_paths, read_data_for, read_directions};
use crate::partition::partition_draws;

/// Where the draws and data are, when the summary does not tell or they have moved.
#[derive(Args)]
pub struct InputArgs {
    /// Files of the draws that were summarised, instead of those that the summary names
    #[arg(long, value_name = "DRAWS")]
    draws: Vec<PathBuf>,

    /// File of the data, instead of the one that the summary names
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,
}

impl InputArgs {
    /// Whether no draws were named.
    pub fn is_empty_of_draws(&self) -> bool {
        self.draws.is_empty()
    }

    /// These files and those that were named.
    pub fn paths<'a>(&'a self, files: &'a [PathBuf]) -> Vec<&'a Path> {
        [all_paths(files, &[&self.data]), all_paths(&self.draws, &[])].concat()
    }

    /// The file of data that was named.
    pub fn data(&self) -> Option<&Path> {
        self.data.as_deref()
    }
}

/// Which parts of a report are left out.
#[derive(Args)]
pub struct PartsArgs {
    /// Leave out parts of the report that take time
    #[arg(long, value_name = "PARTS", value_delimiter = ',', help_heading = "Output",
          value_parser = PossibleValuesParser::new(PARTS))]
    pub without: Vec<String>,
}

/// Draws and data, as far as there are any.
pub struct Inputs {
    pub draws: Option<DrawsFile>,
    partitions: Option<PartitionDraws>,
    pub data: Option<DataTable>,
    directions: Option<GivenDirections>,
}

impl Inputs {
    /// From draws and data; data that come with the draws are used when there are no others.
    pub fn new(mut draws: Option<DrawsFile>, data: Option<DataTable>) -> Result<Self> {
        let own = draws.as_mut().and_then(|file| file.data.take());
        let partitions = match draws.as_ref().and_then(|file| file.labels.as_ref()) {
            Some(labels) => Some(partition_draws(labels)?),
            None => None,
        };
        Ok(Inputs { draws, partitions, data: data.or(own), directions: None })
    }

    /// Reads what the options name, otherwise what the summary names.
    pub fn read(answer: &Answer<Summary>, path: &Path, args: &InputArgs) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let source = answer.about.source.as_ref();
        let draws = if args.draws.is_empty() {
            let files = source.map_or(&[][..], |source| &source.draws).iter();
            let remedy = || text!["give the draws with ", named("draws"), ", or summarise again"];
            files.map(|file| find_file(file, folder, remedy())).collect::<Result<_>>()?
        } else {
            args.draws.clone()
        };
        let how = source.map_or_else(default_reading, |source| source.reading.clone());
        let draws = match draws.is_empty() {
            true => None,
            false => Some(read_as(&how, &draws, reading().memory_limit)?),
        };
        let data = match (&args.data, source.and_then(|source| source.data.as_ref())) {
            (Some(path), _) => Some(path.clone()),
            (None, Some(file)) => {
                Some(find_file(file, folder, text!["give the data with ", named("data"), ", or summarise again"])?)
            }
            (None, None) => None,
        };
        let data = data.map(|path| read_data_for(&path, answer.about.dim)).transpose()?;
        let directions = source.and_then(|source| source.directions.as_ref());
        let directions =
            directions.map(|file| find_file(file, folder, "put it back, or summarise again")).transpose()?;
        let mut inputs = Self::new(draws, data)?;
        inputs.directions = directions.map(|path| read_directions(&path)).transpose()?;
        Ok(inputs)
    }

    /// The data.
    pub fn points(&self) -> Result<Option<Points<'_>>> {
        self.data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()
    }

    /// The partitions that came with the draws.
    pub fn partitions(&self) -> Option<&PartitionDraws> {
        self.partitions.as_ref()
    }

    /// Names of the data's columns.
    pub fn columns(&self) -> Option<&[String]> {
        self.data.as_ref().and_then(DataTable::column_names)
    }

    /// The posterior of a summary that was computed before, where the draws are at hand.
    pub fn posterior(&self, answer: &Answer<Summary>) -> Result<Option<Posterior<'_>>> {
        let Some(file) = &self.draws else { return Ok(None) };
        let mut settings: Settings = answer.about.settings.clone();
        if settings.directions.is_some() && self.directions.is_some() {
            settings.directions = self.directions.clone();
        }
        let posterior = Posterior::new(&file.ensemble, self.points()?, settings)?.with_columns(self.columns());
        Ok(Some(posterior.with_source(answer.about.source.clone()).with_summary(&answer.result)?))
    }

    /// What figures are drawn from.
    pub fn presentation<'a>(
        &'a self,
        answer: &'a Answer<Summary>,
        posterior: Option<&'a Posterior<'a>>,
        progress: &'a dyn Progress,
    ) -> Result<Presentation<'a>> {
        let mut presentation = Presentation::new(answer, &CommandLine, progress)?;
        presentation = match (posterior, self.points()?) {
            (Some(posterior), _) => presentation.with_posterior(posterior)?,
            (None, Some(points)) => presentation.with_data(points)?,
            (None, None) => presentation,
        };
        Ok(match &self.partitions {
            Some(partitions) => presentation.with_partitions(partitions),
            None => presentation,
        })
    }

    /// The report of summaries of these draws; `without` says for each which parts are left out.
    pub fn report(
        &self,
        title: &str,
        answers: &[Answer<Summary>],
        without: impl Fn(usize) -> Vec<String>,
        progress: &dyn Progress,
    ) -> Result<String> {
        let posteriors = answers.iter().map(|answer| self.posterior(answer)).collect::<Result<Vec<_>>>()?;
        let mut presentations = Vec::new();
        for (i, answer) in answers.iter().enumerate() {
            presentations.push(self.presentation(answer, posteriors[i].as_ref(), progress)?.without(&without(i)));
        }
        html(title, presentations)
    }
}
