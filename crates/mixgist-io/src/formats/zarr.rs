//! Zarr, versions 2 and 3, as ArviZ and nutpie write it: a directory of arrays, each cut into chunks.
//!
//! A small reader for what these packages write: regular chunks of numbers, as they are or compressed by zlib, gzip, zstd or blosc (lz4, zlib, zstd). Anything else is
//! refused with its name.

mod codec;

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use mixgist::{Error, Result};
use serde_json::Value;

use crate::draws::{DrawsFile, ReadOptions};
use crate::formats::read_netcdf::{in_order, no_draws, whole_numbers};
use crate::source::{Budget, Source, shown, size_text};
use crate::variables::{Arrays, Variable, order_of, transposed, unknown};
use codec::Codec;

const REMEDY: &str = "was it copied whole? Write it again with to_zarr(), or to_netcdf()";

/// The group that holds the draws: `posterior`, or the top.
fn group_of(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        let problem = if path.exists() { "is no directory, expected a Zarr store" } else { "does not exist" };
        return Err(Error::input(problem)
            .hint("a Zarr store is a directory with zarr.json or .zgroup in it; unpack it if it is a zip file"));
    }
    let group = path.join("posterior");
    Ok(if group.is_dir() { group } else { path.to_owned() })
}

/// Names of the arrays of a group, sorted.
fn arrays_of(group: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(group).map_err(|cause| Error::io(group, "read", &cause))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_array(&group.join(name)))
        .collect();
    names.sort();
    Ok(names)
}

fn is_array(folder: &Path) -> bool {
    folder.join("zarr.json").is_file() || folder.join(".zarray").is_file()
}

/// More chunks are looked for one by one in minutes, and no package writes draws like that.
const MOST_CHUNKS: usize = 1 << 20;

/// Refuses an array, in a folder, of more chunks than that.
pub(crate) fn expect_few_chunks(chunks: usize, folder: &Path) -> Result<()> {
    if chunks <= MOST_CHUNKS {
        return Ok(());
    }
    Err(Error::resource(format!("has {chunks} chunks, at most {MOST_CHUNKS} are read"))
        .in_file(folder)
        .hint("write it again with larger chunks"))
}

/// An array: what its metadata say.
struct Array {
    folder: PathBuf,
    shape: Vec<usize>,
    chunk: Vec<usize>,
    dimensions: Vec<String>,
    kind: Kind,
    fill: f64,
    codecs: Vec<Codec>,
    /// Between the numbers of a chunk, and whether `c` stands before them.
    separator: char,
    prefixed: bool,
    column_major: bool,
}

/// Type of a number: letter (`f`, `i`, `u`), bytes, and whether the largest byte comes first.
#[derive(Clone, Copy)]
struct Kind {
    letter: char,
    bytes: usize,
    big: bool,
}

fn json(path: &Path) -> Result<Value> {
    const LONGEST: u64 = 1 << 20;
    let source = Source::open(path)?;
    if source.bytes > LONGEST {
        return Err(Error::input("is too long for metadata of an array").in_file(path).hint(REMEDY));
    }
    let text = std::fs::read(path).map_err(|cause| Error::io(path, "read", &cause))?;
    serde_json::from_slice(&text)
        .map_err(|error| Error::input(format!("is damaged: {error}")).in_file(path).hint(REMEDY))
}

fn counts(value: &Value) -> Option<Vec<usize>> {
    value.as_array()?.iter().map(|x| usize::try_from(x.as_u64()?).ok()).collect()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|x| x.as_str().map(str::to_owned)).collect()
}

fn fill_of(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().unwrap_or(0.0),
        Value::String(text) if text == "NaN" => f64::NAN,
        Value::String(text) if text == "Infinity" => f64::INFINITY,
        Value::String(text) if text == "-Infinity" => f64::NEG_INFINITY,
        Value::Bool(true) => 1.0,
        _ => 0.0,
    }
}

impl Array {
    fn open(folder: PathBuf) -> Result<Self> {
        let (old, new) = (folder.join(".zarray"), folder.join("zarr.json"));
        let path = if new.is_file() { new } else { old };
        let metadata = json(&path)?;
        let array = if path.ends_with("zarr.json") {
            Self::version_3(folder, &metadata)
        } else {
            Self::version_2(folder, &metadata)
        };
        let array = array.map_err(|error| error.in_file(&path))?;
        let sound = array.shape.len() == array.chunk.len()
            && array.chunk.iter().all(|&axis| axis > 0)
            && array.dimensions.len() == array.shape.len();
        if sound {
            Ok(array)
        } else {
            Err(lacks("shape, chunks and names of dimensions of the same length").in_file(&path))
        }
    }

    fn version_2(folder: PathBuf, metadata: &Value) -> Result<Self> {
        let kind = metadata["dtype"].as_str().ok_or_else(|| lacks("a dtype of numbers"))?;
        let mut letters = kind.chars();
        let (order, letter) = (letters.next().unwrap_or(' '), letters.next().unwrap_or(' '));
        let bytes = letters.as_str().parse().unwrap_or(0);
        let letter = if letter == 'b' { 'u' } else { letter };
        let kind = Kind { letter, bytes, big: order == '>' }.checked(kind)?;
        if !metadata["filters"].as_array().is_none_or(Vec::is_empty) {
            return Err(unsupported("filters"));
        }
        let compressor = &metadata["compressor"];
        let codecs = if compressor.is_null() {
            Vec::new()
        } else {
            vec![Codec::from_name(compressor["id"].as_str().unwrap_or(""))?]
        };
        let attributes = json(&folder.join(".zattrs"))?;
        Ok(Array {
            shape: counts(&metadata["shape"]).ok_or_else(|| lacks("a shape"))?,
            chunk: counts(&metadata["chunks"]).ok_or_else(|| lacks("the shape of its chunks"))?,
            dimensions: texts(&attributes["_ARRAY_DIMENSIONS"]).ok_or_else(|| lacks("names of dimensions"))?,
            kind,
            fill: fill_of(&metadata["fill_value"]),
            codecs,
            separator: metadata["dimension_separator"].as_str().and_then(|text| text.chars().next()).unwrap_or('.'),
            prefixed: false,
            column_major: metadata["order"].as_str() == Some("F"),
            folder,
        })
    }

    fn version_3(folder: PathBuf, metadata: &Value) -> Result<Self> {
        if metadata["node_type"].as_str() != Some("array") {
            return Err(lacks("node_type \"array\""));
        }
        let name = metadata["data_type"].as_str().ok_or_else(|| lacks("a data_type of numbers"))?;
        let (letter, bits) = match name {
            "bool" => ('u', "8"),
            _ => (name.chars().next().unwrap_or(' '), name.trim_start_matches(|c: char| c.is_ascii_alphabetic())),
        };
        let mut kind = Kind { letter, bytes: bits.parse::<usize>().unwrap_or(0) / 8, big: false }.checked(name)?;
        if metadata["chunk_grid"]["name"].as_str() != Some("regular") {
            return Err(unsupported("chunks that are not regular"));
        }
        let mut codecs = Vec::new();
        for codec in metadata["codecs"].as_array().ok_or_else(|| lacks("codecs"))? {
            match codec["name"].as_str().unwrap_or("") {
                "bytes" => kind.big = codec["configuration"]["endian"].as_str() == Some("big"),
                name => codecs.push(Codec::from_name(name)?),
            }
        }
        codecs.reverse();
        let encoding = &metadata["chunk_key_encoding"];
        let prefixed = encoding["name"].as_str() != Some("v2");
        let separator = encoding["configuration"]["separator"].as_str().and_then(|text| text.chars().next());
        Ok(Array {
            shape: counts(&metadata["shape"]).ok_or_else(|| lacks("a shape"))?,
            chunk: counts(&metadata["chunk_grid"]["configuration"]["chunk_shape"])
                .ok_or_else(|| lacks("the shape of its chunks"))?,
            dimensions: texts(&metadata["dimension_names"])
                .or_else(|| texts(&metadata["attributes"]["_ARRAY_DIMENSIONS"]))
                .ok_or_else(|| lacks("names of dimensions"))?,
            kind,
            fill: fill_of(&metadata["fill_value"]),
            codecs,
            separator: separator.unwrap_or(if prefixed { '/' } else { '.' }),
            prefixed,
            column_major: false,
            folder,
        })
    }

    /// The values, row-major.
    fn read(&self, budget: &mut Budget) -> Result<Vec<f64>> {
        let whole: Vec<Range<usize>> = self.shape.iter().map(|&axis| 0..axis).collect();
        self.read_within(&whole, budget)
    }

    /// The values within a range of each axis, row-major.
    fn read_within(&self, within: &[Range<usize>], budget: &mut Budget) -> Result<Vec<f64>> {
        let size = |shape: &[usize]| {
            shape.iter().try_fold(1usize, |size, &axis| size.checked_mul(axis)).filter(|&size| size < 1 << 60)
        };
        let too_large = || Error::resource("is too large").in_file(&self.folder);
        let lengths: Vec<usize> = within.iter().map(ExactSizeIterator::len).collect();
        let (total, in_chunk) = (size(&lengths).ok_or_else(too_large)?, size(&self.chunk).ok_or_else(too_large)?);
        budget.take("the array", 8 * total as u64)?;
        budget.fits("a chunk", 16 * in_chunk as u64)?;
        let first: Vec<usize> = within.iter().zip(&self.chunk).map(|(range, &chunk)| range.start / chunk).collect();
        let end = |(range, &chunk): (&Range<usize>, &usize)| range.end.div_ceil(chunk);
        let ends = within.iter().zip(&self.chunk).map(end);
        let grid: Vec<usize> = ends.zip(&first).map(|(end, first)| end.saturating_sub(*first)).collect();
        let chunks = grid.iter().product();
        expect_few_chunks(chunks, &self.folder)?;
        let mut out = vec![self.fill; total];
        let mut at = vec![0; grid.len()];
        for _ in 0..chunks {
            budget.go_on()?;
            let chunk: Vec<usize> = at.iter().zip(&first).map(|(at, first)| at + first).collect();
            let path = self.chunk_path(&chunk);
            if path.is_file() {
                let bytes = self.packed(&path, in_chunk)?;
                let values = self.decoded(bytes, in_chunk).map_err(|error| error.in_file(&path))?;
                self.place(&mut out, &values, &chunk, within);
            }
            advance(&mut at, &grid);
        }
        Ok(out)
    }

    /// The bytes of a chunk as they are in its file, which packing makes little longer than its numbers.
    fn packed(&self, path: &Path, count: usize) -> Result<Vec<u8>> {
        let longest = 2 * (count * self.kind.bytes) as u64 + (1 << 16);
        let source = Source::open(path)?;
        if source.bytes > longest {
            let message = format!("has {}, too many for a chunk of {count} numbers", size_text(source.bytes));
            return Err(Error::input(message).in_file(path).hint(REMEDY));
        }
        let mut bytes = Vec::new();
        source.file.take(longest).read_to_end(&mut bytes).map_err(|cause| Error::io(path, "read", &cause))?;
        Ok(bytes)
    }

    fn chunk_path(&self, at: &[usize]) -> PathBuf {
        let mut words: Vec<String> = at.iter().map(usize::to_string).collect();
        if self.prefixed {
            words.insert(0, "c".into());
        }
        if words.is_empty() {
            words.push("0".into());
        }
        match self.separator {
            '/' => words.iter().fold(self.folder.clone(), |path, word| path.join(word)),
            separator => self.folder.join(words.join(&separator.to_string())),
        }
    }

    fn decoded(&self, mut bytes: Vec<u8>, count: usize) -> Result<Vec<f64>> {
        let expected = count * self.kind.bytes;
        for codec in &self.codecs {
            bytes = codec.decode(&bytes, expected)?;
        }
        if bytes.len() != expected {
            return Err(Error::input(format!("has {} bytes of numbers, expected {expected}", bytes.len())).hint(REMEDY));
        }
        let values: Vec<f64> = bytes.chunks_exact(self.kind.bytes).map(|word| self.kind.number(word)).collect();
        if !self.column_major {
            return Ok(values);
        }
        Ok(crate::array::row_major(&values, &self.chunk))
    }

    /// Copies what is wanted of a chunk to its place.
    fn place(&self, out: &mut [f64], values: &[f64], chunk: &[usize], wanted: &[Range<usize>]) {
        let mut within = vec![0; chunk.len()];
        for &value in values {
            // Where on each axis of what is wanted, if it is wanted at all.
            let place = (0..chunk.len()).try_fold(0, |to, axis| {
                let index = chunk[axis] * self.chunk[axis] + within[axis];
                let range = &wanted[axis];
                range.contains(&index).then(|| to * range.len() + (index - range.start))
            });
            if let Some(to) = place {
                out[to] = value;
            }
            advance(&mut within, &self.chunk);
        }
    }
}

/// The next index, row-major.
fn advance(index: &mut [usize], shape: &[usize]) {
    for axis in (0..shape.len()).rev() {
        index[axis] += 1;
        if index[axis] < shape[axis] {
            return;
        }
        index[axis] = 0;
    }
}

impl Kind {
    fn checked(self, name: &str) -> Result<Self> {
        let known = matches!((self.letter, self.bytes), ('f', 4 | 8) | ('i' | 'u', 1 | 2 | 4 | 8));
        if known { Ok(self) } else { Err(Error::input(format!("holds '{}', expected numbers", shown(name)))) }
    }

    fn number(self, word: &[u8]) -> f64 {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        if self.big {
            bytes[..word.len()].reverse();
        }
        let whole = u64::from_le_bytes(bytes);
        let unused = 64 - 8 * word.len() as u32;
        match (self.letter, self.bytes) {
            ('f', 4) => f64::from(f32::from_bits(whole as u32)),
            ('f', _) => f64::from_bits(whole),
            ('i', _) => ((whole << unused) as i64 >> unused) as f64,
            _ => whole as f64,
        }
    }
}

fn lacks(what: &str) -> Error {
    Error::input(format!("lacks {what}")).hint(REMEDY)
}

fn unsupported(what: &str) -> Error {
    Error::input(format!("uses {what}, which this reader does not know"))
        .hint("write it with to_netcdf(), which is read whatever the compression")
}

fn find(group: &Path, name: &str) -> Result<Array> {
    let folder = group.join(name);
    // A name, and no path to somewhere else.
    if folder.file_name() == Some(name.as_ref()) && is_array(&folder) {
        return Array::open(folder);
    }
    let known = arrays_of(group)?;
    Err(unknown(name, known.iter().map(String::as_str).filter(|name| !["chain", "draw"].contains(name))))
}

/// Number of chains and draws of each, atoms of a draw, and draws of a chunk.
pub(crate) fn extent(path: &Path, options: &ReadOptions) -> Result<[usize; 4]> {
    let weights = find(&group_of(path)?, &options.variables.weights)?;
    let axis = |name: &str| weights.dimensions.iter().position(|known| known == name);
    let (Some(chain), Some(draw)) = (axis("chain"), axis("draw")) else {
        return Err(no_draws(&options.variables.weights, &weights.dimensions));
    };
    let others = (0..weights.shape.len()).filter(|axis| ![chain, draw].contains(axis));
    let atoms = others.map(|axis| weights.shape[axis]).fold(1, usize::saturating_mul);
    // Chains and draws are numbered whether their chunks are there or not, and metadata can promise any number of them.
    let numbers =
        weights.shape[chain].saturating_mul(weights.shape[draw]).max(weights.shape[chain]).max(weights.shape[draw]);
    let budget = Budget::new(options);
    budget
        .fits("the number of each draw", (numbers as u64).saturating_mul(8))
        .map_err(|error| error.in_file(&weights.folder))?;
    Ok([weights.shape[chain], weights.shape[draw], atoms, weights.chunk[draw]])
}

pub(crate) fn read_draws(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    let [chains, draws, ..] = extent(path, options)?;
    read_some(path, options, 0..chains, 0..draws)
}

/// The numbers of the chains, which need not be their places.
pub(crate) fn chain_numbers(path: &Path, options: &ReadOptions, chains: usize) -> Vec<u32> {
    let numbers = || {
        let array = find(&group_of(path).ok()?, "chain").ok()?;
        whole_numbers(&array.read(&mut Budget::new(options)).ok()?, chains)
    };
    match numbers() {
        Some(all) => all.iter().map(|&x| x as u32).collect(),
        None => (0..chains).map(|chain| chain as u32).collect(),
    }
}

/// Some draws of some chains.
pub(crate) fn read_some(
    path: &Path,
    options: &ReadOptions,
    chains: Range<usize>,
    draws: Range<usize>,
) -> Result<DrawsFile> {
    let mut budget = Budget::new(options);
    let group = group_of(path)?;
    let [all_chains, all_draws, ..] = extent(path, options)?;
    let names = find(&group, &options.variables.weights)?.dimensions;
    let atom = names.iter().find(|name| !["chain", "draw"].contains(&name.as_str())).cloned();
    let some = |array: &Array| -> Vec<Range<usize>> {
        let of_axis = |(name, &size): (&String, &usize)| match name.as_str() {
            "chain" if size == all_chains => chains.clone(),
            "draw" if size == all_draws => draws.clone(),
            _ => 0..size,
        };
        array.dimensions.iter().zip(&array.shape).map(of_axis).collect()
    };
    let shape = |within: &[Range<usize>]| within.iter().map(ExactSizeIterator::len).collect::<Vec<usize>>();
    let mut numbers =
        |name: &str, count: usize| whole_numbers(&find(&group, name).ok()?.read(&mut budget).ok()?, count);
    let chain_numbers = numbers("chain", all_chains);
    let chain_numbers = chain_numbers.map(|all| all[chains.clone()].iter().map(|&x| x as u32).collect());
    let chain_numbers = chain_numbers.or_else(|| Some(chains.clone().map(|chain| chain as u32).collect()));
    let draw_numbers = numbers("draw", all_draws).map(|all| all[draws.clone()].to_vec());
    let draw_numbers = draw_numbers.or_else(|| Some(draws.clone().map(|draw| draw as u64).collect()));
    let stats = path.join("sample_stats");
    let log_posterior = ["lp", "lp__", "logp"].iter().find_map(|name| {
        let found = find(&stats, name).ok()?;
        let order = order_of(&found.dimensions, None)?;
        let within = some(&found);
        let values = found.read_within(&within, &mut budget).ok()?;
        (values.len() == chains.len() * draws.len()).then(|| transposed(&values, &shape(&within), &order))
    });
    let arrays = Arrays { chains: chains.len(), draws: draws.len(), chain_numbers, draw_numbers, log_posterior };
    arrays.into_draws(options, |name| {
        let found = find(&group, name)?;
        let order = order_of(&found.dimensions, atom.as_deref()).ok_or_else(|| no_draws(name, &found.dimensions))?;
        let within = some(&found);
        let values = found.read_within(&within, &mut budget)?;
        in_order(&shape(&within), &values, &order, [chains.len(), draws.len()], name)
    })
}

/// The variables that have draws.
pub(crate) fn variables(path: &Path, options: &ReadOptions) -> Result<Vec<Variable>> {
    let mut budget = Budget::new(options);
    let group = group_of(path)?;
    let mut found = Vec::new();
    for name in arrays_of(&group)? {
        let Ok(array) = Array::open(group.join(&name)) else { continue };
        let Some(order) = order_of(&array.dimensions, None) else { continue };
        // Of the first draw alone: others may lie in a million files.
        let of_axis = |(axis, &size): (usize, &usize)| 0..if order[..2].contains(&axis) { size.min(1) } else { size };
        let within: Vec<Range<usize>> = array.shape.iter().enumerate().map(of_axis).collect();
        let values = array.read_within(&within, &mut budget)?;
        if values.is_empty() {
            continue;
        }
        let lengths: Vec<usize> = within.iter().map(ExactSizeIterator::len).collect();
        let shape = order[2..].iter().map(|&axis| array.shape[axis]).collect();
        found.push(Variable { name, shape, first: transposed(&values, &lengths, &order) });
    }
    Ok(found)
}
