//! `mixgist combine`: the summary that parts of it make.

use std::path::PathBuf;

use clap::Args;
use mixgist::Result;

use crate::options::OutputArgs;
use crate::parts::Combined;
use crate::progress::Terminal;

/// Combine the parts that 'summarize --slice-range' wrote into the summary that one run gives
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist summarize draws.npz --slices 1000 --slice-range 0:500 -o a.part
  mixgist summarize draws.npz --slices 1000 --slice-range 500:1000 -o b.part
  mixgist combine *.part -o summary.json

The draws are read again from the same paths: combine in the folder in which the parts were made. The answer is that of one run, to the last bit.")]
pub struct Combine {
    /// The parts, in any order: all slices, each once
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,

    /// Write the summary to this file (.json)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    printing: OutputArgs,
}

impl Combine {
    /// Reads the parts and does the rest of the work.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let parts = Combined::read(&self.parts)?;
        let verb = crate::summarize_again(parts.arguments())?;
        verb.combining(self.output.clone(), self.printing.clone()).run_with(Some(&parts), terminal)
    }
}
