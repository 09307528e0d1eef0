//! Slips of the paper, each demonstrated by a number.

use mixgist::partition::{OmariConvention, PartitionLoss, loss_between};
use mixgist::transport::mw_2;
use mixgist::{CovarianceForm, GaussianAtoms, MixingMeasure, Partition, Points, Result};

use super::Entry;
use super::mixing::arrangements;
use super::monte_carlo::mixtures;
use super::timings;
use crate::choice::MANY;
use crate::evaluate::{Estimate, Posterior};
use crate::grid::GridSlices;
use crate::model::{DIM, STICK_WEIGHTS, four_gaussians, simulated};
use crate::page::Section;
use crate::plain_chain::measures_from_labels;
use crate::prior_check::prior_estimates;
use crate::published::{Percentage, PublishedTable};
use crate::study::{Source, Study};
use crate::table::spread;

/// Slips of the paper.
pub const ENTRY: Entry = Entry { name: "errata", help: "Slips of the paper, each demonstrated by a number", run };

fn run(study: &Study) -> Result<Vec<Section>> {
    let mut section = Section::new("Errata");
    section.text(
        "What the tables and the text say, what the code finds, and what follows. The tables use the published \
         convention; their last column leaves the slip out.",
    );
    let mut rows = Vec::new();
    let mut item = |what: &str, printed: String, found: String, so: &str| {
        rows.push(vec![what.to_owned(), printed, found, so.to_owned()]);
    };

    let source = if study.options.draws.is_some() { Source::Given } else { Source::Own };
    let repeats = study.faithful(source)?;
    if let Some(sum) = spread(repeats, "mix-sw", "E tv") {
        let printed = study.published.table("table5")?.cell("mix-sw", "E tv").map_or("", |cell| &cell.text);
        item(
            "TV without its ½ (Tables 2 and 5; here Mix-SW, Old Faithful)",
            printed.into(),
            format!("sum {:.4}, TV {:.4} ({})", sum.mean, 0.5 * sum.mean, source.name()),
            "the tables print the sum of absolute differences",
        );
    }

    let truth = truth_weights()?;
    item(
        "Truth of Table 2: weights ¼ read as stick fractions",
        "(¼, ¼, ¼, ¼)".into(),
        format!("{}; TV between the two truths {:.4}", truth.weights, truth.total_variation),
        "distances to the truth in Table 2 are to another density",
    );
    let simulation = study.simulation(Source::Own)?;
    for (column, right) in [("tv*", "tv* right"), ("sw2*", "sw2* right")] {
        let (Some(wrong), Some(right)) = (spread(simulation, "smix-w", column), spread(simulation, "smix-w", right))
        else {
            continue;
        };
        let printed = study.published.table("table2")?.cell("smix-w", column).map_or("", |cell| &cell.text);
        item(
            &format!("… in {column} of SMix-W"),
            printed.into(),
            format!("{:.4} to that density, {:.4} to the truth", wrong.mean, right.mean),
            "estimates are closer to the truth than Table 2 says",
        );
    }

    if let Some(found) = (source == Source::Given).then(|| prior_estimates(&repeats[0].posterior)).flatten() {
        let [first, second] = found.scale;
        let away = |value: f64| (second.mean - value) / second.sd;
        item(
            "Ψ of Old Faithful, from the empty sticks of the published draws",
            "diag(4, 26)".into(),
            format!("diag({:.2} ± {:.2}, {:.2} ± {:.2})", first.mean, first.sd, second.mean, second.sd),
            &format!(
                "{:.0} standard errors from 26, {:.1} from 36: the draws follow diag(4, 36)",
                away(26.0),
                away(36.0)
            ),
        );
    }

    let [a, b] = mixtures()?;
    let (with, without) = (mw_2(&a, &a)?.transport_cost, without_two(&a));
    item(
        "Gaussian W₂² without its 2: a mixture to itself",
        format!("{without:.4}"),
        format!("{with:.4}"),
        "with the printed formula a Gaussian is not at distance 0 from itself",
    );

    let right = mw_2(&a, &b)?.transport_cost;
    let swapped = mw_2(
        &MixingMeasure::new(b.weights().to_vec(), a.atoms().clone())?,
        &MixingMeasure::new(a.weights().to_vec(), b.atoms().clone())?,
    )?
    .transport_cost;
    item(
        "Γ(α, β): marginals swapped (MW₂² of the two mixtures of the Monte Carlo figure)",
        format!("{swapped:.4} with π 1 = β, πᵀ 1 = α"),
        format!("{right:.4} with π 1 = α, πᵀ 1 = β"),
        "the printed constraint gives every atom the weight of another measure",
    );

    let bound = proposition_3()?;
    item(
        "Proposition 3: ½ log λ_max as the distance of covariances (N(0, diag(1, e⁻⁴)) and N(0, I))",
        format!("bound {:.4}", bound.printed),
        format!("SMix-W {:.4}, bound with ½ max(log λ_max, −log λ_min) {:.4}", bound.distance, bound.right),
        "the printed bound is below the distance; the Thompson metric bounds it",
    );

    let one = Partition::from_integers(&[0u8; 200])?;
    let omari = |convention| loss_between(PartitionLoss::Omari(convention), &one, &one);
    item(
        "omARI is 0/0 for two one-cluster partitions",
        format!("{}", omari(OmariConvention::Salso)?),
        format!("{}", omari(OmariConvention::Identical)?),
        "a right answer counts as the worst; identical partitions have loss 0 here",
    );
    if let (Some(salso), Some(identical)) =
        (spread(simulation, "vi", "E omari"), spread(simulation, "vi", "E omari right"))
    {
        let printed = study.published.table("table1")?.cell("vi", "E omari").map_or("", |cell| &cell.text);
        item(
            "… in expected omARI of VI, Table 1",
            printed.into(),
            format!("{:.4} with 1, {:.4} with 0", salso.mean, identical.mean),
            &format!("{:.0} % of the simulation's draws have one cluster", 100.0 * single_share(simulation)),
        );
    }

    for percentage in &study.published.percentages {
        let computed = above(study.published.table(&percentage.table)?, percentage);
        if (computed - percentage.printed).abs() > 0.05 {
            item(
                &format!("Text: {}", percentage.what),
                format!("{} %", percentage.printed),
                format!("{computed:.2} %"),
                "the tables give another percentage",
            );
        }
    }

    let shift = label_shift(&repeats[0].evaluation.estimates, &repeats[0].posterior)?;
    item(
        "Density from a partition: labels from 1 taken for sticks from 0 (Binder, Old Faithful)",
        format!("prior atom of weight {:.4}", shift.weight),
        format!("2 TV to the exact E[F | partition, data] {:.4}; drawn rightly {:.4}", shift.published, shift.right),
        "an empty stick comes first; given an arbitrary labelling, sticks are not the posterior",
    );
    if source == Source::Given {
        let own = study.faithful(Source::Own)?;
        item(
            "The published chain of Old Faithful did not mix",
            format!("{} arrangement of the two heaviest atoms", arrangements(&repeats[0].posterior)),
            format!("{} arrangements with mixgist's sampler", arrangements(&own[0].posterior)),
            "see the section on mixing",
        );
    }
    let total = timings::totals(study)?;
    item(
        "Timings: all eight steps for one data set",
        format!("{} min", total.minutes),
        format!("{:.1} s", total.seconds),
        "see the section on timings",
    );
    section.table(&["item", "printed", "found", "so"], rows);
    Ok(vec![section])
}

struct Bounds {
    printed: f64,
    right: f64,
    distance: f64,
}

/// SMix-W between two centred Gaussians, one narrower along an axis, and the two bounds. Both covariances are diagonal, so that the
/// generalised eigenvalues are ratios of variances.
fn proposition_3() -> Result<Bounds> {
    let variances = [1.0, (-4.0f64).exp()];
    let gaussian = |variances: [f64; DIM]| {
        let covariance = vec![variances[0], 0.0, 0.0, variances[1]];
        let atoms = GaussianAtoms::new(DIM, vec![0.0; DIM], covariance, CovarianceForm::Covariance)?;
        MixingMeasure::new(vec![1.0], atoms)
    };
    let (least, largest) = (variances[0].min(variances[1]), variances[0].max(variances[1]));
    Ok(Bounds {
        printed: 0.5 * largest.ln(),
        right: 0.5 * largest.ln().max(-least.ln()),
        distance: MANY.between("smix-w", &gaussian(variances)?, &gaussian([1.0; DIM])?, 0)?,
    })
}

struct TruthWeights {
    weights: String,
    total_variation: f64,
}

fn truth_weights() -> Result<TruthWeights> {
    let observations = simulated(0)?;
    let grid = GridSlices::over(Points::new(DIM, &observations.values)?)?;
    let (right, wrong) = (four_gaussians([0.25; 4])?, four_gaussians(STICK_WEIGHTS)?);
    let shown: Vec<String> = wrong.weights().iter().map(|w| format!("{w:.3}")).collect();
    let distance = grid.between(&grid.of_measure(&right)?, &grid.of_measure(&wrong)?);
    Ok(TruthWeights { weights: format!("({})", shown.join(", ")), total_variation: distance.total_variation })
}

/// The transport cost of a measure to itself under the printed formula, each atom going to itself: Σ w tr Σ, where it should be 0.
fn without_two(measure: &MixingMeasure) -> f64 {
    // tr Σ + tr Σ − tr (Σ^½ Σ Σ^½)^½ = tr Σ
    let trace = |k: usize| measure.atoms().covariance(k)[0] + measure.atoms().covariance(k)[DIM + 1];
    (0..measure.len()).map(|k| measure.weights()[k] * trace(k)).sum()
}

/// By how many percent a published number is above another.
fn above(table: &PublishedTable, percentage: &Percentage) -> f64 {
    let value = |method| table.cell(method, &percentage.column).map_or(f64::NAN, |cell| cell.value());
    100.0 * (value(&percentage.other) / value(&percentage.base) - 1.0)
}

fn single_share(repeats: &[crate::study::Repeat]) -> f64 {
    let of = |p: &Posterior| (0..p.partitions.len()).filter(|&m| p.partitions.clusters(m) == 1).count() as f64;
    let draws: usize = repeats.iter().map(|r| r.posterior.partitions.len()).sum();
    repeats.iter().map(|r| of(&r.posterior)).sum::<f64>() / draws as f64
}

struct LabelShift {
    weight: f64,
    published: f64,
    right: f64,
}

/// The mean density of many draws given the Binder partition, drawn as published and drawn rightly, against the closed form.
fn label_shift(estimates: &[Estimate], posterior: &Posterior) -> Result<LabelShift> {
    const DRAWS: usize = 1000;
    let (partition, data) = (&estimates[0].partition, &posterior.observations.values);
    let grid = GridSlices::over(Points::new(DIM, data)?)?;
    let model = posterior.observations.model()?;
    let log = model.expected_density(partition)?.log_density(grid.points())?;
    let exact = grid.mass(&log.iter().map(|x| x.exp()).collect::<Vec<_>>());
    let distance = |measures: &[MixingMeasure]| -> Result<f64> {
        let mut mean = vec![0.0; grid.points().len() / DIM];
        for measure in measures {
            mean.iter_mut().zip(grid.density(measure)?).for_each(|(sum, value)| *sum += value);
        }
        Ok(2.0 * grid.between(&exact, &grid.mass(&mean)).total_variation)
    };
    let shifted = measures_from_labels(partition, data, posterior.observations.prior, DRAWS, 0)?;
    let sampled = model.sample_measures(partition, DRAWS, 0)?;
    let right: Vec<MixingMeasure> = (0..DRAWS).map(|i| sampled.draw(i)).collect();
    let weight = shifted.iter().map(|measure| measure.weights()[0]).sum::<f64>() / DRAWS as f64;
    Ok(LabelShift { weight, published: distance(&shifted)?, right: distance(&right)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::Published;

    #[test]
    fn two_percentages_of_the_text_are_not_those_of_the_tables() {
        let published = Published::read().unwrap();
        let computed: Vec<String> = published
            .percentages
            .iter()
            .map(|p| format!("{:.2}", above(published.table(&p.table).unwrap(), p)))
            .collect();
        assert_eq!(computed, ["9.48", "3.38", "3.37", "13.50", "32.78"]);
    }

    #[test]
    fn the_printed_formula_keeps_a_gaussian_from_itself() {
        let [a, _] = mixtures().unwrap();
        assert!((without_two(&a) - (0.3 * 2.5 + 0.4 * 1.6 + 0.3 * 5.0)).abs() < 1e-12);
        assert!(mw_2(&a, &a).unwrap().transport_cost.abs() < 1e-12);
    }

    #[test]
    fn the_two_truths_of_table_2_are_far_apart() {
        let truth = truth_weights().unwrap();
        assert_eq!(truth.weights, "(0.366, 0.274, 0.206, 0.154)");
        assert!((0.05..0.2).contains(&truth.total_variation), "{}", truth.total_variation);
    }

    #[test]
    fn proposition_3_as_printed_does_not_bound() {
        let bounds = proposition_3().unwrap();
        assert!(bounds.printed < bounds.distance && bounds.distance < bounds.right);
        assert_eq!((bounds.printed, bounds.right), (0.0, 2.0));
    }
}
