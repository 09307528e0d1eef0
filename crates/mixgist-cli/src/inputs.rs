//! The draws and data behind a summary, found again by what it says about them.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::text::named;
use mixgist::{Answer, GivenDirections, PartitionDraws, Points, Result, Summary, text};
use mixgist_io::memory::reading;
use mixgist_io::{DataTable, DrawsFile, default_reading, find_file, read_as};
use mixgist_report::Behind;
use mixgist_report::page::PARTS;

use crate::options::{all_paths, read_data_for, read_directions};

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
    pub fn new(draws: Option<DrawsFile>, data: Option<DataTable>) -> Result<Self> {
        let mut draws = draws.map(DrawsFile::with_label_traces);
        let own = draws.as_mut().and_then(|file| file.data.take());
        let partitions = draws.as_ref().map_or(Ok(None), DrawsFile::partitions)?;
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

    /// What figures and reports are made from.
    pub fn behind(&self) -> Result<Behind<'_>> {
        Ok(Behind {
            draws: self.draws.as_ref().map(|file| &file.ensemble),
            data: self.points()?,
            columns: self.columns(),
            partitions: self.partitions(),
            directions: self.directions.as_ref(),
        })
    }
}
