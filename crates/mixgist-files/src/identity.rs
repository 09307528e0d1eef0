//! Whether two paths name the same file, however they are spelled.

use std::path::{Path, PathBuf};

use mixgist::{Error, Result};

use crate::whole::{Overwrite, check_writable};

/// What a path names.
#[derive(Debug, PartialEq)]
struct Identity {
    /// Without links, `.` and `..`.
    path: PathBuf,
    /// The number of the file on its device; two hard links share it.
    number: Option<(u64, u64)>,
}

impl Identity {
    fn of(path: &Path) -> Self {
        let absolute = path.canonicalize().or_else(|_| {
            // What does not exist yet has a folder that does.
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            folder.canonicalize().map(|folder| path.file_name().map_or(folder.clone(), |name| folder.join(name)))
        });
        Identity { path: absolute.unwrap_or_else(|_| path.to_owned()), number: number(path) }
    }

    fn is_same(&self, other: &Identity) -> bool {
        self.path == other.path || (self.number.is_some() && self.number == other.number)
    }
}

#[cfg(unix)]
fn number(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Checks, before any work, that all outputs can be written, that no two are one file, and that none is an input.
pub fn check_outputs(outputs: &[&Path], inputs: &[&Path], overwrite: Overwrite) -> Result<()> {
    // A directory that is an input stands for the files in it.
    let folders: Vec<PathBuf> =
        inputs.iter().filter(|path| path.is_dir()).filter_map(|path| path.canonicalize().ok()).collect();
    let inputs: Vec<Identity> = inputs.iter().map(|path| Identity::of(path)).collect();
    let mut seen: Vec<Identity> = Vec::new();
    for path in outputs {
        check_writable(path, overwrite)?;
        let identity = Identity::of(path);
        if seen.iter().any(|other| other.is_same(&identity)) {
            return Err(Error::usage("two outputs cannot go to the same file").in_file(path));
        }
        let within = || path.canonicalize().is_ok_and(|path| folders.iter().any(|folder| path.starts_with(folder)));
        if inputs.iter().any(|input| input.is_same(&identity)) || within() {
            return Err(Error::usage("is an input, it cannot be an output as well").in_file(path));
        }
        seen.push(identity);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_by_two_names_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir(place("sub")).unwrap();
        let message = |outputs: &[PathBuf], inputs: &[PathBuf]| {
            let paths = |all: &[PathBuf]| all.to_vec();
            let (outputs, inputs) = (paths(outputs), paths(inputs));
            let outputs: Vec<&Path> = outputs.iter().map(PathBuf::as_path).collect();
            let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
            check_outputs(&outputs, &inputs, Overwrite::Force).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(message(&[place("a.csv"), place("b.csv")], &[place("c.csv")]), "");
        for other in ["a.csv", "./a.csv", "sub/../a.csv"] {
            assert!(message(&[place("a.csv"), place(other)], &[]).contains("two outputs"), "{other}");
            assert!(message(&[place("a.csv")], &[place(other)]).contains("is an input"), "{other}");
        }
        std::fs::write(place("sub/in.csv"), "1\n").unwrap();
        assert!(message(&[place("sub/../sub/in.csv")], &[place("sub")]).contains("is an input"));
        assert_eq!(message(&[place("sub/new.csv")], &[place("sub")]), "");
        std::fs::write(place("a.csv"), "1\n").unwrap();
        std::fs::hard_link(place("a.csv"), place("hard.csv")).unwrap();
        assert!(message(&[place("a.csv"), place("hard.csv")], &[]).contains("two outputs"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(place("a.csv"), place("link.csv")).unwrap();
            assert!(message(&[place("a.csv"), place("link.csv")], &[]).contains("two outputs"));
            assert!(message(&[place("link.csv")], &[place("a.csv")]).contains("is an input"));
        }
    }
}
