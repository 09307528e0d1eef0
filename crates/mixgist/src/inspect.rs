//! What draws look like before anything is done with them: sizes, weights, conditioning, and what should worry the reader.

use rayon::prelude::*;

use crate::agreement::Agreement;
use crate::ensemble::Trace;
use crate::linalg::eigen_symmetric;
use crate::settings::{Settings, SliceCount};
use crate::units::{ResolvedUnits, Units};
use crate::{Ensemble, Points, Result, Silent, SlicedDistance, Warning};

/// What is in an ensemble.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Inspection {
    /// The chains, by number.
    pub chains: Vec<ChainProfile>,
    /// Atoms per draw.
    pub atoms: AtomCounts,
    /// How the weights are spread over the atoms.
    pub weights: WeightProfile,
    /// Eigenvalues of the covariances.
    #[serde(rename = "covariances")]
    pub conditioning: Conditioning,
    /// (Σ w)² / Σ w² of the draw weights, when there are any: their effective sample size.
    pub effective_draws: Option<f64>,
    /// Scale of each coordinate by the robust rule of [`crate::Units`]: of the data when they are there, otherwise of the draws.
    pub scales: Vec<f64>,
    /// Whether the chains agree on functions of the draws that need no estimate.
    pub agreement: Agreement,
    /// What should worry the reader.
    pub problems: Vec<Warning>,
}

/// The draws of one chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ChainProfile {
    /// Number of the chain.
    pub chain: u32,
    /// How many draws it has.
    pub draws: usize,
    /// Smallest iteration number.
    pub first_iteration: u64,
    /// Largest iteration number.
    pub last_iteration: u64,
}

/// Number of atoms K of a draw, over the draws; atoms of weight 0 are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct AtomCounts {
    /// The fewest.
    pub min: usize,
    /// Half of the draws have no more.
    pub median: usize,
    /// The most.
    pub max: usize,
}

/// Means over the draws of how weights are spread over atoms.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct WeightProfile {
    /// Mean of the largest weight of a draw.
    #[serde(rename = "mean_largest")]
    pub largest: f64,
    /// Mean number of atoms of weight above 1e-4.
    #[serde(rename = "mean_atoms_above_1e_4")]
    pub above_1e_4: f64,
    /// Mean number of atoms of weight above 1e-2.
    #[serde(rename = "mean_atoms_above_1e_2")]
    pub above_1e_2: f64,
    /// Mean of exp(−Σ w log w): how many equal atoms would be as spread out.
    #[serde(rename = "mean_perplexity")]
    pub perplexity: f64,
}

/// Extreme eigenvalues of all covariances.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Conditioning {
    /// The smallest eigenvalue of all.
    pub min_eigenvalue: f64,
    /// The largest eigenvalue of all.
    pub max_eigenvalue: f64,
    /// Largest over smallest eigenvalue of the worst atom.
    pub worst_condition: f64,
    /// The draw of that atom.
    pub worst_draw: usize,
    /// Its index within the draw.
    pub worst_atom: usize,
}

/// Condition numbers above this are pointed out: six of sixteen digits are left then.
const ILL_CONDITIONED: f64 = 1e10;

/// Looks at all draws; scales are those of `data`, when there are any. Cost O(atoms × d³), draws in parallel.
pub fn inspect(ensemble: &Ensemble, data: Option<Points>) -> Result<Inspection> {
    let units = ResolvedUnits::new(&Units::None, ensemble, data)?;
    let conditioning = conditioning(ensemble);
    let agreement = judge_chains(ensemble);
    let mut problems = of_draws_and_chains(ensemble, &agreement);
    if conditioning.worst_condition > ILL_CONDITIONED {
        problems.push(Warning::IllConditioned {
            draw: conditioning.worst_draw,
            atom: conditioning.worst_atom,
            condition: conditioning.worst_condition,
        });
    }
    Ok(Inspection {
        chains: chains(ensemble),
        atoms: atom_counts(ensemble),
        weights: weight_profile(ensemble),
        conditioning,
        effective_draws: ensemble.draw_weights().map(|weights| weights.iter().map(|w| w * w).sum::<f64>().recip()),
        scales: units.scales,
        agreement,
        problems,
    })
}

/// What limits the trust in draws that no estimate is made from, as when partitions are: their number, and whether their chains agree.
pub fn warnings(ensemble: &Ensemble) -> Vec<Warning> {
    of_draws_and_chains(ensemble, &judge_chains(ensemble))
}

fn of_draws_and_chains(ensemble: &Ensemble, agreement: &Agreement) -> Vec<Warning> {
    let mut warnings = Warning::of_draws(ensemble);
    warnings.extend(Warning::of_chains(ensemble, agreement));
    warnings
}

/// Slices for the distances from the first draw.
const FEW_SLICES: usize = 32;

/// Judges the chains without an estimate: by numbers of each draw, and by its distance from the first draw, which sees where atoms are.
fn judge_chains(ensemble: &Ensemble) -> Agreement {
    let mut traces = Agreement::functions(ensemble, None);
    // Draws that have no distance, for a covariance that is nearly singular, are judged by the rest.
    traces.extend(distances_from_first(ensemble).ok().map(|values| Trace::new("distance to first draw", values)));
    Agreement::of_traces(ensemble, traces)
}

fn distances_from_first(ensemble: &Ensemble) -> Result<Vec<f64>> {
    let settings = Settings::default().with_slices(SliceCount::Fixed(FEW_SLICES));
    let scaled = ResolvedUnits::new(&settings.units, ensemble, None)?.apply(ensemble)?;
    let slices = settings.freeze(ensemble.dim(), settings.slice_count(ensemble.dim())?)?;
    let distance = SlicedDistance::new(&*slices, settings.order);
    Ok(distance.rows(&[scaled.draw(0)], &scaled, &Silent)?.swap_remove(0))
}

fn chains(ensemble: &Ensemble) -> Vec<ChainProfile> {
    let mut profiles = std::collections::BTreeMap::<u32, ChainProfile>::new();
    for (&chain, &iteration) in ensemble.chains().iter().zip(ensemble.iterations()) {
        let new = ChainProfile { chain, draws: 0, first_iteration: iteration, last_iteration: iteration };
        let profile = profiles.entry(chain).or_insert(new);
        profile.draws += 1;
        profile.first_iteration = profile.first_iteration.min(iteration);
        profile.last_iteration = profile.last_iteration.max(iteration);
    }
    profiles.into_values().collect()
}

fn atom_counts(ensemble: &Ensemble) -> AtomCounts {
    let mut counts: Vec<usize> = ensemble.offsets().windows(2).map(|pair| pair[1] - pair[0]).collect();
    counts.sort_unstable();
    AtomCounts { min: counts[0], median: counts[(counts.len() - 1) / 2], max: counts[counts.len() - 1] }
}

fn weight_profile(ensemble: &Ensemble) -> WeightProfile {
    let mut sums = WeightProfile { largest: 0.0, above_1e_4: 0.0, above_1e_2: 0.0, perplexity: 0.0 };
    for m in 0..ensemble.len() {
        let weights = &ensemble.weights()[ensemble.range(m)];
        let above = |threshold: f64| weights.iter().filter(|w| **w > threshold).count() as f64;
        sums.largest += weights.iter().copied().fold(0.0, f64::max);
        sums.above_1e_4 += above(1e-4);
        sums.above_1e_2 += above(1e-2);
        sums.perplexity += weights.iter().map(|w| -w * w.ln()).sum::<f64>().exp();
    }
    let draws = ensemble.len() as f64;
    WeightProfile {
        largest: sums.largest / draws,
        above_1e_4: sums.above_1e_4 / draws,
        above_1e_2: sums.above_1e_2 / draws,
        perplexity: sums.perplexity / draws,
    }
}

fn conditioning(ensemble: &Ensemble) -> Conditioning {
    let of_draw = |m: usize| {
        let mut own = Conditioning {
            min_eigenvalue: f64::INFINITY,
            max_eigenvalue: 0.0,
            worst_condition: 0.0,
            worst_draw: m,
            worst_atom: 0,
        };
        for (atom, k) in ensemble.range(m).enumerate() {
            let values = eigen_symmetric(ensemble.atoms().covariance(k), ensemble.dim()).values;
            let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = values.iter().copied().fold(0.0, f64::max);
            // Rounding can push the smallest eigenvalue of a nearly singular matrix to 0 or below.
            let condition = if smallest > 0.0 { largest / smallest } else { f64::INFINITY };
            own.min_eigenvalue = own.min_eigenvalue.min(smallest);
            own.max_eigenvalue = own.max_eigenvalue.max(largest);
            if condition > own.worst_condition {
                (own.worst_condition, own.worst_atom) = (condition, atom);
            }
        }
        own
    };
    let draws: Vec<Conditioning> = (0..ensemble.len()).into_par_iter().map(of_draw).collect();
    draws
        .into_iter()
        .reduce(|all, one| {
            let worst = if one.worst_condition > all.worst_condition { one } else { all };
            Conditioning {
                min_eigenvalue: all.min_eigenvalue.min(one.min_eigenvalue),
                max_eigenvalue: all.max_eigenvalue.max(one.max_eigenvalue),
                ..worst
            }
        })
        .expect("an ensemble has at least one draw")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChainVerdict;
    use crate::CovarianceForm;
    use crate::random::{Purpose, standard_normals, stream};

    fn two_draws(covariances: &[f64]) -> Ensemble {
        let means = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0];
        let weights = [0.995, 0.005, 1.0];
        Ensemble::builder(2)
            .offsets(&[0, 2, 3])
            .weights(&weights)
            .means(&means)
            .covariances(covariances)
            .form(CovarianceForm::Diagonal)
            .build()
            .unwrap()
    }

    #[test]
    fn sizes_weights_and_eigenvalues_are_those_of_the_draws() {
        let ensemble = two_draws(&[1.0, 4.0, 9.0, 1.0, 0.5, 0.5]).with_chains(vec![2, 1], vec![7, 8]).unwrap();
        let seen = inspect(&ensemble, None).unwrap();
        assert_eq!(seen.chains[0], ChainProfile { chain: 1, draws: 1, first_iteration: 8, last_iteration: 8 });
        assert_eq!(seen.chains[1].chain, 2);
        assert_eq!(seen.atoms, AtomCounts { min: 1, median: 1, max: 2 });
        assert_eq!((seen.weights.above_1e_4, seen.weights.above_1e_2), (1.5, 1.0));
        assert_eq!(seen.weights.largest, 0.9975);
        let spread = (-(0.995f64 * 0.995f64.ln() + 0.005 * 0.005f64.ln())).exp();
        assert!((seen.weights.perplexity - (spread + 1.0) / 2.0).abs() < 1e-14);
        let worst = seen.conditioning;
        assert_eq!((worst.min_eigenvalue, worst.max_eigenvalue, worst.worst_condition), (0.5, 9.0, 9.0));
        assert_eq!((worst.worst_draw, worst.worst_atom), (0, 1));
        assert_eq!(seen.effective_draws, None);
        let names: Vec<&str> = seen.problems.iter().map(Warning::name).collect();
        assert_eq!(names, ["few-draws"]);
    }

    #[test]
    fn problems_are_pointed_out() {
        let ensemble = two_draws(&[1.0, 1e-11, 1.0, 1.0, 1.0, 1.0]).with_draw_weights(&[1.0, 3.0]).unwrap();
        let seen = inspect(&ensemble, None).unwrap();
        assert!((seen.effective_draws.unwrap() - 1.6).abs() < 1e-14);
        let worst = seen.problems.last().unwrap();
        assert_eq!(worst.to_string(), "the covariance of draw 0, atom 0 has condition number 1.0e11");
        let wide = two_draws(&[1.0, 1e4, 1.0, 1e4, 1.0, 1e4]);
        let seen = inspect(&wide, None).unwrap();
        let names: Vec<&str> = seen.problems.iter().map(Warning::name).collect();
        assert_eq!(names, ["few-draws"], "the default units take care of unequal scales");
        let data = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
        let points = Points::new(2, &data).unwrap();
        let of_data = ResolvedUnits::new(&Units::None, &wide, Some(points)).unwrap().scales;
        assert_eq!(inspect(&wide, Some(points)).unwrap().scales, of_data);
    }

    /// One chain stays elsewhere: weights and covariances are the same everywhere, and so is the mean of the mixture.
    #[test]
    fn chains_that_differ_in_their_means_alone_disagree() {
        let draws = 1600;
        let mut means = vec![0.0; 2 * draws];
        standard_normals(&mut stream(1, Purpose::Simulation, 0), &mut means);
        for (m, pair) in means.chunks_exact_mut(2).enumerate() {
            let half = if m < 1200 { 4.0 } else { 0.0 };
            (pair[0], pair[1]) = (-half + 0.1 * pair[0], half + 0.1 * pair[1]);
        }
        let same = vec![1.0; 2 * draws];
        let ensemble = Ensemble::builder(1)
            .atoms_per_draw(2)
            .weights(vec![0.5; 2 * draws])
            .means(&means)
            .covariances(&same)
            .build()
            .unwrap()
            .with_chains((0..draws as u32).map(|m| m / 400).collect(), (0..draws as u64).collect())
            .unwrap();
        assert_eq!(inspect(&ensemble, None).unwrap().agreement.verdict, ChainVerdict::Disagree);
        let names: Vec<String> = warnings(&ensemble).iter().map(|warning| warning.name().to_owned()).collect();
        assert_eq!(names, ["chains-disagree"]);
        let alike = ensemble.select(&(0..1200).collect::<Vec<_>>()).unwrap();
        assert_eq!(inspect(&alike, None).unwrap().agreement.verdict, ChainVerdict::Agree);
        assert!(warnings(&alike).is_empty());
    }
}
