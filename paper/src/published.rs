//! The published numbers, kept as data with the digits that were printed.

use mixgist::{Error, Result};
use serde::Deserialize;

const TEXT: &str = include_str!("../published.json");

/// Everything that the paper prints and that is compared here.
#[derive(Debug, Deserialize)]
pub struct Published {
    /// Where the numbers come from.
    pub source: String,
    /// Repeats of the simulation.
    pub repeats: usize,
    /// Tables 1 to 6.
    pub tables: Vec<PublishedTable>,
    /// Percentages in the text, and the cells that they are about.
    pub percentages: Vec<Percentage>,
    /// Minutes that steps took.
    pub timings: Vec<Timing>,
}

/// A table as printed.
#[derive(Debug, Deserialize)]
pub struct PublishedTable {
    /// `table1` …
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The divisor of its standard deviations.
    pub deviation: Option<Deviation>,
    /// Keys of the quantities, as in [`crate::evaluate`].
    pub columns: Vec<String>,
    /// One row a method.
    pub rows: Vec<PublishedRow>,
}

/// Which standard deviation was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deviation {
    /// Divided by n − 1.
    Sample,
    /// Divided by n.
    Population,
}

/// One method's numbers.
#[derive(Debug, Deserialize)]
pub struct PublishedRow {
    /// The method's name.
    pub method: String,
    /// One a column: the value, and its standard deviation over repeats where there is one.
    pub cells: Vec<Printed>,
}

/// A number as printed.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct Printed {
    /// The digits.
    pub text: String,
    /// The digits of the standard deviation.
    pub deviation: Option<String>,
}

impl From<Vec<String>> for Printed {
    fn from(parts: Vec<String>) -> Self {
        let mut parts = parts.into_iter();
        Printed { text: parts.next().unwrap_or_default(), deviation: parts.next() }
    }
}

impl Printed {
    /// Its value.
    pub fn value(&self) -> f64 {
        self.text.parse().unwrap_or(f64::NAN)
    }

    /// Its standard deviation over repeats.
    pub fn sd(&self) -> Option<f64> {
        self.deviation.as_ref().map(|text| text.parse().unwrap_or(f64::NAN))
    }

    /// One unit of the last digit.
    pub fn unit(&self) -> f64 {
        let decimals = self.text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        10f64.powi(-(decimals as i32))
    }

    /// As it stands in the paper.
    pub fn shown(&self) -> String {
        match &self.deviation {
            Some(deviation) => format!("{} ± {deviation}", self.text),
            None => self.text.clone(),
        }
    }
}

/// "A is x % above B" in the text.
#[derive(Debug, Deserialize)]
pub struct Percentage {
    /// The claim.
    pub what: String,
    /// The percentage in the text.
    pub printed: f64,
    /// The table that holds the two numbers.
    pub table: String,
    /// Their column.
    pub column: String,
    /// The row that is 100 %.
    pub base: String,
    /// The row that is above it.
    pub other: String,
}

/// How long a step took.
#[derive(Debug, Deserialize)]
pub struct Timing {
    /// The step.
    pub what: String,
    /// Minutes in the text.
    pub minutes: f64,
}

impl Published {
    /// Reads and checks the data.
    pub fn read() -> Result<Self> {
        let published: Published = serde_json::from_str(TEXT)
            .map_err(|cause| Error::input(format!("published.json cannot be read: {cause}")))?;
        for table in &published.tables {
            for row in &table.rows {
                let whole = row.cells.len() == table.columns.len();
                let numbers = row.cells.iter().all(|c| c.value().is_finite() && c.sd().is_none_or(f64::is_finite));
                if !whole || !numbers {
                    return Err(Error::input(format!("published.json: {}, row {}", table.name, row.method)));
                }
            }
        }
        Ok(published)
    }

    /// The table of that name.
    pub fn table(&self, name: &str) -> Result<&PublishedTable> {
        let found = self.tables.iter().find(|table| table.name == name);
        found.ok_or_else(|| Error::usage(format!("the paper has no table '{name}'")))
    }
}

impl PublishedTable {
    /// The cell of a method and a quantity.
    pub fn cell(&self, method: &str, column: &str) -> Option<&Printed> {
        let j = self.columns.iter().position(|c| c == column)?;
        Some(&self.rows.iter().find(|row| row.method == method)?.cells[j])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_whole_and_the_digits_are_those_printed() {
        let published = Published::read().unwrap();
        let sizes: Vec<_> = published.tables.iter().map(|t| (t.rows.len(), t.columns.len())).collect();
        assert_eq!(sizes, [(6, 7), (6, 4), (3, 6), (6, 4), (6, 2), (3, 3)]);
        let cell = published.table("table1").unwrap().cell("omari", "E omari").unwrap();
        assert_eq!((cell.value(), cell.sd(), cell.unit()), (0.6065, Some(0.2385), 1e-4));
        assert_eq!(published.table("table4").unwrap().cell("binder", "clusters").unwrap().unit(), 1.0);
        assert_eq!(published.table("table6").unwrap().cell("sw", "E G sw").unwrap().shown(), "3.1228");
        assert!(published.table("table7").is_err());
    }
}
