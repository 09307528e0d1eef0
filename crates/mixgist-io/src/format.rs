//! The table of formats: one line a format, and the one place that decides which of them a file has.

use std::path::Path;

use mixgist::{Error, Result};

use crate::data::DataTable;
use crate::draws::{DrawsFile, ReadOptions};
#[cfg(feature = "parquet")]
use crate::formats::parquet;
use crate::formats::{bayesmix, csv, npy, npz, premium, read_netcdf, wide, zarr};
use crate::labels::LabelDraws;
use crate::output::Output;

/// A file format; its name, extension and abilities are in one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Named arrays, as numpy's `savez` writes them.
    Npz,
    /// One array, as numpy's `save` writes it.
    Npy,
    /// Comma-separated text.
    Csv,
    /// Apache Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Comma-separated text, one row per draw, one column for each entry of a variable.
    WideCsv,
    /// The output of CmdStan.
    StanCsv,
    /// NetCDF, as ArviZ writes it.
    NetCdf,
    /// A Zarr store (version 2 or 3), as ArviZ and nutpie write it.
    Zarr,
    /// `chains.recordio` of bayesmix.
    Bayesmix,
    /// The text files of PReMiuM.
    Premium,
    /// A document such as a summary, see [`crate::read_json`].
    Json,
}

type Reader<T> = fn(&Path, &ReadOptions) -> Result<T>;
type Writer<T> = fn(&mut Output, &T) -> Result<()>;

/// What a format can do; `None` is what it cannot.
struct Entry {
    format: Format,
    name: &'static str,
    extension: &'static str,
    help: &'static str,
    draws: Option<Reader<DrawsFile>>,
    draws_out: Option<Writer<DrawsFile>>,
    /// Whether a file of draws can hold labels and data, too.
    draws_carry_labels: bool,
    data: Option<Reader<DataTable>>,
    data_out: Option<Writer<DataTable>>,
    labels: Option<Reader<LabelDraws>>,
    labels_out: Option<Writer<LabelDraws>>,
}

const CANNOT: Entry = Entry {
    format: Format::Npz,
    name: "",
    extension: "",
    help: "",
    draws: None,
    draws_out: None,
    draws_carry_labels: false,
    data: None,
    data_out: None,
    labels: None,
    labels_out: None,
};

/// The first format with the extension of a file is the one it has.
static FORMATS: &[Entry] = &[
    Entry {
        format: Format::Npz,
        name: "npz",
        extension: "npz",
        help: "numpy arrays weights, means, covariances [offsets, chain, iteration, draw_weights, log_posterior, labels, data]",
        draws: Some(npz::read_draws),
        draws_out: Some(npz::write_draws),
        draws_carry_labels: true,
        data: Some(npz::read_data),
        data_out: Some(npz::write_data),
        labels: Some(npz::read_labels),
        labels_out: Some(npz::write_labels),
    },
    Entry {
        format: Format::Npy,
        name: "npy",
        extension: "npy",
        help: "one numpy array: data or labels",
        data: Some(npy::read_data),
        data_out: Some(npy::write_data),
        labels: Some(npy::read_labels),
        labels_out: Some(npy::write_labels),
        ..CANNOT
    },
    Entry {
        format: Format::Csv,
        name: "csv",
        extension: "csv",
        help: "a table with one atom per row: chain, draw, atom, weight, mean_1 …, cov_1_1 …; data; labels with one draw per line",
        draws: Some(csv::read_draws),
        draws_out: Some(csv::write_draws),
        data: Some(csv::read_data),
        data_out: Some(csv::write_data),
        labels: Some(csv::read_labels),
        labels_out: Some(csv::write_labels),
        ..CANNOT
    },
    #[cfg(feature = "parquet")]
    Entry {
        format: Format::Parquet,
        name: "parquet",
        extension: "parquet",
        help: "the same tables as in csv",
        draws: Some(parquet::read_draws),
        draws_out: Some(parquet::write_draws),
        data: Some(parquet::read_data),
        data_out: Some(parquet::write_data),
        labels: Some(parquet::read_labels),
        labels_out: Some(parquet::write_labels),
        ..CANNOT
    },
    // After csv, which has the extension: these must be asked for, with the names of their variables.
    Entry {
        format: Format::WideCsv,
        name: "wide-csv",
        extension: "csv",
        help: "a table with one draw per row: chain, iteration, w[1] …, mu[1,1] …, Sigma[1,1,1] …, with the names of the variables",
        draws: Some(wide::read_wide),
        ..CANNOT
    },
    Entry {
        format: Format::StanCsv,
        name: "stan-csv",
        extension: "csv",
        help: "output of CmdStan, one file a chain, with the names of the variables that hold the mixture",
        draws: Some(wide::read_stan),
        ..CANNOT
    },
    Entry {
        format: Format::NetCdf,
        name: "netcdf",
        extension: "nc",
        help: "the group posterior of ArviZ, or variables with the dimensions chain and draw, with the names of the variables",
        draws: Some(read_netcdf::read_draws),
        ..CANNOT
    },
    Entry {
        format: Format::Zarr,
        name: "zarr",
        extension: "zarr",
        help: "the same in a directory in the Zarr format, version 2 or 3",
        draws: Some(zarr::read_draws),
        ..CANNOT
    },
    Entry {
        format: Format::Bayesmix,
        name: "bayesmix",
        extension: "recordio",
        help: "chains.recordio of bayesmix, with labels",
        draws: Some(bayesmix::read_draws),
        ..CANNOT
    },
    // By the end of its name, because other text files have the extension.
    Entry {
        format: Format::Premium,
        name: "premium",
        extension: "_psi.txt",
        help: "text files of PReMiuM: give STEM_psi.txt; STEM_nClusters.txt, _mu, _Sigma and _z lie beside it",
        draws: Some(premium::read_draws),
        ..CANNOT
    },
    Entry { format: Format::Json, name: "json", extension: "json", help: "a summary", ..CANNOT },
];

impl Format {
    /// Every format, in the order in which help texts list them.
    pub fn all() -> impl Iterator<Item = Format> {
        FORMATS.iter().map(|entry| entry.format)
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Result<Self> {
        FORMATS.iter().find(|entry| entry.name == name).map(|entry| entry.format).ok_or_else(|| {
            Error::usage(format!("unknown format '{name}'")).hint(format!("one of: {}", names(|_| true)))
        })
    }

    /// The format that was asked for, or else the one that the extension of `path` (in any case) stands for.
    pub fn choose(asked: Option<Format>, path: &Path) -> Result<Self> {
        Format::choose_among(asked, path, |_| true)
    }

    /// The same for draws that are written: one that can be, or what can be.
    pub fn to_write_draws(asked: Option<Format>, path: &Path) -> Result<Self> {
        let format = Format::choose_among(asked, path, |entry| entry.draws_out.is_some())?;
        format.draws_writer().map_err(|error| error.in_file(path))?;
        Ok(format)
    }

    /// The writer of data for a file.
    pub(crate) fn to_write_data(asked: Option<Format>, path: &Path) -> Result<Writer<DataTable>> {
        let format = Format::choose_among(asked, path, |entry| entry.data_out.is_some())?;
        format
            .entry()
            .data_out
            .ok_or_else(|| format.cannot("be written for data", |entry| entry.data_out.is_some()).in_file(path))
    }

    /// The writer of labels for a file.
    pub(crate) fn to_write_labels(asked: Option<Format>, path: &Path) -> Result<Writer<LabelDraws>> {
        let format = Format::choose_among(asked, path, |entry| entry.labels_out.is_some())?;
        format
            .entry()
            .labels_out
            .ok_or_else(|| format.cannot("be written for labels", |entry| entry.labels_out.is_some()).in_file(path))
    }

    /// As [`Format::choose`]; where the extension does not tell, the formats that are proposed are those that are able.
    fn choose_among(asked: Option<Format>, path: &Path, able: fn(&Entry) -> bool) -> Result<Self> {
        if let Some(format) = asked {
            return Ok(format);
        }
        if is_store(path) {
            return Ok(Format::Zarr);
        }
        if Format::Premium.has_extension_of(path) {
            return Ok(Format::Premium);
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let entry = FORMATS.iter().find(|entry| entry.extension.eq_ignore_ascii_case(extension));
        entry.map(|entry| entry.format).ok_or_else(|| {
            let problem = if extension.is_empty() {
                "has no extension that names its format".to_owned()
            } else {
                format!("extension '{extension}' stands for no known format")
            };
            Error::usage(problem).in_file(path).hint(mixgist::text![
                "name the format with ",
                mixgist::text::named("format"),
                format!(", one of: {}", names(able))
            ])
        })
    }

    /// The name that options use.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Whether a file has the extension of this format.
    pub(crate) fn has_extension_of(self, path: &Path) -> bool {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().ends_with(self.entry().extension))
    }

    /// What files of this format hold, in a few words.
    pub fn help(self) -> &'static str {
        self.entry().help
    }

    /// Whether draws can be written in this format.
    pub fn holds_written_draws(self) -> bool {
        self.entry().draws_out.is_some()
    }

    /// Whether a file of draws in this format can hold labels and data, too.
    pub fn draws_carry_labels(self) -> bool {
        self.entry().draws_carry_labels
    }

    pub(crate) fn draws_reader(self) -> Result<Reader<DrawsFile>> {
        self.entry().draws.ok_or_else(|| self.cannot("hold draws", |entry| entry.draws.is_some()))
    }

    pub(crate) fn draws_writer(self) -> Result<Writer<DrawsFile>> {
        self.entry().draws_out.ok_or_else(|| self.cannot("be written for draws", |entry| entry.draws_out.is_some()))
    }

    pub(crate) fn data_reader(self) -> Result<Reader<DataTable>> {
        self.entry().data.ok_or_else(|| self.cannot("hold data", |entry| entry.data.is_some()))
    }

    pub(crate) fn labels_reader(self) -> Result<Reader<LabelDraws>> {
        self.entry().labels.ok_or_else(|| self.cannot("hold labels", |entry| entry.labels.is_some()))
    }

    fn entry(self) -> &'static Entry {
        FORMATS.iter().find(|entry| entry.format == self).expect("every format is in the table")
    }

    fn cannot(self, what: &str, able: fn(&Entry) -> bool) -> Error {
        Error::usage(format!("format '{}' cannot {what}", self.name())).hint(format!("one of: {}", names(able)))
    }
}

/// Whether a directory is a Zarr store.
pub(crate) fn is_store(path: &Path) -> bool {
    [".zgroup", ".zmetadata", "zarr.json"].iter().any(|name| path.join(name).is_file())
}

fn names(able: fn(&Entry) -> bool) -> String {
    let names: Vec<&str> = FORMATS.iter().filter(|entry| able(entry)).map(|entry| entry.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_once_in_the_table_and_found_by_its_name() {
        for format in Format::all() {
            assert_eq!(FORMATS.iter().filter(|entry| entry.format == format).count(), 1);
            assert_eq!(Format::from_name(format.name()).unwrap(), format);
            assert!(!format.help().is_empty());
        }
        assert_eq!(Format::all().count(), if cfg!(feature = "parquet") { 11 } else { 10 });
    }

    #[test]
    fn the_extension_decides_unless_a_format_is_asked_for() {
        let choose = |asked, path: &str| Format::choose(asked, Path::new(path)).unwrap();
        assert_eq!(choose(None, "a/b.NPZ"), Format::Npz);
        assert_eq!(choose(None, "b.csv"), Format::Csv);
        assert_eq!(choose(None, "a/run_psi.txt"), Format::Premium);
        assert!(Format::choose(None, Path::new("run_mu.txt")).is_err());
        assert_eq!(choose(Some(Format::StanCsv), "b.csv"), Format::StanCsv);
        assert_eq!(choose(Some(Format::Csv), "b.txt"), Format::Csv);
    }
}
