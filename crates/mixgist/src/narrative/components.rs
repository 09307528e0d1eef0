//! The components of an estimate, in words.

use super::numbers::{count, effective, existence, interval, percent, resolved, significant};
use super::{Narrate, Narrative, left_out};
use crate::about::About;
use crate::components::{Component, Components, Intervals, Missing, PosteriorInterval, Standing};
use crate::effective::Probability;
use crate::free::Estimator;
use crate::parting::Cut;
use crate::posterior::Estimate;
use crate::text;
use crate::text::{Text, index, indices, joined};

/// Coordinates that a table shows.
const MOST_COLUMNS: usize = 4;

/// A component that at least this share of the draws holds in pieces deserves a remark.
const NOTABLE_PIECES: f64 = 0.2;

impl Narrate for Components {
    fn narrate(&self, about: &About, around: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        if let Some(estimate) = around {
            narrative.line("estimate", estimate.source.clone());
        }
        let all = self.components.len();
        let with = self.components.iter().filter(|one| one.intervals.is_some()).count();
        let grouped: Vec<&usize> = self.groups.iter().flat_map(|group| &group.atoms).collect();
        let together = self.components.iter().filter(|one| grouped.contains(&&one.atom)).count();
        let clear = |one: &Component| one.standing == Standing::Clear && one.beside == 0.0;
        let text = match with == all {
            true if self.components.iter().all(clear) && self.missing.is_empty() => {
                format!("{}: each is clearly identified over the draws", count(all, "component"))
            }
            true if self.components.iter().all(clear) => format!(
                "{}: each is clearly identified over the draws, which also have {} that the estimate lacks",
                count(all, "component"),
                count(self.missing.len(), "component")
            ),
            true => {
                format!("{} {} intervals, some with a reservation: see the remarks", count(all, "component"), have(all))
            }
            false if with + together == all => format!(
                "{with} of {} {} intervals of their own, the others together in {}: they cannot be told apart",
                count(all, "component"),
                have(with),
                count(self.groups.len(), "group")
            ),
            false => format!(
                "{} of {} {} intervals, alone or in a group; the remarks say why the others have none",
                with + together,
                count(all, "component"),
                have(with + together)
            ),
        };
        narrative.verdict(with == all && self.components.iter().all(clear) && self.missing.is_empty(), text);
        narrative.line("intervals", format!(
            "median and {} interval over the draws that have the component; 'exists' is the probability that a draw has it",
            percent_level(self.rules.level)
        ));
        narrative.line(
            "rule",
            format!(
                "a draw has a component if atoms that overlap with it by {} or more hold {} of its weight",
                self.rules.overlap, self.rules.share
            ),
        );
        narrative.line(
            "matched by",
            format!(
                "exact optimal transport between the components and each of {}, units {}",
                count(about.draws, "draw"),
                self.units.name()
            ),
        );
        if let Some(slices) = around.and_then(|estimate| estimate.slices) {
            narrative.line("found with", format!("{}: {}", count(slices, "slice"), about.settings.slicer.name()));
        }
        narrative.line(
            "unmatched",
            format!("{} of the mass of a draw belongs to none of the components", told(&self.unmatched)),
        );
        let noun = noun(about);
        let d = about.dim;
        let shown = d.min(MOST_COLUMNS);
        let mut header = vec!["component".to_owned(), "exists".into(), "weight".into()];
        for what in ["mean", "sd"] {
            header.extend((0..shown).map(|a| format!("{what} {}", about.column(a))));
        }
        header.push("remark".into());
        let row = |name: Text, one: Told| -> Vec<Text> {
            let mut row = vec![existence(one.existence.value, one.existence.standard_error)];
            match one.intervals {
                Some(Intervals { weight, mean, sd, .. }) => {
                    row.push(told(weight));
                    row.extend(mean.iter().take(shown).map(told));
                    row.extend(sd.iter().take(shown).map(told));
                }
                None => {
                    row.push(format!("({})", significant(one.weight, 3)));
                    let sd = |a: usize| one.covariance[a * d + a].sqrt();
                    row.extend((0..shown).map(|a| format!("({})", resolved(one.mean[a], 4, sd(a)))));
                    row.extend((0..shown).map(|a| format!("({})", significant(sd(a), 3))));
                }
            }
            let numbers = row.into_iter().map(Text::from);
            std::iter::once(name).chain(numbers).chain(std::iter::once(one.remark)).collect()
        };
        let mut rows: Vec<Vec<Text>> =
            self.components.iter().map(|one| row(text![noun, " ", index(one.atom)], Told::of(one, noun))).collect();
        rows.extend(
            self.groups
                .iter()
                .map(|group| row(text![noun, "s ", list(&group.atoms), " together"], Told::of(&group.together, noun))),
        );
        let lacking = self.missing.iter().enumerate();
        rows.extend(
            lacking.map(|(i, one)| row(format!("not in the estimate {}", i + 1).into(), Told::of_missing(one))),
        );
        narrative.table(header, rows);
        if with < all {
            narrative.note("in parentheses: the estimate, without an interval");
        }
        left_out(&mut narrative, shown, d);
        if self.unreported_weight > 5e-4 {
            narrative.note(format!(
                "not shown: atoms with a weight below {}; total weight {:.3}",
                self.rules.least_weight, self.unreported_weight
            ));
        }
        if !self.cuts.is_empty() {
            self.narrate_cuts(&mut narrative, about);
        }
        if let Some(axes) = &self.axes {
            narrative.note(format!(
                "the two discriminant axes of the estimate show {} of the separation of its components; the document has them",
                percent(axes.shown)
            ));
        }
        narrative
    }
}

impl Components {
    /// Where components part on the line.
    fn narrate_cuts(&self, narrative: &mut Narrative, about: &About) {
        let row = |cut: &Cut| {
            let at = cut.interval.as_ref().map_or_else(|| "none".into(), told);
            let between = text![noun(about), "s ", index(cut.left), " and ", index(cut.right)];
            vec![between, at.into(), percent(cut.probability).into()]
        };
        let header = vec!["between".to_owned(), format!("cut at {}", about.column(0)), "draws with a cut".into()];
        narrative.table(header, self.cuts.iter().map(row).collect());
        narrative
            .note("left of a cut the first of the two components is the more probable one, right of it the second");
    }
}

/// A row of the table.
struct Told<'a> {
    weight: f64,
    mean: &'a [f64],
    covariance: &'a [f64],
    existence: &'a Probability,
    intervals: Option<&'a Intervals>,
    remark: Text,
}

impl<'a> Told<'a> {
    fn of(one: &'a Component, noun: &'static str) -> Self {
        Told {
            weight: one.weight,
            mean: &one.mean,
            covariance: &one.covariance,
            existence: &one.existence,
            intervals: one.intervals.as_ref(),
            remark: remark(one, noun),
        }
    }

    fn of_missing(one: &'a Missing) -> Self {
        Told {
            weight: one.weight,
            mean: &one.mean,
            covariance: &one.covariance,
            existence: &one.existence,
            intervals: one.intervals.as_ref(),
            remark: "part of the draws has this component, the estimate does not".into(),
        }
    }
}

fn have(number: usize) -> &'static str {
    if number == 1 { "has" } else { "have" }
}

fn percent_level(level: f64) -> String {
    format!("{} %", significant(100.0 * level, 3).trim_end_matches('0').trim_end_matches('.'))
}

fn told(posterior: &PosteriorInterval) -> String {
    interval(posterior.median, posterior.low, posterior.high)
}

fn list(atoms: &[usize]) -> Text {
    let mut atoms = atoms.to_vec();
    atoms.sort_unstable();
    indices(&atoms)
}

/// What the rows are called: atoms of the aligned estimate are called components everywhere, so that nobody takes them for those of a draw.
fn noun(about: &About) -> &'static str {
    if about.settings.estimator == Estimator::Aligned { "component" } else { "atom" }
}

fn remark(component: &Component, noun: &'static str) -> Text {
    let standing: Option<Text> = match component.standing {
        Standing::Clear => None,
        Standing::Ambiguous => {
            Some(format!("shares atoms with another component in {:.0} % of draws", 100.0 * component.ambiguity).into())
        }
        Standing::Indistinct if component.rivals.is_empty() => Some("mostly shared with other atoms".into()),
        Standing::Indistinct => Some(text!["cannot be told apart from ", noun, " ", list(&component.rivals)]),
        Standing::Rare => {
            let share = component.existence.value;
            let draws = effective(share * component.existence.effective_draws);
            Some(format!("in {} of draws, {draws}: too few for intervals", percent(share)).into())
        }
    };
    let pieces = (component.intervals.is_some() && component.in_pieces >= NOTABLE_PIECES)
        .then(|| format!("split into several atoms in {:.0} % of draws", 100.0 * component.in_pieces).into());
    let beside = (component.beside > 0.0).then(|| {
        let share = 100.0 * component.beside;
        let whose = if component.intervals.is_some() { "; the numbers are those of the draws" } else { "" };
        format!("in {share:.0} % of draws the component is not at the atom of the estimate{whose}").into()
    });
    let copies = (!component.nearly_equal.is_empty())
        .then(|| text!["nearly equal to ", noun, " ", list(&component.nearly_equal)]);
    joined([copies, standing, pieces, beside].into_iter().flatten(), "; ")
}
