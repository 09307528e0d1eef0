//! The modes of the posterior, in words.

use super::numbers::{p_value, percent, significant};
use super::{Narrate, Narrative, distance_line, main_atoms};
use crate::about::About;
use crate::posterior::Estimate;
use crate::representatives::{Condition, LEAST_MASS, MOST_VALLEY, Representative, Representatives, SplitTest};
use crate::text;
use crate::text::{Text, index};
use crate::warning::Warning;

impl Narrate for Representatives {
    fn narrate(&self, about: &About, _: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        let modes = self.representatives.len();
        match self.tests.last() {
            None if modes > 1 => narrative.line("modes", format!("{modes} representatives, as asked for")),
            None => narrative.verdict(false, "one mode: there are too few different draws to look for more"),
            Some(_) if modes > 1 => narrative.verdict(
                false,
                format!("{modes} modes: one estimate alone does not stand for the posterior; each mode has a draw of its own"),
            ),
            Some(test) => {
                let disagree = self.warnings.iter().any(|warning| matches!(warning, Warning::ChainsDisagree { .. }));
                match (self.may_have_more(), disagree) {
                    (true, _) => narrative.verdict(
                        false,
                        "one mode is found, but the effective sample size is small and there is a gap that may separate a second mode; give more posterior draws",
                    ),
                    (false, true) => {
                        narrative.verdict(false, "one mode is found, but the chains disagree: there may be more")
                    }
                    (false, false) => narrative.verdict(true, "one mode: one estimate can stand for the posterior"),
                }
                narrative.line("split in two", split(test));
            }
        }
        narrative.line(
            "rule",
            format!(
                "a mode holds at least {:.0} % of the posterior, behind a valley of at most {:.0} % of the lower peak",
                100.0 * LEAST_MASS,
                100.0 * MOST_VALLEY
            ),
        );
        for one in self.representatives.iter().filter(|one| one.of_own_chains) {
            narrative.line("", self.own_chains(one));
        }
        narrative.line("draws", format!("{}, {} of them candidates", about.draws, self.candidates));
        narrative.line(
            "mean distance",
            format!("{} from a draw to its representative", significant(self.expected_distance, 4)),
        );
        narrative.line("distance", distance_line(&about.settings, self.slices));
        let mut header =
            vec!["representative", "probability", "mean distance", "to the first", "main atoms", "clusters"];
        // Modes of badly mixing chains are to be judged by it: their shares of the draws say little.
        let judged = modes > 1 && self.representatives.iter().all(|one| one.log_posterior.is_some());
        if judged {
            header.push("mean log posterior");
        }
        let row = |(place, one): (usize, &Representative)| {
            let labels = one.allocation.as_ref().map(|all| &all.labels[..]);
            let mut row = vec![
                text!["draw ", index(one.draw)],
                format!("{:.3} ± {:.3}", one.weight.value, one.weight.standard_error).into(),
                significant(one.expected_distance, 4).into(),
                if place == 0 { "-".into() } else { significant(self.distances[place], 4).into() },
                main_atoms(&one.measure, labels).len().to_string().into(),
                one.clusters.map_or("no data".into(), |clusters| clusters.to_string().into()),
            ];
            row.extend(one.log_posterior.filter(|_| judged).map(|value| format!("{value:.1}").into()));
            row
        };
        narrative.table(
            header.into_iter().map(String::from).collect(),
            self.representatives.iter().enumerate().map(row).collect(),
        );
        narrative
    }
}

impl Representatives {
    /// That a mode is one of chains which stay in it, and how it compares with the mode of the largest log posterior.
    fn own_chains(&self, one: &Representative) -> Text {
        let chains: Vec<String> = one.chains.iter().map(u32::to_string).collect();
        let (noun, stay) = if chains.len() == 1 { ("chain", "stays") } else { ("chains", "stay") };
        let best = |other: &&Representative| other.log_posterior.is_some_and(|value| Some(value) > one.log_posterior);
        let best = self
            .representatives
            .iter()
            .filter(best)
            .reduce(|best, next| if next.log_posterior > best.log_posterior { next } else { best });
        let lower = match best.and_then(|best| Some((best.draw, best.log_posterior? - one.log_posterior?))) {
            Some((draw, lower)) => {
                let lower = significant(lower, 3);
                text![format!("; its mean log posterior is {lower} lower than that of the mode of draw "), index(draw)]
            }
            None => Text::default(),
        };
        text![
            "the mode of draw ",
            index(one.draw),
            format!(" is that of {noun} {}, which {stay} in it: ", chains.join(", ")),
            "its probability is the share of the draws, not the posterior's",
            lower,
        ]
    }
}

/// What the best split of the draws in two shows.
fn split(test: &SplitTest) -> String {
    if test.valley >= test.peak {
        return "there is no valley: draws are as frequent between the two groups as at the lower of their peaks"
            .into();
    }
    let part = percent(test.valley / test.peak);
    format!("draws between the two groups are {part} as frequent as at the lower of their peaks; {}", refusal(test))
}

/// Why a split is not one of two modes: each condition that it does not meet.
fn refusal(test: &SplitTest) -> String {
    let told = |condition: &Condition| match condition {
        Condition::Evidence => format!("one mode can show such a valley by chance ({})", p_value(test.p_value)),
        Condition::Depth if test.valley > MOST_VALLEY * test.peak => {
            format!("the valley is more than {:.0} % of the lower peak", 100.0 * MOST_VALLEY)
        }
        Condition::Depth if test.drift.is_some() => "chains move between the groups".to_owned(),
        Condition::Depth if !test.crossing.is_finite() => {
            "the draws are too few to tell whether near draws join the groups".to_owned()
        }
        Condition::Depth => format!(
            "near draws join the groups: there are {} as many pairs of near draws between them as within them, more than {}",
            percent(test.crossing),
            percent(MOST_VALLEY * MOST_VALLEY)
        ),
        Condition::Mass => {
            let least = test.weights[0].min(test.weights[1]);
            format!("a group has {} of the posterior, less than {:.0} %", percent(least), 100.0 * LEAST_MASS)
        }
    };
    test.refused_by().iter().map(told).collect::<Vec<_>>().join("; ")
}
