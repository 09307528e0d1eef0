//! The components of the estimate with their intervals.

use mixgist::Result;
use mixgist_io::posterior::{ComponentDocument, IntervalDocument};

use super::{Page, figures, table};
use crate::subject::Subject;
use crate::svg::escaped;
use crate::words::{self, count, resolved, significant};

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
    header.extend(subject.columns.iter().take(shown).map(|name| format!("mean {name}")));
    let row = |name: String, one: &ComponentDocument| {
        let mut row = vec![name, format!("{:.3}", one.existence.value)];
        match &one.intervals {
            Some(intervals) => {
                row.push(interval(&intervals.weight));
                row.extend(intervals.mean.iter().take(shown).map(interval));
            }
            None => {
                row.push(format!("({})", significant(one.weight, 3)));
                let sd = |a: usize| one.covariance[a][a].sqrt();
                row.extend((0..shown).map(|a| format!("({})", resolved(one.mean[a], 3, sd(a)))));
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
        let names: Vec<String> = all.iter().map(usize::to_string).collect();
        format!("{} {}", if all.len() == 1 { "atom" } else { "atoms" }, names.join(", "))
    };
    let standing = match one.standing.as_str() {
        "ambiguous" => Some(format!(
            "is ambiguous in {:.0} % of the draws: its intervals depend on which side shared atoms were given to",
            100.0 * one.ambiguity
        )),
        "indistinct" if one.rivals.is_empty() => {
            Some("is mostly shared with other atoms, so there is no interval".into())
        }
        "indistinct" => {
            Some(format!("cannot be told apart from {}, so there is no interval for it alone", atoms(&one.rivals)))
        }
        "rare" => Some("is in too few draws for intervals".into()),
        _ if one.in_pieces > 0.5 => Some("is held in pieces by most draws".into()),
        _ => None,
    };
    let twins =
        (!one.twins.is_empty()).then(|| format!("is nearly the same as {} and stands for all", atoms(&one.twins)));
    let beside = (one.beside > 0.0).then(|| {
        format!(
            "lies beside what {:.0} % of the draws have there: what is said here is about what the draws have",
            100.0 * one.beside
        )
    });
    let all: Vec<String> = [twins, standing, beside].into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("Atom {} {}.", one.atom, all.join("; it ")))
}
