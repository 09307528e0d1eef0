//! Reading a Parquet file of plain columns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ::parquet::basic::ConvertedType;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;
use mixgist::{Error, Result};

use crate::array::{Values, integer};
use crate::draws::ReadOptions;
use crate::source::{Budget, Source};

/// The columns of a file.
pub(super) struct Table {
    pub columns: Vec<TableColumn>,
    pub rows: usize,
}

pub(super) struct TableColumn {
    pub name: String,
    pub values: Values,
}

impl Table {
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self> {
        // The reader returns errors for corrupt files as far as its authors found the places; where they did not, indexing
        // and arithmetic in it panic. It owns all its state, so nothing half-done survives the unwinding.
        catch_unwind(AssertUnwindSafe(|| read_table(path, options)))
            .unwrap_or_else(|_| Err(Error::input("is a corrupt Parquet file")))
    }
}

impl TableColumn {
    /// The numbers of a column; what is missing is NaN.
    pub fn floats(&self) -> Result<Vec<f64>> {
        match &self.values {
            Values::Float(values) => Ok(values.clone()),
            Values::Signed(values) => Ok(values.iter().map(|x| *x as f64).collect()),
            Values::Unsigned(values) => Ok(values.iter().map(|x| *x as f64).collect()),
            Values::Text(_) => Err(Error::input(format!("column '{}' holds text, expected numbers", self.name))),
        }
    }

    /// The integers of a column.
    pub fn integers(&self) -> Result<Vec<i64>> {
        let expected = "an integer";
        match &self.values {
            Values::Signed(values) => Ok(values.clone()),
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
            Values::Signed(values) => values[row].to_string(),
            Values::Unsigned(values) => values[row].to_string(),
            Values::Text(values) => format!("'{}'", values[row]),
        };
        Error::input(format!("row {row}, column '{}' is {got}, expected {expected}", self.name))
    }
}

fn read_table(path: &Path, options: &ReadOptions) -> Result<Table> {
    let Source { file, bytes } = Source::open(path)?;
    if bytes < 12 {
        return Err(Error::input(format!("has {bytes} bytes, too few for a Parquet file")));
    }
    let reader = SerializedFileReader::new(file).map_err(|cause| corrupt(&cause))?;
    let metadata = reader.metadata();
    let mut budget = Budget::new(options.memory_limit);
    let mut columns = Vec::new();
    for (index, descriptor) in metadata.file_metadata().schema_descr().columns().iter().enumerate() {
        if is_pandas_index(descriptor.name()) {
            continue;
        }
        let name = descriptor.path().parts().first().cloned().unwrap_or_default();
        if descriptor.max_rep_level() > 0 || descriptor.path().parts().len() > 1 {
            return Err(Error::input(format!("column '{name}' holds lists or records, expected plain values")));
        }
        let mut parts = Vec::with_capacity(metadata.num_row_groups());
        for group in 0..metadata.num_row_groups() {
            let group = reader.get_row_group(group).map_err(|cause| corrupt(&cause))?;
            let pages = group.get_column_reader(index).map_err(|cause| corrupt(&cause))?;
            parts.push(read_chunk(pages, descriptor, &name, &mut budget)?);
        }
        columns.push(TableColumn { name, values: join(parts) });
    }
    let length = |column: &TableColumn| match &column.values {
        Values::Float(values) => values.len(),
        Values::Signed(values) => values.len(),
        Values::Unsigned(values) => values.len(),
        Values::Text(values) => values.len(),
    };
    let promised = usize::try_from(metadata.file_metadata().num_rows()).unwrap_or(usize::MAX);
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

/// The values of a column in one row group.
fn read_chunk(reader: ColumnReader, descriptor: &ColumnDescriptor, name: &str, budget: &mut Budget) -> Result<Values> {
    use ConvertedType as C;
    let unsupported = || {
        Error::input(format!(
            "column '{name}' has type {:?} {:?}, expected numbers or text",
            descriptor.physical_type(),
            descriptor.converted_type()
        ))
    };
    let converted = descriptor.converted_type();
    let unsigned = matches!(converted, C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64);
    let plain =
        unsigned || matches!(converted, C::NONE | C::INT_8 | C::INT_16 | C::INT_32 | C::INT_64 | C::UTF8 | C::ENUM);
    if !plain || (converted == C::NONE && descriptor.logical_type_ref().is_some()) {
        return Err(unsupported());
    }
    let mut read = Chunk { descriptor, name, budget };
    match reader {
        ColumnReader::DoubleColumnReader(reader) => read.floats(reader, |x| x),
        ColumnReader::FloatColumnReader(reader) => read.floats(reader, f64::from),
        ColumnReader::BoolColumnReader(reader) => read.integers(reader, i64::from),
        ColumnReader::Int32ColumnReader(reader) if unsigned => read.integers(reader, |x| i64::from(x as u32)),
        ColumnReader::Int32ColumnReader(reader) => read.integers(reader, i64::from),
        ColumnReader::Int64ColumnReader(reader) if unsigned => Ok(match read.integers(reader, |x| x)? {
            Values::Signed(values) => Values::Unsigned(values.into_iter().map(|x| x as u64).collect()),
            other => other,
        }),
        ColumnReader::Int64ColumnReader(reader) => read.integers(reader, |x| x),
        ColumnReader::ByteArrayColumnReader(reader) => read.texts(reader),
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => Err(unsupported()),
    }
}

struct Chunk<'a> {
    descriptor: &'a ColumnDescriptor,
    name: &'a str,
    budget: &'a mut Budget,
}

impl Chunk<'_> {
    /// Hands out the values in order, `None` for what is missing.
    fn each<T: DataType>(
        &mut self,
        mut reader: ColumnReaderImpl<T>,
        mut take: impl FnMut(Option<&T::T>) -> Result<()>,
    ) -> Result<()> {
        const ROWS: usize = 8192;
        let present = self.descriptor.max_def_level();
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            values.clear();
            let read = reader.read_records(ROWS, (present > 0).then_some(&mut levels), None, &mut values);
            let (rows, ..) = read.map_err(|cause| corrupt(&cause))?;
            if rows == 0 {
                return Ok(());
            }
            self.budget.take(&format!("column '{}'", self.name), 8 * rows as u64)?;
            if present == 0 {
                values.iter().try_for_each(|value| take(Some(value)))?;
                continue;
            }
            let mut values = values.iter();
            for &level in &levels {
                take(if level == present { values.next() } else { None })?;
            }
        }
    }

    fn floats<T: DataType<T: Copy>>(
        &mut self,
        reader: ColumnReaderImpl<T>,
        convert: impl Fn(T::T) -> f64,
    ) -> Result<Values> {
        let mut out = Vec::new();
        self.each(reader, |value| {
            out.push(value.map_or(f64::NAN, |value| convert(*value)));
            Ok(())
        })?;
        Ok(Values::Float(out))
    }

    /// Integers; with a value missing they become floats, as in pandas.
    fn integers<T: DataType<T: Copy>>(
        &mut self,
        reader: ColumnReaderImpl<T>,
        convert: impl Fn(T::T) -> i64,
    ) -> Result<Values> {
        let mut out = Vec::new();
        self.each(reader, |value| {
            out.push(value.map(|value| convert(*value)));
            Ok(())
        })?;
        Ok(match out.iter().copied().collect::<Option<Vec<i64>>>() {
            Some(all) => Values::Signed(all),
            None => Values::Float(out.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)).collect()),
        })
    }

    fn texts(&mut self, reader: ColumnReaderImpl<::parquet::data_type::ByteArrayType>) -> Result<Values> {
        let mut out = Vec::new();
        let name = self.name;
        let mut bytes = 0;
        self.each(reader, |value| {
            let row = out.len();
            let value = value.ok_or_else(|| Error::input(format!("row {row}, column '{name}' is missing")))?;
            let text = std::str::from_utf8(value.data())
                .map_err(|_| Error::input(format!("row {row}, column '{name}' is not UTF-8 text")))?;
            bytes += (size_of::<String>() + text.len()) as u64;
            out.push(text.to_owned());
            Ok(())
        })?;
        self.budget.take(&format!("column '{name}'"), bytes)?;
        Ok(Values::Text(out))
    }
}

/// The row groups of a column, one after the other; of mixed types only when integers are missing in some.
fn join(parts: Vec<Values>) -> Values {
    let all_signed = parts.iter().all(|part| matches!(part, Values::Signed(_)));
    let all_unsigned = parts.iter().all(|part| matches!(part, Values::Unsigned(_)));
    let all_text = parts.iter().all(|part| matches!(part, Values::Text(_)));
    if parts.is_empty() {
        return Values::Float(Vec::new());
    }
    if all_signed {
        return Values::Signed(
            parts.into_iter().flat_map(|part| if let Values::Signed(x) = part { x } else { vec![] }).collect(),
        );
    }
    if all_unsigned {
        return Values::Unsigned(
            parts.into_iter().flat_map(|part| if let Values::Unsigned(x) = part { x } else { vec![] }).collect(),
        );
    }
    if all_text {
        return Values::Text(
            parts.into_iter().flat_map(|part| if let Values::Text(x) = part { x } else { vec![] }).collect(),
        );
    }
    let floats = |part| match part {
        Values::Float(x) => x,
        Values::Signed(x) => x.into_iter().map(|x| x as f64).collect(),
        Values::Unsigned(x) => x.into_iter().map(|x| x as f64).collect(),
        Values::Text(_) => vec![],
    };
    Values::Float(parts.into_iter().flat_map(floats).collect())
}
