//! The components of the estimate with their intervals.

use mixgist::Result;
use mixgist_io::posterior::{ComponentDocument, IntervalDocument, NOTABLE_PIECES};

use super::{Page, figures, table};
use crate::subject::Subject;
use crate::svg::escaped;
use crate::words::{self, count, existence, resolved, significant, worth};

/// Coordinates in the table.
const MOST_COLUMNS: usize = 6;

pub fn write(subject: &Subject, page: &mut Page) -> Result<String> {
    if subject.draws.is_none() {
        return Ok(String::new());
    }
    let document = subject.components()?;
    let with = document.components.iter().filter(|one| one.intervals.is_some()).count();
    let all = document.components.len();
    let sure = |one: &ComponentDocument| one.standing == "clear" && one.beside == 0.0;
    let mut text = match with == all {
        true if all == 1 && document.components.iter().all(sure) => {
            "<p class=\"good\">The one component can be given intervals without reserve.</p>\n".to_owned()
        }
        true if document.components.iter().all(sure) => {
            format!("<p class=\"good\">{} stand clear of each other over the draws.</p>\n", count(all, "component"))
        }
        true => format!(
            "<p class=\"doubt\">{} can be given intervals, but not all without reserve: see the remarks below.</p>\n",
            count(all, "component")
        ),
        false => format!(
            "<p class=\"doubt\">{with} of {} can be given intervals; the others are named below, with the reason.</p>\n",
            count(all, "component")
        ),
    };
    text.push_str(&figures::drawn(&["components"], subject, page)?);
    let shown = document.dim.min(MOST_COLUMNS);
    let mut header = vec!["component".to_owned(), "exists".into(), "weight".into()];
    for what in ["mean", "sd"] {
        header.extend(subject.columns.iter().take(shown).map(|name| format!("{what} {name}")));
    }
    let row = |name: String, one: &ComponentDocument| {
        let mut row = vec![name, existence(one.existence.value, one.existence.standard_error)];
        match &one.intervals {
            Some(intervals) => {
                row.push(interval(&intervals.weight));
                row.extend(intervals.mean.iter().take(shown).map(interval));
                row.extend(intervals.sd.iter().take(shown).map(interval));
            }
            None => {
                row.push(format!("({})", significant(one.weight, 3)));
                let sd = |a: usize| one.covariance[a][a].sqrt();
                row.extend((0..shown).map(|a| format!("({})", resolved(one.mean[a], 3, sd(a)))));
                row.extend((0..shown).map(|a| format!("({})", significant(sd(a), 3))));
            }
        }
        row
    };
    let mut rows: Vec<Vec<String>> =
        document.components.iter().map(|one| row(format!("atom {}", one.atom), one)).collect();
    rows.extend(document.groups.iter().map(|group| {
        let atoms: Vec<String> = group.atoms.iter().map(usize::to_string).collect();
        row(format!("atoms {} together", atoms.join(", ")), &group.together)
    }));
    text.push_str(&table(&header, &rows));
    let remarks: Vec<String> = document.components.iter().filter_map(remark).collect();
    if !remarks.is_empty() {
        text.push_str("<ul>\n");
        remarks.iter().for_each(|remark| text.push_str(&format!("<li>{}</li>\n", escaped(remark))));
        text.push_str("</ul>\n");
    }
    let mut notes = vec![format!(
        "Median and {:.0} % interval over the draws that have the component; “exists” is the posterior probability that a draw has it. {} % \
         of a draw's mass ({} to {} %) belongs to none of them.",
        100.0 * document.level,
        significant(100.0 * document.unmatched.median, 2),
        significant(100.0 * document.unmatched.low, 2),
        significant(100.0 * document.unmatched.high, 2)
    )];
    if with < all {
        notes.push("In parentheses: the estimate, without an interval.".into());
    }
    if shown < document.dim {
        let more = document.dim - shown;
        let are = if more == 1 { "is" } else { "are" };
        notes.push(format!("{} {are} left out here.", count(more, "further coordinate")));
    }
    if document.unreported_weight > 5e-4 {
        let (least, weight) = (document.least_weight, document.unreported_weight);
        notes.push(format!("Atoms lighter than {least} weigh {weight:.3} together and are not listed."));
    }
    text.push_str(&format!("<p>{}</p>\n", escaped(&notes.join(" "))));
    Ok(text)
}

fn interval(interval: &IntervalDocument) -> String {
    words::interval(interval.median, interval.low, interval.high)
}

/// What a reader should know about a component, if anything.
fn remark(one: &ComponentDocument) -> Option<String> {
    let atoms = |all: &[usize]| {
        let mut sorted = all.to_vec();
        sorted.sort_unstable();
        let names: Vec<String> = sorted.iter().map(usize::to_string).collect();
        format!("{} {}", if all.len() == 1 { "atom" } else { "atoms" }, names.join(", "))
    };
    let standing = match one.standing.as_str() {
        "ambiguous" => Some(format!(
            "is ambiguous in {:.0} % of the draws: its probability and intervals depend on which side shared atoms were given to",
            100.0 * one.ambiguity
        )),
        "indistinct" if one.rivals.is_empty() => {
            Some("is mostly shared with other atoms, so there is no interval".into())
        }
        "indistinct" => {
            Some(format!("cannot be told apart from {}, so there is no interval for it alone", atoms(&one.rivals)))
        }
        "rare" => Some(format!(
            "is in {} of the draws, which are {}: too few for intervals",
            words::percent(one.existence.value),
            worth(one.existence.value * one.existence.effective_draws)
        )),
        _ => None,
    };
    let pieces = (one.intervals.is_some() && one.in_pieces >= NOTABLE_PIECES)
        .then(|| format!("is held in pieces by {:.0} % of the draws, which count together", 100.0 * one.in_pieces));
    let twins =
        (!one.twins.is_empty()).then(|| format!("is nearly the same as {} and stands for all", atoms(&one.twins)));
    let beside = (one.beside > 0.0).then(|| {
        format!(
            "lies beside what {:.0} % of the draws have there: what is said here is about what the draws have",
            100.0 * one.beside
        )
    });
    let all: Vec<String> = [twins, standing, pieces, beside].into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("Atom {} {}.", one.atom, all.join("; it ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mixgist_io::posterior::ProbabilityDocument;

    #[test]
    fn rivals_are_named_in_order() {
        let existence =
            ProbabilityDocument { value: 1.0, standard_error: 0.0, low: 0.9, high: 1.0, effective_draws: 40.0 };
        let one = ComponentDocument {
            atom: 0,
            twins: Vec::new(),
            weight: 0.5,
            mean: vec![0.0],
            covariance: vec![vec![1.0]],
            existence,
            ambiguity: 0.6,
            in_pieces: 0.3,
            beside: 0.0,
            standing: "indistinct".into(),
            rivals: vec![4, 3],
            intervals: None,
        };
        assert_eq!(
            remark(&one).unwrap(),
            "Atom 0 cannot be told apart from atoms 3, 4, so there is no interval for it alone."
        );
    }
}
