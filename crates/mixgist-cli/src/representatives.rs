//! `mixgist representatives`: one medoid for each mode of the posterior.

use clap::Args;
use mixgist::representatives::{Count, Representatives, representatives};
use mixgist::{Error, Estimator, Result};
use mixgist_io::posterior::{REPRESENTATIVES_SCHEMA, RepresentativesDocument};

use crate::posterior::{Posterior, PosteriorArgs};
use crate::progress::Terminal;
use crate::text::{count, line, refusal, significant, table};

/// Give one representative draw for each mode of the posterior, with its probability, partition and density
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist representatives draws.npz --data data.csv
  mixgist representatives draws.npz --count 3 -o representatives.json

There are as many as the posterior has modes: a split of the draws in two must show a valley between the groups that is at
most half as high as the lower peak and that one mode would show less than once in 1000 times, and each group must have
at least 5 % of the posterior.")]
pub struct RepresentativesVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    /// How many: auto, or a number
    #[arg(long, value_name = "K", default_value = "auto")]
    count: String,

    /// Grid points an axis of the densities in the JSON
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=1000))]
    grid: u32,
}

impl RepresentativesVerb {
    /// Reads, chooses, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let wanted = match (self.count.as_str(), self.count.parse()) {
            ("auto", _) => Count::Auto,
            (_, Ok(k)) if k > 0 => Count::Fixed(k),
            _ => return Err(Error::usage(format!("--count is '{}', must be 'auto' or a number from 1", self.count))),
        };
        let posterior = self.posterior.read(Estimator::Medoid, terminal)?;
        let points = posterior.points()?;
        let found = representatives(&posterior.ensemble, points, &posterior.settings, wanted, terminal)?;
        let densities = found.densities(points, self.grid as usize, terminal)?;
        let document = RepresentativesDocument::new(&found, &densities, &posterior.about())?;
        let report = report(&found, &document, wanted, &posterior);
        self.posterior.answer(REPRESENTATIVES_SCHEMA, &document, &report, &found.warnings, terminal)
    }
}

/// Lighter atoms are not listed.
const LISTED_WEIGHT: f64 = 0.01;

fn report(found: &Representatives, document: &RepresentativesDocument, wanted: Count, posterior: &Posterior) -> String {
    let modes = found.representatives.len();
    let mut lines = vec![line("representatives ", format!(" {modes}"))];
    let how = match document.tests.last() {
        None if matches!(wanted, Count::Fixed(_)) => "as asked for".to_owned(),
        None => "one mode: there are too few different draws to look for more".to_owned(),
        Some(_) if modes > 1 => format!("{modes} modes: each split has a valley that one mode would not show"),
        Some(test) => format!(
            "one mode: between the halves lie {:.3} of the draws, at the lower peak {:.3}: {}",
            test.valley,
            test.peak,
            refusal(test)
        ),
    };
    lines.push(line("rule", how));
    lines.push(line("draws", format!("{}, {} of them candidates", posterior.ensemble.len(), found.candidates)));
    lines.push(line(
        "mean distance",
        format!("{} of a draw to its representative", significant(found.expected_distance, 4)),
    ));
    lines.push(line("distance", posterior.distance_text()));
    lines.push(String::new());
    let header = ["draw", "weight", "± error", "mean distance", "atoms", "clusters"].map(String::from);
    let rows: Vec<Vec<String>> = found
        .representatives
        .iter()
        .map(|one| {
            let heavy = one.measure.weights().iter().filter(|&&w| w >= LISTED_WEIGHT).count();
            vec![
                one.draw.to_string(),
                format!("{:.3}", one.weight.value),
                format!("{:.3}", one.weight.standard_error),
                significant(one.expected_distance, 4),
                format!("{heavy} of weight {LISTED_WEIGHT} or more"),
                one.allocation.as_ref().map_or("no data".into(), |all| count(all.clusters(), "cluster")),
            ]
        })
        .collect();
    lines.push(table(&header, &rows));
    if modes > 1 {
        lines.push(format!(
            "(representatives 1 and 2 are {} apart; all distances are in the JSON)",
            significant(found.distances[1], 4)
        ));
    }
    lines.join("\n")
}
