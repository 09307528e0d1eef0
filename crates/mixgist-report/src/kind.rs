//! The kinds of figures: one table. A kind is a file in `kind/` and a line here.

pub mod atoms;
mod bands;
mod components;
mod contours;
mod convergence;
mod losses;
mod map;
mod pairs;
mod path;
mod representatives;
mod rows;
mod similarity;
mod stability;
pub mod traces;

use mixgist::{Error, Result};

use crate::figure::Figure;

use crate::subject::Subject;
pub(crate) use pairs::shown as pairs_shown;

/// A kind of figure.
pub struct Kind {
    /// The name that options use.
    pub name: &'static str,
    /// What it shows.
    pub help: &'static str,
    /// What it is drawn from besides the summary.
    pub needs: &'static [Need],
    draw: fn(&Subject) -> Result<Figure>,
}

/// What a figure is drawn from besides the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The draws.
    Draws,
    /// A distance that can be computed again, by its name.
    Distance,
    /// The path over numbers of atoms, or the draws and order 2 to compute it.
    Path,
    /// The expected losses of the draws, or a distance to compute them again.
    Losses,
    /// The partitions that came with the draws.
    Partitions,
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
        help: "the draws by multidimensional scaling, with estimate, runner-up and the 95 % ball",
        needs: &[Need::Draws, Need::Distance],
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
        help: "expected loss against the number of slices",
        needs: &[Need::Draws, Need::Distance],
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
    pub fn draw(&self, subject: &Subject) -> Result<Figure> {
        self.needs.iter().try_for_each(|need| need.check(self.name, subject))?;
        (self.draw)(subject)
    }

    /// Whether it can be drawn.
    pub fn fits(&self, subject: &Subject) -> bool {
        self.needs.iter().all(|need| need.check(self.name, subject).is_ok())
    }
}

impl Need {
    /// Whether it is a need for a dimension, and this is one.
    fn admits(self, dim: usize) -> bool {
        matches!(self, Need::Dimension(least, most) if (least..=most).contains(&dim))
    }

    fn check(self, kind: &str, subject: &Subject) -> Result<()> {
        let missing =
            |what: &str, hint: &str| Err(Error::usage(format!("the figure '{kind}' needs {what}")).hint(hint));
        let d = subject.estimate.dim();
        let has_path = subject.summary.assessment.as_ref().is_some_and(|assessment| assessment.free.is_some());
        match self {
            Need::Path if has_path => Ok(()),
            Need::Path if subject.summary.order != 2.0 => {
                missing("order 2: only then a floor is known", "summarise without --order")
            }
            Need::Draws | Need::Path if subject.draws.is_none() => {
                missing("the draws that were summarised", "give them with --draws")
            }
            Need::Losses if subject.summary.expected_losses.is_some() => Ok(()),
            Need::Distance | Need::Losses => crate::replay::known_slicer(subject.summary).map(drop),
            Need::Partitions if subject.partitions.is_none() => missing(
                "the labels of the observations in every draw, and the file of draws holds none",
                "draws from 'mixgist fit' hold them; for Stan's give --stan-labels to 'mixgist convert'",
            ),
            Need::Dimension(least, most) if d < least || d > most => {
                let other = Kind::of_estimate(d).name;
                missing(
                    &format!("dimension {}, the estimate has {d}", range(least, most)),
                    &format!("use --kind {other}"),
                )
            }
            _ => Ok(()),
        }
    }
}

fn range(least: usize, most: usize) -> String {
    match most {
        _ if least == most => least.to_string(),
        usize::MAX => format!("{least} or more"),
        _ => format!("{least} to {most}"),
    }
}
