//! `mixgist completions`: scripts that complete mixgist's commands and options in a shell.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use mixgist::Result;

use crate::Cli;
use crate::text::answer;

/// Print a script that completes mixgist's commands and options in your shell
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist completions bash > ~/.local/share/bash-completion/completions/mixgist
  mixgist completions fish > ~/.config/fish/completions/mixgist.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "mixgist", &mut script);
        answer(String::from_utf8_lossy(&script).trim_end())
    }
}
