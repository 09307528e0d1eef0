//! Writing a Parquet file of plain columns.

use std::sync::Arc;

use ::parquet::basic::{Compression, Repetition, Type as PhysicalType};
use ::parquet::data_type::{DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;
use mixgist::{Error, Result};

use crate::output::{Output, cannot_write};

/// A column as a function of the row, so that the table is never held twice.
pub(super) enum Column<'a> {
    Integer(Box<dyn Fn(usize) -> i64 + 'a>),
    Float(Box<dyn Fn(usize) -> f64 + 'a>),
}

const ROWS_PER_GROUP: usize = 1 << 20;

/// Writes a table of `rows` rows; no value is missing.
pub(super) fn write_table(output: &mut Output, names: &[String], columns: &[Column<'_>], rows: usize) -> Result<()> {
    let mut unique = std::collections::HashSet::new();
    if let Some(name) = names.iter().find(|name| !unique.insert(*name)) {
        return Err(Error::input(format!("two columns are called '{name}'")).hint("rename one of them"));
    }
    try_write(output, names, columns, rows).map_err(cannot_write)
}

fn try_write(
    output: &mut Output,
    names: &[String],
    columns: &[Column<'_>],
    rows: usize,
) -> std::result::Result<(), ParquetError> {
    let mut fields = Vec::with_capacity(names.len());
    for (name, column) in names.iter().zip(columns) {
        let physical = match column {
            Column::Integer(_) => PhysicalType::INT64,
            Column::Float(_) => PhysicalType::DOUBLE,
        };
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).build()?;
        fields.push(Arc::new(field));
    }
    let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false) // posterior floats hardly repeat
        .build();
    let mut writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties))?;
    for start in (0..rows).step_by(ROWS_PER_GROUP) {
        let range = start..rows.min(start + ROWS_PER_GROUP);
        let mut group = writer.next_row_group()?;
        for column in columns {
            let mut chunk = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
            match column {
                Column::Integer(value) => {
                    let values: Vec<i64> = range.clone().map(value).collect();
                    chunk.typed::<Int64Type>().write_batch(&values, None, None)?;
                }
                Column::Float(value) => {
                    let values: Vec<f64> = range.clone().map(value).collect();
                    chunk.typed::<DoubleType>().write_batch(&values, None, None)?;
                }
            }
            chunk.close()?;
        }
        group.close()?;
    }
    writer.close().map(drop)
}
