//! The draws and data behind a summary, found again by what it says about them.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::slice::NamedArrays;
use mixgist::{PartitionDraws, Points, Progress, Result};
use mixgist_io::{DataTable, DrawsFile, ReadingDocument, SummaryDocument};
use mixgist_report::Subject;
use mixgist_report::page::PARTS;

use crate::options::{all_paths, read_data_for, read_directions};
use crate::partition::partition_draws;
use mixgist_io::memory::reading;

/// Where the draws and data are, when the summary does not tell or they have moved.
#[derive(Args)]
pub struct MaterialArgs {
    /// Files of the draws that were summarised, instead of those that the summary names
    #[arg(long, value_name = "DRAWS")]
    draws: Vec<PathBuf>,

    /// File of the data, instead of the one that the summary names
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,
}

impl MaterialArgs {
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
    without: Vec<String>,
}

/// The draws and data behind a summary, as far as there are any.
pub struct Material {
    draws: Option<DrawsFile>,
    partitions: Option<PartitionDraws>,
    data: Option<DataTable>,
    directions: Option<NamedArrays>,
    without: Vec<String>,
}

impl Material {
    /// Reads what the options name, otherwise what the summary names.
    pub fn read(document: &SummaryDocument, path: &Path, args: &MaterialArgs) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let source = document.source.as_ref();
        let draws = if args.draws.is_empty() {
            let files = source.map_or(&[][..], |source| &source.draws).iter();
            files
                .map(|file| file.find(folder, "give the draws with --draws, or summarise again"))
                .collect::<Result<_>>()?
        } else {
            args.draws.clone()
        };
        let how = source.map_or_else(ReadingDocument::default, |source| source.reading.clone());
        let draws = match draws.is_empty() {
            true => None,
            false => Some(how.read(&draws, reading().memory_limit)?),
        };
        let data = match (&args.data, source.and_then(|source| source.data.as_ref())) {
            (Some(path), _) => Some(path.clone()),
            (None, Some(file)) => Some(file.find(folder, "give the data with --data, or summarise again")?),
            (None, None) => None,
        };
        let data = data.map(|path| read_data_for(&path, document.dim)).transpose()?;
        let directions = source.and_then(|source| source.directions.as_ref());
        let directions = directions.map(|file| file.find(folder, "put it back, or summarise again")).transpose()?;
        let directions = directions.map(|path| read_directions(&path)).transpose()?;
        Ok(Self::new(draws, data)?.with_directions(directions))
    }

    /// With the directions that were given.
    pub fn with_directions(mut self, directions: Option<NamedArrays>) -> Self {
        self.directions = directions;
        self
    }

    /// Without some parts of the report.
    pub fn without(mut self, parts: &PartsArgs) -> Self {
        self.without = parts.without.clone();
        self
    }

    /// From draws and data; data that come with the draws are used when there are no others.
    pub fn new(mut draws: Option<DrawsFile>, data: Option<DataTable>) -> Result<Self> {
        let own = draws.as_mut().and_then(|file| file.data.take());
        let partitions = match draws.as_ref().and_then(|file| file.labels.as_ref()) {
            Some(labels) => Some(partition_draws(labels)?),
            None => None,
        };
        Ok(Material { draws, partitions, data: data.or(own), directions: None, without: Vec::new() })
    }

    /// The subject of figures.
    pub fn subject<'a>(&'a self, document: &'a SummaryDocument, progress: &'a dyn Progress) -> Result<Subject<'a>> {
        let mut subject = Subject::new(document, progress)?.without(&self.without);
        if let Some(file) = &self.draws {
            subject = subject.with_draws(&file.ensemble)?;
        }
        if let Some(data) = &self.data {
            subject = subject.with_data(Points::new(data.columns(), data.values())?)?;
        }
        if let Some(partitions) = &self.partitions {
            subject = subject.with_partitions(partitions);
        }
        // Summaries with random slices may be reported on beside one with given directions.
        if let Some(directions) = self.directions.as_ref().filter(|_| document.scheme == "given") {
            subject = subject.with_directions(directions);
        }
        Ok(subject)
    }
}
