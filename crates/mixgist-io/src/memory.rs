//! Whether a job fits into the memory that is free: asked before it starts, so that nothing is half done when it does not.

use mixgist::{Error, Result, Text};

use crate::ReadOptions;

/// Refuses a job that needs more memory than there is; `remedy` is told how much there is and says what would fit.
///
/// Where the system does not tell, nothing is refused.
pub fn require(bytes: u64, what: &str, remedy: impl FnOnce(u64) -> Text) -> Result<()> {
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

/// Address space that the program, its libraries and the allocator reserve beside what a job asks for, and what each thread adds to it. Sixteen
/// threads and more share.
const ROOM: u64 = 384 << 20;
const ROOM_PER_THREAD: u64 = 64 << 20;

/// Refuses to start where the address space is limited so far (`ulimit -v`) that an allocation within a library could fail: that would end the
/// program in the middle.
pub fn require_room(threads: usize) -> Result<()> {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let needed = ROOM + ROOM_PER_THREAD * threads.min(16) as u64;
    match soft_limit(&limits, ADDRESS_SPACE) {
        Some(limit) if limit < needed => Err(Error::resource(format!(
            "the address space of the process is limited to {} (ulimit -v), {threads} threads need at least {}",
            byte_size(limit),
            byte_size(needed)
        ))
        .hint(mixgist::text!["raise the limit, or use fewer ", mixgist::text::named("threads")])),
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

/// Bytes that a new job can take without swapping, on Linux: what is free, what the limits of the process leave (`ulimit -v` and `-d`), and
/// what those of its control groups leave (containers, batch systems), whichever is least.
pub fn available() -> Option<u64> {
    let file = |path: &str| std::fs::read_to_string(path).ok();
    let free = mem_available(&file("/proc/meminfo")?)?;
    let limits = file("/proc/self/limits").zip(file("/proc/self/status"));
    let of_process = limits.and_then(|(limits, status)| left_to_process(&limits, &status));
    let of_groups = file("/proc/self/cgroup").and_then(|groups| left_to_groups(&groups, &file));
    [Some(free), of_process, of_groups].into_iter().flatten().min()
}

fn mem_available(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo, "MemAvailable:")
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

const ADDRESS_SPACE: &str = "Max address space";

fn soft_limit(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok() // "unlimited" is no number
}

/// The least of what limits on address space and data leave, of those that are set. Of address space the threads that are still to start take
/// their part.
fn left_to_process(limits: &str, status: &str) -> Option<u64> {
    let left = |limit: &str, used: &str| Some(soft_limit(limits, limit)?.saturating_sub(kilobytes(status, used)?));
    let address_space = left(ADDRESS_SPACE, "VmSize:").map(|left| left.saturating_sub(2 * ROOM_PER_THREAD));
    let all = [address_space, left("Max data size", "VmData:")];
    all.into_iter().flatten().min()
}

/// The least of what the control groups leave that the process is in, directly or not. What files are cached counts as free.
fn left_to_groups(groups: &str, file: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |path: String| file(&path)?.trim().parse::<u64>().ok(); // "max" is no number
    let left = |folder: &str, most: &str, used: &str, cached: &str| {
        let most = number(format!("{folder}/{most}"))?;
        let used = number(format!("{folder}/{used}"))?;
        let cached = file(&format!("{folder}/memory.stat")).and_then(|stat| {
            stat.lines().find_map(|line| line.strip_prefix(cached)).and_then(|value| value.trim().parse::<u64>().ok())
        });
        Some(most.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
    };
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, [most, used, cached]) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file "]),
            names if names.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "])
            }
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            least = [least, left(&format!("{root}{path}"), most, used, cached)].into_iter().flatten().min();
            let Some(end) = path.rfind('/') else { break };
            path = &path[..end];
        }
    }
    least
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
    fn limits_of_the_process_count() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             unlimited            unlimited            bytes     \n\
                      Max address space         1000000000           unlimited            bytes     \n";
        let status = "VmPeak:\t  500 kB\nVmSize:\t  100000 kB\nVmData:\t  7 kB\n";
        assert_eq!(left_to_process(limits, status), Some(1_000_000_000 - 100_000 * 1024 - (128 << 20)));
        assert_eq!(left_to_process(&limits.replace("1000000000", "unlimited"), status), None);
        assert_eq!(left_to_process(&limits.replace("1000000000", "5"), status), Some(0));
    }

    #[test]
    fn limits_of_control_groups_count() {
        let file = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/job/memory.max" => "max",
                "/sys/fs/cgroup/memory.max" => "1000",
                "/sys/fs/cgroup/memory.current" => "600",
                "/sys/fs/cgroup/memory.stat" => "anon 100\ninactive_file 500\n",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes" => "300",
                "/sys/fs/cgroup/memory/a/memory.usage_in_bytes" => "100",
                _ => return None,
            };
            Some(text.to_owned())
        };
        assert_eq!(left_to_groups("0::/job/step\n", &file), Some(900));
        assert_eq!(left_to_groups("3:cpu:/a\n2:memory,x:/a/b\n", &file), Some(200));
        assert_eq!(left_to_groups("0::/\n", &|_| None), None);
    }

    #[test]
    fn what_cannot_fit_is_refused_with_a_remedy() {
        assert!(require(0, "nothing", |_| Text::default()).is_ok());
        if available().is_some() {
            let error = require(u64::MAX, "the matrix", |_| "use --thin 9".into()).unwrap_err();
            assert!(error.to_string().starts_with("the matrix needs 18446744.1 TB of memory, "), "{error}");
            assert_eq!(error.hint_text().unwrap().to_string(), "use --thin 9");
        }
    }
}
