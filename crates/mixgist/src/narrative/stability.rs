//! The stability card, in words.

use super::numbers::{count, every, significant};
use super::{Narrate, Narrative, distance_line};
use crate::about::About;
use crate::posterior::Estimate;
use crate::stability::{Movement, Outcome, Stability};
use crate::text::Text;

impl Narrate for Stability {
    fn narrate(&self, about: &About, _: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        let good = self.verdict.decided && self.verdict.movement != Movement::Outside;
        for (i, advice) in self.verdict.advice.iter().enumerate() {
            if i == 0 { narrative.verdict(good, advice.clone()) } else { narrative.line("", advice.clone()) }
        }
        narrative.line(
            "unit",
            format!(
                "movements are in radii of the {} % ball; its radius is {} (for other units: the larger of this and the same in those units)",
                100.0 * self.ball.level,
                significant(self.ball.radius, 4)
            ),
        );
        if let Some(clusters) = self.clusters {
            narrative.line("clusters", format!("{clusters} before any change"));
        }
        if self.thin > 1 {
            narrative.line("draws", format!("{}; {} of each chain was used", about.draws, every(self.thin, "draw")));
        }
        if self.untried_chains > 0 {
            let chains = count(self.untried_chains, "chain");
            narrative.line("chains", format!("{chains} with the fewest draws were not left out in turn"));
        }
        narrative.line("distance", distance_line(&about.settings, self.slices));
        let header = ["choice", "change", "moves by", "radii", "clusters", ""].map(String::from).to_vec();
        let rows = self.checks.iter().map(|check| {
            let mut row: Vec<Text> = vec![check.choice.as_str().into(), check.change.clone()];
            match &check.outcome {
                Outcome::Moved(moved) => row.extend([
                    significant(moved.distance, 4).into(),
                    format!("{:.2}", moved.radii).into(),
                    moved.clusters.map_or("-".into(), |clusters| clusters.to_string().into()),
                    moved.movement.name().into(),
                ]),
                Outcome::Failed { error } => {
                    row.extend(["-", "-", "-"].map(Text::from));
                    row.push(error.clone());
                }
            }
            row
        });
        narrative.table(header, rows.collect());
        narrative
    }
}
