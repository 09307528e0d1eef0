//! `mixgist memberships`: who belongs to which component, with the uncertainty of the posterior.

use std::path::Path;

use clap::Args;
use mixgist::Memberships;
use mixgist::{Answer, Result};
use mixgist_io::{Cell, Overwrite, TableRows, write_table};

use crate::components::RulesArgs;
use crate::posterior::{Form, PosteriorArgs};
use crate::progress::Terminal;

/// Give every observation the posterior probability of each component, with intervals, and rank the uncertain ones
#[derive(Args)]
#[command(
    mut_arg("estimate", |arg| arg.default_value("aligned")),
    mut_arg("output", |arg| arg.help("Write the answer to this file (.csv, a row per observation, or .json)")),
    after_help = "Examples:
  mixgist memberships draws.npz --data data.csv
  mixgist memberships draws.npz --data data.csv --estimate summary.json
  mixgist memberships draws.npz --data data.csv -o memberships.csv

The probability is the mean, over the draws, of the membership probability under each draw. The interval says how much \
the draws differ. With more than 100,000 observations, 200 draws at equal steps are used."
)]
pub struct MembershipsVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    #[command(flatten)]
    rules: RulesArgs,
}

impl MembershipsVerb {
    /// Reads, computes, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let rules = self.rules.rules();
        let form = Form { tables: &["csv"], write: &write };
        self.posterior
            .ask_about_components(terminal, &form, |posterior, _, progress| posterior.memberships(rules, progress))
    }
}

/// A row per observation: its most probable component, then all of them.
fn write(path: &Path, found: &Answer<Memberships>, overwrite: Overwrite) -> Result<()> {
    let j = found.components;
    let mut columns: Vec<String> =
        ["observation", "component", "probability", "low", "high", "none"].map(String::from).to_vec();
    columns.extend((0..j).flat_map(|k| ["probability", "low", "high"].map(|what| format!("{what}_{k}"))));
    let heads: Vec<&str> = columns.iter().map(String::as_str).collect();
    write_table(path, &heads, overwrite, |rows: &mut TableRows| {
        for i in 0..found.points {
            let of = |k: usize| [&found.mean, &found.low, &found.high].map(|all| Cell::Number(all[i * j + k]));
            let label = found.labels[i];
            let mut row = vec![Cell::Index(i as u64), Cell::Index(label.into())];
            row.extend(of(label as usize));
            row.push(Cell::Number(found.none[i]));
            row.extend((0..j).flat_map(of));
            rows.push(&row)?;
        }
        Ok(())
    })
}
