//! The core's errors as the exceptions that a Python user expects, message and hint kept.

use mixgist::{Error, ErrorKind};
use pyo3::PyErr;
use pyo3::exceptions::{PyFileExistsError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};

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
    let mut message = spoken(&error.to_string());
    if let Some(hint) = error.hint_text() {
        message = format!("{message}\nhint: {}", spoken(hint));
    }
    match error.kind() {
        ErrorKind::Interrupted => PyKeyboardInterrupt::new_err(message),
        ErrorKind::Resource => PyMemoryError::new_err(message),
        ErrorKind::Io => match os_code(&message) {
            // With its number OSError becomes the subclass that fits, such as FileNotFoundError.
            Some(code) => PyOSError::new_err((code, message)),
            None => PyOSError::new_err(message),
        },
        _ if message.contains("exists already") => PyFileExistsError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// The number in "(os error 2)", as the standard library ends its messages.
fn os_code(message: &str) -> Option<i32> {
    let (_, rest) = message.split_once("(os error ")?;
    rest.split_once(')')?.0.parse().ok()
}

/// Words that can follow an option in the core's sentences as its value.
const VALUES: [&str; 12] =
    ["auto", "sd", "whiten", "none", "qmc", "certified", "pairs", "sweep", "medoid", "free", "distance", "power"];

/// Options as Python writes them: `--slices auto` becomes `slices="auto"`, `--slices 4000` `slices=4000`, a lone `--prune` `prune`.
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
        out.push_str(&part[..end].replace('-', "_"));
        let rest = &part[end..];
        let value = rest.strip_prefix(' ').unwrap_or("");
        let value = &value[..value.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(value.len())];
        if VALUES.contains(&value) {
            out.push_str(&format!("=\"{value}\""));
            out.push_str(&rest[1 + value.len()..]);
        } else if !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit()) {
            out.push_str(&format!("={value}"));
            out.push_str(&rest[1 + value.len()..]);
        } else {
            out.push_str(rest);
        }
    }
    out
}
