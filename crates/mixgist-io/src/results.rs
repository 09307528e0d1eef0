//! Results as tables (CSV) and arrays (npy), written piece by piece as they are computed, whole or not at all.

use std::io::Write;
use std::path::Path;

use mixgist::{Error, Result};

use crate::delimited::write_record;
use crate::formats::npy::{Numbers, write_header, write_values};
use crate::output::{Output, Overwrite, cannot_write, write_whole};

/// One field of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A count, an index or a label.
    Index(u64),
    /// A number, with the shortest digits that are read back to the same bits.
    Number(f64),
    /// A number that there is not; the field stays empty.
    Missing,
    /// A name.
    Text(&'a str),
}

impl From<Option<f64>> for Cell<'_> {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Cell::Missing, Cell::Number)
    }
}

/// Takes the rows of a table.
pub struct TableRows<'a> {
    output: &'a mut Output,
    columns: usize,
}

impl TableRows<'_> {
    /// Writes a row, which must have as many cells as there are columns.
    pub fn push(&mut self, row: &[Cell]) -> Result<()> {
        if row.len() != self.columns {
            return Err(Error::input(format!("a row of {} cells in a table of {} columns", row.len(), self.columns)));
        }
        for (j, cell) in row.iter().enumerate() {
            let comma = if j == 0 { "" } else { "," };
            match cell {
                Cell::Index(x) => write!(self.output, "{comma}{x}"),
                Cell::Number(x) => write!(self.output, "{comma}{x:?}"),
                Cell::Missing => write!(self.output, "{comma}"),
                Cell::Text(text) => write!(self.output, "{comma}\"{}\"", text.replace('"', "\"\"")),
            }
            .map_err(cannot_write)?;
        }
        writeln!(self.output).map_err(cannot_write)
    }
}

/// Writes a CSV table with a header; `fill` hands over the rows.
pub fn write_table(
    path: &Path,
    columns: &[&str],
    overwrite: Overwrite,
    fill: impl FnOnce(&mut TableRows) -> Result<()>,
) -> Result<()> {
    write_whole(path, overwrite, |output| {
        write_record(output, columns.iter().copied())?;
        fill(&mut TableRows { output, columns: columns.len() })
    })
}

/// Takes the values of an array, row-major.
pub struct ArrayValues<'a> {
    output: &'a mut Output,
    left: usize,
}

impl ArrayValues<'_> {
    /// Writes the next values.
    pub fn push(&mut self, values: &[f64]) -> Result<()> {
        self.left =
            self.left.checked_sub(values.len()).ok_or_else(|| Error::input("more values than the shape has"))?;
        write_values(self.output, &Numbers::Float(values))
    }
}

/// Writes an npy file of f64 of that shape; `fill` hands over the values in any pieces.
pub fn write_npy_in_pieces(
    path: &Path,
    shape: &[usize],
    overwrite: Overwrite,
    fill: impl FnOnce(&mut ArrayValues) -> Result<()>,
) -> Result<()> {
    let size = shape.iter().try_fold(1usize, |size, &axis| size.checked_mul(axis));
    let left = size.ok_or_else(|| Error::resource("the array is too large to be written").in_file(path))?;
    write_whole(path, overwrite, |output| {
        write_header(output, shape, &Numbers::Float(&[]))?;
        let mut values = ArrayValues { output, left };
        fill(&mut values)?;
        match values.left {
            0 => Ok(()),
            left => Err(Error::input(format!("{left} values are missing from the array"))),
        }
    })
}

/// Writes labels as an npy file of unsigned integers (n,).
pub fn write_npy_labels(path: &Path, labels: &[u32], overwrite: Overwrite) -> Result<()> {
    write_whole(path, overwrite, |output| {
        write_header(output, &[labels.len()], &Numbers::Label(mixgist::LabelSlice::U32(labels)))?;
        write_values(output, &Numbers::Label(mixgist::LabelSlice::U32(labels)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read_data, read_labels, write_npy};
    use mixgist::slice::Array;

    #[test]
    fn pieces_make_the_same_file_as_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, pieces) = (folder.path().join("a.npy"), folder.path().join("b.npy"));
        let values: Vec<f64> = (0..12).map(|i| f64::from(i) / 7.0).collect();
        let array = Array { shape: vec![4, 3], values: values.clone() };
        write_npy(&whole, &array, Overwrite::Refuse).unwrap();
        let fill = |out: &mut ArrayValues| values.chunks(5).try_for_each(|piece| out.push(piece));
        write_npy_in_pieces(&pieces, &[4, 3], Overwrite::Refuse, fill).unwrap();
        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&pieces).unwrap());
    }

    #[test]
    fn too_few_or_too_many_values_leave_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        for (n, message) in [(5, "1 values are missing"), (7, "more values than the shape has")] {
            let error = write_npy_in_pieces(&path, &[2, 3], Overwrite::Refuse, |out| out.push(&vec![0.0; n]));
            assert!(error.unwrap_err().to_string().contains(message));
            assert!(!path.exists());
        }
    }

    #[test]
    fn tables_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let rows = [(3, 0.1), (0, 1e-300)];
        let fill = |table: &mut TableRows| {
            rows.iter().try_for_each(|&(label, p)| table.push(&[Cell::Index(label), Cell::Number(p)]))
        };
        write_table(&path, &["label", "certainty"], Overwrite::Refuse, fill).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "label,certainty\n3,0.1\n0,1e-300\n");
        let back = read_data(&path, &ReadOptions::default()).unwrap();
        assert_eq!(back.values(), [3.0, 0.1, 0.0, 1e-300]);
        let text = |table: &mut TableRows| table.push(&[Cell::Text("a \"b\""), Cell::Missing]);
        write_table(&path, &["x", "y"], Overwrite::Force, text).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "x,y\n\"a \"\"b\"\"\",\n");
        let short = |table: &mut TableRows| table.push(&[Cell::Index(1)]);
        let error = write_table(&path, &["x", "y"], Overwrite::Force, short).unwrap_err();
        assert!(error.to_string().ends_with("a row of 1 cells in a table of 2 columns"));
    }

    #[test]
    fn labels_are_one_axis_of_integers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        write_npy_labels(&path, &[7, 0, 7], Overwrite::Refuse).unwrap();
        assert_eq!(read_data(&path, &ReadOptions::default()).unwrap().values(), [7.0, 0.0, 7.0]);
        let error = read_labels(&path, &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("shape (3,), expected (draws, observations)"), "{error}");
    }
}
