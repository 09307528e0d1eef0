//! The program `mixgist`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mixgist_cli::run()
}
