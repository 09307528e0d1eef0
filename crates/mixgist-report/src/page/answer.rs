//! The answer in words, and what the reader should know about it.

use std::fmt::Write;

use mixgist::Result;
use mixgist::select::is_tied;
use mixgist::summary::SAFE_SEPARATION;
use mixgist_io::{AssessmentDocument, JudgementDocument};

use super::Page;
use crate::subject::Subject;
use crate::svg::escaped;
use crate::words::{count, resolved, significant, with_error, within};

pub fn write(subject: &Subject, _: &mut Page) -> Result<String> {
    let summary = subject.summary;
    let atoms = subject.main_atoms();
    let mut text = format!("<p class=\"answer\">{}", lead(subject));
    let mass: f64 = atoms.iter().map(|&k| subject.estimate.weights()[k]).sum();
    let heaviest = atoms.first().map_or(String::new(), |&k| {
        let weight = 100.0 * subject.estimate.weights()[k];
        let (mean, covariance, d) =
            (subject.estimate.atoms().mean(k), subject.estimate.atoms().covariance(k), subject.estimate.dim());
        let place = |a: usize| resolved(mean[a], 3, covariance[a * d + a].sqrt());
        let means: Vec<String> =
            (0..d.min(4)).map(|a| format!("{} = {}", escaped(&subject.columns[a]), place(a))).collect();
        let more = if d > means.len() { ", …" } else { "" };
        let lead = if atoms.len() == 1 { ",".to_owned() } else { format!("; the heaviest has {weight:.1} %") };
        format!("{lead} around {}{more}", means.join(", "))
    });
    let _ =
        write!(text, " It has {} with {:.1} % of the mass{heaviest}.", count(atoms.len(), "main atom"), 100.0 * mass);
    if let (Some(labels), Some(clusters)) = (&summary.labels, summary.clusters) {
        let mut sizes = vec![0usize; subject.estimate.len()];
        labels.iter().for_each(|&label| sizes[label as usize] += 1);
        sizes.retain(|size| *size > 0);
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let listed: Vec<String> = sizes.iter().take(8).map(usize::to_string).collect();
        let more = if sizes.len() > 8 { ", …" } else { "" };
        let _ = write!(
            text,
            " The {} observations fall into {} ({}{more}).",
            labels.len(),
            count(clusters, "cluster"),
            listed.join(", ")
        );
    }
    text.push_str("</p>\n");
    if let Some(assessment) = &summary.assessment {
        let _ = writeln!(text, "<p>{}</p>", certificate(assessment));
    }
    let _ = writeln!(text, "<p class=\"{}\">{}</p>", if is_safe(subject) { "good" } else { "doubt" }, choice(subject));
    for warning in &summary.warnings {
        let (message, advice) = (escaped(&warning.message), escaped(&warning.advice));
        let _ = writeln!(text, "<p class=\"doubt\"><b>Warning:</b> {message}. <i>What helps:</i> {advice}.</p>");
    }
    Ok(text)
}

/// What stands for the posterior.
fn lead(subject: &Subject) -> String {
    let summary = subject.summary;
    let place = format!(
        "draw {} of {} (chain {}, iteration {})",
        summary.draw, summary.draws, summary.chain, summary.iteration
    );
    let least = with_error(summary.expected_loss, summary.expected_loss_se);
    let free = summary.assessment.as_ref().and_then(|assessment| assessment.free.as_ref());
    match free.filter(|_| subject.is_free()) {
        Some(free) => format!(
            "A measure of {} that is not confined to the draws stands for the posterior; its expected loss is {}. Of all draws \
             {place} has the least, {least}.",
            count(subject.estimate.len(), "atom"),
            significant(free.judgement.expected_loss, 5)
        ),
        None => {
            format!("D{} stands for the posterior: of all draws it has the least expected loss, {least}.", &place[1..])
        }
    }
}

/// How near each estimate is to the best that is possible at all.
fn certificate(assessment: &AssessmentDocument) -> String {
    let of = |name: &str, judgement: &JudgementDocument| {
        format!(
            "{name} ({}) is {}",
            significant(judgement.expected_loss, 5),
            within(judgement.expected_loss, judgement.excess)
        )
    };
    let free = assessment.free.as_ref().map(|free| of("the free estimate", &free.judgement));
    let own = assessment.candidate.as_ref().map(|own| of("the candidate", own));
    let all: Vec<String> = free.into_iter().chain([of("the medoid", &assessment.medoid)]).chain(own).collect();
    format!(
        "<b>Certificate.</b> Under the same slices no summary of any kind has an expected loss below {}: {}.",
        significant(assessment.floor, 5),
        all.join("; ")
    )
}

/// Whether the runner-up is safely behind.
pub fn is_safe(subject: &Subject) -> bool {
    subject.summary.runner_up.is_none() || subject.summary.separation.is_some_and(|s| s >= SAFE_SEPARATION)
}

/// How safe the choice of the draw is.
pub fn choice(subject: &Subject) -> String {
    let summary = subject.summary;
    let (Some(other), Some(loss)) = (summary.runner_up, summary.runner_up_expected_loss) else {
        return "All draws are the same measure, so there was nothing to choose.".into();
    };
    if is_tied(summary.expected_loss, loss) {
        return format!(
            "Draw {other} is as good as the chosen one: the two are tied, and no slices will separate them."
        );
    }
    let behind = significant(loss - summary.expected_loss, 3);
    match summary.separation {
        Some(separation) if separation >= SAFE_SEPARATION => format!(
            "The choice is safe: the runner-up, draw {other}, is {behind} behind, {separation:.1} standard errors over slices."
        ),
        Some(separation) => format!(
            "The choice between the best draws is not settled: the runner-up, draw {other}, is only {behind} behind, \
             {separation:.1} standard errors over slices. The two are nearly equally good; more slices would tell them apart."
        ),
        None => format!("The runner-up, draw {other}, is {behind} behind; a single slice gives no standard error."),
    }
}
