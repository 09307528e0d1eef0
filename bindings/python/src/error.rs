//! The core's errors as the exceptions that a Python user expects, message and hint kept.

use mixgist::Place;
use mixgist::text::Spelling;
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
    let hint = error.hint_text().map(|hint| hint.spelled(&InPython));
    if error.system_cause().is_some() || error.kind() == ErrorKind::Io {
        return os_error(error, hint.as_deref());
    }
    let mut message = error.spelled(&InPython);
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
    let place = Place { file: None, ..error.place().clone() };
    let mut message = place.text().then(error.message().clone()).spelled(&InPython);
    let cause = error.system_cause();
    if let Some(code) = cause.and_then(|cause| cause.code) {
        message = message.replace(&format!(" (os error {code})"), "");
    }
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

/// How Python writes options and functions: `units="sd"`, `slices=4000`, `units=[1, 2]`, `force=True`, `mixgist.components()`.
pub struct InPython;

impl InPython {
    /// The verbs that are functions of the package; the others are for the command line alone.
    const FUNCTIONS: [&str; 9] = [
        "summarize",
        "credible",
        "components",
        "representatives",
        "stability",
        "report",
        "fit",
        "partition",
        "distance",
    ];

    fn value(text: &str) -> String {
        let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        match text {
            "true" => "True".into(),
            "false" => "False".into(),
            number if is_number(number) => number.into(),
            list if list.contains(',') && list.split(',').all(is_number) => format!("[{}]", list.replace(',', ", ")),
            word => format!("\"{word}\""),
        }
    }
}

impl Spelling for InPython {
    fn option(&self, option: &str, value: Option<&str>) -> String {
        let name = if option == "lambda" { "lambda_" } else { option };
        value.map_or_else(|| name.to_owned(), |value| format!("{name}={}", Self::value(value)))
    }

    fn verb(&self, name: &str) -> String {
        if Self::FUNCTIONS.contains(&name) {
            format!("mixgist.{name}()")
        } else {
            format!("'mixgist {name}' at the command line")
        }
    }
}
