//! CSV: draws as a long table, data with or without a header, labels with one draw per line.

use std::io::Write;
use std::path::Path;

use mixgist::text::named;
use mixgist::{Ensemble, Error, Result, text};

use crate::array::integer;
use crate::data::{DataTable, chosen_columns, column_text};
use crate::delimited::{Record, Records, is_missing, is_spreadsheet_error, write_record};
use crate::draws::{DrawsFile, ReadOptions};
use crate::labels::{LabelDraws, not_labels};
use crate::long_table::{Layout, LongTable, check_writable_as_table, column_names};
use crate::output::{Output, cannot_write};
use crate::source::{Budget, shown};

pub(crate) fn read_draws(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    let mut records = Records::open(path, options)?.with_any_separator();
    let header = records.next_record()?.ok_or_else(|| Error::input("holds no lines"))?;
    let names: Vec<String> = header.fields().map(String::from).collect();
    let separator =
        [(';', "semicolons"), ('\t', "tabs")].into_iter().find(|&(c, _)| names.len() == 1 && names[0].contains(c));
    let layout = Layout::from_names(&names, options.covariance_form).map_err(|error| {
        let error = error.at_line(header.line);
        match separator {
            Some((_, name)) => error.hint(expected_commas(name)),
            None => error,
        }
    })?;
    let mut table = LongTable::default();
    let mut budget = Budget::new(options);
    while let Some(record) = records.next_record()? {
        budget.take("the table", 8 * (names.len() as u64 + 1))?;
        record.expect(names.len())?;
        push_row(&mut table, &layout, &Row { record, names: &names })?;
    }
    let ensemble = table.into_ensemble(layout.means.len(), options)?;
    Ok(DrawsFile::from(ensemble))
}

struct Row<'a> {
    record: Record<'a>,
    names: &'a [String],
}

impl Row<'_> {
    /// A number; a missing one is NaN, which only padding (weight 0) may be.
    fn float(&self, column: usize) -> Result<f64> {
        let field = self.record.field(column);
        if is_missing(field) { Ok(f64::NAN) } else { field.parse().map_err(|_| self.not(column, "a number")) }
    }

    fn count(&self, column: usize) -> Result<u64> {
        whole(self.record.field(column))
            .and_then(|x| u64::try_from(x).ok())
            .ok_or_else(|| self.not(column, "an integer that is not negative"))
    }

    fn not(&self, column: usize, expected: &str) -> Error {
        let (name, field) = (column_text(column, Some(self.names)), quoted(self.record.field(column)));
        Error::input(name.then(format!(" is {field}, expected {expected}"))).at_line(self.record.line)
    }
}

fn push_row(table: &mut LongTable, layout: &Layout, row: &Row<'_>) -> Result<()> {
    let chain = match layout.chain {
        Some(column) => u32::try_from(row.count(column)?).map_err(|_| row.not(column, "a chain number below 2^32"))?,
        None => 0,
    };
    table.chains.push(chain);
    table.draws.push(row.count(layout.draw)?);
    if let Some(column) = layout.atom {
        let atom = whole(row.record.field(column)).and_then(|x| i64::try_from(x).ok());
        table.atoms.push(atom.ok_or_else(|| row.not(column, "an integer"))?);
    }
    table.weights.push(row.float(layout.weight)?);
    if let Some(column) = layout.draw_weight {
        table.draw_weights.push(row.float(column)?);
    }
    for &column in &layout.means {
        table.means.push(row.float(column)?);
    }
    for column in &layout.covariances {
        table.covariances.push(column.map_or(Ok(0.0), |column| row.float(column))?);
    }
    table.lines.push(row.record.line);
    Ok(())
}

/// The integer that a field stands for, written as `3` or `3.0`.
fn whole(field: &str) -> Option<i128> {
    field.parse().ok().or_else(|| field.parse().ok().and_then(integer).map(i128::from))
}

/// A field as messages show it.
fn quoted(field: &str) -> String {
    if field.is_empty() { "empty".to_owned() } else { format!("'{}'", shown(field)) }
}

pub(crate) fn read_data(path: &Path, options: &ReadOptions) -> Result<DataTable> {
    let mut records = Records::open(path, options)?.with_any_separator();
    let mut budget = Budget::new(options);
    let mut values = Vec::new();
    let first = records.next_record()?.ok_or_else(|| Error::input("holds no lines"))?;
    let columns = first.len();
    let names: Option<Vec<String>> = is_header(&first).then(|| first.fields().map(String::from).collect());
    let chosen = match &options.columns {
        Some(wanted) => chosen_columns(wanted, columns, names.as_deref())?,
        None => (0..columns).collect(),
    };
    match &names {
        Some(names) if options.columns.is_none() => check_names(names).map_err(|error| error.at_line(first.line))?,
        Some(_) => {}
        None => push_numbers(&mut values, &first, &chosen, None)?,
    }
    while let Some(record) = records.next_record()? {
        budget.take("the table", 8 * chosen.len() as u64)?;
        record.expect(columns)?;
        push_numbers(&mut values, &record, &chosen, names.as_deref())?;
    }
    if values.is_empty() {
        return Err(Error::input("has a header, but no rows"));
    }
    let names = names.map(|names| chosen.iter().map(|&column| names[column].clone()).collect());
    DataTable::new(chosen.len(), values, names)
}

/// A header has no number in it, and says something.
fn is_header(record: &Record<'_>) -> bool {
    record.fields().all(is_name) && record.fields().any(|field| !is_missing(field))
}

/// Whether a header may hold this field.
fn is_name(field: &str) -> bool {
    let number = field.parse::<f64>().is_ok() || wrong_separator(field).is_some();
    is_missing(field) || !(number || is_spreadsheet_error(field))
}

/// What separates the numbers of a field that should be one number.
fn wrong_separator(field: &str) -> Option<&'static str> {
    let numbers =
        |c: char| field.split(c).all(|part| part.is_empty() || part.replace(',', ".").trim().parse::<f64>().is_ok());
    let separators = [(';', "semicolons"), ('\t', "tabs"), (' ', "blanks")];
    separators.into_iter().find(|&(c, _)| field.contains(c) && numbers(c)).map(|(_, name)| name)
}

fn expected_commas(separator: &str) -> String {
    format!("fields are separated by {separator}, expected commas")
}

fn check_names(names: &[String]) -> Result<()> {
    match names.iter().position(String::is_empty) {
        Some(column) => Err(Error::input(column_text(column, None).then(" has no name"))
            .hint("a column of row names must be left out (index=False in pandas, row.names=FALSE in R)")),
        None => Ok(()),
    }
}

fn push_numbers(values: &mut Vec<f64>, record: &Record<'_>, chosen: &[usize], names: Option<&[String]>) -> Result<()> {
    for &column in chosen {
        let field = record.field(column);
        let expected = match field.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                values.push(value);
                continue;
            }
            _ if is_missing(field) => "a number, this value is missing",
            Ok(_) => "a finite number",
            Err(_) => "a number",
        };
        let error =
            Error::input(column_text(column, names).then(format!(" is {}, expected {expected}", quoted(field))))
                .at_line(record.line);
        return Err(match names {
            _ if wrong_separator(field).is_some() => {
                error.hint(expected_commas(wrong_separator(field).unwrap_or_default()))
            }
            _ if is_spreadsheet_error(field) => error.hint("the spreadsheet could not compute it: correct it there"),
            None if record.line == 1 && !is_missing(field) => {
                error.hint("a header must not have numbers among its names")
            }
            _ if is_missing(field) => error.hint("drop or impute rows with missing values first"),
            _ if field.replace(',', ".").parse::<f64>().is_ok() => error.hint("write numbers with a decimal point"),
            _ if field.parse::<f64>().is_err() => {
                error.hint(text!["leave the column out if it holds text: choose the others with ", named("columns")])
            }
            _ => error,
        });
    }
    Ok(())
}

/// What a label is, so that `1`, `01` and `1.0` are the same.
#[derive(PartialEq, Eq, Hash)]
enum Label {
    Integer(i128),
    Text(String),
}

fn labels_of(record: &Record<'_>) -> Result<Vec<Label>> {
    let not = |column: usize, expected: &str| {
        let (name, field) = (column_text(column, None), quoted(record.field(column)));
        Error::input(name.then(format!(" is {field}, expected {expected}"))).at_line(record.line)
    };
    let one = |(column, field): (usize, &str)| match whole(field) {
        Some(integer) => Ok(Label::Integer(integer)),
        None if is_missing(field) || is_spreadsheet_error(field) => Err(not(column, "a label, this one is missing")),
        None if field.parse::<f64>().is_ok() => Err(not_labels(not(column, "a label, an integer or a word"))),
        None => Ok(Label::Text(field.to_owned())),
    };
    record.fields().enumerate().map(one).collect()
}

/// Reads labels; a first line of words above a line of integers is a header.
pub(crate) fn read_labels(path: &Path, options: &ReadOptions) -> Result<LabelDraws> {
    let mut records = Records::open(path, options)?.with_any_separator();
    let mut budget = Budget::new(options);
    let first = records.next_record()?.ok_or_else(|| Error::input("holds no lines"))?;
    let observations = first.len();
    let mut out = LabelDraws::empty(observations);
    let number = |label: &Label| match label {
        Label::Integer(integer) => i64::try_from(*integer).ok(),
        Label::Text(_) => None,
    };
    let words = first.fields().all(|field| whole(field).is_none());
    let mut pending = Some(labels_of(&first));
    while let Some(record) = records.next_record()? {
        budget.take("the labels", 8 * observations as u64)?;
        record.expect(observations)?;
        let labels = labels_of(&record)?;
        if let Some(first) = pending.take() {
            let header = words && labels.iter().all(|label| matches!(label, Label::Integer(_)));
            if !header {
                out.push(&first?, number);
            }
        }
        out.push(&labels, number);
    }
    if let Some(only) = pending {
        out.push(&only?, number);
    }
    Ok(out)
}

pub(crate) fn write_draws(output: &mut Output, draws: &DrawsFile) -> Result<()> {
    let ensemble: &Ensemble = &draws.ensemble;
    check_writable_as_table(ensemble)?;
    write_record(output, column_names(ensemble).iter().map(String::as_str))?;
    for m in 0..ensemble.len() {
        for (atom, i) in ensemble.range(m).enumerate() {
            let (chain, draw) = (ensemble.chains()[m], ensemble.iterations()[m]);
            // Debug prints the shortest digits that are read back to the same bits.
            write!(output, "{chain},{draw},{atom},{:?}", ensemble.weights()[i]).map_err(cannot_write)?;
            if let Some(weights) = ensemble.draw_weights() {
                write!(output, ",{:?}", weights[m]).map_err(cannot_write)?;
            }
            for x in ensemble.atoms().mean(i).iter().chain(ensemble.atoms().covariance(i)) {
                write!(output, ",{x:?}").map_err(cannot_write)?;
            }
            writeln!(output).map_err(cannot_write)?;
        }
    }
    Ok(())
}

pub(crate) fn write_data(output: &mut Output, data: &DataTable) -> Result<()> {
    if let Some(names) = data.column_names() {
        if let Some(name) = names.iter().find(|name| !is_name(name) || name.trim() != *name || name.is_empty()) {
            return Err(Error::input(format!("column name '{name}' would not be read back as a name"))
                .hint("rename the column"));
        }
        write_record(output, names.iter().map(String::as_str))?;
    }
    data.values().chunks_exact(data.columns()).try_for_each(|row| write_row(output, row))
}

pub(crate) fn write_labels(output: &mut Output, labels: &LabelDraws) -> Result<()> {
    (0..labels.draws).try_for_each(|m| write_row(output, labels.draw(m)))
}

fn write_row<T: std::fmt::Debug>(output: &mut Output, row: impl IntoIterator<Item = T>) -> Result<()> {
    for (j, x) in row.into_iter().enumerate() {
        write!(output, "{}{x:?}", if j == 0 { "" } else { "," }).map_err(cannot_write)?;
    }
    writeln!(output).map_err(cannot_write)
}
