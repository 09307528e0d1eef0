//! What is claimed about speed, measured: mixgist beside a peer in one run, and how the cost grows.
//!
//! `cargo xtask bench` builds this and runs it; timings are the best of a few runs on an otherwise idle machine.

mod couplings;
mod draws;
mod free;
mod growth;
mod held_out;
mod peer;
mod profile;
mod python;
mod r;
mod sampler;
mod turns;
mod users;

use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["peer", python] => peer::compare(python),
        ["python", interpreter] => python::compare(interpreter),
        ["r", rscript] => r::compare(rscript),
        ["growth"] => growth::page(),
        ["large"] => {
            growth::large();
        }
        ["couplings"] => couplings::table(),
        ["slices"] => users::slices(),
        ["profile"] => users::profile(None),
        ["profile", word] => users::profile(Some(word)),
        ["users"] => users::table(None),
        ["users", word] => users::table(Some(word)),
        ["sampler"] => sampler::page(None),
        ["sampler", rscript] => sampler::page(Some(rscript)),
        ["held-out"] => held_out::table(),
        ["free"] => free::large(),
        ["free", file] => free::from_file(file, None),
        ["free", file, data] => free::from_file(file, Some(data)),
        _ => {
            eprintln!(
                "usage: mixgist-bench peer PYTHON | python PYTHON | r RSCRIPT | growth | large | couplings | slices | users [WORD] | profile [WORD] | free [DRAWS [DATA]] | held-out | sampler [RSCRIPT]"
            );
            std::process::exit(2);
        }
    }
}

/// Seconds of the fastest of `runs` runs.
fn fastest(runs: usize, mut job: impl FnMut()) -> f64 {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            job();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

/// The machine in words: processor, instructions for vectors, cores and memory, as far as the system tells.
fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let (processor, memory) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
    let field = |text: &str, name: &str| -> Option<String> {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let mut words = vec![field(&processor, "model name").unwrap_or_else(|| "a processor without a name".to_owned())];
    let flags = field(&processor, "flags").unwrap_or_default();
    let widest = [("avx512f", "AVX-512"), ("avx2", "AVX2")].into_iter().find(|(flag, _)| flags.contains(flag));
    words.extend(widest.map(|(_, name)| name.to_owned()));
    words.push(format!("{} cores", std::thread::available_parallelism().map_or(1, usize::from)));
    let kilobytes = field(&memory, "MemTotal").and_then(|size| size.split_whitespace().next()?.parse::<f64>().ok());
    words.extend(kilobytes.map(|kilobytes| format!("{:.0} GB", kilobytes / 1e6)));
    format!("{} ({} {})", words.join(", "), std::env::consts::OS, std::env::consts::ARCH)
}

/// The most memory that this process has used so far, in GB, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1e6)
}
