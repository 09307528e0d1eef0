//! The same bits elsewhere: the shared cases on other processors, by emulation, beside this one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{root, run};

/// Runs the shared cases here, on x86-64 without AVX and on aarch64, and tells what differs.
pub fn bits() -> Result<(), String> {
    let native = answers("native", &[], &[])?;
    if is_there("qemu-x86_64") {
        // The processor is chosen when the program runs: this one has SSE4.2 and nothing newer.
        let runner = ("MIXGIST_RUNNER", "qemu-x86_64 -cpu Nehalem");
        let plain = answers("plain-library", &[], &[PLAIN_LIBRARY])?;
        let library = compare(&native, &plain)?;
        library.tell("a C library that does not use newer instructions");
        let difference = compare(&plain, &answers("without-avx", &[], &[runner])?)?;
        difference.tell("x86-64 without AVX, beside that");
        if !library.words.is_empty() {
            return Err("choices or words differ with another code of the C library".into());
        }
        if difference.differing > 0 || !difference.words.is_empty() {
            return Err("answers differ without AVX".into());
        }
    } else {
        println!("SKIPPED: x86-64 without AVX needs qemu-x86_64 (Debian's qemu-user)");
    }
    let (target, linker) = ("aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc");
    if !is_there("qemu-aarch64") || !is_there(linker) {
        println!("SKIPPED: aarch64 needs qemu-aarch64 (Debian's qemu-user) and {linker} (gcc-aarch64-linux-gnu)");
        return Ok(());
    }
    run(Command::new("rustup").args(["target", "add", target]))?;
    let emulator = "qemu-aarch64 -L /usr/aarch64-linux-gnu";
    let settings = [
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", linker),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", emulator),
        ("MIXGIST_RUNNER", emulator),
    ];
    let difference =
        compare(&native, &answers("aarch64", &["--target", target, "--target-dir", "target/aarch64"], &settings)?)?;
    difference.tell("aarch64");
    // Its mathematical library may round the last digits otherwise; what is chosen and said must be the same.
    if difference.words.is_empty() { Ok(()) } else { Err("choices or words differ on aarch64".into()) }
}

/// glibc has `exp`, `ln` and others twice, with fused multiply-add and without, and chooses by the processor; their last digits differ. What our own
/// code does is seen when the emulated processor and this one take the same.
const PLAIN_LIBRARY: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable");

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The answers to all shared cases, in a folder under `target/bits`.
fn answers(name: &str, options: &[&str], settings: &[(&str, &str)]) -> Result<PathBuf, String> {
    let folder = root().join("target/bits").join(name);
    let _ = std::fs::remove_dir_all(&folder); // that of an earlier run
    run(Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--package", "mixgist-cli", "--test", "cases"])
        .args(options)
        .envs(settings.iter().copied())
        .env("MIXGIST_ANSWERS", &folder))?;
    Ok(folder)
}

/// What two sets of answers have not in common.
#[derive(Default)]
struct Difference {
    answers: usize,
    numbers: usize,
    differing: usize,
    /// The largest difference relative to the number, and where it is.
    largest: (f64, String),
    /// Words and whole numbers that differ, with their place.
    words: Vec<String>,
}

impl Difference {
    fn tell(&self, where_from: &str) {
        println!(
            "{where_from}: {} answers, {} numbers, {} of them differ, {} words or whole numbers differ",
            self.answers,
            self.numbers,
            self.differing,
            self.words.len()
        );
        if self.differing > 0 {
            println!("  largest relative difference {:.1e}: {}", self.largest.0, self.largest.1);
        }
        self.words.iter().take(20).for_each(|word| println!("  {word}"));
    }
}

fn compare(one: &Path, other: &Path) -> Result<Difference, String> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|cause| format!("{}: {cause}", path.display()));
    let entries = std::fs::read_dir(one).map_err(|cause| format!("{}: {cause}", one.display()))?;
    let mut difference = Difference::default();
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        difference.add(&name, &read(&path)?, &read(&other.join(&name))?);
    }
    if difference.answers == 0 { Err("there are no answers to compare".into()) } else { Ok(difference) }
}

impl Difference {
    /// Compares two answers line by line, as JSON is printed with one value in a line.
    fn add(&mut self, name: &str, one: &str, other: &str) {
        self.answers += 1;
        if one.lines().count() != other.lines().count() {
            self.words.push(format!("{name}: {} lines and {}", one.lines().count(), other.lines().count()));
        }
        for (number, (a, b)) in one.lines().zip(other.lines()).enumerate() {
            let value = |line: &str| line.rsplit(": ").next().unwrap_or("").trim().trim_end_matches(',').to_owned();
            let place = || format!("{name}:{}: {} and {}", number + 1, a.trim(), b.trim());
            // Checksums of files of draws tell no more than the draws themselves.
            if a.trim().starts_with("\"crc32\"") {
                continue;
            }
            match (value(a).parse::<f64>(), value(b).parse::<f64>()) {
                (Ok(x), Ok(y)) if value(a).contains(['.', 'e']) => {
                    self.numbers += 1;
                    self.differing += usize::from(x.to_bits() != y.to_bits());
                    let relative = (x - y).abs() / x.abs().max(y.abs()).max(f64::MIN_POSITIVE);
                    if relative > self.largest.0 {
                        self.largest = (relative, place());
                    }
                }
                _ if a != b => self.words.push(place()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_digits_and_words_are_told_apart() {
        let mut difference = Difference::default();
        difference.add("a", "{\n \"x\": 1.5,\n \"draw\": 3\n}", "{\n \"x\": 1.5000000000000002,\n \"draw\": 3\n}");
        assert_eq!((difference.numbers, difference.differing, difference.words.len()), (1, 1, 0));
        assert!(difference.largest.0 > 1e-16 && difference.largest.0 < 2e-16);
        difference.add("b", "{\n \"draw\": 3\n}", "{\n \"draw\": 4\n}");
        assert_eq!(difference.words, ["b:2: \"draw\": 3 and \"draw\": 4"]);
        difference.add("c", "{\n \"crc32\": 3\n}", "{\n \"crc32\": 4\n}");
        assert_eq!(difference.words.len(), 1);
    }
}
