//! Questions about the components of the posterior's estimate, and about who belongs to them, answered as documents.

use crate::aligned::{Alignment, align, align_with};
use crate::components::{Components, Rules, components};
use crate::ensemble::MixingMeasure;
use crate::how_many::{HowMany, Occupied, how_many};
use crate::labels::PartitionDraws;
use crate::memberships::{Memberships, membership_posterior};
use crate::posterior::{Answer, Estimate, Posterior};
use crate::progress::Progress;
use crate::text;
use crate::text::named;
use crate::{Error, Estimator, Result, Settings};

impl Posterior<'_> {
    /// What the posterior says about each atom of the estimate. Cost: one exact transport per draw.
    pub fn components(&self, rules: Rules, progress: &dyn Progress) -> Result<Answer<Components>> {
        let estimate = self.estimate(progress)?;
        let found = components(&estimate.measure, self.ensemble(), &self.settings().units, rules, progress)?;
        Ok(self.answer_around(estimate, found))
    }

    /// Every draw aligned with the components of the estimate: with the aligned estimate those that at least half of the draws have, with any other its atoms.
    /// Cost: some rounds of one exact transport per draw; one round with another estimate.
    pub fn aligned(&self, rules: Rules, progress: &dyn Progress) -> Result<Answer<Alignment>> {
        let (ensemble, units) = (self.ensemble(), &self.settings().units);
        if self.given_estimate().is_some() || self.settings().estimator != Estimator::Aligned {
            let estimate = self.estimate(progress)?;
            let found = align_with(&estimate.measure, ensemble, units, rules, progress)?;
            return Ok(self.answer_around(estimate, found));
        }
        let estimate = self.estimate(progress)?;
        // The level does not matter to an alignment.
        if (Rules { level: rules.level, ..Rules::default() }) == rules {
            return Ok(self.answer_around(estimate, self.alignment(progress)?.as_ref().clone()));
        }
        let start = ensemble.draw(self.medoid_draw(progress)?);
        let found = align(&start, ensemble, units, rules, progress)?;
        let estimate = Estimate { measure: found.estimate.clone(), ..estimate.clone() };
        Ok(self.answer_around(&estimate, found))
    }

    /// The same with names of the user's for the components, or with those that an older measure gave to its own.
    pub fn aligned_by_name(
        &self,
        rules: Rules,
        names: Option<Vec<String>>,
        old: Option<&(MixingMeasure, Vec<String>)>,
        progress: &dyn Progress,
    ) -> Result<Answer<Alignment>> {
        let mut found = self.aligned(rules, progress)?;
        if let Some(names) = names {
            found.result = found.result.named(names)?;
        }
        if let Some((measure, names)) = old {
            found.result = found.result.carrying(measure, names, &self.settings().units, rules)?;
        }
        Ok(found)
    }

    /// How many components the draws have; `labels` are the partitions of the observations that came with the draws. Cost: one exact transport per draw, and O(K
    /// d²) an observation and draw when data are there and labels are not.
    pub fn how_many(&self, labels: Option<&PartitionDraws>, progress: &dyn Progress) -> Result<Answer<HowMany>> {
        let estimate = self.estimate(progress)?;
        let Settings { units, seed, .. } = self.settings();
        let occupied = match (labels, self.data()) {
            (Some(labels), _) => Occupied::Labels(labels),
            (None, Some(points)) => Occupied::Data(points),
            (None, None) => Occupied::Unknown,
        };
        let found = how_many(&estimate.measure, self.ensemble(), units, occupied, *seed, progress)?;
        Ok(self.answer_around(estimate, found))
    }

    /// Who belongs to which component of the estimate, with the uncertainty of the draws. Cost: O(K d²) an observation and draw.
    pub fn memberships(&self, rules: Rules, progress: &dyn Progress) -> Result<Answer<Memberships>> {
        let Some(points) = self.data() else {
            return Err(Error::usage("memberships need the data").hint(text!["give ", named("data")]));
        };
        let estimate = self.estimate(progress)?;
        let units = &self.settings().units;
        let found = membership_posterior(&estimate.measure, self.ensemble(), points, units, rules, progress)?;
        Ok(self.answer_around(estimate, found))
    }
}
