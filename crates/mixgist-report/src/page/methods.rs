//! A paragraph for the methods section of a paper, with the citation.

use mixgist::Result;

use super::Page;
use crate::subject::Subject;
use crate::svg::escaped;
use crate::words::{count, significant, within};

/// The paper whose method this is, as CITATION.cff has it.
const AUTHORS: [[&str; 2]; 2] = [["Nguyen", "Khai"], ["Mueller", "Peter"]];
const TITLE: &str =
    "Summarizing Bayesian Nonparametric Mixture Posterior - Sliced Optimal Transport Metrics for Gaussian Mixtures";

pub fn write(subject: &Subject, _: &mut Page) -> Result<String> {
    let summary = subject.summary;
    let scheme = match summary.scheme.as_str() {
        "iid" => "independent",
        "orthogonal" => "blockwise orthogonal",
        "qmc" => "randomised quasi-Monte Carlo",
        _ => "given",
    };
    let units = match summary.units.name.as_str() {
        "none" => "in the original units".to_owned(),
        "sd" => "with coordinates scaled to standard deviation 1".to_owned(),
        "whiten" => "in whitened coordinates".to_owned(),
        other => format!("with coordinates divided by {other}"),
    };
    let families = AUTHORS.map(|[family, _]| family).join(" and ");
    let loss = if summary.loss == "power" { " raised to its order" } else { "" };
    let free =
        summary.assessment.as_ref().and_then(|assessment| assessment.free.as_ref()).filter(|_| subject.is_free());
    let what = match free {
        Some(_) => format!("the measure with {} that has the", count(subject.estimate.len(), "atom")),
        None => "the draw of".into(),
    };
    let (expected, se) = match free {
        Some(free) => (free.judgement.expected_loss, None),
        None => (summary.expected_loss, summary.expected_loss_se),
    };
    let judged = free.map(|free| &free.judgement).or(summary.assessment.as_ref().map(|assessment| &assessment.medoid));
    let near = judged.map_or(String::new(), |judged| format!(", {}", within(judged.expected_loss, judged.excess)));
    let paragraph = format!(
        "The posterior of the mixing measure, represented by {}, was summarised by {what} least expected {} sliced optimal \
         transport distance{loss} of order {} ({families}), estimated with {} {scheme} slices (seed {}) {units}, using mixgist \
         {}. The expected loss of the estimate is {}{}{near}.",
        count(summary.draws, "posterior draw"),
        distance_name(&summary.distance),
        summary.order,
        summary.slices,
        summary.seed,
        summary.mixgist_version,
        significant(expected, 4),
        se.map_or(String::new(), |se| format!(" (Monte Carlo standard error {})", significant(se, 2))),
    );
    let authors = AUTHORS.map(|[family, given]| format!("{family}, {given}")).join(", and ");
    Ok(format!("<p>{}</p>\n<p class=\"reference\">{authors}. {}.</p>\n", escaped(&paragraph), escaped(TITLE)))
}

fn distance_name(name: &str) -> &str {
    match name {
        "sw" => "SW",
        "mix-sw" => "Mix-SW",
        "smix-w" => "SMix-W",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_citation_is_that_of_the_project() {
        let citation = include_str!("../../../../CITATION.cff");
        assert!(citation.contains(TITLE));
        for [family, given] in AUTHORS {
            assert!(citation.contains(&format!("family-names: {family}\n      given-names: {given}")), "{family}");
        }
    }
}
