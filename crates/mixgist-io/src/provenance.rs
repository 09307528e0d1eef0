//! Which files a result came from, so that it can be looked at again together with them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use mixgist::{CovarianceForm, Error, Result};
use serde::{Deserialize, Serialize};

use crate::draws::{DrawsFile, ReadOptions, read_draws};
use crate::format::Format;
use crate::formats::stan_csv::StanVariables;

/// The files that a summary came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceDocument {
    /// The files of draws, in order.
    pub draws: Vec<FileDocument>,
    /// How they were read.
    pub reading: ReadingDocument,
    /// The file of data, unless they came with the draws or there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<FileDocument>,
    /// The file of directions, when they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directions: Option<FileDocument>,
}

/// A file as it was when it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileDocument {
    /// Where it is: relative to the folder of the summary when it lies within, so that the folder can be moved as a whole.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The CRC-32 of its content.
    pub crc32: u32,
}

/// How files of draws were read, and which draws were kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadingDocument {
    /// The format, when the extension does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The form of the covariances.
    pub covariance_form: String,
    /// The Stan variables that hold weights, means and covariances.
    pub stan_variables: [String; 3],
    /// The Stan variable that holds labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stan_labels: Option<String>,
    /// Draws dropped at the start of each chain.
    pub burn_in: usize,
    /// Every n-th draw of each chain was kept.
    pub thin: usize,
}

impl Default for ReadingDocument {
    fn default() -> Self {
        let StanVariables { weights, means, covariances, labels } = StanVariables::default();
        ReadingDocument {
            format: None,
            covariance_form: "covariance".into(),
            stan_variables: [weights, means, covariances],
            stan_labels: labels,
            burn_in: 0,
            thin: 1,
        }
    }
}

impl ReadingDocument {
    /// Reads draws from one or several files and leaves out those that are not wanted; `limit` is the memory limit of
    /// [`ReadOptions`].
    pub fn read<P: AsRef<Path>>(&self, paths: &[P], limit: u64) -> Result<DrawsFile> {
        let [weights, means, covariances] = self.stan_variables.clone();
        let options = ReadOptions {
            format: self.format.as_deref().map(Format::from_name).transpose()?,
            covariance_form: CovarianceForm::from_name(&self.covariance_form)?,
            stan: StanVariables { weights, means, covariances, labels: self.stan_labels.clone() },
            memory_limit: limit,
            ..ReadOptions::default()
        };
        let file = read_draws(paths, &options)?;
        if self.burn_in == 0 && self.thin == 1 {
            return Ok(file);
        }
        let kept = file.ensemble.thinned(self.burn_in, self.thin.max(1));
        if kept.is_empty() {
            let all = file.ensemble.len();
            return Err(Error::usage(format!("--burn-in {} leaves none of {all} draws", self.burn_in))
                .hint("it counts the draws of each chain that are in the file, not the sampler's iterations"));
        }
        file.select_remembering(&kept)
    }
}

impl FileDocument {
    /// Describes a file for a result that will be written to `folder`. Reads it once.
    pub fn new(path: &Path, folder: &Path) -> Result<Self> {
        let (bytes, crc32) = checksum(path)?;
        Ok(FileDocument { path: portable(path, folder)?, bytes, crc32 })
    }

    /// Whether the content of a file is the same.
    pub fn is_content_of(&self, path: &Path) -> Result<bool> {
        Ok(checksum(path)? == (self.bytes, self.crc32))
    }

    /// Finds the file again from the folder that the result lies in; an error when it is gone or has changed, with `remedy` as hint.
    pub fn find(&self, folder: &Path, remedy: &str) -> Result<PathBuf> {
        let path = folder.join(&self.path);
        if !path.is_file() {
            return Err(Error::input("is gone; the summary was made from it").in_file(&path).hint(remedy));
        }
        if !self.is_content_of(&path)? {
            return Err(Error::input("has changed since the summary was made from it").in_file(&path).hint(remedy));
        }
        Ok(path)
    }
}

/// The path relative to `folder` when the file lies within, otherwise from the root.
fn portable(path: &Path, folder: &Path) -> Result<String> {
    let whole = |path: &Path| path.canonicalize().map_err(|cause| Error::io(path, "read", &cause));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = whole(path)?;
    let short = whole(folder)?;
    Ok(path.strip_prefix(&short).unwrap_or(&path).to_string_lossy().into_owned())
}

fn checksum(path: &Path) -> Result<(u64, u32)> {
    let cannot = |cause: std::io::Error| Error::io(path, "read", &cause);
    let mut file = File::open(path).map_err(cannot)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut buffer).map_err(cannot)?;
        if count == 0 {
            return Ok((bytes, hasher.finalize()));
        }
        hasher.update(&buffer[..count]);
        bytes += count as u64;
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
        let document = FileDocument::new(&old.join("a.csv"), &old).unwrap();
        // The check value of CRC-32.
        assert_eq!(document, FileDocument { path: "a.csv".into(), bytes: 9, crc32: 0xcbf4_3926 });
        std::fs::rename(&old, &new).unwrap();
        assert_eq!(document.find(&new, "").unwrap(), new.join("a.csv"));
        let gone = document.find(&old, "give it with --data").unwrap_err();
        assert!(gone.to_string().contains("a.csv: is gone"), "{gone}");
        assert_eq!(gone.hint_text(), Some("give it with --data"));
        std::fs::write(new.join("a.csv"), "123456780").unwrap();
        assert!(document.find(&new, "").unwrap_err().to_string().contains("has changed"));
        let elsewhere = FileDocument::new(&new.join("a.csv"), &std::env::temp_dir().join("..")).unwrap();
        assert_eq!(elsewhere.find(Path::new("/"), "").unwrap(), new.join("a.csv").canonicalize().unwrap());
    }
}
