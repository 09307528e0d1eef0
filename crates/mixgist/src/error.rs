//! The one error type: what is wrong, where it is, and what helps.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::printable::{printable, printable_line};
use crate::text;
use crate::text::{Neutral, Spelling, Text, index};

/// What kind of trouble an [`Error`] is; fronts map it to exit codes and exception classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input (a file, an array) cannot be used.
    Input,
    /// An option or argument has a value that makes no sense.
    Usage,
    /// The job does not fit into memory or onto the disk.
    Resource,
    /// Reading or writing failed.
    Io,
    /// The user stopped the job.
    Interrupted,
}

/// Where in the input the trouble is; draws, atoms, rows and columns count from 0, lines of a file from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// Line of that file, counted from 1.
    pub line: Option<u64>,
    /// Index of the draw.
    pub draw: Option<usize>,
    /// Index of the atom within its draw.
    pub atom: Option<usize>,
}

/// What the operating system calls the trouble; fronts map it to the exceptions of their language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemCause {
    /// Its kind, such as a file that does not exist.
    pub kind: io::ErrorKind,
    /// The system's own number, when the system said it.
    pub code: Option<i32>,
}

/// The one error of mixgist: a message with its place and, where one helps, a hint.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: ErrorKind,
    message: Text,
    place: Place,
    hint: Option<Text>,
    cause: Option<SystemCause>,
}

/// What every fallible function of mixgist returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<Text>) -> Self {
        Error(Box::new(Inner { kind, message: message.into(), place: Place::default(), hint: None, cause: None }))
    }

    /// The input cannot be used.
    pub fn input(message: impl Into<Text>) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    /// An option has a value that makes no sense.
    pub fn usage(message: impl Into<Text>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// The job does not fit.
    pub fn resource(message: impl Into<Text>) -> Self {
        Self::new(ErrorKind::Resource, message)
    }

    /// The user stopped the job.
    pub fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted")
    }

    /// Reading or writing `path` failed.
    pub fn io(path: &Path, doing: &str, cause: &io::Error) -> Self {
        Self::new(ErrorKind::Io, format!("cannot {doing}: {cause}")).caused_by(cause).in_file(path)
    }

    /// Adds what the operating system said.
    #[must_use]
    pub fn caused_by(mut self, cause: &io::Error) -> Self {
        self.0.cause = Some(SystemCause { kind: cause.kind(), code: cause.raw_os_error() });
        self
    }

    /// Adds what the operating system would have said, had it been asked.
    #[must_use]
    pub fn as_system(mut self, kind: io::ErrorKind) -> Self {
        self.0.cause = Some(SystemCause { kind, code: None });
        self
    }

    /// Adds the draw.
    #[must_use]
    pub fn at_draw(mut self, draw: usize) -> Self {
        self.0.place.draw = Some(draw);
        self
    }

    /// Adds the atom within its draw.
    #[must_use]
    pub fn at_atom(mut self, atom: usize) -> Self {
        self.0.place.atom = Some(atom);
        self
    }

    /// Adds the line of the file.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.0.place.line = Some(line);
        self
    }

    /// Adds the file, unless one is known already.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        self.0.place.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Text>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// What kind of trouble it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it is.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What the operating system calls it: set for all trouble with files that is not about their contents.
    pub fn system_cause(&self) -> Option<SystemCause> {
        self.0.cause
    }

    /// What the user can do about it.
    pub fn hint_text(&self) -> Option<&Text> {
        self.0.hint.as_ref()
    }

    /// The place and the message as a front writes them.
    pub fn spelled(&self, spelling: &dyn Spelling) -> String {
        // Names of files, columns and arrays come from strangers.
        let place = self.0.place.text().spelled(spelling);
        format!("{}{}", printable_line(&place), printable(&self.0.message.spelled(spelling)))
    }

    /// The message without its place.
    pub fn message(&self) -> &Text {
        &self.0.message
    }
}

impl Place {
    /// Empty, or ending in a colon and a space.
    pub fn text(&self) -> Text {
        let Place { file, line, draw, atom } = self;
        let file = match (file, line) {
            (Some(file), Some(line)) => format!("{}:{line}: ", file.display()),
            (Some(file), None) => format!("{}: ", file.display()),
            (None, Some(line)) => format!("line {line}: "),
            (None, None) => String::new(),
        };
        let draw = match (draw, atom) {
            (Some(draw), Some(atom)) => text!["draw ", index(*draw), ", atom ", index(*atom), ": "],
            (Some(draw), None) => text!["draw ", index(*draw), ": "],
            (None, Some(atom)) => text!["atom ", index(*atom), ": "],
            (None, None) => Text::default(),
        };
        Text::from(file).then(draw)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(&Neutral))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_before_the_message() {
        let error =
            Error::input("weight is negative (-1)").at_draw(3).at_atom(2).at_line(9).in_file(Path::new("a.csv"));
        assert_eq!(error.to_string(), "a.csv:9: draw 3, atom 2: weight is negative (-1)");
        assert_eq!(error.kind(), ErrorKind::Input);
    }

    #[test]
    fn what_the_system_said_is_kept() {
        let error = Error::io(Path::new("a.csv"), "open", &io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(error.system_cause(), Some(SystemCause { kind: io::ErrorKind::NotFound, code: None }));
        assert_eq!(Error::input("x").system_cause(), None);
    }

    #[test]
    fn names_from_strangers_cannot_steer_a_terminal() {
        let error = Error::input("has no column '\u{1b}]0;x\u{7}\u{202e}'").in_file(Path::new("a\u{1b}[2J\n.csv"));
        assert_eq!(error.to_string(), "a\\u{1b}[2J\\n.csv: has no column '\\u{1b}]0;x\\u{7}\\u{202e}'");
    }

    #[test]
    fn the_first_file_stays() {
        let error = Error::input("x").in_file(Path::new("inner")).in_file(Path::new("outer"));
        assert_eq!(error.to_string(), "inner: x");
    }
}
