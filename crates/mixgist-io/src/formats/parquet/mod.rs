//! Parquet: draws as a long table, data with column names, labels with one draw per row.

mod blocks;
mod guard;
mod read;
mod write;

use std::path::Path;

use mixgist::{Error, Result};

use crate::array::{Values, integer};
use crate::data::{DataTable, chosen_columns};
use crate::draws::{DrawsFile, ReadOptions};
use crate::labels::{LabelDraws, not_labels};
use crate::long_table::{Layout, LongTable, check_writable_as_table, column_names};
use crate::output::Output;
use read::{Table, TableColumn};
use write::{Column, write_table};

pub(crate) use blocks::{RowBlock, blocks_of};

pub(crate) fn read_draws(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    draws_of(Table::read(path, options)?, options)
}

fn draws_of(table: Table, options: &ReadOptions) -> Result<DrawsFile> {
    let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let layout = Layout::from_names(&names, options.covariance_form)?;
    let floats = |column: usize| table.columns[column].floats();
    let draw = table.columns[layout.draw].integers()?;
    let draws = draw
        .iter()
        .enumerate()
        .map(|(row, &x)| {
            u64::try_from(x).map_err(|_| table.columns[layout.draw].not(row, "an integer that is not negative"))
        })
        .collect::<Result<_>>()?;
    let chains = match layout.chain {
        None => vec![0; table.rows],
        Some(column) => {
            let column = &table.columns[column];
            let small = |(row, &x): (usize, &i64)| {
                u32::try_from(x).map_err(|_| column.not(row, "a chain number from 0 to 2^32"))
            };
            column.integers()?.iter().enumerate().map(small).collect::<Result<_>>()?
        }
    };
    let long = LongTable {
        chains,
        draws,
        atoms: layout.atom.map(|column| table.columns[column].integers()).transpose()?.unwrap_or_default(),
        weights: floats(layout.weight)?,
        draw_weights: layout.draw_weight.map(floats).transpose()?.unwrap_or_default(),
        means: rows_of(layout.means.iter().map(|&column| floats(column).map(Some)).collect::<Result<_>>()?, table.rows),
        covariances: rows_of(
            layout.covariances.iter().map(|column| column.map(floats).transpose()).collect::<Result<_>>()?,
            table.rows,
        ),
        lines: Vec::new(),
    };
    drop(table);
    long.into_ensemble(layout.means.len(), options).map(DrawsFile::from)
}

/// Columns side by side, row-major; `None` is a column of zeros.
fn rows_of(columns: Vec<Option<Vec<f64>>>, rows: usize) -> Vec<f64> {
    (0..rows)
        .flat_map(|row| columns.iter().map(move |column| column.as_ref().map_or(0.0, |column| column[row])))
        .collect()
}

pub(crate) fn read_data(path: &Path, options: &ReadOptions) -> Result<DataTable> {
    let table = Table::read(path, options)?;
    let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let chosen = match &options.columns {
        Some(wanted) => chosen_columns(wanted, names.len(), Some(&names))?,
        None => (0..names.len()).collect(),
    };
    let columns = chosen.iter().map(|&c| table.columns[c].floats().map(Some)).collect::<Result<Vec<_>>>()?;
    let names = chosen.iter().map(|&c| names[c].clone()).collect();
    DataTable::new(columns.len(), rows_of(columns, table.rows), Some(names))
}

pub(crate) fn read_labels(path: &Path, options: &ReadOptions) -> Result<LabelDraws> {
    let table = Table::read(path, options)?;
    let mut labels = LabelDraws::empty(table.columns.len());
    labels.check_not_empty(table.rows)?;
    for row in 0..table.rows {
        let row = table.columns.iter().map(|column| label(column, row)).collect::<Result<Vec<_>>>()?;
        labels.push(&row, |label| match label {
            Label::Integer(integer) => i64::try_from(*integer).ok(),
            Label::Text(_) => None,
        });
    }
    Ok(labels)
}

#[derive(PartialEq, Eq, Hash)]
enum Label<'a> {
    Integer(i128),
    Text(&'a str),
}

fn label(column: &TableColumn, row: usize) -> Result<Label<'_>> {
    match &column.values {
        Values::Integer(values) => Ok(Label::Integer(values.get(row).into())),
        Values::Unsigned(values) => Ok(Label::Integer(values[row].into())),
        Values::Text(values) => Ok(Label::Text(&values[row])),
        Values::Float(values) => match integer(values[row]) {
            Some(label) => Ok(Label::Integer(label.into())),
            None => Err(not_labels(column.not(row, "a label, an integer or a word"))),
        },
    }
}

pub(crate) fn write_draws(output: &mut Output, draws: &DrawsFile) -> Result<()> {
    let ensemble = &draws.ensemble;
    check_writable_as_table(ensemble)?;
    if let Some(m) = ensemble.iterations().iter().position(|&iteration| i64::try_from(iteration).is_err()) {
        return Err(Error::input(format!("iteration {} is too large for a table", ensemble.iterations()[m])).at_draw(m));
    }
    let draw_of: Vec<usize> = (0..ensemble.len()).flat_map(|m| ensemble.range(m).map(move |_| m)).collect();
    let draw_of = &draw_of;
    let d = ensemble.dim();
    let mut columns = vec![
        Column::Integer(Box::new(|i| ensemble.chains()[draw_of[i]].into())),
        Column::Integer(Box::new(|i| ensemble.iterations()[draw_of[i]] as i64)),
        Column::Integer(Box::new(|i| (i - ensemble.offsets()[draw_of[i]]) as i64)),
        Column::Float(Box::new(|i| ensemble.weights()[i])),
    ];
    if let Some(weights) = ensemble.draw_weights() {
        columns.push(Column::Float(Box::new(|i| weights[draw_of[i]])));
    }
    columns.extend((0..d).map(|j| Column::Float(Box::new(move |i| ensemble.atoms().mean(i)[j]))));
    columns.extend((0..d * d).map(|j| Column::Float(Box::new(move |i| ensemble.atoms().covariance(i)[j]))));
    write_table(output, &column_names(ensemble), &columns, draw_of.len())
}

pub(crate) fn write_data(output: &mut Output, data: &DataTable) -> Result<()> {
    let d = data.columns();
    let names = match data.column_names() {
        Some(names) => names.to_vec(),
        None => (1..=d).map(|j| format!("x_{j}")).collect(),
    };
    let columns: Vec<Column> = (0..d).map(|j| Column::Float(Box::new(move |i| data.values()[i * d + j]))).collect();
    write_table(output, &names, &columns, data.rows())
}

/// A table of numbers, the first `integers` columns of which are whole numbers; what is missing is NaN.
pub(crate) fn write_numbers(
    output: &mut Output,
    names: &[String],
    integers: usize,
    rows: usize,
    value: &dyn Fn(usize, usize) -> f64,
) -> Result<()> {
    let column = |c: usize| match c < integers {
        true => Column::Integer(Box::new(move |row| value(row, c) as i64)),
        false => Column::Float(Box::new(move |row| value(row, c))),
    };
    let columns: Vec<Column> = (0..names.len()).map(column).collect();
    write_table(output, names, &columns, rows)
}

pub(crate) fn write_labels(output: &mut Output, labels: &LabelDraws) -> Result<()> {
    let names: Vec<String> = (0..labels.observations).map(|i| format!("observation_{i}")).collect();
    let columns: Vec<Column> =
        (0..labels.observations).map(|i| Column::Integer(Box::new(move |m| labels.draw(m).get(i)))).collect();
    write_table(output, &names, &columns, labels.draws)
}
