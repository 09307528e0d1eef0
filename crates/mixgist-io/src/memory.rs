//! Whether a job fits into the memory that is free: asked before it starts, so that nothing is half done when it does not.

use mixgist::{Error, Result};

use crate::ReadOptions;

/// Refuses a job that needs more memory than there is; `remedy` is told how much there is and says what would fit.
///
/// Where the system does not tell, nothing is refused.
pub fn require(bytes: u64, what: &str, remedy: impl FnOnce(u64) -> String) -> Result<()> {
    match available() {
        Some(free) if bytes > free => Err(Error::resource(format!(
            "{what} needs {} of memory, {} are available",
            byte_size(bytes),
            byte_size(free)
        ))
        .hint(remedy(free))),
        _ => Ok(()),
    }
}

/// More threads than this stall a machine before they do any work.
pub const MOST_THREADS: u16 = 1024;

/// How a file is read so that it fits: at most a quarter of the free memory for its numbers, because the peak is some four
/// times that.
pub fn reading() -> ReadOptions {
    let options = ReadOptions::default();
    let limit = available().map_or(options.memory_limit, |free| options.memory_limit.min(free / 4));
    ReadOptions { memory_limit: limit, ..options }
}

/// Bytes that a new job can take without swapping, on Linux.
pub fn available() -> Option<u64> {
    mem_available(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn mem_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// "3.2 GB".
pub fn byte_size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        1_000_000_000..1_000_000_000_000 => (1e9, "GB"),
        _ => (1e12, "TB"),
    };
    format!("{:.1} {name}", bytes as f64 / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        assert_eq!((byte_size(12_345), byte_size(3_200_000_000)), ("12.3 kB".into(), "3.2 GB".into()));
    }

    #[test]
    fn the_line_of_the_kernel_is_understood() {
        let text = "MemTotal:       24098152 kB\nMemFree:  18 kB\nMemAvailable:   23812340 kB\n";
        assert_eq!(mem_available(text), Some(23_812_340 * 1024));
        assert_eq!(mem_available("MemFree: 3 kB\n"), None);
        assert_eq!(mem_available("MemAvailable: many kB\n"), None);
    }

    #[test]
    fn what_cannot_fit_is_refused_with_a_remedy() {
        assert!(require(0, "nothing", |_| String::new()).is_ok());
        if available().is_some() {
            let error = require(u64::MAX, "the matrix", |_| "use --thin 9".into()).unwrap_err();
            assert!(error.to_string().starts_with("the matrix needs 18446744.1 TB of memory, "), "{error}");
            assert_eq!(error.hint_text(), Some("use --thin 9"));
        }
    }
}
