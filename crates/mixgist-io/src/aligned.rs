//! Aligned draws as files: arrays (npz), tables in the layout of R's `draws_df` (CSV, Parquet), and NetCDF for xarray and ArviZ.
//!
//! | file | holds |
//! |---|---|
//! | npz | `weights` (M, J), `means` (M, J, d), `covariances` (M, J, d, d), `unmatched` (M,), `chain` and `iteration` (M,), `draw_weights` (M,) if there are any |
//! | csv, parquet | a row per draw: `.chain`, `.iteration`, `.draw`, `unmatched`, `weight[j]`, `mean[j,a]`, `covariance[j,a,b]`, counted from 1; `.log_weight` if there are draw weights |
//! | nc | `weight`, `mean`, `covariance` and `unmatched` over (chain, draw, …), components by their names; chains that are shorter than others end in NaN |
//!
//! What a draw lacks is NaN, in CSV an empty field.

use std::collections::BTreeMap;
use std::path::Path;

use mixgist::{AlignedDraws, Error, Result};

use crate::output::{Overwrite, expect_extension, has_extension, write_whole};
use crate::results::{Cell, TableRows};

/// Extensions of files that hold aligned draws.
pub const ALIGNED_EXTENSIONS: &[&str] =
    if cfg!(feature = "parquet") { &["npz", "csv", "parquet", "nc"] } else { &["npz", "csv", "nc"] };

/// Writes aligned draws, whole or not at all, in the form that the extension stands for; `names` are those of the components, `columns` those of the coordinates.
pub fn write_aligned(
    path: &Path,
    draws: &AlignedDraws,
    names: &[String],
    columns: &[String],
    overwrite: Overwrite,
) -> Result<()> {
    expect_extension(path, "this", ALIGNED_EXTENSIONS)?;
    if names.len() != draws.components || columns.len() != draws.dim {
        let expected = (draws.components, draws.dim);
        return Err(Error::input(format!(
            "names for {} components and {} columns, expected {expected:?}",
            names.len(),
            columns.len()
        )));
    }
    if has_extension(path, "npz") {
        return write_whole(path, overwrite, |output| crate::formats::npz::write_aligned(output, draws));
    }
    if has_extension(path, "nc") {
        return write_whole(path, overwrite, |output| {
            crate::formats::netcdf::write_aligned(output, draws, names, columns)
        });
    }
    let table = Wide::new(draws);
    #[cfg(feature = "parquet")]
    if has_extension(path, "parquet") {
        let number = |m: usize, c: usize| table.value(m, c);
        return write_whole(path, overwrite, |output| {
            crate::formats::parquet::write_numbers(output, &table.names, Wide::INTEGERS, draws.draws, &number)
        });
    }
    let heads: Vec<&str> = table.names.iter().map(String::as_str).collect();
    crate::results::write_table(path, &heads, overwrite, |rows: &mut TableRows| {
        for m in 0..draws.draws {
            let cell = |c: usize| match table.value(m, c) {
                value if c < Wide::INTEGERS => Cell::Index(value as u64),
                value if value.is_nan() => Cell::Missing,
                value => Cell::Number(value),
            };
            rows.push(&(0..table.names.len()).map(cell).collect::<Vec<_>>())?;
        }
        Ok(())
    })
}

/// A row per draw, as R's `draws_df` has it.
struct Wide<'a> {
    draws: &'a AlignedDraws,
    names: Vec<String>,
    /// Chain and iteration, both from 1.
    positions: Vec<[usize; 2]>,
    weighted: usize,
}

impl<'a> Wide<'a> {
    /// The first columns are whole numbers.
    const INTEGERS: usize = 3;

    fn new(draws: &'a AlignedDraws) -> Self {
        let (j, d) = (draws.components, draws.dim);
        let mut names: Vec<String> = [".chain", ".iteration", ".draw"].map(String::from).to_vec();
        names.extend(draws.draw_weights.iter().map(|_| ".log_weight".to_owned()));
        names.push("unmatched".into());
        names.extend((1..=j).map(|k| format!("weight[{k}]")));
        names.extend((1..=j).flat_map(|k| (1..=d).map(move |a| format!("mean[{k},{a}]"))));
        let entries = (1..=j).flat_map(|k| (1..=d).flat_map(move |a| (1..=d).map(move |b| (k, a, b))));
        names.extend(entries.map(|(k, a, b)| format!("covariance[{k},{a},{b}]")));
        let positions = positions(draws).into_iter().map(|[chain, at]| [chain + 1, at + 1]).collect();
        Wide { draws, names, positions, weighted: usize::from(draws.draw_weights.is_some()) }
    }

    fn value(&self, m: usize, column: usize) -> f64 {
        let (j, d) = (self.draws.components, self.draws.dim);
        let Some(c) = column.checked_sub(Self::INTEGERS + self.weighted) else {
            return match column {
                0 | 1 => self.positions[m][column] as f64,
                2 => (m + 1) as f64,
                _ => self.draws.draw_weights.as_ref().map_or(0.0, |weights| weights[m].ln()),
            };
        };
        let (means, covariances) = (1 + j, 1 + j + j * d);
        match c {
            0 => self.draws.unmatched[m],
            _ if c < means => self.draws.weights[m * j + c - 1],
            _ if c < covariances => self.draws.means[m * j * d + c - means],
            _ => self.draws.covariances[m * j * d * d + c - covariances],
        }
    }
}

/// For each draw the number of its chain and its place there, both from 0: chains in the order of their numbers, draws in that of their iterations.
pub(crate) fn positions(draws: &AlignedDraws) -> Vec<[usize; 2]> {
    let mut chains = BTreeMap::<u32, Vec<usize>>::new();
    (0..draws.draws).for_each(|m| chains.entry(draws.chain[m]).or_default().push(m));
    let mut out = vec![[0; 2]; draws.draws];
    for (number, members) in chains.values_mut().enumerate() {
        members.sort_by_key(|&m| draws.iteration[m]);
        members.iter().enumerate().for_each(|(at, &m)| out[m] = [number, at]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read_arrays};

    /// Three draws in two chains, two components in the plane, the second draw without the second component.
    fn draws() -> AlignedDraws {
        let nan = f64::NAN;
        AlignedDraws {
            draws: 3,
            components: 2,
            dim: 2,
            chain: vec![0, 0, 3],
            iteration: vec![7, 5, 2],
            draw_weights: None,
            weights: vec![0.6, 0.4, 0.9, nan, 0.5, 0.3],
            means: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, nan, nan, 8.0, 9.0, 10.0, 11.0],
            covariances: (0..24).map(|e| if (12..16).contains(&e) { nan } else { f64::from(e) }).collect(),
            unmatched: vec![0.0, 0.1, 0.2],
        }
    }

    fn names(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn written(name: &str, draws: &AlignedDraws) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_aligned(&path, draws, &names(&["short", "long"]), &names(&["x", "y"]), Overwrite::Refuse).unwrap();
        (folder, path)
    }

    #[test]
    fn tables_have_the_layout_of_draws_df() {
        let (_folder, path) = written("a.csv", &draws());
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with(
                ".chain,.iteration,.draw,unmatched,weight[1],weight[2],\"mean[1,1]\",\"mean[1,2]\",\"mean[2,1]\""
            ),
            "{}",
            lines[0]
        );
        // Iterations are counted within each chain, in its order; what a draw lacks is empty.
        assert!(lines[1].starts_with("1,2,1,0.0,0.6,0.4,0.0,1.0,2.0,3.0,0.0,1.0,2.0"), "{}", lines[1]);
        assert_eq!(lines[2], "1,1,2,0.1,0.9,,4.0,5.0,,,8.0,9.0,10.0,11.0,,,,");
        assert!(lines[3].starts_with("2,1,3,0.2,0.5,0.3,8.0"), "{}", lines[3]);
        let weighted = AlignedDraws { draw_weights: Some(vec![0.5, 0.25, 0.25]), ..draws() };
        let (_folder, path) = written("a.csv", &weighted);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with(".chain,.iteration,.draw,.log_weight,unmatched"));
        assert!(text.lines().nth(1).unwrap().starts_with(&format!("1,2,1,{:?},0.0,0.6", 0.5f64.ln())));
    }

    #[test]
    fn arrays_have_their_shapes() {
        let (_folder, path) = written("a.npz", &draws());
        let found = read_arrays(
            &path,
            &["weights", "means", "covariances", "unmatched", "chain", "iteration"],
            &ReadOptions::default(),
        )
        .unwrap();
        assert_eq!(found["covariances"].shape, [3, 2, 2, 2]);
        assert_eq!(found["means"].values[..6], draws().means[..6]);
        assert!(found["weights"].values[3].is_nan());
        assert_eq!(found["chain"].values, [0.0, 0.0, 3.0]);
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet_holds_the_same_table() {
        let (_folder, path) = written("a.parquet", &draws());
        let bytes = std::fs::read(path).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(text.contains(".iteration") && text.contains("covariance[2,2,2]"));
    }

    #[test]
    fn other_extensions_and_names_are_refused() {
        let path = std::path::Path::new("a.txt");
        let (two, plane) = (names(&["a", "b"]), names(&["x", "y"]));
        assert!(write_aligned(path, &draws(), &two, &plane, Overwrite::Refuse).is_err());
        let path = std::path::Path::new("a.csv");
        assert!(write_aligned(path, &draws(), &two[..1], &plane, Overwrite::Refuse).is_err());
    }
}
