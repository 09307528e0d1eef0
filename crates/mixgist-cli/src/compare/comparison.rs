//! The comparison: its own document, as a CSV table, and for a person.

use std::collections::BTreeMap;
use std::path::Path;

use mixgist::partition::REGISTRY;
use mixgist::{Result, Settings};
use mixgist_io::{Cell, Overwrite, Schema, json_schema, write_table};
use schemars::JsonSchema;
use serde::Serialize;

use super::estimate::{DISTANCES, POOLED};
use crate::text::{count, significant, table};

/// The schema of a comparison.
pub const COMPARISON_SCHEMA: Schema = Schema { name: "mixgist.comparison", version: 2 };

/// Estimates side by side.
#[derive(Serialize, JsonSchema)]
pub struct Comparison {
    /// The estimates.
    pub estimates: Vec<ComparedEstimate>,
    /// What omari makes of 0/0.
    pub omari_convention: &'static str,
    /// Number of draws.
    pub draws: usize,
    /// How many draws densities were compared with.
    pub density_draws: Option<usize>,
    /// Directions of the sliced distance between densities.
    pub density_directions: Option<u32>,
    /// Number of slices.
    pub slices: usize,
    /// How distances were computed; each distance has a column of its own.
    pub settings: Settings,
}

/// One estimate with its expected losses.
#[derive(Serialize, JsonSchema)]
pub struct ComparedEstimate {
    /// The loss or distance whose expectation is least.
    pub name: String,
    /// Which draw it is, when it is one.
    pub draw: Option<usize>,
    /// Number of clusters.
    pub clusters: usize,
    /// Expected partition losses, by name.
    pub expected_losses: BTreeMap<&'static str, f64>,
    /// Expected distances of its density; null beyond dimension 2.
    pub expected_density_distances: Option<DensityDistances>,
    /// Expected distances of its mixing measure, by name.
    pub expected_measure_distances: BTreeMap<&'static str, f64>,
}

/// Distances between densities.
#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
pub struct DensityDistances {
    /// Half the L1 distance.
    pub total_variation: f64,
    /// Sliced Wasserstein distance of order 2.
    pub sliced_w2: f64,
}

impl Comparison {
    /// The names of the columns with a number each, and of the convention of omari.
    fn columns(&self) -> Vec<String> {
        let first = &self.estimates[0];
        let losses = REGISTRY.iter().map(|entry| entry.name).filter(|name| first.expected_losses.contains_key(name));
        let mut columns: Vec<String> = losses.map(String::from).collect();
        if first.expected_density_distances.is_some() {
            columns.extend(["density_tv", "density_sw2"].map(String::from));
        }
        columns.extend(DISTANCES.map(|name| format!("measure_{name}")));
        columns
    }

    fn values(estimate: &ComparedEstimate) -> Vec<f64> {
        let losses = REGISTRY.iter().filter_map(|entry| estimate.expected_losses.get(entry.name).copied());
        let densities = estimate.expected_density_distances.map(|d| [d.total_variation, d.sliced_w2]);
        let measures = DISTANCES.iter().filter_map(|name| estimate.expected_measure_distances.get(name));
        losses.chain(densities.into_iter().flatten()).chain(measures.copied()).collect()
    }

    /// Writes a row an estimate; the convention of omari stands in a column of its own.
    pub fn write_csv(&self, path: &Path, overwrite: Overwrite) -> Result<()> {
        let columns = self.columns();
        let mut header = vec!["estimate", "draw", "clusters"];
        header.extend(columns.iter().map(String::as_str));
        header.push("omari_convention");
        write_table(path, &header, overwrite, |rows| {
            self.estimates.iter().try_for_each(|estimate| {
                let draw = estimate.draw.map_or(Cell::Missing, |draw| Cell::Index(draw as u64));
                let mut row = vec![Cell::Text(&estimate.name), draw, Cell::Index(estimate.clusters as u64)];
                row.extend(Self::values(estimate).into_iter().map(Cell::Number));
                row.push(Cell::Text(self.omari_convention));
                rows.push(&row)
            })
        })
    }

    /// The answer for a person.
    pub fn report(&self) -> String {
        let mut header = ["estimate", "draw", "clusters"].map(String::from).to_vec();
        header.extend(self.columns().iter().map(|name| name.trim_start_matches("measure_").replace('_', " ")));
        let rows: Vec<Vec<String>> = self
            .estimates
            .iter()
            .map(|estimate| {
                let draw = estimate.draw.map_or("-".into(), |draw| draw.to_string());
                let mut row = vec![estimate.name.clone(), draw, estimate.clusters.to_string()];
                row.extend(Self::values(estimate).into_iter().map(|x| {
                    if x == 0.0 || (1e-3..1.0).contains(&x.abs()) { format!("{x:.4}") } else { significant(x, 5) }
                }));
                row
            })
            .collect();
        let mut lines = vec![
            table(&header, &rows),
            String::new(),
            format!("expected over {}; omari with 0/0 = {}", count(self.draws, "draw"), self.omari_convention),
        ];
        lines.push(match (self.density_draws, self.density_directions) {
            (Some(draws), Some(directions)) => format!(
                "densities (tv is half the L1 distance) against {draws} of them, evenly spaced; sw2 over {}",
                count(directions as usize, "direction")
            ),
            _ => "densities are compared in dimensions 1 and 2 only".into(),
        });
        lines.push(format!(
            "{} over {}, seed {}, units {}; binder, vi and omari by the pooled measure of {POOLED} draws given the partition",
            DISTANCES.join(", "),
            count(self.slices, "slice"),
            self.settings.seed,
            self.settings.units.name(),
        ));
        lines.join("\n")
    }
}

/// The JSON Schema of the comparison, with the name of its file.
pub fn json_schemas() -> Vec<(String, serde_json::Value)> {
    vec![json_schema::<Comparison>(COMPARISON_SCHEMA)]
}
