//! Outputs that appear whole or not at all, and replace nothing unless told to.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use mixgist::{Error, Result};

/// What to do when the output exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Leave it alone and report an error.
    #[default]
    Refuse,
    /// Replace it.
    Force,
}

/// What writers write to.
pub(crate) type Output = BufWriter<File>;

/// Checks that `path` can be written, to be called before any work is done for it.
///
/// The folder must exist and take new files; an existing file needs [`Overwrite::Force`] and must be a regular one.
pub fn check_writable(path: &Path, overwrite: Overwrite) -> Result<()> {
    let target = Target::new(path, overwrite)?;
    target.temporary().map(drop)
}

/// Writes a file by `write`, whole or not at all: a temporary file in the same folder is flushed to disk and then renamed.
pub(crate) fn write_whole(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut Output) -> Result<()>,
) -> Result<()> {
    let target = Target::new(path, overwrite)?;
    let cannot = |cause: &io::Error| Error::io(path, "write", cause);
    // Dropping the temporary file removes it, so every early return leaves the folder as it was.
    let (file, temporary) = target.temporary()?.into_parts();
    let mut output = BufWriter::with_capacity(1 << 16, file);
    write(&mut output).map_err(|error| error.in_file(path))?;
    output.flush().map_err(|cause| cannot(&cause))?;
    output.get_ref().sync_all().map_err(|cause| cannot(&cause))?;
    drop(output);
    let renamed = match overwrite {
        Overwrite::Force => temporary.persist(&target.path),
        Overwrite::Refuse => temporary.persist_noclobber(&target.path),
    };
    renamed.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => cannot(&error.error),
    })?;
    // The file itself is safe; a folder that cannot be synced (some network file systems) is no failure.
    let _ = File::open(&target.folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Writes a file of these bytes, whole or not at all.
pub fn write_bytes(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<()> {
    write_whole(path, overwrite, |output| output.write_all(bytes).map_err(cannot_write))
}

/// Reports a failed write inside a writer; the file is added further up.
pub(crate) fn cannot_write(cause: impl std::error::Error + 'static) -> Error {
    cannot("write", &cause)
}

/// The same, saying what was being done. Writers of others wrap what the system said; it is looked for.
pub(crate) fn cannot(doing: &str, cause: &(dyn std::error::Error + 'static)) -> Error {
    let error = Error::new(mixgist::ErrorKind::Io, format!("cannot {doing}: {cause}"));
    let mut chain = std::iter::successors(Some(cause), |cause| cause.source());
    match chain.find_map(|cause| cause.downcast_ref::<io::Error>()) {
        Some(system) => error.caused_by(system),
        None => error,
    }
}

/// Whether the name of a file ends in this extension.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
}

/// Refuses a file whose name ends in none of the extensions.
pub fn expect_extension(path: &Path, option: &str, extensions: &[&str]) -> Result<()> {
    if extensions.iter().any(|extension| has_extension(path, extension)) {
        return Ok(());
    }
    let known: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
    Err(Error::usage(format!("{option} writes {} files", known.join(" or "))).in_file(path))
}

struct Target<'a> {
    named: &'a Path,
    path: PathBuf,
    folder: PathBuf,
}

impl<'a> Target<'a> {
    fn new(named: &'a Path, overwrite: Overwrite) -> Result<Self> {
        let mut path = named.to_owned();
        if let Ok(metadata) = std::fs::metadata(named) {
            if metadata.is_dir() {
                return Err(Error::usage("is a directory, expected the name of a file to write")
                    .as_system(io::ErrorKind::IsADirectory)
                    .in_file(named));
            }
            if !metadata.is_file() {
                return Err(Error::usage("is not a regular file, it cannot be replaced").in_file(named));
            }
            if overwrite == Overwrite::Refuse {
                return Err(exists(named));
            }
            // Renaming onto a symbolic link would replace the link instead of the file behind it.
            path = named.canonicalize().map_err(|cause| Error::io(named, "write", &cause))?;
        }
        if path.file_name().is_none() {
            return Err(Error::usage("is not the name of a file").in_file(named));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        if !folder.is_dir() {
            let (what, kind) = match folder.exists() {
                true => ("is not a folder", io::ErrorKind::NotADirectory),
                false => ("does not exist", io::ErrorKind::NotFound),
            };
            return Err(Error::usage(format!("the folder {} {what}", folder.display())).as_system(kind).in_file(named));
        }
        Ok(Target { named, path, folder })
    }

    fn temporary(&self) -> Result<tempfile::NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".mixgist-").suffix(".part");
        // Without this the output would be readable by its owner alone; the umask still applies.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(&self.folder).map_err(|cause| Error::io(self.named, "write", &cause))
    }
}

fn exists(path: &Path) -> Error {
    Error::usage("exists already").as_system(io::ErrorKind::AlreadyExists).in_file(path).hint("--force replaces it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn text(path: &Path, overwrite: Overwrite, content: &str) -> Result<()> {
        write_whole(path, overwrite, |output| output.write_all(content.as_bytes()).map_err(cannot_write))
    }

    #[test]
    fn an_existing_file_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        check_writable(&path, Overwrite::Refuse).unwrap();
        text(&path, Overwrite::Refuse, "one").unwrap();
        for error in [text(&path, Overwrite::Refuse, "two"), check_writable(&path, Overwrite::Refuse)] {
            let error = error.unwrap_err();
            assert!(error.to_string().ends_with("a.txt: exists already"), "{error}");
            assert_eq!(error.system_cause().map(|cause| cause.kind), Some(io::ErrorKind::AlreadyExists));
            assert_eq!(error.hint_text(), Some("--force replaces it"));
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        text(&path, Overwrite::Force, "three").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let failing = |path: &Path, overwrite| {
            write_whole(path, overwrite, |output| {
                output.write_all(b"half").map_err(cannot_write)?;
                Err(Error::input("no"))
            })
        };
        assert!(failing(&path, Overwrite::Refuse).is_err());
        assert!(names(folder.path()).is_empty());
        text(&path, Overwrite::Refuse, "old").unwrap();
        assert!(failing(&path, Overwrite::Force).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let error = write_whole(&path, Overwrite::Refuse, |_| {
            std::fs::write(&path, "theirs").unwrap();
            Ok(())
        });
        assert_eq!(error.unwrap_err().hint_text(), Some("--force replaces it"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn impossible_targets_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let message = |path: &Path| check_writable(path, Overwrite::Force).unwrap_err().to_string();
        assert!(message(folder.path()).contains("is a directory"));
        assert!(message(&folder.path().join("no/such/a.txt")).contains("does not exist"));
        assert!(message(Path::new("")).contains("not the name of a file"));
        #[cfg(unix)]
        assert!(message(Path::new("/dev/null")).contains("not a regular file"));
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_others_may_read() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
        text(&path, Overwrite::Refuse, "one").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        text(&link, Overwrite::Force, "two").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "x").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
    }
}
