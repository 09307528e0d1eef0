//! How the cost grows with the number of draws, atoms, slices and the dimension, and how far it goes.

use mixgist::slice::{Freeze, Scheme, slicer};
use mixgist::{Ensemble, Loss, Order, Route, Silent, SlicedDistance};

use crate::couplings;
use crate::draws::posterior_like;
use crate::free::Timed;
use crate::{fastest, machine, peak_memory};

#[derive(Clone, Copy)]
struct Case {
    draws: usize,
    atoms: usize,
    slices: usize,
    dim: usize,
}

const BASE: Case = Case { draws: 1000, atoms: 100, slices: 100, dim: 2 };

/// Slicer of the growth table.
const GROWTH: &str = "smix-w";
/// Slicer of the large ensembles.
const LARGE: &str = "mix-sw";
/// Beyond this many draws the matrix is left out.
const MATRIX_DRAWS: usize = 4000;

/// Prints the page `docs/growth.md` and writes it.
pub fn page() {
    let machine = machine();
    println!("{machine}\n");
    let page = format!(
        "# How the cost grows\n\n\
         Made by `cargo xtask bench growth` on {machine}; draws that look like a posterior of a Dirichlet process mixture. One number changes at \
         a time; times are the best of two runs, {GROWTH}, i.i.d. slices, projection and sorting included. The medoid is exact.\n\n\
         {}\n## Large ensembles\n\nDimension 2, 100 slices, {LARGE}; one run each. Memory is the most that the process had used by then.\n\n{}\n\
         ## Estimates that are not draws\n\nDimension 2, 100 slices, {GROWTH}, distance loss, two threads; one run each. The path holds the fits for each number of \
         atoms; it is judged on the slices that it was fitted to and on as many others, which the draws pass through for the first time. The whole includes \
         medoid and floor. Components couple the estimate with every draw exactly.\n\n{}",
        table(),
        large(),
        estimates()
    );
    let docs = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs"));
    std::fs::write(docs.join("growth.md"), page).expect("docs can be written");
    println!("written: docs/growth.md");
}

/// A table of seconds, one parameter changed at a time.
fn table() -> String {
    let mut page = Page::default();
    page.line(
        "| draws | atoms | slices | dimension | medoid, distance loss | medoid, power loss | all distances |".into(),
    );
    page.line("|---:|---:|---:|---:|---:|---:|---:|".into());
    let few_atoms = Case { atoms: 20, ..BASE };
    let cases = [
        BASE,
        Case { draws: 250, ..BASE },
        Case { draws: 2000, ..BASE },
        Case { draws: 4000, ..BASE },
        Case { draws: 8000, ..BASE },
        Case { atoms: 400, ..BASE },
        Case { slices: 400, ..BASE },
        Case { slices: 1600, ..BASE },
        Case { dim: 10, ..BASE },
        few_atoms,
        Case { dim: 10, ..few_atoms },
        Case { dim: 50, ..few_atoms },
    ];
    for Case { draws, atoms, slices, dim } in cases {
        let ensemble = posterior_like(draws, atoms, dim, 1);
        let time = |job: &dyn Fn(&SlicedDistance)| {
            fastest(2, || {
                let slices = freeze(GROWTH, &ensemble, slices);
                job(&SlicedDistance::new(&*slices, Order::TWO));
            })
        };
        let rooted = time(&|distance| check(distance, &ensemble, Loss::Distance));
        let power = time(&|distance| check(distance, &ensemble, Loss::Power));
        let matrix = (draws <= MATRIX_DRAWS).then(|| {
            time(&|distance| {
                distance.matrix(&ensemble, &Silent).expect("the draws are valid");
            })
        });
        let matrix = matrix.map_or(String::new(), |seconds| format!("{seconds:.3} s"));
        page.line(format!("| {draws} | {atoms} | {slices} | {dim} | {rooted:.3} s | {power:.3} s | {matrix} |"));
    }
    page.0
}

/// Large ensembles: seconds and the most memory used so far.
pub fn large() -> String {
    let mut page = Page::default();
    page.line("| draws | atoms | loss | time | memory |".into());
    page.line("|---:|---:|---|---:|---:|".into());
    for (draws, atoms, loss) in
        [(10_000, 100, Loss::Distance), (100_000, 20, Loss::Power), (100_000, 20, Loss::Distance)]
    {
        let ensemble = posterior_like(draws, atoms, 2, 1);
        let seconds = fastest(1, || {
            let slices = freeze(LARGE, &ensemble, 100);
            check(&SlicedDistance::new(&*slices, Order::TWO), &ensemble, loss);
        });
        let memory = peak_memory().map_or("unknown".into(), |gigabytes| format!("{gigabytes:.1} GB"));
        page.line(format!("| {draws} | {atoms} | {} | {seconds:.1} s | {memory} |", loss.name()));
    }
    page.0
}

/// Free-support estimates and the couplings of what they chose.
fn estimates() -> String {
    let mut page = Page::default();
    page.line("| draws | atoms | fits | path | with judgement | whole | atoms chosen | components |".into());
    page.line("|---:|---:|---:|---:|---:|---:|---:|---:|".into());
    for draws in [1000, 10_000] {
        let ensemble = posterior_like(draws, BASE.atoms, 2, 1);
        let timed = Timed::new(&ensemble, GROWTH, 100, Loss::Distance);
        let (free, [path, _], [judged, _]) = (timed.free(), timed.fitting(), timed.fitting_and_judging());
        let coupled = couplings::seconds(&free.estimate, &ensemble);
        page.line(format!(
            "| {draws} | {} | {} | {path:.2} s | {judged:.2} s | {:.2} s | {} | {coupled:.2} s |",
            BASE.atoms,
            free.path.len(),
            timed.whole[0],
            free.estimate.len()
        ));
    }
    page.0
}

/// Lines that are printed as they come.
#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, text: String) {
        println!("{text}");
        self.0.push_str(&text);
        self.0.push('\n');
    }
}

/// The first slices of a distance.
pub fn freeze(name: &str, ensemble: &Ensemble, slices: usize) -> Box<dyn mixgist::slice::Slices> {
    let freeze = Freeze { dim: ensemble.dim(), slices: 0..slices, seed: 0, scheme: Scheme::Iid };
    slicer(name).expect("a registered name").freeze(&freeze)
}

fn check(distance: &SlicedDistance, ensemble: &Ensemble, loss: Loss) {
    let medoid = distance.medoid(ensemble, loss, Route::Auto, &Silent).expect("the draws are valid");
    assert!(medoid.expected_loss > 0.0);
}
