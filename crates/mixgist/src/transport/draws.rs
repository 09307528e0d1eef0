//! Exact distances of whole ensembles: from one measure to every draw, and between all pairs of draws.

use rayon::prelude::*;

use crate::pairwise::Condensed;
use crate::transport::NamedDistance;
use crate::{Ensemble, MixingMeasure, Progress, Result};

impl NamedDistance {
    /// From one measure to every draw. M times the cost of [`NamedDistance::distance`], draws in parallel.
    pub fn to_draws(
        &self,
        measure: &MixingMeasure,
        ensemble: &Ensemble,
        order: Option<f64>,
        progress: &dyn Progress,
    ) -> Result<Vec<f64>> {
        progress.begin("exact distances", ensemble.len() as u64);
        let one = |m: usize| {
            progress.check()?;
            let distance = self.distance(measure, &ensemble.draw(m), order).map_err(|error| error.at_draw(m))?;
            progress.advance(1);
            Ok(distance)
        };
        (0..ensemble.len()).into_par_iter().map(one).collect()
    }

    /// Between all pairs of draws. M (M − 1)/2 times the cost of [`NamedDistance::distance`]; memory 8 bytes a pair.
    pub fn matrix(&self, ensemble: &Ensemble, order: Option<f64>, progress: &dyn Progress) -> Result<Condensed> {
        let draws: Vec<MixingMeasure> = (0..ensemble.len()).map(|m| ensemble.draw(m)).collect();
        let mut matrix = Condensed::zeros(draws.len())?;
        progress.begin("exact distance matrix", matrix.values().len() as u64);
        matrix.rows_mut().into_par_iter().enumerate().try_for_each(|(i, row)| {
            for (value, j) in row.iter_mut().zip(i + 1..) {
                progress.check()?;
                *value = self.distance(&draws[i], &draws[j], order).map_err(|error| error.at_draw(j))?;
            }
            progress.advance(row.len() as u64);
            Ok(())
        })?;
        Ok(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::mixture::tests::random_measure;
    use crate::transport::EXACT_DISTANCES;

    #[test]
    fn rows_and_matrices_are_those_of_the_pairs() {
        let draws: Vec<MixingMeasure> = (0..7).map(|m| random_measure(2, 1 + m % 4, m as u64)).collect();
        let ensemble = Ensemble::from_measures(&draws).unwrap();
        for peer in &EXACT_DISTANCES {
            let row = peer.to_draws(&draws[3], &ensemble, None, &Silent).unwrap();
            let matrix = peer.matrix(&ensemble, None, &Silent).unwrap();
            for i in 0..7 {
                assert_eq!(row[i], peer.distance(&draws[3], &draws[i], None).unwrap());
                for j in i + 1..7 {
                    assert_eq!(matrix.get(j, i), peer.distance(&draws[i], &draws[j], None).unwrap());
                }
            }
        }
    }

    #[test]
    fn a_stopped_job_says_so() {
        struct Stopped;
        impl Progress for Stopped {
            fn cancelled(&self) -> bool {
                true
            }
        }
        let draws = [random_measure(1, 2, 1), random_measure(1, 2, 2)];
        let ensemble = Ensemble::from_measures(&draws).unwrap();
        let error = EXACT_DISTANCES[0].matrix(&ensemble, None, &Stopped).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Interrupted);
        assert!(EXACT_DISTANCES[0].to_draws(&draws[0], &ensemble, None, &Stopped).is_err());
    }
}
