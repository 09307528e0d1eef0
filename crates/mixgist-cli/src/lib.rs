//! The command line: translates options, calls the core once, prints the answer.

mod align;
mod combine;
mod compare;
mod completions;
mod component_prior;
mod components;
mod convert;
mod credible;
mod demo;
mod distance;
mod fit;
mod how_many;
mod inputs;
mod inspect;
mod memberships;
mod options;
mod partition;
mod parts;
mod plot;
mod posterior;
mod progress;
mod report;
mod representatives;
mod signals;
mod stability;
mod summarize;
mod text;

#[doc(hidden)]
pub use parts::{combine_body, part_body};

use std::ffi::OsString;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use mixgist::text::CommandLine;
use mixgist::{Error, ErrorKind, Result};
use mixgist_io::memory;

use crate::progress::Terminal;
use crate::text::remark;

/// The gist of a mixture posterior: one point estimate from thousands of draws, with the evidence for it.
#[derive(Parser)]
#[command(name = "mixgist", version, max_term_width = 110, after_help = EXAMPLES)]
struct Cli {
    /// Threads to use, at most 1024; all cores without it. The answer does not depend on it
    #[arg(long, global = true, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=i64::from(memory::MOST_THREADS)))]
    threads: Option<u16>,

    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "Which command for which question:
  I have data and no draws                         fit
  What is in a file of draws?                      inspect
  One answer: measure, density and labels          summarize
  One partition, from labels rather than measures  partition
  How far from the answer does the posterior go?   credible
  How certain is each component?                   components
  Which observations belong to which component?    memberships
  How many clusters are there?                     how-many
  The same component in every draw; in a new fit   align
  Parts of an answer from several machines         combine
  Is there more than one answer?                   representatives
  Does the answer depend on my choices?            stability
  Which kind of estimate is better?                compare
  A figure; all of it on one page                  plot; report

Examples:
  mixgist demo
  mixgist fit data.csv -o draws.npz
  mixgist summarize draws.npz -o summary.json
  mixgist components draws.npz --estimate summary.json
  mixgist summarize -h      the options that matter most
  mixgist summarize --help  all of them";

/// Options that the short help (-h) of every verb shows, as far as it has them; the others are in the long one (--help).
const SHORT: [&str; 20] = [
    "data",
    "columns",
    "alpha",
    "components",
    "covariance",
    "chains",
    "iterations",
    "resume",
    "output",
    "distance",
    "slices",
    "estimate",
    "atoms",
    "report",
    "json",
    "force",
    "level",
    "loss",
    "kind",
    "covariance_form",
];

/// The command line, with rarely needed options left out of the short help.
fn command() -> clap::Command {
    Cli::command().mut_subcommands(|verb| {
        verb.mut_args(|arg| {
            let hidden = !arg.is_positional() && !arg.is_required_set() && !SHORT.contains(&arg.get_id().as_str());
            arg.hide_short_help(hidden)
        })
    })
}

#[derive(Subcommand)]
enum Verb {
    Fit(fit::FitVerb),
    Summarize(summarize::Summarize),
    Combine(combine::Combine),
    Distance(distance::Distance),
    Partition(partition::PartitionVerb),
    Compare(compare::Compare),
    Credible(credible::Credible),
    Components(components::ComponentsVerb),
    Align(align::Align),
    Memberships(memberships::MembershipsVerb),
    HowMany(how_many::HowManyVerb),
    Representatives(representatives::RepresentativesVerb),
    Stability(stability::StabilityVerb),
    Plot(plot::Plot),
    Report(report::Report),
    Inspect(inspect::Inspect),
    Convert(convert::Convert),
    Demo(demo::Demo),
    Completions(completions::Completions),
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    let (cli, matches) = match parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(said) => return explain(&said),
    };
    let terminal = Terminal::new();
    match answer(&cli, &matches, &terminal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::Interrupted && !terminal.is_first_to_tell() => {
            ExitCode::from(exit_code(error.kind(), &terminal))
        }
        Err(error) => {
            remark(&format!("error: {}", error.spelled(&CommandLine)));
            if let Some(hint) = error.hint_text() {
                remark(&format!("hint: {}", hint.spelled(&CommandLine)));
            }
            ExitCode::from(exit_code(error.kind(), &terminal))
        }
    }
}

/// The JSON Schema of every document that a verb prints, with the name of its file.
pub fn json_schemas() -> Vec<(String, serde_json::Value)> {
    let own = [compare::json_schemas(), distance::json_schemas(), fit::json_schemas(), inspect::json_schemas()];
    mixgist_io::json_schemas().into_iter().chain(own.into_iter().flatten()).collect()
}

/// Whether these arguments, the name of the program first, are understood: for the fuzz targets.
#[doc(hidden)]
pub fn understands(arguments: &[OsString]) -> bool {
    thread_local! {
        // Made once, because that takes ten times as long as understanding a line.
        static COMMAND: std::cell::RefCell<clap::Command> = std::cell::RefCell::new(Cli::command());
    }
    let matches = COMMAND.with_borrow_mut(|command| command.try_get_matches_from_mut(arguments));
    matches.and_then(|matches| Cli::from_arg_matches(&matches)).is_ok()
}

fn parse(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> std::result::Result<(Cli, ArgMatches), clap::Error> {
    let matches = command().try_get_matches_from(arguments)?;
    Ok((Cli::from_arg_matches(&matches)?, matches))
}

/// The verb `summarize` of the command line that made a part, without the name of the program. Options that a part cannot have are refused, so
/// that a part from strangers names no file to write.
fn summarize_again(arguments: &[String]) -> Result<summarize::Summarize> {
    let all = std::iter::once("mixgist").chain(arguments.iter().map(String::as_str));
    match parse(all) {
        Ok((Cli { verb: Verb::Summarize(verb), .. }, _)) if verb.makes_part() => Ok(verb),
        _ => Err(Error::input("the parts were not made by 'mixgist summarize'").hint("make the parts again")),
    }
}

/// Prints help, the version, or what is wrong with the options. Help that cannot be printed is an error, unless nobody reads on.
fn explain(said: &clap::Error) -> ExitCode {
    match said.print() {
        Err(cause) if !said.use_stderr() && cause.kind() != std::io::ErrorKind::BrokenPipe => {
            remark(&format!("error: cannot write to standard output: {cause}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::from(said.exit_code() as u8),
    }
}

fn answer(cli: &Cli, matches: &ArgMatches, terminal: &Terminal) -> Result<()> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    memory::require_room(cli.threads.map_or_else(cores, usize::from))?;
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .map_err(|cause| Error::resource(format!("cannot start {threads} threads: {cause}")))?;
    }
    match &cli.verb {
        Verb::Fit(verb) => verb.run(&given_options(matches), terminal),
        Verb::Summarize(verb) => verb.run(terminal),
        Verb::Combine(verb) => verb.run(terminal),
        Verb::Distance(verb) => verb.run(terminal),
        Verb::Partition(verb) => verb.run(terminal),
        Verb::Compare(verb) => verb.run(terminal),
        Verb::Credible(verb) => verb.run(terminal),
        Verb::Components(verb) => verb.run(terminal),
        Verb::Align(verb) => verb.run(terminal),
        Verb::Memberships(verb) => verb.run(terminal),
        Verb::HowMany(verb) => verb.run(terminal),
        Verb::Representatives(verb) => verb.run(terminal),
        Verb::Stability(verb) => verb.run(terminal),
        Verb::Plot(verb) => verb.run(terminal),
        Verb::Report(verb) => verb.run(&given_options(matches), terminal),
        Verb::Inspect(verb) => verb.run(),
        Verb::Convert(verb) => verb.run(terminal),
        Verb::Demo(verb) => verb.run(terminal),
        Verb::Completions(verb) => verb.run(),
    }
}

/// The options of the verb that stand on the command line, in the order of its help.
fn given_options(matches: &ArgMatches) -> Vec<Arg> {
    let Some((verb, matches)) = matches.subcommand() else { return Vec::new() };
    let command = command();
    let arguments = command.find_subcommand(verb).into_iter().flat_map(clap::Command::get_arguments);
    arguments
        .filter(|arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine))
        .cloned()
        .collect()
}

/// 1: the input cannot be used; 2: usage; 130, 143 or 129: stopped by the user, the system or a lost connection.
fn exit_code(kind: ErrorKind, terminal: &Terminal) -> u8 {
    match kind {
        ErrorKind::Usage => 2,
        ErrorKind::Interrupted => terminal.stop_code(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// The short help of a verb fits a screen; the long one has every option.
    #[test]
    fn short_help_shows_what_matters() {
        for verb in command().get_subcommands_mut() {
            let (short, long) = (verb.render_help().to_string(), verb.render_long_help().to_string());
            let options = |text: &str| {
                text.lines().filter(|line| line.starts_with(' ') && line.trim_start().starts_with('-')).count()
            };
            assert!(options(&short) <= 13, "{}: {} options\n{short}", verb.get_name(), options(&short));
            for arg in verb.get_arguments().filter_map(Arg::get_long) {
                assert!(long.contains(&format!("--{arg}")), "{}: {arg}", verb.get_name());
            }
        }
    }

    /// Paragraphs are not broken by hand: whatever the width of the terminal, a line ends where its words end or where a paragraph does, and reaches
    /// the width as far as the next word allows.
    #[test]
    fn help_wraps_to_the_terminal() {
        for verb in Cli::command().get_subcommands().chain([&Cli::command()]) {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            for pair in help.lines().collect::<Vec<_>>().windows(2) {
                let prose = |line: &str| !line.is_empty() && !line.starts_with(' ') && !line.ends_with(':');
                assert!(!(prose(pair[0]) && prose(pair[1])), "{}: broken by hand: {pair:?}", verb.get_name());
            }
        }
        for width in [60, 100, 130] {
            for verb in Cli::command().max_term_width(0).term_width(width).get_subcommands_mut() {
                let name = verb.get_name().to_owned();
                let help = verb.clone().max_term_width(0).term_width(width).render_long_help().to_string();
                for line in help.lines().filter(|line| !line.trim_start().starts_with("mixgist ")) {
                    let single = line.split_whitespace().count() < 2 || line.contains("<") || line.contains('[');
                    assert!(single || line.chars().count() <= width, "{name} at {width}: {line}");
                }
            }
        }
    }

    /// A line of a command that is longer is broken by the help of a terminal with 80 columns, and cannot be copied.
    #[test]
    fn examples_fit_a_terminal() {
        let verbs = Cli::command();
        for verb in verbs.get_subcommands().chain([&verbs]) {
            let Some(help) = verb.get_after_help() else { continue };
            let text = help.to_string();
            for line in text.lines().filter(|line| line.starts_with("  ")) {
                assert!(line.chars().count() <= 80, "{}: {line}", verb.get_name());
            }
        }
    }
}
