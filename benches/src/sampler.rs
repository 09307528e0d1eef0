//! What an iteration of the samplers costs: Old Faithful, growth with n and d, and a sampler of another package in the same run.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{Progress, Silent};
use mixgist_report::Figure;
use mixgist_report::figure::{Axis, Dots, Key, Layer, Panel, Position, Stroke, Ticks};
use mixgist_report::palette::{Color, MARKERS, PALETTE};
use mixgist_report::ticks::Tick;
use mixgist_samplers::{Algorithm, FitSettings, Scale, ScaleChoice, Truncation, fit};

use crate::fastest;

const COUNTS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const DIMENSIONS: [usize; 5] = [1, 2, 5, 10, 20];
/// Sticks of the blocked sampler throughout.
const STICKS: usize = 100;
/// Points and dimension at which the peer runs too.
const PEER: (usize, usize) = (1_000, 2);

/// Cost of an iteration.
#[derive(Clone, Copy)]
struct Cost {
    n: usize,
    d: usize,
    milliseconds: f64,
    /// Clusters that the chain had meanwhile.
    clusters: f64,
}

impl Cost {
    /// Nanoseconds a data point and occupied cluster.
    fn each(&self) -> f64 {
        self.milliseconds * 1e6 / (self.n as f64 * self.clusters)
    }
}

/// Prints the page `docs/sampler.md` and writes it with its figure; without `rscript` nothing is compared.
pub fn page(rscript: Option<&str>) {
    let mut page = String::from(
        "# What an iteration of the samplers costs\n\n\
         Made by `cargo xtask bench sampler`, on one thread. Absolute times are of the machine that made the page, which may have \
         been busy with other work; ratios are between runs that follow each other.\n\n",
    );
    let faithful = faithful();
    let peer = |data: &[f64], d: usize, iterations: u64| {
        rscript.and_then(|rscript| peer_milliseconds(rscript, data, d, iterations))
    };
    old_faithful(&mut page, &faithful, peer(&faithful, 2, 200));
    let peer = peer(&clusters(PEER.0, PEER.1), PEER.1, 200);
    let costs: Vec<Cost> = DIMENSIONS.into_iter().flat_map(|d| COUNTS.map(|n| grown(n, d))).collect();
    growth(&mut page, &costs, peer);
    println!("{page}");
    let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs"));
    std::fs::write(docs.join("sampler.md"), page).expect("docs can be written");
    std::fs::write(docs.join("sampler-growth.svg"), figure(&costs).to_svg()).expect("docs can be written");
    println!("written: docs/sampler.md, docs/sampler-growth.svg");
}

fn old_faithful(page: &mut String, data: &[f64], peer: Option<f64>) {
    let mut line = |text: String| writeln!(page, "{text}").expect("a string takes all");
    line("## Old Faithful (n = 272, d = 2)\n".into());
    line(format!(
        "The prior is mu0 = (3, 70), lambda = 1, Psi = diag(4, 36), nu = 4, alpha = 1; the blocked sampler keeps {STICKS} sticks.\n"
    ));
    line(
        "Times are differences of a long and a short run, each the best of three, so that the start drops out.\n"
            .into(),
    );
    line("| sampler | ms an iteration | ns a data point and component | rDPGibbs takes |".into());
    line("|---|---:|---:|---:|".into());
    for (name, algorithm) in algorithms() {
        let mut settings = FitSettings::default().with_algorithm(algorithm);
        settings.component.mu0 = Some(vec![3.0, 70.0]);
        settings.component.lambda = Some(1.0);
        settings.component.psi = Some(Scale::Diagonal(vec![4.0, 36.0]));
        settings.component.nu = Some(4.0);
        let milliseconds = milliseconds(data, 2, &settings, 4_000);
        let each = match algorithm {
            Algorithm::Blocked { .. } => format!("{:.2}", milliseconds * 1e6 / (272 * STICKS) as f64),
            _ => String::new(),
        };
        line(format!("| {name} | {milliseconds:.4} | {each} | {} |", times(peer, milliseconds)));
    }
    line(match peer {
        Some(milliseconds) => format!(
            "\nrDPGibbs of the R package bayesm, {milliseconds:.3} ms an iteration, is a Gibbs sampler over partitions under a Dirichlet \
             process in C++. It has hyperpriors of its own, so that its posterior is another one and only costs can be compared.\n"
        ),
        None => "\nbayesm was not installed: no comparison.\n".into(),
    });
}

fn growth(page: &mut String, costs: &[Cost], peer: Option<f64>) {
    let mut line = |text: String| writeln!(page, "{text}").expect("a string takes all");
    line("## Growth\n".into());
    line(format!(
        "Five clusters of equal size, six standard deviations apart in each coordinate; blocked sampler, {STICKS} sticks, fixed scales. \
         Times are the least between two reports, in the second half of its run, of a chain that starts with several clusters.\n"
    ));
    line("![cost of an iteration against n and d](sampler-growth.svg)\n".into());
    line("| n | d | ms an iteration | clusters | ns a data point and cluster | rDPGibbs takes |".into());
    line("|---:|---:|---:|---:|---:|---:|".into());
    for cost in costs {
        let peer = peer.filter(|_| (cost.n, cost.d) == PEER);
        line(format!(
            "| {} | {} | {:.4} | {} | {:.1} | {} |",
            cost.n,
            cost.d,
            cost.milliseconds,
            cost.clusters,
            cost.each(),
            times(peer, cost.milliseconds)
        ));
    }
}

fn times(peer: Option<f64>, ours: f64) -> String {
    peer.map(|peer| format!("{:.0} times as long", peer / ours)).unwrap_or_default()
}

fn algorithms() -> [(&'static str, Algorithm); 3] {
    let mut all = Algorithm::NAMES;
    all[0].1 = Algorithm::Blocked { truncation: Truncation::At(STICKS) };
    all
}

/// Five equal clusters along the diagonal.
fn clusters(n: usize, d: usize) -> Vec<f64> {
    let mut data = vec![0.0; n * d];
    standard_normals(&mut stream(1, Purpose::Simulation, 0), &mut data);
    for (i, row) in data.chunks_exact_mut(d).enumerate() {
        row.iter_mut().for_each(|x| *x += 6.0 * (i % 5) as f64);
    }
    data
}

/// The cheapest stretch in the second half of a chain that starts with several clusters.
fn grown(n: usize, d: usize) -> Cost {
    // A chain reports after every 100,000 points, at most every 100 iterations: at least six reports.
    let least = 6 * (100_000 / n).clamp(1, 100);
    let iterations = (4_000_000 / (n * (1 + d * d / 8))).clamp(least, 2_000) as u64;
    // The first chain starts with one cluster, the second with several: it is the one that counts.
    let mut settings = FitSettings::default()
        .with_algorithm(algorithms()[0].1)
        .with_chains(2)
        .with_iterations(iterations)
        .with_burn_in(iterations - 1)
        .with_thin(1)
        .with_seed(1);
    settings.component.scales = ScaleChoice::Fixed; // the same model in every dimension
    let reports = Reports::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    pool.install(|| fit(&clusters(n, d), d, &settings, None, &reports)).expect("the data are valid");
    let reports = reports.0.into_inner().expect("no report panicked");
    reports
        .windows(2)
        .filter(|pair| 2 * pair[1].iteration > iterations)
        .map(|pair| {
            let took = pair[1].at.duration_since(pair[0].at).as_secs_f64() * 1e3;
            let milliseconds = took / (pair[1].iteration - pair[0].iteration) as f64;
            Cost { n, d, milliseconds, clusters: (pair[0].clusters + pair[1].clusters) / 2.0 }
        })
        .min_by(|a, b| a.each().total_cmp(&b.each()))
        .expect("the chain reported")
}

/// When the second chain was where, from what it says of itself.
#[derive(Default)]
struct Reports(Mutex<Vec<Report>>);

struct Report {
    at: Instant,
    iteration: u64,
    clusters: f64,
}

impl Progress for Reports {
    fn remark(&self, text: &str) {
        // chain 1: iteration 20, 5 clusters, …
        let Some(rest) = text.strip_prefix("chain 1: iteration ") else { return };
        let mut numbers = rest.split([',', ' ']).filter(|word| !word.is_empty());
        let iteration = numbers.next().and_then(|word| word.parse().ok()).expect("an iteration");
        let clusters = numbers.next().and_then(|word| word.parse().ok()).expect("a number of clusters");
        self.0.lock().expect("no report panicked").push(Report { at: Instant::now(), iteration, clusters });
    }
}

/// What an iteration takes beyond those of a run a third as long.
fn milliseconds(data: &[f64], d: usize, settings: &FitSettings, iterations: u64) -> f64 {
    let seconds = |iterations: u64| {
        let settings =
            settings.clone().with_chains(1).with_iterations(iterations).with_burn_in(iterations - 1).with_seed(1);
        fastest(3, || {
            black_box(fit(black_box(data), d, &settings, None, &Silent).expect("the data are valid"));
        })
    };
    (seconds(3 * iterations) - seconds(iterations)) / (2 * iterations) as f64 * 1e3
}

/// Milliseconds that the peer prints; `None` when it does not run, with the reason on standard error.
fn peer_milliseconds(rscript: &str, data: &[f64], d: usize, iterations: u64) -> Option<f64> {
    let file = std::env::temp_dir().join("mixgist-bench-data.csv");
    let rows: Vec<String> =
        data.chunks_exact(d).map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",")).collect();
    std::fs::write(&file, rows.join("\n") + "\n").expect("the temporary folder can be written");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/bayesm_gibbs.R");
    let output = Command::new(rscript).arg(script).arg(&file).arg(iterations.to_string()).output().ok()?;
    let printed = String::from_utf8_lossy(&output.stdout).trim().parse().ok();
    if printed.is_none() {
        eprintln!("SKIPPED: the comparison with bayesm: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    printed
}

fn figure(costs: &[Cost]) -> Figure {
    let of = |keep: &dyn Fn(&Cost) -> bool, at: &dyn Fn(&Cost) -> Position| -> Vec<Position> {
        costs.iter().filter(|cost| keep(cost)).map(at).collect()
    };
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
        (low / 1.6, high * 1.6)
    };
    let (low, high) = span(&mut costs.iter().map(|c| c.milliseconds));
    let mut by_n =
        Panel::new(Axis::log("data points n", 700.0, 1.4e6), Axis::log("milliseconds an iteration", low, high))
            .titled("n grows");
    let (low, high) = span(&mut costs.iter().map(Cost::each));
    let ticks = DIMENSIONS.map(|d| Tick { at: d as f64, text: d.to_string() }).to_vec();
    let mut by_d = Panel::new(
        Axis::log("dimension d", 0.85, 24.0).with_ticks(Ticks::At(ticks)),
        Axis::log("nanoseconds a data point and cluster", low, high),
    )
    .titled("d grows");
    let mut legend = Vec::new();
    for (rank, d) in DIMENSIONS.into_iter().enumerate() {
        let path = of(&|c| c.d == d, &|c| [c.n as f64, c.milliseconds]);
        by_n = by_n.with_all(marked(path, rank));
        legend.push((rank, format!("d = {d}")));
    }
    let widths = [1.0, 1.6, 2.2, 2.8];
    for (n, width) in COUNTS.into_iter().zip(widths) {
        let path = of(&|c| c.n == n, &|c| [c.d as f64, c.each()]);
        by_d = by_d.with(Layer::Line { path, stroke: Stroke::new(Color::INK, width).with_opacity(0.7) });
    }
    let mut figure = Figure::grid(2, vec![Some(by_n), Some(by_d)]).titled("Cost of an iteration, blocked sampler").described(
        "Left: milliseconds an iteration against n, a line for each dimension. Right: nanoseconds a data point and cluster \
         against the dimension.",
        "Made by cargo xtask bench sampler.",
    );
    for (rank, text) in legend {
        figure = figure.with_legend(Key::Line(Stroke::new(PALETTE[rank % PALETTE.len()], 1.8)), text);
    }
    for (n, width) in COUNTS.into_iter().zip(widths) {
        figure = figure.with_legend(Key::Line(Stroke::new(Color::INK, width).with_opacity(0.7)), format!("n = {n}"));
    }
    figure
}

/// A line with its points.
fn marked(path: Vec<Position>, rank: usize) -> [Layer; 2] {
    let color = PALETTE[rank % PALETTE.len()];
    let points = Dots { at: path.clone(), marker: MARKERS[rank], radius: 3.2, color, opacity: 1.0, group: None };
    [Layer::Line { path, stroke: Stroke::new(color, 1.8) }, Layer::Dots(points)]
}

fn faithful() -> Vec<f64> {
    include_str!("../../datasets/faithful.csv")
        .lines()
        .skip(1)
        .flat_map(|line| line.split(','))
        .map(|value| value.parse().expect("the data set holds numbers"))
        .collect()
}
