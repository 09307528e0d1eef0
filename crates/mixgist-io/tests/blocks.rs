//! Files of draws in blocks: together they are the draws that are read whole, and what is damaged is refused by name.

use std::path::{Path, PathBuf};

use mixgist::{DrawBlocks, Ensemble, Reading};
use mixgist_io::{FileBlocks, Overwrite, ReadOptions, default_reading, propose, read_as, write_draws};

const LIMIT: u64 = 1 << 30;

fn draws(count: usize, dim: usize, first: usize) -> Ensemble {
    let sizes: Vec<usize> = (0..count).map(|m| 1 + (m * 5 + first) % 4).collect();
    let offsets: Vec<usize> = std::iter::once(0)
        .chain(sizes.iter().scan(0, |sum, size| {
            *sum += size;
            Some(*sum)
        }))
        .collect();
    let atoms = *offsets.last().unwrap();
    let value = |i: usize| ((i * 7919 + first) % 101) as f64 / 50.0 + 0.1;
    let weights: Vec<f64> = (0..atoms).map(value).collect();
    let means: Vec<f64> = (0..atoms * dim).map(|i| value(i + 3)).collect();
    let covariances: Vec<f64> = (0..atoms)
        .flat_map(|k| (0..dim * dim).map(move |i| if i % (dim + 1) == 0 { value(k + i) } else { 0.01 }))
        .collect();
    let ensemble = Ensemble::builder(dim)
        .offsets(&offsets)
        .weights(&weights)
        .means(means)
        .covariances(covariances)
        .build()
        .unwrap();
    ensemble.with_chains((0..count).map(|m| (m * 2 / count) as u32).collect(), (0..count as u64).collect()).unwrap()
}

fn all(blocks: &FileBlocks) -> Ensemble {
    let parts: Vec<Ensemble> = (0..blocks.blocks()).map(|block| blocks.block(block).unwrap().into_owned()).collect();
    Ensemble::concatenate(&parts.iter().collect::<Vec<_>>()).unwrap()
}

fn same(reading: &Reading, paths: &[PathBuf], least: usize) {
    let blocks = FileBlocks::open(reading, paths, LIMIT).unwrap();
    assert!(blocks.blocks() >= least, "{}", blocks.blocks());
    let whole = read_as(reading, paths, LIMIT).unwrap().with_label_traces().ensemble;
    assert_eq!(all(&blocks), whole);
    assert_eq!((blocks.draws(), blocks.dim()), (whole.len(), whole.dim()));
}

fn thinned() -> [Reading; 3] {
    let usual = default_reading();
    [usual.clone(), Reading { burn_in: 7, thin: 3, ..usual.clone() }, Reading { burn_in: 20, thin: 1, ..usual }]
}

#[test]
fn a_directory_of_npz_files_is_its_blocks() {
    let folder = tempfile::tempdir().unwrap();
    for file in 0..12 {
        let path = folder.path().join(format!("part-{file}.npz"));
        write_draws(&path, &draws(11 + file, 2, file).into(), None, Overwrite::Refuse).unwrap();
    }
    same(&default_reading(), &[folder.path().to_owned()], 12);
    same(&thinned()[1], &[folder.path().to_owned()], 1);
    let files = |wanted: &[usize]| -> Vec<PathBuf> {
        wanted.iter().map(|file| folder.path().join(format!("part-{file}.npz"))).collect()
    };
    same(&default_reading(), &files(&[3, 1]), 2);
    let open = |paths: &[PathBuf]| FileBlocks::open(&default_reading(), paths, LIMIT).map(|blocks| blocks.draws());
    // A file in the middle that is gone, is damaged, or holds draws of another dimension.
    std::fs::remove_file(&files(&[5])[0]).unwrap();
    let error = open(&files(&[4, 5, 6])).unwrap_err().to_string();
    assert!(error.contains("part-5.npz"), "{error}");
    let whole = std::fs::read(&files(&[6])[0]).unwrap();
    std::fs::write(&files(&[6])[0], &whole[..whole.len() / 2]).unwrap();
    let error = open(&files(&[4, 6, 7])).unwrap_err().to_string();
    assert!(error.contains("part-6.npz"), "{error}");
    write_draws(&files(&[8])[0], &draws(5, 3, 1).into(), None, Overwrite::forced(true)).unwrap();
    let blocks = FileBlocks::open(&default_reading(), &files(&[7, 8, 9]), LIMIT).unwrap();
    let error = blocks.block(1).unwrap_err().to_string();
    assert!(error.ends_with("part-8.npz: means of dimension 3, the first file has dimension 2"), "{error}");
    // One that changes between two passes.
    write_draws(&files(&[9])[0], &draws(4, 2, 1).into(), None, Overwrite::forced(true)).unwrap();
    let error = blocks.block(2).unwrap_err().to_string();
    assert!(error.ends_with("part-9.npz: has changed while it was read"), "{error}");
}

#[test]
fn other_files_are_one_block_each() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = ["a.csv", "b.csv"].iter().map(|name| folder.path().join(name)).collect();
    for (file, path) in paths.iter().enumerate() {
        write_draws(path, &draws(20, 1, file).into(), None, Overwrite::Refuse).unwrap();
    }
    for reading in thinned() {
        if reading.burn_in < 10 {
            same(&reading, &paths, 2);
        }
    }
    let none = FileBlocks::open(&thinned()[2], &paths, LIMIT).map(|blocks| blocks.draws()).unwrap_err();
    assert_eq!(none.to_string(), "burn_in = 20 leaves none of 40 draws");
}

/// A chain of which burn-in leaves nothing is remembered.
#[test]
fn lost_chains_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = ["a.npz", "b.npz"].iter().map(|name| folder.path().join(name)).collect();
    write_draws(&paths[0], &draws(40, 1, 0).into(), None, Overwrite::Refuse).unwrap();
    write_draws(&paths[1], &draws(60, 1, 0).into(), None, Overwrite::Refuse).unwrap();
    let reading = Reading { burn_in: 25, ..default_reading() };
    let blocks = FileBlocks::open(&reading, &paths, LIMIT).unwrap();
    assert_eq!(blocks.block(0).unwrap().lost_chains(), [0, 1]);
    same(&reading, &paths, 1);
}

#[cfg(feature = "parquet")]
mod parquet {
    use super::*;
    use ::parquet::basic::{Repetition, Type as Physical};
    use ::parquet::data_type::{DoubleType, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::types::Type;
    use std::sync::Arc;

    /// Rows (chain, draw, weight, mean) in row groups of so many rows.
    fn write(path: &Path, rows: &[(i64, i64, f64, f64)], group: usize) {
        let names = ["chain", "draw", "weight", "mean_1", "cov_1_1"];
        let fields = names.iter().enumerate().map(|(i, name)| {
            let physical = if i < 2 { Physical::INT64 } else { Physical::DOUBLE };
            Arc::new(
                Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).build().unwrap(),
            )
        });
        let schema = Type::group_type_builder("schema").with_fields(fields.collect()).build().unwrap();
        let properties = Arc::new(WriterProperties::builder().build());
        let mut writer =
            SerializedFileWriter::new(std::fs::File::create(path).unwrap(), Arc::new(schema), properties).unwrap();
        for rows in rows.chunks(group) {
            let mut open = writer.next_row_group().unwrap();
            for column in 0..5 {
                let mut chunk = open.next_column().unwrap().unwrap();
                if column < 2 {
                    let values: Vec<i64> = rows.iter().map(|row| if column == 0 { row.0 } else { row.1 }).collect();
                    chunk.typed::<Int64Type>().write_batch(&values, None, None).unwrap();
                } else {
                    let value = |row: &(i64, i64, f64, f64)| [row.2, row.3, 1.0 + row.2][column - 2];
                    let values: Vec<f64> = rows.iter().map(value).collect();
                    chunk.typed::<DoubleType>().write_batch(&values, None, None).unwrap();
                }
                chunk.close().unwrap();
            }
            open.close().unwrap();
        }
        writer.close().unwrap();
    }

    /// 60 draws of 1 to 5 atoms in two chains.
    fn rows() -> Vec<(i64, i64, f64, f64)> {
        let mut rows = Vec::new();
        for m in 0..60i64 {
            for k in 0..1 + m * 3 % 5 {
                rows.push((m / 30, m % 30, 0.1 + k as f64, (m * 7 % 13) as f64 + k as f64));
            }
        }
        rows
    }

    #[test]
    fn row_groups_are_blocks_wherever_they_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        for group in [1, 2, 3, 7, 50, 1000] {
            write(&path, &rows(), group);
            for reading in thinned() {
                same(&reading, std::slice::from_ref(&path), 1);
            }
        }
        // A partitioned data set: each file continues the count of chains.
        write(&folder.path().join("b.parquet"), &rows()[..40], 9);
        same(&default_reading(), &[folder.path().to_owned()], 5);
    }

    #[test]
    fn rows_of_a_draw_must_stand_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let mut rows = rows();
        rows.push((0, 3, 1.0, 1.0));
        write(&path, &rows, 20);
        let error = FileBlocks::open(&default_reading(), &[&path], LIMIT).map(|blocks| blocks.draws()).unwrap_err();
        assert!(error.to_string().ends_with("rows of draw 3 of chain 0 stand apart from each other"), "{error}");
        let bytes = std::fs::read(&path).unwrap();
        for end in [0, 5, bytes.len() / 3, bytes.len() - 3] {
            std::fs::write(&path, &bytes[..end]).unwrap();
            let error = FileBlocks::open(&default_reading(), &[&path], LIMIT).map(|blocks| blocks.draws()).unwrap_err();
            assert!(error.to_string().contains("a.parquet"), "{error}");
        }
    }
}

/// The stores that other packages wrote, with chunks of several draws and chains; and one with so few draws in a chunk that blocks hold many.
#[test]
fn chunks_of_zarr_are_blocks() {
    let fixture = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/arviz").join(name);
    let named = |names: [&str; 3], form: &str| Reading {
        variables: names.map(String::from),
        covariance_form: form.into(),
        ..default_reading()
    };
    same(&named(["w", "mu", "s2"], "diagonal"), &[fixture("codecs.zarr")], 2);
    for store in ["posterior-v2.zarr", "posterior-v3.zarr"] {
        let usual = named(["w", "mu", "Sigma"], "covariance");
        same(&usual, &[fixture(store)], 2);
        same(&Reading { burn_in: 1, thin: 2, ..usual }, &[fixture(store)], 1);
    }
}

/// Metadata of a few bytes can promise any number of draws; no memory is taken for them before somebody says how much there is.
#[test]
fn promises_of_zarr_are_held_against_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let store = &folder.path().join("draws.zarr");
    std::fs::create_dir(store).unwrap();
    std::fs::write(store.join("zarr.json"), "{}").unwrap();
    let promise = |chains: u64, draws: u64, chunk: u64| {
        for (name, dims, axes) in
            [("w", "\"k\"", "2"), ("mu", "\"k\",\"d\"", "2,1"), ("Sigma", "\"k\",\"d\",\"e\"", "2,1,1")]
        {
            let metadata = format!(
                r#"{{"zarr_format":3,"node_type":"array","shape":[{chains},{draws},{axes}],"data_type":"float64",
                "dimension_names":["chain","draw",{dims}],"fill_value":1.0,"codecs":[{{"name":"bytes"}}],
                "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[1,{chunk},{axes}]}}}},
                "chunk_key_encoding":{{"name":"default","configuration":{{"separator":"/"}}}}}}"#
            );
            std::fs::create_dir_all(store.join(name)).unwrap();
            std::fs::write(store.join(name).join("zarr.json"), metadata).unwrap();
        }
    };
    let reading = Reading { variables: ["w", "mu", "Sigma"].map(String::from), ..default_reading() };
    let huge = 1_000_000_000_000_000;
    for (chains, draws, chunk) in
        [(1, huge, huge), (1, huge, 1), (huge, 1, 1), (huge, huge, 1), (huge, 0, 1), (0, huge, 1)]
    {
        promise(chains, draws, chunk);
        let in_blocks = FileBlocks::open(&reading, &[store], LIMIT).map(|blocks| blocks.draws()).unwrap_err();
        let whole = read_as(&reading, &[store], LIMIT).map(|file| file.ensemble.len()).unwrap_err();
        for error in [in_blocks, whole] {
            let error = error.to_string();
            assert!(error.contains("the number of each draw needs ") && error.contains("/w: "), "{error}");
        }
    }
    // Of so many chains each would be a block.
    promise(1 << 21, 1, 1);
    let in_blocks = FileBlocks::open(&reading, &[store], 1 << 30).map(|blocks| blocks.draws()).unwrap_err();
    let whole = read_as(&reading, &[store], 1 << 30).map(|file| file.ensemble.len()).unwrap_err();
    for error in [in_blocks, whole] {
        assert!(error.to_string().ends_with("has 2097152 chunks, at most 1048576 are read"), "{error}");
    }
    // As many as fit are read, here all from what stands for chunks that are not there.
    promise(2, 10, 3);
    same(&reading, std::slice::from_ref(store), 2);
    // Which variables there are is told by the first draw: what lies elsewhere is not read for it.
    std::fs::create_dir_all(store.join("w/c/1/2")).unwrap();
    std::fs::write(store.join("w/c/1/2/0"), "damaged").unwrap();
    assert!(read_as(&reading, &[store], LIMIT).is_err());
    let found = propose(store, &ReadOptions::default()).unwrap().unwrap().variables;
    let shapes: Vec<_> = found.iter().map(|found| (found.name.as_str(), found.shape.as_slice())).collect();
    assert_eq!(shapes, [("Sigma", &[2, 1, 1][..]), ("mu", &[2, 1]), ("w", &[2])]);
    assert!(found.iter().all(|found| found.first == [1.0, 1.0]));
}

/// A table without the column that numbers draws is refused by the name of that column.
#[cfg(feature = "parquet")]
#[test]
fn parquet_without_draws_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, file) in [("a", "data_text.parquet"), ("b", "data_dates.parquet"), ("c", "data_index.parquet")] {
        let path = folder.path().join(format!("{name}.parquet"));
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/parquet").join(file);
        std::fs::copy(from, &path).unwrap();
        let whole = read_as(&default_reading(), &[&path], LIMIT).map(|_| ()).unwrap_err();
        let in_blocks = FileBlocks::open(&default_reading(), &[&path], LIMIT).map(|_| ()).unwrap_err();
        assert_eq!(in_blocks.to_string(), whole.to_string());
    }
}
