//! Draws from R's arrays and from files, and back.

use std::path::PathBuf;
use std::sync::Arc;

use mixgist::{CovarianceForm, Ensemble, Error, PartitionDraws, Trace};
use mixgist_io::{
    DataTable, DrawsFile, Format, LabelDraws, Overwrite, ReadOptions, Variables, memory, read_draws, write_draws,
};
use savvy::{FunctionSexp, ListSexp, OwnedListSexp, OwnedStringSexp, Sexp, TypedSexp, savvy};

use crate::arrays::{column_major, integer, null, numbers, real, row_major, whole};
use crate::error::{Result, outcome};
use crate::handle::{Handle, Kept};
use crate::options::{Options, covariance_form, real_array};
use crate::running::Call;
use crate::values::optional;

/// Draws from arrays: `weights` M × K with `means` M × K × d and `covariances`, or of differing size with `sizes`, `weights` of all atoms,
/// `means` d × N and `covariances`.
/// @noRd
#[savvy]
fn draws_from_arrays(source: ListSexp) -> savvy::Result<Sexp> {
    let source = Options(source);
    outcome(from_arrays(&source).map(|file| Kept::of_draws(file).into_sexp()))
}

fn from_arrays(source: &Options) -> Result<DrawsFile> {
    let required = |name: &str| source.get(name).ok_or_else(|| Error::usage(format!("{name} are missing")));
    let form = covariance_form(&source.text("covariance_form")?.unwrap_or_else(|| "covariance".into()))?;
    let dim = source.size("dim")?.ok_or_else(|| Error::usage("dim is missing"))?;
    let (offsets, weights, means, shapes) = match source.get("sizes") {
        Some(sizes) => {
            let mut offsets = vec![0];
            for size in whole("sizes", sizes, 0.0)? {
                offsets.push(offsets.last().copied().unwrap_or(0) + size as usize);
            }
            let weights = numbers("weights", required("weights")?)?;
            // Atoms come one after the other, as the core has them; matrices are transposed, which matters for factors alone.
            let means = numbers("means", required("means")?)?;
            (offsets, weights, means, atom_shapes(numbers("covariances", required("covariances")?)?, dim, form))
        }
        None => {
            let weights = required("weights")?;
            let shape = weights.get_dim().map_or_else(Vec::new, <[i32]>::to_vec);
            let &[draws, atoms] = shape.as_slice() else {
                return Err(Error::input("weights must be a matrix, draws by atoms").into());
            };
            let (draws, atoms) = (usize::try_from(draws).unwrap_or(0), usize::try_from(atoms).unwrap_or(0));
            if atoms == 0 || draws == 0 {
                return Err(Error::input("there are no draws, or they have no atoms").into());
            }
            let weights = reordered("weights", weights)?;
            let means = reordered("means", required("means")?)?;
            let shapes = reordered("covariances", required("covariances")?)?;
            ((0..=draws).map(|m| m * atoms).collect(), weights, means, shapes)
        }
    };
    let mut ensemble = Ensemble::builder(dim)
        .offsets(&offsets)
        .weights(weights)
        .means(means)
        .covariances(shapes)
        .form(form)
        .build()?;
    let chains = source.get("chains").map(|found| whole("chains", found, 0.0)).transpose()?;
    let iterations = source.get("iterations").map(|found| whole("iterations", found, 0.0)).transpose()?;
    let draws = ensemble.len();
    let too_large = |_| Error::input("a number in chains is too large");
    let chains: Vec<u32> = match chains {
        Some(chains) => {
            chains.into_iter().map(u32::try_from).collect::<std::result::Result<_, _>>().map_err(too_large)?
        }
        None => vec![1; draws],
    };
    let iterations = iterations.unwrap_or_else(|| counted(&chains));
    ensemble = ensemble.with_chains(chains, iterations)?;
    if let Some(draw_weights) = source.numbers("draw_weights")? {
        ensemble = ensemble.with_draw_weights(&draw_weights)?;
    }
    if let Some(log_posterior) = source.numbers("log_posterior")? {
        ensemble = ensemble.with_trace(Trace::new(Trace::LOG_POSTERIOR, log_posterior))?;
    }
    let labels = match source.get("labels") {
        Some(labels) => Some(label_draws(labels, Some(draws))?),
        None => None,
    };
    let file = DrawsFile { ensemble, labels, data: source.data("data")? };
    file.check()?;
    Ok(file)
}

/// Iterations within each chain, counted from 1.
fn counted(chains: &[u32]) -> Vec<u64> {
    let mut seen = std::collections::HashMap::new();
    let next = |chain: &u32| {
        let count = seen.entry(*chain).or_insert(0);
        *count += 1;
        *count
    };
    chains.iter().map(next).collect()
}

/// An array of R in the core's order. R's own memory is read once and not copied before.
fn reordered(what: &str, array: Sexp) -> Result<Vec<f64>> {
    let shape: Vec<usize> =
        array.get_dim().map_or_else(Vec::new, |dim| dim.iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect());
    match array.into_typed() {
        TypedSexp::Real(values) => Ok(row_major(values.as_slice(), &shape)),
        TypedSexp::Integer(values) => Ok(row_major(&numbers(what, values.into())?, &shape)),
        _ => Err(Error::input(format!("{what} must be numeric")).into()),
    }
}

/// Matrices of R as the core's, whose last index runs fastest.
fn atom_shapes(mut values: Vec<f64>, dim: usize, form: CovarianceForm) -> Vec<f64> {
    if form.numbers_per_atom(dim) == dim * dim && dim > 1 {
        for matrix in values.chunks_exact_mut(dim * dim) {
            for i in 0..dim {
                for j in 0..i {
                    matrix.swap(i * dim + j, j * dim + i);
                }
            }
        }
    }
    values
}

/// Labels M × n that count from 1 in R and from 0 in the core.
fn label_draws(labels: Sexp, expected: Option<usize>) -> Result<LabelDraws> {
    let (values, shape) = real_array("labels", labels)?;
    let &[draws, observations] = shape.as_slice() else {
        return Err(Error::input("labels must be a matrix, draws by observations").into());
    };
    if let Some(expected) = expected
        && draws != expected
    {
        return Err(Error::input(format!("labels have {draws} rows, but there are {expected} draws")).into());
    }
    if draws == 0 || observations == 0 {
        return Err(Error::input("labels are empty").into());
    }
    let convert = |(i, &x): (usize, &f64)| {
        if x.is_finite() && x.fract() == 0.0 && x.abs() < 9e15 {
            return Ok(x as i64 - 1);
        }
        let shown = if x.is_nan() { "missing".to_owned() } else { x.to_string() };
        let (observation, draw) = (i / draws + 1, i % draws + 1);
        Err(Error::input(format!("label {observation} of draw {draw} is {shown}, must be a whole number")))
    };
    let shifted = values.iter().enumerate().map(convert).collect::<mixgist::Result<Vec<i64>>>()?;
    let mut labels = vec![0; shifted.len()];
    for (i, label) in shifted.into_iter().enumerate() {
        labels[(i % draws) * observations + i / draws] = label;
    }
    Ok(LabelDraws { draws, observations, labels: labels.into() })
}

/// Draws of a partition: a matrix of labels, draws by observations, and importance weights of the draws.
/// @noRd
#[savvy]
fn partitions_from_labels(source: ListSexp) -> savvy::Result<Sexp> {
    let source = Options(source);
    let bound = || -> Result<PartitionDraws> {
        let labels = source.get("labels").ok_or_else(|| Error::usage("labels are missing"))?;
        let labels = label_draws(labels, None)?;
        let draws = labels.partitions()?;
        Ok(match source.numbers("draw_weights")? {
            Some(weights) => draws.with_draw_weights(&weights)?,
            None => draws,
        })
    };
    outcome(bound().map(|draws| Kept::Partitions(Arc::new(draws)).into_sexp()))
}

/// The draws of a file, or of several, which are several chains.
/// @noRd
#[savvy]
fn draws_from_files(paths: Sexp, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let read = || -> Result<DrawsFile> {
        let mut one = OwnedListSexp::new(1, true)?;
        one.set_name_and_value(0, "paths", paths)?;
        let paths = Options(one.into()).texts("paths")?.unwrap_or_default();
        let paths: Vec<PathBuf> = paths.into_iter().map(PathBuf::from).collect();
        let usual = Variables::default();
        let reading = ReadOptions {
            format: options.text("format")?.map(|name| Format::from_name(&name)).transpose()?,
            covariance_form: covariance_form(&options.text("covariance_form")?.unwrap_or_else(|| "covariance".into()))?,
            variables: Variables {
                weights: options.text("weights")?.unwrap_or(usual.weights),
                means: options.text("means")?.unwrap_or(usual.means),
                covariances: options.text("covariances")?.unwrap_or(usual.covariances),
                labels: options.text("labels")?,
            },
            ..memory::reading()
        };
        Call::new(&options, tick)?.run(|_| read_draws(&paths, &reading))
    };
    outcome(read().map(|file| Kept::of_draws(file).into_sexp()))
}

/// Writes draws, whole or not at all.
/// @noRd
#[savvy]
fn draws_write(handle: &Handle, path: &str, options: ListSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let write = || -> Result<Sexp> {
        let format = options.text("format")?.map(|name| Format::from_name(&name)).transpose()?;
        let overwrite = Overwrite::forced(options.flag("force")?);
        write_draws(&PathBuf::from(path), handle.draws()?, format, overwrite)?;
        Ok(null())
    };
    outcome(write())
}

/// The draws that are left after a selection by `indices`, or after `burn_in` and `thin` within each chain.
/// @noRd
#[savvy]
fn draws_select(handle: &Handle, options: ListSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let select = || -> Result<DrawsFile> {
        let file = handle.draws()?;
        if let Some(indices) = options.get("indices") {
            let indices: Vec<usize> = whole("the selection", indices, 1.0)?.iter().map(|&i| i as usize - 1).collect();
            return Ok(DrawsFile::clone(file).select(&indices)?);
        }
        let (burn_in, thin) = (options.size("burn_in")?.unwrap_or(0), options.size("thin")?.unwrap_or(1));
        Ok(file.thinned(burn_in, thin)?)
    };
    outcome(select().map(|file| Kept::of_draws(file).into_sexp()))
}

/// The arrays of draws, as `draws_from_arrays` takes them.
/// @noRd
#[savvy]
fn draws_arrays(handle: &Handle) -> savvy::Result<Sexp> {
    let arrays = || -> Result<Sexp> {
        let file = handle.draws()?;
        let (ensemble, atoms) = (&file.ensemble, file.ensemble.atoms());
        let (dim, n) = (ensemble.dim(), atoms.len());
        let sizes: Vec<i64> = ensemble.offsets().windows(2).map(|pair| (pair[1] - pair[0]) as i64).collect();
        let chains: Vec<i64> = ensemble.chains().iter().map(|&chain| i64::from(chain)).collect();
        let iterations: Vec<i64> = ensemble.iterations().iter().map(|&number| number as i64).collect();
        let log_posterior = ensemble.traces().iter().find(|trace| trace.name == Trace::LOG_POSTERIOR);
        let mut out = OwnedListSexp::new(12, true)?;
        out.set_name_and_value(0, "dim", integer(&[dim as i64], &[])?)?;
        out.set_name_and_value(1, "sizes", integer(&sizes, &[])?)?;
        out.set_name_and_value(2, "weights", real(ensemble.weights(), &[])?)?;
        out.set_name_and_value(3, "means", real(atoms.means(), &[dim, n])?)?;
        out.set_name_and_value(4, "covariances", real(atoms.covariances(), &[dim, dim, n])?)?;
        out.set_name_and_value(5, "chains", integer(&chains, &[])?)?;
        out.set_name_and_value(6, "iterations", integer(&iterations, &[])?)?;
        out.set_name_and_value(7, "draw_weights", optional(ensemble.draw_weights())?)?;
        out.set_name_and_value(8, "labels", file.labels.as_ref().map_or_else(|| Ok(null()), labels_of)?)?;
        out.set_name_and_value(9, "data", file.data.as_ref().map_or_else(|| Ok(null()), table)?)?;
        out.set_name_and_value(10, "columns", names_of(file.data.as_ref())?)?;
        out.set_name_and_value(11, "log_posterior", optional(log_posterior.map(|trace| trace.values.as_slice()))?)?;
        Ok(out.into())
    };
    outcome(arrays())
}

fn labels_of(labels: &LabelDraws) -> savvy::Result<Sexp> {
    let (m, n) = (labels.draws, labels.observations);
    let from_one: Vec<i64> = (0..m * n).map(|i| labels.labels.get((i % m) * n + i / m).saturating_add(1)).collect();
    integer(&from_one, &[m, n])
}

fn table(data: &DataTable) -> savvy::Result<Sexp> {
    let shape = [data.rows(), data.columns()];
    real(&column_major(data.values(), &shape), &shape)
}

fn names_of(data: Option<&DataTable>) -> savvy::Result<Sexp> {
    match data.and_then(DataTable::column_names) {
        Some(names) => OwnedStringSexp::try_from_slice(names)?.into(),
        None => Ok(null()),
    }
}

/// What there is to know of draws without their arrays.
/// @noRd
#[savvy]
fn draws_facts(handle: &Handle) -> savvy::Result<Sexp> {
    let facts = || -> Result<Sexp> {
        let file = handle.draws()?;
        let ensemble = &file.ensemble;
        let sizes = || ensemble.offsets().windows(2).map(|pair| pair[1] - pair[0]);
        let mut chains = ensemble.chains().to_vec();
        chains.sort_unstable();
        chains.dedup();
        let observations = file.data.as_ref().map_or(0, DataTable::rows);
        let labelled = file.labels.as_ref().map_or(0, |labels| labels.observations);
        let counts = [
            ("draws", ensemble.len()),
            ("dim", ensemble.dim()),
            ("fewest", sizes().min().unwrap_or(0)),
            ("most", sizes().max().unwrap_or(0)),
            ("chains", chains.len()),
            ("padding", ensemble.padding()),
            ("observations", observations),
            ("labelled", labelled),
        ];
        let mut out = OwnedListSexp::new(counts.len() + 1, true)?;
        for (i, (name, count)) in counts.iter().enumerate() {
            out.set_name_and_value(i, name, integer(&[*count as i64], &[])?)?;
        }
        out.set_name_and_value(counts.len(), "renormalization", real(&[ensemble.renormalization()], &[])?)?;
        Ok(out.into())
    };
    outcome(facts())
}
