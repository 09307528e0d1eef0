//! npz: named arrays in a zip file, as numpy saves them; dense draws, or ragged ones by `offsets`.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use ::zip::read::{ArchiveOffset, Config, ZipFile};
use ::zip::write::SimpleFileOptions;
use ::zip::{CompressionMethod, ZipArchive, ZipWriter};
use mixgist::slice::{Array, NamedArrays};
use mixgist::{AlignedDraws, CovarianceForm, Ensemble, Error, LabelSlice, Result, Trace};

use crate::array::{RawArray, Values, check_shape, shape_text};
use crate::data::DataTable;
use crate::draws::{DrawsFile, ReadOptions};
use crate::formats::npy::{self, Numbers};
use crate::labels::LabelDraws;
use crate::output::{Output, Overwrite, cannot, cannot_write, write_whole};
use crate::source::{Budget, Source, size_text};

/// Reads those of the arrays `names` that an npz file has, at least one; what else it holds is not looked at.
pub fn read_arrays(path: &Path, names: &[&str], options: &ReadOptions) -> Result<NamedArrays> {
    let read = || {
        let mut archive = Archive::open(path, options)?;
        let mut arrays = NamedArrays::new();
        for &name in names {
            if let Some(array) = archive.numeric(name)? {
                arrays.insert(name.to_owned(), array);
            }
        }
        if arrays.is_empty() {
            return Err(Error::input(format!("holds none of the arrays {}", names.join(", ")))
                .hint(format!("it holds {}", archive.held())));
        }
        Ok(arrays)
    };
    read().map_err(|error: Error| error.in_file(path))
}

/// Writes arrays of f64 as an npz file, whole or not at all.
pub fn write_arrays(path: &Path, arrays: &NamedArrays, overwrite: Overwrite) -> Result<()> {
    for (name, array) in arrays {
        check_shape(array).map_err(|error| in_array(name, error).in_file(path))?;
    }
    write_whole(path, overwrite, |output| {
        let mut archive = ArchiveWriter::new(output);
        for (name, array) in arrays {
            archive.add(name, &array.shape, Numbers::Float(&array.values))?;
        }
        archive.finish()
    })
}

pub(crate) fn read_draws(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    let mut archive = Archive::open(path, options)?;
    // A few bytes can unpack to gigabytes: shapes are compared before any values are read.
    let plan = Plan::new(&mut archive, options.covariance_form)?;
    let weights = archive.required("weights")?;
    let means = archive.required("means")?;
    let covariances = archive.required("covariances")?;
    let offsets = plan.offsets(archive.counts("offsets")?);
    let form = options.covariance_form;
    Budget::new(options).fits_covariances(plan.dim, weights.values.len())?;
    let ensemble = Ensemble::builder(plan.dim)
        .offsets(&offsets)
        .weights(&weights.values)
        .means(&means.values)
        .covariances(&covariances.values)
        .form(form)
        .build()?;
    drop((weights, means, covariances));
    let ensemble = with_origin(&mut archive, ensemble)?;
    let labels = archive.read("labels")?.map(LabelDraws::from_array).transpose()?;
    let draws = DrawsFile { ensemble, labels, data: archive.data(options)? };
    draws.check()?;
    Ok(draws)
}

pub(crate) fn read_data(path: &Path, options: &ReadOptions) -> Result<DataTable> {
    let mut archive = Archive::open(path, options)?;
    archive.data(options)?.ok_or_else(|| archive.missing("data"))
}

pub(crate) fn read_labels(path: &Path, options: &ReadOptions) -> Result<LabelDraws> {
    let mut archive = Archive::open(path, options)?;
    let labels = archive.read("labels")?.ok_or_else(|| archive.missing("labels"))?;
    LabelDraws::from_array(labels)
}

pub(crate) fn write_draws(output: &mut Output, draws: &DrawsFile) -> Result<()> {
    let DrawsFile { ensemble, labels, data } = draws;
    let (m, d, atoms) = (ensemble.len(), ensemble.dim(), ensemble.weights().len());
    let mut archive = ArchiveWriter::new(output);
    let same_size = ensemble.offsets().windows(2).all(|pair| (pair[1] - pair[0]) * m == atoms);
    let shape = |rest: &[usize]| -> Vec<usize> {
        let start = if same_size { vec![m, atoms / m] } else { vec![atoms] };
        [&start, rest].concat()
    };
    archive.add("weights", &shape(&[]), Numbers::Float(ensemble.weights()))?;
    archive.add("means", &shape(&[d]), Numbers::Float(ensemble.atoms().means()))?;
    archive.add("covariances", &shape(&[d, d]), Numbers::Float(ensemble.atoms().covariances()))?;
    if !same_size {
        let offsets: Vec<u64> = ensemble.offsets().iter().map(|&offset| offset as u64).collect();
        archive.add("offsets", &[m + 1], Numbers::Index(&offsets))?;
    }
    archive.add("chain", &[m], Numbers::Label(LabelSlice::U32(ensemble.chains())))?;
    archive.add("iteration", &[m], Numbers::Index(ensemble.iterations()))?;
    if let Some(weights) = ensemble.draw_weights() {
        archive.add("draw_weights", &[m], Numbers::Float(weights))?;
    }
    if let Some(trace) = ensemble.traces().iter().find(|trace| trace.name == Trace::LOG_POSTERIOR) {
        archive.add("log_posterior", &[m], Numbers::Float(&trace.values))?;
    }
    if let Some(labels) = labels {
        archive.add("labels", &[labels.draws, labels.observations], Numbers::Label(labels.labels.as_slice()))?;
    }
    if let Some(data) = data {
        archive.add_data(data)?;
    }
    archive.finish()
}

/// Aligned draws.
pub(crate) fn write_aligned(output: &mut Output, draws: &AlignedDraws) -> Result<()> {
    let (m, j, d) = (draws.draws, draws.components, draws.dim);
    let mut archive = ArchiveWriter::new(output);
    archive.add("weights", &[m, j], Numbers::Float(&draws.weights))?;
    archive.add("means", &[m, j, d], Numbers::Float(&draws.means))?;
    archive.add("covariances", &[m, j, d, d], Numbers::Float(&draws.covariances))?;
    archive.add("unmatched", &[m], Numbers::Float(&draws.unmatched))?;
    archive.add("chain", &[m], Numbers::Label(LabelSlice::U32(&draws.chain)))?;
    archive.add("iteration", &[m], Numbers::Index(&draws.iteration))?;
    if let Some(weights) = &draws.draw_weights {
        archive.add("draw_weights", &[m], Numbers::Float(weights))?;
    }
    archive.finish()
}

pub(crate) fn write_data(output: &mut Output, data: &DataTable) -> Result<()> {
    let mut archive = ArchiveWriter::new(output);
    archive.add_data(data)?;
    archive.finish()
}

pub(crate) fn write_labels(output: &mut Output, labels: &LabelDraws) -> Result<()> {
    let mut archive = ArchiveWriter::new(output);
    archive.add("labels", &[labels.draws, labels.observations], Numbers::Label(labels.labels.as_slice()))?;
    archive.finish()
}

/// The data of a file of draws, if it has any.
pub(crate) fn data_of(path: &Path, options: &ReadOptions) -> Result<Option<DataTable>> {
    Archive::open(path, options)?.data(options)
}

/// The chain of each draw of a file, and its number of atoms; the draws themselves are not read.
pub(crate) fn chains_of(path: &Path, options: &ReadOptions) -> Result<(Vec<u32>, usize)> {
    let mut archive = Archive::open(path, options)?;
    let plan = Plan::new(&mut archive, options.covariance_form)?;
    let atoms = archive.required_shape("weights")?.iter().fold(1, |size: usize, &axis| size.saturating_mul(axis));
    let draws = match (plan.dense, archive.shape("offsets")?.as_deref()) {
        (Some([draws, _]), _) => draws,
        (None, Some(&[ends])) => ends.saturating_sub(1),
        (None, _) => 0,
    };
    let chains = match archive.counts("chain")? {
        Some(chains) => chains.iter().map(|&chain| u32::try_from(chain).unwrap_or(u32::MAX)).collect(),
        None => vec![0; draws],
    };
    Ok((chains, atoms))
}

/// What the shapes say: `weights` is (M, K), or (N,) with `offsets`; a (K,) without them is a single draw.
struct Plan {
    dim: usize,
    /// Draws and atoms of each, unless there are offsets.
    dense: Option<[usize; 2]>,
}

impl Plan {
    fn new(archive: &mut Archive, form: CovarianceForm) -> Result<Self> {
        let weights = archive.required_shape("weights")?;
        let (dim, dense) = Plan::of_atoms(
            &weights,
            &archive.required_shape("means")?,
            &archive.required_shape("covariances")?,
            archive.shape("offsets")?.is_some(),
            form,
        )?;
        let plan = Plan { dim, dense };
        let draws = match (plan.dense, archive.shape("offsets")?.as_deref()) {
            (Some([draws, _]), _) => Some(draws),
            (None, Some(&[ends])) => ends.checked_sub(1),
            (None, _) => None, // `counts` says what is wrong
        };
        for name in ["chain", "iteration", "draw_weights", "log_posterior"] {
            if let (Some(draws), Some(shape)) = (draws, archive.shape(name)?)
                && shape != [draws]
            {
                return Err(wrong_shape(name, &shape, &shape_text(&[draws])));
            }
        }
        if let Some(shape) = archive.shape("labels")?
            && (shape.len() != 2 || draws.is_some_and(|draws| shape[0] != draws))
        {
            let draws = draws.map_or("draws".to_owned(), |draws| draws.to_string());
            return Err(wrong_shape("labels", &shape, &format!("({draws}, observations)")));
        }
        match archive.shape("data")?.as_deref() {
            None | Some([_]) => Ok(plan),
            Some(&[_, columns]) if columns == dim => Ok(plan),
            Some(shape) => Err(wrong_shape("data", shape, &format!("(observations, {dim})"))),
        }
    }

    fn of_atoms(
        weights: &[usize],
        means: &[usize],
        covariances: &[usize],
        ragged: bool,
        form: CovarianceForm,
    ) -> Result<(usize, Option<[usize; 2]>)> {
        let dense = match (ragged, weights) {
            (true, [_]) => None,
            (true, shape) => {
                return Err(wrong_shape("weights", shape, "(atoms,) because there are 'offsets'"));
            }
            (false, &[atoms]) => Some([1, atoms]),
            (false, &[draws, atoms]) => Some([draws, atoms]),
            (false, shape @ [chains, draws, _]) => {
                return Err(wrong_shape("weights", shape, "(draws, atoms)").hint(format!(
                    "if these are {chains} chains of {draws} draws, join the first two axes of every array (reshape in NumPy), and add an array 'chain' with the chain of each draw"
                )));
            }
            (false, shape) => return Err(wrong_shape("weights", shape, "(draws, atoms)")),
        };
        let dim = match means.strip_prefix(weights) {
            Some([]) => 1,
            Some(&[d]) => d,
            _ => {
                let start: Vec<String> = weights.iter().map(usize::to_string).collect();
                let expected =
                    format!("({}, dimension) as the weights have shape {}", start.join(", "), shape_text(weights));
                let error = wrong_shape("means", means, &expected);
                return Err(match (weights, means) {
                    (&[draws, atoms], &[first, _, last]) if (first, last) == (draws, atoms) => error
                        .hint("the index of the atom comes before that of the coordinate: exchange the last two axes"),
                    _ => error,
                });
            }
        };
        let full = [dim, dim];
        let expected: &[&[usize]] = match form {
            CovarianceForm::Covariance | CovarianceForm::Precision | CovarianceForm::Cholesky if dim == 1 => {
                &[&[1, 1], &[1], &[]]
            }
            CovarianceForm::Covariance | CovarianceForm::Precision | CovarianceForm::Cholesky => &[&full],
            CovarianceForm::Diagonal if dim == 1 => &[&[1], &[]],
            CovarianceForm::StandardDeviation if dim == 1 => &[&[], &[1]],
            CovarianceForm::Diagonal | CovarianceForm::StandardDeviation => &[&full[..1]],
            CovarianceForm::Spherical => &[&[], &[1]],
        };
        let rest = covariances.strip_prefix(weights);
        if rest.is_some_and(|rest| expected.contains(&rest)) {
            return Ok((dim, dense));
        }
        let expected: Vec<String> = expected.iter().map(|rest| shape_text(&[weights, *rest].concat())).collect();
        Err(wrong_shape("covariances", covariances, &expected.join(" or ")).hint(match form {
            CovarianceForm::Covariance => mixgist::text![
                "another form than full covariances (precision, cholesky, diagonal, spherical, sd) must be named: ",
                mixgist::text::named("covariance_form")
            ],
            _ => mixgist::text![
                "this is what the form that was named with ",
                mixgist::text::named("covariance_form"),
                " takes; is it another one?"
            ],
        }))
    }

    fn offsets(&self, given: Option<Vec<u64>>) -> Vec<usize> {
        match (given, self.dense) {
            (Some(given), _) => given.iter().map(|&offset| usize::try_from(offset).unwrap_or(usize::MAX)).collect(),
            (None, Some([draws, atoms])) => (0..=draws).map(|m| m * atoms).collect(),
            (None, None) => Vec::new(),
        }
    }
}

fn wrong_shape(name: &str, got: &[usize], expected: &str) -> Error {
    Error::input(format!("array '{name}' has shape {}, expected {expected}", shape_text(got)))
}

fn with_origin(archive: &mut Archive, ensemble: Ensemble) -> Result<Ensemble> {
    let m = ensemble.len();
    let (chains, iterations) = (archive.counts("chain")?, archive.counts("iteration")?);
    let mut ensemble = ensemble;
    if chains.is_some() || iterations.is_some() {
        let chains = match chains {
            None => vec![0; m],
            Some(chains) => chains
                .iter()
                .map(|&c| u32::try_from(c).map_err(|_| Error::input(format!("chain number {c} is too large"))))
                .collect::<Result<_>>()?,
        };
        ensemble = ensemble.with_chains(chains, iterations.unwrap_or_else(|| (0..m as u64).collect()))?;
    }
    if let Some(weights) = archive.numeric("draw_weights")? {
        ensemble = ensemble.with_draw_weights(&weights.values)?;
    }
    match archive.numeric("log_posterior")? {
        Some(values) => ensemble.with_trace(Trace::new(Trace::LOG_POSTERIOR, values.values)),
        None => Ok(ensemble),
    }
}

/// Names the array that an error is about; the error has no place of its own yet.
fn in_array(name: &str, error: Error) -> Error {
    let named = Error::new(error.kind(), format!("array '{name}': {error}"));
    match error.hint_text() {
        Some(hint) => named.hint(hint.clone()),
        None => named,
    }
}

fn broken(name: &str, cause: &dyn std::fmt::Display) -> Error {
    in_array(name, Error::input(format!("cannot be unpacked: {cause}")))
}

/// Deflate cannot shrink further than this, so a larger promise is a lie.
const LARGEST_DEFLATE_RATIO: u64 = 1032;

/// Arrays of numbers that differ do not shrink further than this. Small arrays may: what they unpack to does no harm.
const LARGEST_LIKELY_RATIO: u64 = 100;
const LARGEST_SMALL_ARRAY: u64 = 256 << 20;

/// An npz file that is open for reading; arrays are read one by one, on demand.
struct Archive {
    zip: ZipArchive<BufReader<std::fs::File>>,
    names: BTreeMap<String, usize>,
    budget: Budget,
}

impl Archive {
    fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let Source { file, .. } = Source::open(path)?;
        let config = Config { archive_offset: ArchiveOffset::Known(0) };
        let zip = ZipArchive::with_config(config, BufReader::new(file))
            .map_err(|cause| Error::input(format!("is not an npz file, or is truncated ({cause})")))?;
        if zip.has_duplicate_names() {
            return Err(Error::input("holds two arrays of one name"));
        }
        let mut names = BTreeMap::new();
        for index in 0..zip.len() {
            let Some(Ok(name)) = zip.name_for_index(index) else { continue };
            if let Some(name) = name.strip_suffix(".npy") {
                names.insert(name.to_owned(), index);
            }
        }
        Ok(Archive { zip, names, budget: Budget::new(options) })
    }

    /// The shape that an array promises; its values are not read.
    fn shape(&mut self, name: &str) -> Result<Option<Vec<usize>>> {
        let Some(mut entry) = self.entry(name)? else { return Ok(None) };
        let size = entry.size();
        npy::read_shape(&mut entry, size).map(Some).map_err(|error| in_array(name, error))
    }

    fn required_shape(&mut self, name: &str) -> Result<Vec<usize>> {
        self.shape(name)?.ok_or_else(|| self.missing(name))
    }

    /// The bytes of an array, if there is one, of a size that can be.
    fn entry(&mut self, name: &str) -> Result<Option<ZipFile<'_, BufReader<std::fs::File>>>> {
        let Some(&index) = self.names.get(name) else { return Ok(None) };
        let entry = self.zip.by_index(index).map_err(|cause| broken(name, &cause))?;
        let possible = match entry.compression() {
            CompressionMethod::Stored => entry.compressed_size(),
            _ => entry.compressed_size().saturating_mul(LARGEST_DEFLATE_RATIO),
        };
        if entry.size() > possible {
            let (size, packed) = (size_text(entry.size()), size_text(entry.compressed_size()));
            return Err(broken(name, &format!("{packed} cannot unpack to the {size} that are promised")));
        }
        if entry.size() > LARGEST_SMALL_ARRAY.max(entry.compressed_size().saturating_mul(LARGEST_LIKELY_RATIO)) {
            let (size, packed) = (size_text(entry.size()), size_text(entry.compressed_size()));
            return Err(broken(name, &format!("its {packed} unpack to {size}, which draws or data never do"))
                .hint("if it is meant, save the arrays without compression (numpy.savez)"));
        }
        Ok(Some(entry))
    }

    fn read(&mut self, name: &str) -> Result<Option<RawArray>> {
        let mut budget = self.budget.clone();
        let Some(mut entry) = self.entry(name)? else { return Ok(None) };
        let size = entry.size();
        let array = npy::read_array(&mut entry, size, &mut budget).map_err(|error| in_array(name, error))?;
        // Reading past the end is what makes the archive check its checksum.
        let end = entry.read(&mut [0]);
        drop(entry);
        self.budget = budget;
        match end {
            Ok(0) => Ok(Some(array)),
            Ok(_) => Err(broken(name, &"it is longer than promised")),
            Err(cause) => Err(broken(name, &cause)),
        }
    }

    fn numeric(&mut self, name: &str) -> Result<Option<Array>> {
        self.read(name)?.map(|array| array.into_numeric(name)).transpose()
    }

    fn counts(&mut self, name: &str) -> Result<Option<Vec<u64>>> {
        let Some(array) = self.read(name)? else { return Ok(None) };
        if array.shape.len() != 1 {
            return Err(Error::input(format!(
                "array '{name}' has shape {}, expected one axis",
                shape_text(&array.shape)
            )));
        }
        array.into_counts(name).map(Some)
    }

    fn required(&mut self, name: &str) -> Result<Array> {
        self.numeric(name)?.ok_or_else(|| self.missing(name))
    }

    fn missing(&self, name: &str) -> Error {
        let error = Error::input(format!("has no array '{name}'; it holds {}", self.held()));
        match name {
            "weights" | "means" | "covariances" => {
                error.hint("draws are saved as the arrays weights, means and covariances: name yours so")
            }
            _ => error,
        }
    }

    /// The first names of arrays, for a person.
    fn held(&self) -> String {
        let names: Vec<String> = self.names.keys().take(20).map(|name| format!("'{name}'")).collect();
        if names.is_empty() { "no arrays".to_owned() } else { names.join(", ") }
    }

    fn data(&mut self, options: &ReadOptions) -> Result<Option<DataTable>> {
        let Some(data) = self.numeric("data")? else { return Ok(None) };
        let names = match self.read("data_columns")? {
            None => None,
            Some(RawArray { values: Values::Text(names), .. }) => Some(names),
            Some(_) => return Err(Error::input("array 'data_columns' holds numbers, expected names")),
        };
        DataTable::from_array(data, names, options).map(Some)
    }
}

struct ArchiveWriter<'a> {
    zip: ZipWriter<Remembering<&'a mut Output>>,
}

/// A writer that remembers its first error and swallows all that follows: a `ZipWriter` that fails would print on standard error.
struct Remembering<W> {
    output: W,
    position: u64,
    end: u64,
    failed: Option<std::io::Error>,
}

impl<W: Write + Seek> Remembering<W> {
    /// At the start of an empty file.
    fn new(output: W) -> Self {
        Remembering { output, position: 0, end: 0, failed: None }
    }

    /// What `act` gives, or `otherwise` if it fails or something failed before.
    fn attempt<T>(&mut self, otherwise: T, act: impl FnOnce(&mut W) -> std::io::Result<T>) -> T {
        if self.failed.is_some() {
            return otherwise;
        }
        act(&mut self.output).unwrap_or_else(|cause| {
            self.failed = Some(cause);
            otherwise
        })
    }
}

impl<W: Write + Seek> Write for Remembering<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.attempt((), |output| output.write_all(bytes));
        self.position += bytes.len() as u64;
        self.end = self.end.max(self.position);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.attempt((), Write::flush);
        Ok(())
    }
}

impl<W: Write + Seek> Seek for Remembering<W> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(step) => self.position.checked_add_signed(step),
            SeekFrom::End(step) => self.end.checked_add_signed(step),
        };
        self.position = place.ok_or(std::io::ErrorKind::InvalidInput)?;
        let position = self.position;
        self.attempt(position, |output| output.seek(SeekFrom::Start(position)));
        Ok(position)
    }
}

impl<'a> ArchiveWriter<'a> {
    fn new(output: &'a mut Output) -> Self {
        ArchiveWriter { zip: ZipWriter::new(Remembering::new(output)) }
    }

    fn add(&mut self, name: &str, shape: &[usize], numbers: Numbers<'_>) -> Result<()> {
        // Posterior floats do not shrink enough to be worth the time; labels and indices do.
        let method = match numbers {
            Numbers::Float(_) => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        };
        let count: usize = shape.iter().product();
        let options = SimpleFileOptions::default().compression_method(method).large_file(count >= 1 << 26);
        let doing = format!("write array '{name}'");
        self.zip.start_file(format!("{name}.npy"), options).map_err(|cause| cannot(&doing, &cause))?;
        npy::write_array(&mut self.zip, shape, numbers)
    }

    fn add_data(&mut self, data: &DataTable) -> Result<()> {
        self.add("data", &[data.rows(), data.columns()], Numbers::Float(data.values()))?;
        match data.column_names() {
            Some(names) => self.add("data_columns", &[names.len()], Numbers::Text(names)),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<()> {
        let written = self.zip.finish().map_err(cannot_write)?;
        written.failed.map_or(Ok(()), |cause| Err(cannot_write(cause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for some bytes.
    struct Disk {
        file: std::io::Cursor<Vec<u8>>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.file.position() as usize + bytes.len() > self.room {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.file.write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Disk {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.file.seek(to)
        }
    }

    #[test]
    fn an_archive_on_a_full_disk_ends_in_silence_and_the_error_is_known() {
        let write = |room: usize| {
            let disk = Disk { file: std::io::Cursor::new(Vec::new()), room };
            let mut zip = ZipWriter::new(Remembering::new(disk));
            for (name, method) in [("a", CompressionMethod::Stored), ("b", CompressionMethod::Deflated)] {
                zip.start_file(name, SimpleFileOptions::default().compression_method(method)).unwrap();
                zip.write_all(&[7; 3000]).unwrap();
            }
            // A `ZipWriter` prints only when finishing fails.
            let written = zip.finish().unwrap();
            (written.failed.map(|cause| cause.kind()), written.output.file.into_inner())
        };
        let (failed, bytes) = write(1 << 20);
        assert_eq!((failed, ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap().len()), (None, 2));
        for room in [0, 10, 50, 2000, 3050, bytes.len() - 1] {
            assert_eq!(write(room).0, Some(std::io::ErrorKind::StorageFull), "{room}");
        }
    }
}
