//! How good a summary can be at all, and how good one with few atoms is.

use std::fmt::Write;

use mixgist::Result;
use mixgist_io::{HeldOutDocument, PathDocument};

use super::{Page, figures, table};
use crate::kind::Kind;
use crate::subject::Subject;
use crate::words::{count, percent, significant, with_error, within};

pub fn write(subject: &Subject, page: &mut Page) -> Result<String> {
    if !Kind::from_name("path")?.fits(subject) {
        return Ok(String::new());
    }
    let path = subject.path()?;
    let assessment = &path.assessment;
    let Some(free) = &assessment.free else { return Ok(String::new()) };
    let Some(chosen) = free.path.get(free.chosen) else { return Ok(String::new()) };
    let atoms = count(chosen.measure.weights.len(), "atom");
    let what = match path.own {
        true => format!("The estimate, of {atoms}, is"),
        false => format!("An estimate of {atoms} that is not confined to the draws is"),
    };
    let mut text = format!(
        "<p>{what} {}; the medoid, with {}, is {}.",
        within(chosen.judgement.expected_loss, chosen.judgement.excess),
        medoid_atoms(subject),
        within(assessment.medoid.expected_loss, assessment.medoid.excess)
    );
    if let Some(held) = &chosen.judgement.held_out {
        let _ = write!(text, " {}", against_medoid(held, assessment.held_out_slices));
    }
    text.push_str("</p>\n");
    if !path.own {
        let _ = writeln!(
            text,
            "<p>This was computed for the report with {}. <code>mixgist summarize --estimate free</code> takes it as the estimate.</p>",
            path.how
        );
    }
    text.push_str(&figures::drawn(&["path"], subject, page)?);
    let header =
        ["atoms", "expected loss", "above the floor", "held out", "above the best, held out"].map(String::from);
    let row = |(i, point): (usize, &PathDocument)| {
        vec![
            format!("{}{}", point.atoms, if i == free.chosen { " (chosen)" } else { "" }),
            significant(point.judgement.expected_loss, 5),
            point.judgement.excess.map_or("–".into(), percent),
            point.judgement.held_out.as_ref().map_or("–".into(), |held| significant(held.expected_loss, 5)),
            with_error(point.over_best, Some(point.over_best_se)),
        ]
    };
    text.push_str(&table(&header, &free.path.iter().enumerate().map(row).collect::<Vec<_>>()));
    Ok(text)
}

fn medoid_atoms(subject: &Subject) -> String {
    match subject.draws {
        Some(draws) => count(draws.range(subject.summary.draw).len(), "atom"),
        None => "those of its draw".into(),
    }
}

fn against_medoid(held: &HeldOutDocument, slices: usize) -> String {
    let loss = with_error(held.expected_loss, held.expected_loss_se);
    let word = if held.over_medoid < 0.0 { "below" } else { "above" };
    format!(
        "On {slices} slices that nothing was fitted to its expected loss is {loss}, {} {word} the medoid's.",
        with_error(held.over_medoid.abs(), held.over_medoid_se)
    )
}
