//! Whether the chains agree, the distance of every draw to the estimate included.

use mixgist::diagnostics::{Convergence, convergence, verdict};
use mixgist::{Points, Progress, Result, Settings as SummarySettings, SliceCount, Summary, Units, summarize};

use crate::fit::Fit;
use crate::settings::Settings;

/// The verdict on the chains with what it is based on.
pub struct Agreement {
    /// The estimate that distances are taken to.
    pub summary: Summary,
    /// Name and convergence of each trace.
    pub rows: Vec<(String, Convergence)>,
    /// The verdict on all of them.
    pub verdict: &'static str,
}

/// Slices for the distance trace: a diagnostic needs no more.
const DIAGNOSTIC_SLICES: usize = 100;

impl Agreement {
    /// Summarises the draws and judges the traces.
    pub fn new(fitted: &Fit, data: Points, settings: &Settings, progress: &dyn Progress) -> Result<Self> {
        let summary_settings = SummarySettings {
            slices: SliceCount::Fixed(DIAGNOSTIC_SLICES),
            units: units(data),
            ..SummarySettings::default()
        };
        let summary = summarize(&fitted.ensemble, Some(data), &summary_settings, progress)?;
        let mut rows: Vec<(String, Convergence)> = fitted
            .diagnostics
            .iter()
            .flat_map(|diagnostics| diagnostics.rows())
            .map(|row| (row.name.to_owned(), row.convergence))
            .collect();
        if fitted.diagnostics.is_some() {
            let by_chain: Vec<&[f64]> = summary.medoid.distances.chunks(settings.draws_per_chain() as usize).collect();
            rows.push(("distance to estimate".into(), convergence(&by_chain)?));
        }
        let quantities: Vec<Convergence> = rows.iter().map(|(_, convergence)| *convergence).collect();
        let verdict = if rows.is_empty() {
            "too few draws to judge"
        } else {
            verdict(&quantities, settings.chains as usize).text()
        };
        Ok(Agreement { summary: summary.result, rows, verdict })
    }
}

/// Standard deviations where the data have them; units as they are for one row or a constant column.
fn units(data: Points) -> Units {
    let varies = |a: usize| (1..data.len()).any(|i| data.point(i)[a] != data.point(0)[a]);
    if (0..data.dim()).all(varies) { Units::Sd } else { Units::None }
}
