//! Reading a Parquet file of plain columns.

use std::fs::File;
use std::path::Path;

use ::parquet::basic::{ConvertedType, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{AsBytes, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;
use mixgist::text::index;
use mixgist::{Error, Result, text};

use crate::array::{Values, integer};
use crate::caught::caught;
use crate::draws::ReadOptions;
use crate::source::{Budget, Source, shown};

use super::guard::{check_footer, check_pages};

/// The columns of a file.
pub(super) struct Table {
    pub columns: Vec<TableColumn>,
    pub rows: usize,
}

pub(super) struct TableColumn {
    pub name: String,
    pub values: Values,
}

/// Some rows of a row group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub group: usize,
    pub skip: usize,
    pub take: usize,
}

impl Table {
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self> {
        Self::read_some(path, options, None, |_| true)
    }

    /// Some rows, or all, of the columns that are wanted.
    pub fn read_some(
        path: &Path,
        options: &ReadOptions,
        spans: Option<&[Span]>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Self> {
        // The reader returns errors for corrupt files as far as its authors found the places; where they did not, indexing
        // and arithmetic in it panic. It owns all its state, so nothing half-done survives the unwinding.
        caught(|| read_table(path, options, spans, &wanted))
            .unwrap_or_else(|| Err(Error::input("is a corrupt Parquet file")))
    }
}

/// Rows of each row group.
pub(super) fn group_rows(path: &Path) -> Result<Vec<usize>> {
    let rows = || -> Result<Vec<usize>> {
        let Source { mut file, bytes } = Source::open(path)?;
        if bytes < 12 {
            return Err(Error::input(format!("has {bytes} bytes, too few for a Parquet file")));
        }
        check_footer(&mut file, bytes)?;
        let reader = SerializedFileReader::new(file).map_err(|cause| corrupt(&cause))?;
        let rows = |group: &::parquet::file::metadata::RowGroupMetaData| usize::try_from(group.num_rows());
        let rows: std::result::Result<Vec<usize>, _> = reader.metadata().row_groups().iter().map(rows).collect();
        rows.map_err(|_| Error::input("is a corrupt Parquet file: a row group has less than no rows"))
    };
    caught(rows).unwrap_or_else(|| Err(Error::input("is a corrupt Parquet file")))
}

impl TableColumn {
    /// The numbers of a column; what is missing is NaN.
    pub fn floats(&self) -> Result<Vec<f64>> {
        match &self.values {
            Values::Float(values) => Ok(values.clone()),
            Values::Integer(values) => Ok(values.iter().map(|x| x as f64).collect()),
            Values::Unsigned(values) => Ok(values.iter().map(|x| *x as f64).collect()),
            Values::Text(_) => Err(Error::input(format!("column '{}' holds text, expected numbers", self.name))),
        }
    }

    /// The integers of a column.
    pub fn integers(&self) -> Result<Vec<i64>> {
        let expected = "an integer";
        match &self.values {
            Values::Integer(values) => Ok(values.iter().collect()),
            Values::Unsigned(values) => values
                .iter()
                .enumerate()
                .map(|(row, &x)| i64::try_from(x).map_err(|_| self.not(row, expected)))
                .collect(),
            Values::Float(values) => {
                values.iter().enumerate().map(|(row, &x)| integer(x).ok_or_else(|| self.not(row, expected))).collect()
            }
            Values::Text(_) => Err(Error::input(format!("column '{}' holds text, expected integers", self.name))),
        }
    }

    /// The error for a value that is not what was expected.
    pub fn not(&self, row: usize, expected: &str) -> Error {
        let got = match &self.values {
            Values::Float(values) => values[row].to_string(),
            Values::Integer(values) => values.get(row).to_string(),
            Values::Unsigned(values) => values[row].to_string(),
            Values::Text(values) => format!("'{}'", values[row]),
        };
        Error::input(text!["row ", index(row), format!(", column '{}' is {got}, expected {expected}", self.name)])
    }
}

fn read_table(
    path: &Path,
    options: &ReadOptions,
    spans: Option<&[Span]>,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Table> {
    let Source { mut file, bytes } = Source::open(path)?;
    if bytes < 12 {
        return Err(Error::input(format!("has {bytes} bytes, too few for a Parquet file")));
    }
    check_footer(&mut file, bytes)?;
    let same = file.try_clone().map_err(|cause| Error::input(format!("cannot be read: {cause}")))?;
    let reader = SerializedFileReader::new(same).map_err(|cause| corrupt(&cause))?;
    let metadata = reader.metadata();
    check_places(metadata, bytes)?;
    let mut budget = Budget::new(options);
    check_pages(&mut file, metadata, &budget)?;
    let every: Vec<Span> =
        (0..metadata.num_row_groups()).map(|group| Span { group, skip: 0, take: usize::MAX }).collect();
    let mut columns = Vec::new();
    for (index, descriptor) in metadata.file_metadata().schema_descr().columns().iter().enumerate() {
        if is_pandas_index(descriptor.name()) {
            continue;
        }
        let name = descriptor.path().parts().first().cloned().unwrap_or_default();
        if descriptor.max_rep_level() > 0 || descriptor.path().parts().len() > 1 {
            return Err(Error::input(format!("column '{name}' holds lists or records, expected plain values")));
        }
        if !wanted(&name) {
            continue;
        }
        let spans = spans.unwrap_or(&every);
        let values =
            ColumnChunks { reader: &reader, index, descriptor, name: &name, budget: &mut budget, spans }.read()?;
        columns.push(TableColumn { name, values });
    }
    let length = |column: &TableColumn| match &column.values {
        Values::Float(values) => values.len(),
        Values::Integer(values) => values.len(),
        Values::Unsigned(values) => values.len(),
        Values::Text(values) => values.len(),
    };
    let promised = match spans {
        Some(spans) => spans.iter().map(|span| span.take).sum(),
        None => usize::try_from(metadata.file_metadata().num_rows()).unwrap_or(usize::MAX),
    };
    if let Some(column) = columns.iter().find(|column| length(column) != promised) {
        return Err(Error::input(format!(
            "is a corrupt Parquet file: column '{}' has {} rows, {promised} are promised",
            column.name,
            length(column)
        )));
    }
    match (columns.is_empty(), promised) {
        (true, _) => Err(Error::input("has no columns")),
        (_, 0) => Err(Error::input("has no rows")),
        _ => Ok(Table { columns, rows: promised }),
    }
}

/// Checks that the chunks of all columns lie within the file; the reader panics at negative places.
fn check_places(metadata: &ParquetMetaData, bytes: u64) -> Result<()> {
    for chunk in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let start = u64::try_from(chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset()));
        let length = u64::try_from(chunk.compressed_size());
        let end = start.ok().zip(length.ok()).and_then(|(start, length)| start.checked_add(length));
        if end.is_none_or(|end| end > bytes) {
            let name = shown(&chunk.column_path().string());
            return Err(Error::input(format!("is a corrupt Parquet file: column '{name}' lies outside of it")));
        }
    }
    Ok(())
}

/// pandas stores the row names of a table as a column of this name.
fn is_pandas_index(name: &str) -> bool {
    name.starts_with("__index_level_") && name.ends_with("__")
}

fn corrupt(cause: &ParquetError) -> Error {
    let text = cause.to_string();
    let error = Error::input(format!("is not a Parquet file, or is truncated or corrupt ({text})"));
    if text.contains("Disabled feature") || text.contains("decoding is not supported") {
        return Error::input(format!("is compressed in a way that is not supported ({text})"))
            .hint("write it with compression 'snappy', 'zstd' or none");
    }
    error
}

/// One column over all row groups.
struct ColumnChunks<'a> {
    reader: &'a SerializedFileReader<File>,
    index: usize,
    descriptor: &'a ColumnDescriptor,
    name: &'a str,
    budget: &'a mut Budget,
    spans: &'a [Span],
}

impl ColumnChunks<'_> {
    fn read(&mut self) -> Result<Values> {
        use ConvertedType as C;
        let converted = self.descriptor.converted_type();
        let unsigned = matches!(converted, C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64);
        let signed = matches!(converted, C::NONE | C::INT_8 | C::INT_16 | C::INT_32 | C::INT_64);
        let plain = unsigned || signed || matches!(converted, C::UTF8 | C::ENUM);
        if !plain || (converted == C::NONE && self.descriptor.logical_type_ref().is_some()) {
            return Err(self.unsupported());
        }
        let (mut floats, mut integers, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for &span in self.spans {
            let group = self.reader.get_row_group(span.group).map_err(|cause| corrupt(&cause))?;
            match group.get_column_reader(self.index).map_err(|cause| corrupt(&cause))? {
                ColumnReader::DoubleColumnReader(chunk) => {
                    self.each(chunk, span, |x| floats.push(x.map_or(f64::NAN, |x| *x)))?
                }
                ColumnReader::FloatColumnReader(chunk) => {
                    self.each(chunk, span, |x| floats.push(x.map_or(f64::NAN, |x| (*x).into())))?
                }
                ColumnReader::BoolColumnReader(chunk) => {
                    self.each(chunk, span, |x| integers.push(x.map(|x| i64::from(*x))))?
                }
                ColumnReader::Int32ColumnReader(chunk) if unsigned => {
                    self.each(chunk, span, |x| integers.push(x.map(|x| i64::from(*x as u32))))?
                }
                ColumnReader::Int32ColumnReader(chunk) => {
                    self.each(chunk, span, |x| integers.push(x.map(|x| i64::from(*x))))?
                }
                ColumnReader::Int64ColumnReader(chunk) => self.each(chunk, span, |x| integers.push(x.copied()))?,
                ColumnReader::ByteArrayColumnReader(chunk) => {
                    self.each(chunk, span, |x| texts.push(x.map(|x| String::from_utf8(x.data().to_vec()))))?
                }
                ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
                    return Err(self.unsupported());
                }
            }
        }
        match self.descriptor.physical_type() {
            Type::FLOAT | Type::DOUBLE => Ok(Values::Float(floats)),
            Type::BYTE_ARRAY => {
                let text = |(row, text): (usize, Option<std::result::Result<String, _>>)| {
                    let place = text!["row ", index(row), format!(", column '{}'", self.name)];
                    let text = text.ok_or_else(|| Error::input(place.clone().then(" is missing")))?;
                    text.map_err(|_| Error::input(place.then(" is not UTF-8 text")))
                };
                texts.into_iter().enumerate().map(text).collect::<Result<_>>().map(Values::Text)
            }
            _ => Ok(integer_values(&integers, unsigned)),
        }
    }

    /// Hands out the values of a row group in order, `None` for what is missing.
    fn each<T: DataType>(
        &mut self,
        mut chunk: ColumnReaderImpl<T>,
        span: Span,
        mut take: impl FnMut(Option<&T::T>),
    ) -> Result<()> {
        const ROWS: usize = 8192;
        let skipped = chunk.skip_records(span.skip).map_err(|cause| corrupt(&cause))?;
        let mut left = if skipped == span.skip { span.take } else { 0 };
        let present = self.descriptor.max_def_level();
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            values.clear();
            if left == 0 {
                return Ok(());
            }
            let read = chunk.read_records(ROWS.min(left), (present > 0).then_some(&mut levels), None, &mut values);
            let (rows, ..) = read.map_err(|cause| corrupt(&cause))?;
            if rows == 0 {
                return Ok(());
            }
            left = left.saturating_sub(rows);
            let bytes: usize = values.iter().map(|value| value.as_bytes().len().max(8)).sum();
            self.budget.take(&format!("column '{}'", self.name), (bytes + 8 * rows) as u64)?;
            if present == 0 {
                values.iter().for_each(|value| take(Some(value)));
                continue;
            }
            let mut values = values.iter();
            for &level in &levels {
                take(if level == present { values.next() } else { None });
            }
        }
    }

    fn unsupported(&self) -> Error {
        let (physical, converted) = (self.descriptor.physical_type(), self.descriptor.converted_type());
        Error::input(format!("column '{}' has type {physical} {converted}, expected numbers or text", self.name))
    }
}

/// Integers; where one is missing they all become floats, as in pandas.
fn integer_values(integers: &[Option<i64>], unsigned: bool) -> Values {
    match integers.iter().copied().collect::<Option<Vec<i64>>>() {
        // Parquet stores unsigned integers by their bits.
        Some(all) if unsigned => Values::Unsigned(all.into_iter().map(|x| x as u64).collect()),
        Some(all) => Values::Integer(all.into()),
        None => Values::Float(
            integers
                .iter()
                .map(|x| match x {
                    Some(x) if unsigned => *x as u64 as f64,
                    Some(x) => *x as f64,
                    None => f64::NAN,
                })
                .collect(),
        ),
    }
}
