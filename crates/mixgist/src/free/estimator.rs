//! Which estimate is wanted, and with how many atoms.

use crate::text;
use crate::text::{named, option};
use crate::{Error, Result};

/// How many atoms a free-support estimate has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomCount {
    /// At most this many; atoms that do not help vanish.
    Fixed(usize),
    /// The smallest number that cannot be told from the best one.
    Auto {
        /// The most atoms that are tried, however much more would help.
        most: usize,
    },
}

impl AtomCount {
    /// The path goes up to this many atoms unless more are asked for or needed.
    pub const USUAL_MOST: usize = 15;

    /// `auto` tries no more atoms than this.
    pub const AUTO_MOST: usize = 60;

    /// More atoms than this are refused: a summary is short.
    pub const LIMIT: usize = 200;

    /// A number, or `auto` with the default limit.
    pub fn from_name(text: &str) -> Result<Self> {
        match text.parse() {
            _ if text == "auto" => Ok(AtomCount::default()),
            Ok(count) if (1..=Self::LIMIT).contains(&count) => Ok(AtomCount::Fixed(count)),
            _ => {
                let range = format!(" is '{text}', must be 'auto' or a number from 1 to {}", Self::LIMIT);
                Err(Error::usage(text![named("atoms"), range]))
            }
        }
    }

    /// The name that options use.
    pub fn name(self) -> String {
        match self {
            AtomCount::Fixed(count) => count.to_string(),
            AtomCount::Auto { .. } => "auto".into(),
        }
    }

    /// Refuses numbers that are out of range.
    pub(super) fn check(self) -> Result<()> {
        let (AtomCount::Fixed(most) | AtomCount::Auto { most }) = self;
        if (1..=Self::LIMIT).contains(&most) {
            return Ok(());
        }
        Err(Error::usage(format!("number of atoms is {most}, must be from 1 to {}", Self::LIMIT)))
    }

    /// The numbers of atoms to fit first, ascending.
    pub(super) fn first_path(self) -> Vec<usize> {
        match self {
            AtomCount::Auto { most } => (1..=most.min(Self::USUAL_MOST)).collect(),
            // Every number while that is affordable, then steps of a tenth.
            AtomCount::Fixed(count) if count > Self::AUTO_MOST => {
                let larger = std::iter::successors(Some(count), |k| Some(k - k.div_ceil(10)));
                let mut path: Vec<usize> = larger.take_while(|&k| k > Self::AUTO_MOST).collect();
                path.reverse();
                (1..=Self::AUTO_MOST).chain(path).collect()
            }
            AtomCount::Fixed(count) => (1..=count.max(Self::USUAL_MOST)).collect(),
        }
    }

    /// Most fits that a path may have.
    pub(crate) fn longest_path(self) -> usize {
        match self {
            AtomCount::Auto { most } => most,
            AtomCount::Fixed(_) => self.first_path().len(),
        }
    }

    /// The numbers of atoms to fit after a path of some length on which so many atoms were chosen; `None` if it was long enough.
    pub(super) fn longer_path(self, length: usize, chosen: usize) -> Option<Vec<usize>> {
        match self {
            AtomCount::Auto { most } if length < most && at_the_end(length, chosen) => {
                Some((1..=most.min(2 * length)).collect())
            }
            _ => None,
        }
    }
}

/// Whether a choice falls among the last fifth of a path.
pub(super) fn at_the_end(length: usize, chosen: usize) -> bool {
    5 * chosen > 4 * length
}

impl Default for AtomCount {
    fn default() -> Self {
        AtomCount::Auto { most: Self::AUTO_MOST }
    }
}

/// Which estimate is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimator {
    /// The draw of least expected loss.
    #[default]
    Medoid,
    /// The measure of least expected loss with few atoms, not confined to the draws.
    Free(AtomCount),
    /// The components that at least half of the draws have, each the posterior mean of what the draws have there; see `crate::aligned`.
    Aligned,
}

impl Estimator {
    /// Every estimator, with the name that options use.
    pub const NAMES: [&'static str; 3] = ["medoid", "free", "aligned"];

    /// The estimator of that name; a number of atoms is for the free one.
    pub fn from_name(name: &str, atoms: Option<&str>) -> Result<Self> {
        match (name, atoms) {
            ("free", atoms) => Ok(Estimator::Free(AtomCount::from_name(atoms.unwrap_or("auto"))?)),
            ("medoid", None) => Ok(Estimator::Medoid),
            ("aligned", None) => Ok(Estimator::Aligned),
            ("aligned", Some(_)) => Err(Error::usage(text![
                named("atoms"),
                " is for the free estimate; an aligned one has the components that the draws have"
            ])
            .hint(text!["use ", option("estimate", "free"), ", or leave out ", named("atoms")])),
            ("medoid", Some(_)) => Err(Error::usage(text![
                named("atoms"),
                " is for the free estimate; a medoid has the atoms of its draw"
            ])
            .hint(text!["add ", option("estimate", "free")])),
            _ => {
                Err(Error::usage(format!("unknown estimate '{name}'"))
                    .hint(format!("one of: {}", Self::NAMES.join(", "))))
            }
        }
    }

    /// The number of atoms that was asked for, where there is one.
    pub fn atoms(self) -> Option<AtomCount> {
        match self {
            Estimator::Medoid | Estimator::Aligned => None,
            Estimator::Free(count) => Some(count),
        }
    }

    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Medoid => "medoid",
            Estimator::Free(_) => "free",
            Estimator::Aligned => "aligned",
        }
    }
}
