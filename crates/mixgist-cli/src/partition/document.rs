//! The estimated partition with its evidence, for a person.

use mixgist::partition::REGISTRY;
use mixgist_io::{BallBoundDocument, ClusterCountDocument, PartitionDocument};

use crate::text::{count, line, significant, table};

/// The answer for a person.
pub fn report(document: &PartitionDocument) -> String {
    let ball = &document.ball;
    let mut lines = vec![
        line("clusters", format!("{} (of {} observations)", document.clusters, sizes_text(document))),
        line("expected loss", format!("{} ({})", significant(document.expected_loss, 4), document.loss)),
        line(
            "search",
            format!("{} of {} agree, seed {}", document.runs_agreeing, count(document.runs, "run"), document.seed),
        ),
        line(
            "posterior",
            format!("{} of {}", count(document.draws, "draw"), count(document.observations, "observation")),
        ),
        line("draws have", counts_text(document)),
        line(
            "credible ball",
            format!("radius {} ({}) holds {:.4}", significant(ball.radius, 4), ball.loss, ball.probability),
        ),
        line("  horizontal", bound(&ball.horizontal)),
        line("  upper", bound(&ball.upper_vertical)),
        line("  lower", bound(&ball.lower_vertical)),
    ];
    lines.extend(certainty_text(document).map(|text| line("certainty", text)));
    lines.push(String::new());
    lines.push(losses_table(document));
    lines.join("\n")
}

fn sizes_text(document: &PartitionDocument) -> String {
    let mut sizes = document.sizes.clone();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let listed: Vec<String> = sizes.iter().take(LISTED).map(u32::to_string).collect();
    let rest = if sizes.len() > LISTED { ", …" } else { "" };
    format!("{}{rest}", listed.join(", "))
}

/// The most probable numbers of clusters, ascending.
fn counts_text(document: &PartitionDocument) -> String {
    let mut likely: Vec<&ClusterCountDocument> = document.cluster_counts.iter().collect();
    likely.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.clusters.cmp(&b.clusters)));
    likely.truncate(LISTED);
    likely.sort_by_key(|count| count.clusters);
    let listed: Vec<String> =
        likely.iter().map(|count| format!("{} ({:.3})", count.clusters, count.probability)).collect();
    format!(
        "{} clusters (mean {:.2}, mode {})",
        listed.join(", "),
        document.cluster_count_mean,
        document.cluster_count_mode
    )
}

fn certainty_text(document: &PartitionDocument) -> Option<String> {
    let certainty = document.certainty.as_ref()?;
    let mean = certainty.iter().sum::<f64>() / certainty.len() as f64;
    let least = certainty.iter().copied().fold(1.0, f64::min);
    let torn = certainty.iter().filter(|&&c| c < TORN).count();
    Some(format!("mean {mean:.3}, least {least:.3}, {} below {TORN}", count(torn, "observation")))
}

fn losses_table(document: &PartitionDocument) -> String {
    let rows: Vec<Vec<String>> = REGISTRY
        .iter()
        .filter_map(|entry| {
            let value = document.expected_losses.get(entry.name)?;
            let name = match entry.name {
                "omari" => format!("omari (0/0 = {})", document.omari_convention),
                name => name.to_owned(),
            };
            Some(vec![name, format!("{value:.4}")])
        })
        .collect();
    table(&["loss", "expected"].map(String::from), &rows)
}

/// More clusters or numbers of clusters than this are not listed.
const LISTED: usize = 12;

/// An observation less certain than this could nearly as well be elsewhere.
const TORN: f64 = 0.6;

fn bound(bound: &BallBoundDocument) -> String {
    let (Some(&draw), Some(&clusters)) = (bound.draws.first(), bound.clusters.first()) else {
        return "none".into();
    };
    let more = match bound.draws.len() {
        1 => String::new(),
        several => format!(", and {} as far", count(several - 1, "other")),
    };
    format!("draw {draw} with {} at {}{more}", count(clusters, "cluster"), significant(bound.distance, 4))
}
