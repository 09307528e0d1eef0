//! How good estimates are, as a part of the summary document: floor, held-out losses, the path over numbers of atoms.

use mixgist::free::HeldOut;
use mixgist::{Assessment, FreeSupport, Judgement, PathPoint};
use serde::{Deserialize, Serialize};

use crate::summary::MeasureDocument;

/// How good the estimates are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssessmentDocument {
    /// No summary of any kind has a smaller expected loss under the same slices.
    pub floor: f64,
    /// Expected loss of the best mean of quantile functions that was found: the floor cannot be raised beyond it.
    pub floor_attained: f64,
    /// Number of slices that estimates were judged on, besides those that they were fitted to.
    pub held_out_slices: usize,
    /// The draw of least expected loss.
    pub medoid: JudgementDocument,
    /// The free-support estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<FreeDocument>,
    /// The user's own measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<JudgementDocument>,
}

/// How good one estimate is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgementDocument {
    /// Expected loss under the slices that the floor is for.
    pub expected_loss: f64,
    /// How far that is above the floor, as a part of the floor: 0.02 is "within 2 % of the best possible"; `null`
    /// when the floor is 0.
    pub excess: Option<f64>,
    /// Expected loss under held-out slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOutDocument>,
}

/// An expected loss under slices that nothing was fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOutDocument {
    /// The expected loss.
    pub expected_loss: f64,
    /// Its standard error over slices.
    pub expected_loss_se: Option<f64>,
    /// How much it is above the medoid's: negative when better.
    pub over_medoid: f64,
    /// Standard error of that difference over slices.
    pub over_medoid_se: Option<f64>,
}

/// The free-support estimate: its judgement and the path that it was chosen from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FreeDocument {
    /// How good it is.
    #[serde(flatten)]
    pub judgement: JudgementDocument,
    /// Index of the chosen point of the path.
    pub chosen: usize,
    /// The best fits for each number of atoms.
    pub path: Vec<PathDocument>,
}

/// The best fit with a given number of atoms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathDocument {
    /// Most atoms that it may have; some may have vanished.
    pub atoms: usize,
    /// How good it is.
    #[serde(flatten)]
    pub judgement: JudgementDocument,
    /// How much its held-out expected loss is above the least on the path.
    pub over_best: f64,
    /// Standard error of that difference, for finitely many slices and draws.
    pub over_best_se: f64,
    /// The fit, in the original units.
    pub measure: MeasureDocument,
}

impl From<&Assessment> for AssessmentDocument {
    fn from(assessment: &Assessment) -> Self {
        AssessmentDocument {
            floor: assessment.floor.value,
            floor_attained: assessment.floor.attained,
            held_out_slices: assessment.held_out_slices,
            medoid: (&assessment.medoid).into(),
            free: assessment.free.as_ref().map(FreeDocument::from),
            candidate: assessment.candidate.as_ref().map(JudgementDocument::from),
        }
    }
}

impl From<&Judgement> for JudgementDocument {
    fn from(judgement: &Judgement) -> Self {
        let held_out = |held: &HeldOut| HeldOutDocument {
            expected_loss: held.expected_loss,
            expected_loss_se: held.standard_error,
            over_medoid: held.over_medoid,
            over_medoid_se: held.over_medoid_se,
        };
        JudgementDocument {
            expected_loss: judgement.expected_loss,
            excess: judgement.excess.is_finite().then_some(judgement.excess),
            held_out: judgement.held_out.as_ref().map(held_out),
        }
    }
}

impl From<&FreeSupport> for FreeDocument {
    fn from(free: &FreeSupport) -> Self {
        FreeDocument {
            judgement: (&free.judgement).into(),
            chosen: free.chosen,
            path: free.path.iter().map(PathDocument::from).collect(),
        }
    }
}

impl From<&PathPoint> for PathDocument {
    fn from(point: &PathPoint) -> Self {
        PathDocument {
            atoms: point.atoms,
            judgement: (&point.judgement).into(),
            over_best: point.over_best,
            over_best_se: point.over_best_se,
            measure: (&point.measure).into(),
        }
    }
}
