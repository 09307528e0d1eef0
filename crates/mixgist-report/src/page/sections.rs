//! Sections that print what the posterior answers, each with its figure.

use mixgist::narrative::{Narrate, Piece};
use mixgist::{Answer, ErrorKind, Result, Warning};

use super::{Page, figures, narrative};
use crate::kind::Kind;
use crate::presentation::Presentation;
use crate::svg::escaped;

/// The verdict on the chains, which all others rest on.
pub fn chains(presentation: &Presentation, _: &mut Page) -> Result<String> {
    let narrative = presentation.summary().agreement.narrate(&presentation.answer.about, None);
    let parts = narrative::parts(&narrative);
    Ok(narrative::pieces(parts[0], presentation))
}

/// The answer in words, and what the reader should know about it.
pub fn answer(presentation: &Presentation, _: &mut Page) -> Result<String> {
    let narrative = presentation.answer.narrative();
    let parts = narrative::parts(&narrative);
    // The verdict on the chains stands above.
    let of_chains = |piece: &&Piece| matches!(piece, Piece::Line { name, .. } if name == "chains");
    let own: Vec<Piece> = parts[0].iter().filter(|piece| !of_chains(piece)).cloned().collect();
    Ok(narrative::pieces(&own, presentation) + &narrative::warnings(&presentation.summary().warnings, presentation))
}

/// The table of atoms.
pub fn atoms(presentation: &Presentation, _: &mut Page) -> Result<String> {
    let narrative = presentation.answer.narrative();
    let parts = narrative::parts(&narrative);
    Ok(parts.get(1).map_or(String::new(), |part| narrative::pieces(part, presentation)))
}

/// What the draws say about each component.
pub fn components(presentation: &Presentation, page: &mut Page) -> Result<String> {
    if presentation.posterior.is_none() {
        return Ok(String::new());
    }
    with_figure(presentation.components()?, "components", presentation, page)
}

/// How many clusters and components there are.
pub fn how_many(presentation: &Presentation, page: &mut Page) -> Result<String> {
    if presentation.posterior.is_none() {
        return Ok(String::new());
    }
    with_figure(presentation.how_many()?, "how-many", presentation, page)
}

/// Who belongs to which component, and who is uncertain.
pub fn memberships(presentation: &Presentation, page: &mut Page) -> Result<String> {
    if presentation.posterior.is_none() || presentation.data.is_none() {
        return Ok(String::new());
    }
    with_figure(presentation.memberships()?, "memberships", presentation, page)
}

/// How far from the estimate the posterior reaches, and the figures that show it.
pub fn confidence(presentation: &Presentation, page: &mut Page) -> Result<String> {
    let mut text = String::new();
    if presentation.posterior.is_some() {
        let mut answer = presentation.credible()?.clone();
        let mut why_not = String::new();
        if presentation.wants("conformal") {
            match presentation.conformal() {
                Ok(found) => answer.result.conformal = Some(found.clone()),
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                // Such as weighted draws; that is no defect of theirs.
                Err(error) => {
                    let why = escaped(&error.message().spelled(presentation.spelling));
                    why_not = format!("<p class=\"note\">There is no conformal ball: {why}.</p>\n");
                }
            }
        }
        text = narrative::written(&answer.narrative(), presentation) + &why_not;
    }
    if let Some(error) = presentation.slices_missing() {
        let why = escaped(&error.message().spelled(presentation.spelling));
        text.push_str(&format!("<p class=\"doubt\">Figures of distances between draws are left out: {why}.</p>\n"));
    }
    text.push_str(&figures::drawn(&["map", "losses", "similarity"], presentation, page)?);
    Ok(text)
}

/// How good a summary can be at all, and how good one with few atoms is.
pub fn path(presentation: &Presentation, page: &mut Page) -> Result<String> {
    let kind = Kind::from_name("path")?;
    if !kind.fits(presentation) {
        return Ok(presentation
            .slices_missing()
            .map_or(String::new(), |error| super::not_computed(&error, presentation)));
    }
    let free = presentation.free()?;
    let narrative = free.narrative();
    let parts = narrative::parts(&narrative);
    let own = match presentation.is_free() {
        true => String::new(),
        // What it is and how good; the verdict on the choice of the draw stands above.
        false => {
            let verdict = parts[0].iter().position(|piece| matches!(piece, Piece::Verdict { .. }));
            let of_path = |warning: &&Warning| {
                matches!(
                    warning,
                    Warning::PathEnds { .. } | Warning::AtomsRefused { .. } | Warning::AtomsWithoutDraws { .. }
                )
            };
            narrative::pieces(&parts[0][..verdict.unwrap_or(parts[0].len())], presentation)
                + &narrative::warnings(free.warnings.iter().filter(of_path), presentation)
        }
    };
    // Behind the table of atoms: the estimates side by side, and the path.
    let tables: Vec<String> = parts.iter().skip(2).map(|part| narrative::pieces(part, presentation)).collect();
    let (path, estimates) = tables.split_last().map_or(("", &[][..]), |(path, rest)| (path, rest));
    Ok(own + &estimates.concat() + &page.figure(&kind.draw(presentation)?) + path)
}

/// Whether the posterior has several modes, and a draw for each.
pub fn representatives(presentation: &Presentation, page: &mut Page) -> Result<String> {
    if presentation.posterior.is_none() {
        return Ok(String::new());
    }
    let answer = presentation.representatives()?;
    match answer.representatives.len() {
        1 => Ok(narrative::written(&answer.narrative(), presentation)),
        _ => with_figure(answer, "representatives", presentation, page),
    }
}

/// The stability card: its verdict first.
pub fn stability(presentation: &Presentation, page: &mut Page) -> Result<String> {
    if presentation.posterior.is_none() {
        return Ok(String::new());
    }
    with_figure(presentation.stability()?, "stability", presentation, page)
}

/// What the verdicts on chains and on slices rest on.
pub fn diagnostics(presentation: &Presentation, page: &mut Page) -> Result<String> {
    let narrative = presentation.summary().agreement.narrate(&presentation.answer.about, None);
    let parts = narrative::parts(&narrative);
    let table: String = parts[1..].iter().map(|part| narrative::pieces(part, presentation)).collect();
    Ok(table + &figures::drawn(&["traces", "convergence"], presentation, page)?)
}

/// What there is to say before its table, the figure, and the table.
fn with_figure<T: Narrate>(
    answer: &Answer<T>,
    kind: &str,
    presentation: &Presentation,
    page: &mut Page,
) -> Result<String> {
    let narrative = answer.narrative();
    let parts = narrative::parts(&narrative);
    let rest: String = parts[1..].iter().map(|part| narrative::pieces(part, presentation)).collect();
    Ok(narrative::pieces(parts[0], presentation) + &figures::drawn(&[kind], presentation, page)? + &rest)
}
