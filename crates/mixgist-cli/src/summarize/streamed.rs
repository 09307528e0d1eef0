//! Draws that do not fit into memory: they are read in blocks, again for each pass.

use std::path::Path;

use mixgist::text::CommandLine;
use mixgist::{DrawBlocks, Error, Points, Result, Route, Settings, summarize_blocks};
use mixgist_io::memory::{available, byte_size, reading};
use mixgist_io::{FileBlocks, SUMMARY_SCHEMA, to_json, together, write_json};

use super::Summarize;
use super::derived::Derived;
use crate::options::read_data_for;
use crate::posterior::read_measure;
use crate::progress::Terminal;
use crate::text::{answer, count, remark, warn};

/// "2GB", "500 MB", "1.5GiB", or a number of bytes.
pub fn size(text: &str) -> std::result::Result<u64, String> {
    const UNITS: [(&str, f64); 8] = [
        ("KIB", 1024.0),
        ("MIB", 1_048_576.0),
        ("GIB", 1_073_741_824.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("B", 1.0),
    ];
    let upper = text.trim().to_ascii_uppercase();
    let found = UNITS.iter().find_map(|(unit, factor)| Some((upper.strip_suffix(unit)?, *factor)));
    let (number, factor) = found.unwrap_or((&upper, 1.0));
    match number.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok((number * factor) as u64),
        _ => Err(format!("'{text}' is no size: give a number with MB or GB, such as 2GB")),
    }
}

/// Files whose bytes take less than this part of the memory are read whole without a look at how many draws they hold.
const SMALL: u64 = 32;

/// How many copies of the draws are in memory while they are read whole.
const COPIES: u64 = 4;

impl Summarize {
    /// The draws in blocks, if they need more memory than there is, or the route asks for them.
    pub(super) fn blocks(&self, settings: &Settings, combining: bool) -> Result<Option<FileBlocks>> {
        let paths = &self.job.draws.draws;
        let most = self.memory.or_else(available).unwrap_or(u64::MAX);
        let on_disk: u64 = paths.iter().map(|path| bytes_of(path, 0)).fold(0, u64::saturating_add);
        let asked = settings.route == Route::Blocks;
        if combining || self.slice_range.is_some() || (!asked && on_disk <= most / SMALL) {
            return Ok(None);
        }
        let blocks = FileBlocks::open(&self.job.draws.reading.how(), paths, reading().memory_limit)?;
        let (dim, atoms, draws) = (blocks.dim(), blocks.atoms(), blocks.draws());
        let whole = settings
            .predicted_bytes_of(dim, atoms, draws)?
            .saturating_add((atoms.saturating_mul(1 + dim + dim * dim) as u64).saturating_mul(8 * COPIES));
        if !asked && whole <= most {
            return Ok(None);
        }
        let in_memory = format!("{draws} draws in memory need {}, {} may be used", byte_size(whole), byte_size(most));
        settings.check_for_blocks().map_err(|error| {
            let named = Error::new(error.kind(), format!("{in_memory}; {error}"));
            error.hint_text().map_or(named.clone(), |hint| named.hint(hint.clone()))
        })?;
        let needed = settings
            .predicted_bytes_of_blocks(dim, draws as u64, blocks.largest() as u64)?
            .saturating_add(blocks.reading_bytes());
        if needed > most {
            return Err(Error::resource(format!(
                "{in_memory}; in {} they need {}",
                count(blocks.blocks(), "block"),
                byte_size(needed)
            ))
            .hint("write smaller blocks (row groups, files or chunks), use fewer --slices, or --thin the draws"));
        }
        remark(&format!(
            "{draws} draws are read in {}: at most {} of memory ({} in one piece)",
            count(blocks.blocks(), "block"),
            byte_size(needed),
            byte_size(whole)
        ));
        Ok(Some(blocks))
    }

    /// The same as for draws in memory, but for what needs all of them at once.
    pub(super) fn run_in_blocks(&self, blocks: &FileBlocks, settings: Settings, terminal: &Terminal) -> Result<()> {
        if self.report.is_some() {
            return Err(Error::usage("--report has figures of all draws, which do not fit into memory")
                .hint("leave it out, or keep fewer draws with --thin"));
        }
        let dim = blocks.dim();
        self.job.slicing.check_directions(&settings, dim)?;
        let read = |path: &std::path::PathBuf| read_measure(path, &self.job.draws.reading, dim);
        let settings = settings.with_candidate(self.candidate.as_ref().map(read).transpose()?);
        let data = match &self.job.data {
            Some(path) => Some(read_data_for(path, dim)?),
            None => blocks.data()?,
        };
        let points = data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()?;
        let new_points = self.derived.read_new_points(dim)?;
        self.derived.check(None, points)?;
        let source = self.job.source(self.candidate.as_deref(), self.output.as_deref())?;
        let columns = data.as_ref().and_then(|data| data.column_names());

        let mut found = summarize_blocks(&blocks, points, &settings, terminal)?;
        found.about.source = Some(source);
        found.about.columns = columns.map(<[String]>::to_vec);
        let derived = Derived::compute(&self.derived, &found, None, points, new_points.as_ref(), terminal)?;
        let text = match self.printing.json {
            true => to_json(SUMMARY_SCHEMA, &found)?,
            false => found.narrative().plain(&CommandLine),
        };
        terminal.begin_writing();
        let overwrite = self.printing.overwrite();
        together(|| {
            derived.write(columns, overwrite, terminal)?;
            self.output.as_ref().map_or(Ok(()), |path| write_json(path, SUMMARY_SCHEMA, &found, overwrite))
        })?;
        terminal.clear();
        answer(&text)?;
        warn(&found.warnings);
        Ok(())
    }
}

/// Bytes of a file, or of all files in a directory; what cannot be read is said by the reader.
fn bytes_of(path: &Path, depth: usize) -> u64 {
    const DEEPEST: usize = 8;
    let Ok(metadata) = std::fs::metadata(path) else { return 0 };
    if !metadata.is_dir() || depth == DEEPEST {
        return metadata.len();
    }
    let Ok(entries) = std::fs::read_dir(path) else { return 0 };
    entries.filter_map(|entry| Some(bytes_of(&entry.ok()?.path(), depth + 1))).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(size("2GB"), Ok(2_000_000_000));
        assert_eq!(size("1.5 gib"), Ok(1_610_612_736));
        assert_eq!(size("500mb"), Ok(500_000_000));
        assert_eq!(size("4096"), Ok(4096));
        for bad in ["", "GB", "-2GB", "2 apples", "0", "nan"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
