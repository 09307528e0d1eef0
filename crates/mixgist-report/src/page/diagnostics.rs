//! Whether the chains and the slices can be trusted.

use mixgist::Result;
use mixgist::diagnostics::{Convergence, Verdict, verdict};

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
            let good = verdict == Verdict::ChainsAgree;
            let (class, words) = match good {
                true => (
                    "good",
                    "agree by these measures: R-hat below 1.01 and at least 100 effective draws a chain.".to_owned(),
                ),
                false => {
                    ("doubt", format!("should run longer: {}.", shortcomings(&judged, chains.len()).join(", and ")))
                }
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

/// Which of the measures the chains do not meet.
fn shortcomings(judged: &[Convergence], chains: usize) -> Vec<&'static str> {
    let apart = judged.iter().any(|c| c.rhat >= 1.01);
    // Were R-hat as it should be, only the effective draws would be left to find fault with.
    let without: Vec<Convergence> =
        judged.iter().filter(|c| !c.rhat.is_nan()).map(|c| Convergence { rhat: 1.0, ..*c }).collect();
    let few = verdict(&without, chains) == Verdict::RunLonger;
    let all = [(apart, "R-hat is not below 1.01"), (few, "there are fewer than 100 effective draws a chain")];
    all.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wrong_is_said() {
        let one = |rhat, bulk_ess| Convergence { rhat, bulk_ess, tail_ess: 400.0 };
        let (apart, few) = ("R-hat is not below 1.01", "there are fewer than 100 effective draws a chain");
        assert_eq!(shortcomings(&[one(1.02, 300.0), one(1.0, 300.0)], 2), [apart]);
        assert_eq!(shortcomings(&[one(1.005, 150.0)], 2), [few]);
        assert_eq!(shortcomings(&[one(1.1, 20.0)], 2), [apart, few]);
        assert!(shortcomings(&[one(f64::NAN, 20.0)], 2).is_empty());
    }
}
