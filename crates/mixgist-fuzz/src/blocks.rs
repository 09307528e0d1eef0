//! Draws in blocks: whatever can be read in blocks is what can be read whole.

use std::path::Path;

use mixgist::{DrawBlocks, Ensemble, Reading};
use mixgist_io::{FileBlocks, default_reading, read_as};

use crate::readers::{MEMORY_LIMIT, with_file};
use crate::{archive, folder};

/// The first byte says which format, and whether draws are left out; the rest is that of the target of the format.
pub fn blocks(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let format = ["parquet", "npz", "zarr"][usize::from(first % 3)];
    let thinning = usize::from(first / 3 % 3);
    let reading =
        Reading { format: Some(format.into()), burn_in: thinning, thin: 1 + thinning / 2, ..default_reading() };
    match format {
        "parquet" => with_file(rest, |path| compare(&reading, path)),
        "npz" => with_file(&archive::of_arrays(rest), |path| compare(&reading, path)),
        _ => {
            let variables = ["w", "mu", "Sigma"].map(String::from);
            let reading = Reading { variables, ..reading };
            folder::with_files(&folder::store(rest), |folder| compare(&reading, folder));
        }
    }
}

fn compare(reading: &Reading, path: &Path) {
    let Ok(blocks) = FileBlocks::open(reading, &[path], MEMORY_LIMIT) else { return };
    let parts: Result<Vec<_>, _> = (0..blocks.blocks()).map(|block| blocks.block(block)).collect();
    let (Ok(parts), Ok(whole)) = (parts, read_as(reading, &[path], MEMORY_LIMIT)) else { return };
    let whole = whole.ensemble;
    assert_eq!(parts.iter().map(|part| part.len()).sum::<usize>(), whole.len());
    let together = |of: fn(&Ensemble) -> &[f64]| parts.iter().flat_map(|part| of(part)).map(|x| x.to_bits()).collect();
    let same = |of: fn(&Ensemble) -> &[f64]| {
        let together: Vec<u64> = together(of);
        together.into_iter().eq(of(&whole).iter().map(|x| x.to_bits()))
    };
    assert!(same(Ensemble::weights) && same(|draws| draws.atoms().means()));
    assert!(same(|draws| draws.atoms().covariances()));
    assert!(parts.iter().flat_map(|part| part.chains()).eq(whole.chains()));
}
