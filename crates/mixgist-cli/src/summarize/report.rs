//! The answer of `mixgist summarize` for a person.

use mixgist::summary::SAFE_SEPARATION;
use mixgist::{Ensemble, Settings, Summary};
use mixgist_report::subject::{LISTED_WEIGHT, main_atoms};

use super::quality;
use crate::options::slices_text;
use crate::text::{count, line, resolved, significant, table, with_error};

/// The answer for a person: which draw, how good, how safe, what it looks like.
pub fn report(summary: &Summary, ensemble: &Ensemble, settings: &Settings, columns: Option<&[String]>) -> String {
    let medoid = &summary.medoid;
    let mut lines = Vec::new();
    let (chain, iteration) = (ensemble.chains()[medoid.draw], ensemble.iterations()[medoid.draw]);
    let place = format!("draw {} of {} (chain {chain}, iteration {iteration})", medoid.draw, ensemble.len());
    let assessment = summary.assessment.as_ref();
    let loss = match assessment {
        Some(assessment) => quality::loss(&assessment.medoid, medoid.expected_loss_se),
        None => {
            let loss = with_error(medoid.expected_loss, medoid.expected_loss_se);
            let why = if settings.order.value() == 2.0 {
                ""
            } else {
                " (how near the best possible is known for order 2 alone)"
            };
            format!("{loss}{why}")
        }
    };
    match summary.free() {
        Some(free) => {
            let atoms = count(free.estimate.len(), "atom");
            lines.push(line("estimate", format!("free, {atoms}")));
            lines.push(line("expected loss", quality::loss(&free.judgement, None)));
            lines.push(line("medoid", format!("{place}: {loss}")));
        }
        None => {
            lines.push(line("estimate", place));
            lines.push(line("expected loss", loss));
        }
    }
    lines.push(line("runner-up", runner_up(summary)));
    lines.extend(assessment.into_iter().flat_map(quality::lines));
    if let Some(sizes) = cluster_sizes(summary) {
        let mut sizes: Vec<usize> = sizes.into_iter().filter(|&size| size > 0).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let text: Vec<String> = sizes.iter().map(usize::to_string).collect();
        lines.push(line("clusters", format!("{} (of {} observations)", sizes.len(), text.join(", "))));
    }
    let how = format!(
        "{}, order {}, {}, units {}",
        settings.slicer.name(),
        settings.order.value(),
        slices_text(settings, summary.slices),
        summary.units.units.name()
    );
    lines.push(line("distance", how));
    let exact = format!("{} of {} losses computed exactly", medoid.exact_draws, ensemble.len());
    lines.push(line("route", format!("{}, {exact}", medoid.route.name())));
    lines.push(String::new());
    lines.push(atoms(summary, columns));
    if let Some(free) = summary.free() {
        lines.extend([String::new(), quality::path(free)]);
    }
    lines.join("\n")
}

/// Observations of each atom.
fn cluster_sizes(summary: &Summary) -> Option<Vec<usize>> {
    let allocation = summary.allocation.as_ref()?;
    let mut sizes = vec![0; summary.estimate.len()];
    allocation.labels.iter().for_each(|&label| sizes[label as usize] += 1);
    Some(sizes)
}

/// The second-best draw and whether it is safely behind.
pub fn runner_up(summary: &Summary) -> String {
    let Some(other) = summary.medoid.runner_up else {
        return "none: all draws are the same measure".into();
    };
    if summary.medoid.is_tied() {
        return format!("draw {}, tied: no slices will separate them", other.draw);
    }
    let behind = significant(other.expected_loss - summary.medoid.expected_loss, 3);
    match other.separation {
        Some(separation) => format!(
            "draw {}, {behind} behind: {separation:.1} standard errors, {}",
            other.draw,
            if separation >= SAFE_SEPARATION { "safe" } else { "not safe" }
        ),
        None => format!("draw {}, {behind} behind", other.draw),
    }
}

/// The atoms that matter: those of some weight or with observations, heaviest first.
pub fn atoms(summary: &Summary, columns: Option<&[String]>) -> String {
    let (measure, d) = (&summary.estimate, summary.estimate.dim());
    let sizes = cluster_sizes(summary);
    let listed = main_atoms(measure, summary.allocation.as_ref().map(|allocation| &allocation.labels[..]));
    let shown = d.min(6);
    let name = |a: usize| match columns {
        Some(names) => names[a].clone(),
        None => format!("x{}", a + 1),
    };
    let mut header = vec!["atom".to_owned(), "weight".to_owned()];
    header.extend(sizes.iter().map(|_| "obs".to_owned()));
    header.extend((0..shown).map(|a| format!("mean {}", name(a))));
    header.extend((0..shown).map(|a| format!("sd {}", name(a))));
    let rows: Vec<Vec<String>> = listed
        .iter()
        .map(|&k| {
            let (mean, covariance) = (measure.atoms().mean(k), measure.atoms().covariance(k));
            let mut row = vec![k.to_string(), format!("{:.4}", measure.weights()[k])];
            row.extend(sizes.iter().map(|sizes| sizes[k].to_string()));
            let sd = |a: usize| covariance[a * d + a].sqrt();
            row.extend((0..shown).map(|a| resolved(mean[a], 4, sd(a))));
            row.extend((0..shown).map(|a| significant(sd(a), 3)));
            row
        })
        .collect();
    let mut text = table(&header, &rows);
    let rest = measure.len() - listed.len();
    if rest > 0 {
        let mass: f64 = 1.0 - listed.iter().map(|&k| measure.weights()[k]).sum::<f64>();
        text.push_str(&format!(
            "\n({} more of weight below {LISTED_WEIGHT}, together {})",
            count(rest, "atom"),
            significant(mass.max(0.0), 2)
        ));
    }
    if shown < d {
        text.push_str(&format!("\n({}; all are in the JSON)", count(d - shown, "more coordinate")));
    }
    text
}
