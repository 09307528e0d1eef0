//! Opening what is to be read: regular files only, and no more memory than was agreed.

use std::fs::File;
use std::path::Path;

use mixgist::{Error, Result};

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
}

/// How many bytes of numbers may still be read.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    limit: u64,
    left: u64,
}

impl Budget {
    pub fn new(limit: u64) -> Self {
        Budget { limit, left: limit }
    }

    /// Sets `bytes` aside for `what`, or says that they do not fit.
    pub fn take(&mut self, what: &str, bytes: u64) -> Result<()> {
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
    let mut out: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
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
        assert_eq!(shown("\u{1b}[31m\n"), "\u{fffd}[31m\u{fffd}");
        assert_eq!(shown(&"é".repeat(101)), format!("{}…", "é".repeat(100)));
    }

    #[test]
    fn the_budget_runs_out() {
        let mut budget = Budget::new(100);
        budget.take("a", 60).unwrap();
        let error = budget.take("array 'b'", 60).unwrap_err();
        assert_eq!(error.to_string(), "array 'b' needs 60 bytes, the memory limit is 100 bytes");
        budget.take("c", 40).unwrap();
    }
}
