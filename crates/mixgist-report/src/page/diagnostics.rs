//! Whether the chains and the slices can be trusted.

use mixgist::Result;
use mixgist::diagnostics::{Convergence, verdict};

use super::{Page, figures, table};
use crate::kind::traces::traces;
use crate::subject::Subject;

pub fn write(subject: &Subject, page: &mut Page) -> Result<String> {
    let mut text = String::new();
    if let Some(draws) = subject.draws {
        let traces = traces(subject)?;
        let judged: Vec<Convergence> = traces.iter().filter_map(|trace| trace.convergence).collect();
        let mut chains = draws.chains().to_vec();
        chains.sort_unstable();
        chains.dedup();
        if judged.is_empty() {
            text.push_str(
                "<p class=\"doubt\"><b>Chains:</b> too few draws, or chains of unequal length, to judge.</p>\n",
            );
        } else {
            let verdict = verdict(&judged, chains.len());
            let good = verdict == mixgist::diagnostics::Verdict::ChainsAgree;
            let (class, words) = match good {
                true => ("good", "agree by these measures: R-hat below 1.01 and at least 100 effective draws a chain."),
                false => (
                    "doubt",
                    "should run longer: R-hat is not below 1.01, or a chain has fewer than 100 effective draws.",
                ),
            };
            text.push_str(&format!(
                "<p class=\"{class}\"><b>Verdict: {}.</b> The chains {words}</p>\n",
                verdict.text()
            ));
            let header = ["quantity", "R-hat", "bulk ESS", "tail ESS"].map(String::from);
            let number =
                |x: f64, decimals: usize| if x.is_finite() { format!("{x:.decimals$}") } else { "constant".into() };
            let row = |(name, c): (&String, Convergence)| {
                vec![name.clone(), number(c.rhat, 3), number(c.bulk_ess, 0), number(c.tail_ess, 0)]
            };
            let rows = traces.iter().filter_map(|trace| Some((&trace.name, trace.convergence?))).map(row);
            text.push_str(&table(&header, &rows.collect::<Vec<_>>()));
        }
    }
    text.push_str(&figures::drawn(&["traces", "convergence"], subject, page)?);
    let pruned = &subject.summary.pruned;
    if pruned.atoms > 0 {
        text.push_str(&format!(
            "<p>{} light atoms were left out of the computation of distances, at most {:.1e} of a draw's mass; no transport \
             cost changed by more than {:.1e}.</p>\n",
            pruned.atoms, pruned.mass, pruned.cost_bound
        ));
    }
    Ok(text)
}
