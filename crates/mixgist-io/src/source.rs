//! Opening what is to be read: regular files only, and no more memory than was agreed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mixgist::printable::printable_line;
use mixgist::{Error, Result};

use crate::draws::ReadOptions;
use crate::format::Format;

/// A regular file that is open for reading, with its length.
pub(crate) struct Source {
    pub file: File,
    pub bytes: u64,
}

impl Source {
    /// Opens a file. Directories, pipes and devices are refused, because they have no length to hold promises against.
    pub fn open(path: &Path) -> Result<Self> {
        let metadata = std::fs::metadata(path).map_err(|cause| Error::io(path, "open", &cause))?;
        if metadata.is_dir() {
            return Err(Error::input("is a directory, expected a file")
                .as_system(std::io::ErrorKind::IsADirectory)
                .in_file(path));
        }
        if !metadata.is_file() {
            return Err(Error::input("is not a regular file").in_file(path).hint("save the stream to a file first"));
        }
        if metadata.len() == 0 {
            return Err(Error::input("is empty").in_file(path));
        }
        let file = File::open(path).map_err(|cause| Error::io(path, "open", &cause))?;
        Ok(Source { file, bytes: metadata.len() })
    }

    /// All of it.
    pub fn into_bytes(self, path: &Path, budget: &mut Budget) -> Result<Vec<u8>> {
        budget.take("the file", self.bytes)?;
        let mut bytes = Vec::new();
        self.file.take(self.bytes).read_to_end(&mut bytes).map_err(|cause| Error::io(path, "read", &cause))?;
        Ok(bytes)
    }
}

/// The bytes of a regular file that fits into memory.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut budget = Budget::new(&crate::memory::reading());
    Source::open(path)?.into_bytes(path, &mut budget).map_err(|error| error.in_file(path))
}

/// A switch that stops a reader from another thread; all clones are one switch.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the reader to stop.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether a text file may have been cut off: its last line does not end. Files of other formats know where they end.
pub fn may_be_cut_off(path: &Path, format: Option<Format>) -> bool {
    let last_byte = || -> std::io::Result<u8> {
        let mut file = File::open(path)?;
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        Ok(last[0])
    };
    let is_text =
        matches!(Format::choose(format, path), Ok(Format::Csv | Format::WideCsv | Format::StanCsv | Format::Premium));
    is_text && last_byte().is_ok_and(|c| c != b'\n')
}

/// How many bytes of numbers may still be read, and whether anybody still wants them.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    limit: u64,
    left: u64,
    stop: Stop,
}

impl Budget {
    pub fn new(options: &ReadOptions) -> Self {
        Budget { limit: options.memory_limit, left: options.memory_limit, stop: options.stop.clone() }
    }

    /// An error once the reading was stopped.
    pub fn go_on(&self) -> Result<()> {
        if self.stop.is_asked() { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// Says that `bytes` for `what` would not fit, if so.
    pub fn fits(&self, what: &str, bytes: u64) -> Result<()> {
        self.clone().take(what, bytes)
    }

    /// Says that the whole covariances of so many atoms would not fit, if so: files may hold one for all, or one number for each.
    pub fn fits_covariances(&self, dim: usize, atoms: usize) -> Result<()> {
        let numbers = (dim as u64).saturating_mul(dim as u64).saturating_mul(atoms as u64);
        self.fits("the covariance of every atom", numbers.saturating_mul(8))
    }

    /// Sets `bytes` aside for `what`, or says that they do not fit.
    pub fn take(&mut self, what: &str, bytes: u64) -> Result<()> {
        self.go_on()?;
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            Error::resource(format!("{what} needs {}, the memory limit is {}", size_text(bytes), size_text(self.limit)))
                .hint("save fewer draws (thin them), or raise the memory limit")
        })?;
        Ok(())
    }
}

/// A number of bytes for people.
pub(crate) fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (bytes.max(1).ilog2() / 10) as usize;
    match power {
        0 => format!("{bytes} bytes"),
        _ => format!("{:.1} {}", bytes as f64 / (1u64 << (10 * power)) as f64, UNITS[power]),
    }
}

/// Text from a file as messages show it: cut to a length that fits, and without what would steer a terminal.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", printable_line(&text[..end])),
        None => printable_line(text).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(size_text(0), "0 bytes");
        assert_eq!(size_text(1023), "1023 bytes");
        assert_eq!(size_text(1536), "1.5 KiB");
        assert_eq!(size_text(u64::MAX), "16.0 EiB");
    }

    #[test]
    fn messages_show_text_that_is_safe_to_print() {
        assert_eq!(shown("a b"), "a b");
        assert_eq!(shown("\u{1b}[31m\n\u{202e}"), "\\u{1b}[31m\\n\\u{202e}");
        assert_eq!(shown(&"é".repeat(101)), format!("{}…", "é".repeat(100)));
    }

    #[test]
    fn the_budget_runs_out() {
        let options = ReadOptions { memory_limit: 100, ..ReadOptions::default() };
        let mut budget = Budget::new(&options);
        budget.take("a", 60).unwrap();
        let error = budget.take("array 'b'", 60).unwrap_err();
        assert_eq!(error.to_string(), "array 'b' needs 60 bytes, the memory limit is 100 bytes");
        budget.take("c", 40).unwrap();
        options.stop.ask();
        assert_eq!(budget.take("d", 0).unwrap_err().kind(), mixgist::ErrorKind::Interrupted);
    }

    #[test]
    fn a_last_line_that_does_not_end_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for (text, cut) in [("1\n2", true), ("1\n2\n", false), ("1\r\n", false), ("", false)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(may_be_cut_off(&path, None), cut, "{text:?}");
            assert_eq!(may_be_cut_off(&path, Some(Format::WideCsv)), cut, "{text:?}");
            assert!(!may_be_cut_off(&path, Some(Format::Npy)));
        }
    }
}
