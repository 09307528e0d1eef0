//! The draws and data behind a summary, found again by what it says about them.

use std::path::{Path, PathBuf};

use clap::Args;
use mixgist::{PartitionDraws, Points, Progress, Result};
use mixgist_io::{DataTable, DrawsFile, ReadingDocument, SummaryDocument};
use mixgist_report::Subject;

use crate::options::read_data_for;
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

    /// The file of data that was named.
    pub fn data(&self) -> Option<&Path> {
        self.data.as_deref()
    }
}

/// The draws and data behind a summary, as far as there are any.
pub struct Material {
    draws: Option<DrawsFile>,
    partitions: Option<PartitionDraws>,
    data: Option<DataTable>,
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
        Self::new(draws, data)
    }

    /// From draws and data; data that come with the draws are used when there are no others.
    pub fn new(mut draws: Option<DrawsFile>, data: Option<DataTable>) -> Result<Self> {
        let own = draws.as_mut().and_then(|file| file.data.take());
        let partitions = match draws.as_ref().and_then(|file| file.labels.as_ref()) {
            Some(labels) => Some(partition_draws(labels)?),
            None => None,
        };
        Ok(Material { draws, partitions, data: data.or(own) })
    }

    /// The subject of figures.
    pub fn subject<'a>(&'a self, document: &'a SummaryDocument, progress: &'a dyn Progress) -> Result<Subject<'a>> {
        let mut subject = Subject::new(document, progress)?;
        if let Some(file) = &self.draws {
            subject = subject.with_draws(&file.ensemble)?;
        }
        if let Some(data) = &self.data {
            subject = subject.with_data(Points::new(data.columns(), data.values())?)?;
        }
        if let Some(partitions) = &self.partitions {
            subject = subject.with_partitions(partitions);
        }
        Ok(subject)
    }
}
