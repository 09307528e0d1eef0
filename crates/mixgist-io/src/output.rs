//! What writers say when they fail, and names of files.

use std::io;
use std::path::Path;

use mixgist::{Error, Result};
pub(crate) use mixgist_files::{Output, Overwrite, write_whole};

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
    let known = match known.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => known.concat(),
    };
    Err(Error::usage(format!("{option} takes a name that ends in {known}")).in_file(path))
}
