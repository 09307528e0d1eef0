//! What the estimate does when choices change.

use mixgist::Result;
use mixgist::stability::{Check, Stability};
use serde::{Deserialize, Serialize};

use super::{About, BallDocument, SettingsDocument};
use crate::formats::json::Schema;
use crate::summary::{MeasureDocument, WarningDocument};

/// The schema of stability cards.
pub const STABILITY_SCHEMA: Schema = Schema { name: "mixgist.stability", version: 1 };

/// A stability card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StabilityDocument {
    /// The largest movement: `steady`, `inside` or `outside`; `undecided` when chains disagree or there are fewer than 20 draws.
    pub verdict: String,
    /// One sentence, and a piece of advice for each choice that matters.
    pub advice: Vec<String>,
    /// Number of draws.
    pub draws: usize,
    /// Every so many draws of a chain were used.
    pub thin: usize,
    /// Number of clusters of the unchanged estimate.
    pub clusters: Option<usize>,
    /// The ball whose radius is the unit; its members count among the draws that were used.
    pub ball: BallDocument,
    /// The lines, choice after choice.
    pub checks: Vec<CheckDocument>,
    /// How many chains were not left out in turn: of many, those with the most draws go first.
    #[serde(default)]
    pub untried_chains: usize,
    /// How distances were computed before any change.
    #[serde(flatten)]
    pub settings: SettingsDocument,
    /// What the reader should know.
    pub warnings: Vec<WarningDocument>,
    /// The unchanged estimate.
    pub estimate: MeasureDocument,
}

/// One line of the card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckDocument {
    /// The choice that was changed.
    pub choice: String,
    /// How.
    pub change: String,
    /// How far the estimate moved.
    pub distance: Option<f64>,
    /// That in radii of the ball; `null` when it is infinite.
    pub radii: Option<f64>,
    /// `steady`, `inside` or `outside`.
    pub movement: Option<String>,
    /// Number of clusters with the change.
    pub clusters: Option<usize>,
    /// Why there is no estimate with the change.
    pub error: Option<String>,
}

impl StabilityDocument {
    /// The document of a card.
    pub fn new(card: &Stability, about: &About) -> Result<Self> {
        let About { ensemble, settings, .. } = *about;
        let used = if card.thin > 1 { &ensemble.select(&ensemble.thinned(0, card.thin))? } else { ensemble };
        Ok(StabilityDocument {
            verdict: card.verdict.name().into(),
            advice: card.verdict.advice.clone(),
            draws: ensemble.len(),
            thin: card.thin,
            clusters: card.clusters,
            ball: BallDocument::new(&card.ball, None, used),
            checks: card.checks.iter().map(CheckDocument::from).collect(),
            untried_chains: card.untried_chains,
            settings: SettingsDocument::new(settings, ensemble.dim())?,
            warnings: card.warnings.iter().map(WarningDocument::from).collect(),
            estimate: MeasureDocument::from(&card.estimate),
        })
    }
}

impl From<&Check> for CheckDocument {
    fn from(check: &Check) -> Self {
        let outcome = check.outcome.as_ref().ok();
        CheckDocument {
            choice: check.choice.into(),
            change: check.change.clone(),
            distance: outcome.map(|outcome| outcome.distance),
            radii: outcome.map(|outcome| outcome.radii),
            movement: outcome.map(|outcome| outcome.movement.name().into()),
            clusters: outcome.and_then(|outcome| outcome.clusters),
            error: check.outcome.as_ref().err().map(ToString::to_string),
        }
    }
}
