//! Checkpoints: a run that was killed at any moment goes on from its last one and gives the same draws.
//!
//! A directory holds `lock`, `run` (settings and fingerprint of the data, written first), and for each chain `chain-C.state` and
//! `chain-C.draws-N`, N = 0, 1, …: the draws between two checkpoints. Draws are written before the state that counts them, each
//! file whole or not at all (temporary file, fsync, rename, fsync of the directory), and no file with draws is ever written twice
//! once a state counts it.

mod binary;

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use mixgist::{Error, Result};
use rand_chacha::ChaCha8Rng;

use crate::algorithm::State;
use crate::clusters::Clusters;
use crate::draws::ChainDraws;
use binary::{Reader, Writer, checksum, damaged};

/// Where and how often to save.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoints {
    /// The directory; made when it does not exist.
    pub directory: PathBuf,
    /// Iterations between two checkpoints of a chain.
    pub every: u64,
    /// Whether to begin or to go on.
    pub mode: CheckpointMode,
}

/// Begin a run or go on with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointMode {
    /// A new run; an error when the directory holds one already.
    Start,
    /// Goes on with the run in the directory; an error when there is none, or when settings or data differ.
    Resume,
}

/// The checkpoint directory of one run.
#[derive(Debug)]
pub(crate) struct Store {
    directory: PathBuf,
    pub every: u64,
    fingerprint: u64,
    /// Held as long as the run lasts; the system lets go of it even when the process is killed.
    _lock: File,
}

/// What a chain goes on from.
#[derive(Debug, PartialEq)]
pub(crate) struct Saved {
    pub state: State,
    pub rng: ChaCha8Rng,
    pub draws: ChainDraws,
    /// Sticks of the blocked sampler, which may have become more.
    pub sticks: Option<usize>,
    /// Files with draws so far.
    pub segments: u64,
}

impl Store {
    /// Opens the directory: writes `run`, or compares it. `settings` is the text that must not change.
    pub(crate) fn open(checkpoints: &Checkpoints, settings: &str, data: &[f64]) -> Result<Self> {
        if checkpoints.every == 0 {
            return Err(Error::usage("a checkpoint every 0 iterations, must be at least 1"));
        }
        let directory = checkpoints.directory.clone();
        let data_sum = checksum(data.iter().flat_map(|v| v.to_bits().to_le_bytes()));
        let fingerprint = checksum(settings.bytes().chain(data_sum.to_le_bytes()));
        let run = directory.join("run");
        if checkpoints.mode == CheckpointMode::Resume && !run.exists() {
            return Err(Error::usage("there is no run to resume")
                .as_system(std::io::ErrorKind::NotFound)
                .in_file(&directory)
                .hint("start one without resume"));
        }
        fs::create_dir_all(&directory).map_err(|e| {
            Error::io(&directory, "make the checkpoint directory", &e).hint("name a folder that exists or can be made")
        })?;
        let lock = lock(&directory)?;
        let store = Store { directory, every: checkpoints.every, fingerprint, _lock: lock };
        match checkpoints.mode {
            CheckpointMode::Start => {
                if run.exists() {
                    return Err(Error::usage("the directory holds the checkpoint of a run already")
                        .as_system(std::io::ErrorKind::AlreadyExists)
                        .in_file(&store.directory)
                        .hint("resume it, or choose an empty directory"));
                }
                let mut writer = Writer::new();
                writer.number(data_sum);
                writer.bytes(settings.as_bytes());
                store.write("run", &writer.finish())?;
            }
            CheckpointMode::Resume => {
                let bytes = fs::read(&run).map_err(|e| Error::io(&run, "read the checkpoint", &e))?;
                compare_run(&bytes, settings, data_sum).map_err(|error| error.in_file(&run))?;
            }
        }
        Ok(store)
    }

    /// Writes the draws since the last checkpoint, then the state that counts them.
    pub(crate) fn save(
        &self,
        chain: u64,
        segment: u64,
        state: &State,
        sticks: Option<usize>,
        rng: &ChaCha8Rng,
        draws: &ChainDraws,
    ) -> Result<()> {
        self.write(&segment_name(chain, segment), &encode_draws(draws, self.fingerprint, chain, segment))?;
        self.write(&state_name(chain), &encode_state(state, sticks, rng, self.fingerprint, chain, segment + 1))
    }

    /// What the chain saved last; none when it never did.
    pub(crate) fn load(&self, chain: u64, stride: usize, points: usize, dim: usize) -> Result<Option<Saved>> {
        let path = self.directory.join(state_name(chain));
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(&path, "read the checkpoint", &e)),
        };
        let mut saved =
            decode_state(&bytes, self.fingerprint, chain, stride, points).map_err(|error| error.in_file(&path))?;
        for segment in 0..saved.segments {
            let path = self.directory.join(segment_name(chain, segment));
            let bytes = fs::read(&path).map_err(|e| Error::io(&path, "read the checkpoint", &e))?;
            let draws = decode_draws(&bytes, self.fingerprint, chain, segment, points, dim)
                .map_err(|error| error.in_file(&path))?;
            saved.draws.append(&draws);
        }
        Ok(Some(saved))
    }

    /// Writes a file whole or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let (path, temporary) = (self.directory.join(name), self.directory.join(format!("{name}.tmp")));
        let attempt = || {
            let mut file = File::create(&temporary)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            sync_directory(&self.directory)
        };
        attempt().map_err(|e| {
            let _ = fs::remove_file(&temporary); // best effort: the error that matters is the one above
            failed(&path, "write the checkpoint", &e)
        })
    }
}

/// Two processes must not write the same run.
fn lock(directory: &Path) -> Result<File> {
    let path = directory.join("lock");
    let file = File::create(&path).map_err(|e| failed(&path, "write the checkpoint", &e))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::usage("another process is running with this checkpoint directory")
            .in_file(directory)
            .hint("wait for it, or choose another directory")),
        // some file systems know no locks: then there is none to respect
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> std::io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) -> std::io::Result<()> {
    Ok(()) // directories cannot be synced there; the rename is atomic all the same
}

fn failed(path: &Path, doing: &str, cause: &std::io::Error) -> Error {
    Error::io(path, doing, cause)
        .hint("earlier checkpoints are whole: once there is room and permission, resume from them")
}

fn state_name(chain: u64) -> String {
    format!("chain-{chain}.state")
}

fn segment_name(chain: u64, segment: u64) -> String {
    format!("chain-{chain}.draws-{segment}")
}

fn compare_run(bytes: &[u8], settings: &str, data_sum: u64) -> Result<()> {
    let mut reader = Reader::new(bytes)?;
    let saved_sum = reader.number()?;
    let saved = String::from_utf8_lossy(reader.bytes()?).into_owned();
    reader.end()?;
    let differs = |what: String| {
        Err(Error::usage(what).hint("resume with the settings and data of the run, or start a new one elsewhere"))
    };
    let mut lines = saved.lines().zip(settings.lines());
    if let Some((before, now)) = lines.find(|(before, now)| before != now) {
        return differs(format!(
            "the run was started with other settings: '{}' then, '{}' now",
            before.trim(),
            now.trim()
        ));
    }
    if saved != settings {
        return differs("the run was started with other settings".into());
    }
    if saved_sum != data_sum {
        return differs("the run was started with other data".into());
    }
    Ok(())
}

fn header(writer: &mut Writer, fingerprint: u64, chain: u64, segments: u64) {
    [fingerprint, chain, segments].into_iter().for_each(|value| writer.number(value));
}

fn encode_state(
    state: &State,
    sticks: Option<usize>,
    rng: &ChaCha8Rng,
    fingerprint: u64,
    chain: u64,
    segments: u64,
) -> Vec<u8> {
    let mut writer = Writer::new();
    header(&mut writer, fingerprint, chain, segments);
    writer.bytes(&rng.get_seed());
    writer.number(rng.get_stream());
    let position = rng.get_word_pos();
    writer.number(position as u64);
    writer.number((position >> 64) as u64);
    writer.number(state.sweeps);
    writer.real(state.alpha);
    writer.shorts(&state.clusters.labels);
    writer.reals(&state.clusters.statistics);
    writer.shorts(&state.positions);
    writer.number(sticks.unwrap_or(0) as u64);
    writer.finish()
}

fn decode_state(bytes: &[u8], fingerprint: u64, chain: u64, stride: usize, points: usize) -> Result<Saved> {
    let mut reader = Reader::new(bytes)?;
    expect_header(&mut reader, fingerprint, chain)?;
    let segments = reader.number()?;
    let seed: [u8; 32] = reader.bytes()?.try_into().map_err(|_| damaged())?;
    let mut rng = <ChaCha8Rng as rand::SeedableRng>::from_seed(seed);
    rng.set_stream(reader.number()?);
    let (low, high) = (reader.number()?, reader.number()?);
    rng.set_word_pos(u128::from(high) << 64 | u128::from(low));
    let (sweeps, alpha) = (reader.number()?, reader.real()?);
    let labels = reader.shorts()?;
    let statistics = reader.reals()?;
    let positions = reader.shorts()?;
    let sticks = Some(reader.number()? as usize).filter(|&sticks| sticks > 0);
    reader.end()?;
    let clusters =
        Clusters::restored(labels, statistics, stride).filter(|c| c.points() == points).ok_or_else(damaged)?;
    if positions.iter().any(|&position| sticks.is_none_or(|sticks| position as usize >= sticks)) {
        return Err(damaged());
    }
    let state = State { clusters, alpha, positions, sweeps };
    Ok(Saved { state, rng, draws: ChainDraws::default(), sticks, segments })
}

fn expect_header(reader: &mut Reader<'_>, fingerprint: u64, chain: u64) -> Result<()> {
    if reader.number()? != fingerprint {
        return Err(Error::input("the checkpoint belongs to another run"));
    }
    if reader.number()? != chain {
        return Err(Error::input("the checkpoint belongs to another chain"));
    }
    Ok(())
}

fn encode_draws(draws: &ChainDraws, fingerprint: u64, chain: u64, segment: u64) -> Vec<u8> {
    let mut writer = Writer::new();
    header(&mut writer, fingerprint, chain, segment);
    writer.numbers(draws.offsets.iter().map(|&offset| offset as u64));
    for values in [&draws.weights, &draws.means, &draws.covariances] {
        writer.reals(values);
    }
    writer.shorts(&draws.labels);
    writer.numbers(draws.iterations.iter().copied());
    for values in [&draws.log_posterior, &draws.clusters, &draws.largest, &draws.alpha] {
        writer.reals(values);
    }
    writer.real(draws.unresolved);
    writer.number(draws.sticks);
    writer.number(draws.on_last_stick);
    writer.finish()
}

fn decode_draws(
    bytes: &[u8],
    fingerprint: u64,
    chain: u64,
    segment: u64,
    points: usize,
    dim: usize,
) -> Result<ChainDraws> {
    let mut reader = Reader::new(bytes)?;
    expect_header(&mut reader, fingerprint, chain)?;
    if reader.number()? != segment {
        return Err(damaged());
    }
    let offsets: Vec<usize> = reader.numbers()?.into_iter().map(|offset| offset as usize).collect();
    let draws = ChainDraws {
        offsets,
        weights: reader.reals()?,
        means: reader.reals()?,
        covariances: reader.reals()?,
        labels: reader.shorts()?,
        iterations: reader.numbers()?,
        log_posterior: reader.reals()?,
        clusters: reader.reals()?,
        largest: reader.reals()?,
        alpha: reader.reals()?,
        unresolved: reader.real()?,
        sticks: reader.number()?,
        on_last_stick: reader.number()?,
    };
    reader.end()?;
    let (count, atoms) = (draws.len(), draws.weights.len());
    let sound = draws.offsets.len() == count + 1
        && draws.offsets.last() == Some(&atoms)
        && draws.means.len() == atoms * dim
        && draws.covariances.len() == atoms * dim * dim
        && draws.labels.len() == count * points
        && [&draws.log_posterior, &draws.clusters, &draws.largest, &draws.alpha]
            .iter()
            .all(|trace| trace.len() == count);
    if sound { Ok(draws) } else { Err(damaged()) }
}
