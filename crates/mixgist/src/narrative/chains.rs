//! Whether the chains agree, in words.

use super::numbers::{count, significant};
use super::{Narrate, Narrative};
use crate::about::About;
use crate::agreement::{Agreement, ChainVerdict};
use crate::posterior::Estimate;
use crate::text::Text;

impl Narrate for Agreement {
    fn narrate(&self, about: &About, _: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        let mut text = self.text().to_owned();
        if let (Some(rhat), Some(ess)) = (self.largest_rhat(), self.least_ess()) {
            text.push_str(&format!(" (largest R-hat {rhat:.3}, least effective sample size {ess:.0})"));
        }
        narrative.verdict(self.verdict == ChainVerdict::Agree, text);
        narrative.line("draws", format!("{} in {}", about.draws, count(about.chains, "chain")));
        if let Some(factor) = self.longer_by() {
            narrative
                .line("run longer", format!("chains about {} times as long should be enough", significant(factor, 2)));
        }
        let number = |x: f64, decimals: usize| if x.is_finite() { format!("{x:.decimals$}") } else { "-".into() };
        let rows: Vec<Vec<String>> = self
            .traces
            .iter()
            .map(|trace| {
                let mut row = vec![trace.name.to_string()];
                match trace.convergence {
                    Some(c) => row.extend([number(c.rhat, 3), number(c.bulk_ess, 0), number(c.tail_ess, 0)]),
                    None => row.extend(["-", "-", "-"].map(String::from)),
                }
                row
            })
            .collect();
        if !rows.is_empty() {
            narrative
                .table(["function of the draws", "R-hat", "bulk ESS", "tail ESS"].map(String::from).to_vec(), rows);
        }
        narrative
    }
}

/// What must be said beside every good verdict on draws of chains that cannot be trusted.
pub fn reservation(agreement: &Agreement) -> Option<Text> {
    match agreement.verdict {
        ChainVerdict::Disagree => Some("but the chains disagree, so that this holds for these draws only".into()),
        ChainVerdict::Slow => Some("but the chains mix slowly, so that this may change with more draws".into()),
        ChainVerdict::Agree | ChainVerdict::Short | ChainVerdict::TooFew => None,
    }
}
