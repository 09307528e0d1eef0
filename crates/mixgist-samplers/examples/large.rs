//! Five separated clusters of many points: how many each chain holds, from one cluster and from twenty, and what an iteration costs.
//!
//! `cargo run --release -p mixgist-samplers --example large -- 10000000 2 [iterations [threads [chains]]]`
//!
//! Times are processor time of all threads together and time by the clock. Chain 0 starts with one cluster, chain 1 with twenty.

use std::sync::Mutex;
use std::time::Instant;

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{Error, Progress, Result};
use mixgist_samplers::{FitSettings, fit};

/// n points of five normal clusters of equal size, in an order that mixes them; neighbours are eight standard deviations apart in each coordinate.
fn clusters(n: usize, d: usize) -> Vec<f64> {
    let mut values = vec![0.0; n * d];
    standard_normals(&mut stream(1, Purpose::Simulation, 0), &mut values);
    for (i, point) in values.chunks_exact_mut(d).enumerate() {
        let cluster = i % 5;
        point.iter_mut().enumerate().for_each(|(j, x)| *x += 8.0 * ((cluster * (j + 1)) % 5) as f64);
    }
    values
}

/// Prints every report of a chain with the time since the last one.
struct Reports(Mutex<Instant>);

impl Progress for Reports {
    fn remark(&self, text: &str) {
        let mut last = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        println!("{text}; {:.2} s", last.elapsed().as_secs_f64());
        *last = Instant::now();
    }
}

/// Seconds of processor time of this process, where the system tells.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let numbers: Vec<f64> = stat.rsplit(')').next().unwrap_or("").split(' ').filter_map(|x| x.parse().ok()).collect();
    // user and system time in hundredths of a second, counted behind the state
    numbers.get(10).zip(numbers.get(11)).map_or(f64::NAN, |(user, system)| (user + system) / 100.0)
}

fn main() -> Result<()> {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let [n, d, iterations, threads, chains] = [1_000_000, 2, 200, 1, 2]
        .iter()
        .enumerate()
        .map(|(i, usual)| *given.get(i).unwrap_or(usual))
        .collect::<Vec<_>>()[..]
    else {
        return Err(Error::usage("expected: n, d, iterations, threads, chains"));
    };
    let data = clusters(n, d);
    let settings = FitSettings::default()
        .with_chains(chains as u32)
        .with_iterations(iterations as u64)
        .with_burn_in(iterations as u64 - 1)
        .with_thin(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|cause| Error::resource(cause.to_string()))?;
    let (start, before) = (Instant::now(), processor_seconds());
    let fitted = pool.install(|| fit(&data, d, &settings, None, &Reports(Mutex::new(start))))?;
    let sweeps = (iterations * chains) as f64;
    println!(
        "n = {n}, d = {d}, {threads} threads: clusters {:?}; per iteration {:.3} s of processor time, {:.3} s by the clock",
        fitted.traces.clusters.concat(),
        (processor_seconds() - before) / sweeps,
        start.elapsed().as_secs_f64() / sweeps
    );
    Ok(())
}
