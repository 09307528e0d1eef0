//! An estimated partition, in words.

use super::Narrative;
use super::numbers::{count, significant};
use crate::partition::{BallBound, ClusterCount, PartitionAnswer, REGISTRY};
use crate::text;
use crate::text::{Text, index};

/// More clusters or numbers of clusters than this are not listed.
const LISTED: usize = 12;

/// An observation with a smaller score than this could nearly as well be elsewhere.
const UNCERTAIN: f64 = 0.6;

impl PartitionAnswer {
    /// What there is to say about it.
    pub fn narrative(&self) -> Narrative {
        let mut narrative = Narrative::default();
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let listed: Vec<String> = sizes.iter().take(LISTED).map(u32::to_string).collect();
        let more = if sizes.len() > LISTED { ", …" } else { "" };
        let all = count(self.observations, "observation");
        narrative.line("clusters", format!("{} of {all}: {}{more}", self.clusters, listed.join(", ")));
        narrative.line("expected loss", format!("{} ({})", significant(self.expected_loss, 4), self.loss));
        let agree = if self.runs_agreeing == 1 { "leads" } else { "lead" };
        narrative.line(
            "search",
            format!(
                "{} of {} {agree} to this partition, seed {}",
                self.runs_agreeing,
                count(self.runs, "run"),
                self.seed
            ),
        );
        narrative.line("draws", format!("{} of {all}", count(self.draws, "draw")));
        if self.labels_sampled {
            narrative.line(
                "labels",
                "the draws have none: they were drawn given the measure of each draw, with the same seed",
            );
        }
        narrative.line("in the draws", self.counts());
        let ball = &self.ball;
        narrative.line(
            "credible ball",
            format!(
                "radius {} ({}) holds {:.4} of the posterior",
                significant(ball.radius, 4),
                ball.loss,
                ball.probability
            ),
        );
        for (name, bound) in [
            ("farthest in it: ", &ball.horizontal),
            ("fewest clusters in it: ", &ball.upper_vertical),
            ("most clusters in it: ", &ball.lower_vertical),
        ] {
            narrative.line("", Text::from(name).then(told(bound)));
        }
        if let Some(scores) = &self.coclustering {
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            let least = scores.iter().copied().fold(1.0, f64::min);
            let few = scores.iter().filter(|&&c| c < UNCERTAIN).count();
            narrative.line(
                "co-clustering",
                format!("mean {mean:.3}, least {least:.3}, {} below {UNCERTAIN}", count(few, "observation")),
            );
            narrative.note(
                "co-clustering score of an observation: own / (own + other), the mean posterior probabilities that it shares a cluster with the \
                 others of its cluster, and with those of the nearest other one; 1 is sure, 0.5 is undecided",
            );
        }
        let rows = REGISTRY.iter().filter_map(|entry| {
            let value = self.expected_losses.get(entry.name)?;
            let name = match entry.name {
                "omari" => format!("omari (0/0 = {})", self.omari_convention),
                name => name.to_owned(),
            };
            Some(vec![name, format!("{value:.4}")])
        });
        narrative.table(["loss", "expected"].map(String::from).to_vec(), rows.collect());
        narrative
    }

    /// The most probable numbers of clusters, ascending.
    fn counts(&self) -> String {
        let mut likely: Vec<&ClusterCount> = self.cluster_counts.iter().collect();
        likely.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.clusters.cmp(&b.clusters)));
        likely.truncate(LISTED);
        likely.sort_by_key(|count| count.clusters);
        let listed: Vec<String> =
            likely.iter().map(|one| format!("{} ({})", one.clusters, probability(one.probability))).collect();
        format!(
            "{} clusters (mean {:.2}, mode {})",
            listed.join(", "),
            self.cluster_count_mean,
            self.cluster_count_mode
        )
    }
}

/// To three decimals; what is not 0 is not called 0.
fn probability(value: f64) -> String {
    if value < 5e-4 { "below 0.001".into() } else { format!("{value:.3}") }
}

fn told(bound: &BallBound) -> Text {
    let (Some(&draw), Some(&clusters)) = (bound.draws.first(), bound.clusters.first()) else {
        return "none".into();
    };
    let more = match bound.draws.len() {
        1 => String::new(),
        several => format!(", and {} at the same distance", count(several - 1, "other")),
    };
    let (clusters, distance) = (count(clusters, "cluster"), significant(bound.distance, 4));
    text!["draw ", index(draw), format!(" with {clusters} at distance {distance}{more}")]
}
