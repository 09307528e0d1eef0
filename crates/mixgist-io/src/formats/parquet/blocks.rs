//! A Parquet file of draws in blocks: its row groups, each with the rows that its last draw has in the next.

use std::collections::HashSet;
use std::path::Path;

use mixgist::{Error, Result};

use super::read::{Span, Table, group_rows};
use super::{TableColumn, draws_of};
use crate::draws::{DrawsFile, ReadOptions};

/// Rows of a file that are read together.
#[derive(Debug, Clone)]
pub(crate) struct RowBlock {
    spans: Vec<Span>,
    /// Chain of each draw.
    pub chains: Vec<u32>,
    pub rows: usize,
}

/// The blocks of a file. Only the columns that number chains and draws are read for it.
pub(crate) fn blocks_of(path: &Path, options: &ReadOptions) -> Result<Vec<RowBlock>> {
    let mut blocks: Vec<RowBlock> = Vec::new();
    let mut seen: HashSet<(i64, i64)> = HashSet::new();
    let mut last = None;
    for (group, rows) in group_rows(path)?.into_iter().enumerate().filter(|(_, rows)| *rows > 0) {
        let all = [Span { group, skip: 0, take: rows }];
        let table = Table::read_some(path, options, Some(&all), |name| ["chain", "draw"].contains(&name));
        let table = match table {
            Ok(table) if table.columns.iter().any(|column| column.name == "draw") => table,
            // The reader of draws says what is missing, of a row that lacks it.
            found => {
                let row = [Span { group, skip: 0, take: 1 }];
                draws_of(Table::read_some(path, options, Some(&row), |_| true)?, options)?;
                found?
            }
        };
        let column = |name: &str| table.columns.iter().find(|column| column.name == name);
        let draws = column("draw").ok_or_else(|| Error::input("has no column 'draw'"))?.integers()?;
        let chains = column("chain").map_or_else(|| Ok(vec![0; rows]), TableColumn::integers)?;
        let mut found = Vec::new();
        let mut continued = 0;
        for (row, key) in chains.iter().copied().zip(draws).enumerate() {
            if last == Some(key) {
                continued += usize::from(found.is_empty());
                continue;
            }
            last = Some(key);
            if !seen.insert(key) {
                return Err(Error::input(format!(
                    "row group {group}, row {row}: rows of draw {} of chain {} stand apart from each other",
                    key.1, key.0
                ))
                .hint("sort the table by chain and draw, or keep all draws in memory"));
            }
            found.push(u32::try_from(key.0).unwrap_or(u32::MAX));
        }
        if let Some(before) = blocks.last_mut().filter(|_| continued > 0) {
            before.spans.push(Span { group, skip: 0, take: continued });
            before.rows += continued;
        }
        if !found.is_empty() {
            let span = Span { group, skip: continued, take: rows - continued };
            blocks.push(RowBlock { spans: vec![span], chains: found, rows: rows - continued });
        }
    }
    Ok(blocks)
}

impl RowBlock {
    /// The draws of the block.
    pub(crate) fn read(&self, path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
        draws_of(Table::read_some(path, options, Some(&self.spans), |_| true)?, options)
    }
}
