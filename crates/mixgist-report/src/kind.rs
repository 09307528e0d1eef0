//! The kinds of figures: one table. A kind is a file in `kind/` and a line here.

pub mod atoms;
mod axes;
mod bands;
mod components;
mod contours;
mod convergence;
mod how_many;
mod losses;
mod map;
mod memberships;
mod pairs;
mod path;
mod representatives;
mod rows;
mod similarity;
mod stability;
pub mod traces;

use mixgist::text;
use mixgist::text::{named, option, verb};
use mixgist::{Error, Order, Result, Text};

use crate::figure::Figure;

use crate::presentation::Presentation;
pub(crate) use pairs::shown as pairs_shown;
pub use similarity::of_partitions;
pub use traces::of_draws;

/// A kind of figure.
#[non_exhaustive]
pub struct Kind {
    /// The name that options use.
    pub name: &'static str,
    /// What it shows.
    pub help: &'static str,
    /// What it is drawn from besides the summary.
    pub needs: &'static [Need],
    draw: fn(&Presentation) -> Result<Figure>,
}

/// What a figure is drawn from besides the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The draws.
    Draws,
    /// The slices of the summary: a distance that has a name, and the directions when they were given.
    Slices,
    /// The path over numbers of atoms, or the draws and order 2 to compute it.
    Path,
    /// The expected losses of the draws, or the slices to compute them again.
    Losses,
    /// A runner-up with its standard error.
    RunnerUp,
    /// The partitions that came with the draws.
    Partitions,
    /// The observations.
    Data,
    /// Coordinates: at least the first and at most the second number of them.
    Dimension(usize, usize),
}

/// Every kind.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "density",
        help: "density with posterior band, observations as a rug, atoms (one coordinate)",
        needs: &[Need::Dimension(1, 1)],
        draw: bands::draw_line,
    },
    Kind {
        name: "contours",
        help: "density contours, observations by cluster, atoms as 2-sigma ellipses (two coordinates)",
        needs: &[Need::Dimension(2, 2)],
        draw: contours::draw,
    },
    Kind {
        name: "pairs",
        help: "the same for all pairs of coordinates, marginal densities on the diagonal",
        needs: &[Need::Dimension(2, usize::MAX)],
        draw: pairs::draw,
    },
    Kind {
        name: "bands",
        help: "marginal densities with posterior mean and 90 % band",
        needs: &[Need::Draws],
        draw: bands::draw_marginals,
    },
    Kind {
        name: "similarity",
        help: "how often two observations share a cluster",
        needs: &[Need::Partitions],
        draw: similarity::draw,
    },
    Kind {
        name: "map",
        help: "the draws around the estimate: their distances from it, with the 95 % ball, and how they lie to each other",
        needs: &[Need::Draws, Need::Slices],
        draw: map::draw,
    },
    Kind {
        name: "losses",
        help: "expected losses of all draws",
        needs: &[Need::Draws, Need::Losses],
        draw: losses::draw,
    },
    Kind {
        name: "convergence",
        help: "by how much the runner-up is behind, against the number of slices",
        needs: &[Need::Draws, Need::Slices, Need::RunnerUp],
        draw: convergence::draw,
    },
    Kind {
        name: "path",
        help: "expected loss of free estimates against their number of atoms, with the medoid's and the floor",
        needs: &[Need::Path],
        draw: path::draw,
    },
    Kind {
        name: "components",
        help: "components with the intervals of their weights and means",
        needs: &[Need::Draws],
        draw: components::draw,
    },
    Kind {
        name: "memberships",
        help: "who belongs to which component, and the observations that are least certain",
        needs: &[Need::Draws, Need::Data],
        draw: memberships::draw,
    },
    Kind {
        name: "how-many",
        help: "posteriors of the number of clusters and components, and after similar ones are merged",
        needs: &[Need::Draws],
        draw: how_many::draw,
    },
    Kind {
        name: "axes",
        help: "observations and atoms on the two axes that show the atoms best (three or more coordinates)",
        needs: &[Need::Dimension(3, usize::MAX)],
        draw: axes::draw,
    },
    Kind {
        name: "representatives",
        help: "one draw for each mode of the posterior",
        needs: &[Need::Draws],
        draw: representatives::draw,
    },
    Kind {
        name: "stability",
        help: "how far other choices move the estimate, in radii of the 95 % ball",
        needs: &[Need::Draws],
        draw: stability::draw,
    },
    Kind {
        name: "traces",
        help: "traces of the chains, with R-hat and effective sample sizes",
        needs: &[Need::Draws],
        draw: traces::draw,
    },
];

impl Kind {
    /// The kind of this name.
    pub fn from_name(name: &str) -> Result<&'static Kind> {
        KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            Error::usage(format!("unknown kind of figure '{name}'")).hint(format!("one of: {}", names.join(", ")))
        })
    }

    /// The kind that shows an estimate of this dimension.
    pub fn of_estimate(dim: usize) -> &'static Kind {
        let shows = |kind: &&Kind| kind.needs.iter().any(|need| need.admits(dim));
        KINDS.iter().find(shows).unwrap_or(&KINDS[0])
    }

    /// Draws it, or says what is missing.
    pub fn draw(&self, presentation: &Presentation) -> Result<Figure> {
        self.needs.iter().try_for_each(|need| need.check(self.name, presentation))?;
        (self.draw)(presentation)
    }

    /// Whether it can be drawn.
    pub fn fits(&self, presentation: &Presentation) -> bool {
        self.needs.iter().all(|need| need.check(self.name, presentation).is_ok())
    }
}

impl Need {
    /// Whether it is a need for a dimension, and this is one.
    fn admits(self, dim: usize) -> bool {
        matches!(self, Need::Dimension(least, most) if (least..=most).contains(&dim))
    }

    fn check(self, kind: &str, presentation: &Presentation) -> Result<()> {
        let missing =
            |what: &str, hint: Text| Err(Error::usage(format!("the figure '{kind}' needs {what}")).hint(hint));
        let (d, summary) = (presentation.estimate().dim(), presentation.summary());
        match self {
            Need::Path if presentation.is_free() => Ok(()),
            Need::Path if presentation.settings().order != Order::TWO => {
                missing("order 2: only then a floor is known", text!["summarise without ", named("order")])
            }
            Need::Draws | Need::Path if presentation.posterior.is_none() => {
                missing("the draws that were summarised", text!["give them: ", named("draws")])
            }
            Need::Losses if summary.medoid.expected_losses.is_some() => Ok(()),
            Need::Slices | Need::Losses | Need::Path => presentation.slices_missing().map_or(Ok(()), Err),
            Need::RunnerUp if summary.medoid.runner_up.is_none() => {
                missing("a runner-up, and all draws are the same", text!["give more posterior draws"])
            }
            Need::Partitions if presentation.partitions.is_none() => missing(
                "the labels of the observations in every draw, and the file of draws holds none",
                text![
                    "draws from ",
                    verb("fit"),
                    " hold them; in files with named variables give ",
                    named("label_variable")
                ],
            ),
            Need::Data if presentation.data.is_none() => {
                missing("the observations", text!["give them: ", named("data")])
            }
            Need::Dimension(least, most) if d < least || d > most => missing(
                &format!("dimension {}, the estimate has {d}", range(least, most)),
                text!["use ", option("kind", Kind::of_estimate(d).name)],
            ),
            _ => Ok(()),
        }
    }
}

/// The end of an axis for values of which a few may be far above the others: the largest, unless it is more than [`FAR`] times as far from the
/// median as the 95 % quantile is.
fn upper_fence(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| sorted.get((share * sorted.len().saturating_sub(1) as f64) as usize).copied().unwrap_or(0.0);
    let (median, high, most) = (at(0.5), at(0.95), at(1.0));
    let fence = median + FAR * (high - median);
    if high > median && most > fence { fence } else { most }
}

/// See [`upper_fence`].
const FAR: f64 = 4.0;

/// What a caption says about draws that are not within the frame.
fn beyond_text(draws: usize, place: &str) -> String {
    match draws {
        0 => String::new(),
        1 => format!(" 1 draw is {place}, where the triangle points."),
        _ => format!(" {draws} draws are {place}, where the triangles point."),
    }
}

fn range(least: usize, most: usize) -> String {
    match most {
        _ if least == most => least.to_string(),
        usize::MAX => format!("{least} or more"),
        _ => format!("{least} to {most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_far_value_does_not_set_the_axis() {
        let near = || (0..100).map(f64::from);
        assert_eq!(upper_fence(near()), 99.0);
        let fence = upper_fence(near().chain([1e6]));
        assert!((99.0..400.0).contains(&fence), "{fence}");
        // Two groups are no exception.
        assert_eq!(upper_fence((0..100).map(|i| if i % 2 == 0 { 1.0 } else { 1e3 })), 1e3);
        assert_eq!((upper_fence([2.0; 5].into_iter()), upper_fence(std::iter::empty())), (2.0, 0.0));
    }
}
