//! `mixgist distance`: between two measures, from one measure to all draws, or between all draws.

mod answers;
mod metric;

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use mixgist::Metric;
use mixgist::slice::SLICERS;
use mixgist::transport::EXACT_DISTANCES;
use mixgist::{Condensed, Ensemble, Error, MixingMeasure, Points, Progress, ResolvedUnits, Result, Text};
use mixgist_io::{
    Cell, DataTable, DrawsFile, Overwrite, read_summary, to_json, together, write_json, write_npy_in_pieces,
    write_table,
};

use crate::memory;
use crate::options::{OutputArgs, ReadingArgs, SlicingArgs, all_paths, expect_extension, has_extension};
use crate::progress::Terminal;
use crate::text::{answer, count, line, significant, table, with_error};
pub use answers::json_schemas;
use answers::{DISTANCE_SCHEMA, DISTANCES_SCHEMA, DistanceAnswer, DistancesAnswer, MATRIX_SCHEMA, MatrixAnswer};
use metric::{description, metric, require_memory};

/// Measure distances between draws, with their Monte Carlo standard errors
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist distance summary.json draws.npz --draw-b 17
  mixgist distance a.csv b.csv --distance exact-w
  mixgist distance summary.json draws.npz --to-draws -o distances.csv
  mixgist distance draws.npz --matrix distances.npy --errors errors.npy")]
pub struct Distance {
    /// Two measures A and B (files of draws, or summaries for their estimates); with --matrix the files of draws
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Which draw of A, when it holds several
    #[arg(long, value_name = "N", conflicts_with = "matrix")]
    draw_a: Option<usize>,

    /// Which draw of B, when it holds several
    #[arg(long, value_name = "N", conflicts_with_all = ["matrix", "to_draws"])]
    draw_b: Option<usize>,

    /// From A to every draw of B
    #[arg(long, conflicts_with = "matrix")]
    to_draws: bool,

    /// Between all pairs of draws, to this file (.npy): the entries above the diagonal, in the order of SciPy's squareform
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    matrix: Option<PathBuf>,

    /// Write the full square matrix instead
    #[arg(long, requires = "matrix")]
    square: bool,

    /// Write the standard errors of the matrix to this file (.npy)
    #[arg(long, value_name = "FILE", requires = "matrix")]
    errors: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Which distance; sliced, or exact (exact-w…, mw, energy…)
    #[arg(long, value_name = "NAME", default_value = "smix-w", help_heading = "Distance",
          value_parser = PossibleValuesParser::new(distance_names()))]
    distance: String,

    #[command(flatten)]
    slicing: SlicingArgs,

    /// Write the result to this file (.json, or .csv with --to-draws)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    printing: OutputArgs,
}

fn distance_names() -> impl Iterator<Item = PossibleValue> {
    let sliced = SLICERS.iter().map(|slicer| PossibleValue::new(slicer.name()).help(slicer.help()));
    sliced.chain(const { &EXACT_DISTANCES }.iter().map(|peer| PossibleValue::new(peer.name).help(peer.help)))
}

impl Distance {
    /// Reads, measures, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let metric = metric(&self.distance, &self.slicing)?;
        self.check_outputs(&metric)?;
        if let Some(path) = &self.matrix {
            return self.matrix(path, &metric, terminal);
        }
        let [a, b] = self.files.as_slice() else {
            return Err(Error::usage(format!("a distance is between 2 files, got {}", self.files.len()))
                .hint("for all pairs of draws of one file use --matrix OUT.npy"));
        };
        let one = self.measure(a, self.draw_a, "--draw-a")?;
        self.check_directions(&metric, one.measure.dim())?;
        if self.to_draws { self.to_draws(&one, b, &metric, terminal) } else { self.between(&one, b, &metric) }
    }

    fn check_outputs(&self, metric: &Metric) -> Result<()> {
        let results: &[&str] = if self.to_draws { &["csv", "json"] } else { &["json"] };
        for (path, option, extensions) in [
            (&self.output, "--output", results),
            (&self.matrix, "--matrix", &["npy"]),
            (&self.errors, "--errors", &["npy"]),
        ] {
            path.as_ref().map_or(Ok(()), |path| expect_extension(path, option, extensions))?;
        }
        if self.errors.is_some() && metric.is_exact() {
            return Err(Error::usage(format!("'{}' is exact, it has no standard errors", self.distance))
                .hint("leave out --errors"));
        }
        self.printing
            .check(&[&self.output, &self.matrix, &self.errors], &all_paths(&self.files, &[&self.slicing.directions]))
    }

    fn check_directions(&self, metric: &Metric, dim: usize) -> Result<()> {
        metric.sliced().map_or(Ok(()), |settings| self.slicing.check_directions(settings, dim))
    }

    /// One measure: the estimate of a summary, or a draw of a file.
    fn measure(&self, path: &Path, draw: Option<usize>, option: &str) -> Result<Measure> {
        if has_extension(path, "json") {
            return Ok(Measure { measure: read_summary(path)?.result.estimate, draws: None, data: None });
        }
        let DrawsFile { ensemble, data, .. } = self.reading.read(&[path.to_owned()])?;
        let last = ensemble.len() - 1;
        let draw = match draw {
            Some(draw) if draw <= last => draw,
            Some(draw) => {
                return Err(Error::usage(format!("{option} is {draw}, the draws count from 0 to {last}")).in_file(path));
            }
            None if last == 0 => 0,
            None => {
                return Err(Error::usage(format!("holds {} draws, a distance is between single ones", last + 1))
                    .in_file(path)
                    .hint(format!("choose one with {option} N, or use --to-draws for all draws of B")));
            }
        };
        Ok(Measure { measure: ensemble.draw(draw), draws: (last > 0).then_some(ensemble), data })
    }

    fn between(&self, a: &Measure, path_b: &Path, metric: &Metric) -> Result<()> {
        let b = self.measure(path_b, self.draw_b, "--draw-b")?;
        same_dimension(a.measure.dim(), b.measure.dim())?;
        let pair = Ensemble::from_measures(&[a.measure.clone(), b.measure.clone()])?;
        let data = b.data.as_ref().or(a.data.as_ref());
        // Units come from all draws at hand, as for --to-draws and --matrix, so that the numbers agree.
        // Draws with weights of their own cannot be joined; then those of B decide.
        let both = match (&a.draws, &b.draws) {
            (Some(of_a), Some(of_b)) if self.files[0] != path_b => Ensemble::concatenate(&[of_a, of_b]).ok(),
            _ => None,
        };
        let whole = both.as_ref().or(b.draws.as_ref()).or(a.draws.as_ref()).unwrap_or(&pair);
        let units = ResolvedUnits::new(&self.slicing.units()?, whole, data.map(points).transpose()?)?;
        let pair = units.apply(&pair)?;
        require_memory(metric, &pair)?;
        let distance = metric.between(&pair.draw(0), &pair.draw(1))?;
        let document = DistanceAnswer::new(distance, metric, &units);
        if let Some(path) = &self.output {
            write_json(path, DISTANCE_SCHEMA, &document, self.printing.overwrite())?;
        }
        if self.printing.json {
            return answer(&to_json(DISTANCE_SCHEMA, &document)?);
        }
        answer(&format!("{}\n{}", with_error(distance.value, distance.standard_error), description(metric, &units)))
    }

    fn to_draws(&self, a: &Measure, b: &Path, metric: &Metric, terminal: &Terminal) -> Result<()> {
        let DrawsFile { ensemble, data, .. } = self.reading.read(&[b.to_owned()])?;
        same_dimension(a.measure.dim(), ensemble.dim())?;
        let data = data.as_ref().or(a.data.as_ref());
        let units = ResolvedUnits::new(&self.slicing.units()?, &ensemble, data.map(points).transpose()?)?;
        let in_units = units.apply(&ensemble)?;
        let from = units.apply(&Ensemble::from_measures(std::slice::from_ref(&a.measure))?)?.draw(0);
        require_memory(metric, &in_units)?;
        let distances = metric.to_draws(&from, &in_units, terminal)?;
        let document = DistancesAnswer::new(&distances, &ensemble, metric, &units);
        terminal.begin_writing();
        if let Some(path) = &self.output {
            if has_extension(path, "csv") {
                write_distances(path, &document, self.printing.overwrite())?;
            } else {
                write_json(path, DISTANCES_SCHEMA, &document, self.printing.overwrite())?;
            }
        }
        terminal.clear();
        if self.printing.json {
            return answer(&to_json(DISTANCES_SCHEMA, &document)?);
        }
        answer(&nearest(&document, &description(metric, &units)))
    }

    fn matrix(&self, path: &Path, metric: &Metric, terminal: &Terminal) -> Result<()> {
        let DrawsFile { ensemble, data, .. } = self.reading.read(&self.files)?;
        self.check_directions(metric, ensemble.dim())?;
        let units = ResolvedUnits::new(&self.slicing.units()?, &ensemble, data.as_ref().map(points).transpose()?)?;
        let in_units = units.apply(&ensemble)?;
        drop(ensemble);
        let needed = metric.matrix_bytes(&in_units);
        memory::require(needed, &format!("the matrix of {} draws", in_units.len()), |free| self.remedy(needed, free))?;
        let matrix = metric.matrix(&in_units, terminal)?;
        let document = MatrixAnswer::new(&matrix.distances, metric, &units, self.square);
        terminal.begin_writing();
        let overwrite = self.printing.overwrite();
        together(|| {
            if let (Some(path), Some(errors)) = (&self.errors, &matrix.standard_errors) {
                write_matrix(path, errors, self.square, overwrite, terminal)?;
            }
            write_matrix(path, &matrix.distances, self.square, overwrite, terminal)
        })?;
        terminal.clear();
        if self.printing.json {
            return answer(&to_json(MATRIX_SCHEMA, &document)?);
        }
        let pairs = document.pairs;
        let spread = match (document.smallest, document.mean, document.largest) {
            (Some(smallest), Some(mean), Some(largest)) => {
                [smallest, mean, largest].map(|value| significant(value, 4)).join(", ")
            }
            _ => "no pairs".into(),
        };
        answer(
            &[
                line("distances", format!("{} between {} draws", pairs, document.draws)),
                line("least to most", format!("{spread} (least, mean, most)")),
                line("distance", description(metric, &units)),
                line("written", format!("{} ({})", path.display(), document.layout)),
            ]
            .join("\n"),
        )
    }

    /// The thinning that makes the matrix fit.
    fn remedy(&self, needed: u64, free: u64) -> Text {
        let stronger = (2u32..).find(|&thin| needed / (u64::from(thin) * u64::from(thin)) <= free).unwrap_or(u32::MAX);
        let thin = self.reading.thin.saturating_mul(stronger);
        let left = needed / (u64::from(stronger) * u64::from(stronger));
        format!("--thin {thin} makes it fit ({}); a medoid needs no matrix: mixgist summarize", memory::byte_size(left))
            .into()
    }
}

/// A measure and the data that came along.
struct Measure {
    measure: MixingMeasure,
    /// All draws of its file, if there are several.
    draws: Option<Ensemble>,
    data: Option<DataTable>,
}

fn points(data: &DataTable) -> Result<Points<'_>> {
    Points::new(data.columns(), data.values())
}

fn same_dimension(a: usize, b: usize) -> Result<()> {
    if a == b { Ok(()) } else { Err(Error::input(format!("A has dimension {a}, B has dimension {b}"))) }
}

/// More draws than this are not listed.
const LISTED: usize = 20;

/// The nearest draws, as a table.
fn nearest(document: &DistancesAnswer, description: &str) -> String {
    let values = &document.values;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let rows: Vec<Vec<String>> = order
        .iter()
        .take(LISTED)
        .map(|&i| {
            let distance = with_error(values[i], document.standard_errors.as_ref().map(|errors| errors[i]));
            vec![i.to_string(), document.chains[i].to_string(), document.iterations[i].to_string(), distance]
        })
        .collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let farthest = order[order.len() - 1];
    let mut text = [
        line("distances", format!("to {}, mean {}", count(values.len(), "draw"), significant(mean, 4))),
        line("farthest", format!("draw {farthest} at {}", significant(values[farthest], 4))),
        line("distance", description),
        String::new(),
        table(&["draw", "chain", "iteration", "distance"].map(String::from), &rows),
    ]
    .join("\n");
    if values.len() > LISTED {
        text.push_str(&format!(
            "\n({} farther; -o FILE.csv or --json gives all)",
            count(values.len() - LISTED, "draw")
        ));
    }
    text
}

fn write_distances(path: &Path, document: &DistancesAnswer, overwrite: Overwrite) -> Result<()> {
    let columns = ["draw", "chain", "iteration", "distance", "standard_error"];
    write_table(path, &columns, overwrite, |rows| {
        for (i, &value) in document.values.iter().enumerate() {
            rows.push(&[
                Cell::Index(i as u64),
                Cell::Index(document.chains[i].into()),
                Cell::Index(document.iterations[i]),
                Cell::Number(value),
                document.standard_errors.as_ref().map(|errors| errors[i]).into(),
            ])?;
        }
        Ok(())
    })
}

fn write_matrix(
    path: &Path,
    matrix: &Condensed,
    square: bool,
    overwrite: Overwrite,
    progress: &dyn Progress,
) -> Result<()> {
    let draws = matrix.len();
    let shape = if square { vec![draws, draws] } else { vec![matrix.values().len()] };
    write_npy_in_pieces(path, &shape, overwrite, |out| {
        if !square {
            return matrix.values().chunks(1 << 16).try_for_each(|piece| {
                progress.check()?;
                out.push(piece)
            });
        }
        (0..draws).try_for_each(|i| {
            progress.check()?;
            out.push(&(0..draws).map(|j| matrix.get(i, j)).collect::<Vec<_>>())
        })
    })
}
