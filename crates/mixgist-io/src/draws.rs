//! Draws of a mixing measure with the labels and data that came along with them.

use std::path::{Path, PathBuf};

use mixgist::text::{named, option};
use mixgist::{CovarianceForm, Ensemble, Error, Labels, PartitionDraws, Result, Trace, text};

use crate::data::DataTable;
use crate::format::Format;
use crate::labels::LabelDraws;
use crate::output::{Overwrite, write_whole};
use crate::source::Stop;
use crate::variables::Variables;

/// How to read a file; the defaults suit mixgist's own files.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The format; without it the extension decides.
    pub format: Option<Format>,
    /// The form in which covariances are given.
    pub covariance_form: CovarianceForm,
    /// The variables that hold weights, means and covariances, in files with variables of any name.
    pub variables: Variables,
    /// The columns of data that are wanted, by name, or counted from 0 where there are no names; all of them without it.
    pub columns: Option<Vec<String>>,
    /// The most bytes of numbers that a file may hold. Peak memory is three to five times that.
    pub memory_limit: u64,
    /// Stops the reading from another thread.
    pub stop: Stop,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            covariance_form: CovarianceForm::default(),
            variables: Variables::default(),
            columns: None,
            memory_limit: 8 << 30,
            stop: Stop::default(),
        }
    }
}

impl ReadOptions {
    pub(crate) fn format_of(&self, path: &Path) -> Result<Format> {
        Format::choose(self.format, path)
    }
}

/// What a file of draws holds.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawsFile {
    /// The draws.
    pub ensemble: Ensemble,
    /// The partition of each draw, when the file has them.
    pub labels: Option<LabelDraws>,
    /// The observations, when the file has them.
    pub data: Option<DataTable>,
}

impl From<Ensemble> for DrawsFile {
    fn from(ensemble: Ensemble) -> Self {
        DrawsFile { ensemble, labels: None, data: None }
    }
}

/// Reads draws from one or several files, which are several chains; a directory stands for the files in it.
pub fn read_draws<P: AsRef<Path>>(paths: &[P], options: &ReadOptions) -> Result<DrawsFile> {
    let paths = with_directories(paths, options)?;
    let mut files = Vec::with_capacity(paths.len());
    // What one file takes is not there for the next.
    let mut options = options.clone();
    for path in &paths {
        let path = path.as_path();
        let format = options.format_of(path)?;
        let read = format.draws_reader().map_err(|error| match format {
            Format::Json => not_draws(path),
            _ => error.in_file(path),
        })?;
        let file = read(path, &options).map_err(|error| error.in_file(path))?;
        options.memory_limit = options.memory_limit.saturating_sub(file.bytes());
        files.push(file);
    }
    if files.len() > 1 {
        return join(&files).map_err(|(file, error)| error.in_file(&paths[file]));
    }
    files.pop().ok_or_else(|| Error::usage("no file of draws was given"))
}

/// The paths, with the files of a directory in its place, in the order of their names, numbers in them counted (chain-2 before chain-10).
///
/// A Zarr store is a directory, too, but one source of draws.
pub(crate) fn with_directories<P: AsRef<Path>>(paths: &[P], options: &ReadOptions) -> Result<Vec<PathBuf>> {
    let mut all = Vec::with_capacity(paths.len());
    for path in paths {
        let path = path.as_ref();
        if !path.is_dir() || crate::format::is_store(path) {
            all.push(path.to_owned());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|cause| Error::io(path, "read", &cause))?;
        let mut files: Vec<PathBuf> = Vec::new();
        for entry in entries {
            let file = entry.map_err(|cause| Error::io(path, "read", &cause))?.path();
            let hidden = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            let format = Format::choose(None, &file).ok().filter(|format| *format != Format::Json);
            let wanted = match options.format {
                Some(asked) => asked.has_extension_of(&file),
                None => format.is_some(),
            };
            if !hidden && wanted && (file.is_file() || crate::format::is_store(&file)) {
                files.push(file);
            }
        }
        if files.is_empty() {
            return Err(Error::input("is a directory without files of draws")
                .as_system(std::io::ErrorKind::IsADirectory)
                .in_file(path)
                .hint("its files must have the extension of their format; each is a chain"));
        }
        files.sort_by_cached_key(|file| counted(&file.file_name().unwrap_or_default().to_string_lossy()));
        all.extend(files);
    }
    Ok(all)
}

/// A name as text and numbers in turn, so that names sort as people count.
fn counted(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0u64)];
    for (at, c) in name.char_indices() {
        let after_digit = at > 0 && name.as_bytes()[at - 1].is_ascii_digit();
        let last = parts.last_mut().expect("there is one");
        match c.to_digit(10) {
            Some(digit) => last.1 = last.1.saturating_mul(10).saturating_add(u64::from(digit)),
            None if after_digit => parts.push((c.to_string(), 0)),
            None => last.0.push(c),
        }
    }
    parts
}

/// An answer, such as a summary, where draws should be.
pub(crate) fn not_draws(path: &Path) -> Error {
    Error::usage("holds an answer, not draws").in_file(path).hint(text![
        "give the draws; a summary of them goes with ",
        named("estimate"),
        ", and nothing is computed again"
    ])
}

/// Writes draws, whole or not at all; labels and data need a format that holds them (npz).
pub fn write_draws(path: &Path, draws: &DrawsFile, format: Option<Format>, overwrite: Overwrite) -> Result<()> {
    let format = Format::to_write_draws(format, path)?;
    let write = format.draws_writer()?;
    draws.check().map_err(|error| error.in_file(path))?;
    if !format.draws_carry_labels() && (draws.labels.is_some() || draws.data.is_some()) {
        return Err(Error::usage(format!(
            "format '{}' holds draws only, not the labels or data that come with them",
            format.name()
        ))
        .in_file(path)
        .hint("write npz, or write labels and data to files of their own"));
    }
    write_whole(path, overwrite, |output| write(output, draws))
}

impl DrawsFile {
    /// Draws of a fit with the labels (M × n) of these data.
    pub fn labelled(ensemble: Ensemble, labels: Labels, data: DataTable) -> Self {
        let labels = LabelDraws { draws: ensemble.len(), observations: data.rows(), labels };
        DrawsFile { ensemble, labels: Some(labels), data: Some(data) }
    }

    /// The partitions that came with the draws, weighted as these are.
    pub fn partitions(&self) -> Result<Option<PartitionDraws>> {
        let Some(labels) = &self.labels else { return Ok(None) };
        let partitions = labels.partitions()?;
        let weights = self.ensemble.draw_weights();
        weights.map_or(Ok(partitions.clone()), |weights| partitions.with_draw_weights(weights)).map(Some)
    }

    /// The same draws; where they have labels, the chains are judged by the number of clusters and the size of the largest too.
    #[must_use]
    pub fn with_label_traces(mut self) -> Self {
        let known = self.ensemble.traces().iter().any(|trace| trace.name == Trace::CLUSTERS);
        let Some(labels) = self.labels.as_ref().filter(|labels| !known && labels.draws == self.ensemble.len()) else {
            return self;
        };
        let (clusters, largest) = (0..labels.draws).map(|m| labels.sizes(m)).unzip();
        let traces = [Trace::new(Trace::CLUSTERS, clusters), Trace::new(Trace::LARGEST_CLUSTER, largest)];
        let add = |all: Ensemble, trace| all.with_trace(trace).expect("a finite number for each draw");
        self.ensemble = traces.into_iter().fold(self.ensemble, add);
        self
    }

    /// The draws that are left after burn-in and thinning within each chain; they remember the chains of which none is left.
    pub fn thinned(&self, burn_in: usize, thin: usize) -> Result<Self> {
        if thin == 0 {
            return Err(Error::usage(text![named("thin"), " is 0, must be at least 1"]));
        }
        let kept = self.ensemble.thinned(burn_in, thin);
        if kept.is_empty() {
            let none = format!(" leaves none of {} draws", self.ensemble.len());
            return Err(Error::usage(text![option("burn_in", burn_in), none])
                .hint("it counts the draws of each chain that are there, not the sampler's iterations"));
        }
        self.clone().select_remembering(&kept)
    }

    /// The draws with the given indices, in that order, with their labels; the data stay.
    pub fn select(self, draws: &[usize]) -> Result<Self> {
        let ensemble = self.ensemble.select(draws)?;
        let labels = self.labels.map(|all| LabelDraws {
            draws: draws.len(),
            observations: all.observations,
            labels: draws.iter().flat_map(|&m| all.draw(m)).collect(),
        });
        Ok(DrawsFile { ensemble, labels, data: self.data })
    }

    /// The same; the draws remember the chains of which none is left.
    fn select_remembering(self, draws: &[usize]) -> Result<Self> {
        let all = self.ensemble.clone();
        let mut kept = self.select(draws)?;
        kept.ensemble = kept.ensemble.remembering_chains_of(&all);
        Ok(kept)
    }

    /// Memory that its numbers take.
    fn bytes(&self) -> u64 {
        let (atoms, dim) = (self.ensemble.weights().len(), self.ensemble.dim());
        let labels = self.labels.as_ref().map_or(0, |labels| labels.labels.len());
        let data = self.data.as_ref().map_or(0, |data| data.values().len());
        (8 * (atoms * (1 + dim + dim * dim) + data) + labels) as u64
    }

    /// Checks that labels and data fit the draws and each other.
    pub fn check(&self) -> Result<()> {
        let draws = self.ensemble.len();
        self.labels.as_ref().map_or(Ok(()), LabelDraws::check)?;
        if let Some(labels) = &self.labels
            && labels.draws != draws
        {
            return Err(Error::input(format!("labels of {} draws, but there are {draws} draws", labels.draws)));
        }
        if let Some(data) = &self.data
            && data.columns() != self.ensemble.dim()
        {
            return Err(Error::input(format!(
                "data of dimension {}, but the means have dimension {}",
                data.columns(),
                self.ensemble.dim()
            )));
        }
        match (&self.labels, &self.data) {
            (Some(labels), Some(data)) if labels.observations != data.rows() => Err(Error::input(format!(
                "labels of {} observations, but data of {}",
                labels.observations,
                data.rows()
            ))),
            _ => Ok(()),
        }
    }
}

/// What is added to the numbers of a file's chains, the next free number being `next`: nothing where they are larger than all before, as in files that say
/// which chain each of them is; otherwise they are counted on.
pub(crate) fn shift_of_chains(next: u32, chains: impl Iterator<Item = u32>) -> u32 {
    chains.min().map_or(0, |least| next.saturating_sub(least))
}

/// One ensemble of several; an error comes with the index of the file.
fn join(files: &[DrawsFile]) -> std::result::Result<DrawsFile, (usize, Error)> {
    let first = &files[0];
    let dim = first.ensemble.dim();
    let mut chains = Vec::new();
    let mut labels = first.labels.as_ref().map(|labels| LabelDraws::empty(labels.observations));
    for (f, DrawsFile { ensemble, labels: own, data }) in files.iter().enumerate() {
        let fail = |message: String| Err((f, Error::input(message)));
        if ensemble.dim() != dim {
            return fail(format!("means of dimension {}, the first file has dimension {dim}", ensemble.dim()));
        }
        if ensemble.draw_weights().is_some() {
            return fail("draw weights cannot be joined over several files, because each file scales its own".into());
        }
        if *data != first.data {
            return fail("holds other data than the first file".into());
        }
        match (&mut labels, own) {
            (Some(all), Some(own)) if own.observations == all.observations => {
                all.labels.append(own.labels.as_slice());
                all.draws += own.draws;
            }
            (None, None) => {}
            _ => return fail("holds labels of other observations than the first file".into()),
        }
        let next = chains.iter().max().map_or(0, |last: &u32| last.saturating_add(1));
        let shift = shift_of_chains(next, ensemble.chains().iter().copied());
        chains.extend(ensemble.chains().iter().map(|chain| shift.saturating_add(*chain)));
    }
    let parts: Vec<&Ensemble> = files.iter().map(|file| &file.ensemble).collect();
    let ensemble = Ensemble::concatenate(&parts)
        .and_then(|all| {
            let iterations = all.iterations().to_vec();
            all.with_chains(chains, iterations)
        })
        .map_err(|error| (0, error))?;
    Ok(DrawsFile { ensemble, labels, data: first.data.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_count() {
        let mut names = ["chain-10.csv", "chain-2.csv", "a.csv", "chain-1.csv"];
        names.sort_by_cached_key(|name| counted(name));
        assert_eq!(names, ["a.csv", "chain-1.csv", "chain-2.csv", "chain-10.csv"]);
    }

    #[test]
    fn chains_of_files_keep_their_numbers_or_are_counted_on() {
        let numbers = |files: &[&[u32]]| {
            let mut all: Vec<u32> = Vec::new();
            for file in files {
                let shift = shift_of_chains(all.iter().max().map_or(0, |last| last + 1), file.iter().copied());
                all.extend(file.iter().map(|chain| chain + shift));
            }
            all
        };
        assert_eq!(numbers(&[&[0], &[0], &[0]]), [0, 1, 2]);
        assert_eq!(numbers(&[&[1], &[1], &[1]]), [1, 2, 3]);
        assert_eq!(numbers(&[&[1], &[2], &[4]]), [1, 2, 4]);
        assert_eq!(numbers(&[&[0, 1], &[0, 1]]), [0, 1, 2, 3]);
        assert_eq!(numbers(&[&[1, 2], &[2, 1], &[3]]), [1, 2, 4, 3, 5]);
    }

    #[test]
    fn selected_draws_take_their_labels_along() {
        let ensemble = Ensemble::builder(1)
            .atoms_per_draw(1)
            .weights(&[1.0; 3])
            .means(&[0.0, 1.0, 2.0])
            .covariances(&[1.0; 3])
            .build()
            .unwrap();
        let labels = LabelDraws { draws: 3, observations: 2, labels: vec![0, 0, 0, 1, 0, 0].into() };
        let data = DataTable::new(1, vec![0.5, 1.5], None).unwrap();
        let file = DrawsFile { ensemble, labels: Some(labels), data: Some(data.clone()) };
        let some = file.select(&[2, 1]).unwrap();
        assert_eq!(some.ensemble.atoms().means(), [2.0, 1.0]);
        assert_eq!(some.labels, Some(LabelDraws { draws: 2, observations: 2, labels: vec![0, 0, 0, 1].into() }));
        assert_eq!(some.data, Some(data));
    }

    /// Four chains whose measures are the same, while the labels of one have a cluster more: only they tell that the chains disagree.
    #[test]
    fn chains_are_judged_by_their_labels_too() {
        let ones = vec![1.0; 80];
        let means: Vec<f64> = (0..80).map(|m| f64::from(m * 7 % 20)).collect();
        let ensemble =
            Ensemble::builder(1).atoms_per_draw(1).weights(&ones).means(&means).covariances(&ones).build().unwrap();
        let ensemble = ensemble.with_chains((0..80).map(|m| m / 20).collect(), (0..80).collect()).unwrap();
        let labels = (0..80).flat_map(|m| [0, 1, if m < 60 { 1 } else { 2 }, m % 2]).collect();
        let labels = LabelDraws { draws: 80, observations: 4, labels };
        let file = DrawsFile { ensemble, labels: Some(labels), data: None };
        let verdict = |file: &DrawsFile| mixgist::Agreement::new(&file.ensemble, None).verdict;
        assert_ne!(verdict(&file), mixgist::ChainVerdict::Disagree);
        let judged = file.with_label_traces();
        assert_eq!(verdict(&judged), mixgist::ChainVerdict::Disagree);
        let [clusters, largest] = judged.ensemble.traces() else { panic!("{:?}", judged.ensemble.traces()) };
        assert_eq!((&*clusters.name, clusters.values[0], clusters.values[79]), ("clusters", 2.0, 3.0));
        assert_eq!((&*largest.name, largest.values[0], largest.values[79]), ("largest cluster", 2.0, 2.0));
    }
}
