//! Components that exist, how many there are and who belongs to them, in words.

use super::numbers::{count, existence, percent, resolved, significant};
use super::{Narrate, Narrative, left_out};
use crate::Estimator;
use crate::about::About;
use crate::aligned::{Alignment, Carried, CarriedComponent, LEAST_EXISTENCE};
use crate::effective::Probability;
use crate::how_many::{CountPosterior, HowMany, OccupiedClusters};
use crate::memberships::Memberships;
use crate::posterior::Estimate;
use crate::text;
use crate::text::index;

/// Coordinates that a table shows.
const MOST_COLUMNS: usize = 4;

/// Observations that a table lists.
const MOST_ROWS: usize = 20;

impl Narrate for Alignment {
    fn narrate(&self, about: &About, around: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        if let Some(estimate) = around {
            narrative.line("estimate", estimate.source.clone());
        }
        let components = count(self.estimate.len(), "component");
        match about.settings.estimator == Estimator::Aligned {
            true => {
                narrative.line(
                    "components",
                    format!("{components} that at least {} of the draws have", percent(LEAST_EXISTENCE)),
                );
                narrative.line("weights", "posterior means, scaled to sum 1; means and standard deviations are those of the draws that have the component");
            }
            false => {
                narrative.line("components", format!("{components}: the atoms of the estimate, except very light ones"))
            }
        }
        let none = self.draws.unmatched.iter().sum::<f64>() / self.draws.draws as f64;
        narrative.line("unmatched", format!("{} of the mass of a draw, on average, belongs to none", percent(none)));
        let d = about.dim;
        let shown = d.min(MOST_COLUMNS);
        let mut header = vec!["component".to_owned(), "exists".into(), "weight".into()];
        for what in ["mean", "sd"] {
            header.extend((0..shown).map(|a| format!("{what} {}", about.column(a))));
        }
        let row = |k: usize| {
            let (mean, covariance) = (self.estimate.atoms().mean(k), self.estimate.atoms().covariance(k));
            let sd = |a: usize| covariance[a * d + a].sqrt();
            let Probability { value, standard_error, .. } = self.existence[k];
            let mut row = vec![
                self.names[k].clone(),
                existence(value, standard_error),
                significant(self.estimate.weights()[k], 3),
            ];
            row.extend((0..shown).map(|a| resolved(mean[a], 4, sd(a))));
            row.extend((0..shown).map(|a| significant(sd(a), 3)));
            row
        };
        narrative.table(header, (0..self.estimate.len()).map(row).collect());
        left_out(&mut narrative, shown, d);
        if let Some(carried) = &self.carried {
            carry(&mut narrative, carried);
        }
        narrative
    }
}

/// Where the names come from, what is new and what is gone.
fn carry(narrative: &mut Narrative, carried: &Carried) {
    let row = |one: &CarriedComponent| {
        let from = match (&one.from, one.split) {
            (None, _) => "new".to_owned(),
            (Some(from), true) => format!("split off from {from}"),
            (Some(_), false) => "continues".to_owned(),
        };
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.2}"));
        let change = one.weight_change.map_or_else(String::new, |change| format!("{change:+.3}"));
        vec![one.name.clone(), from, number(one.overlap), change]
    };
    let header = ["component", "since the old fit", "overlap", "change of weight"].map(String::from).to_vec();
    narrative.table(header, carried.components.iter().map(row).collect());
    for gone in &carried.gone {
        let weight = significant(gone.weight, 3);
        narrative.note(match &gone.merged_into {
            Some(name) => format!("gone: {} (weight {weight}), which may have merged into {name}", gone.name),
            None => format!("gone: {} (weight {weight})", gone.name),
        });
    }
}

impl Narrate for HowMany {
    fn narrate(&self, about: &About, around: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        if let Some(estimate) = around {
            let components = count(estimate.measure.len(), "component");
            narrative.line("estimate", text![estimate.source.clone(), ", ", components]);
        }
        let rule = match self.observations {
            Some(n) => format!("ω is (log n / n)^¼ for {}", count(n, "observation")),
            None => "ω is half of the median distance between draws and estimate; with data it depends on their number"
                .into(),
        };
        let omega = significant(self.omega, 3);
        let lightest = significant(self.omega * self.omega, 2);
        narrative.line(
            "merged",
            format!(
                "most often {}, after atoms of a draw that are nearer than about ω = {omega} are merged and those lighter than ω² = {lightest} left out (the merge-truncate-merge rule of Guha, Ho and Nguyen)",
                count(self.components, "component")
            ),
        );
        narrative.line("rate", rule);
        let modes: Vec<usize> = self.merged.iter().map(|at| at.posterior.mode).collect();
        let (least, most) = (modes.iter().min().unwrap_or(&0), modes.iter().max().unwrap_or(&0));
        let each = match least == most {
            true => format!("{} at every ω below", count(*least, "component")),
            false => format!(
                "from {least} to {most} components over the values of ω below: how many there are depends on how different two must be to count as two"
            ),
        };
        narrative.line("other values", each);
        narrative.line("draws", about.draws.to_string());
        let row = |name: String, posterior: &CountPosterior| {
            vec![name, posterior.mode.to_string(), significant(posterior.mean, 3), told(posterior)]
        };
        let header = ["counted", "mode", "mean", "probabilities"].map(String::from).to_vec();
        let occupied = |one: &OccupiedClusters| match one.from_labels {
            true => "clusters with observations, by the labels of the draws".to_owned(),
            false if one.draws < about.draws => {
                format!("clusters with observations, labels drawn for {} of the draws", one.draws)
            }
            false => "clusters with observations, labels drawn given each draw".to_owned(),
        };
        let mut rows: Vec<Vec<String>> = self.occupied.iter().map(|one| row(occupied(one), &one.posterior)).collect();
        rows.extend(
            self.heavier.iter().map(|one| row(format!("atoms of weight {} or more", one.weight), &one.posterior)),
        );
        rows.extend(
            self.merged
                .iter()
                .map(|at| row(format!("merged at {} ω = {}", at.multiple, significant(at.omega, 3)), &at.posterior)),
        );
        narrative.table(header, rows);
        narrative
    }
}

/// The most probable numbers: "3: 81 %, 4: 15 %".
fn told(posterior: &CountPosterior) -> String {
    let mut order: Vec<usize> = (0..posterior.counts.len()).collect();
    order.sort_by(|&a, &b| posterior.probabilities[b].total_cmp(&posterior.probabilities[a]).then(a.cmp(&b)));
    order.truncate(4);
    order.sort_unstable();
    let one = |&i: &usize| format!("{}: {}", posterior.counts[i], percent(posterior.probabilities[i]));
    order.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl Narrate for Memberships {
    fn narrate(&self, _: &About, around: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        if let Some(estimate) = around {
            narrative.line("estimate", estimate.source.clone());
        }
        let uncertain = &self.uncertain;
        narrative.line("memberships", format!(
            "posterior probability that an observation belongs to a component, over {}; the interval ({}) says how much the draws differ",
            count(self.draws_used, "draw"),
            percent(self.level)
        ));
        narrative.line(
            "uncertain",
            format!(
                "{} of {} have no component with a posterior probability of {} or more{}",
                uncertain.len(),
                count(self.points, "observation"),
                percent(self.sure),
                if self.outside() > 0 { ", and do not surely belong to none" } else { "" }
            ),
        );
        if self.outside() > 0 {
            narrative.line("", format!("{} surely belong to none of the components", self.outside()));
        }
        let labels = &self.labels;
        let row = |&i: &usize| -> Vec<text::Text> {
            let place = i * self.components + labels[i] as usize;
            vec![
                index(i).into(),
                index(labels[i] as usize).into(),
                format!("{:.3}", self.mean[place]).into(),
                format!("{:.3} to {:.3}", self.low[place], self.high[place]).into(),
                format!("{:.3}", self.none[i]).into(),
            ]
        };
        let header = ["observation", "component", "probability", "interval", "none"].map(String::from).to_vec();
        narrative.table(header, uncertain.iter().take(MOST_ROWS).map(row).collect());
        if uncertain.len() > MOST_ROWS {
            narrative.note(format!("the {MOST_ROWS} least certain are shown; the document has all"));
        }
        narrative
    }
}
