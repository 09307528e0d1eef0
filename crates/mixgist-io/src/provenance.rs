//! Which files a result came from, so that it can be looked at again together with them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use mixgist::{CovarianceForm, Error, Reading, Result, SourceFile, Text};

use crate::draws::{DrawsFile, ReadOptions, read_draws};
use crate::format::Format;
use crate::formats::premium;
use crate::variables::Variables;

/// How draws are read unless told otherwise.
pub fn default_reading() -> Reading {
    let Variables { weights, means, covariances, labels } = Variables::default();
    Reading {
        format: None,
        covariance_form: "covariance".into(),
        variables: [weights, means, covariances],
        label_variable: labels,
        burn_in: 0,
        thin: 1,
    }
}

/// Reads draws from one or several files and leaves out those that are not wanted; `limit` is the memory limit of [`ReadOptions`].
pub fn read_as<P: AsRef<Path>>(reading: &Reading, paths: &[P], limit: u64) -> Result<DrawsFile> {
    let file = read_draws(paths, &options_of(reading, limit)?)?;
    if reading.burn_in == 0 && reading.thin == 1 {
        return Ok(file);
    }
    file.thinned(reading.burn_in, reading.thin.max(1))
}

/// What a description of reading means.
pub(crate) fn options_of(reading: &Reading, limit: u64) -> Result<ReadOptions> {
    let [weights, means, covariances] = reading.variables.clone();
    Ok(ReadOptions {
        format: reading.format.as_deref().map(Format::from_name).transpose()?,
        covariance_form: CovarianceForm::from_name(&reading.covariance_form)?,
        variables: Variables { weights, means, covariances, labels: reading.label_variable.clone() },
        memory_limit: limit,
        ..ReadOptions::default()
    })
}

/// Describes a file for a result that will be written to `folder`. Reads it once.
pub fn describe_file(path: &Path, folder: &Path) -> Result<SourceFile> {
    let (bytes, crc32) = checksum(path)?;
    Ok(SourceFile { path: portable(path, folder)?, bytes, crc32 })
}

/// Whether a file has the content that was described.
pub fn is_content_of(file: &SourceFile, path: &Path) -> Result<bool> {
    Ok(checksum(path)? == (file.bytes, file.crc32))
}

/// Finds a file again from the folder that the result lies in; an error when it is gone or has changed, with `remedy` as hint.
pub fn find_file(file: &SourceFile, folder: &Path, remedy: impl Into<Text>) -> Result<PathBuf> {
    let path = folder.join(&file.path);
    if !path.exists() {
        return Err(Error::input("is gone; the summary was made from it").in_file(&path).hint(remedy));
    }
    if !is_content_of(file, &path)? {
        return Err(Error::input("has changed since the summary was made from it").in_file(&path).hint(remedy));
    }
    Ok(path)
}

/// The path relative to `folder` when the file lies within, otherwise from the root.
fn portable(path: &Path, folder: &Path) -> Result<String> {
    let whole = |path: &Path| path.canonicalize().map_err(|cause| Error::io(path, "read", &cause));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = whole(path)?;
    let short = whole(folder)?;
    Ok(path.strip_prefix(&short).unwrap_or(&path).to_string_lossy().into_owned())
}

/// Bytes and CRC-32 of a file; of a directory, of all files in it, in the order of their names; of one of the files of PReMiuM, of those that belong to it, too.
fn checksum(path: &Path) -> Result<(u64, u32)> {
    let mut hasher = crc32fast::Hasher::new();
    let mut bytes = 0;
    let beside = ["nClusters", "mu", "Sigma", "z"].iter().filter_map(|name| premium::sibling(path, name));
    for part in std::iter::once(path.to_owned()).chain(beside.filter(|path| path.is_file())) {
        add(&part, &mut hasher, &mut bytes, 0)?;
    }
    Ok((bytes, hasher.finalize()))
}

fn add(path: &Path, hasher: &mut crc32fast::Hasher, bytes: &mut u64, depth: usize) -> Result<()> {
    const DEEPEST: usize = 32;
    let cannot = |cause: std::io::Error| Error::io(path, "read", &cause);
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(cannot)?;
        let mut entries =
            entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>().map_err(cannot)?;
        entries.sort();
        if depth == DEEPEST {
            return Err(Error::input("has directories within directories, more than 32 deep").in_file(path));
        }
        return entries.iter().try_for_each(|entry| add(entry, hasher, bytes, depth + 1));
    }
    let mut file = File::open(path).map_err(cannot)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer).map_err(cannot)?;
        if count == 0 {
            return Ok(());
        }
        hasher.update(&buffer[..count]);
        *bytes += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_again_when_their_folder_moves() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        std::fs::create_dir(&old).unwrap();
        std::fs::write(old.join("a.csv"), "123456789").unwrap();
        let document = describe_file(&old.join("a.csv"), &old).unwrap();
        // The check value of CRC-32.
        assert_eq!(document, SourceFile { path: "a.csv".into(), bytes: 9, crc32: 0xcbf4_3926 });
        std::fs::rename(&old, &new).unwrap();
        assert_eq!(find_file(&document, &new, "").unwrap(), new.join("a.csv"));
        let gone = find_file(&document, &old, "give it with --data").unwrap_err();
        assert!(gone.to_string().contains("a.csv: is gone"), "{gone}");
        assert_eq!(gone.hint_text().unwrap().to_string(), "give it with --data");
        std::fs::write(new.join("a.csv"), "123456780").unwrap();
        assert!(find_file(&document, &new, "").unwrap_err().to_string().contains("has changed"));
        let elsewhere = describe_file(&new.join("a.csv"), &std::env::temp_dir().join("..")).unwrap();
        assert_eq!(find_file(&elsewhere, Path::new("/"), "").unwrap(), new.join("a.csv").canonicalize().unwrap());
    }
}
