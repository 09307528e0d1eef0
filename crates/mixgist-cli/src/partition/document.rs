//! The estimated partition with its evidence: as a JSON document, and for a person.

use std::collections::BTreeMap;

use mixgist::PartitionDraws;
use mixgist::partition::{
    BallBound, Certainty, ClusterCountPosterior, OmariConvention, PartitionBall, PartitionEstimate, REGISTRY,
};
use mixgist_io::Schema;
use serde::Serialize;

use super::NamedLoss;
use crate::text::{count, line, significant, table};

/// The schema of an estimated partition.
pub const PARTITION_SCHEMA: Schema = Schema { name: "mixgist.partition", version: 1 };

/// What is known about the estimate.
pub struct Evidence<'a> {
    pub losses: &'a [NamedLoss],
    pub expected_losses: Vec<f64>,
    pub cluster_counts: ClusterCountPosterior,
    pub ball: PartitionBall,
    pub certainties: Option<Vec<Certainty>>,
    pub omari: OmariConvention,
    pub seed: u64,
}

/// The estimate with its evidence.
#[derive(Serialize)]
pub struct PartitionDocument {
    clusters: usize,
    sizes: Vec<u32>,
    loss: String,
    expected_loss: f64,
    expected_losses: BTreeMap<&'static str, f64>,
    omari_convention: &'static str,
    draws: usize,
    observations: usize,
    seed: u64,
    runs: usize,
    runs_agreeing: usize,
    cluster_counts: Vec<CountDocument>,
    cluster_count_mean: f64,
    cluster_count_mode: usize,
    ball: BallDocument,
    labels: Vec<u32>,
    certainty: Option<Vec<f64>>,
}

#[derive(Serialize)]
struct CountDocument {
    clusters: usize,
    probability: f64,
}

#[derive(Serialize)]
struct BallDocument {
    loss: String,
    level: f64,
    probability: f64,
    radius: f64,
    horizontal: BoundDocument,
    upper_vertical: BoundDocument,
    lower_vertical: BoundDocument,
}

/// The draws of a bound with the number of clusters of each.
#[derive(Serialize)]
struct BoundDocument {
    distance: f64,
    draws: Vec<usize>,
    clusters: Vec<usize>,
}

impl BoundDocument {
    fn new(bound: &BallBound, draws: &PartitionDraws) -> Self {
        BoundDocument {
            distance: bound.distance,
            draws: bound.draws.clone(),
            clusters: bound.draws.iter().map(|&m| draws.clusters(m)).collect(),
        }
    }

    fn text(&self) -> String {
        let (Some(&draw), Some(&clusters)) = (self.draws.first(), self.clusters.first()) else {
            return "none".into();
        };
        let more = match self.draws.len() {
            1 => String::new(),
            several => format!(", and {} as far", count(several - 1, "other")),
        };
        format!("draw {draw} with {} at {}{more}", count(clusters, "cluster"), significant(self.distance, 4))
    }
}

impl PartitionDocument {
    /// The document of an estimate.
    pub fn new(estimate: &PartitionEstimate, evidence: &Evidence, draws: &PartitionDraws) -> Self {
        let Evidence { ball, cluster_counts, .. } = evidence;
        let names = evidence.losses.iter().map(|named| named.name);
        PartitionDocument {
            clusters: estimate.partition.clusters(),
            sizes: estimate.partition.sizes(),
            loss: estimate.loss.to_string(),
            expected_loss: estimate.expected_loss,
            expected_losses: names.zip(evidence.expected_losses.iter().copied()).collect(),
            omari_convention: evidence.omari.name(),
            draws: draws.len(),
            observations: draws.observations(),
            seed: evidence.seed,
            runs: estimate.runs,
            runs_agreeing: estimate.runs_agreeing,
            cluster_counts: cluster_counts
                .counts
                .iter()
                .map(|count| CountDocument { clusters: count.clusters, probability: count.probability })
                .collect(),
            cluster_count_mean: cluster_counts.mean,
            cluster_count_mode: cluster_counts.mode,
            ball: BallDocument {
                loss: ball.loss.to_string(),
                level: ball.level,
                probability: ball.probability,
                radius: ball.radius,
                horizontal: BoundDocument::new(&ball.horizontal, draws),
                upper_vertical: BoundDocument::new(&ball.upper_vertical, draws),
                lower_vertical: BoundDocument::new(&ball.lower_vertical, draws),
            },
            labels: estimate.partition.labels().to_vec(),
            certainty: evidence.certainties.as_ref().map(|all| all.iter().map(|one| one.certainty).collect()),
        }
    }

    /// The answer for a person.
    pub fn report(&self) -> String {
        let ball = &self.ball;
        let mut lines = vec![
            line("clusters", format!("{} (of {} observations)", self.clusters, self.sizes_text())),
            line("expected loss", format!("{} ({})", significant(self.expected_loss, 4), self.loss)),
            line("search", format!("{} of {} agree, seed {}", self.runs_agreeing, count(self.runs, "run"), self.seed)),
            line("posterior", format!("{} of {}", count(self.draws, "draw"), count(self.observations, "observation"))),
            line("draws have", self.counts_text()),
            line(
                "credible ball",
                format!("radius {} ({}) holds {:.4}", significant(ball.radius, 4), ball.loss, ball.probability),
            ),
            line("  horizontal", ball.horizontal.text()),
            line("  upper", ball.upper_vertical.text()),
            line("  lower", ball.lower_vertical.text()),
        ];
        lines.extend(self.certainty_text().map(|text| line("certainty", text)));
        lines.push(String::new());
        lines.push(self.losses_table());
        lines.join("\n")
    }

    fn sizes_text(&self) -> String {
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let listed: Vec<String> = sizes.iter().take(LISTED).map(u32::to_string).collect();
        let rest = if sizes.len() > LISTED { ", …" } else { "" };
        format!("{}{rest}", listed.join(", "))
    }

    /// The most probable numbers of clusters, ascending.
    fn counts_text(&self) -> String {
        let mut likely: Vec<&CountDocument> = self.cluster_counts.iter().collect();
        likely.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.clusters.cmp(&b.clusters)));
        likely.truncate(LISTED);
        likely.sort_by_key(|count| count.clusters);
        let listed: Vec<String> =
            likely.iter().map(|count| format!("{} ({:.3})", count.clusters, count.probability)).collect();
        format!(
            "{} clusters (mean {:.2}, mode {})",
            listed.join(", "),
            self.cluster_count_mean,
            self.cluster_count_mode
        )
    }

    fn certainty_text(&self) -> Option<String> {
        let certainty = self.certainty.as_ref()?;
        let mean = certainty.iter().sum::<f64>() / certainty.len() as f64;
        let least = certainty.iter().copied().fold(1.0, f64::min);
        let torn = certainty.iter().filter(|&&c| c < TORN).count();
        Some(format!("mean {mean:.3}, least {least:.3}, {} below {TORN}", count(torn, "observation")))
    }

    fn losses_table(&self) -> String {
        let rows: Vec<Vec<String>> = REGISTRY
            .iter()
            .filter_map(|entry| {
                let value = self.expected_losses.get(entry.name)?;
                let name = match entry.name {
                    "omari" => format!("omari (0/0 = {})", self.omari_convention),
                    name => name.to_owned(),
                };
                Some(vec![name, format!("{value:.4}")])
            })
            .collect();
        table(&["loss", "expected"].map(String::from), &rows)
    }
}

/// More clusters or numbers of clusters than this are not listed.
const LISTED: usize = 12;

/// An observation less certain than this could nearly as well be elsewhere.
const TORN: f64 = 0.6;
