//! `mixgist components`: intervals for every component of an estimate, without relabelling.

use clap::Args;
use mixgist::components::{Component, Components, Intervals, PosteriorInterval, Rules, Standing, components};
use mixgist::{Estimator, Result};
use mixgist_io::posterior::{COMPONENTS_SCHEMA, ComponentsDocument, NOTABLE_PIECES};

use crate::posterior::{EstimateArgs, Posterior, PosteriorArgs};
use crate::progress::Terminal;
use crate::text::{self, count, existence, line, percent, resolved, significant, table, worth};

/// Give every component of an estimate its probability, and intervals for its weight, mean and covariance
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist components draws.npz --data data.csv
  mixgist components draws.npz --estimate summary.json --level 0.9 \\
      -o components.json

A draw has a component when atoms near it hold a tenth of its weight; each draw is coupled with the estimate by exact
transport, so that no labels are switched. Components that cannot be told apart are said to be so, and show the probability of
their group. When an atom of the estimate lies beside what the draws have there, the answer is about what the draws have.")]
pub struct ComponentsVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    #[command(flatten)]
    estimate: EstimateArgs,

    /// Level of the intervals
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,

    /// Atoms are near when their Gaussians overlap by this much (Bhattacharyya)
    #[arg(long, value_name = "P", default_value_t = Rules::default().overlap)]
    overlap: f64,

    /// A draw has a component when it holds this share of its weight
    #[arg(long, value_name = "P", default_value_t = Rules::default().share)]
    share: f64,

    /// Lighter atoms of the estimate are not reported
    #[arg(long, value_name = "W", default_value_t = Rules::default().least_weight)]
    least_weight: f64,
}

impl ComponentsVerb {
    /// Reads, couples, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let posterior = self.posterior.read(Estimator::Medoid, terminal)?;
        let rules =
            Rules { level: self.level, overlap: self.overlap, share: self.share, least_weight: self.least_weight };
        let estimate = self.estimate.resolve(&posterior, self.posterior.reading(), terminal)?;
        let found = components(&estimate.measure, &posterior.ensemble, &posterior.settings.units, rules, terminal)?;
        let document = ComponentsDocument::new(&found, &estimate.origin(), &posterior.about())?;
        let report = report(&document, &found, &posterior);
        self.posterior.answer(COMPONENTS_SCHEMA, &document, &report, &found.warnings, terminal)
    }
}

fn each_of(draws: usize) -> String {
    if draws == 1 { "the one draw".into() } else { format!("each of {draws} draws") }
}

/// Coordinates that a table shows; all are in the JSON.
const SHOWN: usize = 4;

fn report(document: &ComponentsDocument, found: &Components, posterior: &Posterior) -> String {
    let mut lines = vec![
        line("estimate", &document.estimate_source),
        line("intervals", format!("level {}, over the draws that have the component", document.level)),
        line(
            "rule",
            format!(
                "atoms that overlap by {} are near; a draw has a component when they hold {} of its weight",
                document.overlap, document.share
            ),
        ),
        line(
            "coupling",
            format!("exact transport with {}, units {}", each_of(document.draws), document.settings.units),
        ),
        line("unmatched", format!("{} of a draw's mass belongs to none of them", interval(&found.unmatched))),
        String::new(),
    ];
    let shown = document.dim.min(SHOWN);
    let mut header = vec!["atom".to_owned(), "exists".into(), "weight".into()];
    header.extend((0..shown).map(|a| format!("mean {}", posterior.column(a))));
    header.extend((0..shown).map(|a| format!("sd {}", posterior.column(a))));
    header.push(String::new());
    let row = |name: String, one: &Component| -> Vec<String> {
        let mut row = vec![name, existence(one.existence.value, one.existence.standard_error)];
        match &one.intervals {
            Some(Intervals { weight, mean, sd, .. }) => {
                row.push(interval(weight));
                row.extend(mean.iter().take(shown).map(interval));
                row.extend(sd.iter().take(shown).map(interval));
            }
            None => {
                row.push(format!("({})", significant(one.weight, 3)));
                let sd = |a: usize| one.covariance[a * document.dim + a].sqrt();
                row.extend((0..shown).map(|a| format!("({})", resolved(one.mean[a], 4, sd(a)))));
                row.extend((0..shown).map(|a| format!("({})", significant(sd(a), 3))));
            }
        }
        row.push(remark(one));
        row
    };
    let mut rows: Vec<Vec<String>> = found.components.iter().map(|one| row(one.atom.to_string(), one)).collect();
    rows.extend(found.groups.iter().map(|group| {
        let names: Vec<String> = group.atoms.iter().map(usize::to_string).collect();
        row(names.join("+"), &group.together)
    }));
    lines.push(table(&header, &rows));
    if found.components.iter().any(|one| one.intervals.is_none()) {
        lines.push("(in parentheses: the estimate, without an interval)".into());
    }
    if document.dim > shown {
        lines.push(format!("({}; all are in the JSON)", count(document.dim - shown, "more coordinate")));
    }
    if document.unreported_weight > 5e-4 {
        lines.push(format!(
            "(atoms lighter than {} weigh {:.3} together)",
            document.least_weight, document.unreported_weight
        ));
    }
    lines.join("\n")
}

fn interval(interval: &PosteriorInterval) -> String {
    text::interval(interval.median, interval.low, interval.high)
}

fn remark(component: &Component) -> String {
    let list = |atoms: &[usize]| {
        let mut atoms = atoms.to_vec();
        atoms.sort_unstable();
        atoms.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
    };
    let standing = match component.standing {
        Standing::Clear => None,
        Standing::Ambiguous => Some(format!("ambiguous in {:.0} % of draws", 100.0 * component.ambiguity)),
        Standing::Indistinct if component.rivals.is_empty() => Some("mostly shared with other atoms".into()),
        Standing::Indistinct => Some(format!("cannot be told apart from {}", list(&component.rivals))),
        Standing::Rare => Some(format!(
            "in {} of draws, {}: too few for intervals",
            percent(component.existence.value),
            worth(component.existence.value * component.existence.effective_draws)
        )),
    };
    let pieces = (component.intervals.is_some() && component.in_pieces >= NOTABLE_PIECES)
        .then(|| format!("in pieces in {:.0} % of draws", 100.0 * component.in_pieces));
    let beside = (component.beside > 0.0)
        .then(|| format!("the estimate's atom lies beside what {:.0} % of draws have there", 100.0 * component.beside));
    let twins = (!component.twins.is_empty()).then(|| format!("nearly the same as {}", list(&component.twins)));
    [twins, standing, pieces, beside].into_iter().flatten().collect::<Vec<String>>().join("; ")
}
