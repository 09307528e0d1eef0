//! Observations (n, d) with the names of their columns.

use std::path::Path;

use mixgist::slice::Array;
use mixgist::text::{Spelling, Text, index};
use mixgist::{Error, Result, text};

use crate::ReadOptions;
use crate::array::shape_text;
use crate::format::Format;
use crate::output::{Overwrite, write_whole};
use crate::source::shown;

/// n observations of dimension d: finite numbers, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct DataTable {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
    column_names: Option<Vec<String>>,
}

/// Reads data (n, d): CSV with or without header, npy, npz (array `data`) or Parquet.
pub fn read_data(path: &Path, options: &ReadOptions) -> Result<DataTable> {
    let read = options.format_of(path)?.data_reader()?;
    read(path, options).map_err(|error| error.in_file(path))
}

/// The places of the columns that are wanted among `columns` columns, which may have names.
pub(crate) fn chosen_columns(wanted: &[String], columns: usize, names: Option<&[String]>) -> Result<Vec<usize>> {
    let place = |name: &String| match names {
        Some(names) => names.iter().position(|known| known == name),
        None => name.parse().ok().filter(|&column: &usize| column < columns),
    };
    let mut chosen = Vec::new();
    for name in wanted {
        let unknown = || {
            let known = match names {
                Some(names) => format!("the columns are {}", shown(&names.join(", "))).into(),
                None => {
                    text!["the columns have no names, they are counted from ", index(0), " to ", index(columns - 1)]
                }
            };
            Error::usage(format!("there is no column '{}'", shown(name))).hint(known)
        };
        let column = place(name).ok_or_else(unknown)?;
        if chosen.contains(&column) {
            return Err(Error::usage(format!("column '{}' is wanted twice", shown(name))));
        }
        chosen.push(column);
    }
    Ok(chosen)
}

/// Writes data, whole or not at all.
pub fn write_data(path: &Path, data: &DataTable, format: Option<Format>, overwrite: Overwrite) -> Result<()> {
    let write = Format::to_write_data(format, path)?;
    write_whole(path, overwrite, |output| write(output, data))
}

impl DataTable {
    /// Checks that the `values`, row-major, make rows of `columns` numbers, all finite; an error names row and column.
    pub fn new(columns: usize, values: Vec<f64>, column_names: Option<Vec<String>>) -> Result<Self> {
        if columns == 0 {
            return Err(Error::input("data has no columns"));
        }
        if values.is_empty() {
            return Err(Error::input("data has no rows"));
        }
        if !values.len().is_multiple_of(columns) {
            return Err(Error::input(format!("{} values do not make rows of {columns}", values.len())));
        }
        if let Some(names) = &column_names
            && names.len() != columns
        {
            return Err(Error::input(format!("{} column names for {columns} columns", names.len())));
        }
        let table = DataTable { rows: values.len() / columns, columns, values, column_names };
        match table.values.iter().position(|x| !x.is_finite()) {
            Some(i) => {
                let (row, column) = (i / columns, table.column_text(i % columns));
                let what = format!(" is {}, expected a finite number", table.values[i]);
                Err(Error::input(text!["row ", index(row), ", ", column, what]))
            }
            None => Ok(table),
        }
    }

    /// Data from an array (n, d), or (n,) in dimension 1; of these the columns that are wanted.
    pub(crate) fn from_array(array: Array, column_names: Option<Vec<String>>, options: &ReadOptions) -> Result<Self> {
        let table = Self::whole(array, column_names)?;
        let Some(wanted) = &options.columns else { return Ok(table) };
        let chosen = chosen_columns(wanted, table.columns, table.column_names.as_deref())?;
        let rows = table.values.chunks_exact(table.columns);
        let values = rows.flat_map(|row| chosen.iter().map(|&column| row[column])).collect();
        let names = table.column_names.as_ref().map(|names| chosen.iter().map(|&c| names[c].clone()).collect());
        DataTable::new(chosen.len(), values, names)
    }

    fn whole(array: Array, column_names: Option<Vec<String>>) -> Result<Self> {
        match array.shape.as_slice() {
            &[_, columns] => DataTable::new(columns, array.values, column_names),
            &[_] => DataTable::new(1, array.values, column_names),
            shape => Err(Error::input(format!(
                "array 'data' has shape {}, expected (observations, dimension)",
                shape_text(shape)
            ))),
        }
    }

    /// Number of observations n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Dimension d.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The numbers, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Names of the columns, when the file had them.
    pub fn column_names(&self) -> Option<&[String]> {
        self.column_names.as_deref()
    }

    /// Adds its name to a column that is counted in a message about these data.
    pub fn naming_column(&self, error: Error, spelling: &dyn Spelling) -> Error {
        let text = error.to_string();
        let counted = |a: &usize| text.contains(&format!("column {a} ")) || text.ends_with(&format!("column {a}"));
        let names = self.column_names().unwrap_or_default();
        let Some(a) = (0..names.len()).find(counted) else { return error };
        let more = error.hint_text().map(|hint| format!("; {}", hint.spelled(spelling))).unwrap_or_default();
        error.hint(format!("column {a} is '{}'{more}", names[a]))
    }

    fn column_text(&self, column: usize) -> Text {
        column_text(column, self.column_names.as_deref())
    }
}

/// How messages call a column.
pub(crate) fn column_text(column: usize, names: Option<&[String]>) -> Text {
    match names.and_then(|names| names.get(column)) {
        Some(name) => format!("column '{}'", shown(name)).into(),
        None => text!["column ", index(column), " (counted from ", index(0), ")"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_must_be_finite_and_rectangular() {
        let names = || Some(vec!["x".to_owned(), "y".to_owned()]);
        let message =
            |columns, values: &[f64], names| DataTable::new(columns, values.to_vec(), names).unwrap_err().to_string();
        assert_eq!(
            message(2, &[1.0, 2.0, 3.0, f64::NAN], names()),
            "row 1, column 'y' is NaN, expected a finite number"
        );
        assert_eq!(
            message(1, &[f64::INFINITY], None),
            "row 0, column 0 (counted from 0) is inf, expected a finite number"
        );
        assert_eq!(message(2, &[1.0], None), "1 values do not make rows of 2");
        assert_eq!(message(0, &[], None), "data has no columns");
        assert_eq!(message(2, &[], None), "data has no rows");
        assert_eq!(message(1, &[1.0], names()), "2 column names for 1 columns");
    }
}
