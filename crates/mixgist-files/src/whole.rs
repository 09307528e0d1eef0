//! Writing a file, or several that belong together, whole or not at all.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use mixgist::text::option;
use mixgist::{Error, Result, text};

use crate::leftovers::{Unfinished, sweep};

/// What to do when the output exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Leave it alone and report an error.
    #[default]
    Refuse,
    /// Replace it.
    Force,
}

impl Overwrite {
    /// What an option that forces it asks for.
    pub fn forced(force: bool) -> Self {
        if force { Overwrite::Force } else { Overwrite::Refuse }
    }
}

/// What writers write to.
pub type Output = BufWriter<File>;

/// Checks that `path` can be written, to be called before any work is done for it.
///
/// The folder must exist and take new files; an existing file needs [`Overwrite::Force`] and must be a regular one.
pub fn check_writable(path: &Path, overwrite: Overwrite) -> Result<()> {
    let target = Target::new(path, overwrite)?;
    Unfinished::create(&target.folder).map(drop).map_err(|cause| Error::io(path, "write", &cause))
}

/// Writes a file by `write`, whole or not at all: a temporary file in the same folder is flushed to disk and then renamed.
///
/// Within [`together`] it is renamed when all are written.
pub fn write_whole(path: &Path, overwrite: Overwrite, write: impl FnOnce(&mut Output) -> Result<()>) -> Result<()> {
    let staged = Staged::write(path, overwrite, write)?;
    let alone = TOGETHER.with_borrow_mut(|all| match all {
        Some(all) => {
            all.push(staged);
            None
        }
        None => Some(staged),
    });
    alone.map_or(Ok(()), |staged| commit(vec![staged]))
}

/// Writes a file of these bytes, whole or not at all.
pub fn write_bytes(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<()> {
    write_whole(path, overwrite, |output| output.write_all(bytes).map_err(|cause| Error::io(path, "write", &cause)))
}

thread_local! {
    /// What waits for its name; `None` outside of [`together`].
    static TOGETHER: RefCell<Option<Vec<Staged>>> = const { RefCell::new(None) };
}

/// Writes several files that belong together: what `write` writes on this thread gets its names when all of it is on the disk.
///
/// The file that is written last gets its name last, and where it replaces another, that one is removed before any of the others get
/// theirs. So whoever finds the last file has all of them, and a run that was killed between two names can be told: the last is missing.
pub fn together<T>(write: impl FnOnce() -> Result<T>) -> Result<T> {
    let outer = TOGETHER.replace(Some(Vec::new()));
    let result = write();
    let staged = TOGETHER.replace(outer).unwrap_or_default();
    let value = result?;
    commit(staged)?;
    Ok(value)
}

fn commit(all: Vec<Staged>) -> Result<()> {
    if let [_, .., last] = all.as_slice()
        && last.overwrite == Overwrite::Force
    {
        match std::fs::remove_file(&last.target.path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io(&last.named, "replace", &cause));
            }
            _ => {}
        }
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for staged in all {
        folders.push(staged.target.folder.clone());
        staged.rename()?;
    }
    folders.dedup();
    for folder in folders {
        // The file itself is safe; a folder that cannot be synced (some network file systems) is no failure.
        let _ = File::open(&folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// A file that is on the disk but has not got its name.
struct Staged {
    named: PathBuf,
    target: Target,
    overwrite: Overwrite,
    /// Dropping it removes the file, so every early return leaves the folder as it was.
    temporary: tempfile::TempPath,
    /// Holds the lock that says that the file is not left over.
    _file: File,
    _unfinished: Unfinished,
}

impl Staged {
    fn write(path: &Path, overwrite: Overwrite, write: impl FnOnce(&mut Output) -> Result<()>) -> Result<Self> {
        let target = Target::new(path, overwrite)?;
        let cannot = |cause: io::Error| Error::io(path, "write", &cause);
        sweep(&target.folder);
        let (unfinished, temporary) = Unfinished::create(&target.folder).map_err(cannot)?;
        let (file, temporary) = temporary.into_parts();
        let mut output = BufWriter::with_capacity(1 << 16, file);
        write(&mut output).map_err(|error| error.in_file(path))?;
        let file = output.into_inner().map_err(|error| cannot(error.into_error()))?;
        file.sync_all().map_err(cannot)?;
        Ok(Staged { named: path.to_owned(), target, overwrite, temporary, _file: file, _unfinished: unfinished })
    }

    fn rename(self) -> Result<()> {
        let renamed = match self.overwrite {
            Overwrite::Force => self.temporary.persist(&self.target.path),
            Overwrite::Refuse => self.temporary.persist_noclobber(&self.target.path),
        };
        renamed.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(&self.named),
            _ => Error::io(&self.named, "write", &error.error),
        })
    }
}

struct Target {
    path: PathBuf,
    folder: PathBuf,
}

impl Target {
    fn new(named: &Path, overwrite: Overwrite) -> Result<Self> {
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
        Ok(Target { path, folder })
    }
}

fn exists(path: &Path) -> Error {
    Error::usage("exists already")
        .as_system(io::ErrorKind::AlreadyExists)
        .in_file(path)
        .hint(text![option("force", true), " replaces it"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use mixgist::text::CommandLine;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn text(path: &Path, overwrite: Overwrite, content: &str) -> Result<()> {
        write_bytes(path, content.as_bytes(), overwrite)
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
            assert_eq!(error.hint_text().unwrap().spelled(&CommandLine), "--force replaces it");
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
                output.write_all(b"half").unwrap();
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
        assert_eq!(error.unwrap_err().hint_text().unwrap().spelled(&CommandLine), "--force replaces it");
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

    #[test]
    fn files_that_belong_together_get_their_names_together_and_the_last_one_last() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for name in ["beside.json", "main.npz"] {
            text(&place(name), Overwrite::Refuse, "old").unwrap();
        }
        let failed: Result<()> = together(|| {
            text(&place("beside.json"), Overwrite::Force, "new")?;
            text(&place("main.npz"), Overwrite::Force, "new")?;
            Err(Error::input("no"))
        });
        assert!(failed.is_err());
        assert_eq!(names(folder.path()), ["beside.json", "main.npz"]);
        assert_eq!(std::fs::read_to_string(place("beside.json")).unwrap(), "old");
        together(|| {
            text(&place("beside.json"), Overwrite::Force, "new")?;
            assert_eq!(std::fs::read_to_string(place("beside.json")).unwrap(), "old");
            text(&place("main.npz"), Overwrite::Force, "new")
        })
        .unwrap();
        for name in ["beside.json", "main.npz"] {
            assert_eq!(std::fs::read_to_string(place(name)).unwrap(), "new");
        }
        // A file that cannot get its name, as after a kill between two names: the last one is not there.
        let stopped: Result<()> = together(|| {
            text(&place("beside.json"), Overwrite::Force, "newer")?;
            text(&place("late.json"), Overwrite::Refuse, "newer")?;
            text(&place("main.npz"), Overwrite::Force, "newer")?;
            std::fs::write(place("late.json"), "theirs").unwrap();
            Ok(())
        });
        assert!(stopped.is_err());
        assert_eq!(names(folder.path()), ["beside.json", "late.json"]);
    }
}
