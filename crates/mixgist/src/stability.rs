//! The stability card: what the estimate does when a choice that should not matter is made otherwise.
//!
//! Every line changes one choice (slices, seed, units, loss, distance, burn-in, chains), estimates again, and measures how far the
//! estimate moved, in units of the radius of the credible ball around the unchanged one: below one half the choice hardly matters,
//! above one it matters more than what the posterior leaves open. Half a radius and one radius are conventions; the numbers are given.

use crate::Result;
use crate::agreement::{Agreement, ChainVerdict, SHORTEST};
use crate::allocate::allocate;
use crate::credible::{Ball, ball};
use crate::effective::chains_in_order;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, has_dim};
use crate::loss::Loss;
use crate::mixture::Mixture;
use crate::points::Points;
use crate::posterior::{Answer, Posterior};
use crate::progress::{Progress, Silent};
use crate::settings::{Settings, SliceCount};
use crate::slice::SLICERS;
use crate::text;
use crate::text::{Text, named, option, verb};
use crate::units::Units;
use crate::warning::Warning;

/// How far a change moved the estimate.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Movement {
    /// At most half a radius, and the number of clusters stays.
    #[serde(alias = "steady")]
    Stable,
    /// At most one radius: no more than the posterior leaves open.
    Inside,
    /// Out of the ball.
    Outside,
}

impl Movement {
    /// The name in documents and tables.
    pub fn name(self) -> &'static str {
        match self {
            Movement::Stable => "stable",
            Movement::Inside => "inside",
            Movement::Outside => "outside",
        }
    }
}

/// One line of the card.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Check {
    /// The choice that was changed.
    pub choice: String,
    /// How: an option, or what was left out.
    pub change: Text,
    /// What it did.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Outcome {
    /// The estimate moved.
    Moved(Move),
    /// There is no estimate with the change.
    Failed {
        /// Why.
        error: Text,
    },
}

impl Outcome {
    /// How far the estimate moved, where there is one.
    pub fn moved(&self) -> Option<&Move> {
        match self {
            Outcome::Moved(moved) => Some(moved),
            Outcome::Failed { .. } => None,
        }
    }
}

/// How far the estimate moved.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Move {
    /// Distance between the new estimate and the old one.
    pub distance: f64,
    /// That in radii of the ball, or more in other units if those were changed; null (infinite) when the radius is 0 and the distance is not.
    #[serde(with = "crate::document::infinite_is_null")]
    #[schemars(with = "Option<f64>")]
    pub radii: f64,
    /// The same in a word.
    pub movement: Movement,
    /// Number of clusters with the change, when there are data.
    pub clusters: Option<usize>,
}

/// The card.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Stability {
    /// The unchanged estimate.
    pub estimate: MixingMeasure,
    /// The ball whose radius is the unit.
    pub ball: Ball,
    /// Number of clusters of the unchanged estimate, when there are data.
    pub clusters: Option<usize>,
    /// Every so many draws of a chain were used.
    pub thin: usize,
    /// Number of slices before any change.
    pub slices: usize,
    /// The lines, choice after choice.
    pub checks: Vec<Check>,
    /// How many chains were not left out in turn: of many, those with the most draws go first.
    pub untried_chains: usize,
    /// What to do.
    #[serde(flatten)]
    pub verdict: StabilityVerdict,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

impl Fits for Stability {
    fn fits(&self, draws: usize, dim: usize) -> Result<()> {
        has_dim("the estimate", &self.estimate, dim)?;
        self.ball.fits(draws, dim)
    }
}

/// What a person can act on.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct StabilityVerdict {
    /// The verdict in a word: 'stable', 'inside', 'outside', or 'undecided'.
    pub verdict: String,
    /// The largest movement.
    pub movement: Movement,
    /// Whether the movements say anything: chains agree, and there are draws enough that others could have been chosen.
    pub decided: bool,
    /// One sentence, and a piece of advice for each choice that matters.
    pub advice: Vec<Text>,
}

/// Among fewer draws there is next to nothing to choose, so that a card of them says nothing.
const FEWEST_DRAWS: usize = 20;

/// More draws than this are thinned first: the card asks how much choices matter, and a dozen estimates answer it.
pub const MOST_DRAWS: usize = 1000;

struct Variant {
    change: Text,
    settings: Settings,
    draws: Option<Vec<usize>>,
}

/// A choice: its name, its variants, and what helps when it matters.
struct Choice {
    name: &'static str,
    /// From the draws that are used, one in so many of each chain, and the settings.
    variants: fn(&Ensemble, usize, &Settings) -> Vec<Variant>,
    /// Whether the chains agree, as far as can be told, decides what is said of those that leave out draws.
    advice: fn(bool) -> Text,
}

/// Every choice that is looked at.
const CHOICES: [Choice; 8] = [
    Choice {
        name: "draws",
        variants: |_, thin, settings| {
            let change = format!("one draw in {thin}, as in all lines below");
            (thin > 1).then(|| Variant::of(change.into(), settings, |_| ())).into_iter().collect()
        },
        advice: |_| {
            text!["the lines of this card are made from fewer draws than the estimate: read them against this one"]
        },
    },
    Choice {
        name: "slices",
        variants: |draws, _, settings| {
            let count = settings.slice_count(draws.dim()).unwrap_or(SliceCount::PLENTY);
            let (half, twice) = (count / 2, count * 2);
            let with = |count: usize| {
                Variant::of(text![option("slices", count)], settings, |s| s.slices = SliceCount::Fixed(count))
            };
            let given = settings.directions.is_some();
            [half, twice].into_iter().filter(|&count| count > 0 && !given).map(with).collect()
        },
        advice: |_| {
            text![
                "the number of slices changes the estimate; the verdict of ",
                verb("summarize"),
                " says whether more would help"
            ]
        },
    },
    Choice {
        name: "seed",
        variants: |_, _, settings| {
            let with = |seed: u64| Variant::of(text![option("seed", seed)], settings, |s| s.seed = seed);
            let given = settings.directions.is_some();
            (1..=2).filter(|_| !given).map(|add| with(settings.seed.wrapping_add(add))).collect()
        },
        advice: |_| {
            text![
                "the random directions change the estimate; the verdict of ",
                verb("summarize"),
                " says whether more slices would help"
            ]
        },
    },
    Choice {
        name: "units",
        variants: |_, _, settings| {
            let others = [Units::None, Units::Sd, Units::Whiten].into_iter().filter(|units| *units != settings.units);
            others
                .map(|units| Variant::of(text![option("units", units.name())], settings, |s| s.units = units.clone()))
                .collect()
        },
        advice: |_| {
            text![
                "the units change the estimate: say which were used; the default, ",
                option("units", "sd"),
                ", is the usual choice"
            ]
        },
    },
    Choice {
        name: "loss",
        variants: |_, _, settings| {
            let others = Loss::NAMES.into_iter().filter(|(_, loss)| *loss != settings.loss);
            others.map(|(name, loss)| Variant::of(text![option("loss", name)], settings, |s| s.loss = loss)).collect()
        },
        advice: |_| {
            text![
                "the two losses give different estimates: the posterior is skewed or has several modes, see ",
                verb("representatives")
            ]
        },
    },
    Choice {
        name: "distance",
        variants: |_, _, settings| {
            let others = SLICERS.into_iter().filter(|slicer| slicer.name() != settings.slicer.name());
            let given = settings.directions.is_some();
            others
                .filter(|_| !given)
                .map(|slicer| {
                    Variant::of(text![option("distance", slicer.name())], settings, |s| s.slicer = slicer.into())
                })
                .collect()
        },
        advice: |_| text!["distances weigh means and covariances differently: say which one was used"],
    },
    Choice {
        name: "burn-in",
        variants: |ensemble, thin, settings| {
            let shortest = chains_in_order(ensemble).iter().map(Vec::len).min().unwrap_or(0);
            let later = [shortest / 4, shortest / 2].into_iter().filter(|&burn_in| burn_in > 0);
            later
                .map(|burn_in| {
                    // Draws are counted as they were given, before the card thinned them.
                    let change = text![option("burn_in", thin * burn_in), " more"];
                    Variant { draws: Some(ensemble.thinned(burn_in, 1)), ..Variant::of(change, settings, |_| ()) }
                })
                .collect()
        },
        advice: |agree| match agree {
            true => fewer_draws(),
            false => text![
                "the chains had not converged at the beginning: drop more draws with ",
                named("burn_in"),
                ", or run them longer"
            ],
        },
    },
    Choice {
        name: "chains",
        variants: |ensemble, _, settings| {
            let without = |chain: u32| {
                let rest = (0..ensemble.len()).filter(|&m| ensemble.chains()[m] != chain).collect();
                Variant { draws: Some(rest), ..Variant::of(format!("without chain {chain}").into(), settings, |_| ()) }
            };
            tried_chains(ensemble).into_iter().map(without).collect()
        },
        advice: |agree| match agree {
            true => fewer_draws(),
            false => {
                text![
                    "one chain changes the estimate: look at each chain separately; ",
                    verb("inspect"),
                    " shows where"
                ]
            }
        },
    },
];

/// What is said where leaving out draws moves the estimate, although no chain stands apart or trends.
fn fewer_draws() -> Text {
    text!["the chains do not differ, so that it is what fewer draws do: give more posterior draws"]
}

/// No more chains than this are left out in turn.
const MOST_CHAINS: usize = 8;

/// The chains that are left out in turn, ascending: those with the most draws. A chain alone cannot be left out.
fn tried_chains(ensemble: &Ensemble) -> Vec<u32> {
    let mut chains = chains_in_order(ensemble);
    if chains.len() < 2 {
        return Vec::new();
    }
    chains.sort_by_key(|chain| std::cmp::Reverse(chain.len()));
    let mut tried: Vec<u32> = chains.iter().take(MOST_CHAINS).map(|chain| ensemble.chains()[chain[0]]).collect();
    tried.sort_unstable();
    tried
}

impl Variant {
    fn of(change: Text, settings: &Settings, edit: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = settings.clone();
        settings.route = crate::Route::Auto;
        edit(&mut settings);
        Variant { change, settings, draws: None }
    }
}

impl Posterior<'_> {
    /// Makes the card; `level` is that of the ball.
    ///
    /// Cost: some dozen estimates from at most [`MOST_DRAWS`] draws.
    pub fn stability(&self, level: f64, progress: &dyn Progress) -> Result<Answer<Stability>> {
        Ok(self.answer(stability(self, level, progress)?))
    }
}

fn stability(posterior: &Posterior, level: f64, progress: &dyn Progress) -> Result<Stability> {
    let (ensemble, data) = (posterior.ensemble(), posterior.data());
    // One choice changes at a time: with `auto`, all lines but that of the slices take as many as the summary did.
    let mut settings = posterior.settings().clone();
    if matches!(settings.slices, SliceCount::Auto { .. }) && settings.directions.is_none() {
        settings.slices = SliceCount::Fixed(posterior.slices(progress)?.len());
    }
    let settings = &settings;
    let thin = ensemble.len().div_ceil(MOST_DRAWS);
    let thinned = (thin > 1).then(|| ensemble.thinned(0, thin));
    let mut used = posterior.with(thinned.as_deref(), settings.clone())?;
    if thin == 1 {
        used = used.with_kept(posterior.kept());
    }
    let ensemble = used.ensemble();
    let variants: Vec<(&Choice, Variant)> = const { &CHOICES }
        .iter()
        .flat_map(|choice| {
            (choice.variants)(ensemble, thin, settings).into_iter().map(move |variant| (choice, variant))
        })
        .collect();
    // Many lines take the same slices, with fewer draws or another loss: the distances between all draws answer them together.
    if variants.iter().filter(|(_, variant)| variant.draws.is_some()).count() >= WORTHWHILE {
        used.all_distances(&Quiet(progress))?;
    }
    // The card is about the summary's estimate, even where its lines are made from fewer draws.
    let estimate = posterior.estimate(progress)?.measure.clone();
    let distances = posterior.distances(progress)?;
    let ball = ball(posterior.ensemble(), distances, level)?;
    let agreement = Agreement::new(posterior.ensemble(), Some(distances));
    let mut warnings = Warning::of_draws(posterior.ensemble());
    warnings.extend(Warning::of_chains(posterior.ensemble(), &agreement));
    if settings.units == Units::None {
        warnings.extend(Warning::unequal_units(posterior.units()?));
    }
    let clusters = clusters(&estimate, data)?;
    let mut checks = Vec::with_capacity(variants.len());
    progress.begin("stability", variants.len() as u64);
    for (choice, variant) in variants {
        progress.check()?;
        let outcome = match movement(&variant, &used, &estimate, &ball, clusters, progress) {
            Ok(moved) => Outcome::Moved(moved),
            Err(error) if error.kind() == crate::ErrorKind::Interrupted => return Err(error),
            Err(error) => Outcome::Failed { error: error.message().clone() },
        };
        checks.push(Check { choice: choice.name.into(), change: variant.change, outcome });
        progress.advance(1);
    }
    let lengths: Vec<usize> = chains_in_order(ensemble).iter().map(Vec::len).collect();
    let comparable = lengths.len() < 2 || lengths.iter().all(|&length| length >= SHORTEST);
    let agree = matches!(agreement.verdict, ChainVerdict::Agree | ChainVerdict::Short);
    let verdict = verdict(&checks, clusters, ensemble.len(), comparable, agree, &warnings);
    let untried_chains = chains_in_order(ensemble).len().saturating_sub(MOST_CHAINS);
    Ok(Stability {
        estimate,
        ball,
        clusters,
        thin,
        slices: used.slices(progress)?.len(),
        checks,
        untried_chains,
        verdict,
        warnings,
    })
}

/// From so many lines on it pays to compute the distances between all draws.
const WORTHWHILE: usize = 4;

/// Passes on that the user wants to stop, and nothing else: the card counts its own lines.
struct Quiet<'a>(&'a dyn Progress);

impl Progress for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

fn movement(
    variant: &Variant,
    posterior: &Posterior,
    unchanged: &MixingMeasure,
    unchanged_ball: &Ball,
    unchanged_clusters: Option<usize>,
    progress: &dyn Progress,
) -> Result<Move> {
    let quiet = Quiet(progress);
    let ensemble = posterior.ensemble();
    let other = posterior.with(variant.draws.as_deref(), variant.settings.clone())?;
    let estimate = match posterior.known_medoid(variant.draws.as_deref(), &other)? {
        Some(draw) => ensemble.draw(draw).heaviest_first(),
        None => other.bare_estimate(&quiet)?,
    };
    let distance = posterior.between(unchanged, &estimate, &quiet)?.value;
    let mut radii = in_radii(distance, unchanged_ball);
    if variant.settings.units != posterior.settings().units && distance > 0.0 {
        // What is far in other units may be near in these, where one coordinate outweighs all others.
        let seen = ball(ensemble, &other.row(unchanged, &quiet)?, unchanged_ball.level)?;
        radii = radii.max(in_radii(other.between(unchanged, &estimate, &quiet)?.value, &seen));
    }
    let clusters = clusters(&estimate, posterior.data())?;
    let movement = match radii {
        // Another number of clusters is another answer, however near the estimates are.
        r if r <= 0.5 && clusters == unchanged_clusters => Movement::Stable,
        r if r <= 1.0 => Movement::Inside,
        _ => Movement::Outside,
    };
    Ok(Move { distance, radii, movement, clusters })
}

/// A distance in radii of the ball; infinite when the radius is 0 and the distance is not.
pub fn in_radii(distance: f64, ball: &Ball) -> f64 {
    match (distance, ball.radius) {
        (0.0, _) => 0.0,
        (_, 0.0) => f64::INFINITY,
        (distance, radius) => distance / radius,
    }
}

fn clusters(estimate: &MixingMeasure, data: Option<Points>) -> Result<Option<usize>> {
    let Some(points) = data else { return Ok(None) };
    Ok(Some(allocate(&Mixture::new(estimate)?, points, &Silent)?.clusters()))
}

fn verdict(
    checks: &[Check],
    clusters: Option<usize>,
    draws: usize,
    comparable: bool,
    agree: bool,
    warnings: &[Warning],
) -> StabilityVerdict {
    let outcomes = || checks.iter().filter_map(|check| check.outcome.moved().map(|moved| (check, moved)));
    let movement = outcomes().map(|(_, outcome)| outcome.movement).max().unwrap_or(Movement::Stable);
    let disagree = warnings.iter().any(|warning| matches!(warning, Warning::ChainsDisagree { .. }));
    let first = match movement {
        _ if draws < FEWEST_DRAWS => {
            format!("undecided: fewer than {FEWEST_DRAWS} draws are too few to choose from; give more posterior draws")
        }
        _ if disagree => {
            "undecided: the chains disagree, so that these draws are not yet those of the posterior; look at each \
                          chain on its own"
                .to_owned()
        }
        _ if !comparable => format!(
            "undecided: a chain has fewer than {SHORTEST} draws, too few to compare it with the others; give more draws, or leave the chain out"
        ),
        Movement::Stable => {
            "stable: no choice moves the estimate by more than half the radius of the ball, or changes the number of \
                             clusters"
                .to_owned()
        }
        Movement::Inside => {
            "no choice moves the estimate out of the ball: they matter less than what the posterior leaves open"
                .to_owned()
        }
        Movement::Outside => {
            "choices move the estimate out of the ball: it says as much about them as about the data".to_owned()
        }
    };
    let mut advice: Vec<Text> = vec![first.into()];
    // What fewer draws do by themselves is no other choice's doing.
    let thinned = outcomes().find(|(check, _)| check.choice == "draws").map(|(_, outcome)| outcome);
    let by_itself = |choice: &str, outcome: &Move| {
        choice == "draws"
            || thinned
                .is_none_or(|thinned| (outcome.distance, outcome.clusters) != (thinned.distance, thinned.clusters))
    };
    let unequal = warnings.iter().any(|warning| matches!(warning, Warning::UnequalUnits { .. }));
    // Where chains disagree, what helps is said in the warning of them, and the movements say nothing about other choices.
    for choice in const { &CHOICES }.iter().filter(|_| !disagree) {
        let of_choice = || outcomes().filter(|(check, o)| check.choice == choice.name && by_itself(choice.name, o));
        let farthest = of_choice().map(|(_, outcome)| outcome.radii).fold(0.0, f64::max);
        let counts_differ = of_choice().any(|(_, outcome)| outcome.clusters != clusters);
        // Units of which the reader is warned are named as soon as they move the estimate notably.
        let of_units = unequal && choice.name == "units" && farthest > 0.5;
        if farthest > 1.0 || counts_differ || of_units {
            let counts = match (clusters, of_choice().find(|(_, outcome)| outcome.clusters != clusters)) {
                (Some(before), Some((_, Move { clusters: Some(after), .. }))) => {
                    format!(", the number of clusters changes from {before} to {after}")
                }
                _ => String::new(),
            };
            let alone = match thinned {
                Some(thinned) if choice.name != "draws" && thinned.distance > 0.0 => {
                    format!(" (fewer draws alone: {:.2} radii)", thinned.radii)
                }
                _ => String::new(),
            };
            let moves = format!("{}: moves it by {farthest:.2} radii{alone}{counts}; ", choice.name);
            advice.push(text![moves, (choice.advice)(agree)]);
        }
    }
    let decided = draws >= FEWEST_DRAWS && comparable && !disagree;
    let verdict = if decided { movement.name() } else { "undecided" };
    StabilityVerdict { verdict: verdict.into(), movement, decided, advice }
}

#[cfg(test)]
mod tests;
