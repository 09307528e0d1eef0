//! Questions about the components of the posterior's estimate, answered as documents.

use crate::Result;
use crate::components::{Components, Rules, components};
use crate::posterior::{Answer, Posterior};
use crate::progress::Progress;

impl Posterior<'_> {
    /// What the posterior says about each atom of the estimate. Cost: one exact transport per draw.
    pub fn components(&self, rules: Rules, progress: &dyn Progress) -> Result<Answer<Components>> {
        let estimate = self.estimate(progress)?;
        let found = components(&estimate.measure, self.ensemble(), &self.settings().units, rules, progress)?;
        Ok(self.answer_around(estimate, found))
    }
}
