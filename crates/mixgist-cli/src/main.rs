//! The command line: translates options, calls the core once, prints the answer.

mod options;
mod progress;
mod summarize;
mod text;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mixgist::{Error, ErrorKind, Result};

use crate::progress::Terminal;

/// The gist of a mixture posterior: one point estimate from thousands of draws, with the evidence for it.
#[derive(Parser)]
#[command(name = "mixgist", version, max_term_width = 110)]
struct Cli {
    /// Threads to use; all cores without it. The answer does not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Summarize(summarize::Summarize),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(hint) = error.hint_text() {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(exit_code(error.kind()))
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .map_err(|cause| Error::resource(format!("cannot start {threads} threads: {cause}")))?;
    }
    let terminal = Terminal::new();
    match &cli.verb {
        Verb::Summarize(verb) => verb.run(&terminal),
    }
}

/// 1: the input cannot be used; 2: usage; 130: stopped by the user, as shells have it.
fn exit_code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Usage => 2,
        ErrorKind::Interrupted => 130,
        _ => 1,
    }
}
