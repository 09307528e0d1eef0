//! How good the estimate is, for a person: how near to the best possible, on other slices, and with fewer or more atoms.

use mixgist::free::HeldOut;
use mixgist::{Assessment, FreeSupport, Judgement};

use crate::text::{count, line, percent, significant, table, with_error, within};

/// "1.2418, within 1.0 % of the best possible".
pub fn loss(judgement: &Judgement, error: Option<f64>) -> String {
    let excess = judgement.excess.is_finite().then_some(judgement.excess);
    format!("{}, {}", with_error(judgement.expected_loss, error), within(judgement.expected_loss, excess))
}

/// Lines on estimates under slices that nothing was fitted to, and on the user's own measure.
pub fn lines(assessment: &Assessment) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(own) = &assessment.candidate {
        lines.push(line("candidate", loss(own, None)));
    }
    let slices = count(assessment.held_out_slices, "other slice");
    let held_out = |name: &str, judgement: &Judgement| {
        judgement.held_out.map(|held| line("held out", format!("{name} {}", against_medoid(&held))))
    };
    if let Some(held) = &assessment.medoid.held_out {
        let loss = with_error(held.expected_loss, held.standard_error);
        lines.push(line("held out", format!("medoid {loss} on {slices}")));
    }
    lines.extend(assessment.free.as_ref().and_then(|free| held_out("free", &free.judgement)));
    lines.extend(assessment.candidate.as_ref().and_then(|own| held_out("candidate", own)));
    lines
}

fn against_medoid(held: &HeldOut) -> String {
    let word = if held.over_medoid < 0.0 { "below" } else { "above" };
    let difference = with_error(held.over_medoid.abs(), held.over_medoid_se);
    format!("{}, {difference} {word} the medoid", with_error(held.expected_loss, held.standard_error))
}

/// The path over numbers of atoms, the chosen one marked.
pub fn path(free: &FreeSupport) -> String {
    let header =
        ["", "at most", "atoms", "expected loss", "above floor", "held out", "above the best"].map(String::from);
    let row = |(i, point): (usize, &mixgist::PathPoint)| {
        let held = point.judgement.held_out.map_or(String::new(), |held| significant(held.expected_loss, 5));
        vec![
            if i == free.chosen { "->" } else { "" }.to_owned(),
            point.atoms.to_string(),
            point.measure.len().to_string(),
            significant(point.judgement.expected_loss, 5),
            if point.judgement.excess.is_finite() { percent(point.judgement.excess) } else { "-".into() },
            held,
            with_error(point.over_best, Some(point.over_best_se)),
        ]
    };
    let rows: Vec<Vec<String>> = free.path.iter().enumerate().map(row).collect();
    table(&header, &rows)
}
