//! Questions about the components of the posterior's estimate, and about who belongs to them, answered as documents.

use crate::aligned::{Alignment, align};
use crate::components::{Components, Rules, components};
use crate::how_many::{HowMany, how_many};
use crate::memberships::{Memberships, membership_posterior};
use crate::posterior::{Answer, Posterior};
use crate::progress::Progress;
use crate::text;
use crate::text::named;
use crate::{Error, Result};

impl Posterior<'_> {
    /// What the posterior says about each atom of the estimate. Cost: one exact transport per draw.
    pub fn components(&self, rules: Rules, progress: &dyn Progress) -> Result<Answer<Components>> {
        let estimate = self.estimate(progress)?;
        let found = components(&estimate.measure, self.ensemble(), &self.settings().units, rules, progress)?;
        Ok(self.answer_around(estimate, found))
    }

    /// The components that at least half of the draws have, and every draw aligned with them; the search starts from the estimate. Cost: some rounds of one
    /// exact transport per draw.
    pub fn aligned(&self, rules: Rules, progress: &dyn Progress) -> Result<Answer<Alignment>> {
        let start = self.estimate(progress)?;
        Ok(self.answer(align(&start.measure, self.ensemble(), rules, progress)?))
    }

    /// How many components the draws have. Cost: one exact transport per draw.
    pub fn how_many(&self, progress: &dyn Progress) -> Result<Answer<HowMany>> {
        let estimate = self.estimate(progress)?;
        let found = how_many(&estimate.measure, self.ensemble(), self.settings().seed, progress)?;
        Ok(self.answer_around(estimate, found))
    }

    /// Who belongs to which component of the estimate, with the uncertainty of the draws. Cost: O(K d²) an observation and draw.
    pub fn memberships(&self, rules: Rules, progress: &dyn Progress) -> Result<Answer<Memberships>> {
        let Some(points) = self.data() else {
            return Err(Error::usage("memberships need the data").hint(text!["give ", named("data")]));
        };
        let estimate = self.estimate(progress)?;
        let found = membership_posterior(&estimate.measure, self.ensemble(), points, rules, progress)?;
        Ok(self.answer_around(estimate, found))
    }
}
