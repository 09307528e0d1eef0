//! Checkpoints: a run that was killed at any moment goes on from its last one and gives the same draws.
//!
//! A directory holds `lock`, `run` (settings and fingerprint of the data, written first), and for each chain `chain-C.state` and
//! `chain-C.draws-N`, N = 0, 1, …: the draws between two checkpoints. Draws are written before the state that counts them, each
//! file whole or not at all, and no file with draws is ever written twice once a state counts it. Files that no run of mixgist wrote are
//! left as they are, links are not followed.

pub(crate) mod record;

use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};

use mixgist::{Error, ErrorKind, Result};
use mixgist_files::{Overwrite, write_bytes};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::algorithm::State;
use crate::clusters::Clusters;
use crate::draws::ChainDraws;
use crate::scales::Scales;
use crate::settings::MAX_STICKS;
use record::{checksum, damaged, decode, encode, is_checkpoint};

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

impl Checkpoints {
    /// What options ask for: a run that begins in one directory, or that goes on in another.
    pub fn from_options(begin: Option<PathBuf>, resume: Option<PathBuf>, every: u64) -> Option<Self> {
        let begin = begin.map(|directory| (directory, CheckpointMode::Start));
        let (directory, mode) = begin.or(resume.map(|directory| (directory, CheckpointMode::Resume)))?;
        Some(Checkpoints { directory, every, mode })
    }
}

/// Begin a run or go on with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointMode {
    /// A new run; an error when the directory holds one already.
    Start,
    /// Goes on with the run in the directory; an error when there is none, or when data or settings other than the number of iterations
    /// differ. With more iterations than before the chains run on.
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
    /// Opens the directory: writes `run`, or compares it. `settings` is the text that must not change, but for its number of iterations.
    pub(crate) fn open(checkpoints: &Checkpoints, settings: &str, data: &[f64]) -> Result<Self> {
        if checkpoints.every == 0 {
            return Err(Error::usage("a checkpoint every 0 iterations, must be at least 1"));
        }
        let directory = checkpoints.directory.clone();
        let data_sum = checksum(data.iter().flat_map(|v| v.to_bits().to_le_bytes()));
        let fingerprint = |settings: &str| checksum(settings.bytes().chain(data_sum.to_le_bytes()));
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
        let mut store = Store { directory, every: checkpoints.every, fingerprint: fingerprint(settings), _lock: lock };
        match checkpoints.mode {
            CheckpointMode::Start => {
                if run.symlink_metadata().is_ok() {
                    return Err(Error::usage("the directory holds the checkpoint of a run already")
                        .as_system(std::io::ErrorKind::AlreadyExists)
                        .in_file(&store.directory)
                        .hint("resume it, or choose an empty directory"));
                }
                store.write("run", &encode(&RunRecord { data_sum, settings: settings.to_owned() })?)?;
            }
            CheckpointMode::Resume => {
                let bytes = read(&run).map_err(|e| Error::io(&run, "read the checkpoint", &e))?;
                let begun_with = compare_run(&bytes, settings, data_sum).map_err(|error| error.in_file(&run))?;
                store.fingerprint = fingerprint(&begun_with);
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
        let owner = |segments| Owner { fingerprint: self.fingerprint, chain, segments };
        self.write(&segment_name(chain, segment), &encode(&(owner(segment), draws))?)?;
        self.write(&state_name(chain), &encode(&(owner(segment + 1), StateRecord::new(state, sticks, rng)))?)
    }

    /// What the chain saved last; none when it never did.
    pub(crate) fn load(&self, chain: u64, stride: usize, points: usize, dim: usize) -> Result<Option<Saved>> {
        let path = self.directory.join(state_name(chain));
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(&path, "read the checkpoint", &e)),
        };
        let owner = Owner { fingerprint: self.fingerprint, chain, segments: 0 };
        let mut saved = restored_state(&bytes, owner, stride, points).map_err(|error| error.in_file(&path))?;
        for segment in 0..saved.segments {
            let path = self.directory.join(segment_name(chain, segment));
            let bytes = read(&path).map_err(|e| Error::io(&path, "read the checkpoint", &e))?;
            let owner = Owner { segments: segment, ..owner };
            let draws = restored_draws(&bytes, owner, points, dim).map_err(|error| error.in_file(&path))?;
            saved.draws.append(&draws);
        }
        Ok(Some(saved))
    }

    /// Writes a file whole or not at all; only what a run of mixgist wrote is replaced.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.directory.join(name);
        check_own(&path)?;
        write_bytes(&path, bytes, Overwrite::Force).map_err(|error| error.hint(RESUMABLE))
    }
}

const RESUMABLE: &str = "earlier checkpoints are whole: once there is room and permission, resume from them";

/// The bytes of a file. Pipes and devices, which may have no end, are refused.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    match fs::metadata(path)?.is_file() {
        true => fs::read(path),
        false => Err(std::io::Error::other("it is not a regular file")),
    }
}

/// Refuses a place that something else has taken.
fn check_own(path: &Path) -> Result<()> {
    let in_the_way = |what: &str| {
        Err(Error::new(ErrorKind::Io, format!("is {what}, it is left as it is")).in_file(path).hint(RESUMABLE))
    };
    match path.symlink_metadata() {
        Err(_) => Ok(()), // nothing there, or nothing that can be looked at: writing tells
        Ok(metadata) if metadata.is_symlink() => in_the_way("a link"),
        Ok(metadata) if !metadata.is_file() => in_the_way("no file of a checkpoint"),
        Ok(_) => {
            let mut start = Vec::new();
            let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
            if read.is_ok() && is_checkpoint(&start) { Ok(()) } else { in_the_way("no file of a checkpoint") }
        }
    }
}

/// Two processes must not write the same run. A file `lock` that is there already is used as it is.
fn lock(directory: &Path) -> Result<File> {
    let path = directory.join("lock");
    let failed = |e: std::io::Error| Error::io(&path, "write the checkpoint", &e).hint(RESUMABLE);
    let file = match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => {
            return Err(Error::new(ErrorKind::Io, "is no file of a checkpoint, it is left as it is").in_file(&path));
        }
        Ok(_) => File::options().write(true).open(&path),
        Err(_) => File::options().write(true).create_new(true).open(&path),
    };
    let file = file.map_err(failed)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::usage("another process is running with this checkpoint directory")
            .in_file(directory)
            .hint("wait for it, or choose another directory")),
        // some file systems know no locks: then there is none to respect
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn state_name(chain: u64) -> String {
    format!("chain-{chain}.state")
}

fn segment_name(chain: u64, segment: u64) -> String {
    format!("chain-{chain}.draws-{segment}")
}

/// What `run` holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    data_sum: u64,
    settings: String,
}

/// Which run and chain a record belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Owner {
    fingerprint: u64,
    chain: u64,
    /// Files with draws so far, or the number of this one.
    segments: u64,
}

impl Owner {
    /// Checks that a record belongs to this run and chain.
    fn expect(self, found: Owner) -> Result<()> {
        if found.fingerprint != self.fingerprint {
            return Err(Error::input("the checkpoint belongs to another run"));
        }
        if found.chain != self.chain {
            return Err(Error::input("the checkpoint belongs to another chain"));
        }
        Ok(())
    }
}

/// What a chain goes on from, and the position of its random stream.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StateRecord {
    seed: [u8; 32],
    stream: u64,
    position: u128,
    sweeps: u64,
    alpha: f64,
    labels: Vec<u32>,
    statistics: Vec<f64>,
    positions: Vec<u32>,
    scales: Option<Scales>,
    sticks: Option<u32>,
}

impl StateRecord {
    pub(crate) fn new(state: &State, sticks: Option<usize>, rng: &ChaCha8Rng) -> Self {
        StateRecord {
            seed: rng.get_seed(),
            stream: rng.get_stream(),
            position: rng.get_word_pos(),
            sweeps: state.sweeps,
            alpha: state.alpha,
            labels: state.clusters.labels.clone(),
            statistics: state.clusters.statistics.clone(),
            positions: state.positions.clone(),
            scales: state.scales.clone(),
            sticks: sticks.map(|sticks| sticks as u32),
        }
    }

    /// The state, if it is one of `points` points with statistics of `stride` numbers.
    pub(crate) fn restore(self, stride: usize, points: usize) -> Option<(State, Option<usize>, ChaCha8Rng)> {
        let mut rng = <ChaCha8Rng as rand::SeedableRng>::from_seed(self.seed);
        rng.set_stream(self.stream);
        rng.set_word_pos(self.position);
        let clusters = Clusters::restored(self.labels, self.statistics, stride)?;
        let within = |&position: &u32| self.sticks.is_some_and(|sticks| position < sticks);
        let sound = clusters.points() == points
            && self.positions.iter().all(within)
            && self.sticks.is_none_or(|sticks| (1..=MAX_STICKS).contains(&(sticks as usize)))
            && self.alpha.is_finite()
            && (self.positions.is_empty() || self.positions.len() == clusters.len());
        let state =
            State { clusters, alpha: self.alpha, positions: self.positions, scales: self.scales, sweeps: self.sweeps };
        sound.then_some((state, self.sticks.map(|sticks| sticks as usize), rng))
    }
}

/// The settings that the run was begun with, if these are the same but for the number of iterations.
fn compare_run(bytes: &[u8], settings: &str, data_sum: u64) -> Result<String> {
    let saved: RunRecord = decode(bytes)?;
    let differs = |what: String| {
        Err(Error::usage(what).hint(
            "resume with the data and settings of the run (only the number of iterations may be larger), or start a new one elsewhere",
        ))
    };
    let lasting = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.trim_start().starts_with("iterations: ")).map(str::to_owned).collect()
    };
    let (before, now) = (lasting(&saved.settings), lasting(settings));
    let mut lines = before.iter().zip(&now);
    if let Some((before, now)) = lines.find(|(before, now)| before != now) {
        return differs(format!(
            "the run was started with other settings: '{}' then, '{}' now",
            before.trim(),
            now.trim()
        ));
    }
    if before != now {
        return differs("the run was started with other settings".into());
    }
    if saved.data_sum != data_sum {
        return differs("the run was started with other data".into());
    }
    Ok(saved.settings)
}

fn restored_state(bytes: &[u8], owner: Owner, stride: usize, points: usize) -> Result<Saved> {
    let (found, record): (Owner, StateRecord) = decode(bytes)?;
    owner.expect(found)?;
    let (state, sticks, rng) = record.restore(stride, points).ok_or_else(damaged)?;
    Ok(Saved { state, rng, draws: ChainDraws::default(), sticks, segments: found.segments })
}

fn restored_draws(bytes: &[u8], owner: Owner, points: usize, dim: usize) -> Result<ChainDraws> {
    let (found, draws): (Owner, ChainDraws) = decode(bytes)?;
    owner.expect(found)?;
    if found.segments == owner.segments && draws.is_sound(points, dim) { Ok(draws) } else { Err(damaged()) }
}

/// Reads a record as each kind of file, whatever it is.
pub(crate) fn take_apart(body: &[u8]) {
    let (points, dim) = (3, 2);
    let _ = record::decode::<RunRecord>(body);
    let _ = record::decode_body::<RunRecord>(body);
    if let Ok((_, state)) = record::decode_body::<(Owner, StateRecord)>(body) {
        let _ = state.restore(6, points);
    }
    if let Ok((_, draws)) = record::decode_body::<(Owner, ChainDraws)>(body)
        && draws.is_sound(points, dim)
    {
        let mut all = ChainDraws::default();
        all.append(&draws);
        let _ = crate::draws::ensemble(&[all, draws], dim);
    }
}
