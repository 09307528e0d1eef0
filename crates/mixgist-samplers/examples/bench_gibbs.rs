//! Cost of an iteration: Old Faithful under the prior of the experiments, then growth with n and d.
//!
//! `cargo run --release -p mixgist-samplers --example bench_gibbs [-- growth]`

use std::hint::black_box;
use std::time::Instant;

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{Result, Silent};
use mixgist_samplers::{Algorithm, Scale, Settings, Truncation, fit};

fn main() -> Result<()> {
    let data = faithful();
    let (n, sticks) = (272, 100);
    for (name, algorithm) in [
        ("blocked", Algorithm::Blocked { truncation: Truncation::At(sticks) }),
        ("slice", Algorithm::Slice),
        ("marginal", Algorithm::Marginal),
    ] {
        let mut settings = Settings { algorithm, ..Settings::default() };
        settings.component.mu0 = Some(vec![3.0, 70.0]);
        settings.component.lambda = Some(1.0);
        settings.component.psi = Some(Scale::Diagonal(vec![4.0, 36.0]));
        settings.component.nu = Some(4.0);
        let ms = best(&data, 2, &settings, 2_000)?;
        let each = ms * 1e6 / (n * sticks) as f64;
        println!(
            "{name}: Old Faithful, n = 272, d = 2, K = 100: {ms:.4} ms an iteration, {each:.2} ns a data point and component"
        );
    }
    if std::env::args().nth(1).as_deref() == Some("growth") {
        println!("n,d,ms_per_iteration,ns_per_point");
        for d in [1, 2, 5, 10, 20] {
            grow(10_000, d, 100)?;
        }
        for (n, iterations) in [(1_000, 2_000), (10_000, 200), (100_000, 40), (1_000_000, 8)] {
            grow(n, 2, iterations)?;
        }
    }
    Ok(())
}

/// Five equal clusters in dimension d, blocked sampler.
fn grow(n: usize, d: usize, iterations: u64) -> Result<()> {
    let mut data = vec![0.0; n * d];
    standard_normals(&mut stream(1, Purpose::Simulation, 0), &mut data);
    for (i, row) in data.chunks_exact_mut(d).enumerate() {
        row.iter_mut().for_each(|x| *x += 6.0 * (i % 5) as f64);
    }
    let settings =
        Settings { algorithm: Algorithm::Blocked { truncation: Truncation::At(100) }, ..Settings::default() };
    let ms = best(&data, d, &settings, iterations)?;
    println!("{n},{d},{ms:.4},{:.1}", ms * 1e6 / n as f64);
    Ok(())
}

/// The least of several short runs, as the machine may be busy with other things.
fn best(data: &[f64], dim: usize, settings: &Settings, iterations: u64) -> Result<f64> {
    let mut least = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < 2.0 {
        least = least.min(milliseconds(data, dim, settings, iterations)?);
    }
    Ok(least)
}

/// Milliseconds an iteration of one chain takes, start and the one draw that is kept included.
fn milliseconds(data: &[f64], dim: usize, settings: &Settings, iterations: u64) -> Result<f64> {
    let settings = Settings { chains: 1, iterations, burn_in: iterations - 1, seed: 1, ..settings.clone() };
    let begin = Instant::now();
    black_box(fit(black_box(data), dim, &settings, None, &Silent)?);
    Ok(begin.elapsed().as_secs_f64() * 1e3 / iterations as f64)
}

fn faithful() -> Vec<f64> {
    include_str!("../../../datasets/faithful.csv")
        .lines()
        .skip(1)
        .flat_map(|line| line.split(','))
        .map(|value| value.parse().expect("the data set holds numbers"))
        .collect()
}
