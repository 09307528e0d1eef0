//! Files of draws in blocks: what does not fit into memory is read again in every pass, one block at a time.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use mixgist::text::option;
use mixgist::{DrawBlocks, Ensemble, Error, Reading, Result, text};

use crate::data::DataTable;
use crate::draws::{ReadOptions, not_draws, shift_of_chains, with_directories};
use crate::format::Format;
use crate::formats::{npz, zarr};
use crate::provenance::options_of;

/// Atoms of a block, where the format leaves the choice.
const ATOMS_TOGETHER: usize = 1 << 20;

/// Draws in files, block by block: row groups of Parquet, chunks of Zarr, and other files as a whole. The blocks together are the draws that
/// [`read_as`](crate::read_as) gives.
pub struct FileBlocks {
    options: ReadOptions,
    blocks: Vec<Block>,
    lost_chains: Vec<u32>,
    dim: usize,
}

struct Block {
    path: PathBuf,
    part: Part,
    /// What is added to the numbers of its chains.
    shift: u32,
    draws: usize,
    atoms: usize,
    /// The draws that are left after burn-in and thinning, unless all are.
    kept: Option<Vec<usize>>,
}

/// What of a file is in a block.
enum Part {
    Whole,
    #[cfg(feature = "parquet")]
    Rows(crate::formats::parquet::RowBlock),
    Draws {
        chain: usize,
        draws: Range<usize>,
    },
}

/// A block before it is known what stands before it.
struct Found {
    part: Part,
    chains: Vec<u32>,
    atoms: usize,
}

impl FileBlocks {
    /// Looks through the files: how many draws there are, of which chains, and in which blocks. `limit` is the memory limit of each block.
    pub fn open<P: AsRef<Path>>(reading: &Reading, paths: &[P], limit: u64) -> Result<Self> {
        let options = options_of(reading, limit)?;
        let mut blocks: Vec<Block> = Vec::new();
        let (mut next, mut seen, mut left) = (0u32, BTreeMap::<u32, usize>::new(), BTreeSet::<u32>::new());
        for path in with_directories(paths, &options)? {
            let found = found_in(&path, &options).map_err(|error| error.in_file(&path))?;
            let numbers = found.iter().flat_map(|part| part.chains.iter().copied());
            let shift = shift_of_chains(next, numbers);
            for Found { part, chains, atoms } in found {
                let chains: Vec<u32> = chains.into_iter().map(|chain| shift.saturating_add(chain)).collect();
                next = chains.iter().map(|chain| chain.saturating_add(1)).fold(next, u32::max);
                let mut kept = Vec::new();
                for (draw, chain) in chains.iter().enumerate() {
                    let place = seen.entry(*chain).or_insert(0);
                    *place += 1;
                    if *place > reading.burn_in && (*place - 1 - reading.burn_in).is_multiple_of(reading.thin.max(1)) {
                        kept.push(draw);
                        left.insert(*chain);
                    }
                }
                if kept.is_empty() {
                    continue;
                }
                let draws = kept.len();
                let kept = Some(kept).filter(|kept| kept.len() < chains.len());
                blocks.push(Block { path: path.clone(), part, shift, draws, atoms, kept });
            }
        }
        if blocks.is_empty() {
            let all: usize = seen.values().sum();
            return Err(match all {
                0 => Error::usage("no file of draws was given"),
                _ => Error::usage(text![option("burn_in", reading.burn_in), format!(" leaves none of {all} draws")])
                    .hint("it counts the draws of each chain that are there, not the sampler's iterations"),
            });
        }
        let lost_chains = seen.into_keys().filter(|chain| !left.contains(chain)).collect();
        let mut all = FileBlocks { options, blocks, lost_chains, dim: 0 };
        all.dim = all.read(0)?.dim();
        Ok(all)
    }

    /// The data that come with the draws, in npz files: those of the first, which the others repeat.
    pub fn data(&self) -> Result<Option<DataTable>> {
        let path = &self.blocks[0].path;
        match Format::choose(self.options.format, path)? {
            Format::Npz => npz::data_of(path, &self.options).map_err(|error| error.in_file(path)),
            _ => Ok(None),
        }
    }

    /// Number of draws.
    pub fn draws(&self) -> usize {
        self.blocks.iter().map(|block| block.draws).sum()
    }

    /// Atoms of all draws, those that are left out among them.
    pub fn atoms(&self) -> usize {
        self.blocks.iter().map(|block| block.atoms).fold(0, usize::saturating_add)
    }

    /// Dimension of the means.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Atoms of the largest block.
    pub fn largest(&self) -> usize {
        self.blocks.iter().map(|block| block.atoms).max().unwrap_or(0)
    }

    /// Memory that reading a block takes at most: its numbers as they are in the file, as columns and as atoms, twice where they are copied.
    pub fn reading_bytes(&self) -> u64 {
        let numbers = 4 + self.dim + self.dim * self.dim;
        self.largest().saturating_mul(numbers).saturating_mul(8 * 5) as u64
    }

    fn read(&self, block: usize) -> Result<Ensemble> {
        let Block { path, part, shift, kept, .. } = &self.blocks[block];
        let file = match part {
            Part::Whole => Format::choose(self.options.format, path)?.draws_reader()?(path, &self.options),
            #[cfg(feature = "parquet")]
            Part::Rows(rows) => rows.read(path, &self.options),
            Part::Draws { chain, draws } => zarr::read_some(path, &self.options, *chain..chain + 1, draws.clone()),
        };
        let found = file.map_err(|error| error.in_file(path))?.with_label_traces().ensemble;
        if self.dim > 0 && found.dim() != self.dim {
            let (own, dim) = (found.dim(), self.dim);
            return Err(
                Error::input(format!("means of dimension {own}, the first file has dimension {dim}")).in_file(path)
            );
        }
        let changed = || Error::input("has changed while it was read").in_file(path);
        let (renormalization, padding) = (found.renormalization(), found.padding());
        let found = found.with_history(renormalization, padding, self.lost_chains.clone());
        let found = match kept {
            Some(kept) => found.select(kept).map_err(|_| changed())?,
            None => found,
        };
        if found.len() != self.blocks[block].draws {
            return Err(changed());
        }
        if *shift == 0 {
            return Ok(found);
        }
        let chains = found.chains().iter().map(|chain| shift.saturating_add(*chain)).collect();
        let iterations = found.iterations().to_vec();
        found.with_chains(chains, iterations)
    }
}

impl DrawBlocks for FileBlocks {
    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn block(&self, block: usize) -> Result<Cow<'_, Ensemble>> {
        self.read(block).map(Cow::Owned)
    }
}

/// The blocks of a file.
fn found_in(path: &Path, options: &ReadOptions) -> Result<Vec<Found>> {
    match Format::choose(options.format, path)? {
        Format::Npz => {
            let (chains, atoms) = npz::chains_of(path, options)?;
            Ok(vec![Found { part: Part::Whole, chains, atoms }])
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let blocks = crate::formats::parquet::blocks_of(path, options)?;
            let found = |rows: crate::formats::parquet::RowBlock| {
                let (chains, atoms) = (rows.chains.clone(), rows.rows);
                Found { part: Part::Rows(rows), chains, atoms }
            };
            Ok(blocks.into_iter().map(found).collect())
        }
        Format::Zarr => {
            let [chains, draws, atoms, chunk] = zarr::extent(path, options)?;
            // Whole chunks, as many as make a block.
            let size = (ATOMS_TOGETHER / atoms.max(1) / chunk.max(1)).max(1).saturating_mul(chunk.max(1));
            zarr::expect_few_chunks(chains.saturating_mul(draws.div_ceil(size)), path)?;
            let mut found = Vec::new();
            for (chain, number) in zarr::chain_numbers(path, options, chains).into_iter().enumerate() {
                for start in (0..draws).step_by(size) {
                    let some = start..draws.min(start.saturating_add(size));
                    let count = some.len();
                    found.push(Found {
                        part: Part::Draws { chain, draws: some },
                        chains: vec![number; count],
                        atoms: count.saturating_mul(atoms),
                    });
                }
            }
            Ok(found)
        }
        Format::Json => Err(not_draws(path)),
        format => {
            let ensemble = format.draws_reader()?(path, options)?.ensemble;
            let atoms = ensemble.weights().len();
            Ok(vec![Found { part: Part::Whole, chains: ensemble.chains().to_vec(), atoms }])
        }
    }
}
