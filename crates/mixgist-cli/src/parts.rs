//! Parts of a summary: the first pass over some of the slices, in a file, and whoever answers from such files.
//!
//! A run that makes a part does what any run does until it asks its first question of the slices. It answers that for the pieces that begin in its range,
//! and ends. Whoever combines parts does what any run does; the first question is answered by the parts, and all others, which depend on that answer,
//! are worked on there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use mixgist::{
    Desk, Ensemble, Error, Posterior, Progress, Result, Settings, Silent, SliceAnswer, SliceJob, Source, SourceFile,
    Workers,
};
use mixgist_io::{Overwrite, default_reading, read_bytes, write_bytes};
use serde::{Deserialize, Serialize};

/// How a file of this kind begins, with the version of its form.
const MAGIC: &[u8] = b"mixgist part 1\n";

/// A part of a summary.
#[derive(Serialize, Deserialize)]
pub struct Part {
    /// Version of mixgist that made it.
    version: String,
    /// The command line, without the name of the program.
    pub arguments: Vec<String>,
    /// Settings and files as documents.
    settings: String,
    source: String,
    /// What tells the draws from others.
    fingerprint: u64,
    /// Number of slices in all, and those of this part.
    slices: usize,
    range: (usize, usize),
    /// The question, put to no piece.
    job: SliceJob<'static>,
    pieces: Vec<Vec<usize>>,
    answer: SliceAnswer,
}

/// What a part belongs to.
pub struct Whole<'a> {
    /// The settings.
    pub settings: &'a Settings,
    /// The files.
    pub source: &'a Source,
    /// The draws.
    pub ensemble: &'a Ensemble,
}

/// Reads `a:b`.
pub fn slice_range(text: &str) -> std::result::Result<Range<usize>, String> {
    let parsed = text.split_once(':').and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    let range: Range<usize> = parsed.ok_or("expected two numbers, such as 0:250")?;
    if range.is_empty() { Err("the range is empty: its end is not counted".into()) } else { Ok(range) }
}

/// Answers the first question for the pieces that begin in a range of slices, and then ends the run.
pub struct Recorder {
    desk: Desk,
    range: Range<usize>,
    found: Mutex<Option<Found>>,
}

/// A question, the pieces that it was put to, and their answer.
type Found = (SliceJob<'static>, Vec<Vec<usize>>, SliceAnswer);

impl Recorder {
    pub fn new(ensemble: &Ensemble, range: Range<usize>) -> Self {
        let desk = Desk::new(ensemble.clone(), rayon::current_num_threads());
        Recorder { desk, range, found: Mutex::new(None) }
    }

    /// Whether there is something to write.
    pub fn is_done(&self) -> bool {
        self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).is_some()
    }

    /// What was found, as a part.
    pub fn into_part(self, whole: &Whole, slices: usize) -> Result<Part> {
        let found = self.found.into_inner().unwrap_or_default();
        let (job, pieces, answer) =
            found.ok_or_else(|| Error::usage("there is no work on slices to cut into parts"))?;
        Ok(Part {
            version: env!("CARGO_PKG_VERSION").into(),
            arguments: arguments()?,
            settings: as_text(whole.settings)?,
            source: as_text(whole.source)?,
            fingerprint: whole.ensemble.plain().fingerprint(),
            slices,
            range: (self.range.start, self.range.end),
            job,
            pieces,
            answer,
        })
    }
}

impl Workers for Recorder {
    fn answer(
        &self,
        jobs: &[SliceJob<'_>],
        progress: &dyn Progress,
        _: &mut dyn FnMut(SliceAnswer) -> Result<()>,
    ) -> Result<()> {
        let Some(first) = jobs.first() else { return Err(done()) };
        let all = jobs.iter().flat_map(|job| job.pieces());
        let pieces: Vec<Vec<usize>> = all.filter(|piece| self.range.contains(&piece[0])).cloned().collect();
        let mut answers = Vec::with_capacity(pieces.len());
        for piece in &pieces {
            progress.check()?;
            answers.push(self.desk.reply(first.about(vec![piece.clone()]).into_owned())?);
            progress.advance(piece.len() as u64);
        }
        let found = (first.about(Vec::new()).into_owned(), pieces, SliceAnswer::join(answers));
        *self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(found);
        Err(done())
    }

    fn most_jobs(&self) -> usize {
        1
    }
}

/// What ends a run once its part is found; nobody sees it.
fn done() -> Error {
    Error::usage("the part is found")
}

impl Part {
    /// Writes it, with a checksum at the end.
    pub fn write(&self, path: &Path, overwrite: Overwrite) -> Result<()> {
        let body = self.body().map_err(|error| error.in_file(path))?;
        write_bytes(path, &[MAGIC, &body, &checksum(&body).to_le_bytes()].concat(), overwrite)
    }

    fn body(&self) -> Result<Vec<u8>> {
        postcard::to_allocvec(self).map_err(|cause| Error::resource(format!("the part cannot be written: {cause}")))
    }

    pub fn read(path: &Path) -> Result<Self> {
        let bytes = read_bytes(path)?;
        let Some(body) = bytes.strip_prefix(MAGIC) else {
            return Err(Error::input("is no part of a summary")
                .in_file(path)
                .hint("parts are made by 'mixgist summarize --slice-range'"));
        };
        let damaged = || Error::input("is damaged or was cut off").in_file(path).hint("make this part again");
        let (body, sum) = body.split_last_chunk::<8>().ok_or_else(damaged)?;
        if u64::from_le_bytes(*sum) != checksum(body) {
            return Err(damaged());
        }
        Part::from_body(body).map_err(|error| error.in_file(path))
    }

    fn from_body(body: &[u8]) -> Result<Self> {
        let part: Part = postcard::from_bytes(body)
            .map_err(|_| Error::input("was made by another version of mixgist").hint("make this part again"))?;
        if part.version != env!("CARGO_PKG_VERSION") {
            let (theirs, own) = (&part.version, env!("CARGO_PKG_VERSION"));
            return Err(Error::input(format!("was made by version {theirs} of mixgist, this is {own}"))
                .hint("make all parts and combine them with one version"));
        }
        Ok(part)
    }

    /// Refuses a part that belongs to another summary than the first one.
    fn fits(&self, first: &Part, path: &Path, first_path: &Path) -> Result<()> {
        let other = |what: &str| {
            Err(Error::input(format!("has {what} than {}", first_path.display()))
                .in_file(path)
                .hint("combine parts of one summary: the same draws and options, but for --slice-range"))
        };
        if self.fingerprint != first.fingerprint {
            return other("other draws");
        }
        if self.settings != first.settings || self.slices != first.slices || !self.job.asks_the_same(&first.job) {
            return other("other settings");
        }
        let contents = |part: &Part| -> Option<Vec<(u64, u32)>> {
            let source: Source = serde_json::from_str(&part.source).ok()?;
            let Source { data, directions, candidate, .. } = source;
            let of = |file: &Option<SourceFile>| file.as_ref().map_or((0, 0), |file| (file.bytes, file.crc32));
            Some([&data, &directions, &candidate].map(of).to_vec())
        };
        if contents(self) != contents(first) { other("other data or another candidate") } else { Ok(()) }
    }
}

/// All parts of a summary, and the rest of the work.
pub struct Combined {
    paths: Vec<PathBuf>,
    first: Part,
    /// The answer of each piece, by its first slice.
    answers: BTreeMap<usize, (Vec<usize>, SliceAnswer)>,
}

impl Combined {
    /// Reads parts, in any order; missing, doubled and foreign ones are refused by name.
    pub fn read(paths: &[PathBuf]) -> Result<Self> {
        let parts: Result<_> = paths.iter().map(|path| Ok((path, Part::read(path)?))).collect();
        Combined::of(parts?)
    }

    fn of(mut parts: Vec<(&PathBuf, Part)>) -> Result<Self> {
        let paths = parts.iter().map(|(path, _)| path.to_path_buf()).collect();
        let (first_path, first) = parts.first().ok_or_else(|| Error::usage("there are no parts"))?;
        for (path, part) in &parts[1..] {
            part.fits(first, path, first_path)?;
        }
        let slices = first.slices;
        parts.sort_by_key(|(_, part)| part.range);
        let mut covered = 0;
        let mut before: Option<&PathBuf> = None;
        let missing = |from: usize, to: usize| {
            Error::input(format!("slices {from}:{to} are missing: no part has them"))
                .hint(format!("make it: mixgist summarize ... --slice-range {from}:{to} -o PART"))
        };
        for (path, part) in &parts {
            let (start, end) = part.range;
            if start > covered {
                return Err(missing(covered, start));
            }
            if let Some(before) = before.filter(|_| start < covered) {
                return Err(Error::input(format!(
                    "slices {start}:{} are in {} too",
                    covered.min(end),
                    before.display()
                ))
                .in_file(path)
                .hint("give every slice once"));
            }
            (covered, before) = (end, Some(*path));
        }
        if covered < slices {
            return Err(missing(covered, slices));
        }
        let mut answers = BTreeMap::new();
        let mut first = None;
        for (_, mut part) in parts {
            let pieces = std::mem::take(&mut part.pieces);
            let apart = std::mem::take(&mut part.answer).apart();
            for (piece, answer) in pieces.into_iter().zip(apart).filter(|(piece, _)| !piece.is_empty()) {
                answers.insert(piece[0], (piece, answer));
            }
            first.get_or_insert(part);
        }
        let first = first.expect("there is a part");
        Ok(Combined { paths, first, answers })
    }

    /// The command line that made the parts.
    pub fn arguments(&self) -> &[String] {
        &self.first.arguments
    }

    /// The paths of the parts.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Workers who answer from the parts, and else work here; the draws and settings must be those of the parts.
    pub fn workers(&self, whole: &Whole) -> Result<impl Workers + '_> {
        let changed = |what: &str| {
            Error::input(format!("{what} have changed since {} was made", self.paths[0].display()))
                .hint("make the parts again")
        };
        if whole.ensemble.plain().fingerprint() != self.first.fingerprint {
            return Err(changed("the draws"));
        }
        if as_text(whole.settings)? != self.first.settings {
            return Err(changed("the settings"));
        }
        Ok(Answering { parts: self, desk: Desk::new(whole.ensemble.clone(), rayon::current_num_threads()) })
    }
}

struct Answering<'a> {
    parts: &'a Combined,
    desk: Desk,
}

impl Workers for Answering<'_> {
    fn answer(
        &self,
        jobs: &[SliceJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(SliceAnswer) -> Result<()>,
    ) -> Result<()> {
        for job in jobs {
            progress.check()?;
            if !job.asks_the_same(&self.parts.first.job) {
                take(self.desk.reply(job.clone().into_owned())?)?;
                continue;
            }
            for piece in job.pieces() {
                let known = self.parts.answers.get(&piece[0]).filter(|(slices, _)| slices == piece);
                let unknown = || Error::input("the parts do not hold what this version of mixgist asks for");
                take(known.ok_or_else(|| unknown().hint("make the parts again"))?.1.clone())?;
            }
        }
        Ok(())
    }

    fn most_jobs(&self) -> usize {
        usize::MAX
    }
}

/// The body of the part that has all slices, and what becomes of such a body when it is combined: for the fuzz targets.
#[doc(hidden)]
pub fn part_body(ensemble: &Ensemble, settings: &Settings) -> Result<Vec<u8>> {
    let slices = settings.slice_count(ensemble.dim())?;
    let recorder = Recorder::new(ensemble, 0..slices);
    let ended =
        Posterior::new(ensemble, None, settings.clone())?.with_workers(Some(&recorder)).summary(&Silent).map(drop);
    debug_assert!(ended.is_err());
    recorder.into_part(&Whole { settings, source: &no_files(), ensemble }, slices)?.body()
}

fn no_files() -> Source {
    Source { draws: Vec::new(), reading: default_reading(), data: None, directions: None, candidate: None }
}

#[doc(hidden)]
pub fn combine_body(body: &[u8], ensemble: &Ensemble, settings: &Settings) -> Result<()> {
    let path = PathBuf::from("a.part");
    let parts = Combined::of(vec![(&path, Part::from_body(body)?)])?;
    let _ = crate::summarize_again(parts.arguments());
    let workers = parts.workers(&Whole { settings, source: &no_files(), ensemble })?;
    Posterior::new(ensemble, None, settings.clone())?.with_workers(Some(&workers)).summary(&Silent).map(drop)
}

fn as_text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|cause| Error::resource(format!("cannot be written: {cause}")))
}

/// The arguments of this process.
fn arguments() -> Result<Vec<String>> {
    let text = |argument: std::ffi::OsString| {
        argument.into_string().map_err(|name| {
            Error::usage(format!("'{}' is not valid Unicode, and cannot stand in a part", name.display()))
                .hint("rename the file")
        })
    };
    std::env::args_os().skip(1).map(text).collect()
}

/// 64-bit FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
