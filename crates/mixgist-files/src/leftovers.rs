//! Unfinished files: those of this process, and those that a killed one left behind.
//!
//! An unfinished file is locked as long as its writer lives; the system lets go of the lock when a process ends, however it ends. So a
//! file of that name that can be locked is nobody's.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const PREFIX: &str = ".mixgist-";
const SUFFIX: &str = ".part";

/// The unfinished files of this process.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Folders that were looked through.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process while other threads may be writing; their unfinished files are removed.
pub fn abandon(exit_code: i32) -> ! {
    // Held to the end, so that no new file is begun.
    let unfinished = lock(&UNFINISHED);
    for path in unfinished.iter() {
        let _ = std::fs::remove_file(path); // nothing more can be done about it
    }
    std::process::exit(exit_code)
}

/// An unfinished file, known to [`abandon`] as long as it lives.
#[derive(Debug)]
pub(crate) struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Makes a file in a folder.
    pub fn create(folder: &Path) -> io::Result<(Self, tempfile::NamedTempFile)> {
        let mut unfinished = lock(&UNFINISHED);
        let file = create(folder)?;
        unfinished.insert(file.path().to_owned());
        Ok((Unfinished { path: file.path().to_owned() }, file))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        lock(&UNFINISHED).remove(&self.path);
    }
}

/// Makes a file that counts as alive; file systems without locks are put up with.
fn create(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // Without this the output would be readable by its owner alone; the umask still applies.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        // Between the two lines another process may have taken it for a leftover.
        if !(cfg!(unix) && file.as_file().lock().is_ok() && is_gone(file.as_file())?) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_gone(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() == 0)
}

#[cfg(not(unix))]
fn is_gone(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Removes what killed runs left in a folder; each folder is looked through once.
pub(crate) fn sweep(folder: &Path) {
    if !cfg!(unix) || !lock(&SWEPT).insert(folder.to_owned()) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        if named && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_dead(&entry.path());
        }
    }
}

fn remove_if_dead(path: &Path) {
    if let Ok(file) = File::open(path)
        && file.try_lock().is_ok()
    {
        let _ = std::fs::remove_file(path); // a leftover that cannot be removed harms nobody
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_writes_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let alive = create(folder.path()).unwrap();
        for name in [".mixgist-dead.part", "mine.part", ".mixgist-notes"] {
            std::fs::write(place(name), "half").unwrap();
        }
        std::os::unix::fs::symlink(place("mine.part"), place(".mixgist-link.part")).unwrap();
        sweep(folder.path());
        assert!(!place(".mixgist-dead.part").exists());
        assert!(alive.path().exists());
        assert!([".mixgist-notes", "mine.part", ".mixgist-link.part"].iter().all(|name| place(name).exists()));
    }
}
