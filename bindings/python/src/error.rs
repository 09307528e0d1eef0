//! The core's errors as the exceptions that a Python user expects, message and hint kept.

use mixgist::slice::SLICERS;
use mixgist::{Error, ErrorKind, SystemCause};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// What every function of the front returns.
pub type Result<T> = std::result::Result<T, Failure>;

/// Why a call failed: trouble in the core, or a Python exception on its way through.
pub enum Failure {
    /// The core's error.
    Core(Error),
    /// Raised by Python code (a signal handler, the user's function).
    Python(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Core(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Core(error) => exception(&error),
        }
    }
}

fn exception(error: &Error) -> PyErr {
    let hint = error.hint_text().map(spoken);
    if error.system_cause().is_some() || error.kind() == ErrorKind::Io {
        return os_error(error, hint.as_deref());
    }
    let mut message = spoken(&error.to_string());
    if let Some(hint) = hint {
        message = format!("{message}\nhint: {hint}");
    }
    match error.kind() {
        ErrorKind::Interrupted => PyKeyboardInterrupt::new_err(message),
        ErrorKind::Resource => PyMemoryError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// Trouble with a file. With its number OSError becomes the subclass that fits, such as FileNotFoundError; number and file are said by
/// Python, so that they are left out of the message.
fn os_error(error: &Error, hint: Option<&str>) -> PyErr {
    let file = error.place().file.as_deref();
    let mut message = error.to_string();
    if let Some(rest) = file.and_then(|file| message.strip_prefix(&format!("{}: ", file.display()))) {
        message = rest.to_owned();
    }
    let cause = error.system_cause();
    if let Some(code) = cause.and_then(|cause| cause.code) {
        message = message.replace(&format!(" (os error {code})"), "");
    }
    message = spoken(&message);
    if let Some(hint) = hint {
        message = format!("{message} ({hint})");
    }
    let number = cause.map_or(UNKNOWN, errno);
    match file {
        Some(file) => PyOSError::new_err((number, message, file.as_os_str().to_owned())),
        None => PyOSError::new_err((number, message)),
    }
}

/// EIO: something went wrong, nobody knows what.
const UNKNOWN: i32 = 5;

/// The number that Python knows the trouble by, the same on all systems for the usual kinds.
fn errno(SystemCause { kind, code }: SystemCause) -> i32 {
    use std::io::ErrorKind::{
        AlreadyExists, IsADirectory, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull,
    };
    let usual = [
        (NotFound, 2),
        (PermissionDenied, 13),
        (AlreadyExists, 17),
        (NotADirectory, 20),
        (IsADirectory, 21),
        (StorageFull, 28),
        (ReadOnlyFilesystem, 30),
    ];
    let found = usual.iter().find(|(known, _)| *known == kind).map(|(_, number)| *number);
    found.or(code.filter(|_| cfg!(unix))).unwrap_or(UNKNOWN)
}

/// Words that can follow an option in the core's sentences as its value, besides the names of distances.
const VALUES: [&str; 16] = [
    "auto",
    "sd",
    "whiten",
    "none",
    "qmc",
    "iid",
    "orthogonal",
    "certified",
    "pairs",
    "sweep",
    "medoid",
    "free",
    "distance",
    "power",
    "stan-csv",
    "off",
];

/// Options that are there or not.
const FLAGS: [&str; 2] = ["force", "conformal"];

/// Options as Python writes them: `--slices auto` becomes `slices="auto"`, `--slices 4000` `slices=4000`, a lone `--prune` `prune`,
/// `--force` `force=True`.
pub fn spoken(text: &str) -> String {
    let mut parts = text.split("--");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        if end == 0 {
            out.push_str("--");
            out.push_str(part);
            continue;
        }
        let (name, rest) = part.split_at(end);
        out.push_str(&name.replace('-', "_"));
        let value = rest.strip_prefix(' ').unwrap_or("");
        let value = &value[..value.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(value.len())];
        let is_word = VALUES.contains(&value) || SLICERS.iter().any(|slicer| slicer.name() == value);
        let is_number = !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit());
        match (FLAGS.contains(&name), is_word, is_number) {
            (true, ..) => out.push_str(&format!("=True{rest}")),
            (_, true, _) => out.push_str(&format!("=\"{value}\"{}", &rest[1 + value.len()..])),
            (_, _, true) => out.push_str(&format!("={}", &rest[1..])),
            _ => out.push_str(rest),
        }
    }
    out
}

/// A sentence of the core's documents in Python's words.
#[pyfunction]
pub fn in_python(text: &str) -> String {
    spoken(text)
}
