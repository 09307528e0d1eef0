//! The draws and data behind summaries, from which presentations and reports are made.

use mixgist::text::Spelling;
use mixgist::{Answer, Ensemble, Error, GivenDirections, PartitionDraws, Points, Posterior, Progress, Result, Summary};

use crate::page::{PARTS, html};
use crate::presentation::Presentation;

/// What is behind summaries of the same draws, as far as it is at hand.
#[derive(Clone, Copy, Default)]
pub struct Behind<'a> {
    /// The draws.
    pub draws: Option<&'a Ensemble>,
    /// The observations.
    pub data: Option<Points<'a>>,
    /// Names of their columns.
    pub columns: Option<&'a [String]>,
    /// The partitions that came with the draws.
    pub partitions: Option<&'a PartitionDraws>,
    /// The directions that were given; a summary has their fingerprint alone.
    pub directions: Option<&'a GivenDirections>,
}

impl<'a> Behind<'a> {
    /// The posterior of a summary, which is not computed again, where the draws are at hand.
    pub fn posterior(&self, answer: &Answer<Summary>) -> Result<Option<Posterior<'a>>> {
        let Some(draws) = self.draws else { return Ok(None) };
        let mut settings = answer.about.settings.clone();
        if settings.directions.is_some() && self.directions.is_some() {
            settings.directions = self.directions.cloned();
        }
        let posterior = Posterior::new(draws, self.data, settings)?.with_columns(self.columns);
        posterior.with_source(answer.about.source.clone()).with_summary(&answer.result).map(Some)
    }

    /// What figures of a summary are drawn from.
    pub fn presentation<'b>(
        &self,
        answer: &'b Answer<Summary>,
        posterior: Option<&'b Posterior<'a>>,
        spelling: &'b dyn Spelling,
        progress: &'b dyn Progress,
    ) -> Result<Presentation<'b>>
    where
        'a: 'b,
    {
        let mut presentation = Presentation::new(answer, spelling, progress)?;
        presentation = match (posterior, self.data) {
            (Some(posterior), _) => presentation.with_posterior(posterior)?,
            (None, Some(points)) => presentation.with_data(points)?,
            (None, None) => presentation,
        };
        Ok(match self.partitions {
            Some(partitions) => presentation.with_partitions(partitions),
            None => presentation,
        })
    }

    /// The report on summaries; `without` says for each which of [`PARTS`] are left out.
    pub fn report(
        &self,
        title: &str,
        answers: &[&Answer<Summary>],
        without: impl Fn(usize) -> Vec<String>,
        spelling: &dyn Spelling,
        progress: &dyn Progress,
    ) -> Result<String> {
        let posteriors = answers.iter().map(|answer| self.posterior(answer)).collect::<Result<Vec<_>>>()?;
        let shown = answers.iter().zip(&posteriors).enumerate().map(|(i, (answer, posterior))| {
            Ok(self.presentation(answer, posterior.as_ref(), spelling, progress)?.without(&without(i)))
        });
        html(title, shown.collect::<Result<_>>()?)
    }
}

/// Refuses names that are none of the parts that can be left out.
pub fn check_parts(without: &[String]) -> Result<()> {
    match without.iter().find(|part| !PARTS.contains(&part.as_str())) {
        Some(part) => Err(Error::usage(format!("without names '{part}', which is no part that can be left out"))
            .hint(format!("one of: {}", PARTS.join(", ")))),
        None => Ok(()),
    }
}
