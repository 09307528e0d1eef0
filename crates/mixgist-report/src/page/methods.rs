//! A paragraph for the methods section of a paper, with the citation.

use mixgist::Result;
use mixgist::narrative::methods;

use super::Page;
use crate::presentation::Presentation;
use crate::svg::escaped;

/// The paper whose method this is, as CITATION.cff has it.
const AUTHORS: [[&str; 2]; 2] = [["Nguyen", "Khai"], ["Mueller", "Peter"]];
const TITLE: &str =
    "Summarizing Bayesian Nonparametric Mixture Posterior - Sliced Optimal Transport Metrics for Gaussian Mixtures";

pub fn write(presentation: &Presentation, _: &mut Page) -> Result<String> {
    let paragraph = escaped(&methods(presentation.answer));
    let authors = AUTHORS.map(|[family, given]| format!("{family}, {given}")).join(", and ");
    Ok(format!("<p>{paragraph}</p>\n<p class=\"reference\">{authors}. {}.</p>\n", escaped(TITLE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_citation_is_that_of_the_project() {
        let citation = include_str!("../../CITATION.cff");
        assert!(citation.contains(TITLE));
        for [family, given] in AUTHORS {
            assert!(citation.contains(&format!("family-names: {family}\n      given-names: {given}")), "{family}");
        }
    }
}
