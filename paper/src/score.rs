//! Means, standard deviations, and how many standard errors two numbers are apart.

use crate::published::{Deviation, Printed};

/// Mean and spread of some repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, divisor n − 1; 0 for a single repeat.
    pub sd: f64,
    /// How many repeats.
    pub count: usize,
}

impl Spread {
    /// Of these values; none when there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        Some(Spread { mean, sd: (squares / (count - 1).max(1) as f64).sqrt(), count })
    }

    fn variance_of_mean(self) -> f64 {
        self.sd * self.sd / self.count as f64
    }
}

/// How many standard errors `ours` is above the printed number.
///
/// Where the paper prints a mean over repeats, the standard error comes from both spreads. Where it prints a single number, that is one
/// more repeat of what `ours` is the spread of. Rounding to the printed digits counts as an error that is uniform over the last digit.
/// `noise` is the standard error that a single printed number has and the repeats have not. None with fewer than two repeats.
pub fn z_score(
    ours: Spread,
    printed: &Printed,
    deviation: Option<Deviation>,
    repeats: usize,
    noise: f64,
) -> Option<f64> {
    if ours.count < 2 {
        return None;
    }
    let rounding = printed.unit().powi(2) / 12.0;
    let theirs = match printed.sd() {
        Some(sd) => {
            let repeats = repeats as f64;
            let divisor = if deviation == Some(Deviation::Population) { repeats - 1.0 } else { repeats };
            sd * sd / divisor
        }
        None => ours.sd * ours.sd + noise * noise,
    };
    Some((ours.mean - printed.value()) / (ours.variance_of_mean() + theirs + rounding).sqrt())
}

/// P(|t| > bound) for Student's t: Simpson's rule over the angle a with t = √n tan a, where the density is a power of the cosine.
pub fn tail(bound: f64, degrees: usize) -> f64 {
    const STEPS: usize = 400;
    let n = degrees as f64;
    let integral = |from: f64, to: f64| {
        let step = (to - from) / STEPS as f64;
        let weight = |i: usize| if i == 0 || i == STEPS { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
        (0..=STEPS).map(|i| weight(i) * (from + i as f64 * step).cos().powf(n - 1.0)).sum::<f64>() * step / 3.0
    };
    let from = (bound / n.sqrt()).atan();
    let end = std::f64::consts::FRAC_PI_2;
    integral(from, end) / integral(0.0, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of printed tables: t with 1, 9 and 48 degrees of freedom exceeds these in absolute value with probability 0.05.
    #[test]
    fn tails_are_those_of_tables() {
        for (degrees, quantile) in [(1, 12.7062), (9, 2.2622), (48, 2.0106)] {
            let probability = tail(quantile, degrees);
            assert!((probability - 0.05).abs() < 1e-4, "{degrees}: {probability}");
        }
    }

    fn printed(parts: &[&str]) -> Printed {
        parts.iter().map(|s| s.to_string()).collect::<Vec<_>>().into()
    }

    #[test]
    fn two_means_differ_by_both_standard_errors() {
        let ours = Spread { mean: 1.5, sd: 0.3, count: 9 };
        // variances of the means: 0.01 and 0.4²/25 = 0.0064
        let z = z_score(ours, &printed(&["1.0000", "0.4"]), Some(Deviation::Sample), 25, 0.0).unwrap();
        assert!((z - 0.5 / 0.0164f64.sqrt()).abs() < 1e-6, "{z}");
        let z = z_score(ours, &printed(&["1.0000", "0.4"]), Some(Deviation::Population), 25, 0.0).unwrap();
        assert!((z - 0.5 / (0.01 + 0.16 / 24.0f64).sqrt()).abs() < 1e-6, "{z}");
    }

    #[test]
    fn a_single_number_is_one_more_repeat() {
        let ours = Spread::of(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!((ours.mean, ours.sd), (2.0, 1.0));
        let z = z_score(ours, &printed(&["4.000000"]), None, 25, 0.0).unwrap();
        assert!((z + 2.0 / (4.0f64 / 3.0).sqrt()).abs() < 1e-6, "{z}");
    }

    #[test]
    fn without_spread_only_rounding_is_left() {
        let ours = Spread::of(&[0.19011512; 3]).unwrap();
        assert!(z_score(ours, &printed(&["0.1901"]), None, 25, 0.0).unwrap().abs() < 1.0);
        assert!(z_score(ours, &printed(&["0.1911"]), None, 25, 0.0).unwrap() < -30.0);
        assert!(z_score(Spread::of(&[1.0]).unwrap(), &printed(&["2"]), None, 25, 0.0).is_none());
    }
}
