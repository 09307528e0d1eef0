//! Trouble on its way to R: the core's errors become lists that the R side raises as conditions, R's own errors and interrupts pass through.

use mixgist::text::Spelling;
use mixgist::{Error, ErrorKind};
use savvy::{OwnedListSexp, OwnedStringSexp, Sexp};

/// What every function of the front returns inside.
pub type Result<T> = std::result::Result<T, Failure>;

/// Why a call failed.
pub enum Failure {
    /// The core's error.
    Core(Error),
    /// R's own: an error in R code, or an interrupt, which must be handed back to R as it is.
    R(savvy::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Core(error)
    }
}

impl From<savvy::Error> for Failure {
    fn from(error: savvy::Error) -> Self {
        Failure::R(error)
    }
}

/// The answer, or the trouble as a list of class `mixgist_failure`.
pub fn outcome(result: Result<Sexp>) -> savvy::Result<Sexp> {
    match result {
        Ok(answer) => Ok(answer),
        Err(Failure::R(error)) => Err(error),
        Err(Failure::Core(error)) => failure(&error),
    }
}

fn failure(error: &Error) -> savvy::Result<Sexp> {
    let kind = match error.kind() {
        ErrorKind::Input => "input",
        ErrorKind::Usage => "usage",
        ErrorKind::Resource => "resource",
        ErrorKind::Io => "io",
        ErrorKind::Interrupted => "interrupted",
        _ => "other",
    };
    let hint = error.hint_text().map(|hint| hint.spelled(&InR));
    let mut list = OwnedListSexp::new(3, true)?;
    list.set_name_and_value(0, "kind", OwnedStringSexp::try_from_scalar(kind)?)?;
    list.set_name_and_value(1, "message", OwnedStringSexp::try_from_scalar(error.spelled(&InR))?)?;
    list.set_name_and_value(2, "hint", OwnedStringSexp::try_from_scalar(hint.unwrap_or_default())?)?;
    list.set_class(["mixgist_failure"])?;
    list.into()
}

/// How R writes options and functions: `units = "sd"`, `slices = 4000`, `units = c(1, 2)`, `force = TRUE`, `mixgist_components()`. It counts from 1.
pub struct InR;

impl InR {
    /// The functions of the package, by the verbs of the command line; the others are for the command line alone.
    const FUNCTIONS: [(&str, &str); 11] = [
        ("summarize", "mixgist_summary()"),
        ("credible", "mixgist_ball()"),
        ("components", "mixgist_components()"),
        ("align", "mixgist_align()"),
        ("memberships", "mixgist_memberships()"),
        ("how-many", "mixgist_how_many()"),
        ("representatives", "mixgist_representatives()"),
        ("stability", "mixgist_stability()"),
        ("report", "report()"),
        ("fit", "mixgist_fit()"),
        ("partition", "mixgist_partition()"),
    ];

    fn value(text: &str) -> String {
        let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        match text {
            "true" => "TRUE".into(),
            "false" => "FALSE".into(),
            number if is_number(number) => number.into(),
            list if list.contains(',') && list.split(',').all(is_number) => format!("c({})", list.replace(',', ", ")),
            word => format!("\"{word}\""),
        }
    }
}

impl Spelling for InR {
    fn option(&self, option: &str, value: Option<&str>) -> String {
        value.map_or_else(|| option.to_owned(), |value| format!("{option} = {}", Self::value(value)))
    }

    fn verb(&self, name: &str) -> String {
        let own = Self::FUNCTIONS.iter().find(|(verb, _)| *verb == name);
        own.map_or_else(|| format!("'mixgist {name}' at the command line"), |(_, function)| (*function).to_owned())
    }

    fn first(&self) -> usize {
        1
    }
}

/// R's words in the report, which counts from 0 in every language, as its figures do.
pub struct InReport;

impl Spelling for InReport {
    fn option(&self, option: &str, value: Option<&str>) -> String {
        InR.option(option, value)
    }

    fn verb(&self, name: &str) -> String {
        InR.verb(name)
    }
}
