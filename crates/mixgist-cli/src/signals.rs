//! Signals that ask the program to stop, with the exit codes that shells give them.

/// The exit code of a job that was stopped by Ctrl-C: 128 and the number of the signal.
pub const STOPPED: u8 = 130;

/// Calls `stop` with an exit code whenever the program is asked to stop: 130 for Ctrl-C, 143 for SIGTERM, 129 when the connection is lost.
///
/// A signal that the program was started to ignore stays ignored: `nohup` and shells that start jobs in the background do that.
#[cfg(unix)]
pub fn listen(stop: impl Fn(u8) + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let ignored = std::fs::read_to_string("/proc/self/status").map(|status| ignored_signals(&status)).unwrap_or(0);
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without a handler a signal simply ends the program, which loses nothing: outputs appear whole or not at all.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            stop(128 + signal as u8);
        }
    });
}

/// The same where Ctrl-C is all there is.
#[cfg(not(unix))]
pub fn listen(stop: impl Fn(u8) + Send + 'static) {
    let _ = ctrlc::set_handler(move || stop(STOPPED));
}

/// The signals that are ignored, one bit each, as Linux tells; elsewhere none is known to be.
#[cfg(unix)]
fn ignored_signals(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_the_kernel_is_understood() {
        assert_eq!(ignored_signals("Name:\tmixgist\nSigIgn:\t0000000000001003\nSigCgt:\t0\n"), 0x1003);
        assert_eq!(ignored_signals("Name:\tmixgist\n"), 0);
    }
}
