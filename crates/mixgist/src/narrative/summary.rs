//! The summary in words: which draw, how good, how safe, what it looks like.

use super::numbers::{count, percent, resolved, significant, with_error, within};
use super::{Narrate, Narrative, distance_line, left_out};
use crate::about::About;
use crate::agreement::{Agreement, ChainVerdict};
use crate::ensemble::MixingMeasure;
use crate::free::{Assessment, AtomCount, Estimator, HeldOut, Judgement, PathPoint};
use crate::line::Order;
use crate::loss::Loss;
use crate::posterior::{Answer, Estimate};
use crate::select::{ALIKE, ChoiceVerdict, Margin};
use crate::slice::Scheme;
use crate::summary::Summary;
use crate::text;
use crate::text::{Text, index};
use crate::units::Units;

/// Lighter atoms without observations are counted, not shown.
const LISTED_WEIGHT: f64 = 0.01;

/// Coordinates that a table shows.
const MOST_COLUMNS: usize = 6;

/// Cluster sizes that are listed.
const MOST_SIZES: usize = 12;

/// Atoms worth showing, heaviest first: those with some weight or with observations.
pub fn main_atoms(estimate: &MixingMeasure, labels: Option<&[u32]>) -> Vec<usize> {
    let weights = estimate.weights();
    let mut used = vec![labels.is_none(); weights.len()];
    labels.into_iter().flatten().for_each(|&label| used[label as usize] = true);
    let mut atoms: Vec<usize> =
        (0..weights.len()).filter(|&k| weights[k] >= LISTED_WEIGHT || (labels.is_some() && used[k])).collect();
    atoms.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    atoms
}

impl Narrate for Summary {
    fn narrate(&self, about: &About, _: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        let medoid = &self.medoid;
        let (chain, iteration) = (medoid.chain, medoid.iteration);
        let place =
            text!["draw ", index(medoid.draw), format!(" of {} (chain {chain}, iteration {iteration})", about.draws)];
        match self.judgement().filter(|_| about.settings.estimator != Estimator::Medoid) {
            Some(judgement) => {
                let name = about.settings.estimator.name();
                narrative.line("estimate", format!("{name}, {}", count(self.estimate.len(), "atom")));
                if let Some(aligned) = self.aligned().filter(|_| about.settings.estimator == Estimator::Aligned) {
                    let least = aligned.existence.iter().copied().fold(1.0, f64::min);
                    narrative.line(
                        "",
                        format!(
                            "each is a component that {} or more of the draws have; {} of the mass belongs to none",
                            percent(least),
                            percent(aligned.unmatched)
                        ),
                    );
                }
                narrative.line("expected loss", judged(judgement, None));
                narrative.line("medoid", place.then(format!(": {}", self.medoid_loss())));
            }
            None => {
                narrative.line("estimate", place);
                narrative.line("expected loss", self.medoid_loss());
            }
        }
        let but = match self.agreement.verdict {
            ChainVerdict::Disagree => "; but the chains disagree, so that this holds for these draws only",
            _ => "",
        };
        match about.settings.estimator {
            Estimator::Medoid => narrative.verdict(is_safe(self), choice(self).then(but)),
            Estimator::Free(_) | Estimator::Aligned => {
                narrative.verdict(
                    is_safe(self),
                    text!["of the medoid, which the estimate is compared with: ", choice(self), but],
                );
            }
        }
        narrative.line("chains", chains(&self.agreement));
        if let Some(assessment) = &self.assessment {
            assess(&mut narrative, assessment);
        } else if about.settings.order != Order::TWO {
            narrative.line("best possible", "known for order 2 only");
        }
        if let Some(mut sizes) = self.cluster_sizes() {
            let observations: usize = sizes.iter().sum();
            sizes.retain(|size| *size > 0);
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let listed: Vec<String> = sizes.iter().take(MOST_SIZES).map(usize::to_string).collect();
            let more = if sizes.len() > MOST_SIZES { ", …" } else { "" };
            let all = count(observations, "observation");
            narrative.line("clusters", format!("{} of {all}: {}{more}", sizes.len(), listed.join(", ")));
        }
        narrative.line("distance", distance_line(&about.settings, self.slices));
        let exact = format!("{} of {} losses computed exactly", medoid.exact_draws, about.draws);
        narrative.line("route", format!("{}, {exact}", medoid.route.name()));
        if self.pruned.atoms > 0 {
            narrative.line(
                "pruned",
                format!(
                    "{}, at most {:.1e} of the mass of a draw; no transport cost changed by more than {:.1e}",
                    count(self.pruned.atoms, "light atom"),
                    self.pruned.mass,
                    self.pruned.cost_bound
                ),
            );
        }
        atoms(&mut narrative, self, about);
        estimates(&mut narrative, self);
        if let Some(free) = self.free() {
            let auto = matches!(about.settings.estimator, Estimator::Free(AtomCount::Auto { .. }));
            path(&mut narrative, &free.path, free.chosen, auto);
        }
        narrative
    }
}

impl Summary {
    fn medoid_loss(&self) -> String {
        let medoid = &self.medoid;
        match &self.assessment {
            Some(assessment) => judged(&assessment.medoid, medoid.expected_loss_se),
            None => with_error(medoid.expected_loss, medoid.expected_loss_se),
        }
    }
}

/// "1.2418 ± 0.0021, within 1.0 % of the best possible".
fn judged(judgement: &Judgement, error: Option<f64>) -> String {
    let Judgement { expected_loss, excess, .. } = *judgement;
    format!("{}, {}", with_error(expected_loss, error), within(expected_loss, excess))
}

fn assess(narrative: &mut Narrative, assessment: &Assessment) {
    if let Some(own) = &assessment.candidate {
        narrative.line("candidate", judged(own, None));
    }
    narrative.line(
        "best possible",
        format!(
            "no summary of any kind has an expected loss below {} on these slices",
            significant(assessment.floor.value, 5)
        ),
    );
    let slices = count(assessment.held_out_slices, "other slice");
    if let Some(held) = &assessment.medoid.held_out {
        let loss = with_error(held.expected_loss, held.standard_error);
        narrative.line("held out", format!("medoid {loss} on {slices}"));
    }
    let others = [
        ("free", assessment.free.as_ref().map(|free| &free.judgement)),
        ("aligned", assessment.aligned.as_ref().map(|aligned| &aligned.judgement)),
        ("candidate", assessment.candidate.as_ref()),
    ];
    for (name, judgement) in others {
        if let Some(held) = judgement.and_then(|judgement| judgement.held_out.as_ref()) {
            narrative.line("", format!("{name} {}", against_medoid(held)));
        }
    }
}

fn against_medoid(held: &HeldOut) -> String {
    let word = if held.over_medoid < 0.0 { "below" } else { "above" };
    let difference = with_error(held.over_medoid.abs(), held.over_medoid_se);
    format!("{}, {difference} {word} the medoid", with_error(held.expected_loss, held.standard_error))
}

/// Whether nothing speaks against the choice: it is safe, or the rival is nearly the same measure; and the chains do not disagree.
fn is_safe(summary: &Summary) -> bool {
    let good = |margin: Margin| matches!(margin.verdict, ChoiceVerdict::Safe | ChoiceVerdict::Alike);
    summary.medoid.margin.is_none_or(good) && summary.agreement.verdict != ChainVerdict::Disagree
}

/// A standard error of the lead; 0 where it is nothing but rounding of the losses.
fn beyond_rounding(error: f64, summary: &Summary) -> String {
    if error <= 1e-12 * summary.medoid.expected_loss { "0".into() } else { significant(error, 2) }
}

/// The choice of the draw, and whether the draw that is hardest to tell from it is safely behind.
fn choice(summary: &Summary) -> Text {
    let Some(margin) = summary.medoid.margin else {
        return "all draws are the same measure: there was nothing to choose".into();
    };
    let Margin { rival, lead, radii, nearer, .. } = margin;
    let error = |error: Option<f64>| error.map_or("unknown".into(), |error| beyond_rounding(error, summary));
    let errors = format!(
        "standard errors {} over slices and {} over draws",
        error(margin.slice_error),
        error(margin.draw_error)
    );
    let behind = significant(lead, 3);
    // Figures show the draw of second least loss, which may be another one.
    let other = summary.medoid.runner_up.as_ref().is_some_and(|second| second.draw != rival);
    let which = if other { ", harder to tell from it than the runner-up," } else { "" };
    let lead = text!["draw ", index(rival), format!("{which} is {behind} behind ({errors})")];
    let apart = format!("{radii:.2} radii of the 95 % ball apart");
    match margin.verdict {
        ChoiceVerdict::Tied => text![
            "draw ",
            index(rival),
            " is as good as the chosen one: the two are tied, and more slices will not separate them"
        ],
        ChoiceVerdict::Safe => text!["the choice is safe: ", lead],
        ChoiceVerdict::Alike if radii <= ALIKE => {
            text!["a near-tie that does no harm: ", lead, ", and the two are alike, ", apart]
        }
        ChoiceVerdict::Alike => text![
            "a near-tie that does no harm: ",
            lead,
            format!(
                ", and the two are alike, with only {} of the posterior nearer to the chosen draw",
                percent(nearer)
            )
        ],
        ChoiceVerdict::FewSlices => {
            text!["the choice is not safe: ", lead, ", and the two differ, ", apart, "; more slices help"]
        }
        ChoiceVerdict::FewDraws => {
            let help = match summary.agreement.verdict {
                ChainVerdict::Disagree => "",
                _ => "; only more posterior draws help",
            };
            text!["the choice is not safe: ", lead, ", and the two differ, ", apart, help]
        }
        ChoiceVerdict::Unknown => text![
            "draw ",
            index(rival),
            format!(" is {behind} behind; a single group of slices gives no standard error")
        ],
    }
}

/// The verdict on the chains, with the largest R-hat and the least effective sample size.
pub(super) fn chains(agreement: &Agreement) -> String {
    let worst = agreement.worst().and_then(|trace| trace.convergence.map(|convergence| (trace, convergence)));
    let rhat = worst.map(|(trace, convergence)| match convergence.rhat.is_finite() {
        true => format!("; R-hat {:.3} ({})", convergence.rhat, trace.name),
        false => format!("; R-hat infinite ({})", trace.name),
    });
    let ess = agreement.least_ess().map(|ess| format!(", effective sample size at least {ess:.0}"));
    format!("{}{}{}", agreement.text(), rhat.unwrap_or_default(), ess.unwrap_or_default())
}

/// The atoms that matter: those of some weight or with observations, heaviest first.
fn atoms(narrative: &mut Narrative, summary: &Summary, about: &About) {
    let (measure, d) = (&summary.estimate, summary.estimate.dim());
    let sizes = summary.cluster_sizes();
    let listed = main_atoms(measure, summary.allocation.as_ref().map(|allocation| &allocation.labels[..]));
    let shown = d.min(MOST_COLUMNS);
    let mut header = vec!["atom".to_owned(), "weight".to_owned()];
    header.extend(sizes.iter().map(|_| "observations".to_owned()));
    header.extend((0..shown).map(|a| format!("mean {}", about.column(a))));
    header.extend((0..shown).map(|a| format!("sd {}", about.column(a))));
    if d == 2 {
        header.push("correlation".into());
    }
    let row = |&k: &usize| -> Vec<Text> {
        let (mean, covariance) = (measure.atoms().mean(k), measure.atoms().covariance(k));
        let sd = |a: usize| covariance[a * d + a].sqrt();
        let mut row = vec![format!("{:.4}", measure.weights()[k])];
        row.extend(sizes.iter().map(|sizes| sizes[k].to_string()));
        row.extend((0..shown).map(|a| resolved(mean[a], 4, sd(a))));
        row.extend((0..shown).map(|a| significant(sd(a), 3)));
        if d == 2 {
            row.push(format!("{:.2}", covariance[1] / (sd(0) * sd(1))));
        }
        std::iter::once(index(k).into()).chain(row.into_iter().map(Text::from)).collect()
    };
    narrative.table(header, listed.iter().map(row).collect());
    let rest = measure.len() - listed.len();
    if rest > 0 {
        let mass = 1.0 - listed.iter().map(|&k| measure.weights()[k]).sum::<f64>();
        narrative.note(format!(
            "not shown: {} with a weight below {LISTED_WEIGHT}{}; total weight {}",
            count(rest, "atom"),
            if sizes.is_some() { " and no observations" } else { "" },
            significant(mass.max(0.0), 2)
        ));
    }
    left_out(narrative, shown, d);
}

/// The estimates side by side, where there is more than the medoid.
fn estimates(narrative: &mut Narrative, summary: &Summary) {
    let Some(assessment) = &summary.assessment else { return };
    let medoid = summary.medoid.draw;
    let no_draw =
        |name: &str, estimate: &MixingMeasure| -> Text { format!("{name}, {}", count(estimate.len(), "atom")).into() };
    let mut listed = vec![(text!["medoid, draw ", index(medoid)], &assessment.medoid, Some(0.0))];
    listed.extend(assessment.aligned.as_ref().map(|aligned| {
        (no_draw("aligned", &aligned.estimate), &aligned.judgement, aligned.distances.get(medoid).copied())
    }));
    listed.extend(
        assessment
            .free
            .as_ref()
            .map(|free| (no_draw("free", &free.estimate), &free.judgement, free.distances.get(medoid).copied())),
    );
    listed.extend(assessment.candidate.as_ref().map(|judged| ("candidate".into(), judged, None)));
    if listed.len() < 2 {
        return;
    }
    let row = |(name, judged, from_medoid): (Text, &Judgement, Option<f64>)| {
        let excess = if judged.excess.is_finite() { percent(judged.excess) } else { "-".into() };
        let distance = from_medoid.map_or("-".into(), |distance| significant(distance, 4));
        let variation = judged.total_variation.map_or("-".into(), |tv| with_error(tv.mean, Some(tv.standard_error)));
        vec![name, significant(judged.expected_loss, 5).into(), excess.into(), distance.into(), variation.into()]
    };
    let header = ["estimate", "expected loss", "above the floor", "from the medoid", "E[TV]"];
    narrative.table(header.map(String::from).to_vec(), listed.into_iter().map(row).collect());
    narrative
        .note("E[TV] is the mean total variation distance between the density of the estimate and those of the draws");
}

/// The path over numbers of atoms, the chosen one marked.
fn path(narrative: &mut Narrative, path: &[PathPoint], chosen: usize, auto: bool) {
    let header = [
        "at most",
        "atoms",
        "expected loss",
        "above the floor",
        "held out",
        "above the best, held out",
        "mass without draws",
        "",
    ];
    let row = |(i, point): (usize, &PathPoint)| {
        vec![
            point.atoms.to_string(),
            point.measure.len().to_string(),
            significant(point.judgement.expected_loss, 5),
            if point.judgement.excess.is_finite() { percent(point.judgement.excess) } else { "-".into() },
            point.judgement.held_out.map_or("-".into(), |held| significant(held.expected_loss, 5)),
            with_error(point.over_best, Some(point.over_best_se)),
            percent(point.mass_without_draws),
            if i == chosen { "chosen" } else { "" }.to_owned(),
        ]
    };
    narrative.table(header.map(String::from).to_vec(), path.iter().enumerate().map(row).collect());
    if auto {
        narrative.note(format!("chosen: {ATOMS_CHOSEN}"));
    }
}

/// How `auto` chooses the number of atoms.
pub const ATOMS_CHOSEN: &str = "the fewest atoms whose held-out loss is within three standard errors of the best, but no more than 5 % above it, or within \
                                1 % of it, among fits of whose mass at most 1 % lies where almost no draw has a component (where there are none, the fit \
                                with the least of such mass)";

/// "R-hat up to 1.53".
fn largest(rhat: f64) -> String {
    if rhat.is_finite() { format!("R-hat up to {rhat:.2}") } else { "R-hat infinite".into() }
}

/// A paragraph for the methods section of a paper.
pub fn methods(answer: &Answer<Summary>) -> String {
    let (summary, settings) = (&answer.result, &answer.about.settings);
    let scheme = match (&settings.directions, settings.scheme) {
        (Some(_), _) => "given",
        (None, Scheme::Balanced) => "evenly spread",
        (None, Scheme::Iid) => "independent",
        (None, Scheme::Orthogonal) => "blockwise orthogonal",
        (None, Scheme::Qmc) => "randomised quasi-Monte Carlo",
    };
    let units = match &settings.units {
        Units::None => "in the original units".to_owned(),
        Units::Sd => "with each coordinate divided by its standard deviation".to_owned(),
        Units::Whiten => "in whitened coordinates".to_owned(),
        Units::Scale(_) => format!("with coordinates divided by {}", settings.units.name()),
    };
    let distance = match settings.slicer.name() {
        "sw" => "SW",
        "mix-sw" => "Mix-SW",
        "smix-w" => "SMix-W",
        other => other,
    };
    let what = match settings.estimator {
        Estimator::Free(_) => format!("the measure with {} that has the", count(summary.estimate.len(), "atom")),
        Estimator::Medoid => "the draw of".into(),
        Estimator::Aligned => format!(
            "the {} that at least half of the draws have (posterior means of what exact optimal transport matches with them in the draws, starting from the \
             draw of least loss), judged by the",
            count(summary.estimate.len(), "component")
        ),
    };
    let least = if settings.estimator == Estimator::Aligned { "" } else { "least " };
    let loss = if settings.loss == Loss::Power { " raised to its order" } else { "" };
    let error = summary.expected_loss_se;
    let margin = summary.medoid.margin.filter(|_| settings.estimator == Estimator::Medoid);
    format!(
        "The posterior of the mixing measure, represented by {}, was summarised by {what} {least}expected {distance} sliced optimal transport \
         distance{loss} of order {} (Nguyen and Mueller), estimated with {} {scheme} slices (seed {}) {units}, using mixgist {}. The expected \
         loss of the estimate is {}{}{}.{}{}",
        count(answer.about.draws, "posterior draw"),
        settings.order.value(),
        summary.slices,
        settings.seed,
        answer.about.mixgist_version,
        significant(summary.expected_loss, 4),
        error.map_or(String::new(), |se| format!(" (Monte Carlo standard error over slices {})", significant(se, 2))),
        summary.judgement().map_or(String::new(), |j| format!(", {}", within(j.expected_loss, j.excess))),
        margin.and_then(|margin| Some((margin, margin.slice_error?, margin.draw_error?))).map_or(
            String::new(),
            |(margin, slices, draws)| format!(
                " Its lead over the draw that is hardest to tell from it is {}, with a standard error of {} over slices and of {} over draws.",
                significant(margin.lead, 3),
                beyond_rounding(slices, summary),
                beyond_rounding(draws, summary)
            )
        ),
        match (summary.agreement.verdict, summary.agreement.worst().and_then(|trace| trace.convergence)) {
            (ChainVerdict::Disagree, worst) => format!(
                " The chains disagree{}: all this holds for these draws, not for the posterior.",
                worst.map_or(String::new(), |worst| format!(" ({})", largest(worst.rhat)))
            ),
            (ChainVerdict::Slow, Some(worst)) => format!(" The chains mix slowly ({}).", largest(worst.rhat)),
            _ => String::new(),
        },
    )
}
