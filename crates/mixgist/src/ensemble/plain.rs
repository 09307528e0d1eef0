//! Draws that travel: plain arrays, for workers elsewhere.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Ensemble;
use crate::{Error, Result};

impl Ensemble {
    /// What slices see of the draws.
    pub fn plain(&self) -> PlainDraws<'_> {
        PlainDraws {
            dim: self.dim(),
            offsets: Cow::Borrowed(&self.offsets),
            weights: Cow::Borrowed(&self.weights),
            means: Cow::Borrowed(self.atoms.means()),
            covariances: Cow::Borrowed(self.atoms.covariances()),
            draw_weights: self.draw_weights.as_deref().map(Cow::Borrowed),
        }
    }
}

/// What slices see of draws, as plain arrays that keep every bit: for workers elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlainDraws<'a> {
    dim: usize,
    offsets: Cow<'a, [usize]>,
    weights: Cow<'a, [f64]>,
    means: Cow<'a, [f64]>,
    covariances: Cow<'a, [f64]>,
    draw_weights: Option<Cow<'a, [f64]>>,
}

impl PlainDraws<'_> {
    /// The same with arrays of its own.
    pub(crate) fn into_owned(self) -> PlainDraws<'static> {
        PlainDraws {
            dim: self.dim,
            offsets: Cow::Owned(self.offsets.into_owned()),
            weights: Cow::Owned(self.weights.into_owned()),
            means: Cow::Owned(self.means.into_owned()),
            covariances: Cow::Owned(self.covariances.into_owned()),
            draw_weights: self.draw_weights.map(|weights| Cow::Owned(weights.into_owned())),
        }
    }

    /// A number that tells these draws from others: 64-bit FNV-1a over all arrays, eight bytes at a time.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut eat = |word: u64| hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        eat(self.dim as u64);
        self.offsets.iter().for_each(|&offset| eat(offset as u64));
        let arrays = [&self.weights, &self.means, &self.covariances];
        arrays.into_iter().chain(&self.draw_weights).flat_map(|array| array.iter()).for_each(|x| eat(x.to_bits()));
        hash
    }

    /// The draws again, without chains and iterations. What cannot have come from draws is refused.
    pub fn into_ensemble(self) -> Result<Ensemble> {
        let PlainDraws { dim, offsets, weights, means, covariances, draw_weights } = self;
        let draws = offsets.len().saturating_sub(1);
        let plain = Ensemble::builder(dim)
            .offsets(&offsets)
            .weights(&*weights)
            .means(means.into_owned())
            .covariances(covariances.into_owned())
            .build()?;
        let near = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9);
        let fits = near(&plain.weights, &weights) && draw_weights.as_ref().is_none_or(|own| own.len() == draws);
        if !fits {
            return Err(Error::input("these draws are damaged"));
        }
        // Weights keep the bits that they had.
        Ok(Ensemble { weights: weights.into_owned(), draw_weights: draw_weights.map(Cow::into_owned), ..plain })
    }
}
